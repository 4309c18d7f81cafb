"""Kill -9 of a selling server under load: nothing acknowledged is lost, nothing happens twice."""

from pathlib import Path

import pytest

from tests.floor import WALT, WANDA, Floor
from tests.waiting import until
from tests.web.crash import Seller, ask_again
from tests.web.server import serving

pytestmark = pytest.mark.both_engines

KILLS = 2
SOLD_BETWEEN = 10  # by each, from one kill to the next
PATIENCE = 120.0


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
    """Let each of them sell some tickets."""
    before = [len(seller.told) for seller in sellers]
    until(
        lambda: all(
            len(seller.told) >= sold + SOLD_BETWEEN
            for seller, sold in zip(sellers, before, strict=True)
        ),
        "nothing is sold",
    )
