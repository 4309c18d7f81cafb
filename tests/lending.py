"""Databases of PostgreSQL that are lent to one test after the other, and put back in between.

A new database for each test is quickly copied, but most of what the test takes then is the server's
first look at a hundred tables, once for each connection. So a database that was used is put back,
row by row, to what it held, and whoever is connected to it stays connected. It is thrown away when
its tables were changed, when somebody else is still connected to it, or when it was used often.
"""

import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import psycopg
from psycopg.sql import SQL, Composed, Identifier, Literal
from sqlalchemy.pool import Pool

from app.store.database import Database

OFTEN = 60  # rows that were taken away stay on the disk, and what is read becomes slower
LEAVE_SECONDS = 0.3  # for a server's process to end after somebody has left
_names = (f"keno_{number}" for number in range(1, 10**9))

TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname
"""
SEQUENCES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY relname
"""
# Every change of what a database is made of writes a newer row into one of these, or takes one out.
MADE_OF = (
    "pg_class",
    "pg_attribute",
    "pg_attrdef",
    "pg_constraint",
    "pg_index",
    "pg_inherits",
    "pg_namespace",
    "pg_proc",
    "pg_trigger",
    "pg_db_role_setting",
)
OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
HELD = """
    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND locktype = 'advisory'
"""


def new_database(server: str, template: str | None = None) -> str:
    """Make a database on a server, as a copy of another, and return its name."""
    name = next(_names)
    how = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
    _execute(server, how.format(Identifier(name), Identifier(template or "template1")))
    return name


def drop_database(server: str, name: str) -> None:
    """Drop a database, whoever is connected to it."""
    _execute(server, SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def address(server: str, name: str) -> str:
    """The address of a database on a server."""
    return server.replace("/postgres?", f"/{name}?")


class Shelf:
    """The databases of a server that nobody uses now, by what they are copies of."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._free: dict[str, list[Copy]] = defaultdict(list)
        self._lent: dict[str, Copy] = {}

    def lend(self, template: str) -> "Copy":
        """Give out a database that holds what the template holds."""
        free = self._free[template]
        copy = free.pop() if free else Copy(self._server, template)
        self._lent[copy.name] = copy
        return copy

    def take_back(self, database: Database) -> None:
        """Put a database back for the next test, or throw it away."""
        copy = self._lent.pop(str(database.url.database))
        if copy.put_back(database):
            self._free[copy.template].append(copy)
            return
        database.close()
        copy.drop()

    def close(self) -> None:
        """Let go of every database; the server's folder goes with them."""
        for copy in (copy for free in self._free.values() for copy in free):
            copy.close()


class Copy:
    """A database that holds what another does, and what it takes to make it so again."""

    def __init__(self, server: str, template: str) -> None:
        self.template = template
        self.name = new_database(server, template)
        self.url = address(server, self.name)
        self._server = server
        self._uses = 0
        self._pool: Pool | None = None
        self._connection = psycopg.connect(_plain(self.url), autocommit=True)
        # Neither guards nor references stand in the way of putting rows back.
        self._connection.execute("SET session_replication_role = replica")
        self._tables = _stamps_of([name for (name,) in self._found(TABLES)])
        self._stamps = self._stamped()
        self._made_of = self._found(_stamps_of(MADE_OF))
        self._rows = {
            name: self._copied(name) for name, (count, _) in self._stamps.items() if count
        }
        self._numbers = [
            SQL("setval({}, {}, {})").format(Literal(name), *map(Literal, self._reached(name)))
            for (name,) in self._found(SEQUENCES)
        ]

    def connect(self, database: Database) -> None:
        """Let a database that was just prepared use the connections of the one before."""
        if self._pool is not None:
            database.engine.pool = self._pool

    def put_back(self, database: Database) -> bool:
        """Make it hold again what it held; False if that cannot be told for sure."""
        try:
            return self._is_put_back(database)
        except psycopg.OperationalError:
            return False  # a test had everybody thrown out

    def _is_put_back(self, database: Database) -> bool:
        self._uses += 1
        self._pool = database.engine.pool
        if self._uses >= OFTEN or not self._is_left_alone(self._pool):
            return False
        if self._found(_stamps_of(MADE_OF)) != self._made_of:
            return False
        found = self._stamped()
        for name in (name for name in found if found[name] != self._stamps[name]):
            self._put_rows_back(name)
        self._connection.execute(SQL("SELECT {}").format(SQL(", ").join(self._numbers)))
        self._stamps = self._stamped()
        return True

    def close(self) -> None:
        """Leave it."""
        self._connection.close()
        if self._pool is not None:
            self._pool.dispose()

    def drop(self) -> None:
        """Throw it away, whoever is connected to it."""
        self.close()
        drop_database(self._server, self.name)

    def _is_left_alone(self, pool: Pool) -> bool:
        """Whether nobody is in the middle of something, and nobody but the pool is connected."""
        given_out, idle = (getattr(pool, count)() for count in ("checkedout", "checkedin"))
        until = time.monotonic() + LEAVE_SECONDS
        while self._found(OTHERS) != [(idle,)]:
            if time.monotonic() > until:
                return False
            time.sleep(0.005)
        return given_out == 0 and self._found(HELD) == [(0,)]

    def _put_rows_back(self, name: str) -> None:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute(SQL("DELETE FROM ONLY {}").format(Identifier(name)))
            if name in self._rows:
                into = SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(Identifier(name))
                with cursor.copy(into) as copy:
                    copy.write(self._rows[name])

    def _stamped(self) -> dict[str, tuple[int, int]]:
        """How many rows each table has, and the newest transaction that wrote one of them."""
        return {name: (count, newest) for name, count, newest in self._found(self._tables)}

    def _copied(self, name: str) -> bytes:
        out = SQL("COPY {} TO STDOUT (FORMAT BINARY)").format(Identifier(name))
        with self._connection.cursor().copy(out) as copy:
            return b"".join(map(bytes, copy))

    def _reached(self, name: str) -> tuple[Any, ...]:
        ((last, is_called),) = self._found(
            SQL("SELECT last_value, is_called FROM {}").format(Identifier(name))
        )
        return last, is_called

    def _found(self, query: str | Composed) -> list[tuple[Any, ...]]:
        statement = query.encode() if isinstance(query, str) else query
        # Some are asked after each test, and long: the server works out once how to answer them.
        return self._connection.execute(statement, prepare=True).fetchall()


def _stamps_of(tables: Iterable[str]) -> Composed:
    """Return a query of the name, the rows and the newest transaction of each table."""
    each = SQL("SELECT {}, count(*), coalesce(max(xmin::text::bigint), 0) FROM ONLY {}")
    return SQL(" UNION ALL ").join(each.format(Literal(name), Identifier(name)) for name in tables)


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")


def _execute(server: str, statement: Composed) -> None:
    with psycopg.connect(_plain(server), autocommit=True) as connection:
        connection.execute(statement)
