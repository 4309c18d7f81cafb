"""A process that writes rows into the database, while the next ones are made.

PostgreSQL takes them by COPY, SQLite by statements that are prepared once; both in an order in
which no row names another that is not there yet, in one transaction. Every constraint and trigger
of the house is in force meanwhile.
"""

from multiprocessing import get_context
from multiprocessing.connection import Connection as Line
from traceback import format_exc
from typing import Any, NamedTuple

from sqlalchemy import Connection

from app.store.database import Database

Shape = tuple[str, tuple[str, ...]]
"""A table and the columns that are given; the database fills in the others."""

Row = tuple[Any, ...]


class Parcel(NamedTuple):
    """What is written in one transaction, in this order."""

    entries: list[tuple[Shape, list[Row]]]
    changes: list[tuple[str, Row]]
    others: list[tuple[Shape, list[Row]]]


class Writing:
    """The process, as whoever makes the rows reaches it."""

    def __init__(self, url: str) -> None:
        """Start it on a database."""
        # Not a fork: whoever starts it has the database open.
        context = get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, url))
        self._process.start()
        theirs.close()
        self._is_owed = False

    def send(self, parcel: Parcel) -> None:
        """Have rows written, behind those before them."""
        self.wait()
        self._line.send(parcel)
        self._is_owed = True

    def wait(self) -> None:
        """Wait until everything is written.

        Raises:
            RuntimeError: it could not be; with what the process said.
        """
        if self._is_owed:
            self._is_owed = False
            wrong = self._line.recv()
            if wrong is not None:
                raise RuntimeError(wrong)

    def close(self) -> None:
        """Stop it."""
        self._line.close()
        self._process.join()


# ---- in its own process --------------------------------------------------------------------------


def _serve(line: Line, url: str) -> None:
    """Write one parcel after the other, until nobody sends any more."""
    database = Database(url)
    while True:
        try:
            parcel: Parcel = line.recv()
        except EOFError:
            break
        try:
            _write(database, parcel)
        except Exception:  # noqa: BLE001  whatever it is, it is told
            line.send(format_exc())
        else:
            line.send(None)
    database.close()


def _write(database: Database, parcel: Parcel) -> None:
    put = _insert if database.is_sqlite else _copy
    with database.writing() as connection:
        for shape, rows in parcel.entries:
            put(connection, shape, rows)
        for statement, values in parcel.changes:
            marked = statement if database.is_sqlite else statement.replace("?", "%s")
            connection.exec_driver_sql(marked, values)
        for shape, rows in parcel.others:
            put(connection, shape, rows)
        connection.commit()


def _insert(connection: Connection, shape: Shape, rows: list[Row]) -> None:
    table, columns = shape
    listed, marks = _listed(columns), ", ".join("?" * len(columns))
    statement = f'INSERT INTO "{table}" ({listed}) VALUES ({marks})'  # noqa: S608  our own names
    connection.exec_driver_sql(statement, rows)


def _copy(connection: Connection, shape: Shape, rows: list[Row]) -> None:
    table, columns = shape
    driver: Any = connection.connection.driver_connection
    statement = f'COPY "{table}" ({_listed(columns)}) FROM STDIN'
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in columns)
