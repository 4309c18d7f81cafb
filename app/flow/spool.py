"""Paper on its way: from the queue to the printer, and what became of it.

A paper is sent once. Whether it came out is what the printer says; where it does not say, the
writer is asked. Whatever may be on paper already is never printed again but as a copy, under a
band that says so.

A slip has the code of a ticket on it. Nothing is sent to a printer whose row is not what the log
says (`placements`): that is looked at before it is connected to, and again in the transaction that
takes a slip.

Write order of a paper:

1. The printer is asked whether it can print. *If not, why is noted, and the paper waits.*
2. One transaction: its bytes are kept, and it is marked as being sent. *Crash before: it is sent by
   whoever looks next. Crash after: nobody knows whether it was sent, so the writer is asked.*
3. It is sent.
4. One transaction: what became of it.
"""

import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.codes import validation_code
from app.flow.lease import Held
from app.flow.office import Office
from app.flow.placements import Strayed
from app.flow.slips import slip_of
from app.logs import Voice
from app.store.queries import keeping, tickets
from app.store.queries import paper as queries
from app.store.queries.paper import Condition, Job, Kept, PrinterRow, Queued
from app.store.records import paper as records
from app.store.tables import PaperState, Slip
from app.store.unit import Unit
from printers import slips

AT_ONCE = 50
# A drawer that opens long after the act would open by itself, as far as anybody there can tell.
OPENS_WITHIN = timedelta(minutes=1)
MOVED = "The printer is not where the log says it is."
log = Voice("keno.spooler")


class PrinterMoved(Exception):  # noqa: N818  the row was changed, and nothing is sent
    """The row of a printer, or of a station that prints on it, is not what the log says."""


class Press(Protocol):
    """What makes bytes of a slip; the spooler brings it."""

    kick: bytes

    def make(self, slip: slips.Slip, roll: str) -> bytes:
        """Return the bytes of a slip, with fillers for the code."""

    def with_code(self, data: bytes, number: int, code: str) -> bytes:
        """Return the bytes with the code of a ticket in them."""

    def band(self, copy: int, roll: str) -> bytes:
        """Return what is printed above a copy."""


@dataclass(frozen=True)
class Sending:
    """A paper that is about to be sent: its true bytes, and whether they open the cash drawer."""

    printer: PrinterRow
    entry: int
    copy: int
    data: bytes
    kicks: bool


def all_printers(office: Office) -> list[PrinterRow]:
    """Return the printers of the house, as they are now."""
    with office.database.reading() as connection:
        return queries.printers(connection)


def strayed_printers(office: Office) -> list[Strayed]:
    """Return every printer and station whose row is not what the log says."""
    with office.database.reading() as connection:
        return office.placements.strayed(connection)


def note_strayed(office: Office, strayed: Strayed) -> None:
    """Write into the log that a printer is not where it says, and where it was found."""
    with office.unit() as unit:
        body = {
            "printer": strayed.printer,
            "station": strayed.station,
            "found": strayed.found,
            "logged": strayed.logged,
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.PRINTER_MOVED, body)
        unit.commit()


def printers_with_paper(office: Office) -> set[int]:
    """Return the printers on which something waits to be printed, or is being sent."""
    with office.database.reading() as connection:
        return queries.printers_with_paper(connection)


def printers_in_use(office: Office) -> set[int]:
    """Return the printers of stations with an open drawer."""
    with office.database.reading() as connection:
        return queries.printers_in_use(connection)


def interrupted(office: Office, printer: PrinterRow, lease: Held | None = None) -> bool:
    """Ask the writers about papers whose sender stopped on the way; whether there were any.

    Raises:
        LeaseLost: another spooler has taken the printer over, and may well be sending.
    """
    with office.database.reading() as connection:
        if not queries.being_sent(connection, printer.id, 1):
            return False
    with office.unit() as unit:
        if lease is not None:
            lease.check(unit)
        for each in queries.being_sent(unit.connection, printer.id, AT_ONCE):
            _ask_about(unit, each, printer)
        unit.commit()
    return True


def _ask_about(unit: Unit, each: Queued, printer: PrinterRow) -> None:
    """Ask about a paper whose sender stopped; what it was sent with was noted before it was."""
    sent = queries.sent_as(unit.connection, each.entry, each.copy)
    if sent is None:
        raise LookupError("a paper is being sent, and nobody began to")
    on = replace(printer, roll=sent.roll) if sent.roll else None
    why = "The spooler stopped while it was being printed."
    _move(unit, each.entry, each.copy, PaperState.UNKNOWN, why, kicked=sent.kicked, on=on)


def next_paper(
    office: Office, printer: PrinterRow, press: Press, lease: Held | None = None
) -> Sending | None:
    """Take the next paper of a printer's queue, and mark it as being sent; none if none waits.

    None either where the printer was set elsewhere since it was read: it is looked at again.

    Raises:
        LeaseLost: another spooler has taken the printer over.
        PrinterMoved: it is not where the log says.
    """
    with office.unit() as unit:
        if lease is not None:
            lease.check(unit)
        if keeping.incomplete(unit.connection) is not None:
            return None  # a restored house: it may all have come out already (X-recovery)
        found = _next_waiting(unit, printer)
        if found is None:
            unit.commit()
            return None
        waiting, job = found
        if not _is_placed(office, unit, printer, waiting):
            return None
        entry, copy = waiting.entry, waiting.copy
        try:
            data = _true_bytes(office, unit, job, waiting, printer.roll, press)
        except (LookupError, TypeError, ValueError):  # of the slip, not of a database
            log.exception("paper.not_made", paper=entry)
            why = "This paper cannot be made; call a supervisor."
            records.move_paper(unit, entry, copy, PaperState.QUEUED, PaperState.ASIDE, why=why)
            unit.commit()
            return None
        kicks = copy == 0 and _is_fresh(unit, job) and queries.moves_cash(unit.connection, entry)
        before, after = PaperState.QUEUED, PaperState.SENDING
        if not records.move_paper(unit, entry, copy, before, after, kicked=kicks, on=printer):
            return None  # another took it
        _note_working(unit, printer.id)  # or the slip would count as stopped by an old trouble
        unit.commit()
    return Sending(printer, entry, copy, press.kick + data if kicks else data, kicks)


def _is_placed(office: Office, unit: Unit, printer: PrinterRow, waiting: Queued) -> bool:
    """Whether a printer is connected to where the log says, and may have the slip of its station.

    Raises:
        PrinterMoved: a row is not what the log says.
    """
    placements = office.placements.read(unit.connection)
    now = queries.printer_numbered(unit.connection, printer.id)
    if now is None or not placements.is_here(now):
        raise PrinterMoved
    if (now.address, now.roll) != (printer.address, printer.roll):
        return False
    if waiting.bound:
        return True
    used = queries.stations_printing(unit.connection, printer.id)
    station = next((each for each in used if each.station == waiting.station_code), None)
    if station is None or not placements.is_used(station):
        raise PrinterMoved
    until = placements.stations[station.station].until
    return until is None or unit.now() < until


def note_ending(
    office: Office, sending: Sending, ending: str, why: str | None, *, near_end: bool = False
) -> None:
    """Note what became of a paper that was sent, and how its printer is if that has changed."""
    state = PaperState(ending)
    kicked = sending.kicks and state is not PaperState.FAILED
    entry, copy, on = sending.entry, sending.copy, sending.printer
    with office.unit() as unit:
        if not _move(unit, entry, copy, state, why, kicked=kicked, on=on):
            # Somebody else was asked about it meanwhile; that it was sent all the same is a fault
            # that the books must find.
            records.add_event(unit, entry, copy, state, why=why, kicked=kicked, on=on)
        _note_condition(unit, on.id, Condition(near_end, why))
        unit.commit()


def note_trouble(office: Office, printer: PrinterRow, why: str) -> None:
    """Note why a printer cannot print, and so its next paper waits; once for each reason."""
    with office.database.reading() as connection:
        waiting = queries.queue_of(connection, printer.id, 1)
        noted = Condition(near_end=False, why=why)
        is_known = queries.condition(connection, printer.id) == noted
        if is_known and all(each.why == why for each in waiting):
            return  # it is asked every two seconds, and mostly says the same
    with office.unit() as unit:
        waiting = queries.queue_of(unit.connection, printer.id, 1)
        if waiting and waiting[0].why != why:
            entry, copy = waiting[0].entry, waiting[0].copy
            records.note_waiting(unit, entry, copy, why)
            records.add_event(unit, entry, copy, PaperState.FAILED, why=why)
        _note_condition(unit, printer.id, noted)
        unit.commit()


def note_stopped(office: Office, printer: PrinterRow, why: str) -> None:
    """Note why a printer does not go on with the paper that is being sent to it."""
    with office.unit() as unit:
        _note_condition(unit, printer.id, Condition(near_end=False, why=why))
        unit.commit()


def note_mended(office: Office, printer: PrinterRow) -> None:
    """Note that a printer which could not print now can, though nothing waits for it."""
    with office.database.reading() as connection:
        condition = queries.condition(connection, printer.id)
    if condition is None or condition.why is None:
        return
    with office.unit() as unit:
        _note_working(unit, printer.id)
        unit.commit()


def _note_working(unit: Unit, printer: int) -> None:
    """Note that a printer can print, if it could not before."""
    condition = queries.condition(unit.connection, printer)
    if condition is not None:
        _note_condition(unit, printer, replace(condition, why=None))


def _note_condition(unit: Unit, printer: int, condition: Condition) -> None:
    if queries.condition(unit.connection, printer) != condition:
        records.note_condition(unit, printer, condition.near_end, condition.why)


def _move(  # noqa: PLR0913  which paper, and what became of it
    unit: Unit,
    entry: int,
    copy: int,
    after: PaperState,
    why: str | None,
    *,
    kicked: bool,
    on: PrinterRow | None,
) -> bool:
    before = PaperState.SENDING
    return records.move_paper(unit, entry, copy, before, after, why=why, kicked=kicked, on=on)


def _next_waiting(unit: Unit, printer: PrinterRow) -> tuple[Queued, Job] | None:
    """Return the next paper of a printer's queue; tickets that are void by now are not printed."""
    while waiting := queries.queue_of(unit.connection, printer.id, 1):
        entry, copy = waiting[0].entry, waiting[0].copy
        job = queries.job(unit.connection, entry)
        if job is None:
            raise LookupError("a paper of the queue has no job")
        if queries.voided_at(unit.connection, job) is None:
            return waiting[0], job
        why = "The ticket was voided before it was printed."
        records.move_paper(unit, entry, copy, PaperState.QUEUED, PaperState.NOT_PRINTED, why=why)
    return None


def _is_fresh(unit: Unit, job: Job) -> bool:
    """Whether an act was done just now."""
    body = json.loads(job.body)
    said = next(body[name] for name in ("time", "sold_at", "voided_at") if name in body)
    return unit.now() - datetime.fromisoformat(said) <= OPENS_WITHIN


def _true_bytes(  # noqa: PLR0913, PLR0917  whose paper, for which printer, made by what
    office: Office, unit: Unit, job: Job, queued: Queued, roll: str, press: Press
) -> bytes:
    """Return the bytes of a paper as they are sent: made once, and the same ever after.

    Raises:
        ValueError: what is kept of it is not what was made.
    """
    kept = queries.kept_papers(unit.connection, job.entry).get(roll)
    if kept is None:
        data = press.make(slip_of(office, unit, job), roll)
        digest = sha256(_with_code(office, unit, job, data, press)).digest()
        records.keep_paper(unit, job.entry, roll, data, digest, unit.now())
        kept = Kept(roll, data, digest)
    true = _with_code(office, unit, job, kept.data, press)
    if sha256(true).digest() != kept.digest:
        raise ValueError(f"what is kept of paper {job.entry} is not what was made")
    return press.band(queued.copy, roll) + true if queued.copy else true


def _with_code(office: Office, unit: Unit, job: Job, data: bytes, press: Press) -> bytes:
    """Return the bytes with the validation code in them, which only a ticket has."""
    if job.slip is not Slip.TICKET:
        return data
    number = job.payload["ticket"]
    ticket = tickets.ticket(unit.connection, number)
    if ticket is None:
        raise LookupError(f"a paper of ticket {number}, which is not there")
    code = validation_code(office.keys, ticket.code_key, number, ticket.leaf)
    return press.with_code(data, number, code)
