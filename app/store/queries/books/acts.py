"""What was done in a stretch of the log: every row whose entry is in it.

Rows are given out as they are: nothing is summed or judged here.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from sqlalchemy import Connection, func, null, select, type_coerce
from sqlalchemy.orm import aliased

from app.store.columns import Json
from app.store.queries.books.rows import (
    StoredContact,
    StoredCopy,
    StoredCount,
    StoredDrawer,
    StoredExpiry,
    StoredPayout,
    StoredPosting,
    StoredRefund,
    StoredStep,
    StoredTicket,
    StoredVoid,
)
from app.store.queries.books.span import Span, rows_of
from app.store.queries.log import ENTRY_COLUMNS, EntryRow
from app.store.tables import (
    Cancellation,
    ContactAct,
    Drawer,
    DrawerCount,
    Expiry,
    LogEntry,
    LogPosition,
    PaperEvent,
    Payout,
    Posting,
    PrintJob,
    Refund,
    Reprint,
    Staff,
    Station,
    Ticket,
    Void,
)

TICKETS = (
    select(
        Ticket.number,
        Ticket.series,
        Ticket.first_game,
        Ticket.last_game,
        Ticket.games,
        Ticket.play,
        Ticket.card,
        Ticket.price_per_game_cents,
        Ticket.price_cents,
        Ticket.tendered_cents,
        Ticket.drawer,
        Ticket.sold_at,
        Ticket.entry,
        Station.code,
        Staff.code,
        Ticket.prints_expiry,
    )
    .outerjoin(Station, Station.id == Ticket.station)
    .outerjoin(Staff, Staff.id == Ticket.staff)
)
_APPROVER = aliased(Staff)
VOIDS = (
    select(
        Void.ticket,
        Void.drawer,
        Void.voided_at,
        Void.entry,
        Void.with_code,
        Void.reason,
        Station.code,
        Staff.code,
        _APPROVER.code,
    )
    .outerjoin(Station, Station.id == Void.station)
    .outerjoin(Staff, Staff.id == Void.staff)
    .outerjoin(_APPROVER, _APPROVER.id == Void.approver)
)
CANCELLATIONS = select(
    Cancellation.ticket,
    Cancellation.first_cancelled,
    null(),
    Cancellation.cents,
    Cancellation.drawer,
    Cancellation.entry,
    Cancellation.cancelled_at,
)
REFUNDS = select(
    Refund.ticket,
    null(),
    Refund.game,
    Refund.cents,
    Refund.drawer,
    Refund.entry,
    Refund.refunded_at,
)
PAYOUTS = select(
    Payout.ticket, Payout.cents, Payout.paid_by, Payout.drawer, Payout.paid_at, Payout.entry
)
EXPIRIES = select(Expiry.ticket, Expiry.cents, Expiry.expired_at, Expiry.entry)
BODY = type_coerce(func.nullif(LogEntry.body, ""), Json)  # none if it is not at hand


def entries(connection: Connection, span: Span) -> list[EntryRow]:
    """Return the entries of a stretch, in their order."""
    found = (
        select(*ENTRY_COLUMNS)
        .outerjoin(LogPosition, LogPosition.entry == LogEntry.id)
        .where(span.holds(LogEntry.id))
        .order_by(LogEntry.id)
    )
    return [EntryRow(*row) for row in connection.execute(found)]


def postings(connection: Connection, span: Span) -> Iterator[StoredPosting]:
    """Yield every leg of what the acts moved."""
    found = (
        select(Posting.entry, Posting.account, Posting.drawer, Posting.kind, Posting.cents)
        .where(span.holds(Posting.entry))
        .order_by(Posting.entry, Posting.place)
    )
    yield from (StoredPosting(*row) for row in connection.execute(found))


def sold(connection: Connection, span: Span) -> list[StoredTicket]:
    """Return the tickets that were sold, by number."""
    found = TICKETS.where(span.holds(Ticket.entry))
    return sorted(
        (StoredTicket(*row) for row in connection.execute(found)), key=lambda each: each.number
    )


def voided(connection: Connection, span: Span) -> list[StoredVoid]:
    """Return the voids."""
    return [StoredVoid(*row) for row in connection.execute(VOIDS.where(span.holds(Void.entry)))]


def refunded(connection: Connection, span: Span) -> list[StoredRefund]:
    """Return what went back for games that were not played."""
    cancelled = connection.execute(CANCELLATIONS.where(span.holds(Cancellation.entry)))
    void = connection.execute(REFUNDS.where(span.holds(Refund.entry)))
    return [StoredRefund(*row) for row in chain(cancelled, void)]


def paid(connection: Connection, span: Span) -> list[StoredPayout]:
    """Return the payments."""
    found = PAYOUTS.where(span.holds(Payout.entry))
    return [StoredPayout(*row) for row in connection.execute(found)]


def expired(connection: Connection, span: Span) -> list[StoredExpiry]:
    """Return the wins that expired."""
    found = EXPIRIES.where(span.holds(Expiry.entry))
    return [StoredExpiry(*row) for row in connection.execute(found)]


def contact_acts(connection: Connection, span: Span) -> list[StoredContact]:
    """Return every act within a contact, in the order of their entries."""
    found = (
        select(
            ContactAct.entry,
            Station.code,
            ContactAct.contact,
            ContactAct.player_card,
            ContactAct.gaming_day,
            ContactAct.ticket,
            ContactAct.in_cents,
            ContactAct.out_cents,
            ContactAct.cash_in_cents,
            ContactAct.cash_out_cents,
        )
        .join(Station, Station.id == ContactAct.station)
        .where(span.holds(ContactAct.entry))
        .order_by(ContactAct.entry)
    )
    return [StoredContact(*row) for row in rows_of(connection, found)]


def counted(connection: Connection, span: Span) -> list[StoredCount]:
    """Return what was counted in drawers."""
    found = select(
        DrawerCount.drawer, DrawerCount.closing, DrawerCount.cents, DrawerCount.entry
    ).where(span.holds(DrawerCount.entry))
    return [StoredCount(*row) for row in connection.execute(found)]


# ---- drawers -------------------------------------------------------------------------------------

_DRAWERS = (
    select(
        Drawer.id,
        Station.code,
        Staff.code,
        Drawer.opened_at,
        Drawer.closed_at,
        Drawer.entry,
        DrawerCount.entry,
    )
    .outerjoin(Station, Station.id == Drawer.station)
    .outerjoin(Staff, Staff.id == Drawer.staff)
    .outerjoin(DrawerCount, (DrawerCount.drawer == Drawer.id) & DrawerCount.closing)
)


def opened_drawers(connection: Connection, span: Span) -> list[StoredDrawer]:
    """Return the drawers that were opened."""
    found = _DRAWERS.where(span.holds(Drawer.entry)).order_by(Drawer.id)
    return [StoredDrawer(*row) for row in connection.execute(found)]


def drawers_between(connection: Connection, first: int, last: int) -> list[StoredDrawer]:
    """Return drawers by their numbers."""
    found = _DRAWERS.where(Drawer.id.between(first, last))
    return [StoredDrawer(*row) for row in connection.execute(found)]


# ---- paper ---------------------------------------------------------------------------------------


_COPIES = select(Reprint.job, Reprint.copy, Reprint.entry)


def print_jobs(connection: Connection, span: Span) -> dict[int, tuple[str, Any]]:
    """Return which slip each act has printed, and what that is about."""
    found = select(PrintJob.entry, PrintJob.slip, PrintJob.payload)
    rows = connection.execute(found.where(span.holds(PrintJob.entry)))
    return {row.entry: (row.slip, row.payload) for row in rows}


def steps(connection: Connection, span: Span) -> Iterator[StoredStep]:
    """Yield all that became of the papers of a stretch, in its order."""
    found = (
        select(PaperEvent.entry, PaperEvent.copy, PaperEvent.state, PaperEvent.kicked)
        .where(span.holds(PaperEvent.entry))
        .order_by(PaperEvent.id)
    )
    yield from (StoredStep(*row) for row in connection.execute(found))


def copies(connection: Connection, span: Span) -> Iterator[StoredCopy]:
    """Yield every copy of the papers of a stretch, in their order."""
    found = _COPIES.where(span.holds(Reprint.job)).order_by(Reprint.job, Reprint.copy)
    yield from (StoredCopy(*row) for row in connection.execute(found))


def copied(connection: Connection, span: Span) -> list[StoredCopy]:
    """Return the copies that were made, of whatever papers."""
    found = _COPIES.where(span.holds(Reprint.entry)).order_by(Reprint.entry)
    return [StoredCopy(*row) for row in connection.execute(found)]
