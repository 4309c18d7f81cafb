"""The log as it was placed: entries by their places, stored roots, and what waits for a place."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from app.store.queries.books.span import rows_of
from app.store.queries.log import ENTRY_COLUMNS, EntryRow
from app.store.tables import Act, LogEntry, LogHead, LogNode, LogPending, LogPosition


@dataclass(frozen=True)
class Placed:
    """A place of the log and the entry that it was given to, if that is there."""

    position: int
    leaf: bytes
    entry: int
    row: EntryRow | None


def places(connection: Connection, after: int, count: int) -> list[Placed]:
    """Return so many places after one, in their order."""
    found = (
        select(LogPosition.position, LogPosition.leaf, LogPosition.entry, *ENTRY_COLUMNS)
        .outerjoin(LogEntry, LogEntry.id == LogPosition.entry)
        .where(LogPosition.position > after)
        .order_by(LogPosition.position)
        .limit(count)
    )
    return [Placed(*[*row[:3], _row(row[3:])]) for row in rows_of(connection, found)]


def waiting(connection: Connection, after: int, count: int) -> list[tuple[int, EntryRow | None]]:
    """Return so many entries that are noted as having no place, after one of them."""
    found = (
        select(LogPending.entry, *ENTRY_COLUMNS)
        .outerjoin(LogEntry, LogEntry.id == LogPending.entry)
        .outerjoin(LogPosition, LogPosition.entry == LogPending.entry)
        .where(LogPending.entry > after)
        .order_by(LogPending.entry)
        .limit(count)
    )
    return [(row[0], _row(row[1:])) for row in rows_of(connection, found)]


def _row(columns: Sequence[Any]) -> EntryRow | None:
    return None if columns[0] is None else EntryRow(*columns)


def entries_in_all(connection: Connection) -> int:
    """Return how many entries there are."""
    count: int = connection.execute(select(func.count()).select_from(LogEntry)).scalar_one()
    return count


def untold_acts(connection: Connection, most: int) -> list[int]:
    """Return acts that have no entry of their kind, so many at most."""
    found = (
        select(Act.id)
        .outerjoin(LogEntry, (LogEntry.id == Act.id) & (LogEntry.tag == Act.tag))
        .where(LogEntry.id.is_(None))
        .order_by(Act.id)
        .limit(most)
    )
    return list(connection.execute(found).scalars())


def nodes(connection: Connection, level: int, first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """Yield place and hash of the stored roots of full tiles of a level."""
    found = select(LogNode.place, LogNode.hash).where(
        LogNode.level == level, LogNode.place.between(first, last)
    )
    yield from ((row.place, row.hash) for row in connection.execute(found))


def nodes_in_all(connection: Connection) -> int:
    """Return how many roots of full tiles are stored."""
    count: int = connection.execute(select(func.count()).select_from(LogNode)).scalar_one()
    return count


def head_rows(connection: Connection) -> int:
    """Return how many heads there are; there is one."""
    count: int = connection.execute(select(func.count()).select_from(LogHead)).scalar_one()
    return count
