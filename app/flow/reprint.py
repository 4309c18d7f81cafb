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
from app.flow.approvers import check_approver
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.authority import Approved, answer_approved
from app.flow.lease import is_served, printer_lease
from app.flow.office import Office
from app.flow.permissions import FOR, Permission
from app.flow.print_status import MAY_BE_ON_PAPER, PrinterStatus, is_stopped, status_of
from app.flow.refusals import No, check_reason, say_no
from app.flow.unprinted import unprinted
from app.keno.house_settings import Setting
from app.keno.numbering import printed_number
from app.store.queries import house, running
from app.store.queries import paper as queries
from app.store.queries.paper import Job, PrinterRow, Queued
from app.store.queries.people import Person, Worker
from app.store.records import paper as records
from app.store.records.payments import hold_ticket
from app.store.records.together import Row
from app.store.tables import PaperState, Reprint, Slip
from app.store.unit import Unit

SHOWN = 50


def papers_at(office: Office, credentials: Credentials) -> Answer:
    """Return what is not printed yet of a station, or nobody knows whether it is; and its printer.

    The writer sees from it that the roll is nearly at its end, or why nothing comes out.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, Permission.PAPER_PRINT)(unit)
        return papers_answer(paper_here(unit, who))


@dataclass(frozen=True)
class PaperHere:
    """The slips of a station that are not printed yet, and how its printer is."""

    queue: list[Queued]
    printer: PrinterStatus


def paper_here(unit: Unit, who: Worker) -> PaperHere:
    """Return what is not printed yet where somebody works, and how the printer is."""
    connection = unit.connection
    queue = queries.queue_at(connection, who.station, SHOWN)
    printer = queries.printer_of(connection, who.station)
    condition = None if printer is None else queries.condition(connection, printer.id)
    waiting = unprinted(connection, who.station) if queue else []
    now = unit.now(who.read_at)
    status = PrinterStatus(
        station=who.station_code,
        code=None if printer is None else printer.code,
        is_served=printer is None or _is_served(unit, printer, now),
        why=None if condition is None else condition.why,
        near_end=condition is not None and condition.near_end,
        waiting=sum(each.slips for each in waiting),
        sending=sum(each.sending for each in waiting),
        is_behind=any(each.is_behind(now) for each in waiting),
        asked=sum(each.state is PaperState.UNKNOWN for each in queue),
    )
    return PaperHere(queue, status)


def _is_served(unit: Unit, printer: PrinterRow, now: datetime) -> bool:
    lease = running.lease(unit.connection, printer_lease(printer.code))
    return lease is not None and is_served(lease.until, now)


def papers_answer(here: PaperHere) -> Answer:
    """Return it as the pages and programs read it."""
    printer = here.printer
    level, sentence = status_of(printer)
    told = {"code": printer.code, "near_end": printer.near_end, "trouble": printer.why}
    return {
        "papers": [_waits(each, printer) for each in here.queue],
        "printer": None if printer.code is None else told,
        "printing": {"level": level.value, "sentence": sentence, "waiting": printer.waiting},
    }


def _waits(each: Queued, printer: PrinterStatus) -> dict[str, object]:
    return {
        "paper": each.entry,
        "copy": each.copy,
        "slip": each.slip.value,
        "about": each.payload,
        "state": each.state.value,
        "why": MAY_BE_ON_PAPER if is_stopped(each.state, printer) else each.why,
        "question": "Did it print?" if each.state is PaperState.UNKNOWN else None,
    }


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

    The copy comes out where the paper should have, whoever says so: the patron stands there. Beyond
    the number of copies that the house leaves to a writer none is printed; a supervisor has it
    printed again. Of a ticket that was voided meanwhile there is no copy.

    Refuses: whoever is not at work; a paper about which nobody asks, or, but for a supervisor, of
    another station; a copy where there is no printer.
    """
    asked = asking(request, "say-printed", vars(seen))
    worker = at_work(credentials, Permission.PAPER_PRINT)
    return answer_once(office, asked, worker, partial(_say_printed, office, asked, seen))


def _say_printed(office: Office, asked: Asking, seen: Seen, unit: Unit, who: Worker) -> Answer:
    queued = queries.queued(unit.connection, seen.paper, seen.copy)
    unknown = PaperState.UNKNOWN
    if queued is None or queued.state is not unknown:
        raise say_no(No.NOTHING_TO_SAY)
    # A supervisor says it also of a station at which nobody works any more.
    if queued.station != who.station and who.role not in FOR[Permission.APPROVE]:
        raise say_no(No.NOTHING_TO_SAY)
    _hold(unit, queued)
    after = PaperState.CONFIRMED if seen.printed else PaperState.NOT_PRINTED
    why = f"Said by {who.code}."
    if not records.move_paper(unit, seen.paper, seen.copy, unknown, after, why=why):
        raise say_no(No.NOTHING_TO_SAY)  # somebody else said so at the same time
    next_copy = queries.copies(unit.connection, seen.paper) + 1
    is_void = (
        queries.voided_at(unit.connection, queued) is not None
    )  # then nobody is to hold it any more
    again = not seen.printed and not is_void and next_copy <= _alone(unit)
    station, station_code = _where_to_print(unit, queued, who) if again else (None, None)
    now = unit.now()
    answer: Answer = {
        "paper": seen.paper,
        "copy": seen.copy,
        "printed": seen.printed,
        "copy_queued": next_copy if again else None,
        "copy_station": station_code,
    }
    body = {
        **answer,
        "slip": queued.slip.value,
        "about": queued.payload,
        "station": who.station_code,
        "writer": who.code,
        "time": time_text(now),
    }
    rows = [kept(who, asked, answer)]
    if again:
        rows.append(_copy_row(who, asked, seen.paper, next_copy, "it did not print", now))
    office.log_with(unit, Tag.ON_PAPER, body, rows)
    if station is not None:
        records.queue_copy(unit, seen.paper, next_copy, station)
    return answer


def _hold(unit: Unit, paper: Job | Queued) -> None:
    """Wait for whoever approves a payment of the ticket that a paper is, as they wait for us."""
    if paper.slip is Slip.TICKET:
        hold_ticket(unit, paper.payload["ticket"])


def _where_to_print(unit: Unit, queued: Queued, who: Worker) -> tuple[int, str]:
    """Return the station whose paper it was; the one of whoever asks if that has no printer.

    Refuses: neither has one.
    """
    for station, code in (
        (queued.station, queued.station_code),
        (who.station, who.station_code),
    ):
        if queries.printer_of(unit.connection, station) is not None:
            return station, code
    raise say_no(No.NO_PRINTER, station=queued.station_code)


@dataclass(frozen=True)
class Again:
    """A paper that is to be printed again, by its own number or that of the ticket it is."""

    reason: str
    paper: int | None = None
    ticket: int | None = None
    approval: Approval | None = None


def reprint(office: Office, credentials: Credentials, again: Again, request: str | None) -> Answer:
    """Print a paper again, under a COPY band; return which copy it is.

    A paper that could not be made was never on paper: with a supervisor it is tried again, as the
    first.

    Refuses: whoever is not at work; a paper that is not there, or still waits; a ticket that is
    void, which nobody is to take for one that plays; no reason; without a supervisor, a paper of
    another station, or more often than the house lets a writer do it.
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
    job, aside = _to_print(unit, who, again)
    _hold(unit, job)
    if aside is None and (voided_at := queries.voided_at(unit.connection, job)) is not None:
        number = printed_number(job.payload["ticket"])
        raise say_no(No.ALREADY_VOID, number=number, at=office.moment(voided_at))
    copy = queries.copies(unit.connection, job.entry) + 1 if aside is None else aside.copy
    supervisor = approved.get(Permission.APPROVE)
    _check_approved(unit, who, job, copy, supervisor, aside)
    now = unit.now()
    answer: Answer = {"paper": job.entry, "copy": copy, "slip": job.slip.value}
    body = {
        **answer,
        "about": job.payload,
        "reason": again.reason,
        "station": who.station_code,
        "writer": who.code,
        "approver": supervisor and supervisor.code,
        "time": time_text(now),
    }
    if aside is not None:
        office.log_with(unit, Tag.RETRIED, body, [kept(who, asked, answer)])
        records.move_paper(unit, job.entry, copy, PaperState.ASIDE, PaperState.QUEUED)
        return answer
    row = _copy_row(who, asked, job.entry, copy, again.reason, now, supervisor)
    office.log_with(unit, Tag.REPRINT, body, [kept(who, asked, answer), row])
    records.queue_copy(unit, job.entry, copy, who.station)
    return answer


def _to_print(unit: Unit, who: Worker, again: Again) -> tuple[Job, Queued | None]:
    """Return what is to be printed again; and the paper that was put aside, if one was.

    Refuses: what is not there, or still waits; a station without a printer.
    """
    paper = again.paper
    if again.ticket is not None:
        paper = queries.paper_of_ticket(unit.connection, again.ticket)
    job = None if paper is None else queries.job(unit.connection, paper)
    if job is None or not job.body:  # what is archived is printed from the archive
        raise say_no(No.NO_SUCH_PAPER)
    if queries.printer_of(unit.connection, who.station) is None:
        raise say_no(No.NO_PRINTER, station=who.station_code)
    waiting = queries.newest_queued(unit.connection, job.entry)
    if waiting is not None and waiting.state in (PaperState.QUEUED, PaperState.SENDING):
        raise say_no(No.STILL_WAITS)
    is_aside = waiting is not None and waiting.state is PaperState.ASIDE
    return job, waiting if is_aside else None


def _check_approved(  # noqa: PLR0913, PLR0917  which paper, and who stands for it
    unit: Unit, who: Worker, job: Job, copy: int, supervisor: Person | None, aside: Queued | None
) -> None:
    """Check that a supervisor is with it where one must be, and is not the writer.

    On the copy of a ticket there is its code: whoever sold it prints it again, and nobody who has
    only seen its number (X-ticket-validation).
    """
    if supervisor is None:
        if job.station != who.station:
            raise say_no(No.APPROVAL_NEEDED, why="it is a paper of another station")
        if aside is not None:
            raise say_no(No.APPROVAL_NEEDED, why="it could not be made before")
        if copy > _alone(unit):
            raise say_no(No.APPROVAL_NEEDED, why=f"it is printed again for the {_nth(copy)} time")
        return
    check_approver(unit, supervisor.id, supervisor.name, who.staff)


def _alone(unit: Unit) -> int:
    """Return how many copies a writer prints without a supervisor."""
    return house.setting(unit.connection, Setting.COPIES_ALONE)


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
