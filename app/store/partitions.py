"""Partitions: on PostgreSQL what grows is divided by numbers that only grow, and so by time.

Old partitions are not touched by whoever sells: their indexes are no part of what must be at hand,
and an archive replaces them by slim copies (`app.store.slimming`). SQLite has none of it.
"""

from psycopg.errors import LockNotAvailable
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from app.store.unit import Unit

_PARTITIONS = text(
    "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' "
    "AND relnamespace = current_schema()::regnamespace"
)
_MAKE_ROOM = text("SELECT keno_make_room()")


def partition_names(connection: Connection) -> set[str]:
    """Return the tables that are parts of another one."""
    if connection.dialect.name == "sqlite":
        return set()
    return set(connection.execute(_PARTITIONS).scalars())


def make_room(unit: Unit) -> int | None:
    """Make the next partition of every table that has come to its last one; return how many.

    Or do the next step towards it. None if what it needs is in use for longer than a sale may wait;
    whoever asks, asks again.
    """
    if unit.connection.dialect.name == "sqlite":
        return 0
    try:
        made: int = unit.connection.execute(_MAKE_ROOM).scalar_one()
    except DBAPIError as trouble:
        if isinstance(trouble.orig, LockNotAvailable):
            return None
        raise
    return made
