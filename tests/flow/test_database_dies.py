"""Kill -9 of PostgreSQL itself at every statement of a game, from its lock to its certification.

Each game is called while the server loses its power at one place: before its first statement, its
second, and so on, and before and after each commit. The server is started again, and the game is
called again, as the caller does turn after turn: there is one draw of it, with the same wins. In
`make test` at every twelfth place, in `make proof` at each.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from app.flow.actor import Actor
from app.flow.draw import end_game
from app.flow.lockout import lock_game
from app.flow.sell import Sale
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.unit import CommitUnknown, Unit
from tests.depth import IS_PROOF
from tests.floor import Floor
from tests.lending import address, new_database
from tests.looking import rows
from tests.postgres import Server, mortal_server

ONES = Request(tuple((n,) for n in range(1, 41)), "40/1 @ 1.00", games=2)
STEP = 1 if IS_PROOF else 12
BILLS = (Tender(TenderKind.CURRENCY, 10_000),)


@dataclass
class Outage:
    """Counts the places at which the server can die, and kills it at one of them."""

    server: Server
    point: int
    passed: "count[int]" = field(default_factory=count)
    came: bool = False

    def place(self, *_: object) -> None:
        if next(self.passed) == self.point:
            self.came = True
            self.server.kill()

    @contextmanager
    def over(self, floor: Floor) -> Iterator[None]:
        """Have the server die at its place, if it is reached, and start it again."""
        engine, commit = floor.office.database.engine, Unit.commit

        def between(unit: Unit) -> None:
            self.place()
            commit(unit)
            self.place()

        event.listen(engine, "before_cursor_execute", self.place)
        setattr(Unit, "commit", between)  # noqa: B010  put back below
        try:
            yield
        except (DBAPIError, CommitUnknown):
            assert self.came
        finally:
            setattr(Unit, "commit", commit)  # noqa: B010
            event.remove(engine, "before_cursor_execute", self.place)
        if self.came:
            gc.collect()  # what the lost connection has left open
            self.server.start()


# The driver cannot close a cursor whose server is gone, and complains that nobody did.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.rule("X-recovery", "X-draw-once", "X-lock-server", "X-grade-twice", "15.5(d)")
def test_a_game_whose_database_is_killed_anywhere_has_one_draw_and_the_same_wins(
    tmp_path: Path,
) -> None:
    with mortal_server() as server:
        floor = Floor.opened(address(server.url, new_database(server.url)), tmp_path)
        wanda, sam = floor.writing(), floor.sam
        for number, point in enumerate(count(step=STEP), start=1):
            floor.sell(wanda, Sale("M", ONES, BILLS))
            outage = Outage(server, point)
            with outage.over(floor):
                call(floor, sam, number)
            assert outage.came or floor.state(number) == "certified"
            call(floor, sam, number)
            assert floor.state(number) == "certified"
            if not outage.came:
                break
        assert point > 40
        floor.check_books()
        drawn = rows(floor, "SELECT game, count(*) FROM outcome GROUP BY game ORDER BY game")
        assert drawn == [(game, 1) for game in range(1, number + 1)]
        assert floor.keyed.started.kinds("rng").count("DRAWN") == number
        floor.close()


def call(floor: Floor, sam: Actor, number: int) -> None:
    """Call a game from its lock to its certification, from wherever it is."""
    try:
        lock_game(floor.office, sam, "M", number)
    except Refused as no:
        assert no.refusals[0].code == "game.locked"
    end_game(floor.office, floor.two_keys, "M", number)
    floor.grade(number)
