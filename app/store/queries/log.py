"""The log: entries, their places, the stored hashes of its tree, and its heads."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, func, literal, select

from app.store.tables import (
    Cosigned,
    LogCheckpoint,
    LogEntry,
    LogHead,
    LogNode,
    LogPending,
    LogPosition,
)


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
    archived: int | None = None  # the entry of the archive that has its salt and body

    @property
    def is_archived(self) -> bool:
        """Whether its body is in an archive; what its leaf says of the body is then the salt."""
        return self.archived is not None

    @property
    def is_lost(self) -> bool:
        """Whether nothing but its leaf is known: the rest was lost with a house."""
        return not self.body and self.archived is None


# The columns of such a row, in their order.
ENTRY_COLUMNS = (
    LogEntry.id,
    LogEntry.tag,
    LogEntry.salt,
    LogEntry.body,
    LogEntry.leaf,
    LogPosition.position,
    LogEntry.archived,
)


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
    # By the few that wait: in the order of all entries SQLite would look at every one of them.
    found = (
        select(LogEntry.id, LogEntry.leaf)
        .join(LogPending, LogPending.entry == LogEntry.id)
        .order_by(LogPending.entry)
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


def signed_size(connection: Connection) -> int:
    """Return the size of the largest head that was signed; nothing before the first."""
    found = select(func.max(LogCheckpoint.size))
    return connection.execute(found).scalar_one_or_none() or 0


def checkpoint_from(connection: Connection, size: int) -> tuple[int, str | None]:
    """Return size and note of the first signed head that covers a size; no note without one."""
    found = (
        select(LogCheckpoint.size, LogCheckpoint.note)
        .where(LogCheckpoint.size >= size)
        .order_by(LogCheckpoint.size)
        .limit(1)
    )
    row = connection.execute(found).first()
    return (size, None) if row is None else (row.size, row.note)


def checkpoint_notes(
    connection: Connection, after: int = -1, until: int | None = None
) -> list[tuple[int, str]]:
    """Return size and note of the heads that were signed, of sizes after one up to another."""
    found = select(LogCheckpoint.size, LogCheckpoint.note).where(LogCheckpoint.size > after)
    if until is not None:
        found = found.where(LogCheckpoint.size <= until)
    rows = connection.execute(found.order_by(LogCheckpoint.size))
    return [(row.size, row.note) for row in rows]


def notes_of_heads(
    connection: Connection, after: int, until: int | None
) -> list[tuple[int, str, str | None]]:
    """Return size and note of the heads of sizes after one up to another, and as cosigned.

    Of a size that was cosigned, and has no head, the note is empty.
    """
    signed = (
        select(LogCheckpoint.size, LogCheckpoint.note, Cosigned.note)
        .outerjoin(Cosigned, Cosigned.size == LogCheckpoint.size)
        .where(LogCheckpoint.size > after)
    )
    alone = (
        select(Cosigned.size, literal(""), Cosigned.note)
        .outerjoin(LogCheckpoint, Cosigned.size == LogCheckpoint.size)
        .where(LogCheckpoint.size.is_(None), Cosigned.size > after)
    )
    if until is not None:
        signed, alone = (
            signed.where(LogCheckpoint.size <= until),
            alone.where(Cosigned.size <= until),
        )
    rows = [*connection.execute(signed), *connection.execute(alone)]
    return sorted((size, note, cosigned) for size, note, cosigned in rows)


def newest_body(connection: Connection, tag: str) -> str | None:
    """Return the body of the newest entry of a kind that is at hand."""
    of_kind = LogEntry.tag == tag, LogEntry.body != ""
    found = select(LogEntry.body).where(*of_kind).order_by(LogEntry.id.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none()


def entries(connection: Connection) -> Iterator[EntryRow]:
    """Yield every entry with its place, in the order of their ids."""
    found = (
        select(*ENTRY_COLUMNS)
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
        select(*ENTRY_COLUMNS)
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .where(LogPosition.position >= start, LogPosition.position < end)
        .order_by(LogPosition.position)
    )
    return [EntryRow(*row) for row in connection.execute(found)]
