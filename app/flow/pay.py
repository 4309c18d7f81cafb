"""Paying a winning ticket: once, at any station, for what it won (15.6(a)).

The ticket's number and the code from its paper; from $1,500 on a supervisor approves, from another
amount on a manager outside keno as well; what must be reported waits for its paper. In cash from
the drawer, or by a casino check. Where not all of the code can be read a supervisor approves, and a
manager outside keno from $1,500 on; where hardly any of it can be, the manager always, not before
an hour has passed, and the patron says who they are (X-pay-without-code).

Write order: there is one commit. *Crash before: the ticket is not paid. Crash after: it is, and the
station that asks again is told so.* A second payment of the same ticket meets the row of the first.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work, refused
from app.flow.approvals import Approver, approval_rows, approver_of
from app.flow.asking import Answer, Asking, Done, asking, kept
from app.flow.authority import HELD, Approved, answer_approved, check_authority
from app.flow.cash import is_in_drawer
from app.flow.claim import (
    Claim,
    Gradings,
    claim_of,
    explanation,
    gradings,
    ticket_numbered,
    why_not_payable,
)
from app.flow.contact import (
    Contact,
    InContact,
    Passed,
    check_contact,
    in_contact,
    paid_before,
)
from app.flow.office import Office
from app.flow.patron import Patron, Sealed, seal_patron, told_apart
from app.flow.permissions import Permission
from app.flow.present import missing, note_presented, presented
from app.flow.refusals import No, check_no_code, check_reason, say_no
from app.flow.shown import Evidence, evidence_of
from app.keno.numbering import printed_number
from app.keno.payment import UNREAD_AFTER, Shown
from app.keno.tender import TenderKind
from app.store.queries import payments
from app.store.queries.people import Worker
from app.store.queries.tickets import answered
from app.store.records import payments as records
from app.store.records.money import Leg, hold_drawer, posting_rows
from app.store.records.paper import paper_rows
from app.store.records.together import CameSecond, Row
from app.store.tables import Account, PaidBy, Payout, Refund, Slip, Tier
from app.store.unit import Unit

PAYEE_MAX = 100
_CHECK_NUMBER = re.compile(r"[A-Z0-9-]{1,40}")  # one way to write it, or it could be used twice


@dataclass(frozen=True)
class Check:
    """A casino check: its number, and to whom it is made out."""

    number: str
    payee: str


@dataclass(frozen=True)
class Paying:
    """What a writer asks to have paid, how, and on what authority."""

    number: int
    code: str | None = None
    reason: str | None = None  # of a payment without the code
    approval: Approval | None = None
    manager: Approval | None = None
    check: Check | None = None  # else it is paid in cash
    contact: Contact | None = None
    patron: Patron | None = None  # who they are, where hardly anything of the code can be read


def pay_ticket(
    office: Office, credentials: Credentials, paying: Paying, request: str | None
) -> Answer:
    """Pay a ticket; return how much, and how it comes about.

    Refuses: whoever is not at work with an open drawer; a ticket that is not paid, each for its own
    reason; a wrong code; what must be approved, or filled in, and is not; too little cash.
    """
    asked = asking_to_pay(paying, request, told_apart(office, paying.patron))
    worker = at_work(credentials, Permission.TICKET_PAY)
    check_contact(paying.contact)
    approvals = {
        Permission.APPROVE: paying.approval,
        Permission.APPROVE_LARGE: paying.manager,
    }
    act = partial(_pay, office, asked, paying)
    return answer_approved(office, asked, worker, approvals, act)


def asking_to_pay(paying: Paying, request: str | None, patron: str | None = None) -> Asking:
    """Return what is asked for with a payment.

    Args:
        paying: the payment.
        request: the id of the request.
        patron: by what the patron is told apart from others, if it is said who they are.

    Refuses: as `asking`.
    """
    check = paying.check
    said: dict[str, object] = {
        "number": paying.number,
        "reason": paying.reason,
        "check": check and {"number": check.number, "payee": check.payee},
        "contact": paying.contact and vars(paying.contact),
    }
    if patron is not None:
        said["patron"] = patron
    return asking(request, "pay", said)


def _pay(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office,
    asked: Asking,
    paying: Paying,
    approved: Approved,
    unit: Unit,
    who: Worker,
) -> Answer:
    if who.drawer is None or not hold_drawer(unit, who, alone=True):
        raise say_no(No.NO_DRAWER)
    records.hold_ticket(unit, paying.number)
    claim, evidence = _claim(office, unit, who, asked, paying, approved)
    found = gradings(unit, claim)
    if any(each.first_cents != each.second_cents for each in found):
        no = say_no(No.GRADINGS_DIFFER, number=printed_number(paying.number))
        note_presented(office, unit, who, claim, no, unit.now())
        raise refused(office, unit, no, ticket=paying.number, station=who.station_code)
    supervisor = approver_of(unit, who, claim, Tier.SUPERVISOR, approved)
    manager = approver_of(unit, who, claim, Tier.MANAGER, approved)
    needed_cents = claim.back.cash_cents + (claim.cents if paying.check is None else 0)
    if not is_in_drawer(unit, who, needed_cents):
        raise presented(office, unit, who, claim, say_no(No.NOT_ENOUGH_CASH), unit.now())
    payee = sealed_payee(office, unit, paying.check)
    now = unit.now()
    out_cents = claim.cents + claim.back.cash_cents
    cash_cents = out_cents if paying.check is None else claim.back.cash_cents
    passed = Passed(out_cents=out_cents, cash_out_cents=cash_cents)
    contact = in_contact(office, unit, who, paying.contact, paying.number, passed, now)
    told = explanation(office.card(unit, claim.ticket.card), claim)
    payment = Payment(claim, found, told, supervisor, manager, payee, contact, evidence)
    done = paid(office.house.name, asked, paying, who, payment, now)
    office.log_with(unit, Tag.PAID, done.body, done.rows)
    return done.answer


@dataclass(frozen=True)
class Payment:
    """A payment that may be made: what for, on whose word, to whom."""

    claim: Claim
    gradings: Sequence[Gradings]
    explanation: Sequence[Mapping[str, object]]
    supervisor: Approver | None = None
    manager: Approver | None = None
    payee: Sealed | None = None
    contact: InContact = field(default_factory=InContact)
    evidence: Evidence = field(default_factory=Evidence)


def paid(  # noqa: PLR0913, PLR0917  all that a payment is
    house_name: str, asked: Asking, paying: Paying, who: Worker, payment: Payment, now: datetime
) -> Done:
    """Return what a payment leaves behind."""
    claim, contact, payee = payment.claim, payment.contact, payment.payee
    supervisor, manager = payment.supervisor, payment.manager
    evidence, back = payment.evidence, claim.back
    with_code = evidence.how is Shown.CODE
    authority: dict[str, object] = {
        "station": who.station,
        "staff": who.staff,
        "drawer": who.drawer,
        "approver": supervisor and supervisor.staff,
        "with_code": with_code,
        "request": asked.request,
    }
    payout = {
        "ticket": paying.number,
        "cents": claim.cents,
        "paid_by": (PaidBy.CASH if paying.check is None else PaidBy.CHECK).value,
        "check_number": paying.check and paying.check.number,
        "payee": payee and payee.data,
        "manager": manager and manager.staff,
        "reason": None if with_code else paying.reason,
        "paid_at": now,
        **authority,
    }
    answer: Answer = {
        **claim.facts(),
        "games": list(payment.explanation),
        "gradings": [each.document() for each in payment.gradings],
        "paid_by": payout["paid_by"],
        **contact.told,
    }
    body = {
        "house": house_name,
        "ticket": paying.number,
        "ticket_leaf": claim.ticket.leaf.hex(),
        "series": claim.ticket.series,
        "cents": claim.cents,
        "wins": [{"game": win.game, "cents": win.win_cents} for win in claim.wins],
        "void_games": list(claim.void_games),
        "back": _back(claim),
        "coupon_cents": back.coupon_cents,
        "gradings": answer["gradings"],
        "paid_by": payout["paid_by"],
        "check_number": payout["check_number"],
        "payee": payee and payee.digest.hex(),
        "station": who.station_code,
        "writer": who.code,
        "approver": supervisor and supervisor.code,
        "manager": manager and manager.code,
        "with_code": with_code,
        "shown": evidence.document(),
        "reason": payout["reason"],
        "time": time_text(now),
        "request_id": asked.request,
        **contact.said,
        **({"held": HELD} if claim.standing.is_held else {}),
    }
    slip = {
        "ticket": paying.number,
        "cents": claim.cents,
        "refund_cents": back.cash_cents,
        "signature": claim.needs_supervisor,
    }
    price = claim.ticket.price_per_game_cents
    refund = {"ticket": paying.number, "cents": price, "back": _back(claim), "refunded_at": now}
    rows: list[Row] = [
        kept(who, asked, answer),
        (Payout, payout),
        *evidence.rows(paying.number),
        *approval_rows(claim, supervisor, Tier.SUPERVISOR, payment.gradings, now),
        *approval_rows(claim, manager, Tier.MANAGER, payment.gradings, now),
        *((Refund, {**refund, "game": game, **authority}) for game in claim.void_games),
        *contact.rows,
        *posting_rows(_money(who.drawer, claim, paying.check)),
        *paper_rows(who.station, Slip.PAYOUT, slip),
    ]
    return Done(answer, body, rows)


def _claim(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office, unit: Unit, who: Worker, asked: Asking, paying: Paying, approved: Approved
) -> tuple[Claim, Evidence]:
    """Return what a ticket is paid, and what was shown for it.

    Refuses: a wrong code; a ticket that is not paid; what is missing.

    Raises:
        CameSecond: it was paid meanwhile, by this very request.
    """
    ticket = ticket_numbered(unit, paying.number)
    evidence = evidence_of(office, unit, who, ticket.number, paying.code, paying.patron)
    if evidence.how is not Shown.CODE:
        check_reason(paying.reason or "")
    supervisor = approved.get(Permission.APPROVE)
    check_authority(office, unit, who, ticket, paying.code, supervisor, in_part=True)
    now = unit.now()
    before = paid_before(office, unit, who, paying.contact, now)
    claim = claim_of(office, unit, ticket, before, now, evidence.how)
    no = why_not_payable(office, claim)
    if no is not None:
        if answered(unit.connection, who.station, asked.request) is not None:
            raise CameSecond  # the button was pressed twice; no paper was brought a second time
        raise presented(office, unit, who, claim, no, now)
    if evidence.how is Shown.IDENTITY:
        _check_hour(office, unit, claim, now)
    for need in missing(office, unit, who, claim, approved):
        raise presented(office, unit, who, claim, need, now)
    return claim, evidence


def _check_hour(office: Office, unit: Unit, claim: Claim, now: datetime) -> None:
    """Refuse what can hardly be read while whoever has another paper of it may still come."""
    ticket = claim.ticket
    locked_at = payments.locked_at(unit.connection, ticket.series, claim.standing.last_game)
    if locked_at is None or now < locked_at + UNREAD_AFTER:
        at = locked_at and office.moment(locked_at + UNREAD_AFTER)
        raise say_no(No.UNREAD_TOO_EARLY, number=printed_number(ticket.number), at=at)


def sealed_payee(office: Office, unit: Unit, check: Check | None) -> Sealed | None:
    """Return to whom a check is made out, sealed.

    Refuses: a check without number or payee, or that was used.
    """
    if check is None:
        return None
    named = check.payee.strip() and len(check.payee) <= PAYEE_MAX and check.payee.isprintable()
    if not named or not _CHECK_NUMBER.fullmatch(check.number):
        raise say_no(No.CHECK_INCOMPLETE, "check")
    check_no_code(check.number, "check")
    if payments.is_check_used(unit.connection, check.number):
        raise say_no(No.CHECK_USED, "check", check=check.number)
    return seal_patron(office, {"payee": check.payee})


def _back(claim: Claim) -> list[dict[str, object]]:
    if not claim.back.cash_cents:
        return []
    return [{"kind": TenderKind.CURRENCY.value, "cents": claim.back.cash_cents}]


def _money(drawer: int | None, claim: Claim, check: Check | None) -> list[Leg]:
    """Return what a payment moves: what was owed, out of the drawer or by check."""
    out = Leg(Account.DRAWER, -claim.cents, drawer, TenderKind.CURRENCY)
    if check is not None:
        out = Leg(Account.CHECKS, -claim.cents)
    back = claim.back
    return [
        Leg(Account.WINS_PAYABLE, claim.cents),
        out,
        Leg(Account.DRAWER, -back.cash_cents, drawer, TenderKind.CURRENCY),
        Leg(Account.COUPONS, -back.coupon_cents),
        Leg(Account.PREPAID, back.cash_cents + back.coupon_cents),
    ]
