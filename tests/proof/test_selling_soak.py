"""Hours of selling in minutes: stations that never rest, a server that is killed, games that lock.

Through HTTP, on both engines. In the end every ticket that a station was told of is there once,
every request that got no answer is one ticket or none, and the server has not grown.
"""

import time
from pathlib import Path

import pytest

from app.flow.lockout import lock_game
from tests.floor import WALT, WANDA, Floor
from tests.web.crash import Seller, ask_again
from tests.web.server import serving

pytestmark = pytest.mark.proof

MINUTES = 5
KILL_EVERY = 20  # seconds
GROWTH_MAX = 64 * 2**20  # bytes, over thousands of sales


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-ticket-gapless")
def test_minutes_of_selling_through_kills_and_lockouts_lose_nothing(
    empty_url: str, tmp_path: Path
) -> None:
    floor = Floor.opened(empty_url, tmp_path, real_clock=True)
    people = {"station-1": floor.writing(WANDA), "station-2": floor.writing(WALT, "B2")}
    sam = floor.sam
    with serving(empty_url, tmp_path / "keys") as server:
        sellers = [Seller(server.port, person, name) for name, person in people.items()]
        for seller in sellers:
            seller.start()
        end = time.monotonic() + 60 * MINUTES
        while time.monotonic() < end:
            time.sleep(KILL_EVERY / 2)
            lock_game(floor.office, sam, "M")
            floor.draw("M")  # or the next one could not be locked
            time.sleep(KILL_EVERY / 2)
            server.kill()
            server.start()
        for seller in sellers:
            seller.stop.set()
            seller.join()
        resolved = ask_again(server.port, sellers)
    told = [number for seller in sellers for number in seller.told.values()]
    assert len(told) > 1_000
    numbers = [*told, *resolved.values()]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    floor.check_books()
    floor.close()


@pytest.mark.rule("X-recovery")
def test_a_server_does_not_grow_with_what_it_sold(empty_url: str, tmp_path: Path) -> None:
    floor = Floor.opened(empty_url, tmp_path, real_clock=True)
    people = {"station-1": floor.writing(WANDA), "station-2": floor.writing(WALT, "B2")}
    with serving(empty_url, tmp_path / "keys") as server:
        sellers = [Seller(server.port, person, name) for name, person in people.items()]
        for seller in sellers:
            seller.start()
        time.sleep(30)  # everything that is read once has been read
        before = server.memory_bytes()
        time.sleep(60 * MINUTES)
        grown = server.memory_bytes() - before
        for seller in sellers:
            seller.stop.set()
            seller.join()
    assert sum(len(seller.told) for seller in sellers) > 1_000
    assert grown < GROWTH_MAX
    floor.check_books()
    floor.close()
