"""A house that has sold many tickets: copies of its first one, put in without selling them.

The rows of the first ticket are copied by the database itself, many at a time. On PostgreSQL what a
copy names is not looked up: it is what the first ticket names, or another row of the same copy.
Every other constraint is in force, and nothing is dropped.
"""

from collections.abc import Callable, Collection

from sqlalchemy import Connection, text

from app.store.database import Database
from app.store.partitions import make_room
from app.store.tables import Table
from app.store.unit import unit_of

# What a copy has of its own, in terms of n, the number of its ticket.
OWN = {"number": "n", "request": "'copy-' || n", "entry": "1000000 + n"}
# In which columns of each table it stands: by the first of them a row of the first ticket is known.
# The other columns are copied. The order is that of the references between the tables.
COPIED = {
    "act": {"id": "entry"},
    "log_entry": {"id": "entry"},
    "asked": {"request": "request"},
    "ticket": {"number": "number", "request": "request", "entry": "entry"},
    "tender": {"ticket": "number"},
    "posting": {"entry": "entry"},
    "print_job": {"entry": "entry", "id": "entry"},
}
AT_ONCE = 200_000  # in a transaction

# How SQLite counts, and PostgreSQL, which has to be told to take the ids that it is given.
_BY_SQLITE = (
    "WITH RECURSIVE copies(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM copies WHERE n < :last)"
)
_BY_POSTGRESQL = (
    "OVERRIDING SYSTEM VALUE"
    " WITH copies AS (SELECT generate_series(CAST(:first AS bigint), :last) AS n)"
)


def presell(
    database: Database,
    count: int,
    without: Collection[str] = (),
    told: Callable[[int], None] = lambda _: None,
) -> None:
    """Put so many copies of the first ticket into a house, leaving some tables out.

    `told` is told how many are put in so far, and of all of them when the database is at rest.
    """
    tables = [table for table in COPIED if table not in without]
    last = count + 1
    for first in range(2, last + 1, AT_ONCE):
        with database.writing() as connection:
            if not database.is_sqlite:
                connection.execute(text("SET LOCAL session_replication_role = replica"))
            numbers = {"first": first, "last": min(first + AT_ONCE - 1, last)}
            for table in tables:
                connection.execute(text(_copies(table, database.is_sqlite)), numbers)
            connection.commit()
        with unit_of(database) as unit:
            make_room(unit)
            unit.commit()
        if numbers["last"] < last:
            told(numbers["last"] - 1)
    with database.writing() as connection:
        connection.execute(
            text("UPDATE counter SET value = :last WHERE name = 'ticket'"), {"last": last}
        )
        if not database.is_sqlite:
            _go_on_behind(connection, tables, last)
        connection.execute(text("ANALYZE"))
        connection.commit()
        if not database.is_sqlite:  # or its writing would go on while something is measured
            connection.execute(text("CHECKPOINT"))
    told(count)


def _copies(table: str, is_sqlite: bool) -> str:
    """Return the statement by which the rows of a table are copied; the names are ours."""
    own = COPIED[table]
    columns = [column.name for column in Table.metadata.tables[table].columns]
    values = [OWN[own[name]] if name in own else f"first.{name}" for name in columns]
    numbers = _BY_SQLITE if is_sqlite else _BY_POSTGRESQL
    known, what = next(iter(own.items()))
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) {numbers} "  # noqa: S608
        f"SELECT {', '.join(values)} FROM {table} AS first CROSS JOIN copies "
        f"WHERE first.{known} = (SELECT {what} FROM ticket WHERE number = 1)"
    )


def _go_on_behind(connection: Connection, tables: Collection[str], last: int) -> None:
    """Have the numbers that the database gives itself go on behind those of the copies."""
    for table in tables:
        if "id" in COPIED[table] and Table.metadata.tables[table].columns["id"].identity:
            connection.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {OWN['entry']})"  # noqa: S608
                    " FROM (SELECT CAST(:last AS bigint) AS n) AS last"
                ),
                {"last": last},
            )
