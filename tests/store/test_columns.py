"""Column types that let nothing wrong through, and the queue in which writers stand."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import StatementError

from app.store.columns import LARGEST, Cents, Json, Utc
from app.store.database import Database, FairLock
from tests.waiting import until

pytestmark = pytest.mark.both_engines

SQLITE: Dialect = sqlite.dialect()
POSTGRESQL: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]

ROWS = Table(
    "rows",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("moment", Utc),
    Column("cents", Cents),
    Column("document", Json),
)

OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
# A day away from both ends, so that every zone has the moment.
MOMENTS = st.datetimes(
    datetime(1, 1, 2),  # noqa: DTZ001  the zone is drawn apart
    datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=OFFSETS,
)
EXAMPLES = (
    datetime(1, 1, 2, tzinfo=UTC),
    datetime(999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(1000, 1, 1, tzinfo=UTC),
    datetime(2026, 11, 1, 5, 59, 59, 999_999, tzinfo=UTC),
    datetime(2026, 11, 1, 6, 0, tzinfo=UTC),
    datetime(2026, 11, 1, 1, 30, tzinfo=timezone(timedelta(hours=-4))),
    datetime(2026, 11, 1, 1, 30, tzinfo=timezone(timedelta(hours=-5))),
    datetime(9999, 12, 30, 23, 59, 59, 1, tzinfo=UTC),
)


class Level(IntEnum):
    ONE = 1


@contextmanager
def with_rows(url: str) -> Iterator[Connection]:
    """A database with the table of this file, and nothing else."""
    database = Database(url)
    try:
        with database.writing() as connection:
            ROWS.create(connection)
            yield connection
    finally:
        database.close()


# ---- moments -------------------------------------------------------------------------------------


@pytest.mark.rule("X-clock")
@pytest.mark.parametrize("dialect", [SQLITE, POSTGRESQL], ids=lambda dialect: dialect.name)
def test_a_moment_without_a_time_zone_is_refused(dialect: Dialect) -> None:
    with pytest.raises(ValueError, match="without a time zone"):
        Utc().process_bind_param(datetime(2026, 11, 16, 12, 0), dialect)  # noqa: DTZ001


@pytest.mark.rule("X-clock")
def test_a_moment_without_a_time_zone_never_reaches_the_table(empty_url: str) -> None:
    with with_rows(empty_url) as connection:
        with pytest.raises(StatementError, match="without a time zone"):
            connection.execute(insert(ROWS), {"moment": datetime(2026, 11, 16)})  # noqa: DTZ001
        assert connection.execute(select(ROWS)).all() == []


@pytest.mark.rule("X-clock")
@given(MOMENTS)
def test_a_moment_comes_back_as_it_was_to_the_microsecond(moment: datetime) -> None:
    for dialect in (SQLITE, POSTGRESQL):
        back = Utc().process_result_value(Utc().process_bind_param(moment, dialect), dialect)
        assert back == moment
        assert back is not None
        assert back.utcoffset() == timedelta(0)


@pytest.mark.rule("X-clock")
@given(MOMENTS, MOMENTS)
def test_the_order_of_text_is_the_order_of_time(one: datetime, other: datetime) -> None:
    texts = [Utc().process_bind_param(moment, SQLITE) for moment in (one, other)]
    assert (texts[0] < texts[1]) == (one < other)
    assert (texts[0] == texts[1]) == (one == other)
    assert [len(each) for each in texts] == [len("2026-11-16T17:00:00.000000Z")] * 2


@pytest.mark.rule("X-clock")
def test_both_engines_keep_and_sort_moments(empty_url: str) -> None:
    with with_rows(empty_url) as connection:
        connection.execute(insert(ROWS), [{"moment": moment} for moment in reversed(EXAMPLES)])
        connection.execute(insert(ROWS), {"moment": None})
        found = select(ROWS.c.moment).where(ROWS.c.moment.is_not(None))
        kept = connection.execute(found.order_by(ROWS.c.moment)).scalars().all()
        assert kept == sorted(EXAMPLES)
        assert {moment.utcoffset() for moment in kept if moment} == {timedelta(0)}
        late = found.where(ROWS.c.moment >= EXAMPLES[4]).order_by(ROWS.c.moment)
        assert connection.execute(late).scalars().all() == [EXAMPLES[4], EXAMPLES[6], EXAMPLES[7]]
        nothing = select(ROWS.c.moment).where(ROWS.c.moment.is_(None))
        assert connection.execute(nothing).scalars().all() == [None]


# ---- cents ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [1.0, 0.5, True, False, "1", Level.ONE, LARGEST + 1, -LARGEST - 1, 2**63, float("nan")],
)
def test_what_only_looks_like_cents_is_refused(value: Any) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match="not an amount in cents"):
        Cents().process_bind_param(value, SQLITE)


@pytest.mark.parametrize("value", [1.0, True, LARGEST + 1])
def test_what_only_looks_like_cents_never_reaches_the_table(empty_url: str, value: object) -> None:
    with with_rows(empty_url) as connection:
        with pytest.raises(StatementError, match="not an amount in cents"):
            connection.execute(insert(ROWS), {"cents": value})
        with pytest.raises(StatementError, match="not an amount in cents"):
            connection.execute(select(ROWS).where(ROWS.c.cents == value))
        assert connection.execute(select(ROWS)).all() == []


def test_cents_come_back_as_they_were_on_both_engines(empty_url: str) -> None:
    amounts = [0, 1, -1, LARGEST, -LARGEST, None]
    with with_rows(empty_url) as connection:
        connection.execute(insert(ROWS), [{"cents": cents} for cents in amounts])
        kept = connection.execute(select(ROWS.c.cents).order_by(ROWS.c.id)).scalars().all()
    assert kept == amounts
    assert {type(cents) for cents in kept} == {int, type(None)}


# ---- documents -----------------------------------------------------------------------------------


def test_a_document_comes_back_as_it_was_and_its_text_is_the_same_on_both_engines(
    empty_url: str,
) -> None:
    document = {"b": [1, None, True], "a": {"é": "\u2028", "deep": [[]]}}
    with with_rows(empty_url) as connection:
        connection.execute(insert(ROWS), [{"document": document}, {"document": None}])
        kept = connection.execute(select(ROWS.c.document).order_by(ROWS.c.id)).scalars().all()
        texts = connection.execute(text("SELECT document FROM rows ORDER BY id")).scalars().all()
    assert kept == [document, None]
    written = '{"a":{"deep":[[]],"\\u00e9":"\\u2028"},"b":[1,null,true]}'
    assert texts == [written, None]


# ---- the queue of writers ------------------------------------------------------------------------


def wait_until_waiting(lock: FairLock, count: int) -> None:
    """Wait until so many stand in the queue."""
    until(lambda: len(lock._waiting) == count)  # noqa: SLF001  nothing else says who stands there


@pytest.mark.rule("X-lock-server")
def test_whoever_came_first_is_served_first() -> None:
    lock, served = FairLock(), list[int]()

    def come(number: int) -> None:
        with lock:
            served.append(number)

    threads = [threading.Thread(target=come, args=(number,)) for number in range(20)]
    with lock:
        for number, thread in enumerate(threads):
            thread.start()
            wait_until_waiting(lock, number + 1)
        assert served == []
    for thread in threads:
        thread.join(120)
    assert served == list(range(20))


@pytest.mark.rule("X-lock-server")
def test_whoever_had_the_lock_goes_to_the_end_of_the_queue() -> None:
    """SQLite by itself would serve the one who asks again at once, and starve the other."""
    lock, served = FairLock(), list[str]()

    def come() -> None:
        with lock:
            served.append("patient")

    patient = threading.Thread(target=come)
    with lock:
        patient.start()
        wait_until_waiting(lock, 1)
    with lock:
        served.append("greedy")
    patient.join(120)
    assert served == ["patient", "greedy"]


def test_the_lock_is_held_by_one_at_a_time_and_everyone_gets_it() -> None:
    lock, inside, most, count = FairLock(), list[int](), list[int](), list[int]()

    def come(number: int) -> None:
        for _ in range(200):
            with lock:
                inside.append(number)
                most.append(len(inside))
                count.append(number)
                inside.pop()

    threads = [threading.Thread(target=come, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert max(most) == 1
    assert sorted(count) == sorted(list(range(8)) * 200)


def test_the_lock_is_free_again_after_a_failure() -> None:
    lock = FairLock()
    with pytest.raises(RuntimeError), lock:
        raise RuntimeError("the power went out")
    done = threading.Event()

    def come() -> None:
        with lock:
            done.set()

    thread = threading.Thread(target=come, daemon=True)
    thread.start()
    assert done.wait(120)
    thread.join(120)


@pytest.mark.rule("X-lock-server")
def test_writers_of_one_database_wait_for_each_other_and_none_fails(empty_url: str) -> None:
    database, served, writers = Database(empty_url), list[int](), 8
    with database.writing() as connection:
        ROWS.create(connection)
        connection.commit()

    def write(number: int) -> None:
        for _ in range(10):
            with database.writing() as connection:
                connection.execute(insert(ROWS), {"cents": number})
                connection.commit()
                served.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    with database.reading() as connection:
        kept = connection.execute(select(ROWS.c.cents)).scalars().all()
    database.close()
    assert sorted(served) == sorted(kept) == sorted(list(range(writers)) * 10)
