"""Paper: jobs, the queue of what is to be printed, and what became of it."""

from datetime import datetime

from sqlalchemy import delete, insert, update

from app.store.records.together import Row
from app.store.tables import (
    PaperEvent,
    PaperState,
    PrintedPaper,
    Printer,
    PrintJob,
    QueuedPaper,
    Slip,
    StationPrinter,
)
from app.store.unit import Unit


def paper_rows(station: int, slip: Slip, payload: object) -> list[Row]:
    """Return the rows that have a slip printed at a station: its job, and a place in the queue."""
    return [
        (PrintJob, {"station": station, "slip": slip.value, "payload": payload}),
        (QueuedPaper, {"copy": 0, "station": station}),
    ]


def add_printer(unit: Unit, code: str, address: str, roll: str) -> int:
    """Add a printer, and return its id."""
    values = {"code": code, "address": address, "roll": roll}
    added: int = unit.connection.execute(
        insert(Printer).values(values).returning(Printer.id)
    ).scalar_one()
    return added


def change_printer(unit: Unit, printer: int, address: str, roll: str) -> None:
    """Have a printer reached elsewhere, or with other paper, from now on."""
    changed = update(Printer).where(Printer.id == printer)
    unit.connection.execute(changed.values(address=address, roll=roll))


def use_printer(unit: Unit, station: int, printer: int) -> None:
    """Print what a station has printed on a printer, from now on."""
    moved = update(StationPrinter).where(StationPrinter.station == station)
    if not unit.connection.execute(moved.values(printer=printer)).rowcount:
        values = {"station": station, "printer": printer}
        unit.connection.execute(insert(StationPrinter).values(values))


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
) -> bool:
    """Take a paper of the queue from one state to another, and note it; says whether it was there.

    What is done leaves the queue.
    """
    which = (
        QueuedPaper.entry == entry,
        QueuedPaper.copy == copy,
        QueuedPaper.state == before.value,
    )
    done = after in (PaperState.CONFIRMED, PaperState.SENT, PaperState.NOT_PRINTED)
    again = PaperState.QUEUED if after is PaperState.FAILED else after
    if done:
        moved = unit.connection.execute(delete(QueuedPaper).where(*which)).rowcount
    else:
        values = {"state": again.value, "why": why}
        moved = unit.connection.execute(update(QueuedPaper).where(*which).values(values)).rowcount
    if moved:
        event = {
            "entry": entry,
            "copy": copy,
            "state": after.value,
            "why": why,
            "kicked": kicked,
            "happened_at": unit.now(),
        }
        unit.connection.execute(insert(PaperEvent).values(event))
    return bool(moved)
