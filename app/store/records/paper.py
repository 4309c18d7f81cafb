"""Paper: jobs, the queue of what is to be printed, and what became of it."""

from datetime import datetime

from sqlalchemy import delete, insert, select, update

from app.store.queries.paper import PrinterRow
from app.store.records.together import Row
from app.store.tables import (
    PaperEvent,
    PaperState,
    PrintedPaper,
    Printer,
    PrinterCondition,
    PrintJob,
    QueuedPaper,
    Slip,
    StationPrinter,
)
from app.store.unit import Unit

# What leaves the queue: nothing more becomes of it.
DONE = (PaperState.CONFIRMED, PaperState.SENT, PaperState.NOT_PRINTED)


def paper_rows(station: int, slip: Slip, payload: object, *, bound: int | None = None) -> list[Row]:
    """Return the rows that have a slip printed at a station: its job, and a place in the queue.

    Bound to a printer, it is printed there, whichever printer the station has.
    """
    place = {"copy": 0, "station": station}
    return [
        (PrintJob, {"station": station, "slip": slip.value, "payload": payload}),
        (QueuedPaper, place if bound is None else {**place, "bound": bound}),
    ]


def add_printer(unit: Unit, entry: int, code: str, address: str, roll: str) -> int:
    """Add a printer as an entry of the log says, and return its id."""
    values = {"code": code, "address": address, "roll": roll, "entry": entry}
    added: int = unit.connection.execute(
        insert(Printer).values(values).returning(Printer.id)
    ).scalar_one()
    return added


def change_printer(unit: Unit, entry: int, printer: int, address: str, roll: str) -> None:
    """Have a printer where an entry of the log says, with the paper that it says."""
    changed = update(Printer).where(Printer.id == printer)
    unit.connection.execute(changed.values(address=address, roll=roll, entry=entry))


def use_printer(unit: Unit, entry: int, station: int, printer: int) -> None:
    """Print what a station has printed on the printer that an entry of the log says."""
    moved = update(StationPrinter).where(StationPrinter.station == station)
    if not unit.connection.execute(moved.values(printer=printer, entry=entry)).rowcount:
        values = {"station": station, "printer": printer, "entry": entry}
        unit.connection.execute(insert(StationPrinter).values(values))


def note_condition(unit: Unit, printer: int, near_end: bool, why: str | None) -> None:
    """Note how a printer is from now on."""
    values = {"near_end": near_end, "why": why, "since": unit.now()}
    changed = update(PrinterCondition).where(PrinterCondition.printer == printer)
    if not unit.connection.execute(changed.values(values)).rowcount:
        unit.connection.execute(insert(PrinterCondition).values(printer=printer, **values))


def queue_copy(unit: Unit, entry: int, copy: int, station: int) -> None:
    """Have a paper printed again."""
    values = {"entry": entry, "copy": copy, "station": station}
    unit.connection.execute(insert(QueuedPaper).values(values))


def keep_paper(
    unit: Unit, entry: int, roll: str, data: bytes, digest: bytes, now: datetime
) -> None:
    """Keep the bytes of a paper."""
    values = {"entry": entry, "roll": roll, "data": data, "digest": digest, "made_at": now}
    unit.connection.execute(insert(PrintedPaper).values(values))


def move_paper(
    unit: Unit,
    entry: int,
    copy: int,
    before: PaperState,
    after: PaperState,
    *,
    why: str | None = None,
    kicked: bool = False,
    on: PrinterRow | None = None,
) -> bool:
    """Take a paper of the queue from one state to another, and note it; says whether it was there.

    What is done leaves the queue. What is or was being sent, is on a printer.
    """
    which = (
        QueuedPaper.entry == entry,
        QueuedPaper.copy == copy,
        QueuedPaper.state == before.value,
    )
    if after in DONE:
        moved = unit.connection.execute(delete(QueuedPaper).where(*which)).rowcount
    else:
        again = PaperState.QUEUED if after is PaperState.FAILED else after
        printer = on.id if on is not None and after is PaperState.SENDING else None
        values = {"state": again.value, "why": why, "printer": printer}
        moved = unit.connection.execute(update(QueuedPaper).where(*which).values(values)).rowcount
    if moved:
        add_event(unit, entry, copy, after, why=why, kicked=kicked, on=on)
    return bool(moved)


def ask_about_all(unit: Unit, why: str) -> None:
    """Ask the writers about every paper that waits, or was being sent: it may be there already."""
    for before in (PaperState.QUEUED, PaperState.SENDING):
        waiting = select(QueuedPaper.entry, QueuedPaper.copy)
        waiting = waiting.where(QueuedPaper.state == before.value)
        for entry, copy in unit.connection.execute(waiting).all():
            move_paper(unit, entry, copy, before, PaperState.UNKNOWN, why=why)


def add_event(
    unit: Unit,
    entry: int,
    copy: int,
    state: PaperState,
    *,
    why: str | None = None,
    kicked: bool = False,
    on: PrinterRow | None = None,
) -> None:
    """Note a step of what became of a paper."""
    event = {
        "entry": entry,
        "copy": copy,
        "state": state.value,
        "why": why,
        "kicked": kicked,
        "happened_at": unit.now(),
        "printer": on and on.code,
        "roll": on and on.roll,
    }
    unit.connection.execute(insert(PaperEvent).values(event))


def note_waiting(unit: Unit, entry: int, copy: int, why: str) -> None:
    """Note why the next paper of a printer still waits."""
    which = QueuedPaper.entry == entry, QueuedPaper.copy == copy
    unit.connection.execute(update(QueuedPaper).where(*which).values(why=why))
