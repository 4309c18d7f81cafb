"""A stretch of the log: the entries after one id, up to another.

Stretches follow on each other from below the first id to above the last one, so that a row is in
one of them whatever it says its entry is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Executable, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute

from app.store.tables import LogEntry

FIRST, LAST = -(2**62), 2**62


@dataclass(frozen=True)
class Span:
    """The ids of a stretch."""

    after: int
    until: int

    def holds(self, column: InstrumentedAttribute[Any]) -> ColumnElement[bool]:
        """Return the condition that a row's entry is in it."""
        return and_(column > self.after, column <= self.until)


def spans(connection: Connection, entries: int) -> Iterator[Span]:
    """Yield the stretches of the log, each of so many entries."""
    after: int = FIRST
    while True:
        found = select(LogEntry.id).where(LogEntry.id > after).order_by(LogEntry.id)
        until = connection.execute(found.offset(entries - 1).limit(1)).scalar_one_or_none()
        yield Span(after, LAST if until is None else until)
        if until is None:
            return
        after = until


def newest_entry(connection: Connection) -> int:
    """Return the id of the newest entry."""
    newest: int | None = connection.execute(select(func.max(LogEntry.id))).scalar_one()
    return newest or 0


def rows_of(connection: Connection, found: Executable) -> Iterator[Any]:
    """Yield rows, of whatever columns."""
    yield from connection.execute(found)


def go_by_indexes(connection: Connection) -> None:
    """Have the rows of each stretch looked up one by one, until this transaction ends.

    PostgreSQL would now and then read all of a table to find the few rows that belong to a stretch.
    That is quicker once, and not when it is done for every stretch of a year.
    """
    if connection.dialect.name == "postgresql":
        for setting in ("enable_hashjoin", "enable_mergejoin", "jit"):
            connection.exec_driver_sql(f"SET LOCAL {setting} = off")
