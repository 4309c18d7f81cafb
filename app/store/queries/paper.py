"""What is to be printed, where, and what became of it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, exists, func, not_, select, union

from app.store.tables import (
    Drawer,
    LogEntry,
    LogPosition,
    Outcome,
    PaperEvent,
    PaperState,
    Posting,
    PrintedPaper,
    Printer,
    PrinterCondition,
    PrintJob,
    QueuedPaper,
    Reprint,
    Slip,
    Station,
    StationPrinter,
    Ticket,
    Void,
)
from app.store.tables.log import IS_STANDING


@dataclass(frozen=True)
class PrinterRow:
    """A printer."""

    id: int
    code: str
    address: str
    roll: str
    entry: int  # of the log, which says so


@dataclass(frozen=True)
class StationPrints:
    """A station, the printer that it has, and the entry of the log that says so."""

    station: str
    location: str
    printer: str
    entry: int


@dataclass(frozen=True)
class PlacingEntry:
    """An entry that says where a printer is, and its leaf as the tree has it."""

    id: int
    salt: bytes
    body: str
    leaf: bytes
    placed: bytes | None


@dataclass(frozen=True)
class Condition:
    """How a printer was when it was last used."""

    near_end: bool
    why: str | None


@dataclass(frozen=True)
class Job:
    """A slip, the act that it is for, and what the log says of that."""

    entry: int
    station: int
    slip: Slip
    payload: Any
    tag: str
    body: str


@dataclass(frozen=True)
class Queued:
    """A paper of the queue."""

    entry: int
    copy: int
    station: int
    station_code: str
    state: PaperState
    why: str | None
    slip: Slip
    payload: Any
    bound: bool = False  # to a printer, whichever its station has


@dataclass(frozen=True)
class Waits:
    """Slips that wait for a printer, or at a station that has none."""

    printer: str | None
    station: str | None  # where there is no printer
    slips: int
    sending: int  # how many of them are being sent
    copy_asked_at: datetime | None  # of the oldest; none: it is the first
    body: str | None  # of the oldest's entry


@dataclass(frozen=True)
class Newest:
    """What became of a paper, or of its newest copy."""

    copy: int
    state: PaperState
    why: str | None


@dataclass(frozen=True)
class Kept:
    """The bytes of a paper as they are kept."""

    roll: str
    data: bytes
    digest: bytes


@dataclass(frozen=True)
class Event:
    """A step of what became of a paper."""

    copy: int
    state: str
    why: str | None
    kicked: bool
    at: datetime
    printer: str | None  # to which it was sent
    roll: str | None


# On which printer a paper of the queue is to come out.
_IN_QUEUE = StationPrinter.station == QueuedPaper.station
_AT = func.coalesce(QueuedPaper.bound, StationPrinter.printer)
EVENTS_MOST = 20_000  # only the newest are read; an older one leaves its ticket without a mark
FINISHED_MOST = 1_000
EVENT = (
    PaperEvent.copy,
    PaperEvent.state,
    PaperEvent.why,
    PaperEvent.kicked,
    PaperEvent.happened_at,
    PaperEvent.printer,
    PaperEvent.roll,
)


_PRINTER = select(Printer.id, Printer.code, Printer.address, Printer.roll, Printer.entry)


def printers(connection: Connection) -> list[PrinterRow]:
    """Return all printers."""
    return [PrinterRow(*row) for row in connection.execute(_PRINTER.order_by(Printer.code))]


def printer_numbered(connection: Connection, printer: int) -> PrinterRow | None:
    """Return a printer as it is now."""
    row = connection.execute(_PRINTER.where(Printer.id == printer)).first()
    return None if row is None else PrinterRow(*row)


def stations_printing(connection: Connection, printer: int | None = None) -> list[StationPrints]:
    """Return the stations that have a printer; those of one printer if it is given."""
    found = (
        select(Station.code, Station.location, Printer.code, StationPrinter.entry)
        .join_from(StationPrinter, Station, Station.id == StationPrinter.station)
        .join(Printer, Printer.id == StationPrinter.printer)
        .order_by(Station.code)
    )
    if printer is not None:
        found = found.where(StationPrinter.printer == printer)
    return [StationPrints(*row) for row in connection.execute(found)]


def placing_entries(connection: Connection, after: int) -> list[PlacingEntry]:
    """Return the entries that say where printers are, behind one of them, in their order."""
    found = (
        select(LogEntry.id, LogEntry.salt, LogEntry.body, LogEntry.leaf, LogPosition.leaf)
        .outerjoin(LogPosition, LogPosition.entry == LogEntry.id)
        .where(IS_STANDING, LogEntry.tag == "PRINTER", LogEntry.body != "", LogEntry.id > after)
        .order_by(LogEntry.id)
    )
    return [PlacingEntry(*row) for row in connection.execute(found)]


def printer_of(connection: Connection, station: int) -> PrinterRow | None:
    """Return the printer of a station."""
    of_station = StationPrinter.printer == Printer.id, StationPrinter.station == station
    found = _PRINTER.where(*of_station)
    row = connection.execute(found).first()
    return None if row is None else PrinterRow(*row)


def condition(connection: Connection, printer: int) -> Condition | None:
    """Return how a printer was when it was last used; none if it never was."""
    found = select(PrinterCondition.near_end, PrinterCondition.why)
    row = connection.execute(found.where(PrinterCondition.printer == printer)).first()
    return None if row is None else Condition(*row)


def job(connection: Connection, entry: int) -> Job | None:
    """Return the slip of an act."""
    found = (
        select(
            PrintJob.entry,
            PrintJob.station,
            PrintJob.slip,
            PrintJob.payload,
            LogEntry.tag,
            LogEntry.body,
        )
        .join(LogEntry, LogEntry.id == PrintJob.entry)
        .where(PrintJob.entry == entry)
    )
    row = connection.execute(found).first()
    if row is None:
        return None
    return Job(row.entry, row.station, Slip(row.slip), row.payload, row.tag, row.body)


def printers_with_paper(connection: Connection) -> set[int]:
    """Return the printers for which something waits, or to which something is being sent."""
    waiting = (
        select(_AT)
        .outerjoin_from(QueuedPaper, StationPrinter, _IN_QUEUE)
        .where(QueuedPaper.state == PaperState.QUEUED.value, _AT.is_not(None))
    )
    sending = select(QueuedPaper.printer).where(
        QueuedPaper.state == PaperState.SENDING.value, QueuedPaper.printer.is_not(None)
    )
    return set(connection.execute(union(waiting, sending)).scalars())


def printers_in_use(connection: Connection) -> set[int]:
    """Return the printers of stations at which a drawer is in use."""
    found = (
        select(StationPrinter.printer)
        .join(Drawer, Drawer.station == StationPrinter.station)
        .where(Drawer.closed_at.is_(None), Drawer.suspended_at.is_(None))
    )
    return set(connection.execute(found).scalars())


def queue_of(connection: Connection, printer: int, most: int) -> list[Queued]:
    """Return what waits for a printer, in its order."""
    waits = QueuedPaper.state == PaperState.QUEUED.value
    return _queue(connection, most, printer == _AT, waits)


def being_sent(connection: Connection, printer: int, most: int) -> list[Queued]:
    """Return what is being sent to a printer, though its station may have another one by now."""
    sending = QueuedPaper.state == PaperState.SENDING.value
    return _queue(connection, most, QueuedPaper.printer == printer, sending)


def queue_at(connection: Connection, station: int, most: int) -> list[Queued]:
    """Return what is not printed yet of a station: first what a person must look at."""
    asks = QueuedPaper.state.in_([PaperState.UNKNOWN.value, PaperState.ASIDE.value])
    here = QueuedPaper.station == station
    asked = _queue(connection, most, here, asks)
    return asked + _queue(connection, most - len(asked), here, not_(asks))


def waiting(connection: Connection, station: int | None = None) -> list[Waits]:
    """Return the slips that wait or are being sent, by printer, those of copies apart.

    What is being sent is at the printer that it is sent to. Of one station if it is given.
    """
    at = func.coalesce(QueuedPaper.printer, _AT)
    without = case((Printer.id.is_(None), Station.code))
    copy = (Reprint.job == QueuedPaper.entry) & (Reprint.copy == QueuedPaper.copy)
    first = func.min(QueuedPaper.entry)
    sending = func.count(case((QueuedPaper.state == PaperState.SENDING.value, 1)))
    found = (
        select(Printer.code, without, func.count(), sending, func.min(Reprint.asked_at), first)
        .select_from(QueuedPaper)
        .join(Station, Station.id == QueuedPaper.station)
        .outerjoin(StationPrinter, StationPrinter.station == QueuedPaper.station)
        .outerjoin(Printer, Printer.id == at)
        .outerjoin(Reprint, copy)
        .where(QueuedPaper.state.in_([PaperState.QUEUED.value, PaperState.SENDING.value]))
        .group_by(Printer.code, without, Reprint.job.is_(None))
        .order_by(Printer.code)
    )
    if station is not None:
        found = found.where(QueuedPaper.station == station)
    rows = connection.execute(found).all()
    said = select(LogEntry.id, LogEntry.body).where(LogEntry.id.in_([row[-1] for row in rows]))
    bodies = {row.id: row.body for row in connection.execute(said)} if rows else {}
    return [
        Waits(printer, at_station, slips, being_sent, copy_asked_at, bodies.get(entry))
        for printer, at_station, slips, being_sent, copy_asked_at, entry in rows
    ]


def newest_finished(connection: Connection) -> dict[str, datetime]:
    """Return when each printer finished a slip last, among the newest events of the house."""
    last = select(func.max(PaperEvent.id)).scalar_subquery()
    finished = [PaperState.CONFIRMED.value, PaperState.SENT.value]
    found = (
        select(PaperEvent.printer, func.max(PaperEvent.happened_at))
        .where(
            PaperEvent.id > last - FINISHED_MOST,
            PaperEvent.state.in_(finished),
            PaperEvent.printer.is_not(None),
        )
        .group_by(PaperEvent.printer)
    )
    return {str(printer): at for printer, at in connection.execute(found)}


def newest_of(connection: Connection, entries: Collection[int]) -> dict[int, Newest]:
    """Return what became lately of some papers, each by its newest copy."""
    last = select(func.max(PaperEvent.id)).scalar_subquery()
    events = (
        select(PaperEvent.entry, PaperEvent.copy, PaperEvent.state, PaperEvent.why)
        .where(PaperEvent.entry.in_(entries), PaperEvent.id > last - EVENTS_MOST)
        .order_by(PaperEvent.id)
    )
    queue = select(QueuedPaper.entry, QueuedPaper.copy, QueuedPaper.state, QueuedPaper.why).where(
        QueuedPaper.entry.in_(entries)
    )
    found: dict[int, Newest] = {}
    # What is in the queue counts for more than the last thing that was noted of it.
    for entry, copy, state, why in (*connection.execute(events), *connection.execute(queue)):
        if entry not in found or copy >= found[entry].copy:
            found[entry] = Newest(copy, PaperState(state), why)
    return found


def asked_about(connection: Connection, most: int) -> list[Queued]:
    """Return the papers of the house at which a person must look, the oldest first."""
    asks = QueuedPaper.state.in_([PaperState.UNKNOWN.value, PaperState.ASIDE.value])
    return _queue(connection, most, asks)


def queued(connection: Connection, entry: int, copy: int) -> Queued | None:
    """Return a paper of the queue."""
    found = _queue(connection, 1, QueuedPaper.entry == entry, QueuedPaper.copy == copy)
    return found[0] if found else None


def newest_queued(connection: Connection, entry: int) -> Queued | None:
    """Return the newest of a paper and its copies that is in the queue."""
    found = _queue(connection, 1_000, QueuedPaper.entry == entry)
    return found[-1] if found else None


def kept_papers(connection: Connection, entry: int) -> dict[str, Kept]:
    """Return the bytes of a paper by the width for which they were made, the newest last."""
    found = (
        select(PrintedPaper.roll, PrintedPaper.data, PrintedPaper.digest)
        .where(PrintedPaper.entry == entry)
        .order_by(PrintedPaper.made_at)
    )
    return {row.roll: Kept(*row) for row in connection.execute(found)}


def events(connection: Connection, entry: int) -> list[Event]:
    """Return what became of a paper and its copies, in order."""
    found = select(*EVENT).where(PaperEvent.entry == entry).order_by(PaperEvent.id)
    return [Event(*row) for row in connection.execute(found)]


def sent_as(connection: Connection, entry: int, copy: int) -> Event | None:
    """Return how a paper was sent, the last time that it was."""
    found = (
        select(*EVENT)
        .where(
            PaperEvent.entry == entry,
            PaperEvent.copy == copy,
            PaperEvent.state == PaperState.SENDING.value,
        )
        .order_by(PaperEvent.id.desc())
        .limit(1)
    )
    row = connection.execute(found).first()
    return None if row is None else Event(*row)


def copies(connection: Connection, entry: int) -> int:
    """Return how often a paper was printed again."""
    found = select(func.count()).select_from(Reprint).where(Reprint.job == entry)
    count: int = connection.execute(found).scalar_one()
    return count


def ticket_was_reprinted(connection: Connection, ticket: int) -> bool:
    """Whether there is more than one paper of a ticket."""
    found = (
        select(Reprint.copy)
        .join(Ticket, Ticket.entry == Reprint.job)
        .where(Ticket.number == ticket)
        .limit(1)
    )
    return connection.execute(found).first() is not None


def copies_of_ticket(connection: Connection, ticket: int) -> list[datetime]:
    """Return when each copy of a ticket's paper was asked for."""
    found = (
        select(Reprint.asked_at)
        .join(Ticket, Ticket.entry == Reprint.job)
        .where(Ticket.number == ticket)
        .order_by(Reprint.copy)
    )
    return list(connection.execute(found).scalars())


def newest_copy_of(connection: Connection, ticket: int) -> int | None:
    """Return the act that made the newest copy of a ticket's paper."""
    found = (
        select(func.max(Reprint.entry))
        .join(Ticket, Ticket.entry == Reprint.job)
        .where(Ticket.number == ticket)
    )
    return connection.execute(found).scalar_one_or_none()


def was_copied_behind_its_draw(connection: Connection, ticket: int) -> bool:
    """Whether a copy of a ticket was made when its first game had ended already."""
    found = (
        select(Reprint.entry)
        .join(Ticket, Ticket.entry == Reprint.job)
        .join(Outcome, (Outcome.series == Ticket.series) & (Outcome.game == Ticket.first_game))
        .where(Ticket.number == ticket, Reprint.entry > Outcome.entry)
    )
    return connection.execute(found.limit(1)).first() is not None


def paper_of_ticket(connection: Connection, ticket: int) -> int | None:
    """Return the act whose paper is the ticket itself."""
    found = select(Ticket.entry).where(Ticket.number == ticket)
    return connection.execute(found).scalar_one_or_none()


def voided_at(connection: Connection, paper: Job | Queued) -> datetime | None:
    """Return when the ticket was voided that a paper is; none of any other paper."""
    if paper.slip is not Slip.TICKET:
        return None
    found = select(Void.voided_at).where(Void.ticket == paper.payload["ticket"])
    return connection.execute(found).scalar_one_or_none()


def moves_cash(connection: Connection, entry: int) -> bool:
    """Whether an act moved anything in a drawer."""
    found = select(exists().where(Posting.entry == entry, Posting.drawer.is_not(None)))
    moved: bool = connection.execute(found).scalar_one()
    return moved


def _queue(connection: Connection, most: int, *which: Any) -> list[Queued]:  # noqa: ANN401  conditions
    found = (
        select(
            QueuedPaper.entry,
            QueuedPaper.copy,
            QueuedPaper.station,
            Station.code,
            QueuedPaper.state,
            QueuedPaper.why,
            PrintJob.slip,
            PrintJob.payload,
            QueuedPaper.bound.is_not(None),
        )
        .join(PrintJob, PrintJob.entry == QueuedPaper.entry)
        .join(Station, Station.id == QueuedPaper.station)
        .outerjoin(StationPrinter, _IN_QUEUE)
        .where(*which)
        .order_by(QueuedPaper.entry, QueuedPaper.copy)
        .limit(most)
    )
    return [
        Queued(entry, copy, station, code, PaperState(state), why, Slip(slip), about, bool(bound))
        for entry, copy, station, code, state, why, slip, about, bound in connection.execute(found)
    ]
