"""What is to be printed, where, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, exists, func, select

from app.store.tables import (
    LogEntry,
    PaperEvent,
    PaperState,
    Posting,
    PrintedPaper,
    Printer,
    PrintJob,
    QueuedPaper,
    Reprint,
    Slip,
    Station,
    StationPrinter,
    Ticket,
)


@dataclass(frozen=True)
class PrinterRow:
    """A printer."""

    id: int
    code: str
    address: str
    roll: str


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


def printers(connection: Connection) -> list[PrinterRow]:
    """Return all printers."""
    found = select(Printer.id, Printer.code, Printer.address, Printer.roll).order_by(Printer.code)
    return [PrinterRow(*row) for row in connection.execute(found)]


def printer_of(connection: Connection, station: int) -> PrinterRow | None:
    """Return the printer of a station."""
    found = (
        select(Printer.id, Printer.code, Printer.address, Printer.roll)
        .join(StationPrinter, StationPrinter.printer == Printer.id)
        .where(StationPrinter.station == station)
    )
    row = connection.execute(found).first()
    return None if row is None else PrinterRow(*row)


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


def queue_of(connection: Connection, printer: int, state: PaperState, most: int) -> list[Queued]:
    """Return papers of a printer's queue that are in a state, in their order."""
    return _queue(
        connection,
        most,
        StationPrinter.printer == printer,
        QueuedPaper.state == state.value,
    )


def queue_at(connection: Connection, station: int, most: int) -> list[Queued]:
    """Return what is not printed yet of a station, in its order."""
    return _queue(connection, most, QueuedPaper.station == station)


def queued(connection: Connection, entry: int, copy: int) -> Queued | None:
    """Return a paper of the queue."""
    found = _queue(connection, 1, QueuedPaper.entry == entry, QueuedPaper.copy == copy)
    return found[0] if found else None


def kept_paper(connection: Connection, entry: int) -> Kept | None:
    """Return the bytes of a paper, if it was ever sent."""
    found = select(PrintedPaper.roll, PrintedPaper.data, PrintedPaper.digest)
    row = connection.execute(found.where(PrintedPaper.entry == entry)).first()
    return None if row is None else Kept(*row)


def events(connection: Connection, entry: int) -> list[Event]:
    """Return what became of a paper and its copies, in order."""
    found = (
        select(
            PaperEvent.copy,
            PaperEvent.state,
            PaperEvent.why,
            PaperEvent.kicked,
            PaperEvent.happened_at,
        )
        .where(PaperEvent.entry == entry)
        .order_by(PaperEvent.id)
    )
    return [Event(*row) for row in connection.execute(found)]


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


def paper_of_ticket(connection: Connection, ticket: int) -> int | None:
    """Return the act whose paper is the ticket itself."""
    found = select(Ticket.entry).where(Ticket.number == ticket)
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
        )
        .join(PrintJob, PrintJob.entry == QueuedPaper.entry)
        .join(Station, Station.id == QueuedPaper.station)
        .outerjoin(StationPrinter, StationPrinter.station == QueuedPaper.station)
        .where(*which)
        .order_by(QueuedPaper.entry, QueuedPaper.copy)
        .limit(most)
    )
    return [
        Queued(entry, copy, station, code, PaperState(state), why, Slip(slip), payload)
        for entry, copy, station, code, state, why, slip, payload in connection.execute(found)
    ]
