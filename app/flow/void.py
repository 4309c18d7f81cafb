"""Voiding a ticket: before the lock of its first game only, and only whole (15.4(e)-void).

It needs the validation code from the paper; without it, or at another station than the one that
issued the ticket, a supervisor approves. The money goes back in kind, coupons can be used again,
and a slip is printed. One transaction, under the shared lock of the series.

Write order: there is one commit. *Crash before: the ticket stands. Crash after: it is void, and the
station that asks again is told so.*
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work
from app.flow.asking import Answer, Asking, Done, asking, kept
from app.flow.authority import (
    Approved,
    answer_approved,
    check_authority,
    check_held,
    why_copied,
)
from app.flow.cash import are_in_drawer, too_little
from app.flow.contact import Contact, InContact, Passed, check_contact, in_contact
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.keno.drawer import CASH
from app.keno.numbering import printed_number
from app.keno.standing import Stands, is_held
from app.keno.tender import Tender, TenderKind, paid_in_kind, tendered_cents
from app.store.queries import games, keeping
from app.store.queries import tickets as queries
from app.store.queries.people import Person, Worker
from app.store.queries.tickets import TicketRow
from app.store.records import tickets as records
from app.store.records.money import Leg, hold_drawer, posting_rows
from app.store.records.paper import paper_rows
from app.store.records.together import Row
from app.store.tables import Account, GameState, Slip, Void
from app.store.unit import Unit


@dataclass(frozen=True)
class Voiding:
    """What a writer asks to have voided, and on what authority."""

    number: int
    reason: str
    code: str | None = None
    approval: Approval | None = None
    contact: Contact | None = None
    manager: Approval | None = None  # of a ticket that is held


def void_ticket(
    office: Office, credentials: Credentials, voiding: Voiding, request: str | None
) -> Answer:
    """Void a ticket; return what goes back, in kind.

    Refuses: whoever is not at work with an open drawer; a ticket that is not there, is void, or
    whose game is locked; a wrong code; what a supervisor, or a manager, must approve and did not.
    """
    asked = asking_to_void(voiding, request)
    worker = at_work(credentials, Permission.TICKET_VOID)
    check_contact(voiding.contact)
    act = partial(_void, office, asked, voiding)
    approvals = {
        Permission.APPROVE: voiding.approval,
        Permission.APPROVE_LARGE: voiding.manager,
    }
    return answer_approved(office, asked, worker, approvals, act)


def asking_to_void(voiding: Voiding, request: str | None) -> Asking:
    """Return what is asked for with a void.

    Refuses: as `asking`.
    """
    # The code and the secret are authority, not content: asked again, they need not be the same.
    said: dict[str, object] = {"number": voiding.number, "reason": voiding.reason}
    if voiding.contact is not None:
        said["contact"] = vars(voiding.contact)
    return asking(request, "void", said)


def _void(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office,
    asked: Asking,
    voiding: Voiding,
    approved: Approved,
    unit: Unit,
    who: Worker,
) -> Answer:
    approved_by = approved.get(Permission.APPROVE)
    if who.drawer is None:
        raise say_no(No.NO_DRAWER)
    ticket, now = _ticket_to_void(office, unit, who, voiding.number)
    check_reason(voiding.reason)
    why = why_copied(unit, ticket)
    if ticket.station != who.station:
        why = f"the ticket was issued at {ticket.station_code}"
    check_authority(office, unit, who, ticket, voiding.code, approved_by, why)
    before_loss = keeping.held_since(unit.connection, ticket.number) is not None
    held = check_held(unit, who, approved, held=is_held(Stands.OPEN, before_loss=before_loss))
    paid = paid_in_kind(queries.tender_of(unit.connection, ticket.number), ticket.price_cents)
    money = [part for part in paid if part.kind is not TenderKind.COUPON]
    if not are_in_drawer(unit, who, money):
        raise too_little(office, unit, who, No.NOT_IN_DRAWER)
    cash = [part for part in money if part.kind in CASH]
    passed = Passed(out_cents=tendered_cents(money), cash_out_cents=tendered_cents(cash))
    contact = in_contact(office, unit, who, voiding.contact, ticket.number, passed, now)
    done = voided(office.house.name, asked, voiding, who, ticket, paid, approved_by, contact, now)
    office.log_with(unit, Tag.VOID, {**done.body, **held}, done.rows)
    records.give_back_coupons(unit, paid)
    return done.answer


def voided(  # noqa: PLR0913, PLR0917  all that a void is
    house_name: str,
    asked: Asking,
    voiding: Voiding,
    who: Worker,
    ticket: TicketRow,
    paid: tuple[Tender, ...],
    approved_by: Person | None,
    contact: InContact,
    now: datetime,
) -> Done:
    """Return what a void leaves behind.

    Args:
        house_name: the house.
        asked: under which request id it was asked for.
        voiding: what was asked for.
        who: who voids it, out of their drawer.
        ticket: the ticket.
        paid: what it was paid with, in kind.
        approved_by: the supervisor who approved, if one had to.
        contact: the patron contact that it belongs to.
        now: when.
    """
    back = [{"kind": part.kind.value, "cents": part.cents} for part in paid]
    with_code = voiding.code is not None
    body = {
        "house": house_name,
        "ticket": ticket.number,
        "ticket_leaf": ticket.leaf.hex(),
        "series": ticket.series,
        "first_game": ticket.first_game,
        "price_cents": ticket.price_cents,
        "back": back,
        "issued_at": ticket.station_code,
        "station": who.station_code,
        "writer": who.code,
        "approver": approved_by and approved_by.code,
        "with_code": with_code,
        "reason": voiding.reason,
        "voided_at": time_text(now),
        "request_id": asked.request,
        **contact.said,
    }
    answer: Answer = {"number": ticket.number, "back": back, "back_cents": ticket.price_cents}
    answer |= contact.told
    void = {
        "ticket": ticket.number,
        "station": who.station,
        "staff": who.staff,
        "drawer": who.drawer,
        "approver": approved_by and approved_by.id,
        "with_code": with_code,
        "reason": voiding.reason,
        "voided_at": now,
        "request": asked.request,
    }
    rows: list[Row] = [
        kept(who, asked, answer),
        (Void, void),
        *contact.rows,
        *posting_rows(legs_of_void(who.drawer, paid)),
        *paper_rows(who.station, Slip.VOID, {"ticket": ticket.number}),
    ]
    return Done(answer, body, rows)


def _ticket_to_void(
    office: Office, unit: Unit, who: Worker, number: int
) -> tuple[TicketRow, datetime]:
    """Return a ticket whose first game is open, and stays so until this transaction ends.

    And the time at which that was judged, behind everything that had to be waited for.
    """
    found = queries.ticket(unit.connection, number)
    if found is None:
        raise say_no(No.UNKNOWN_TICKET, number=number)
    unit.share_series(found.series)
    if not hold_drawer(unit, who, alone=True):
        raise say_no(No.NO_DRAWER)
    ticket = queries.ticket(unit.connection, number) or found  # as it is now, under the lock
    if ticket.voided_at is not None:
        at = office.moment(ticket.voided_at)
        raise say_no(No.ALREADY_VOID, number=printed_number(number), at=at)
    name = f"{ticket.series}-{ticket.first_game}"
    if ticket.first_game_state is not GameState.OPEN:
        raise say_no(No.TOO_LATE, number=printed_number(number), game=name)
    game = games.open_game(unit.connection, ticket.series)
    now = unit.now(None if game is None else game.read_at)
    if game is not None and game.sells_until is not None and now >= game.sells_until:
        raise say_no(No.GAME_CLOSED, game=name)
    return ticket, now


def legs_of_void(drawer: int | None, paid: tuple[Tender, ...]) -> list[Leg]:
    """Return what a void moves: what was paid out of the drawer, in kind, and no longer owed."""
    legs = [
        Leg(Account.COUPONS, -part.cents)
        if part.kind is TenderKind.COUPON
        else Leg(Account.DRAWER, -part.cents, drawer, part.kind)
        for part in paid
    ]
    return [*legs, Leg(Account.PREPAID, sum(part.cents for part in paid))]
