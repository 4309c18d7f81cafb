"""A lost ticket: reported, and paid by check to whoever lost it when nobody brings it.

Nothing is paid at a window for a ticket that is not presented (15.4(c)12). A report says who lost
it, which is sealed, where and when it was bought, and where that is recorded. It keeps the win from
expiring for thirty days more. The first to bring the paper is paid, and a supervisor is told of the
report. Else it is paid by a casino check by a manager outside keno and by accounting: when the
claim period has ended, or before by a procedure that the house names, never within seven days.

Write order: there is one commit in each act. *Crash before: it is not reported, or not paid.*
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work
from app.flow.approvals import Approver
from app.flow.approvers import check_approver
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.authority import Approved, answer_approved
from app.flow.claim import (
    Claim,
    check_payable,
    claim_of,
    explanation,
    gradings,
    ticket_numbered,
)
from app.flow.office import Office
from app.flow.patron import Patron, check_patron, seal_identity, told_apart
from app.flow.pay import Check, Paying, Payment, paid, sealed_payee
from app.flow.permissions import Permission
from app.flow.present import missing
from app.flow.refusals import No, check_no_code, check_reason, say_no
from app.flow.shown import Evidence
from app.keno.numbering import printed_number
from app.keno.payment import LOST_AFTER, Shown
from app.keno.standing import Stands
from app.store.queries.people import Worker
from app.store.records.payments import hold_ticket
from app.store.records.together import Row
from app.store.tables import LostTicket
from app.store.unit import Unit

TEXT_MAX = 200
STILL_OWED = (Stands.OPEN, Stands.IN_PLAY, Stands.NOT_DECIDED, Stands.FROZEN, Stands.WIN)


@dataclass(frozen=True)
class Loss:
    """What somebody says who lost a ticket."""

    number: int
    patron: Patron
    bought: str  # where and when
    surveillance: str  # the reference of the recording


@dataclass(frozen=True)
class LostPayment:
    """A lost ticket that is to be paid, how, and on whose word."""

    number: int
    reason: str
    check: Check
    approval: Approval | None = None  # of accounting
    procedure: str | None = None  # of the house, by which it is paid before its claim period ends


def report_lost(
    office: Office, credentials: Credentials, loss: Loss, request: str | None
) -> Answer:
    """Note that somebody lost a ticket; nothing is paid.

    Refuses: whoever may not note it; a report without name, document, place or recording; a ticket
    that is not there, or for which nothing can be owed.
    """
    said = {**vars(loss), "patron": told_apart(office, loss.patron)}
    asked = asking(request, "lost-ticket", said)
    worker = at_work(credentials, Permission.LOST_TICKET_NOTE)
    return answer_once(office, asked, worker, partial(_report, office, asked, loss))


def _report(office: Office, asked: Asking, loss: Loss, unit: Unit, who: Worker) -> Answer:
    hold_ticket(unit, loss.number)
    ticket = ticket_numbered(unit, loss.number)
    check_patron(loss.patron, No.CLAIM_INCOMPLETE, loss.number)
    for text in (loss.bought, loss.surveillance):
        check_no_code(text, "bought")
        if not text.strip() or len(text) > TEXT_MAX or not text.isprintable():
            raise say_no(No.CLAIM_INCOMPLETE)
    now = unit.now()
    claim = claim_of(office, unit, ticket, [], now, Shown.CLAIM)
    if claim.standing.stands not in STILL_OWED:
        check_payable(office, claim)
    sealed = seal_identity(office, loss.patron)
    facts = {"ticket": loss.number, "bought": loss.bought, "surveillance": loss.surveillance}
    row: Row = (
        LostTicket,
        {
            **facts,
            "sealed": sealed.data,
            "salted": sealed.digest,
            "station": who.station,
            "staff": who.staff,
            "claimed_at": now,
        },
    )
    body = {
        **facts,
        "patron": sealed.digest.hex(),
        "station": who.station_code,
        "staff": who.code,
        "time": time_text(now),
    }
    answer: Answer = {"number": loss.number, "reported_at": time_text(now)}
    office.log_with(unit, Tag.LOST_TICKET, body, [kept(who, asked, answer), row])
    return answer


def pay_lost(
    office: Office, credentials: Credentials, paying: LostPayment, request: str | None
) -> Answer:
    """Pay a lost ticket by check; return how much, and how it comes about.

    Refuses: whoever is not a manager outside keno; a ticket that was not reported lost, or not a
    week ago; one that can still be claimed, if no procedure is named; one that is not paid, each
    for its own reason; what accounting did not approve; a tax paper that is missing.
    """
    check = {"number": paying.check.number, "payee": paying.check.payee}
    said = {"number": paying.number, "reason": paying.reason, "check": check}
    asked = asking(request, "pay-lost", {**said, "procedure": paying.procedure})
    worker = at_work(credentials, Permission.LOST_TICKET_PAY)
    approvals = {Permission.LOST_TICKET_ACCOUNT: paying.approval}
    act = partial(_pay_lost, office, asked, paying)
    return answer_approved(office, asked, worker, approvals, act)


def _pay_lost(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office, asked: Asking, paying: LostPayment, approved: Approved, unit: Unit, who: Worker
) -> Answer:
    hold_ticket(unit, paying.number)
    ticket = ticket_numbered(unit, paying.number)
    check_reason(paying.reason)
    accounting = approved.get(Permission.LOST_TICKET_ACCOUNT)
    if accounting is None:
        raise say_no(No.ACCOUNTING_NEEDED)
    what = Permission.LOST_TICKET_ACCOUNT
    check_approver(unit, accounting.id, accounting.name, who.staff, what, without_code=True)
    now = unit.now()
    claim = claim_of(office, unit, ticket, [], now, Shown.CLAIM)
    check_payable(office, claim)
    evidence = _evidence(office, claim, paying, now)
    if claim.void_games:
        raise say_no(No.REFUND_FIRST, number=printed_number(paying.number))
    for need in missing(office, unit, who, claim, approved):
        if need.refusals[0].code == No.TAX_PAPER_NEEDED.code:
            raise need
    found = gradings(unit, claim)
    if any(each.first_cents != each.second_cents for each in found):
        raise say_no(No.GRADINGS_DIFFER, number=printed_number(paying.number))
    told = explanation(office.card(unit, ticket.card), claim)
    by = Approver(accounting.id, accounting.code, in_place=False)
    payee = sealed_payee(office, unit, paying.check)
    payment = Payment(claim, found, told, by, payee=payee, evidence=evidence)
    by_check = Paying(paying.number, reason=paying.reason, check=paying.check)
    # Nothing of it goes through a drawer, even if they have one open.
    done = paid(office.house.name, asked, by_check, replace(who, drawer=None), payment, now)
    office.log_with(unit, Tag.PAID, done.body, done.rows)
    return done.answer


def _evidence(office: Office, claim: Claim, paying: LostPayment, now: datetime) -> Evidence:
    """Return the report by which a lost ticket is paid.

    Refuses: where there is none; too early.
    """
    standing, number = claim.standing, printed_number(paying.number)
    if not standing.lost:
        raise say_no(No.NO_CLAIM, number=number)
    loss = standing.lost[0]
    since = loss.claimed_at + LOST_AFTER
    if paying.procedure is None and standing.claim_ends is not None:
        since = max(since, standing.claim_ends)
    else:
        check_reason(paying.procedure or "")
    if now < since:
        raise say_no(No.CLAIM_TOO_EARLY, number=number, at=office.moment(since))
    return Evidence(Shown.CLAIM, claim=loss, procedure=paying.procedure)
