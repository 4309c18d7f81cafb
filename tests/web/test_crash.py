"""Kill -9 of a selling server under load: nothing acknowledged is lost, nothing happens twice."""

import threading
import time
from http.client import HTTPException
from itertools import count
from pathlib import Path

import pytest

from app.flow.access import Credentials
from tests.floor import WALT, WANDA, Floor
from tests.web.server import Client, serving
from tests.web.test_api import SALE

pytestmark = pytest.mark.both_engines

KILLS = 2
PATIENCE = 120.0


class Seller(threading.Thread):
    """A station that sells one ticket after the other, and notes what it was told."""

    def __init__(self, port: int, credentials: Credentials, name: str) -> None:
        super().__init__(name=name)
        self._port = port
        self.headers = {
            "X-Station": credentials.station or "",
            "Authorization": f"Bearer {credentials.token}",
        }
        self.told: dict[str, int] = {}
        self.unknown: list[str] = []
        self.stop = threading.Event()

    def run(self) -> None:
        client = Client(self._port, self.headers)
        for number in count(1):
            if self.stop.is_set():
                break
            request = f"{self.name}-{number:06d}"
            try:
                status, answer = client.ask("POST", "/api/v1/tickets", SALE, request)
            except (OSError, HTTPException):
                self.unknown.append(request)
                client.close()
                client = Client(self._port, self.headers)
                time.sleep(0.02)
                continue
            assert status == 201, answer
            self.told[request] = answer["number"]
        client.close()


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-gapless")
def test_a_server_that_is_killed_while_it_sells_loses_nothing_and_sells_nothing_twice(
    empty_url: str, tmp_path: Path
) -> None:
    floor = Floor.opened(empty_url, tmp_path, real_clock=True)
    people = {"station-1": floor.writing(WANDA), "station-2": floor.writing(WALT, "B2")}
    with serving(empty_url, tmp_path / "keys") as server:
        sellers = [Seller(server.port, person, name) for name, person in people.items()]
        for seller in sellers:
            seller.start()
        for _ in range(KILLS):
            sell_some(sellers)
            server.kill()
            server.start()
        sell_some(sellers)
        for seller in sellers:
            seller.stop.set()
            seller.join()
        resolved = ask_again(server.port, sellers)
    told = {request: number for seller in sellers for request, number in seller.told.items()}
    assert len(told) > 20
    numbers = [*told.values(), *resolved.values()]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    floor.check_books()
    floor.close()


def sell_some(sellers: list[Seller]) -> None:
    """Let a second pass, and longer where the machine is slow."""
    before = [len(seller.told) for seller in sellers]
    until = time.monotonic() + PATIENCE
    time.sleep(1)
    while any(len(seller.told) < sold + 4 for seller, sold in zip(sellers, before, strict=True)):
        assert time.monotonic() < until, "nothing is sold"
        time.sleep(0.02)


def ask_again(port: int, sellers: list[Seller]) -> dict[str, int]:
    """Ask once more for everything that was not answered: each is one ticket, sold then or now."""
    resolved = {}
    for seller in sellers:
        client = Client(port, seller.headers)
        for request in seller.unknown:
            first = client.ask("POST", "/api/v1/tickets", SALE, request)[1]["number"]
            again = client.ask("POST", "/api/v1/tickets", SALE, request)[1]["number"]
            assert first == again
            resolved[request] = first
        client.close()
    return resolved
