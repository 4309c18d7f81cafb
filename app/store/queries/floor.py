"""The floor at a glance: stations, people, printers, and what waits for somebody."""

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Connection, exists, func, not_, select

from app.keno.game import OVER
from app.store.tables import (
    Cancellation,
    DayClose,
    Drawer,
    Game,
    GameState,
    LogEntry,
    Payout,
    Presentation,
    Printer,
    PrinterCondition,
    QueuedPaper,
    Refund,
    SignIn,
    Staff,
    Station,
    StationPrinter,
    Ticket,
    Void,
)

LOOKED_AT = 5_000  # entries of the log, from the newest back


@dataclass(frozen=True)
class StationSeen:
    """A station, who is signed in there, and the drawer in use."""

    code: str
    location: str
    enrolled: bool
    disabled: bool
    person: str | None
    drawer: int | None


@dataclass(frozen=True)
class PersonSeen:
    """One of the staff."""

    code: str
    name: str
    role: str
    disabled: bool
    secret_given: bool  # they have not chosen one of their own yet


@dataclass(frozen=True)
class PrinterSeen:
    """A printer, how it was last, and how many papers wait for it."""

    code: str
    address: str
    roll: str
    near_end: bool
    why: str | None
    waiting: int


@dataclass(frozen=True)
class Waiting:
    """A ticket that was brought and not paid yet, and what was missing."""

    ticket: int
    why: str
    station: str
    writer: str
    at: datetime


@dataclass(frozen=True)
class Happened:
    """An entry of the log that a supervisor should know of."""

    id: int
    tag: str
    body: str


def stations(connection: Connection, now: datetime) -> list[StationSeen]:
    """Return every station, with who is signed in there last."""
    person = (
        select(Staff.name)
        .join(SignIn, SignIn.staff == Staff.id)
        .where(SignIn.station == Station.id, SignIn.ended_at.is_(None), SignIn.until > now)
        .order_by(SignIn.since.desc())
        .limit(1)
        .scalar_subquery()
    )
    drawer = (
        select(Drawer.id)
        .where(
            Drawer.station == Station.id,
            Drawer.closed_at.is_(None),
            Drawer.suspended_at.is_(None),
        )
        .limit(1)
        .scalar_subquery()
    )
    found = select(
        Station.code,
        Station.location,
        Station.token.is_not(None),
        Station.disabled_at.is_not(None),
        person,
        drawer,
    ).order_by(Station.code)
    return [StationSeen(*row) for row in connection.execute(found)]


def staff(connection: Connection) -> list[PersonSeen]:
    """Return all of the staff."""
    found = select(
        Staff.code, Staff.name, Staff.role, Staff.disabled_at.is_not(None), Staff.secret_given
    )
    return [PersonSeen(*row) for row in connection.execute(found.order_by(Staff.name))]


def printers(connection: Connection) -> list[PrinterSeen]:
    """Return every printer."""
    waiting = (
        select(func.count())
        .select_from(QueuedPaper)
        .outerjoin(StationPrinter, StationPrinter.station == QueuedPaper.station)
        .where(func.coalesce(QueuedPaper.bound, StationPrinter.printer) == Printer.id)
        .scalar_subquery()
    )
    found = (
        select(
            Printer.code,
            Printer.address,
            Printer.roll,
            func.coalesce(PrinterCondition.near_end, False),
            PrinterCondition.why,
            waiting,
        )
        .outerjoin(PrinterCondition, PrinterCondition.printer == Printer.id)
        .order_by(Printer.code)
    )
    return [PrinterSeen(*row) for row in connection.execute(found)]


def waiting_tickets(connection: Connection, most: int) -> list[Waiting]:
    """Return the tickets that were brought and are not paid, the newest first."""
    found = (
        select(
            Presentation.ticket,
            Presentation.why,
            Station.code,
            Staff.code,
            Presentation.presented_at,
        )
        .join(Station, Station.id == Presentation.station)
        .join(Staff, Staff.id == Presentation.staff)
        .outerjoin(Payout, Payout.ticket == Presentation.ticket)
        .where(Payout.ticket.is_(None))
        .order_by(Presentation.presented_at.desc())
        .limit(most)
    )
    return [Waiting(*row) for row in connection.execute(found)]


def games_on_their_way(connection: Connection, most: int) -> list[tuple[str, int, str]]:
    """Return the games that are locked and not decided, with their states, the newest first."""
    over = [state.value for state in OVER]
    found = (
        select(Game.series, Game.number, Game.state)
        .where(Game.state.not_in([*over, GameState.OPEN.value]))
        .order_by(Game.number.desc())
        .limit(most)
    )
    return [(series, number, state) for series, number, state in connection.execute(found)]


def newest_tagged(connection: Connection, tags: list[str], most: int) -> list[Happened]:
    """Return the newest entries with some tags, among the last few thousand of the log."""
    last = select(func.max(LogEntry.id)).scalar_subquery()
    found = (
        select(LogEntry.id, LogEntry.tag, LogEntry.body)
        .where(LogEntry.id > last - LOOKED_AT, LogEntry.tag.in_(tags), LogEntry.body != "")
        .order_by(LogEntry.id.desc())
        .limit(most)
    )
    return [Happened(*row) for row in connection.execute(found)]


def refunds_due(connection: Connection, most: int) -> list[tuple[str, int, int]]:
    """Return the newest void games, each with how many tickets are not refunded for it yet."""
    plays = (Ticket.series == Game.series) & Game.number.between(
        Ticket.first_game, Ticket.last_game
    )
    gone = (
        exists().where(Void.ticket == Ticket.number)
        | exists().where(
            Cancellation.ticket == Ticket.number, Cancellation.first_cancelled <= Game.number
        )
        | exists().where(Refund.ticket == Ticket.number, Refund.game == Game.number)
    )
    due = select(func.count()).select_from(Ticket).where(plays, not_(gone)).correlate(Game)
    found = (
        select(Game.series, Game.number, due.scalar_subquery())
        .where(Game.state == GameState.VOID.value)
        .order_by(Game.locked_at.desc())
        .limit(most)
    )
    return [(series, number, count) for series, number, count in connection.execute(found)]


def last_closed_day(connection: Connection) -> date | None:
    """Return the last gaming day that was closed."""
    day: date | None = connection.execute(select(func.max(DayClose.day))).scalar_one()
    return day
