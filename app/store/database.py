"""An engine for SQLite or PostgreSQL, set up so that what was committed is on the disk.

SQLite, the default: write-ahead log, `synchronous=FULL` (NORMAL may forget the last commits after a
power cut), foreign keys, and every transaction that may write begins with BEGIN IMMEDIATE, so none
fails half-way because another came first. SQLite lets writers wait in no order, and one of many can
starve; so those of one process stand in a queue of their own before they ask.

PostgreSQL, for production: read committed, and advisory locks where sales and lockout meet
(`app.store.unit`). Its address may name several servers, of which one can be written to
(`app.store.servers`).
"""

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from psycopg.errors import ReadOnlySqlTransaction
from sqlalchemy import URL, Connection, ExceptionContext, create_engine, event, make_url
from sqlalchemy.pool import QueuePool

from app.clock import Clock, system_clock
from app.store.columns import utc_text
from app.store.servers import Servers

BUSY_MILLISECONDS = 30_000
CONNECTIONS = 40  # more than a process has threads: who waits for one is not served in turn


# Whatever the server's own defaults are: locks are waited for and then read behind, which needs
# read committed; and a process that was frozen in the middle of an act is let go of, so that it
# stops neither sales nor lockout. No commit is ever cancelled by this.
IDLE_MILLISECONDS = 15_000
# The server lets go of a machine that says nothing any more as well: in the middle of a message
# nobody is idle, and what was locked would stay locked for a quarter of an hour.
LET_GO = (
    f"idle_in_transaction_session_timeout={IDLE_MILLISECONDS}",
    "tcp_user_timeout=10000",
    "tcp_keepalives_idle=5",
    "tcp_keepalives_interval=2",
    "tcp_keepalives_count=3",
    "client_min_messages=warning",  # whether a commit is sure is told by a warning
)
# A server that is away is given up before the next of several is asked.
CONNECT_SECONDS = 5
POSTGRESQL: dict[str, Any] = {
    "isolation_level": "READ COMMITTED",
    "connect_args": {
        "options": " ".join(f"-c {setting}" for setting in LET_GO),
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,  # of a machine that says nothing any more, to what was sent
    },
}
# A web process that is frozen must not stop the others: what it holds is let go of sooner, and what
# it waits for does not become its own one after the other. Whoever was told so asks again.
HURRY = ("idle_in_transaction_session_timeout = 4000", "lock_timeout = 10000")
PRIVATE = 0o600
WARNED = "keno_warned"  # what the server warned of last, on a connection
DURABLE = ("on", "remote_write", "remote_apply")


class NotDurable(Exception):  # noqa: N818  the operator's to mend
    """The database is set up so that what was committed may be lost."""


class Database:
    """The one database of a house."""

    def __init__(self, url: str, clock: Clock | None = None, *, hurried: bool = False) -> None:
        """Prepare to connect.

        Args:
            url: `sqlite:///PATH` or `postgresql+psycopg://...`. That of PostgreSQL may name several
                servers, `?host=A,B&port=5432,5432&target_session_attrs=read-write`: the one that
                can be written to is used, also when it is another one than before.
            clock: used in place of the database's own clock, by tests.
            hurried: people wait at a counter for what is done here.
        """
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.clock = clock
        self._writers = FairLock()
        self.engine = create_engine(
            _opened(self.url),
            poolclass=QueuePool,
            pool_size=CONNECTIONS,
            max_overflow=0,
            pool_timeout=30,
            hide_parameters=True,  # what was typed must not stand in what an exception says
            **({} if self.is_sqlite else _postgresql(self.url)),
        )
        if self.is_sqlite:
            event.listen(self.engine, "do_connect", _make_private)
            event.listen(self.engine, "connect", set_up_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        else:
            # Several rows go in one statement. The driver would send them one after the other and
            # end that once: whoever is frozen in between is not idle to the server, which would let
            # it hold the counter, and everybody else wait, until it goes on.
            self.engine.dialect.use_insertmanyvalues_wo_returning = True
            event.listen(self.engine, "connect", _check_postgresql)
            event.listen(self.engine, "handle_error", _let_go_of_standby)
            event.listen(self.engine, "handle_error", _close_stream)
            if hurried:
                event.listen(self.engine, "connect", _hurry)
        self.has_several_servers = not self.is_sqlite and "," in str(self.url.query.get("host", ""))
        if self.has_several_servers:
            _, how = self.engine.dialect.create_connect_args(self.url)
            Servers(self.engine, {**POSTGRESQL["connect_args"], **how})

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give out a connection in a transaction that may write; it is rolled back at the end."""
        if not self.is_sqlite:
            with self.engine.connect() as connection:
                yield connection
            return
        with self._writers, self.engine.connect() as connection:
            connection.execution_options(keno_writes=True)
            yield connection

    @contextmanager
    def reading(self, *, at_length: bool = False) -> Iterator[Connection]:
        """Give out a connection that sees one moment of the database, and changes nothing.

        Args:
            at_length: whoever reads thinks long about it in between. They hold nothing that anyone
                waits for, so they are not let go of.
        """
        with self.engine.connect() as connection:
            if not self.is_sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
                if at_length:
                    connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield connection

    def close(self) -> None:
        """Close every connection; one that is in use, when it is given back."""
        pool = self.engine.pool
        self.engine.dispose()
        event.listen(pool, "checkin", _close_given_back)


def _close_given_back(connection: Any, _record: object) -> None:  # noqa: ANN401  either engine's
    if connection is not None:
        connection.close()


class FairLock:
    """A lock that is given to those who wait in the order in which they came."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._is_taken = False

    def __enter__(self) -> None:
        with self._mutex:
            if not self._is_taken:
                self._is_taken = True
                return
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        turn.acquire()  # released by whoever has the lock before

    def __exit__(self, *_: object) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


def _make_private(_dialect: object, _record: object, given: list[Any], _named: object) -> None:
    """Have the file of a database be its owner's alone before it is opened, also an older one.

    What SQLite writes beside it, it makes as private as that.
    """
    path = Path(given[0])
    with suppress(OSError):  # which opening it tells
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE))
    for each in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        with suppress(OSError):  # it is not there, or another user's
            if each.stat().st_mode & 0o077:
                each.chmod(PRIVATE)


def _opened(url: URL) -> URL:
    """Let a SQLite connection go from thread to thread: the pool gives it to one at a time."""
    if url.get_backend_name() != "sqlite":
        return url
    return url.update_query_dict({"check_same_thread": "false"})


def _postgresql(url: URL) -> dict[str, Any]:
    """Return how connections to PostgreSQL are made, as far as the address does not say it."""
    connecting = POSTGRESQL["connect_args"]
    said = set(url.query) - {"options"}  # which lets go of whoever is frozen, whatever is said
    unsaid = {name: value for name, value in connecting.items() if name not in said}
    return {**POSTGRESQL, "connect_args": unsaid}


def set_up_sqlite(connection: Any, _: object = None) -> None:  # noqa: ANN401  the driver's own
    """Set a new connection up for money."""
    connection.isolation_level = None  # we say ourselves when a transaction begins
    connection.create_function("clock_timestamp", 0, lambda: utc_text(system_clock()))
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "recursive_triggers=ON",  # else OR REPLACE deletes a row without asking its guard
        f"busy_timeout={BUSY_MILLISECONDS}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _check_postgresql(connection: Any, record: Any) -> None:  # noqa: ANN401  the driver's own
    connection.add_notice_handler(partial(_note_warning, record.info))
    found = connection.execute("SHOW synchronous_commit").fetchone()[0]
    connection.rollback()
    if found not in DURABLE:
        raise NotDurable(f"synchronous_commit is {found}; set it to on for this database")


def _note_warning(info: dict[str, Any], notice: Any) -> None:  # noqa: ANN401  the driver's own
    """Remember that the server warned: of a commit, it means that nobody knows what it is worth."""
    if notice.severity_nonlocalized == "WARNING":
        info[WARNED] = notice.message_primary


def _hurry(connection: Any, _: object) -> None:  # noqa: ANN401  the driver's own
    for setting in HURRY:
        connection.execute(f"SET {setting}")
    connection.commit()


def _let_go_of_standby(context: ExceptionContext) -> None:
    """Have every connection made anew when one turns out to lead to a server that only reads."""
    if isinstance(context.original_exception, ReadOnlySqlTransaction):
        context.is_disconnect = True


def _close_stream(context: ExceptionContext) -> None:
    """Close a cursor of the server whose connection was lost; nobody else does."""
    if context.is_disconnect and context.execution_context is not None:
        context.execution_context.cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("keno_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
