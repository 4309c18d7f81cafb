"""Which stretch of the log tells of a stretch of time, and its entries.

A head that was signed before a moment has no entry in it that is dated at that moment or later: the
act's time is read before its entry is committed, and both by the one clock of the house. So the
heads tell where a day begins, and nothing before that need be read.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime

from sqlalchemy import Connection, func, select, union

from app.store.queries.log import EntryRow
from app.store.tables import (
    Card,
    CardAcceptance,
    CardTerm,
    DayClose,
    Game,
    HoldEnd,
    HouseAmount,
    HouseSetting,
    LogCheckpoint,
    LogEntry,
    LogPosition,
    Resumption,
    Settlement,
)
from app.store.tables.log import IS_STANDING

AT_ONCE = 1000
# With the leaf of the place, over which the tree is made, and not that which the entry says it has.
_ENTRY = select(
    LogEntry.id,
    LogEntry.tag,
    LogEntry.salt,
    LogEntry.body,
    LogPosition.leaf,
    LogPosition.position,
    LogEntry.archived,
).join(LogPosition, LogPosition.entry == LogEntry.id)
# Facts that stay true until it is said otherwise, and the tag of the entry that tells of each.
_STANDING_FACTS = (
    (Card, "CARD"),
    (CardAcceptance, "CARD-ACCEPTED"),
    (CardTerm, "CARD-IN-FORCE"),
    (HouseAmount, "AMOUNT"),
    (HouseSetting, "SETTING"),
    (DayClose, "DAY-CLOSE"),
)


def size_before(connection: Connection, moment: datetime) -> int:
    """Return a size of the log at which nothing of a moment or later was in it yet."""
    later = select(func.min(LogCheckpoint.size)).where(LogCheckpoint.signed_at >= moment)
    first_later = connection.execute(later).scalar_one_or_none()
    found = select(func.max(LogCheckpoint.size))
    if first_later is not None:
        found = found.where(LogCheckpoint.size < first_later)
    return connection.execute(found).scalar_one_or_none() or 0


def entry_behind(connection: Connection, moment: datetime) -> int | None:
    """Return an entry behind which none is older than a moment, but for what was committed late.

    None: nobody has signed a head since then, and any may be.
    """
    later = select(func.min(LogCheckpoint.size)).where(LogCheckpoint.signed_at >= moment)
    size = connection.execute(later).scalar_one_or_none()
    if size is None:
        return None
    # The last ones of a head are not always in the order of their numbers.
    places = LogPosition.position >= size - AT_ONCE, LogPosition.position < size
    return connection.execute(select(func.max(LogPosition.entry)).where(*places)).scalar_one()


def entry_before(connection: Connection, moment: datetime) -> int:
    """Return an entry before all that are of a moment or later: those have greater numbers.

    Numbers are given in the order of time, though what was given first may be committed last.
    """
    size = size_before(connection, moment)
    found = select(LogPosition.entry).where(LogPosition.position == size - 1)
    return connection.execute(found).scalar_one_or_none() or 0


def opened_before(connection: Connection, day: date) -> int | None:
    """Return a size of the log before anything was sold for a game of a day; none without games.

    The first game of a day may have been open for long before that day began.
    """
    firsts = (
        select(Game.series, func.min(Game.number).label("number"))
        .where(Game.gaming_day == day.isoformat())
        .group_by(Game.series)
        .subquery()
    )
    opened = select(func.min(Game.opened_at)).join(
        firsts, (firsts.c.series == Game.series) & (firsts.c.number == Game.number)
    )
    since = connection.execute(opened).scalar_one_or_none()
    return None if since is None else size_before(connection, since)


def close_position(connection: Connection, day: date) -> int | None:
    """Return the place of the close of a day; none if it is not closed, or not sealed yet."""
    found = (
        select(LogPosition.position)
        .join(DayClose, DayClose.entry == LogPosition.entry)
        .where(DayClose.day == day)
    )
    return connection.execute(found).scalar_one_or_none()


def between(
    connection: Connection,
    first: int,
    size: int,
    tags: Sequence[str] = (),
    looked: Callable[[int], None] = lambda _place: None,
) -> Iterator[EntryRow]:
    """Yield the entries at places from one up to another, with any of some tags if they are given.

    A thousand places at a time, so that whoever reads slowly holds nobody up; `looked` is told from
    which place on each time.
    """
    found = _ENTRY
    if tags:
        found = found.where(LogEntry.tag.in_(tags))
    found = found.order_by(LogPosition.position)
    for start in range(first, size, AT_ONCE):
        looked(start)
        window = found.where(
            LogPosition.position >= start, LogPosition.position < min(start + AT_ONCE, size)
        )
        yield from (EntryRow(*row) for row in connection.execute(window))


def count(connection: Connection, first: int, size: int) -> int:
    """Return how many places from one up to another have an entry."""
    found = select(func.count()).where(LogPosition.position >= first, LogPosition.position < size)
    return connection.execute(found).scalar_one()


def standing(connection: Connection, size: int, tags: Sequence[str]) -> list[EntryRow]:
    """Return the entries below a size that stay true until it is said otherwise, of some tags."""
    found = (
        # The same words as those of the index: that is how it is found to hold all of them.
        _ENTRY.where(IS_STANDING, LogEntry.tag.in_(tags), LogPosition.position < size).order_by(
            LogPosition.position
        )
    )
    return [EntryRow(*row) for row in connection.execute(found)]


def standing_leaves(connection: Connection, size: int, tags: Sequence[str]) -> list[bytes]:
    """Return the leaves below a size of entries that stand, by their places.

    Those of some tags, and those by which a restored house went on.
    """
    found = select(LogPosition.position, LogPosition.leaf).where(LogPosition.position < size)
    told = select(LogEntry.id).where(IS_STANDING, LogEntry.tag.in_(tags))
    went_on = union(select(Resumption.entry), select(HoldEnd.entry))
    rows = [
        *connection.execute(found.where(LogPosition.entry.in_(told))),
        *connection.execute(found.where(LogPosition.entry.in_(went_on))),
    ]
    return [row.leaf for row in sorted(rows, key=lambda row: row.position)]


def hidden(connection: Connection, tags: Sequence[str]) -> list[int]:
    """Return the entries of facts that stay true, and that do not have the tag of such a fact."""
    found: list[int] = []
    for table, tag in _STANDING_FACTS:
        if tag in tags:
            # Not by a join: SQLite would begin it with the entries, of which there are many.
            other = select(LogEntry.id).where(
                LogEntry.id.in_(select(table.entry)), LogEntry.tag != tag
            )
            found += connection.execute(other).scalars()
    return found


def settled_by(connection: Connection, entry: int) -> int | None:
    """Return the attempt that the settlement of an entry made valid; none without a settlement."""
    found = select(Settlement.attempt).where(Settlement.entry == entry)
    return connection.execute(found).scalar_one_or_none()


def settled_in(connection: Connection, series: str, game: int, run: int) -> EntryRow | None:
    """Return the entry of one of the settlements of a game."""
    found = _ENTRY.join(Settlement, Settlement.entry == LogEntry.id).where(
        Settlement.series == series, Settlement.game == game, Settlement.run == run
    )
    row = connection.execute(found).first()
    return None if row is None else EntryRow(*row)
