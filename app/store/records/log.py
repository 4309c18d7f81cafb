"""Entries of the log, and the sealing of its tree."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.store.tables import (
    Act,
    LogCheckpoint,
    LogEntry,
    LogHead,
    LogNode,
    LogPending,
    LogPosition,
)
from app.store.unit import Unit

_ADD_ACT = insert(Act).returning(Act.id)
_ADD_ENTRY = insert(LogEntry)
_ADD_PENDING = insert(LogPending)


class SealedMeanwhile(Exception):  # noqa: N818  another sealer came first, and its places hold
    """Another transaction gave out the places that this one wanted to give."""


class LogIncomplete(Exception):  # noqa: N818  the house was restored, and the guard holds
    """The log lacks entries that were cosigned, and the database refuses the act."""


@contextmanager
def incomplete_is_told() -> Iterator[None]:
    """Tell whoever acts in a restored house that its log is not complete."""
    try:
        yield
    except DBAPIError as error:
        if "entries of the log are missing" in str(error.orig):
            raise LogIncomplete from None
        raise


def add_entry(unit: Unit, values: Mapping[str, object]) -> int:
    """Add an act and its entry, without a place in the tree yet, and return its id.

    Raises:
        LogIncomplete: the house was restored, and entries are missing.
    """
    with incomplete_is_told():
        entry = add_placed(unit, values)
    unit.connection.execute(_ADD_PENDING, {"entry": entry})
    return entry


def add_placed(unit: Unit, values: Mapping[str, object]) -> int:
    """Add an act and its entry, whose place is known, and return its id."""
    entry: int = unit.connection.execute(_ADD_ACT, {"tag": values["tag"]}).scalar_one()
    unit.connection.execute(_ADD_ENTRY, {**values, "id": entry})
    return entry


def start_log(unit: Unit, root: bytes) -> None:
    """Make the head of an empty tree."""
    unit.connection.execute(insert(LogHead), {"id": 1, "size": 0, "root": root})


def add_positions(unit: Unit, size: int, entries: Sequence[tuple[int, bytes]]) -> None:
    """Give entries, each with its leaf, the next places.

    Raises:
        SealedMeanwhile: somebody else gave them out.
    """
    rows = [
        {"position": size + number, "entry": entry, "leaf": leaf}
        for number, (entry, leaf) in enumerate(entries)
    ]
    try:
        unit.connection.execute(insert(LogPosition), rows)
    except IntegrityError:
        raise SealedMeanwhile from None
    # By place and not by a list of ids: a statement has only so many parameters, and after a long
    # time without sealing there may be more entries than that.
    placed = select(LogPosition.entry).where(LogPosition.position >= size)
    unit.connection.execute(delete(LogPending).where(LogPending.entry.in_(placed)))


def add_nodes(unit: Unit, nodes: Sequence[tuple[int, int, bytes]]) -> None:
    """Keep the roots of tiles that were filled."""
    if nodes:
        unit.connection.execute(
            insert(LogNode),
            [{"level": level, "place": place, "hash": root} for level, place, root in nodes],
        )


def swap_head(unit: Unit, old_size: int, size: int, root: bytes) -> None:
    """Move the head on, if it is still where it was.

    Raises:
        SealedMeanwhile: it is not.
    """
    moved = unit.connection.execute(
        update(LogHead).where(LogHead.size == old_size).values(size=size, root=root)
    )
    if not moved.rowcount:
        raise SealedMeanwhile


def add_checkpoint(unit: Unit, size: int, note: str) -> None:
    """Keep a head that was signed.

    Raises:
        SealedMeanwhile: one of this size was signed already.
    """
    values = {"size": size, "note": note, "signed_at": unit.now()}
    try:
        unit.connection.execute(insert(LogCheckpoint), values)
    except IntegrityError:
        raise SealedMeanwhile from None
