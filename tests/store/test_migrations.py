"""The schema's history: forward and back with a house in the tables, and its end is the models."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import IntegrityError

from app.flow.plays import Changes
from app.flow.sell import Sale
from app.keno.tender import Tender, TenderKind
from app.store import schema
from app.store.database import Database
from app.store.partitions import partition_names
from app.store.tables import APPEND_ONLY, Table
from tests.depth import IS_PROOF
from tests.floor import Floor, dollar
from tests.looking import rows, write

pytestmark = pytest.mark.both_engines

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "migrations" / "versions").glob("*.py"))


def history() -> list[Script]:
    """Every migration, the oldest first."""
    scripts = ScriptDirectory.from_config(Config(str(schema.MIGRATIONS / "alembic.ini")))
    return list(scripts.walk_revisions())[::-1]


@contextmanager
def opened(url: str) -> Iterator[Database]:
    database = Database(url)
    try:
        yield database
    finally:
        database.close()


def objects(connection: Connection) -> set[str]:
    """Everything of ours that a database has: tables, triggers, functions."""
    if connection.dialect.name == "sqlite":
        found = text("SELECT type || ' ' || name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    else:
        found = text(
            "SELECT 'relation ' || relname FROM pg_class "
            "WHERE relnamespace = 'public'::regnamespace "
            "UNION SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal "
            "UNION SELECT 'function ' || proname FROM pg_proc "
            "WHERE pronamespace = 'public'::regnamespace"
        )
    return {name for name in connection.execute(found).scalars() if "alembic_version" not in name}


def run_a_house(url: str, folder: Path) -> None:
    """Found a house and leave a row in every table that a day of work fills."""
    floor = Floor.opened(url, folder)
    wanda = floor.writing()
    coupon = (Tender(TenderKind.COUPON, 100, f"C-{folder.name}".upper()),)
    floor.sell(wanda, replace(dollar(), tender=coupon))
    floor.sell(wanda, dollar(games=3))
    cash = (Tender(TenderKind.CURRENCY, 500),)
    floor.sell(wanda, Sale("M", Changes(), cash, replay_of=2))
    floor.void(wanda, 1)
    floor.lock()
    floor.sell(wanda)
    floor.check_books()
    floor.close()


def shape(connection: Connection) -> dict[str, Any]:
    """Columns, keys, constraints and indexes of every table, as the database itself tells them."""
    inspector = inspect(connection)
    told: dict[str, Any] = {}
    parts = partition_names(connection) | {"alembic_version"}
    for table in sorted(set(inspector.get_table_names()) - parts):
        told[table] = {
            "columns": [
                {**column, "type": repr(column["type"])} for column in inspector.get_columns(table)
            ],
            "primary key": inspector.get_pk_constraint(table),
            "foreign keys": by_name(
                [
                    each
                    for each in inspector.get_foreign_keys(table)
                    if each["referred_table"] not in parts  # it comes with each partition
                ]
            ),
            "unique": by_name(inspector.get_unique_constraints(table)),
            "checks": by_name(inspector.get_check_constraints(table)),
            "indexes": by_name(inspector.get_indexes(table)),
        }
        for index in told[table]["indexes"]:
            index["dialect_options"] = {
                name: str(option) for name, option in index.get("dialect_options", {}).items()
            }
    return told


def by_name(parts: list[Any]) -> list[Any]:
    return sorted(parts, key=lambda part: str(part["name"]))


# ---- forward and back ----------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
def test_every_migration_goes_back_and_forward_again_with_a_house_in_the_tables(
    empty_url: str, tmp_path: Path
) -> None:
    """All the way back and the newest alone; from every one of them in the long evidence."""
    places = range(len(history()))
    if not IS_PROOF:
        places = places[:: len(places) - 1]
    with opened(empty_url) as database:
        for place in places:
            run_a_house(empty_url, tmp_path / f"before-{place}")
            with database.reading() as connection:
                newest = objects(connection)
            for step in reversed(history()[place:]):
                assert schema.revision_of(database) == step.revision
                schema.downgrade(database, "-1")
            older = history()[place - 1].revision if place else None
            assert schema.revision_of(database) == older
            if not place:
                with database.reading() as connection:
                    assert objects(connection) == set()
            for step in history()[place:]:
                schema.upgrade(database, "+1")
                assert schema.revision_of(database) == step.revision
            with database.reading() as connection:
                assert objects(connection) == newest
            schema.downgrade(database)
        run_a_house(empty_url, tmp_path / "after")


@pytest.mark.rule("X-recovery", "X-retention")
@pytest.mark.parametrize(
    ("table", "columns", "values"),
    [
        ("resumption", "entry, last_number, left_out", "1, 0, 1"),
        ("restoration", "size, noticed_at", "1, founded_at"),
        ("lost_act", "entry, why", "1, 'planted'"),
        ("log_origin", "entry, origin, size", "1, 'another', 1"),
        ("retention", "entry, kind, days, staff, manager", "1, 'access', 400, 1, 2"),
        (
            "archive",
            "entry, before, entries, file, staff, manager, archived_at",
            "1, CURRENT_DATE, 0, root, 1, 2, founded_at",
        ),
    ],
)
def test_the_schema_is_not_taken_back_if_records_would_be_lost(
    floor: Floor, table: str, columns: str, values: str
) -> None:
    database = floor.office.database
    with database.writing() as connection:
        planted = f"SELECT {values} FROM house, log_head"  # noqa: S608  our own names
        connection.execute(text(f"INSERT INTO {table} ({columns}) {planted}"))
        connection.commit()
    with pytest.raises(RuntimeError, match=f"rows of {table} stand nowhere else"):
        schema.downgrade(database, "2026_11_17_the_reports")
    with database.reading() as connection:
        assert len(connection.execute(text(f"SELECT * FROM {table}")).all()) == 1  # noqa: S608
    schema.upgrade(database)


@pytest.mark.rule("X-access", "X-recovery")
def test_older_software_is_given_nobody_whose_role_it_does_not_know(
    empty_url: str, tmp_path: Path
) -> None:
    floor = Floor.opened(empty_url, tmp_path)
    database, before = floor.office.database, "2026_11_26_station_bucket"
    schema.downgrade(database, before)
    columns = "code, name, role, secret, failed_tries"
    planted = f"INSERT INTO staff ({columns}) VALUES ('V', 'V', 'cage', '', 0)"  # noqa: S608  ours
    with database.writing() as connection, pytest.raises(IntegrityError):
        connection.execute(text(planted))
    schema.upgrade(database)
    with database.writing() as connection:
        connection.execute(text(planted))
        connection.commit()
    with pytest.raises(schema.Unfit, match="does not know the roles of V"):
        schema.downgrade(database, before)
    floor.close()


@pytest.mark.rule("X-printer-place")
def test_printers_find_the_entries_that_tell_of_them_and_one_that_strayed_is_told_of(
    floor: Floor,
) -> None:
    database, before = floor.office.database, "2026_11_28_ended_processes"
    floor.printer_at("B1", "tcp:10.0.0.9")
    floor.printer_at("B2", "tcp:10.0.0.10")
    floor.printer_at("B1", "tcp:10.0.0.11")
    found = "SELECT code, printer.entry, station_printer.entry FROM printer JOIN station_printer"
    found += " ON printer = printer.id ORDER BY code"
    stored = rows(floor, found)
    schema.downgrade(database, before)
    schema.upgrade(database)
    assert rows(floor, found) == stored
    floor.check_books()
    schema.downgrade(database, before)
    write(floor, "UPDATE printer SET address = 'tcp:10.0.0.66' WHERE code = 'P-B1'")
    with pytest.raises(schema.Unfit, match="printer P-B1: not as the log says"):
        schema.upgrade(database)


@pytest.mark.rule("X-recovery")
def test_two_printers_at_one_address_are_told_of_before_the_schema_goes_forward(
    empty_url: str,
) -> None:
    added = "INSERT INTO printer (code, address, roll) VALUES (:code, 'tcp:booth', '80mm')"
    with opened(empty_url) as database:
        schema.upgrade(database, "2026_11_21_archiving_in_place")
        with database.writing() as connection:
            for code in ("P1", "P2"):
                connection.execute(text(added), {"code": code})
            connection.commit()
        with pytest.raises(schema.Unfit, match="more than one printer is at tcp:booth"):
            schema.upgrade(database)
        with database.writing() as connection:
            connection.execute(text("UPDATE printer SET address = 'tcp:bar' WHERE code = 'P2'"))
            connection.commit()
        schema.upgrade(database, "2026_11_22_addresses")
        with database.writing() as connection, pytest.raises(IntegrityError):
            connection.execute(text(added), {"code": "P3"})


def test_a_migration_that_fails_half_way_leaves_nothing(empty_url: str) -> None:
    """Both engines take a change of the schema back with the rest of its transaction."""
    with opened(empty_url) as database:
        with database.writing() as connection:
            # The last table of the first migration is there already, and in its way.
            connection.execute(text("CREATE TABLE void (ticket INTEGER)"))
            connection.commit()
        with pytest.raises(Exception, match="already exists"):
            schema.upgrade(database)
        with database.reading() as connection:
            assert inspect(connection).get_table_names() == ["void"]
        with database.writing() as connection:
            connection.execute(text("DROP TABLE void"))
            connection.commit()
        schema.upgrade(database)
        assert schema.revision_of(database) == schema.newest_revision()


def test_a_database_without_tables_is_at_no_revision(empty_url: str) -> None:
    with opened(empty_url) as database:
        assert schema.revision_of(database) is None
        schema.upgrade(database)
        assert schema.revision_of(database) == schema.newest_revision() == history()[-1].revision
        schema.upgrade(database)
        schema.downgrade(database)
        assert schema.revision_of(database) is None


def test_numbers_of_tickets_start_at_one_after_the_first_migration(empty_url: str) -> None:
    with opened(empty_url) as database:
        schema.upgrade(database)
        with database.reading() as connection:
            counters = connection.execute(text("SELECT name, value FROM counter")).all()
    assert sorted(tuple(row) for row in counters) == [("drawer", 0), ("ticket", 0)]


def test_alembic_s_own_command_finds_the_database(empty_url: str) -> None:
    command = [sys.executable, "-m", "alembic", "-c", "migrations/alembic.ini"]
    for words in ("upgrade head", "check", "downgrade base"):
        done = subprocess.run(  # noqa: S603  the command that alembic.ini names
            [*command, "-x", f"url={empty_url}", *words.split()],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with opened(empty_url) as database, database.reading() as connection:
        assert objects(connection) == set()


# ---- the head is the models ----------------------------------------------------------------------


def test_the_head_is_what_the_models_say(empty_url: str) -> None:
    with opened(empty_url) as database:
        schema.upgrade(database)
        with database.reading() as connection:
            context = MigrationContext.configure(connection, opts=schema.compared(connection))
            assert compare_metadata(context, Table.metadata) == []


def test_the_head_has_every_constraint_of_the_models_by_name_and_text(empty_url: str) -> None:
    """Alembic's comparison leaves checks out, and the conditions of indexes."""
    with opened(empty_url) as database:
        schema.upgrade(database)
        with database.reading() as connection:
            migrated = shape(connection)
        schema.downgrade(database)
        with database.writing() as connection:
            Table.metadata.create_all(connection)
            made = shape(connection)
    assert sorted(migrated) == sorted(Table.metadata.tables)
    assert migrated == made


@pytest.mark.rule("X-audit-log")
def test_the_migrations_guard_exactly_the_tables_whose_rows_are_facts() -> None:
    guarded = [table for step in history() for table in getattr(step.module, "APPEND_ONLY", ())]
    assert sorted(guarded) == APPEND_ONLY
    assert len(APPEND_ONLY) == len(set(APPEND_ONLY)) >= 14


# ---- names ---------------------------------------------------------------------------------------


def test_the_files_are_named_by_their_dates_and_stand_in_their_order() -> None:
    assert FILES
    for file in FILES:
        named = re.fullmatch(r"(\d{4})_(\d{2})_(\d{2})_[a-z0-9_]+", file.stem)
        assert named, f"{file.name} does not begin with a date"
        date(*map(int, named.groups()))
    assert [step.revision for step in history()] == [file.stem for file in FILES]


def test_the_history_has_one_line() -> None:
    steps = history()
    assert [step.down_revision for step in steps] == [
        None,
        *(step.revision for step in steps[:-1]),
    ]
