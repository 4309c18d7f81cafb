"""A schema is taken back for older software only if nothing that was written is lost by it."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import text

from app.store import schema
from app.store.database import Database
from app.store.taking_back import WouldLose, take_back
from tests.floor import Floor
from tests.looking import everything

pytestmark = pytest.mark.both_engines

PARTITIONS = "2026_11_20_partitions"
WATCHED = "2026_11_19_watched"
BOOKS, KEEPING, REPORTS = "2026_11_18_the_books", "2026_11_18_keeping", "2026_11_17_the_reports"


@pytest.fixture
def database(floor: Floor) -> Iterator[Database]:
    """A house that works, at the newest revision, which is taken back to the one before it."""
    with closing(Database(floor.office.database.url.render_as_string(hide_password=False))) as own:
        schema.downgrade(own, BOOKS)
        yield own


@pytest.mark.rule("X-recovery")
def test_what_nobody_has_used_yet_is_taken_back(database: Database) -> None:
    take_back(database, KEEPING)
    assert schema.revision_of(database) == KEEPING
    schema.upgrade(database)
    assert schema.revision_of(database) == schema.newest_revision()


@pytest.mark.rule("X-recovery")
def test_rows_that_would_be_gone_keep_it_where_it_is(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(
            text(
                "INSERT INTO books_run (entry, gaming_day, size, root, faults, began_at)"
                " SELECT min(id), '2026-11-16', 0, :root, 0, CURRENT_TIMESTAMP FROM log_entry"
            ),
            {"root": bytes(32)},
        )
        connection.commit()
    with pytest.raises(WouldLose, match="1 rows of books_run"):
        take_back(database, KEEPING)
    assert schema.revision_of(database) == BOOKS


@pytest.mark.rule("X-recovery")
def test_a_column_that_says_something_keeps_it_where_it_is(database: Database) -> None:
    take_back(database, REPORTS)  # nothing was archived: it says the same of every entry
    schema.upgrade(database, BOOKS)
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.execute(text("ALTER TABLE log_entry DISABLE TRIGGER USER"))
        else:
            for name in _guards(database):
                connection.execute(text(f"DROP TRIGGER {name}"))
        first = "UPDATE log_entry SET archived = 7 WHERE id = (SELECT min(id) FROM log_entry)"
        connection.execute(text(first))
        connection.commit()
    with pytest.raises(WouldLose, match="what log_entry says in archived"):
        take_back(database, REPORTS)
    assert schema.revision_of(database) == BOOKS


@pytest.mark.rule("X-recovery")
def test_a_house_that_sells_is_taken_back_from_partitions_and_acts(floor: Floor) -> None:
    """What they say stands in the log and in the tables that they divide."""
    wanda = floor.writing()
    floor.sell(wanda)
    database = floor.office.database
    take_back(database, PARTITIONS)
    before = everything(floor)
    take_back(database, WATCHED)
    assert schema.revision_of(database) == WATCHED
    after = everything(floor)
    for table in before.keys() - {"act", "alembic_version"}:
        assert sorted(map(repr, after[table])) == sorted(map(repr, before[table])), table
    schema.upgrade(database)
    assert everything(floor)["act"] == before["act"]
    floor.sell(wanda)
    floor.check_books()


def _guards(database: Database) -> list[str]:
    named = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'log_entry'"
        " AND name <> 'log_entry_complete'"  # which the migration itself takes away
    )
    with database.reading() as connection:
        return list(connection.execute(text(named)).scalars())
