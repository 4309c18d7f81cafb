"""Rows on their way into the database: kept until there are many, and then written at once.

They are written by a process of its own (`bench.year.writing`), while the next are made. Values
are kept as both drivers take them: moments and documents as text.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Boolean, Integer, LargeBinary, String
from sqlalchemy.types import TypeEngine

from app.store.columns import Cents, Json, Utc, utc_text
from app.store.tables import Act, LogEntry, Table
from bench.year.writing import Parcel, Row, Shape, Writing

_ORDER = {table.name: place for place, table in enumerate(Table.metadata.sorted_tables)}
_NAMES_ENTRY = {table.name: "entry" in table.columns for table in Table.metadata.sorted_tables}
_FIRST = (Act.__tablename__, LogEntry.__tablename__)


class Rows:
    """Rows of all tables, and what is changed along with them."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing
        self._rows: dict[Shape, list[Row]] = defaultdict(list)
        self._changes: list[tuple[str, Row]] = []
        self._writers: dict[Shape, list[Callable[[Any], Any] | None]] = {}

    def of(self, table: type[Table], columns: tuple[str, ...]) -> list[Row]:
        """Return the rows of a table that wait, to which others are added as they are written."""
        return self._rows[table.__tablename__, columns]

    def add(self, table: type[Table], values: Mapping[str, Any], entry: int | None = None) -> None:
        """Keep a row; where its table has a column for the entry of its act, that is filled in."""
        shape, row = self.as_written(table, values, entry)
        self._rows[shape].append(row)

    def as_written(
        self, table: type[Table], values: Mapping[str, Any], entry: int | None = None
    ) -> tuple[Shape, Row]:
        """Return a row as it is written: each column as its own type does it."""
        name = table.__tablename__
        columns, row = tuple(values), tuple(values.values())
        if entry is not None and _NAMES_ENTRY[name] and "entry" not in values:
            columns, row = (*columns, "entry"), (*row, entry)
        shape = name, columns
        writers = self._writers.get(shape)
        if writers is None:
            kinds = Table.metadata.tables[name].columns
            writers = self._writers[shape] = [writer_of(kinds[column].type) for column in columns]
        if any(writers):
            row = tuple(
                value if writer is None or value is None else writer(value)
                for value, writer in zip(row, writers, strict=True)
            )
        return shape, row

    def change(self, statement: str, values: Sequence[object] = ()) -> None:
        """Have something changed, behind the entries and before all other rows."""
        as_written = (moment_text(each) if isinstance(each, datetime) else each for each in values)
        self._changes.append((statement, tuple(as_written)))

    @property
    def count(self) -> int:
        """How many rows wait."""
        return sum(map(len, self._rows.values()))

    def write(self) -> None:
        """Have everything written, in one transaction; the next rows can be made meanwhile."""
        shapes = [shape for shape, rows in self._rows.items() if rows]
        shapes.sort(key=lambda shape: _ORDER[shape[0]])
        entries = [(shape, self._rows[shape]) for shape in shapes if shape[0] in _FIRST]
        others = [(shape, self._rows[shape]) for shape in shapes if shape[0] not in _FIRST]
        # A game that is locked names its entry, and makes room for the next that is open.
        self._writing.send(Parcel(entries, self._changes, others))
        for rows in self._rows.values():
            rows.clear()  # whoever adds to them has the very lists
        self._changes.clear()

    def wait(self) -> None:
        """Wait until everything that was to be written is."""
        self._writing.wait()


def writer_of(kind: TypeEngine[Any]) -> Callable[[Any], Any] | None:
    """Return how values of a column are written; none if they go to the driver as they are."""
    if isinstance(kind, Utc):
        return moment_text
    if isinstance(kind, Json):
        return document_text
    if isinstance(kind, (Cents, Integer, String, LargeBinary, Boolean)):
        return None
    raise TypeError(f"nobody has said how {kind!r} is written")


def moment_text(value: datetime) -> str:
    """Return a moment as SQLite keeps it, and as PostgreSQL can read it."""
    return utc_text(value.astimezone(UTC))


def document_text(value: object) -> str:
    """Return a document as its column keeps it."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)
