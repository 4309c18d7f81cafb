"""The floor: the same statements, sent without anything around them."""

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg
from sqlalchemy import event

from app.flow.access import Credentials, working
from app.store.database import set_up_sqlite
from bench.load import Act
from tests.floor import Floor

_WRITER = threading.Lock()  # SQLite's writers of one process stand in a queue, as ours do
_SUFFIX = re.compile(r"_\d+$")  # by which one row's column differs from another's


@dataclass(frozen=True)
class Statement:
    """A statement as it was sent, with the names of its parameters."""

    sql: str
    parameters: list[dict[str, Any]]
    order: tuple[str, ...] | None
    many: bool


class Raw:
    """The statements of an act, recorded once and sent again without anything around them."""

    def __init__(
        self,
        engine: str,
        house: Floor,
        people: list[Credentials],
        act: Callable[[Credentials], int],
        numbers: Callable[[], int] | None = None,
    ) -> None:
        """Record an act.

        Args:
            engine: on which database.
            house: where it is done.
            people: each of whom does it at a station, and with a drawer, of their own.
            act: what is done; returns the number of its ticket.
            numbers: gives out the tickets for it, unless it makes its own.
        """
        self._engine = engine
        self._numbers = numbers
        self._url = house.office.database.url
        with house.office.unit() as unit:
            workers = [working(unit, person) for person in people]
        # Each connection sells at a station, and into a drawer, of its own.
        self._places = [
            {"station": who.station, "staff": who.staff, "drawer": who.drawer} for who in workers
        ]
        act(people[0])  # the statements are compiled once, as in a house that runs
        self._statements: list[Statement] = []
        event.listen(house.office.database.engine, "before_cursor_execute", self._record)
        self._recorded = act(people[0])
        event.remove(house.office.database.engine, "before_cursor_execute", self._record)

    def _record(
        self,
        _connection: object,
        _cursor: object,
        sql: str,
        given: Any,  # noqa: ANN401  what the driver takes
        context: Any,  # noqa: ANN401  SQLAlchemy's own
        many: bool,
    ) -> None:
        if context is not None and context.compiled is not None:
            order = tuple(context.compiled.positiontup or ())
            rows = list(given) if many else [given]
            named = [dict(zip(order, row, strict=True)) if order else dict(row) for row in rows]
            self._statements.append(Statement(sql, named, order or None, many))

    def connection(self, place: int) -> Act:
        """Connect, to send the acts of one station."""
        return partial(self.send, self.connect(), place)

    def connect(self) -> Any:  # noqa: ANN401  either driver's
        """Connect to the database, without anything around it."""
        if self._engine == "sqlite":
            connection = sqlite3.connect(
                str(self._url.database), isolation_level=None, check_same_thread=False, timeout=60
            )
            set_up_sqlite(connection)
            return connection
        plain = self._url.render_as_string(hide_password=False)
        return psycopg.connect(plain.replace("+psycopg", ""))

    def send(self, connection: Any, place: int) -> None:  # noqa: ANN401  either's
        """Send one act of a station: what one statement returns is what the next ones name."""
        request = f"raw-{time.time_ns()}-{os.urandom(4).hex()}"
        known: dict[str, Any] = {"request": request, **self._places[place]}
        if self._numbers is not None:
            known["number"] = known["ticket"] = self._numbers()
        if self._engine == "sqlite":
            _WRITER.acquire()
            connection.execute("BEGIN IMMEDIATE")
        for statement in self._statements:
            rows = [self._filled(each, known) for each in statement.parameters]
            values = [
                tuple(row[name] for name in statement.order) if statement.order else row
                for row in rows
            ]
            with closing(connection.cursor()) as cursor:
                if statement.many:
                    cursor.executemany(statement.sql, values)
                    continue
                cursor.execute(statement.sql, values[0])
                if statement.sql.startswith("UPDATE counter"):
                    known["number"] = known["ticket"] = cursor.fetchone()[0]
                elif statement.sql.startswith("INSERT INTO act "):
                    known["entry"] = known["id"] = cursor.fetchone()[0]
                elif cursor.description:
                    cursor.fetchall()
        connection.commit()
        if self._engine == "sqlite":
            _WRITER.release()

    def _filled(self, row: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of a statement, with what this act knows in place of the old."""
        filled = {}
        for name, value in row.items():
            stem = _SUFFIX.sub("", name)
            # Games have numbers too; and a posting to an account of the house has no drawer.
            other = stem in {"number", "ticket"} and value != self._recorded
            filled[name] = value if other or not value else known.get(stem, value)
        return filled
