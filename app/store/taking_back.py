"""The schema taken back to an older revision, if nothing that was written is lost by it.

For a roll-back of the software. It is tried first, in a transaction that is undone, to see which
tables and columns would be gone: a table must be empty, unless what it says stands elsewhere too,
and a column say the same in every row.
The house is stopped meanwhile; a roll-back that would lose records is refused (X-recovery).
"""

from sqlalchemy import Connection, Select, column, func, inspect, select, table

from app.store import schema
from app.store.database import Database
from app.store.partitions import partition_names
from app.store.tables import SAID_ELSEWHERE

Shape = dict[str, set[str]]
"""The columns of every table."""


class WouldLose(Exception):  # noqa: N818  a refusal, with what to do about it
    """Records would be gone; the text says which."""


def take_back(database: Database, revision: str) -> None:
    """Take a database back to a revision.

    Raises:
        WouldLose: something that was written would be gone.
        Busy: the house still works with it.
    """
    lost = what_would_be_lost(database, revision)
    if lost:
        raise WouldLose("; ".join(lost))
    schema.downgrade(database, revision)


def what_would_be_lost(database: Database, revision: str) -> list[str]:
    """Return what stands in tables and columns that an older revision does not know."""
    with database.writing() as connection:
        before = _shape(connection)
        # In a transaction that is ours, which the migrations do not end.
        schema.downgrade_within(connection, revision)
        after = _shape(connection)
        connection.rollback()
    with database.reading() as connection:
        return [
            said
            for name, columns in sorted(before.items())
            for said in _lost(connection, name, columns, after)
        ]


def _shape(connection: Connection) -> Shape:
    found = inspect(connection)
    return {
        name: {str(each["name"]) for each in found.get_columns(name)}
        for name in set(found.get_table_names()) - partition_names(connection)
    }


def _lost(connection: Connection, name: str, columns: set[str], after: Shape) -> list[str]:
    if name in SAID_ELSEWHERE:
        return []
    if name not in after:
        rows = connection.execute(select(func.count()).select_from(table(name))).scalar_one()
        return [f"{rows} rows of {name}"] if rows else []
    return [
        f"what {name} says in {each}"
        for each in sorted(columns - after[name])
        if len(connection.execute(_values(name, each)).all()) > 1
    ]


def _values(name: str, each: str) -> Select[tuple[object]]:
    return select(column(each)).select_from(table(name)).distinct().limit(2)
