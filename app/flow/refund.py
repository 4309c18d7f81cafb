"""Money back for games that are not played: the rest of a ticket, and games that are void.

The rest of a multi-race ticket can be cancelled as far as it is not locked (15.4(d)-refund); that
takes the same lock as a sale. A game that was voided refunds its price (X-fault-refund). Either
needs the validation code from the paper, or a supervisor's approval; either prints a slip. A ticket
of which nothing is played yet is voided, not refunded.

What was paid with a coupon does not go back in money: coupons count as spent on the earliest games.
If all games of a ticket were void, its coupons can be used again, as after a void.

Write order: there is one commit. *Crash before: nothing went back. Crash after: it did, and the
station that asks again is told so.*
"""

from dataclasses import dataclass
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Approval, Credentials, at_work
from app.flow.asking import Answer, Asking, asking, kept
from app.flow.authority import (
    Approved,
    answer_approved,
    check_authority,
    check_held,
    why_copied,
)
from app.flow.cash import is_in_drawer, too_little
from app.flow.contact import Contact, Passed, check_contact, in_contact
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.flow.standing import Standing, standing_of
from app.keno.game import GameState
from app.keno.numbering import printed_number
from app.keno.refund import Back, refund_of
from app.keno.standing import Stands
from app.keno.tender import TenderKind
from app.store.queries import games
from app.store.queries import tickets as queries
from app.store.queries.people import Worker
from app.store.queries.tickets import TicketRow
from app.store.records import tickets as records
from app.store.records.money import Leg, hold_drawer, posting_rows
from app.store.records.paper import paper_rows
from app.store.records.together import Row
from app.store.tables import Account, Cancellation, Refund, Slip
from app.store.unit import Unit


@dataclass(frozen=True)
class Refunding:
    """What a writer asks to have refunded, and on what authority."""

    number: int
    reason: str
    code: str | None = None
    approval: Approval | None = None
    cancel: bool = True  # the games that are not locked yet; else only what is void
    contact: Contact | None = None
    manager: Approval | None = None  # of a ticket that is held


@dataclass(frozen=True)
class _Due:
    """What goes back: from which game on the ticket is cancelled, and which games were void."""

    cancelled_from: int | None
    cancelled: Back
    void_games: dict[int, Back]
    refunded_before: int  # how many games went back already

    @property
    def cash_cents(self) -> int:
        return self.cancelled.cash_cents + sum(b.cash_cents for b in self.void_games.values())

    @property
    def coupon_cents(self) -> int:
        return self.cancelled.coupon_cents + sum(b.coupon_cents for b in self.void_games.values())

    def is_all_of(self, ticket: TicketRow) -> bool:
        """Whether no game of the ticket was played: then its coupons can be used again."""
        back = len(self.void_games) + self.refunded_before
        return back == ticket.last_game - ticket.first_game + 1


def refund_ticket(
    office: Office, credentials: Credentials, refunding: Refunding, request: str | None
) -> Answer:
    """Give back the price of a ticket's games that are not played; return how much, for what.

    Refuses: whoever is not at work with an open drawer; a ticket that is not there, is void, or of
    which nothing goes back; a wrong code; what a supervisor, or a manager, must approve and did
    not.
    """
    said: dict[str, object] = {
        "number": refunding.number,
        "reason": refunding.reason,
        "cancel": refunding.cancel,
    }
    if refunding.contact is not None:
        said["contact"] = vars(refunding.contact)
    asked = asking(request, "refund", said)
    worker = at_work(credentials, Permission.TICKET_REFUND)
    check_contact(refunding.contact)
    act = partial(_refund, office, asked, refunding)
    approvals = {
        Permission.APPROVE: refunding.approval,
        Permission.APPROVE_LARGE: refunding.manager,
    }
    return answer_approved(office, asked, worker, approvals, act)


def _refund(  # noqa: PLR0913, PLR0917  what is asked, by whom, and in which transaction
    office: Office,
    asked: Asking,
    refunding: Refunding,
    approved: Approved,
    unit: Unit,
    who: Worker,
) -> Answer:
    approved_by = approved.get(Permission.APPROVE)
    if who.drawer is None:
        raise say_no(No.NO_DRAWER)
    ticket, standing = _ticket_to_refund(office, unit, who, refunding.number)
    check_reason(refunding.reason)
    why = why_copied(unit, ticket)
    check_authority(office, unit, who, ticket, refunding.code, approved_by, why)
    held = check_held(unit, who, approved, held=standing.is_held)
    due = _due(unit, ticket, standing, cancel=refunding.cancel)
    if not is_in_drawer(unit, who, due.cash_cents):
        raise too_little(office, unit, who, No.NOT_ENOUGH_CASH)
    now = unit.now()
    passed = Passed(out_cents=due.cash_cents, cash_out_cents=due.cash_cents)
    contact = in_contact(office, unit, who, refunding.contact, ticket.number, passed, now)
    authority = {
        "station": who.station,
        "staff": who.staff,
        "drawer": who.drawer,
        "approver": approved_by and approved_by.id,
        "with_code": refunding.code is not None,
        "request": asked.request,
    }
    back = [{"kind": TenderKind.CURRENCY.value, "cents": due.cash_cents}] if due.cash_cents else []
    coupons = queries.tender_of(unit.connection, ticket.number) if due.is_all_of(ticket) else []
    answer: Answer = {
        "number": ticket.number,
        "cancelled_from": due.cancelled_from,
        "void_games": sorted(due.void_games),
        "back": back,
        "back_cents": due.cash_cents,
        "coupon_cents": due.coupon_cents,
        "coupons_back": [part.serial for part in coupons if part.serial is not None],
        **contact.told,
    }
    body = {
        "house": office.house.name,
        "ticket": ticket.number,
        "ticket_leaf": ticket.leaf.hex(),
        "series": ticket.series,
        "first_cancelled": due.cancelled_from,
        "void_games": sorted(due.void_games),
        "back": back,
        "coupon_cents": due.coupon_cents,
        "coupons_back": answer["coupons_back"],
        "station": who.station_code,
        "writer": who.code,
        "approver": approved_by and approved_by.code,
        "with_code": refunding.code is not None,
        "reason": refunding.reason,
        "time": time_text(now),
        "request_id": asked.request,
        **contact.said,
        **held,
    }
    rows: list[Row] = [kept(who, asked, answer), *contact.rows]
    if due.cancelled_from is not None:
        values = {
            "ticket": ticket.number,
            "first_cancelled": due.cancelled_from,
            "cents": due.cancelled.cents,
            "back": back,
            "reason": refunding.reason,
            "cancelled_at": now,
            **authority,
        }
        rows.append((Cancellation, values))
    for game, part in due.void_games.items():
        values = {
            "ticket": ticket.number,
            "game": game,
            "cents": part.cents,
            "back": back,
            "refunded_at": now,
            **authority,
        }
        rows.append((Refund, values))
    legs = [
        Leg(Account.DRAWER, -due.cash_cents, who.drawer, TenderKind.CURRENCY),
        Leg(Account.COUPONS, -due.coupon_cents),
        Leg(Account.PREPAID, due.cash_cents + due.coupon_cents),
    ]
    slip = paper_rows(who.station, Slip.REFUND, {"ticket": ticket.number, **answer})
    tag = Tag.REFUND if due.cancelled_from is None else Tag.CANCEL
    office.log_with(unit, tag, body, [*rows, *posting_rows(legs), *slip])
    records.give_back_coupons(unit, coupons)
    return answer


def _ticket_to_refund(
    office: Office, unit: Unit, who: Worker, number: int
) -> tuple[TicketRow, Standing]:
    """Return a ticket and how it stands, while no game of its series can be locked."""
    found = queries.ticket(unit.connection, number)
    if found is None:
        raise say_no(No.UNKNOWN_TICKET, number=number)
    unit.share_series(found.series)
    if not hold_drawer(unit, who, alone=True):
        raise say_no(No.NO_DRAWER)
    ticket = queries.ticket(unit.connection, number) or found  # as it is now, under the lock
    standing = standing_of(office, unit, ticket, unit.now())
    if standing.stands is Stands.VOID:
        at = office.moment(ticket.voided_at) if ticket.voided_at else ""
        raise say_no(No.ALREADY_VOID, number=printed_number(number), at=at)
    if standing.stands is Stands.OPEN:
        raise say_no(No.VOID_INSTEAD, number=printed_number(number))
    return ticket, standing


def _due(unit: Unit, ticket: TicketRow, standing: Standing, *, cancel: bool) -> _Due:
    """Return what goes back; refuse where nothing does."""
    tender = queries.tender_of(unit.connection, ticket.number)

    def back(first: int, last: int) -> Back:
        places = range(first - ticket.first_game, last + 1 - ticket.first_game)
        return refund_of(tender, ticket.price_per_game_cents, places)

    cancelled_from = None
    if cancel and not standing.is_cancelled:  # what was cancelled once stays as it was cancelled
        cancelled_from = _first_unlocked(unit, ticket, standing.last_game)
    void = {
        game.number: back(game.number, game.number)
        for game in standing.games
        if game.state is GameState.VOID and not game.refunded_cents
    }
    if cancelled_from is None and not void:
        raise say_no(No.NOTHING_TO_REFUND, number=printed_number(ticket.number))
    rest = Back(0, 0) if cancelled_from is None else back(cancelled_from, standing.last_game)
    before = sum(1 for game in standing.games if game.refunded_cents)
    return _Due(cancelled_from, rest, void, before)


def _first_unlocked(unit: Unit, ticket: TicketRow, last_game: int) -> int | None:
    """Return the first game of a ticket that is not locked, nor about to be; none if all are."""
    game = games.open_game(unit.connection, ticket.series)
    if game is None:
        return None
    closed = game.sells_until is not None and unit.now(game.read_at) >= game.sells_until
    first = game.number + 1 if closed else game.number
    return max(first, ticket.first_game) if first <= last_game else None
