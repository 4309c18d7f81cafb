"""The log: entries, their places, the stored hashes of its tree, and its heads."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, select

from app.store.tables import LogCheckpoint, LogEntry, LogHead, LogNode, LogPending, LogPosition


@dataclass(frozen=True)
class Head:
    """The head of the tree."""

    size: int
    root: bytes


@dataclass(frozen=True)
class EntryRow:
    """An entry with its body and salt, as the house and the regulator have it."""

    id: int
    tag: str
    salt: bytes
    body: str
    leaf: bytes
    position: int | None


class StoredHashes:
    """The hashes of the tree, as `app.audit.tiles` reads them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        """Return so many hashes of a level, from a place on."""
        if not count:
            return []
        if level == 0:
            found = (
                select(LogPosition.leaf)
                .where(LogPosition.position >= start, LogPosition.position < start + count)
                .order_by(LogPosition.position)
            )
        else:
            found = (
                select(LogNode.hash)
                .where(
                    LogNode.level == level, LogNode.place >= start, LogNode.place < start + count
                )
                .order_by(LogNode.place)
            )
        return list(self._connection.execute(found).scalars())


def head(connection: Connection, *, held: bool = False) -> Head | None:
    """Return the head of the tree; none before the house was founded.

    Held, nobody moves it on until this transaction ends.
    """
    found = select(LogHead.size, LogHead.root)
    row = connection.execute(found.with_for_update(read=True) if held else found).first()
    return None if row is None else Head(row.size, row.root)


def pending(connection: Connection) -> list[tuple[int, bytes]]:
    """Return id and leaf of every entry that has no place yet, in the order of their ids."""
    found = (
        select(LogEntry.id, LogEntry.leaf)
        .join(LogPending, LogPending.entry == LogEntry.id)
        .order_by(LogEntry.id)
    )
    return [(row.id, row.leaf) for row in connection.execute(found)]


def newest_checkpoint(connection: Connection) -> str | None:
    """Return the note of the largest head that was signed."""
    found = select(LogCheckpoint.note).order_by(LogCheckpoint.size.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none()


def checkpoint_sized(connection: Connection, size: int) -> str | None:
    """Return the note of the head of a size, if it was signed."""
    found = select(LogCheckpoint.note).where(LogCheckpoint.size == size)
    return connection.execute(found).scalar_one_or_none()


def checkpoint_notes(connection: Connection) -> list[tuple[int, str]]:
    """Return size and note of every head that was signed."""
    found = select(LogCheckpoint.size, LogCheckpoint.note).order_by(LogCheckpoint.size)
    return [(row.size, row.note) for row in connection.execute(found)]


def newest_body(connection: Connection, tag: str) -> str | None:
    """Return the body of the newest entry of a kind."""
    found = select(LogEntry.body).where(LogEntry.tag == tag).order_by(LogEntry.id.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none()


def entries(connection: Connection) -> Iterator[EntryRow]:
    """Yield every entry with its place, in the order of their ids."""
    found = (
        select(
            LogEntry.id,
            LogEntry.tag,
            LogEntry.salt,
            LogEntry.body,
            LogEntry.leaf,
            LogPosition.position,
        )
        .outerjoin(LogPosition, LogPosition.entry == LogEntry.id)
        .order_by(LogEntry.id)
        .execution_options(yield_per=1000)
    )
    with connection.execute(found) as entries:
        for row in entries:
            yield EntryRow(*row)


def leaves_between(connection: Connection, start: int, end: int) -> list[EntryRow]:
    """Return the entries at places of the tree, in the order of their places."""
    found = (
        select(
            LogEntry.id,
            LogEntry.tag,
            LogEntry.salt,
            LogEntry.body,
            LogEntry.leaf,
            LogPosition.position,
        )
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .where(LogPosition.position >= start, LogPosition.position < end)
        .order_by(LogPosition.position)
    )
    return [EntryRow(*row) for row in connection.execute(found)]
