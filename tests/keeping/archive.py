"""Helpers of `test_archive` that other tests use too."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from sqlalchemy import text

from app.audit.archives import Shelf, read_archive
from app.audit.books import check_books
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.archive import Archived, archive_before
from app.flow.close_day import close_day
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.retention import set_retention
from app.flow.seal import seal_log
from app.flow.spool import next_paper, note_ending
from app.keno.drawer import Count
from app.keno.retention import PERIODS, RecordKind
from app.keno.tender import TenderKind
from app.store import archiving
from app.store.database import Database
from app.store.tables import PaperState
from printers.press import Press
from tests.floor import MAX, SAM, Floor, secret_of
from tests.keeping.evening import RICH, every
from tests.looking import rows

FIRST_DAY, NEXT_DAY = date(2026, 11, 16), date(2026, 11, 17)


def two(floor: Floor) -> tuple[Actor, Actor]:
    sam, max_ = (
        at_console(floor.office, name, secret_of(name), Permission.HOUSE_KEEP)
        for name in (SAM, MAX)
    )
    return sam, max_


@contextmanager
def way_into(floor: Floor) -> Iterator[Database | None]:
    """The way of whoever archives: on PostgreSQL the house works under a role that owns nothing."""
    if floor.office.database.is_sqlite:
        yield None
        return
    owner = Database(floor.office.database.url.render_as_string(hide_password=False))
    owner.clock = floor.office.database.clock
    house = floor.office.database
    with owner.writing() as connection:
        connection.execute(
            text(
                "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'keno_house') "
                "THEN CREATE ROLE keno_house LOGIN; END IF; END $$"
            )
        )
        connection.execute(
            text(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO keno_house"
            )
        )
        connection.execute(
            text("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO keno_house")
        )
        connection.commit()
    floor.office.database = Database(house.url.set(username="keno_house").render_as_string())
    floor.office.database.clock = house.clock
    try:
        yield owner
    finally:
        floor.office.database.close()
        floor.office.database = house
        owner.close()


def first_day(floor: Floor) -> None:
    """A day that is paid and printed in full, after which nothing is kept longer than it must."""
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    numbers = [floor.sell(wanda, every())["number"] for _ in range(3)]
    floor.sell(wanda)
    floor.void(wanda, 4)
    floor.play()
    for number in numbers:
        paying = Paying(number, floor.code(number))
        pay_ticket(floor.office, wanda, paying, floor.request_id())
    floor.close_drawer(wanda, 1, Count({TenderKind.CURRENCY: 10_000_000}))
    printer = floor.printer_at("B1")
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        note_ending(floor.office, sending, PaperState.CONFIRMED, None)
    for kind in RecordKind:
        least = PERIODS[kind].least
        set_retention(floor.office, *two(floor), kind, least)


def a_year_later(floor: Floor) -> None:
    """Close the first day, and wait for more than a year."""
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    floor.pass_time(days=400)
    seal_log(floor.office)


def archive(floor: Floor, file: Path, before: date = NEXT_DAY) -> Archived:
    with way_into(floor) as way:
        return archive_before(floor.office, way, *two(floor), before, file)


def checked(floor: Floor, *files: Path) -> dict[str, list[str]]:
    """What the books find, with archives at hand."""
    with floor.office.database.reading(at_length=True) as connection:
        at_hand = Shelf([read_archive(file) for file in files])
        found = check_books(connection, *floor.books_keys, at_hand)
    return {name: [fault.message for fault in faults] for name, faults in found.items() if faults}


def guards(floor: Floor) -> set[tuple[object, ...]]:
    """Every trigger of the database, and that it is in force."""
    if floor.office.database.is_sqlite:
        return set(rows(floor, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    return set(rows(floor, "SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal"))


def archive_there(floor: Floor, file: Path) -> Archived:
    """Archive in a process that dies; whether there is a way is looked at by other tests."""
    if floor.office.database.is_sqlite:
        return archive(floor, file)
    setattr(archiving, "check_way", lambda *_: None)  # noqa: B010  in the other process only
    return archive_before(floor.office, floor.office.database, *two(floor), NEXT_DAY, file)
