"""What went through drawers: by shift, and by the time of the act.

Found by the numbers of the entries, which are given in the order of time: whatever goes through a
drawer lies between its opening and its last count, and nothing else need be looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select, union

from app.keno.drawer import DrawerAct
from app.keno.shift import ShiftFigures
from app.store.queries.stretches import entry_before
from app.store.tables import (
    Account,
    Cancellation,
    Drawer,
    DrawerCount,
    DrawerMove,
    Payout,
    Posting,
    Refund,
    Staff,
    Station,
    Ticket,
    Void,
)


def shifts_of(connection: Connection, begins: datetime, ends: datetime) -> list[ShiftFigures]:
    """Return the shifts whose drawer was opened from a moment until another, and is closed."""
    return _shifts(connection, and_(Drawer.opened_at >= begins, Drawer.opened_at < ends))


def shift_of(connection: Connection, drawer: int) -> ShiftFigures | None:
    """Return the shift of a drawer; none while it is open."""
    return next(iter(_shifts(connection, Drawer.id == drawer)), None)


def _shifts(connection: Connection, which: ColumnElement[bool]) -> list[ShiftFigures]:
    found = (
        select(Drawer.id, Staff.code, Station.code)
        .join(Staff, Staff.id == Drawer.staff)
        .join(Station, Station.id == Drawer.station)
        .where(which, Drawer.closed_at.is_not(None))
        .order_by(Drawer.id)
    )
    who = {drawer: (writer, station) for drawer, writer, station in connection.execute(found)}
    if not who:
        return []
    first, last = _entries_of(connection, which)
    voided = select(Void.drawer, func.sum(Ticket.price_cents)).join(
        Ticket, Ticket.number == Void.ticket
    )
    sums = {
        "sales_cents": select(Ticket.drawer, func.sum(Ticket.price_cents)),
        "voids_cents": voided,
        "cancelled_cents": select(Cancellation.drawer, func.sum(Cancellation.cents)),
        "refunded_cents": select(Refund.drawer, func.sum(Refund.cents)),
        "paid_cents": select(Payout.drawer, func.sum(Payout.cents)),
        "over_short_cents": select(DrawerCount.drawer, func.sum(-Posting.cents))
        .join(Posting, Posting.entry == DrawerCount.entry)
        .where(Posting.account == Account.OVER_SHORT.value),
        "opening_cents": select(DrawerCount.drawer, func.sum(DrawerCount.cents)).where(
            DrawerCount.closing.is_(False)
        ),
        "counted_cents": select(DrawerCount.drawer, func.sum(DrawerCount.cents)).where(
            DrawerCount.closing.is_(True)
        ),
    }
    entries = {
        "sales_cents": Ticket.entry,
        "voids_cents": Void.entry,
        "cancelled_cents": Cancellation.entry,
        "refunded_cents": Refund.entry,
        "paid_cents": Payout.entry,
        "over_short_cents": Posting.entry,
        "opening_cents": DrawerCount.entry,
        "counted_cents": DrawerCount.entry,
    }
    got: dict[str, Mapping[int, int]] = {}
    for name, each in sums.items():
        drawer = each.selected_columns[0]
        within = which, entries[name].between(first, last)
        grouped = each.join(Drawer, Drawer.id == drawer).where(*within).group_by(drawer)
        got[name] = {row[0]: int(row[1]) for row in connection.execute(grouped) if row[0]}
    moved = _moved(connection, and_(which, Posting.entry.between(first, last)))
    return [
        ShiftFigures(
            drawer=drawer,
            writer=writer,
            station=station,
            sales_cents=got["sales_cents"].get(drawer, 0),
            voids_cents=got["voids_cents"].get(drawer, 0),
            refunds_cents=got["cancelled_cents"].get(drawer, 0)
            + got["refunded_cents"].get(drawer, 0),
            paid_cents=got["paid_cents"].get(drawer, 0),
            opening_cents=got["opening_cents"].get(drawer, 0),
            filled_cents=moved.get((drawer, DrawerAct.FILL), 0),
            bled_cents=moved.get((drawer, DrawerAct.BLEED), 0),
            counted_cents=got["counted_cents"].get(drawer, 0),
            over_short_cents=got["over_short_cents"].get(drawer, 0),
        )
        for drawer, (writer, station) in who.items()
    ]


def _entries_of(connection: Connection, which: ColumnElement[bool]) -> tuple[int, int]:
    """Return the entries between which everything lies that went through drawers."""
    found = (
        select(func.min(Drawer.entry), func.max(DrawerCount.entry))
        .join(DrawerCount, DrawerCount.drawer == Drawer.id)
        .where(which, Drawer.closed_at.is_not(None))
    )
    first, last = connection.execute(found).one()
    return int(first), int(last)


@dataclass(frozen=True)
class OverCounters:
    """What patrons brought less what they took, in cents, by whose act and drawer it was."""

    both_cents: int  # an act of this time, in a drawer of this time
    act_cents: int  # an act of this time, in a drawer of another
    drawer_cents: int  # an act of another time, in a drawer of this


def over_counters(connection: Connection, begins: datetime, ends: datetime) -> OverCounters:
    """Return what went over the counters from a moment until another.

    A drawer belongs to where it was opened, an act to where it happened.
    """
    facts = (
        (Ticket.entry, Ticket.drawer, Ticket.sold_at),
        (Void.entry, Void.drawer, Void.voided_at),
        (Cancellation.entry, Cancellation.drawer, Cancellation.cancelled_at),
        (Refund.entry, Refund.drawer, Refund.refunded_at),
        (Payout.entry, Payout.drawer, Payout.paid_at),
    )
    opened = and_(Drawer.opened_at >= begins, Drawer.opened_at < ends)
    after = entry_before(connection, begins)
    acts = union(  # not all: a payment can have several refunds, and is one act
        *(
            select(entry.label("entry"), _flag(done).label("done"), _flag(opened).label("opened"))
            .join(Drawer, Drawer.id == drawer)
            .where(entry > after, or_(done, opened))
            for entry, drawer, done in (
                (entry, drawer, and_(at >= begins, at < ends)) for entry, drawer, at in facts
            )
        )
    ).subquery()
    found = (
        select(acts.c.done, acts.c.opened, func.sum(Posting.cents))
        .join(Posting, Posting.entry == acts.c.entry)
        .where(Posting.account == Account.DRAWER.value, Posting.entry > after)
        .group_by(acts.c.done, acts.c.opened)
    )
    sums = {(done, opened): int(cents) for done, opened, cents in connection.execute(found)}
    return OverCounters(sums.get((1, 1), 0), sums.get((1, 0), 0), sums.get((0, 1), 0))


def _flag(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return case((condition, 1), else_=0)


def _moved(connection: Connection, which: ColumnElement[bool]) -> dict[Any, int]:
    """Return what was filled and bled, by drawer and act."""
    found = (
        select(DrawerMove.drawer, DrawerMove.act, func.sum(Posting.cents))
        .join(Posting, Posting.entry == DrawerMove.entry)
        .join(Drawer, Drawer.id == DrawerMove.drawer)
        .where(Posting.account == Account.DRAWER.value, which)
        .group_by(DrawerMove.drawer, DrawerMove.act)
    )
    return {(row[0], row[1]): abs(int(row[2])) for row in connection.execute(found)}
