"""Drawers, and money between accounts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select, update

from app.keno.drawer import Count, DrawerAct
from app.keno.tender import TenderKind
from app.store.queries.people import Worker
from app.store.records.tickets import insert_or_find
from app.store.records.together import CameSecond, Row, second_is_told
from app.store.tables import (
    Account,
    Counter,
    Drawer,
    DrawerCount,
    DrawerMove,
    Posting,
    SignIn,
    Staff,
    Station,
)
from app.store.unit import Unit

_OPEN = select(Drawer.id).where(Drawer.id == bindparam("drawer"), Drawer.closed_at.is_(None))
_HELD_TO_CLOSE = _OPEN.with_for_update(key_share=True)
# With whoever works at it: that they are not disabled, signed out or enrolled anew in the meantime.
_AT_WORK = (
    select(Drawer.id, Station.token.label("station_token"), SignIn.token)
    .join(Staff, Staff.id == Drawer.staff)
    .join(Station, Station.id == Drawer.station)
    .join(SignIn, (SignIn.staff == Staff.id) & (SignIn.station == Station.id))
    .where(
        Drawer.closed_at.is_(None),
        Drawer.suspended_at.is_(None),
        Staff.disabled_at.is_(None),
        Station.disabled_at.is_(None),
        SignIn.ended_at.is_(None),
    )
)
_HELD = _AT_WORK.where(
    Drawer.id == bindparam("drawer"),
    Station.token == bindparam("station_token"),
    SignIn.token == bindparam("token"),
).with_for_update(read=True)
_SEVERAL_HELD = _AT_WORK.where(
    SignIn.token.in_(bindparam("tokens", expanding=True))
).with_for_update(read=True, skip_locked=True)
_ENABLED = (
    select(Staff.id)
    .where(Staff.id == bindparam("staff"), Staff.disabled_at.is_(None))
    .with_for_update(read=True)
)


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


def next_drawer(unit: Unit) -> int:
    """Take the next drawer's number; nobody else gets one until this transaction ends."""
    taken = update(Counter).where(Counter.name == "drawer").values(value=Counter.value + 1)
    number: int = unit.connection.execute(taken.returning(Counter.value)).scalar_one()
    return number


def open_drawer(
    unit: Unit, drawer: int, station: int, staff: int, entry: int, now: datetime
) -> None:
    """Open a drawer.

    Raises:
        CameSecond: one was opened at this station, or by this person, at the same time.
    """
    values = {"id": drawer, "station": station, "staff": staff, "entry": entry, "opened_at": now}
    opened = insert_or_find(unit, Drawer).values(values).on_conflict_do_nothing()
    if not unit.connection.execute(opened).rowcount:
        raise CameSecond


def hold_drawer(unit: Unit, who: Worker, *, alone: bool = False) -> bool:
    """Keep a worker at work with their drawer open until this transaction ends.

    Alone, nothing else moves in the drawer meanwhile: what is in it is what is counted on.

    Says whether it could be: by the time that it is held, another may have closed the drawer, or
    disabled the worker or the station.
    """
    named = {"drawer": who.drawer, "token": who.token, "station_token": who.station_token}
    if alone and not hold_drawer_to_close(unit, who.drawer or 0):
        return False
    if unit.connection.execute(_HELD, named).first() is None:
        return False
    unit.kept_at_work.add(who.token)
    return True


def hold_drawers(unit: Unit, workers: Iterable[Worker]) -> set[int]:
    """Keep several workers at work, as `hold_drawer` does; return the drawers that are held.

    Nobody is waited for: whoever is being disabled, or has their drawer counted, is left out. The
    others would have to wait with them, and whoever waits here for several could wait in a circle.
    """
    by_token = {who.token: who for who in workers}
    held = unit.connection.execute(_SEVERAL_HELD, {"tokens": list(by_token)})
    return {
        row.id
        for row in held
        if (row.id, row.station_token)
        == (by_token[row.token].drawer, by_token[row.token].station_token)
    }


def hold_drawer_to_close(unit: Unit, drawer: int) -> bool:
    """Keep everyone from using a drawer until it is closed; says whether it is still open."""
    return unit.connection.execute(_HELD_TO_CLOSE, {"drawer": drawer}).first() is not None


def hold_person(unit: Unit, staff: int) -> bool:
    """Keep a person from being disabled until this transaction ends; says whether they are not."""
    return unit.connection.execute(_ENABLED, {"staff": staff}).first() is not None


def close_drawer(unit: Unit, drawer: int, now: datetime) -> None:
    """Close a drawer."""
    unit.connection.execute(update(Drawer).where(Drawer.id == drawer).values(closed_at=now))


def count_row(drawer: int, count: Count, staff: int, verifier: int, *, closing: bool) -> Row:
    """Return the row that keeps what two people counted in a drawer."""
    values = {
        "drawer": drawer,
        "closing": closing,
        "counted": count.document(),
        "cents": count.total_cents,
        "staff": staff,
        "verifier": verifier,
    }
    return DrawerCount, values


def move_row(
    drawer: int,
    act: DrawerAct,
    station: int,
    staff: int,
    approver: int | None,
    now: datetime,
    *,
    amounts: object = None,
    words: str | None = None,
) -> Row:
    """Return the row that keeps what was done with a drawer."""
    values = {
        "drawer": drawer,
        "act": act.value,
        "amounts": amounts or {},
        "station": station,
        "staff": staff,
        "approver": approver,
        "words": words,
        "moved_at": now,
    }
    return DrawerMove, values


def set_drawer(unit: Unit, drawer: int, station: int, suspended_at: datetime | None) -> None:
    """Have a drawer at a station, in use or suspended since a moment.

    Raises:
        CameSecond: another was opened or put there at the same time.
    """
    moved = update(Drawer).where(Drawer.id == drawer)
    with second_is_told():
        unit.connection.execute(moved.values(station=station, suspended_at=suspended_at))
