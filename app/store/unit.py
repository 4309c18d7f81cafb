"""A unit of work: one transaction, rolled back unless it is committed, and the locks in it.

The written order of locks, for every stage: first the series (shared by whoever sells, voids,
cancels or refunds; exclusive for lockout), then rows (the drawer: shared by whoever uses it, alone
for its close), the counter of ticket numbers last, because every sale of the house waits for it.

On PostgreSQL the lock on a series is an advisory lock of the transaction, which is a fair queue:
with row locks, sellers who share the row would keep a locker waiting for ever. On SQLite there is
one writer at a time, and `BEGIN IMMEDIATE` is both locks in one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256

from sqlalchemy import Connection, func, select

from app.clock import system_clock
from app.store.columns import Utc
from app.store.database import Database


class Unit:
    """One transaction."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self.connection = connection

    def commit(self) -> None:
        """Make everything durable, at once. Only a stage of the flow calls this."""
        self.connection.commit()

    def now(self) -> datetime:
        """Return the time by the one clock of the house, which is the database's (X-clock)."""
        if self._database.clock is not None:
            return self._database.clock()
        if self._database.is_sqlite:
            return system_clock()
        moment: datetime = self.connection.execute(
            select(func.clock_timestamp(type_=Utc()))
        ).scalar_one()
        return moment

    def share_series(self, series: str) -> None:
        """Keep the series' open game from being locked until this transaction ends."""
        self._lock(func.pg_advisory_xact_lock_shared, series)

    def lock_series(self, series: str) -> None:
        """Wait for whoever sells for the series, and keep everyone else out."""
        self._lock(func.pg_advisory_xact_lock, series)

    def _lock(self, function: object, series: str) -> None:
        if not self._database.is_sqlite:
            self.connection.execute(select(function(_lock_number(series))))  # type: ignore[operator]


@contextmanager
def unit_of(database: Database) -> Iterator[Unit]:
    """Begin a unit of work; leaving without commit undoes it."""
    with database.writing() as connection:
        yield Unit(database, connection)


def _lock_number(series: str) -> int:
    """Return the number by which PostgreSQL knows the lock of a series."""
    return int.from_bytes(sha256(f"keno/series/{series}".encode()).digest()[:8], signed=True)
