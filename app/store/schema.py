"""The schema and its history: applying the migrations, and saying where a database stands."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, LockNotAvailable
from sqlalchemy import Connection, event, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree

from app.store.database import Database
from app.store.partitions import partition_names
from app.store.queries.watching import is_read_only

Away = (DBAPIError, NoneFree)
"""What reading raises if the database does not answer, or every connection to it is in use."""

MIGRATIONS = Path(__file__).parents[2] / "migrations"
LOCK_MILLISECONDS = 1_000  # that a sale waits behind a change of the schema, at the most
TRIES = 120
ALONE = 0x6B656E6F  # the number of the lock of whoever changes the schema


# What keeps others from working with a table; reading it does not.
_LOCKS = text(
    "SELECT relname, mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation"
    " WHERE pid = pg_backend_pid() AND relkind IN ('r', 'p') AND relname = ANY(:known)"
    " AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')"
    " ORDER BY relname, mode"
)
_TABLES = text("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p')")
_VERSIONS = "alembic_version"
_REVISION = text(f"SELECT version_num FROM {_VERSIONS}")  # noqa: S608  our own


@dataclass(frozen=True)
class Step:
    """A migration that was applied: what it kept from others, by table, and for how long."""

    revision: str
    milliseconds: int
    locks: tuple[tuple[str, str], ...]


class Unfit(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """What a database holds must be mended before its schema can be changed."""


class Busy(Exception):  # noqa: N818  it can be tried again
    """Somebody holds what a change of the schema needs."""


class NotOurs(Exception):  # noqa: N818  who owns the tables can do it
    """The tables are another role's, and only that one changes them."""


def _pause() -> None:
    time.sleep(5)


def upgrade(
    database: Database,
    revision: str = "head",
    tries: int = TRIES,
    pause: Callable[[], None] = _pause,
) -> list[Step]:
    """Bring a database forward to a revision, without a queue of sales behind it.

    A migration changes tables, and waits for whoever works with them; on PostgreSQL everybody who
    comes later waits behind it. So it waits a second at the most, gives up, lets them go on, and is
    tried again. Each migration is a transaction of its own: what is done stays done.

    Returns:
        What each migration has locked, and how long it took; nothing on SQLite, which locks all.

    Raises:
        Busy: it was tried so often, and somebody was always there.
        Unfit: what it holds must be mended first.
        NotOurs: another role owns the tables.
    """
    watch = _Watch()
    for _ in range(tries - 1):
        try:
            _forward(database, revision, watch)
        except Busy:
            pause()
        else:
            return watch.steps
    _forward(database, revision, watch)
    return watch.steps


def _forward(database: Database, revision: str, watch: "_Watch") -> None:
    with database.writing() as connection, _not_in_the_way(connection):
        if not database.is_sqlite:
            watch.begin(connection)
        command.upgrade(_config(connection), revision)
        connection.commit()


@dataclass
class _Watch:
    """Looks on while migrations are applied: at the end of each, at the locks that it holds."""

    steps: list[Step] = field(default_factory=list)
    _at: str | None = None
    _known: list[str] = field(default_factory=list)
    _began: float = 0

    def begin(self, connection: Connection) -> None:
        self._at, self._known = _seen(connection)
        connection.commit()
        self._began = time.monotonic()
        event.listen(connection, "commit", self._look)

    def _look(self, connection: Connection) -> None:
        revision, tables = _seen(connection)
        now = time.monotonic()
        if revision is not None and revision != self._at:
            locks = connection.execute(_LOCKS, {"known": self._known})
            held = tuple((table, mode) for table, mode in locks if table != _VERSIONS)
            self.steps.append(Step(revision, int(1000 * (now - self._began)), held))
        self._at, self._known, self._began = revision, tables, now


def _seen(connection: Connection) -> tuple[str | None, list[str]]:
    """Return the revision and the tables, as this transaction sees them."""
    tables = list(connection.execute(_TABLES).scalars())
    if _VERSIONS not in tables:
        return None, tables
    return connection.execute(_REVISION).scalar_one_or_none(), tables


def _why_not(trouble: DBAPIError) -> Exception | None:
    """Return what is told of a change of the schema that was refused; nothing if it is a fault."""
    said = str(trouble.orig).strip().splitlines()[:1]
    if isinstance(trouble.orig, LockNotAvailable | DeadlockDetected):
        return Busy(*said)
    if isinstance(trouble.orig, InsufficientPrivilege):
        return NotOurs(*said)
    return None


@contextmanager
def _not_in_the_way(connection: Connection) -> Iterator[None]:
    """Be the only one who changes the schema, and wait for nobody longer than a sale may wait."""
    if connection.dialect.name == "sqlite":
        yield  # which has one writer at a time, and lets nobody queue behind a table
        return
    try:
        asked = text("SELECT pg_try_advisory_lock(:number)")
        if not connection.execute(asked, {"number": ALONE}).scalar_one():
            raise Busy("the schema is being changed by somebody else")
        connection.execute(text(f"SET lock_timeout = {LOCK_MILLISECONDS}"))
        connection.commit()
        yield
    except DBAPIError as trouble:
        why = _why_not(trouble)
        if why is None:
            raise
        raise why from None
    finally:
        connection.invalidate()  # with it go its lock and its setting


def downgrade(database: Database, revision: str = "base") -> None:
    """Take a database back to a revision, whatever is lost by it (`app.store.taking_back`).

    Raises:
        Busy: somebody works with what is to be changed.
    """
    with database.writing() as connection, _not_in_the_way(connection):
        command.downgrade(_config(connection), revision)
        connection.commit()


def downgrade_within(connection: Connection, revision: str) -> None:
    """Take a database back within a transaction that the caller ends.

    Raises:
        Busy: somebody works with what is to be changed.
        NotOurs: another role owns the tables.
    """
    try:
        connection.execute(text("SELECT 1"))  # so that it has begun
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}"))
        command.downgrade(_config(connection), revision)
    except DBAPIError as trouble:
        why = _why_not(trouble)
        if why is None:
            raise
        raise why from None


def revision_of(database: Database) -> str | None:
    """Return the revision that a database is at; none if it has no tables."""
    # Not by way of Alembic, which makes a table and a statement of its own for each question: a
    # balancer asks every second, and all of them would be kept as statements are.
    with database.reading() as connection:
        if not inspect(connection).has_table(_VERSIONS):
            return None
        return revision_in(connection)


def revision_in(connection: Connection) -> str | None:
    """Return the revision of a database that has tables, as a transaction sees it."""
    return connection.execute(_REVISION).scalar_one_or_none()


def is_writable(database: Database) -> bool:
    """Whether a database takes writes; nothing stays written.

    Raises:
        Away: it does not answer.
    """
    if not database.is_sqlite:
        with database.reading() as connection:
            return not is_read_only(connection)
    try:
        with database.writing() as connection:
            # Undone at the end. To begin a write is let pass even on a file that is only read.
            connection.execute(text("PRAGMA user_version = 0"))
    except DBAPIError as trouble:
        if "readonly" in str(trouble.orig):
            return False
        raise
    return True


def compared(connection: Connection) -> dict[str, Any]:
    """Return how Alembic compares a database with the models: without what is made as it grows.

    Partitions come to be with time, and with them the constraints that lead into them.
    """
    parts = partition_names(connection)

    def is_compared(item: Any, _name: str | None, kind: str, reflected: bool, _: object) -> bool:  # noqa: ANN401  Alembic's own
        if kind == "foreign_key_constraint" and reflected:
            return item.elements[0].target_fullname.partition(".")[0] not in parts
        # Of the tickets of a partition; over all of them it cannot be.
        per_part = bool(parts) and kind == "unique_constraint" and item.table.name == "ticket"
        return not per_part

    return {
        "compare_type": True,
        "include_name": lambda name, kind, _: kind != "table" or name not in parts,
        "include_object": is_compared,
    }


def is_known(revision: str) -> bool:
    """Whether this software knows a revision: it can bring a database forward from there."""
    scripts = ScriptDirectory.from_config(_config(None))
    return revision in {script.revision for script in scripts.walk_revisions()}


@cache
def newest_revision() -> str | None:
    """Return the revision that this software is written for, read once from its migrations."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(connection: object) -> Config:
    config = Config(str(MIGRATIONS / "alembic.ini"))
    config.attributes["connection"] = connection
    return config
