"""Drawers, and money between accounts."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update

from app.keno.tender import TenderKind
from app.store.records.tickets import insert_or_find
from app.store.records.together import CameSecond, Row
from app.store.tables import Account, Drawer, DrawerCount, Posting
from app.store.unit import Unit

_OPEN = select(Drawer.id).where(Drawer.id == bindparam("drawer"), Drawer.closed_at.is_(None))
_HELD = _OPEN.with_for_update(read=True)
_HELD_TO_CLOSE = _OPEN.with_for_update(key_share=True)


@dataclass(frozen=True)
class Leg:
    """One leg of what an act moves: into an account, or out of it if it is negative."""

    account: Account
    cents: int
    drawer: int | None = None
    kind: TenderKind | None = None


def posting_rows(legs: Sequence[Leg]) -> list[Row]:
    """Return the rows that move money; legs that do not add up to zero are a defect."""
    if sum(leg.cents for leg in legs) != 0:
        raise ValueError("money was moved that does not add up to zero")
    return [
        (
            Posting,
            {
                "place": place,
                "account": leg.account.value,
                "cents": leg.cents,
                "drawer": leg.drawer,
                "kind": leg.kind and leg.kind.value,
            },
        )
        for place, leg in enumerate(leg for leg in legs if leg.cents)
    ]


def open_drawer(unit: Unit, station: int, staff: int, entry: int) -> int:
    """Open a drawer, and return its id.

    Raises:
        CameSecond: one was opened at this station, or by this person, at the same time.
    """
    values = {"station": station, "staff": staff, "entry": entry, "opened_at": unit.now()}
    opened = insert_or_find(unit, Drawer).values(values).on_conflict_do_nothing()
    drawer: int | None = unit.connection.execute(opened.returning(Drawer.id)).scalar_one_or_none()
    if drawer is None:
        raise CameSecond
    return drawer


def hold_drawer(unit: Unit, drawer: int, *, to_close: bool = False) -> bool:
    """Keep a drawer open until this transaction ends, or from use until it is closed.

    Says whether it could be: by the time that it is held, another may have closed it.
    """
    held = _HELD_TO_CLOSE if to_close else _HELD
    return unit.connection.execute(held, {"drawer": drawer}).first() is not None


def close_drawer(unit: Unit, drawer: int) -> None:
    """Close a drawer."""
    unit.connection.execute(update(Drawer).where(Drawer.id == drawer).values(closed_at=unit.now()))


def count_row(drawer: int, counted: object, cents: int, *, closing: bool) -> Row:
    """Return the row that keeps what was counted in a drawer."""
    return DrawerCount, {"drawer": drawer, "closing": closing, "counted": counted, "cents": cents}
