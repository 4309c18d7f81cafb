"""Drawers, and money between accounts."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import insert, select, update

from app.keno.tender import TenderKind
from app.store.records.tickets import AskedMeanwhile, insert_or_find
from app.store.tables import Account, Drawer, DrawerCount, Posting
from app.store.unit import Unit


@dataclass(frozen=True)
class Leg:
    """One leg of what an act moves: into an account, or out of it if it is negative."""

    account: Account
    cents: int
    drawer: int | None = None
    kind: TenderKind | None = None


def add_postings(unit: Unit, entry: int, legs: Sequence[Leg]) -> None:
    """Move money; legs that do not add up to zero are a defect."""
    if sum(leg.cents for leg in legs) != 0:
        raise ValueError("money was moved that does not add up to zero")
    rows = [
        {
            "entry": entry,
            "place": place,
            "account": leg.account.value,
            "cents": leg.cents,
            "drawer": leg.drawer,
            "kind": leg.kind and leg.kind.value,
        }
        for place, leg in enumerate(leg for leg in legs if leg.cents)
    ]
    if rows:
        unit.connection.execute(insert(Posting), rows)


def open_drawer(unit: Unit, station: int, staff: int, entry: int) -> int:
    """Open a drawer, and return its id.

    Raises:
        AskedMeanwhile: one was opened at this station, or by this person, at the same time.
    """
    values = {"station": station, "staff": staff, "entry": entry, "opened_at": unit.now()}
    opened = insert_or_find(unit, Drawer).values(values).on_conflict_do_nothing()
    drawer: int | None = unit.connection.execute(opened.returning(Drawer.id)).scalar_one_or_none()
    if drawer is None:
        raise AskedMeanwhile
    return drawer


def hold_drawer(unit: Unit, drawer: int, *, to_close: bool = False) -> bool:
    """Keep a drawer open until this transaction ends, or from use until it is closed.

    Says whether it could be: by the time that it is held, another may have closed it.
    """
    found = select(Drawer.id).where(Drawer.id == drawer, Drawer.closed_at.is_(None))
    held = found.with_for_update(read=not to_close, key_share=to_close)
    return unit.connection.execute(held).first() is not None


def close_drawer(unit: Unit, drawer: int) -> None:
    """Close a drawer."""
    unit.connection.execute(update(Drawer).where(Drawer.id == drawer).values(closed_at=unit.now()))


def add_count(
    unit: Unit, drawer: int, counted: object, cents: int, entry: int, *, closing: bool
) -> None:
    """Keep what was counted in a drawer."""
    values = {"drawer": drawer, "closing": closing, "counted": counted, "cents": cents}
    unit.connection.execute(insert(DrawerCount), {**values, "entry": entry})
