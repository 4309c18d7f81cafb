"""A unit of work: one transaction, rolled back unless it is committed, and the locks in it.

The written order of locks, for every stage: first the series (shared by whoever sells, voids,
cancels or refunds, and by whoever settles, certifies or releases a game; exclusive for lockout and
the close of a day), then the days, rows (the drawer: shared by whoever uses it, alone for its
close; the ticket), the patron, coupons, the counter of ticket numbers, because every sale of the
house waits for it, and the feed last of all. Who works, their station and their sign-in are held
with the drawer, or else behind everything; whoever disables one of them waits for these rows only,
people before stations before sign-ins. Of the second grader's book its head comes before its
tickets.

On PostgreSQL the lock on a series is an advisory lock of the transaction, which is a fair queue:
with row locks, sellers who share the row would keep a locker waiting for ever. On SQLite there is
one writer at a time, and `BEGIN IMMEDIATE` is both locks in one. So a lockout holds whatever a
station believes (X-lock-server).
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256

from sqlalchemy import BigInteger, Connection, Executable, bindparam, func, select
from sqlalchemy.exc import DBAPIError

from app.store.columns import Utc
from app.store.database import WARNED, Database

_NOW = select(func.clock_timestamp(type_=Utc()))
_NUMBER = bindparam("number", type_=BigInteger)
_SHARE = select(func.pg_advisory_xact_lock_shared(_NUMBER))
_LOCK = select(func.pg_advisory_xact_lock(_NUMBER))
_TRY = select(func.pg_try_advisory_xact_lock(_NUMBER))


# Leaves nothing behind but a commit, which goes wherever commits have to go.
_EMPTY = select(func.pg_logical_emit_message(True, "keno", ""))


class CommitUnknown(Exception):  # noqa: N818  not a failure: it may be done
    """The connection was lost while the commit was on its way, or it reached only one machine."""


class Unit:
    """One transaction."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self.connection = connection
        self.kept_at_work: set[bytes] = set()  # tokens of those who are held with their drawers
        self.in_emergency: set[str] = set()  # emergency approvers of this act

    def commit(self) -> None:
        """Make everything durable, at once. Only a stage of the flow calls this.

        Raises:
            CommitUnknown: the database did not say whether it is. A commit whose wait for the
                standby was cancelled is called done, with a warning: it is lost if the standby
                takes over now, so it counts as unknown.
        """
        info = self.connection.info
        info.pop(WARNED, None)
        try:
            self.connection.commit()
        except DBAPIError as trouble:
            raise CommitUnknown from trouble
        if WARNED in info:
            raise CommitUnknown(info[WARNED])

    def make_sure(self) -> None:
        """Wait until all that is seen here is as durable as a commit has to be.

        Whatever was read may be of a commit that reached only one machine. Nobody is told of it,
        and nothing is done outside of the house because of it, before a later commit has reached
        the standby, and so has everything before it. On this very connection: after a change-over
        another one would lead to a server that has never seen what was read here.

        Raises:
            CommitUnknown: it did not reach it.
        """
        if not self._database.is_sqlite:
            self.connection.execute(_EMPTY)
            self.commit()

    def now(self, read_at: datetime | None = None) -> datetime:
        """Return the time by the one clock of the house, which is the database's (X-clock).

        Args:
            read_at: what that clock said just now, where it was read along with something else.
        """
        if self._database.clock is not None:
            return self._database.clock()
        if read_at is not None:
            return read_at
        moment: datetime = self.connection.execute(_NOW).scalar_one()
        return moment

    def share_series(self, series: str) -> None:
        """Keep the series' open game from being locked until this transaction ends."""
        self._lock(_SHARE, f"keno/series/{series}")

    def lock_series(self, series: str) -> None:
        """Wait for whoever sells for the series, and keep everyone else out."""
        self._lock(_LOCK, f"keno/series/{series}")

    def lock_patrons(self, names: Iterable[str]) -> None:
        """Do one thing after the other with a patron: what is paid and passed is added up.

        Several are taken in the order of their names, so that no two acts wait for each other.
        """
        for name in sorted(names):
            self._lock(_LOCK, f"keno/patron/{name}")

    def lock_free_patrons(self, names: Iterable[str]) -> set[str]:
        """Lock those patrons with whom nobody does anything now, and return them; wait for none."""
        return {name for name in sorted(names) if self._lock_if_free(f"keno/patron/{name}")}

    def lock_coupons(self, serials: Iterable[str]) -> None:
        """Do one thing after the other with a coupon: it is spent, or given back.

        Its row would be waited for behind the counter, and every sale of the house with it.
        """
        for serial in sorted(serials):
            self._lock(_LOCK, f"keno/coupon/{serial}")

    def share_days(self) -> None:
        """Keep a gaming day from being closed until this transaction ends."""
        self._lock(_SHARE, "keno/days")

    def lock_days(self) -> None:
        """Wait for whoever opens a drawer, and keep everyone else from it."""
        self._lock(_LOCK, "keno/days")

    def lock_printers(self) -> None:
        """Say one after the other where printers are, so that entries are read in their order."""
        self._lock(_LOCK, "keno/printers")

    def lock_feed(self) -> None:
        """Tell events one transaction after the other, so that their ids say in which order.

        Else a reader could see the later of two, and never look for the earlier one again.
        """
        self._lock(_LOCK, "keno/feed")

    def _lock(self, lock: Executable, name: str) -> None:
        if not self._database.is_sqlite:
            self.connection.execute(lock, {"number": lock_number(name)})

    def _lock_if_free(self, name: str) -> bool:
        if self._database.is_sqlite:
            return True
        got: bool = self.connection.execute(_TRY, {"number": lock_number(name)}).scalar_one()
        return got


def lock_number(name: str) -> int:
    """Return the number by which PostgreSQL knows a lock that has a name."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)


@contextmanager
def unit_of(database: Database) -> Iterator[Unit]:
    """Begin a unit of work; leaving without commit undoes it."""
    with database.writing() as connection:
        yield Unit(database, connection)
