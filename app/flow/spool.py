"""Paper on its way: from the queue to the printer, and what became of it.

A paper is sent once. Whether it came out is what the printer says; where it does not say, the
writer is asked. Whatever may be on paper already is never printed again but as a copy, under a
band that says so.

Write order of a paper:

1. One transaction: its bytes are kept, and it is marked as being sent. *Crash before: it is sent by
   whoever looks next. Crash after: nobody knows whether it was sent, so the writer is asked.*
2. It is sent.
3. One transaction: what became of it.
"""

import logging
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from app.flow.codes import validation_code
from app.flow.office import Office
from app.flow.slips import slip_of
from app.store.queries import paper as queries
from app.store.queries import tickets
from app.store.queries.paper import Job, Kept, PrinterRow, Queued
from app.store.records import paper as records
from app.store.tables import PaperState, Slip
from app.store.unit import Unit
from printers import slips

AT_ONCE = 50
log = logging.getLogger("keno.spooler")


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
    """A paper that is about to be sent: its true bytes."""

    entry: int
    copy: int
    data: bytes


def all_printers(office: Office) -> list[PrinterRow]:
    """Return the printers of the house, as they are now."""
    with office.database.reading() as connection:
        return queries.printers(connection)


def has_paper(office: Office, printer: PrinterRow) -> bool:
    """Whether anything waits to be printed on a printer."""
    with office.database.reading() as connection:
        return bool(queries.queue_of(connection, printer.id, PaperState.QUEUED, 1))


def interrupted(office: Office, printer: PrinterRow) -> None:
    """Ask the writers about papers that were being sent when whoever sent them stopped."""
    with office.unit() as unit:
        for each in queries.queue_of(unit.connection, printer.id, PaperState.SENDING, AT_ONCE):
            why = "The spooler stopped while it was being printed."
            _move(unit, each.entry, each.copy, PaperState.UNKNOWN, why)
        unit.commit()


def next_paper(office: Office, printer: PrinterRow, press: Press) -> Sending | None:
    """Take the next paper of a printer's queue, and mark it as being sent; none if none waits."""
    with office.unit() as unit:
        waiting = queries.queue_of(unit.connection, printer.id, PaperState.QUEUED, 1)
        if not waiting:
            return None
        entry, copy = waiting[0].entry, waiting[0].copy
        try:
            data = _true_bytes(office, unit, waiting[0], printer.roll, press)
        except (LookupError, TypeError, ValueError):  # of the slip; a database that fails is not
            log.exception("paper %s cannot be made", entry)
            _put_aside(unit, entry, copy)
            unit.commit()
            return None
        kicked = copy == 0 and queries.moves_cash(unit.connection, entry)
        states = PaperState.QUEUED, PaperState.SENDING
        if not records.move_paper(unit, entry, copy, *states, kicked=kicked):
            return None  # another took it
        unit.commit()
    return Sending(entry, copy, press.kick + data if kicked else data)


def _put_aside(unit: Unit, entry: int, copy: int) -> None:
    """Have the writer asked about a paper that cannot be made: a supervisor must look into it."""
    records.move_paper(unit, entry, copy, PaperState.QUEUED, PaperState.SENDING)
    _move(unit, entry, copy, PaperState.UNKNOWN, "This paper cannot be made; call a supervisor.")


def note_ending(office: Office, sending: Sending, ending: str, why: str | None) -> None:
    """Note what became of a paper that was sent."""
    with office.unit() as unit:
        _move(unit, sending.entry, sending.copy, PaperState(ending), why)
        unit.commit()


def _move(unit: Unit, entry: int, copy: int, after: PaperState, why: str | None) -> None:
    records.move_paper(unit, entry, copy, PaperState.SENDING, after, why=why)


def _true_bytes(office: Office, unit: Unit, queued: Queued, roll: str, press: Press) -> bytes:
    """Return the bytes of a paper as they are sent: made once, and the same ever after."""
    job = queries.job(unit.connection, queued.entry)
    if job is None:
        raise LookupError("a paper of the queue has no job")
    kept_ = queries.kept_paper(unit.connection, job.entry)
    if kept_ is None:
        data = press.make(slip_of(office, unit, job), roll)
        digest = sha256(_with_code(office, unit, job, data, press)).digest()
        records.keep_paper(unit, job.entry, roll, data, digest, unit.now())
        kept_ = Kept(roll, data, digest)
    true = _with_code(office, unit, job, kept_.data, press)
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
