"""Approving a payment: by whom, of which amount, having seen what (15.6(b), X-pay-second-tier).

A supervisor approves at the writer's station by their own name and secret, or from their own page;
above another amount a manager outside keno does so as well. Never the writer. An approval is of one
ticket and one amount: it does for no other.

Write order: there is one commit. *Crash before: it was not approved. Crash after: it was.*
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.approvers import check_approver
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.authority import Approved
from app.flow.claim import (
    Claim,
    Gradings,
    check_payable,
    claim_of,
    explanation,
    gradings,
    ticket_numbered,
)
from app.flow.note_look_up import note_look_up
from app.flow.office import Office
from app.flow.permissions import FOR, Permission
from app.flow.refusals import No, say_no
from app.keno.amounts import Amount
from app.keno.numbering import printed_number
from app.keno.payment import Shown
from app.keno.refusals import Refused
from app.store.queries import payments
from app.store.queries.paper import copies_of_ticket, newest_copy_of
from app.store.queries.payments import ApprovalRow
from app.store.queries.people import Worker
from app.store.records.payments import hold_ticket
from app.store.records.together import Row
from app.store.tables import Approval, Role, Tier
from app.store.unit import Unit

PERMISSION_OF = {Tier.SUPERVISOR: Permission.APPROVE, Tier.MANAGER: Permission.APPROVE_LARGE}


@dataclass(frozen=True)
class Approver:
    """Who approved a payment: in place just now, or from their own page before."""

    staff: int
    code: str
    in_place: bool


def approve_payment(
    office: Office, credentials: Credentials, number: int, request: str | None, copies: int = 0
) -> Answer:
    """Approve from one's own page that a ticket is paid what it won; return what was seen.

    Args:
        office: the back office.
        credentials: of whoever approves.
        number: of the ticket.
        request: the id of the request.
        copies: how many copies of the ticket they know of; whoever has one may be paid.

    Refuses: whoever may not approve; a ticket that is not paid; what needs no approval of theirs; a
    ticket of which there are other copies.
    """
    asked = asking(request, "approve", {"number": number, "copies": copies})
    worker = at_work(credentials, Permission.APPROVE_PAYMENT)
    return answer_once(office, asked, worker, partial(_approve, office, asked, number, copies))


def _approve(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office, asked: Asking, number: int, copies: int, unit: Unit, who: Worker
) -> Answer:
    hold_ticket(unit, number)  # whoever makes a copy of it is waited for, and seen
    ticket = ticket_numbered(unit, number)
    now = unit.now()
    claim = claim_of(office, unit, ticket, [], now)
    check_payable(office, claim)
    tier = tier_of(who.role)
    given = _given_for(unit, claim)
    approved = {(each.tier, each.staff, each.cents) for each in given}
    if tier is None or (tier, who.staff, claim.cents) in approved:
        raise say_no(No.NOTHING_TO_APPROVE, number=printed_number(number))
    made = copies_of_ticket(unit.connection, number)
    if len(made) != copies:
        raise say_no(No.OTHER_COPIES, number=printed_number(number), copies=len(made))
    seen = gradings(unit, claim)
    answer: Answer = {
        "number": number,
        "tier": tier.value,
        "cents": claim.cents,
        "gradings": [each.document() for each in seen],
    }
    by = Approver(who.staff, who.code, in_place=True)
    rows = [kept(who, asked, answer), *approval_rows(claim, by, tier, seen, now)]
    body = {
        "copies": copies,
        "approver": who.code,
        "station": who.station_code,
        "time": time_text(now),
    }
    office.log_with(unit, Tag.APPROVED, {**answer, **body}, rows)
    return answer


def look_at_claim(office: Office, credentials: Credentials, number: int) -> Answer:
    """Return what a ticket would be paid and why, with both gradings, for whoever approves it.

    Who looks at a win of which nobody has brought the ticket is recorded.

    Refuses: whoever may not approve; a ticket that is not paid.
    """
    with office.unit() as unit:
        who = at_work(credentials, Permission.APPROVE_PAYMENT)(unit)
        connection = unit.connection
        claim = claim_of(office, unit, ticket_numbered(unit, number), [], unit.now())
        check_payable(office, claim)
        given = _given_for(unit, claim)
        seen = {
            **claim.facts(),
            "games": explanation(office.card(unit, claim.ticket.card), claim),
            "gradings": [each.document() for each in gradings(unit, claim)],
            "needs_supervisor": claim.needs_supervisor,
            "needs_manager": claim.needs_manager,
            "approved": [
                {"tier": each.tier.value, "by": each.code}
                for each in given
                if each.cents == claim.cents
            ],
            "copies": [time_text(each) for each in copies_of_ticket(connection, number)],
            "lost": [time_text(each.claimed_at) for each in claim.standing.lost],
            "yours": who.staff in {each.staff for each in given if each.cents == claim.cents},
        }
        if payments.presented_at(connection, number) is None:
            note_look_up(office, unit, who, number, number, 1)
        return seen


def tier_of(role: Role) -> Tier | None:
    """Return what a role approves."""
    return next((tier for tier, what in PERMISSION_OF.items() if role in FOR[what]), None)


def approver_of(
    unit: Unit, who: Worker, claim: Claim, tier: Tier, approved: Approved
) -> Approver | None:
    """Return who approved a payment of this very amount; never the writer (15.6(b)).

    An approval that was given earlier counts only where one is needed, and the whole code was
    shown: of what else is shown whoever approves sees to it at the counter.

    Refuses: as `check_approver`.
    """
    is_large = claim.approved_cents >= claim.amounts[Amount.SECOND_TIER]
    special = {"is_large": is_large, "without_code": claim.shown is not Shown.CODE}
    given = approved.get(PERMISSION_OF[tier])
    if given is not None:
        check_approver(unit, given.id, given.name, who.staff, PERMISSION_OF[tier], **special)
        return Approver(given.id, given.code, in_place=True)
    needed = claim.needs_supervisor if tier is Tier.SUPERVISOR else claim.needs_manager
    needed = needed and claim.shown is Shown.CODE
    for each in _given_for(unit, claim) if needed else ():
        fits = each.tier is tier and each.cents == claim.cents and tier_of(each.role) is tier
        if fits and _still_approves(unit, who, each, special):
            return Approver(each.staff, each.code, in_place=False)
    return None


def _still_approves(unit: Unit, who: Worker, given: ApprovalRow, special: dict[str, bool]) -> bool:
    try:
        what = PERMISSION_OF[given.tier]
        check_approver(unit, given.staff, given.code, who.staff, what, **special)
    except Refused:
        return False
    return True


def _given_for(unit: Unit, claim: Claim) -> list[ApprovalRow]:
    """Return the approvals that stand for a payment.

    One from before a restore may have been used in what was lost, and one from before a copy was
    made of the ticket is not for whoever brings that; nor is one from before it was reported lost.
    """
    number = claim.ticket.number
    since = [claim.standing.held_since, newest_copy_of(unit.connection, number)]
    since += [each.entry for each in claim.standing.lost]
    return payments.approvals(unit.connection, number, max(each or 0 for each in since))


def approval_rows(
    claim: Claim, by: Approver | None, tier: Tier, seen: Sequence[Gradings], now: datetime
) -> list[Row]:
    """Return the row that keeps an approval that was given in place; another is kept already."""
    if by is None or not by.in_place:
        return []
    values = {
        "ticket": claim.ticket.number,
        "tier": tier.value,
        "staff": by.staff,
        "cents": claim.cents,
        "seen": [each.document() for each in seen],
        "given_at": now,
    }
    return [(Approval, values)]
