"""What tests look at: refusals by their codes, rows of the database, bodies of the log."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from app.keno.refusals import Refused
from app.store.partitions import partition_names
from tests.floor import Floor


@contextmanager
def refuses(*codes: str) -> Iterator[None]:
    """Expect a refusal with exactly these codes."""
    with pytest.raises(Refused) as refused:
        yield
    assert [refusal.code for refusal in refused.value.refusals] == list(codes)


def rows(floor: Floor, statement: str, **values: object) -> list[tuple[Any, ...]]:
    """What a query finds, committed by whomever."""
    with floor.office.database.reading() as connection:
        return [tuple(row) for row in connection.execute(text(statement), values)]


def write(floor: Floor, *statements: str, **values: object) -> None:
    """Change the database behind the back of the house."""
    with floor.office.database.writing() as connection:
        for statement in statements:
            wanted = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(text(statement), wanted)
        connection.commit()


PLACES = ("printer", "station_printer")  # what only an entry of the log changes


@contextmanager
def lifted(floor: Floor) -> Iterator[Connection]:
    """A thief with the file of SQLite in hand, or with the role that owns the tables.

    When what is done is committed, the guards of printers are back.
    """
    with floor.office.database.writing() as connection:
        on = lift_guards(connection)
        yield connection
        for each in on:
            connection.exec_driver_sql(each)
        connection.commit()


def lift_guards(connection: Connection) -> list[str]:
    """Lift the guards of printers within a transaction; return how they are put back."""
    if connection.dialect.name == "sqlite":
        guards = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :of"
        found = [
            each for of in PLACES for each in connection.execute(text(guards), {"of": of}).all()
        ]
        off = [f"DROP TRIGGER {name}" for name, _ in found]
        on = [str(made) for _, made in found]
    else:
        off = [f"ALTER TABLE {of} DISABLE TRIGGER USER" for of in PLACES]
        on = [f"ALTER TABLE {of} ENABLE TRIGGER USER" for of in PLACES]
    for each in off:
        connection.exec_driver_sql(each)
    return on


def bodies(floor: Floor, tag: str) -> list[dict[str, Any]]:
    """The bodies of all entries of a kind, as they were written."""
    found = rows(floor, "SELECT body FROM log_entry WHERE tag = :tag ORDER BY id", tag=tag)
    return [json.loads(body) for (body,) in found]


def everything(floor: Floor) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with floor.office.database.reading() as connection:
        names = set(inspect(connection).get_table_names()) - partition_names(connection)
    return {name: rows(floor, f'SELECT * FROM "{name}"') for name in names}  # noqa: S608


def postings(floor: Floor, tag: str) -> list[tuple[str, str | None, int]]:
    """Account, kind and cents of what the newest act of a kind moved."""
    newest = "(SELECT max(id) FROM log_entry WHERE tag = :tag)"
    found = f"SELECT account, kind, cents FROM posting WHERE entry = {newest} ORDER BY place"  # noqa: S608
    return [(account, kind, int(cents)) for account, kind, cents in rows(floor, found, tag=tag)]
