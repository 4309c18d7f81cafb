"""What stands for the whole house, and does not grow with what is sold."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, func, select

from app.store.queries.books.acts import BODY
from app.store.queries.books.rows import StoredCard
from app.store.tables import (
    Card,
    Counter,
    Coupon,
    DayClose,
    Game,
    HoldEnd,
    House,
    HouseSetting,
    LiveTicket,
    LogEntry,
    Printer,
    Resumption,
    Series,
    SignIn,
    Staff,
    Station,
    StationPrinter,
    Ticket,
)

AT_ONCE = 10_000


def founding(connection: Connection) -> dict[str, Any]:
    """Return the terms on which the house was founded, as the log tells them."""
    founded = LogEntry.tag == "HOUSE", LogEntry.body != ""
    found = select(BODY).where(*founded).order_by(LogEntry.id).limit(1)
    told: dict[str, Any] = connection.execute(found).scalar_one()
    return told


def cards(connection: Connection) -> list[StoredCard]:
    """Return every version of the rate card, each with the file that its entry has of it."""
    found = (
        select(Card.id, Card.hash, Card.file, BODY)
        .outerjoin(LogEntry, (LogEntry.id == Card.entry) & (LogEntry.tag == "CARD"))
        .order_by(Card.id)
    )
    return [
        StoredCard(card, digest, file, None if told is None else told["file"])
        for card, digest, file, told in connection.execute(found)
    ]


def first_games(connection: Connection) -> dict[str, int]:
    """Return the number of the first game of each series."""
    found = select(Series.code, Series.first_game)
    return {row.code: row.first_game for row in connection.execute(found)}


@dataclass(frozen=True)
class PersonNow:
    """One of the staff, as their row is."""

    code: str
    name: str
    role: str
    is_disabled: bool
    secret: str
    is_given: bool


@dataclass(frozen=True)
class StationNow:
    """A station, as its row is."""

    code: str
    location: str
    is_disabled: bool
    token: bytes | None


@dataclass(frozen=True)
class SignedIn:
    """Somebody who is signed in: who they are, where, and the digest of their token."""

    staff: str
    station: str
    token: bytes


def people(connection: Connection) -> list[PersonNow]:
    """Return everybody, in the order of their codes."""
    found = select(Staff.__table__).order_by(Staff.code)
    return [
        PersonNow(
            row.code, row.name, row.role, row.disabled_at is not None, row.secret, row.secret_given
        )
        for row in connection.execute(found)
    ]


def stations(connection: Connection) -> list[StationNow]:
    """Return every station, in the order of their codes."""
    found = select(Station.__table__).order_by(Station.code)
    return [
        StationNow(row.code, row.location, row.disabled_at is not None, row.token)
        for row in connection.execute(found)
    ]


def printers(connection: Connection) -> list[tuple[str, int, str, str]]:
    """Return every printer by its code: the entry that it names, its address, its roll."""
    found = select(Printer.code, Printer.entry, Printer.address, Printer.roll)
    return [
        (code, entry, address, roll) for code, entry, address, roll in connection.execute(found)
    ]


def stations_printing(connection: Connection) -> list[tuple[str, int, str]]:
    """Return every station that has a printer: the entry that its row names, and the printer."""
    found = (
        select(Station.code, StationPrinter.entry, Printer.code)
        .join_from(StationPrinter, Station, Station.id == StationPrinter.station)
        .join(Printer, Printer.id == StationPrinter.printer)
    )
    return [(station, entry, printer) for station, entry, printer in connection.execute(found)]


def signed_in(connection: Connection, at: datetime) -> list[SignedIn]:
    """Return whoever was signed in at a moment, and is."""
    found = (
        select(Staff.code, Station.code, SignIn.token)
        .join_from(SignIn, Staff, Staff.id == SignIn.staff)
        .join(Station, Station.id == SignIn.station)
        .where(SignIn.ended_at.is_(None), SignIn.until > at)
        .order_by(SignIn.since, SignIn.token)
    )
    return [SignedIn(*row) for row in connection.execute(found)]


def house_row(connection: Connection) -> dict[str, Any]:
    """Return the house's own row; nothing without one."""
    row = connection.execute(select(House.__table__)).mappings().first()
    return {} if row is None else dict(row)


def series(connection: Connection) -> list[dict[str, Any]]:
    """Return every series, as its row is."""
    rows = connection.execute(select(Series.__table__).order_by(Series.code)).mappings()
    return [dict(row) for row in rows]


def other_live_tickets(connection: Connection) -> list[int]:
    """Return the tickets in the second grader's book that are not what the log sold."""
    found = (
        select(LiveTicket.number)
        .outerjoin(Ticket, Ticket.number == LiveTicket.number)
        .outerjoin(LogEntry, LogEntry.id == Ticket.entry)
        .where(
            LogEntry.id.is_(None)
            | (LogEntry.body != LiveTicket.body)
            | (Ticket.series != LiveTicket.series)
            | (Ticket.first_game != LiveTicket.first_game)
            | (Ticket.last_game < LiveTicket.last_game)
        )
        .order_by(LiveTicket.number)
    )
    return list(connection.execute(found).scalars())


def settings(connection: Connection) -> list[tuple[int, dict[str, Any]]]:
    """Return the entries of what the house has settled for itself, in their order."""
    found = (
        select(LogEntry.id, BODY)
        .join(HouseSetting, HouseSetting.entry == LogEntry.id)
        .where(LogEntry.body != "")
        .order_by(LogEntry.id)
    )
    return [(entry, body) for entry, body in connection.execute(found)]


def closed_days(connection: Connection) -> list[tuple[int, date]]:
    """Return the entry of each close of a day, in their order, and the day."""
    found = select(DayClose.entry, DayClose.day).order_by(DayClose.entry)
    return [(entry, day) for entry, day in connection.execute(found)]


def last_ticket_number(connection: Connection) -> int:
    """Return the number that was given last."""
    found = select(Counter.value).where(Counter.name == "ticket")
    return connection.execute(found).scalar_one()


def resumptions(connection: Connection) -> list[tuple[int, dict[str, Any], int | None]]:
    """Return the entries by which a restored house went on, and those that ended its holds."""
    found = (
        select(LogEntry.id, BODY, HoldEnd.entry)
        .join(Resumption, Resumption.entry == LogEntry.id)
        .outerjoin(HoldEnd, HoldEnd.resumption == Resumption.entry)
        .where(LogEntry.body != "")
        .order_by(LogEntry.id)
    )
    return [(entry, body, ended) for entry, body, ended in connection.execute(found)]


def ticket_numbers(connection: Connection) -> Iterator[list[int]]:
    """Yield the numbers of all tickets in their order, thousands at a time, each as it stands."""
    found = select(Ticket.number).order_by(Ticket.number)
    with connection.execute(found.execution_options(yield_per=AT_ONCE)) as rows:
        for numbers in rows.scalars().partitions():
            yield list(numbers)


def games_in_all(connection: Connection) -> int:
    """Return how many games there are."""
    count: int = connection.execute(select(func.count()).select_from(Game)).scalar_one()
    return count


def coupons_in_use(connection: Connection) -> int:
    """Return how many coupons are spent on a ticket."""
    found = select(func.count()).select_from(Coupon).where(Coupon.ticket.is_not(None))
    count: int = connection.execute(found).scalar_one()
    return count
