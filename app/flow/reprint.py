"""Paper that did not come out, or is wanted again: what the writer says, and copies.

A copy is the same paper under a band that says so, counted for ever; a ticket of which there is a
copy is paid only with a supervisor, whichever paper is presented.

Write order: there is one commit in each act. *Crash before: nothing was said or queued.*
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.authority import Approved, answer_approved
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.store.queries import paper as queries
from app.store.queries.people import Person, Worker
from app.store.records import paper as records
from app.store.records.money import hold_person
from app.store.records.together import Row
from app.store.tables import PaperState, Reprint
from app.store.unit import Unit

SHOWN = 50


def papers_at(office: Office, credentials: Credentials) -> list[dict[str, object]]:
    """Return what is not printed yet of a station, or nobody knows whether it is."""
    with office.database.reading() as connection:
        who = at_work(credentials, Permission.PAPER_PRINT)(Unit(office.database, connection))
        waiting = queries.queue_at(connection, who.station, SHOWN)
    return [
        {
            "paper": each.entry,
            "copy": each.copy,
            "slip": each.slip.value,
            "about": each.payload,
            "state": each.state.value,
            "why": each.why,
            "question": "Did it print?" if each.state is PaperState.UNKNOWN else None,
        }
        for each in waiting
    ]


@dataclass(frozen=True)
class Seen:
    """What a writer says of a paper: whether it came out."""

    paper: int
    copy: int
    printed: bool


def say_printed(
    office: Office, credentials: Credentials, seen: Seen, request: str | None
) -> Answer:
    """Note what a writer says of a paper of which nobody knew; if it is not there, print a copy.

    Beyond the number of copies that the house leaves to a writer none is printed; a supervisor has
    it printed again.

    Refuses: whoever is not at work; a paper about which nobody asks, or of another station.
    """
    asked = asking(request, "say-printed", vars(seen))
    worker = at_work(credentials, Permission.PAPER_PRINT)
    return answer_once(office, asked, worker, partial(_say_printed, office, asked, seen))


def _say_printed(office: Office, asked: Asking, seen: Seen, unit: Unit, who: Worker) -> Answer:
    queued = queries.queued(unit.connection, seen.paper, seen.copy)
    unknown = PaperState.UNKNOWN
    if queued is None or queued.station != who.station or queued.state is not unknown:
        raise say_no(No.NOTHING_TO_SAY)
    after = PaperState.CONFIRMED if seen.printed else PaperState.NOT_PRINTED
    why = f"Said by {who.code}."
    if not records.move_paper(unit, seen.paper, seen.copy, unknown, after, why=why):
        raise say_no(No.NOTHING_TO_SAY)  # somebody else said so at the same time
    next_copy = queries.copies(unit.connection, seen.paper) + 1
    again = not seen.printed and next_copy <= office.house.reprints_alone
    now = unit.now()
    answer: Answer = {
        "paper": seen.paper,
        "copy": seen.copy,
        "printed": seen.printed,
        "copy_queued": next_copy if again else None,
    }
    body = {**answer, "station": who.station_code, "writer": who.code, "time": time_text(now)}
    rows = [kept(who, asked, answer)]
    if again:
        rows.append(_copy_row(who, asked, seen.paper, next_copy, "it did not print", now))
    office.log_with(unit, Tag.ON_PAPER, body, rows)
    if again:
        records.queue_copy(unit, seen.paper, next_copy, who.station)
    return answer


@dataclass(frozen=True)
class Again:
    """A paper that is to be printed again, by its own number or that of the ticket it is."""

    reason: str
    paper: int | None = None
    ticket: int | None = None
    approval: Approval | None = None


def reprint(office: Office, credentials: Credentials, again: Again, request: str | None) -> Answer:
    """Print a paper again, under a COPY band; return which copy it is.

    Refuses: whoever is not at work; a paper that is not there or was never printed; no reason; more
    often than the house lets a writer do it, without a supervisor; paper of another width.
    """
    said = {"paper": again.paper, "ticket": again.ticket, "reason": again.reason}
    asked = asking(request, "reprint", said)
    worker = at_work(credentials, Permission.PAPER_PRINT)
    approvals = {Permission.APPROVE: again.approval}
    act = partial(_reprint, office, asked, again)
    return answer_approved(office, asked, worker, approvals, act)


def _reprint(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office, asked: Asking, again: Again, approved: Approved, unit: Unit, who: Worker
) -> Answer:
    check_reason(again.reason)
    paper = again.paper
    if again.ticket is not None:
        paper = queries.paper_of_ticket(unit.connection, again.ticket)
    job = None if paper is None else queries.job(unit.connection, paper)
    before = None if job is None else queries.kept_paper(unit.connection, job.entry)
    if job is None or before is None:
        raise say_no(No.NO_SUCH_PAPER)
    printer = queries.printer_of(unit.connection, who.station)
    if printer is None:
        raise say_no(No.NO_PRINTER, station=who.station_code)
    if printer.roll != before.roll:
        raise say_no(No.OTHER_WIDTH, width=before.roll)
    copy = queries.copies(unit.connection, job.entry) + 1
    supervisor = approved.get(Permission.APPROVE)
    if copy > office.house.reprints_alone and supervisor is None:
        raise say_no(No.APPROVAL_NEEDED, why=f"it is printed again for the {_nth(copy)} time")
    if supervisor is not None:
        if supervisor.id == who.staff:
            raise say_no(No.APPROVER_SAME)
        if not hold_person(unit, supervisor.id):
            raise say_no(No.STAFF_DISABLED, name=supervisor.name)
    now = unit.now()
    answer: Answer = {"paper": job.entry, "copy": copy, "slip": job.slip.value}
    row = _copy_row(who, asked, job.entry, copy, again.reason, now, supervisor)
    body = {
        **answer,
        "about": job.payload,
        "reason": again.reason,
        "station": who.station_code,
        "writer": who.code,
        "approver": supervisor and supervisor.code,
        "time": time_text(now),
    }
    office.log_with(unit, Tag.REPRINT, body, [kept(who, asked, answer), row])
    records.queue_copy(unit, job.entry, copy, who.station)
    return answer


def _copy_row(  # noqa: PLR0913, PLR0917  all that is kept of it
    who: Worker,
    asked: Asking,
    paper: int,
    copy: int,
    reason: str,
    now: datetime,
    approver: Person | None = None,
) -> Row:
    values = {
        "job": paper,
        "copy": copy,
        "reason": reason,
        "station": who.station,
        "staff": who.staff,
        "approver": approver and approver.id,
        "asked_at": now,
        "request": asked.request,
    }
    return Reprint, values


def _nth(count: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(count, f"{count}th")
