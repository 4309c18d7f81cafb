"""Helpers of `test_crash` that other tests use too."""

import threading
import time
from http.client import HTTPException
from itertools import count

from app.flow.access import Credentials
from tests.web.api import SALE
from tests.web.server import Client


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
