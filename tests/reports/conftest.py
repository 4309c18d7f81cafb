"""A house that has worked some days, on each engine: made once, and looked at by many tests."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from app.flow.access import Credentials, at_console, sign_in
from app.flow.books import record_books, work_out_books
from app.flow.house_settings import change_setting
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.flow.reprint import Again, reprint
from app.flow.sell import Sale
from app.flow.spool import next_paper, note_ending
from app.flow.void import Voiding, void_ticket
from app.keno.drawer import Count, counted_cents
from app.keno.house_settings import Setting
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import TenderKind
from app.store.queries import games
from printers.press import Press
from tests.engines import ENGINES
from tests.floor import FIRST_STATION, MAX, SAM, SECOND_STATION, WALT, Floor, secret_of
from tests.lending import address, drop_database, new_database
from tests.looking import rows
from tests.proof.paying_days import BILLS, FIRST_DAY, House

PIECES = {10_000: 3, 2_000: 5}
PIECES_CENTS = counted_cents(PIECES)


@dataclass(frozen=True)
class Worked:
    """A house and the days that it has worked; all but the last are closed."""

    floor: Floor
    house: House
    first: date
    last: date

    def rows(self, statement: str, **named: object) -> list[tuple[Any, ...]]:
        """Rows of the database, for sums that have nothing to do with the log."""
        return rows(self.floor, statement, **named)

    def one(self, statement: str, **named: object) -> int:
        """The one number that a statement comes to; none is nothing."""
        ((value,),) = self.rows(statement, **named)
        return int(str(value or 0))


@pytest.fixture(scope="session", params=ENGINES)
def worked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worked]:
    """A house with two closed days of every kind of act, and a third that is not over."""
    folder = tmp_path_factory.mktemp("worked")
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else ""
    name = new_database(server) if server else ""
    url = address(server, name) if server else f"sqlite:///{folder / 'keno.db'}"
    floor = Floor.opened(url, folder)
    house = House(floor, 1)
    house.work_a_day()
    _odd_acts(floor, house)
    house.work_a_day()
    _begin_a_day(floor, house)
    yield Worked(floor, house, FIRST_DAY + timedelta(days=1), FIRST_DAY + timedelta(days=2))
    floor.close()
    if server:
        drop_database(server, name)


def _odd_acts(floor: Floor, house: House) -> None:
    """Have the house set something, and somebody try a wrong secret, on its second day."""
    max_ = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    change_setting(floor.office, floor.sam, max_, Setting.VOID_PERCENT, 1)
    with pytest.raises(Refused, match="secret is wrong"):
        sign_in(floor.office, floor.station(FIRST_STATION), SAM, "wrong")
    with floor.office.database.reading() as connection:
        game = games.open_game(connection, "M")
    assert game is not None
    closes = floor.moment[0] + timedelta(hours=3)
    override_close(floor.office, floor.sam, "M", game.number, closes, "the lounge is empty")
    override_close(floor.office, floor.sam, "M", game.number, None, "or not")
    # On the pages bills and coins are counted by denomination.
    walt = floor.signed_in(WALT, SECOND_STATION)
    counted = Count({TenderKind.CURRENCY: PIECES_CENTS}, {TenderKind.CURRENCY: PIECES})
    opened = floor.open_drawer(walt, counted)
    floor.close_drawer(walt, opened["drawer"], counted)
    record_books(floor.office, work_out_books(floor.office))
    house.kinds["odd"] += 1


def _begin_a_day(floor: Floor, house: House) -> None:
    """Sell, void and copy on a day that is not closed afterwards."""
    house.day += timedelta(days=1)
    wanda = floor.writing()
    sold = [floor.sell(wanda, Sale("M", Request(((1, 2),), "1/2 @ 1.00"), BILLS)) for _ in range(3)]
    _void(floor, wanda, sold[0]["number"])
    printer = floor.printer_at(FIRST_STATION)
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        note_ending(floor.office, sending, "confirmed", None)
    again = Again("it was torn", ticket=sold[1]["number"])
    reprint(floor.office, wanda, again, floor.request_id())


def _void(floor: Floor, wanda: Credentials, number: int) -> None:
    voiding = Voiding(number, "changed mind", floor.code(number))
    void_ticket(floor.office, wanda, voiding, floor.request_id())
