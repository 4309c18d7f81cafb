"""What an act leaves behind: its entry in the log, and the rows that name it.

While a sale adds its rows, every other sale of the house waits for the counter of ticket numbers.
PostgreSQL takes all of them in one statement and one round trip; SQLite is in the same process, and
takes them one by one.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Executable, bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from app.store.records.log import add_entry, incomplete_is_told
from app.store.tables import Act, LogEntry, LogPending, Table
from app.store.unit import Unit

Row = tuple[type[Table], Mapping[str, object]]
"""A row for a table; where it has a column for the entry of its act, that is filled in."""

_ENTRY = ("tag", "salt", "body", "leaf")
# What only one of two transactions can add: an answer to a request id, the void of a ticket, its
# cancellation, the refund of a game; by the names of the constraints, and of the columns.
_ONCE = (
    "pk_asked",
    "asked.station",
    "pk_void",
    "void.ticket",
    "pk_cancellation",
    "cancellation.ticket",
    "pk_refund",
    "refund.ticket",
    "pk_payout",
    "payout.ticket",
    "uq_payout_check_number",
    "payout.check_number",
    "pk_presentation",
    "presentation.ticket",
    "pk_reprint",
    "reprint.job",
    "pk_day_close",
    "day_close.day",
    "uq_drawer_one_open",
    "drawer.station",
)


class CameSecond(Exception):  # noqa: N818  not a fault: the first one's act counts, and is looked at
    """Another transaction did first what can be done only once."""


def add_together(unit: Unit, entry: Mapping[str, object], rows: Sequence[Row]) -> int:
    """Add an entry of the log and the rows of its act; return the entry's id.

    Raises:
        CameSecond: the same request was answered first, or the same ticket voided or refunded.
        LogIncomplete: the house was restored, and entries are missing.
    """
    if unit.connection.dialect.name == "sqlite":
        added = add_entry(unit, entry)
        add_rows(unit, added, rows)
        return added
    with second_is_told(), incomplete_is_told():
        return _add_at_once(unit, entry, rows)


def add_several(unit: Unit, acts: Sequence[tuple[Mapping[str, object], Sequence[Row]]]) -> None:
    """Add several acts, each an entry and its rows, table by table; entries in the order given.

    Raises:
        CameSecond: as `add_together`, one of them.
        LogIncomplete: as `add_together`.
    """
    with second_is_told(), incomplete_is_told():
        tags = [{"tag": told["tag"]} for told, _ in acts]
        entries = unit.connection.execute(_SEVERAL, tags).scalars().all()
        unit.connection.execute(
            _plain(LogEntry),
            [{**told, "id": entry} for entry, (told, _) in zip(entries, acts, strict=True)],
        )
        unit.connection.execute(_plain(LogPending), [{"entry": entry} for entry in entries])
        by_table: dict[type[Table], list[Mapping[str, object]]] = {}
        for entry, (_, rows) in zip(entries, acts, strict=True):
            for table, values in rows:
                named = {"entry": entry} if _names_entry(table) else {}
                by_table.setdefault(table, []).append({**values, **named})
        for table, values_ in by_table.items():
            unit.connection.execute(_plain(table), values_)


def add_rows(unit: Unit, entry: int, rows: Sequence[Row]) -> None:
    """Add rows of an act whose entry is in the log already.

    Raises:
        CameSecond: as `add_together`.
    """
    with second_is_told():
        for table, same in groupby(rows, key=itemgetter(0)):
            named = {"entry": entry} if _names_entry(table) else {}
            unit.connection.execute(_plain(table), [{**values, **named} for _, values in same])


def _add_at_once(unit: Unit, entry: Mapping[str, object], rows: Sequence[Row]) -> int:
    parameters = {f"entry_{name}": value for name, value in entry.items()}
    for place, (_, values) in enumerate(rows):
        parameters |= {f"{name}_{place}": value for name, value in values.items()}
    shape = tuple((table, tuple(values)) for table, values in rows)
    added: int = unit.connection.execute(_statement(shape), parameters).scalar_one()
    return added


_SEVERAL = insert(Act).returning(Act.id, sort_by_parameter_order=True)
_plain = lru_cache(maxsize=None)(insert)  # a statement that is kept costs nothing to find again


@lru_cache(maxsize=256)
def _statement(shape: tuple[tuple[type[Table], tuple[str, ...]], ...]) -> Executable:
    """Return the one statement that adds an entry and rows of these tables and columns."""
    act = insert(Act).values(tag=bindparam("entry_tag")).returning(Act.id).cte("act")
    the_entry = select(act.c.id).scalar_subquery()
    told: dict[str, object] = {name: bindparam(f"entry_{name}") for name in _ENTRY}
    added = [
        insert(LogEntry).values(told).values(id=the_entry).cte("entry"),
        insert(LogPending).values(entry=the_entry).cte("pending"),
    ]
    for place, (table, columns) in enumerate(shape):
        row = insert(table).values({name: bindparam(f"{name}_{place}") for name in columns})
        if _names_entry(table):
            row = row.values(entry=the_entry)
        added.append(row.cte(f"row_{place}"))
    return select(act.c.id).add_cte(*added)


def _names_entry(table: type[Table]) -> bool:
    return "entry" in table.__table__.columns


@contextmanager
def second_is_told() -> Iterator[None]:
    """Tell whoever does what can be done only once that another did it first."""
    try:
        yield
    except IntegrityError as error:
        # PostgreSQL names the constraint, SQLite the columns.
        diagnosis = getattr(error.orig, "diag", None)
        broken = diagnosis.constraint_name if diagnosis else str(error.orig)
        if any(name in (broken or "") for name in _ONCE):
            raise CameSecond from None
        raise
