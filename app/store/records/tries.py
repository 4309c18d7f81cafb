"""Tries that are counted in the database: for all processes of all machines together.

A bucket of tries fills up again with time. One that is full is not remembered.
"""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

from sqlalchemy import ColumnElement, and_, case, delete, literal, or_, select, update

from app.store.columns import Utc
from app.store.records.tickets import insert_or_find
from app.store.tables import NameTries, TryBucket
from app.store.unit import Unit

FORGOTTEN_AT_ONCE = 100
REMEMBERED_FOR = timedelta(days=1)  # longer than a name is locked


def bucket(*whose: object) -> bytes:
    """Return the name of a bucket, of whatever length what it is named after is."""
    return sha256("\n".join(str(each) for each in whose).encode("utf-8", "replace")).digest()


def has_try(unit: Unit, whose: bytes, tries: int, one_in: timedelta) -> bool:
    """Whether a bucket has a try, as `take_try` would find; none is taken."""
    found = select(TryBucket.full_at_ms).where(TryBucket.bucket == whose)
    full_at = unit.connection.execute(found).scalar_one_or_none()
    now, one = _milliseconds(unit.now()), _length(one_in)
    if full_at is None or full_at > now + one * (tries + 1):  # the clock was set back
        return True
    return full_at <= now + one * (tries - 1)


def take_try(unit: Unit, whose: bytes, tries: int, one_in: timedelta) -> bool:
    """Take one try from a bucket, if it has one; return whether it had.

    In one statement, so that of many at the same moment, wherever they are served, none is for
    nothing. Where the clock was set back, nobody waits for that long.

    Args:
        unit: a unit of work, which is committed whatever becomes of the try.
        whose: which bucket.
        tries: how many it has at once.
        one_in: how long it takes until it has one more.
    """
    now, one, full_at = _milliseconds(unit.now()), _length(one_in), TryBucket.full_at_ms
    full = insert_or_find(unit, TryBucket).values(bucket=whose, full_at_ms=now + one)
    set_back = full_at > now + one * (tries + 1)
    after = case((full_at < now, now + one), (set_back, now + one * tries), else_=full_at + one)
    taken = full.on_conflict_do_update(
        index_elements=[TryBucket.bucket],
        set_={"full_at_ms": after},
        where=or_(full_at <= now + one * (tries - 1), set_back),
    )
    return unit.connection.execute(taken.returning(full_at)).first() is not None


def give_back_try(unit: Unit, whose: bytes, one_in: timedelta) -> None:
    """Give a bucket back a try that was taken; those that have all of theirs are forgotten."""
    full_at = TryBucket.full_at_ms
    before = update(TryBucket).where(TryBucket.bucket == whose)
    unit.connection.execute(before.values(full_at_ms=full_at - _length(one_in)))
    # Nobody's that another transaction works with: the two would wait for each other.
    full = select(TryBucket.bucket).where(full_at <= _milliseconds(unit.now()))
    some = full.limit(FORGOTTEN_AT_ONCE).with_for_update(skip_locked=True)
    unit.connection.execute(delete(TryBucket).where(TryBucket.bucket.in_(some.scalar_subquery())))


def locked_until(unit: Unit, name: bytes, station: str) -> datetime | None:
    """Return until when a name is locked at a station, or was."""
    found = select(NameTries.locked_until).where(_of(name, station))
    return unit.connection.execute(found).scalar_one_or_none()


def count_wrong(
    unit: Unit, name: bytes, station: str, most: int, lock_for: timedelta
) -> datetime | None:
    """Count a wrong secret for a name at a station, which is locked by the last of so many.

    In one statement, so that of many at the same moment all count. Returns until when the name was
    locked by another try meanwhile, if it was; then this one is not counted.
    """
    now = unit.now()
    until = literal(now + lock_for, Utc())
    is_last = NameTries.failed_tries + 1 >= most
    first = insert_or_find(unit, NameTries).values(
        name=name, station=station, failed_tries=1, locked_until=None, tried_at=now
    )
    counted = first.on_conflict_do_update(
        index_elements=[NameTries.name, NameTries.station],
        set_={
            "failed_tries": case((is_last, 0), else_=NameTries.failed_tries + 1),
            "locked_until": case((is_last, until), else_=None),
            "tried_at": now,
        },
        where=or_(NameTries.locked_until.is_(None), NameTries.locked_until <= now),
    )
    if unit.connection.execute(counted.returning(NameTries.station)).first() is None:
        return locked_until(unit, name, station)
    # Nobody's that another transaction works with: the two would wait for each other.
    old = select(NameTries.name).where(NameTries.tried_at < now - REMEMBERED_FOR)
    some = old.limit(FORGOTTEN_AT_ONCE).with_for_update(skip_locked=True).scalar_subquery()
    unit.connection.execute(
        delete(NameTries).where(NameTries.tried_at < now - REMEMBERED_FOR, NameTries.name.in_(some))
    )
    return None


def forget_wrong(unit: Unit, name: bytes, station: str) -> None:
    """Begin to count anew for a name at a station."""
    unit.connection.execute(delete(NameTries).where(_of(name, station)))


def _of(name: bytes, station: str) -> ColumnElement[bool]:
    return and_(NameTries.name == name, NameTries.station == station)


def _milliseconds(moment: datetime) -> int:
    return _length(moment - datetime.fromtimestamp(0, UTC))


def _length(time: timedelta) -> int:
    return time // timedelta(milliseconds=1)
