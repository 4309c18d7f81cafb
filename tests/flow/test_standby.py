"""A commit that waits for a standby: cancelled, it is called done and may be lost.

So nobody is told that it is done before the standby has it (X-recovery).
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from app.flow.settle_act import settle_act
from app.store.unit import CommitUnknown
from tests.engines import address, new_database
from tests.floor import Floor
from tests.looking import rows
from tests.postgres import mortal_server

CANCEL = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
IS_READ = "SELECT 1 WHERE current_setting('synchronous_standby_names') = %s"
PATIENCE = 60.0


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[tuple[Floor, psycopg.Connection[tuple[int]]]]:
    """A floor on a server of its own, and a connection that looks after the server."""
    with mortal_server() as server:
        floor = Floor.opened(address(server.url, new_database(server.url)), tmp_path)
        plain = server.url.replace("+psycopg", "")
        with psycopg.connect(plain, autocommit=True) as keeper:
            yield floor, keeper
        floor.close()


def expect_standby(keeper: psycopg.Connection[tuple[int]], names: str) -> None:
    """Have every commit wait for a standby; none does if no name is given."""
    keeper.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'".encode())
    keeper.execute("SELECT pg_reload_conf()")
    until = time.monotonic() + PATIENCE
    while keeper.execute(IS_READ, (names,)).fetchone() is None:
        assert time.monotonic() < until, "the server did not read it"
        time.sleep(0.02)


def until_commits_wait(keeper: psycopg.Connection[tuple[int]]) -> None:
    """Commit until one had to be cancelled: by then the server knows that it has a standby."""
    told: list[str | None] = []
    until = time.monotonic() + PATIENCE
    with psycopg.connect(keeper.info.dsn, autocommit=True) as other:
        other.add_notice_handler(lambda notice: told.append(notice.message_primary))
        while not told:
            assert time.monotonic() < until, "no commit waits for a standby"
            other.execute("SELECT pg_logical_emit_message(true, 'keno', 'x')")


@contextmanager
def impatient(keeper: psycopg.Connection[tuple[int]]) -> Iterator[None]:
    """Have somebody cancel every commit that waits for the standby."""
    is_over = threading.Event()

    def cancel() -> None:
        while not is_over.wait(0.02):
            keeper.execute(CANCEL)  # at once, or it might be another act by then

    impatience = threading.Thread(target=cancel)
    impatience.start()
    try:
        yield
    finally:
        is_over.set()
        impatience.join()


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_a_cancelled_wait_for_the_standby_is_never_told_as_done(
    replicated: tuple[Floor, psycopg.Connection[tuple[int]]],
) -> None:
    floor, keeper = replicated
    wanda = floor.writing()
    expect_standby(keeper, "nobody")
    with impatient(keeper):
        until_commits_wait(keeper)
        with pytest.raises(CommitUnknown):
            floor.sell(wanda, request="request-sold")
        # It is in the database by now, and still nobody knows what that is worth.
        assert rows(floor, "SELECT number FROM ticket") == [(1,)]
        with pytest.raises(CommitUnknown):
            floor.sell(wanda, request="request-sold")
        with pytest.raises(CommitUnknown):
            settle_act(floor.office, wanda, "request-sold")
    expect_standby(keeper, "")  # as if the standby had come back
    assert floor.sell(wanda, request="request-sold")["number"] == 1
    assert settle_act(floor.office, wanda, "request-sold")["done"]
    assert rows(floor, "SELECT number FROM ticket") == [(1,)]
    floor.check_books()
