"""What became of some tickets, whenever that was: everything about them, by their numbers."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute

from app.store.queries.books.acts import (
    CANCELLATIONS,
    EXPIRIES,
    PAYOUTS,
    REFUNDS,
    TICKETS,
    VOIDS,
)
from app.store.queries.books.rows import (
    StoredApproval,
    StoredExpiry,
    StoredLoss,
    StoredPaper,
    StoredPayout,
    StoredRefund,
    StoredTender,
    StoredTicket,
    StoredVoid,
)
from app.store.tables import (
    Approval,
    Cancellation,
    Coupon,
    Expiry,
    LookUp,
    LostTicket,
    Outcome,
    Payout,
    Presentation,
    Refund,
    ReportedWin,
    Reprint,
    Settlement,
    Share,
    ShownInPart,
    Staff,
    Tender,
    Ticket,
    Void,
    Win,
)

AT_ONCE = 500
Key = TypeVar("Key", int, str)
Numbers = Sequence[int]


def tickets(connection: Connection, numbers: Numbers) -> Iterator[StoredTicket]:
    """Yield tickets."""
    found = _among(connection, TICKETS, Ticket.number, numbers)
    yield from (StoredTicket(*row) for row in found)


def tender(connection: Connection, numbers: Numbers) -> Iterator[StoredTender]:
    """Yield every part of what tickets were paid with, those of one in their order."""
    found = select(Tender.ticket, Tender.kind, Tender.cents, Tender.serial).order_by(
        Tender.ticket, Tender.place
    )
    yield from (StoredTender(*row) for row in _among(connection, found, Tender.ticket, numbers))


def voids(connection: Connection, numbers: Numbers) -> Iterator[StoredVoid]:
    """Yield the voids of tickets."""
    yield from (StoredVoid(*row) for row in _among(connection, VOIDS, Void.ticket, numbers))


def refunds(connection: Connection, numbers: Numbers) -> Iterator[StoredRefund]:
    """Yield what went back of tickets for games that were not played."""
    cancelled = _among(connection, CANCELLATIONS, Cancellation.ticket, numbers)
    void = _among(connection, REFUNDS, Refund.ticket, numbers)
    yield from (StoredRefund(*row) for row in chain(cancelled, void))


def payouts(connection: Connection, numbers: Numbers) -> Iterator[StoredPayout]:
    """Yield the payments of tickets."""
    yield from (StoredPayout(*row) for row in _among(connection, PAYOUTS, Payout.ticket, numbers))


def expiries(connection: Connection, numbers: Numbers) -> Iterator[StoredExpiry]:
    """Yield what of tickets expired."""
    yield from (StoredExpiry(*row) for row in _among(connection, EXPIRIES, Expiry.ticket, numbers))


def presented(connection: Connection, numbers: Numbers) -> dict[int, datetime]:
    """Return when each ticket was presented that could not be paid then."""
    found = select(Presentation.ticket, Presentation.presented_at)
    return dict(_pairs(_among(connection, found, Presentation.ticket, numbers)))


def approvals(connection: Connection, numbers: Numbers) -> Iterator[StoredApproval]:
    """Yield every approval of the payment of tickets."""
    found = select(Approval.ticket, Approval.tier, Staff.code, Approval.cents, Approval.entry).join(
        Staff, Staff.id == Approval.staff
    )
    yield from (StoredApproval(*row) for row in _among(connection, found, Approval.ticket, numbers))


def first_copies(connection: Connection, numbers: Numbers) -> dict[int, int]:
    """Return the entry of the first copy of each ticket that was copied."""
    found = (
        select(Ticket.number, func.min(Reprint.entry))
        .join(Reprint, Reprint.job == Ticket.entry)
        .group_by(Ticket.number)
    )
    return dict(_pairs(_among(connection, found, Ticket.number, numbers)))


def late_copies(connection: Connection, numbers: Numbers) -> dict[int, int]:
    """Return the first copy of each ticket that was made when its first game had ended."""
    found = (
        select(Ticket.number, func.min(Reprint.entry))
        .join(Reprint, Reprint.job == Ticket.entry)
        .join(Outcome, (Outcome.series == Ticket.series) & (Outcome.game == Ticket.first_game))
        .where(Reprint.entry > Outcome.entry)
        .group_by(Ticket.number)
    )
    return dict(_pairs(_among(connection, found, Ticket.number, numbers)))


def shown(connection: Connection, numbers: Numbers) -> dict[int, str]:
    """Return what was shown of each ticket that was paid without its whole code."""
    found = select(ShownInPart.ticket, ShownInPart.how)
    return dict(_pairs(_among(connection, found, ShownInPart.ticket, numbers)))


def lost(connection: Connection, numbers: Numbers) -> Iterator[StoredLoss]:
    """Yield when tickets were reported lost, the first reports first."""
    found = select(LostTicket.ticket, LostTicket.claimed_at, LostTicket.entry).order_by(
        LostTicket.entry
    )
    yield from (StoredLoss(*row) for row in _among(connection, found, LostTicket.ticket, numbers))


def looked_up_by(connection: Connection, ticket: int, before: int) -> set[str]:
    """Return who looked a win up without its code before an entry."""
    found = (
        select(Staff.code)
        .join(LookUp, LookUp.staff == Staff.id)
        .where(LookUp.first <= ticket, LookUp.last >= ticket, LookUp.entry < before)
    )
    return set(connection.execute(found).scalars())


def won(connection: Connection, numbers: Numbers) -> dict[tuple[int, int], int]:
    """Return what each ticket gets for each attempt that counted once, after any sharing."""
    # One by one, as they are kept: there are very many wins, and few of them are these tickets'.
    cents = (
        select(func.coalesce(Share.cents, Win.cents))
        .outerjoin_from(Win, Share, (Share.attempt == Win.attempt) & (Share.ticket == Win.ticket))
        .where(Win.attempt == Settlement.attempt, Win.ticket == Ticket.number)
        .scalar_subquery()
    )
    found = select(Settlement.attempt, Ticket.number, cents).join_from(
        Ticket,
        Settlement,
        (Settlement.series == Ticket.series)
        & Settlement.game.between(Ticket.first_game, Ticket.last_game),
    )
    rows = _among(connection, found, Ticket.number, numbers)
    return {(attempt, ticket): cents for attempt, ticket, cents in rows if cents is not None}


def reported(connection: Connection, numbers: Numbers) -> dict[tuple[int, int], StoredPaper]:
    """Return the wins of tickets that stand on papers, by ticket and game."""
    found = select(
        ReportedWin.ticket,
        ReportedWin.game,
        ReportedWin.win_cents,
        ReportedWin.wager_cents,
        ReportedWin.entry,
    )
    rows = _among(connection, found, ReportedWin.ticket, numbers)
    return {(row[0], row[1]): StoredPaper(*row) for row in rows}


def coupons(connection: Connection, serials: Sequence[str]) -> dict[str, int | None]:
    """Return which ticket each coupon is spent on."""
    found = select(Coupon.serial, Coupon.ticket)
    return dict(_pairs(_among(connection, found, Coupon.serial, serials)))


def spent_coupons(connection: Connection, serials: Sequence[str]) -> dict[str, list[int]]:
    """Return the ticket that each coupon is spent on, if that was paid with it and is not void."""
    found = (
        select(Coupon.serial, Coupon.ticket)
        .join(Tender, (Tender.ticket == Coupon.ticket) & (Tender.serial == Coupon.serial))
        .outerjoin(Void, Void.ticket == Coupon.ticket)
        .where(Void.ticket.is_(None))
    )
    rows = _among(connection, found, Coupon.serial, serials)
    return {serial: [ticket] for serial, ticket in rows}


def _pairs(rows: Iterable[Row[*tuple[Any, ...]]]) -> Iterator[tuple[Any, Any]]:
    yield from ((key, value) for key, value in rows)


def _among(
    connection: Connection,
    found: Select[*tuple[Any, ...]],
    column: InstrumentedAttribute[Key],
    keys: Sequence[Key],
) -> Iterator[Row[*tuple[Any, ...]]]:
    """Yield the rows that have one of these keys."""
    for first in range(0, len(keys), AT_ONCE):
        yield from connection.execute(found.where(column.in_(keys[first : first + AT_ONCE])))
