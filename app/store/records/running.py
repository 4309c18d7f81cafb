"""Leases, and the schedules of series."""

from datetime import datetime

from sqlalchemy import insert, update

from app.store.records.tickets import insert_or_find
from app.store.records.together import Row
from app.store.tables import Lease, Series
from app.store.unit import Unit


def begin_lease(unit: Unit, name: str, holder: str, until: datetime) -> bool:
    """Take a lease that nobody ever had, and say whether it could be."""
    values = {"name": name, "holder": holder, "fence": 1, "until": until}
    begun = insert_or_find(unit, Lease).values(values).on_conflict_do_nothing()
    return unit.connection.execute(begun.returning(Lease.name)).first() is not None


def keep_lease(unit: Unit, name: str, holder: str, fence: int, until: datetime) -> None:
    """Renew a lease, or take over one that has run out."""
    unit.connection.execute(
        update(Lease).where(Lease.name == name).values(holder=holder, fence=fence, until=until)
    )


def renew_lease(unit: Unit, name: str, holder: str, fence: int, until: datetime) -> bool:
    """Renew a lease if its holder still has it; return whether that is so."""
    ours = (Lease.name == name) & (Lease.holder == holder) & (Lease.fence == fence)
    renewed = update(Lease).where(ours).values(until=until).returning(Lease.name)
    return unit.connection.execute(renewed).first() is not None


def note_clock(unit: Unit, name: str, since: datetime) -> None:
    """Note from when on a jump of the clock was measured that is being taken."""
    unit.connection.execute(update(Lease).where(Lease.name == name).values(clock_since=since))


def set_schedule(
    unit: Unit, series: str, interval_seconds: int | None, opens: int, closes: int
) -> None:
    """Have the games of a series close at another interval, or in other hours."""
    unit.connection.execute(
        update(Series)
        .where(Series.code == series)
        .values(interval_seconds=interval_seconds, opens_minutes=opens, closes_minutes=closes)
    )


def add_event(unit: Unit, event: Row) -> None:
    """Tell whoever watches something that is no act and has no entry: that time passes."""
    table, values = event
    unit.connection.execute(insert(table), dict(values))
