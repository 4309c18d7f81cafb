"""Presenting a ticket: what it is paid, why, and what must be there before it is.

What was brought in time, and cannot be paid yet because an approval or a paper is missing or a game
is frozen, is noted: it does not expire while it waits.

Write order: there is one commit, if anything is missing. *Crash before: it was not presented.*
"""

from datetime import datetime

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work, refused, still_at_work
from app.flow.approvals import approver_of
from app.flow.asking import Answer
from app.flow.authority import NOT_ALL, WHY_HELD, Approved
from app.flow.claim import (
    Claim,
    claim_of,
    due_words,
    explanation,
    gradings,
    ticket_numbered,
    why_not_payable,
)
from app.flow.code_tries import check_code
from app.flow.codes import part_of_code
from app.flow.contact import Contact, check_contact, paid_before
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.amounts import Amount
from app.keno.money import dollars
from app.keno.numbering import printed_number
from app.keno.payment import Shown
from app.keno.refusals import Refused
from app.keno.standing import Stands
from app.store.queries import payments
from app.store.queries.people import Worker
from app.store.records import payments as records
from app.store.records.together import Row
from app.store.tables import Presentation, Tier
from app.store.unit import Unit


def present_ticket(
    office: Office,
    credentials: Credentials,
    number: int,
    code: str | None,
    contact: Contact | None = None,
) -> Answer:
    """Return what a ticket is paid, and what must be there before it is; nothing is paid.

    Refuses: whoever is not at work; a ticket of which there is no code, not even enough of it; one
    that is not paid, each for its own reason; a wrong code; any code where too many were wrong.
    """
    worker = at_work(credentials, Permission.TICKET_PAY)
    check_contact(contact)
    with office.unit() as unit:
        who = worker(unit)
        records.hold_ticket(unit, number)
        ticket = ticket_numbered(unit, number)
        if code is None:
            raise say_no(No.CODE_NEEDED, number=printed_number(number))
        shown = Shown.CODE if part_of_code(code) is None else Shown.DIGITS
        check_code(office, unit, who, ticket, code, alone=True, in_part=True)
        now = unit.now()
        before = paid_before(office, unit, who, contact, now)
        claim = claim_of(office, unit, ticket, before, now, shown)
        no = why_not_payable(office, claim)
        if no is not None:
            raise presented(office, unit, who, claim, no, now)
        needs = missing(office, unit, who, claim, {})
        if needs:
            note_presented(office, unit, who, claim, needs[0], now)
            unit.commit()
        return {
            **claim.facts(),
            "games": explanation(office.card(unit, claim.ticket.card), claim),
            "gradings": [each.document() for each in gradings(unit, claim)],
            "papers": [
                {
                    "game": win.game,
                    "win_cents": win.win_cents,
                    "wager_cents": win.wager_cents,
                    "net_cents": win.net_cents,
                }
                for win in claim.due_papers
            ],
            "needs": [
                {"code": each.refusals[0].code, "message": each.refusals[0].message}
                for each in needs
            ],
        }


def missing(
    office: Office, unit: Unit, who: Worker, claim: Claim, approved: Approved
) -> list[Refused]:
    """Return everything that must be there before a ticket is paid, and is not."""
    found = []
    given = {tier: approver_of(unit, who, claim, tier, approved) for tier in Tier}
    if claim.needs_supervisor and given[Tier.SUPERVISOR] is None:
        why = f"{dollars(claim.amounts[Amount.APPROVAL])} or more is paid"
        if claim.is_reprinted:
            why = "the ticket was printed more than once"
        if claim.shown is not Shown.CODE:
            why = NOT_ALL
        no = say_no(No.APPROVAL_NEEDED, why=why)
        if claim.standing.lost:
            number, at = printed_number(claim.ticket.number), claim.standing.lost[0].claimed_at
            no = say_no(No.LOST_CLAIMED, number=number, at=office.moment(at))
        found.append(no)
    if claim.needs_manager and given[Tier.MANAGER] is None:
        why = f"{dollars(claim.amounts[Amount.SECOND_TIER])} or more is paid"
        if claim.shown_takes_manager:
            why = NOT_ALL
        if claim.is_copied_late:
            why = "a copy of the ticket was made behind its draw"
        if claim.standing.is_held:
            why = WHY_HELD
        found.append(say_no(No.MANAGER_NEEDED, why=why))
    if claim.due_papers:
        games = ", ".join(due_words(win) for win in claim.due_papers)
        found.append(say_no(No.TAX_PAPER_NEEDED, games=games))
    return found


def presented(  # noqa: PLR0913, PLR0917  what was brought where, and why it is not paid
    office: Office, unit: Unit, who: Worker, claim: Claim, no: Refused, now: datetime
) -> Refused:
    """Note that a ticket that waits was brought in time, and return why it is not paid.

    One that was paid already and is brought again is noted each time: of two papers one is forged.
    Where hardly anything of the code can be read, nobody knows that it was this ticket.
    """
    if claim.standing.paid is not None:
        facts = {"ticket": claim.ticket.number, "station": who.station_code, "staff": who.code}
        return refused(office, unit, no, **facts)
    is_known = claim.shown is not Shown.IDENTITY
    if is_known and claim.standing.stands in (Stands.NOT_DECIDED, Stands.FROZEN, Stands.WIN):
        note_presented(office, unit, who, claim, no, now)
        unit.commit()
    return no


def note_presented(  # noqa: PLR0913, PLR0917  what was brought where, and why it is not paid
    office: Office, unit: Unit, who: Worker, claim: Claim, no: Refused, now: datetime
) -> None:
    """Note, the first time, that a ticket was brought and could not be paid then.

    Refuses: whoever is not at work any more.
    """
    number, why = claim.ticket.number, no.refusals[0].code
    if payments.presented_at(unit.connection, number) is not None:
        return
    still_at_work(unit, who)
    row: Row = (
        Presentation,
        {
            "ticket": number,
            "why": why,
            "station": who.station,
            "staff": who.staff,
            "presented_at": now,
        },
    )
    body = {
        "ticket": number,
        "why": why,
        "station": who.station_code,
        "writer": who.code,
        "time": time_text(now),
    }
    office.log_with(unit, Tag.PRESENTED, body, [row])
