"""Drawers, and what is in them."""

from sqlalchemy import Connection, func, or_, select

from app.keno.tender import TenderKind
from app.store.tables import Drawer, Posting


def is_open_at(connection: Connection, station: int, staff: int) -> bool:
    """Whether a drawer is open at a station, or of a person."""
    found = select(Drawer.id).where(
        Drawer.closed_at.is_(None), or_(Drawer.station == station, Drawer.staff == staff)
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
