"""Drawers, and what is in them."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, or_, select

from app.keno.drawer import DrawerAct, DrawerState, Moved
from app.keno.tender import TenderKind
from app.store.tables import (
    Drawer,
    DrawerCount,
    DrawerMove,
    LogEntry,
    Payout,
    Posting,
    Staff,
    Station,
)


@dataclass(frozen=True)
class DrawerRow:
    """A drawer, whose it is, and where."""

    id: int
    staff: int
    writer_code: str
    station: int
    station_code: str
    state: DrawerState
    opened_at: datetime


def drawer(connection: Connection, number: int) -> DrawerRow | None:
    """Return a drawer."""
    row = connection.execute(_DRAWERS.where(Drawer.id == number)).first()
    return None if row is None else _drawer(row)


def drawers_in_use(connection: Connection, staff: int | None = None) -> list[DrawerRow]:
    """Return the drawers that are not closed: of one person, or of the house."""
    found = _DRAWERS.where(Drawer.closed_at.is_(None)).order_by(Drawer.id)
    if staff is not None:
        found = found.where(Drawer.staff == staff)
    return [_drawer(row) for row in connection.execute(found)]


_DRAWERS = (
    select(Drawer.__table__, Staff.code.label("writer"), Station.code.label("place"))
    .join(Staff, Staff.id == Drawer.staff)
    .join(Station, Station.id == Drawer.station)
)


def _drawer(row: Any) -> DrawerRow:  # noqa: ANN401  of the above
    state = DrawerState.OPEN if row.suspended_at is None else DrawerState.SUSPENDED
    if row.closed_at is not None:
        state = DrawerState.CLOSED
    return DrawerRow(row.id, row.staff, row.writer, row.station, row.place, state, row.opened_at)


@dataclass(frozen=True)
class ClosedDrawer:
    """A closed drawer: whose it was, what was over or short, and whether that is explained."""

    id: int
    writer_code: str
    over_cents: int
    is_explained: bool


def closed_lately(connection: Connection, count: int) -> list[ClosedDrawer]:
    """Return the drawers that were opened last of those that are closed."""
    found = (
        select(Drawer.id, Staff.code)
        .join(Staff, Staff.id == Drawer.staff)
        .where(Drawer.closed_at.is_not(None))
        .order_by(Drawer.id.desc())
        .limit(count)
    )
    return [
        ClosedDrawer(
            number,
            writer,
            int(closing(connection, number)["over_short_cents"]),
            bool(explanations(connection, number)),
        )
        for number, writer in connection.execute(found).all()
    ]


def is_open_at(connection: Connection, station: int, staff: int) -> bool:
    """Whether a drawer is in use at a station, or a person has one that is not closed."""
    in_use = (Drawer.station == station) & Drawer.suspended_at.is_(None)
    found = select(Drawer.id).where(Drawer.closed_at.is_(None), or_(in_use, Drawer.staff == staff))
    return connection.execute(found).first() is not None


def is_in_use(connection: Connection, station: int, but: int) -> bool:
    """Whether another drawer is in use at a station."""
    found = select(Drawer.id).where(
        Drawer.station == station,
        Drawer.closed_at.is_(None),
        Drawer.suspended_at.is_(None),
        Drawer.id != but,
    )
    return connection.execute(found).first() is not None


def contents(connection: Connection, drawer: int) -> dict[TenderKind, int]:
    """Return what should be in a drawer, by kind, from all that was moved into it and out."""
    found = (
        select(Posting.kind, func.sum(Posting.cents))
        .where(Posting.drawer == drawer)
        .group_by(Posting.kind)
    )
    return {TenderKind(kind or ""): int(cents) for kind, cents in connection.execute(found)}


def acts(connection: Connection, drawer: int) -> list[Moved]:
    """Return every act that moved a drawer but its opening and its close, and by how much."""
    found = (
        select(LogEntry.tag, LogEntry.body, func.sum(Posting.cents))
        .join(LogEntry, LogEntry.id == Posting.entry)
        .where(Posting.drawer == drawer, LogEntry.tag.not_in(["DRAWER-OPEN", "DRAWER-CLOSE"]))
        .group_by(LogEntry.id, LogEntry.tag, LogEntry.body)
        .order_by(LogEntry.id)
    )
    return [
        Moved(_name(tag, json.loads(body or "{}")), int(cents))
        for tag, body, cents in connection.execute(found)
        if cents
    ]


def _name(tag: str, body: dict[str, Any]) -> str:
    """Return an act in a few words."""
    if not body:
        return "an act that is archived"
    if tag == "DRAWER-MOVE":
        return f"{body['act']} at {body['time']}"
    words = {"TICKET": "sold", "VOID": "voided", "PAID": "paid"}
    return f"ticket {body.get('number', body.get('ticket'))} {words.get(tag, 'refunded')}"


def paid_tickets(connection: Connection, drawer: int) -> dict[int, int]:
    """Return the tickets that were paid from a drawer, which stay in it, with their amounts."""
    found = select(Payout.ticket, Payout.cents).where(Payout.drawer == drawer)
    paid = connection.execute(found.order_by(Payout.ticket))
    return {row.ticket: row.cents for row in paid}


def closing(connection: Connection, drawer: int) -> dict[str, Any]:
    """Return what a drawer was closed with: what was counted, and what was over or short."""
    found = (
        select(DrawerCount.cents, DrawerCount.counted, LogEntry.body)
        .join(LogEntry, LogEntry.id == DrawerCount.entry)
        .where(DrawerCount.drawer == drawer, DrawerCount.closing)
    )
    cents, counted, body = connection.execute(found).one()
    said = json.loads(body) if body else _closed_with(connection, drawer, cents)
    return {
        "counted": counted,
        "counted_cents": cents,
        "expected_cents": said["expected_cents"],
        "over_short_cents": said["over_short_cents"],
        "tickets": said.get("tickets"),  # the paid ones that lay in it; none if nobody looked
    }


def _closed_with(connection: Connection, drawer: int, cents: int) -> dict[str, Any]:
    """Return what should have been in a drawer at its close, from the money: its entry is archived.

    The close takes out just what should be there, so all that went before adds up to that.
    """
    close = select(DrawerCount.entry).where(DrawerCount.drawer == drawer, DrawerCount.closing)
    found = select(func.coalesce(func.sum(Posting.cents), 0)).where(
        Posting.drawer == drawer, Posting.entry.not_in(close)
    )
    expected = int(connection.execute(found).scalar_one())
    return {"expected_cents": expected, "over_short_cents": cents - expected}


def explanations(connection: Connection, drawer: int) -> list[str]:
    """Return what was said of a difference, in order."""
    found = (
        select(DrawerMove.words)
        .where(DrawerMove.drawer == drawer, DrawerMove.act == DrawerAct.EXPLAIN.value)
        .order_by(DrawerMove.entry)
    )
    return [words or "" for words in connection.execute(found).scalars()]
