"""A change of the schema holds up nobody who sells, and says what it has locked."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from sqlalchemy import make_url, text

from app.store import schema
from app.store.database import Database
from tests.lending import address, drop_database, new_database

pytestmark = pytest.mark.both_engines

BEFORE = "2026_11_18_keeping"
BOOKS = "2026_11_18_the_books"  # which makes an index of a table that is written to
WRITES = "LOCK TABLE refund IN ROW EXCLUSIVE MODE NOWAIT"  # as a refund does


@pytest.fixture(scope="module")
def behind(postgres: str) -> Iterator[str]:
    """A database one migration behind, to be copied."""
    name = new_database(postgres)
    with closing(Database(address(postgres, name))) as database:
        steps = schema.upgrade(database, BEFORE)
    assert steps[0].locks == ()  # there was nothing yet
    assert steps[-1].revision == BEFORE
    yield name
    drop_database(postgres, name)


@pytest.fixture
def url(postgres: str, behind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a database one migration behind."""
    monkeypatch.setattr(schema, "LOCK_MILLISECONDS", 100)
    name = new_database(postgres, behind)
    yield address(postgres, name)
    drop_database(postgres, name)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with closing(Database(url)) as database:
        yield database


def opened(url: str) -> psycopg.Connection:
    return psycopg.connect(url.replace("+psycopg", ""))


@pytest.mark.rule("X-recovery")
def test_it_gives_up_rather_than_have_sales_queue_behind_it_and_is_tried_again(
    database: Database, url: str
) -> None:
    waited: list[str] = []
    with closing(opened(url)) as working, closing(opened(url)) as selling:
        working.execute(WRITES)
        with pytest.raises(schema.Busy, match="lock timeout"):
            schema.upgrade(database, BOOKS, tries=1)

        def pause() -> None:
            selling.execute(WRITES)  # nobody is in the way of whoever comes next
            selling.rollback()
            waited.append("once")
            if len(waited) == 2:
                working.rollback()

        schema.upgrade(database, BOOKS, tries=5, pause=pause)
    assert waited == ["once", "once"]
    assert schema.revision_of(database) == BOOKS


@pytest.mark.rule("X-recovery")
def test_two_do_not_change_the_schema_at_once(database: Database, url: str) -> None:
    with closing(opened(url)) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (schema.ALONE,))
        with pytest.raises(schema.Busy, match="somebody else"):
            schema.upgrade(database, BOOKS, tries=1)
    schema.upgrade(database, BOOKS, tries=50, pause=lambda: None)  # its lock went with it
    assert schema.revision_of(database) == BOOKS


def test_another_fault_is_not_taken_for_a_lock(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "LOCK_MILLISECONDS", "nonsense")
    with pytest.raises(schema.Away, match="nonsense"):
        schema.upgrade(database, BOOKS, pause=lambda: pytest.fail("it is no use to try it again"))


@pytest.mark.rule("X-access", "X-recovery")
def test_who_does_not_own_the_tables_is_told_so(database: Database, url: str) -> None:
    others = (
        f'ALTER ROLE CURRENT_USER IN DATABASE "{make_url(url).database}" SET role = keno_not_owner'
    )
    with closing(opened(url)) as owner:
        owner.execute("CREATE ROLE keno_not_owner IN ROLE pg_read_all_data")
        owner.execute(others)
        owner.commit()
        with (
            closing(Database(url)) as other,
            pytest.raises(schema.NotOurs, match="permission denied"),
        ):
            schema.upgrade(other, BOOKS)
        owner.execute(others.replace("SET role = keno_not_owner", "RESET role"))
        owner.execute("DROP ROLE keno_not_owner")
        owner.commit()
    assert schema.revision_of(database) == BEFORE


@pytest.mark.rule("X-recovery")
def test_it_says_what_each_step_has_locked_and_leaves_nothing_behind(database: Database) -> None:
    (step,) = schema.upgrade(database, BOOKS)
    assert step.revision == BOOKS
    assert {"refund", "expiry"} <= {table for table, _ in step.locks}
    assert "books_run" not in {table for table, _ in step.locks}  # nobody knew it before
    assert step.milliseconds >= 0
    assert schema.upgrade(database, BOOKS) == []
    with database.reading() as connection:
        assert connection.execute(text("SHOW lock_timeout")).scalar_one() == "0"
        locks = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert connection.execute(locks).scalar_one() == 0
