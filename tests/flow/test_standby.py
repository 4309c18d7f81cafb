"""A commit that waits for a standby: cancelled, it is called done and may be lost.

So nobody is told that it is done before the standby has it (X-recovery).
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, event

from app.flow.access import at_work
from app.flow.asking import answered_before
from app.flow.close_day import close_day
from app.flow.draw import ask_to_void, end_game
from app.flow.lockout import lock_game
from app.flow.permissions import Permission
from app.flow.seal import published_head, seal_log
from app.flow.sell import asking_to_sell
from app.flow.settle_act import settle_act
from app.store.unit import CommitUnknown
from tests.floor import Floor, dollar
from tests.flow.standby import PATIENCE, expect_standby
from tests.lending import address, new_database
from tests.looking import refuses, rows
from tests.postgres import mortal_server

CANCEL = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
TODAY = date(2026, 11, 16)


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[tuple[Floor, psycopg.Connection[tuple[int]]]]:
    """A floor on a server of its own, and a connection that looks after the server."""
    with mortal_server() as server:
        floor = Floor.opened(address(server.url, new_database(server.url)), tmp_path)
        plain = server.url.replace("+psycopg", "")
        with psycopg.connect(plain, autocommit=True) as keeper:
            yield floor, keeper
        floor.close()


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


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_what_was_read_is_made_sure_of_on_the_line_that_read_it(floor: Floor) -> None:
    """Another line may lead to a server that took over, and has never seen it."""
    database = floor.office.database
    wanda = floor.writing()
    floor.sell(wanda, request="request-sold")
    lines: list[tuple[str, Any]] = []

    @event.listens_for(database.engine, "before_cursor_execute")
    def note(connection: Connection, _cursor: object, statement: str, *_: object) -> None:
        lines.append((statement, connection.connection.driver_connection))

    worker = at_work(wanda, Permission.TICKET_SELL)
    answered_before(floor.office, asking_to_sell(dollar(), "request-sold"), worker)
    floor.sell(wanda, request="request-sold")
    settle_act(floor.office, wanda, "request-sold")
    read = [line for said, line in lines if "FROM asked" in said]
    sure = [line for said, line in lines if "pg_logical_emit_message" in said]
    assert len(read) == 3
    assert sure == read


@pytest.mark.rule("X-recovery", "X-draw-once")
def test_nothing_is_drawn_voided_or_witnessed_that_a_standby_may_lack(
    replicated: tuple[Floor, psycopg.Connection[tuple[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has left the house cannot be taken back, and the one that takes over must know of it."""
    floor, keeper = replicated
    floor.sell(floor.writing())
    keyed, sam = floor.two_keys, floor.sam
    sent: list[str] = []

    def noted(name: str) -> None:
        act = getattr(keyed, name)

        def sending(*given: Any) -> Any:  # noqa: ANN401  whatever is sent
            sent.append(name)
            return act(*given)

        monkeypatch.setattr(keyed, name, sending)

    for name in ("cosign", "draw", "void"):
        noted(name)

    def try_in_vain(number: int) -> None:
        """Ask again and again while every wait for the standby is cancelled."""
        with impatient(keeper):
            until_commits_wait(keeper)
            for _ in range(8):
                with pytest.raises(CommitUnknown):
                    end_game(floor.office, keyed, "M", number)
        expect_standby(keeper, "")  # as if the standby had come back

    expect_standby(keeper, "nobody")
    with impatient(keeper):
        until_commits_wait(keeper)
        with pytest.raises(CommitUnknown):
            lock_game(floor.office, sam, "M")
    try_in_vain(1)
    assert sent == []
    end_game(floor.office, keyed, "M", 1)
    assert sent == ["cosign", "draw"]
    sent.clear()
    assert floor.lock() == 2
    expect_standby(keeper, "nobody")
    with impatient(keeper), suppress(CommitUnknown):
        until_commits_wait(keeper)
        ask_to_void(floor.office, sam, "M", 2, "the lounge is on fire")
    try_in_vain(2)
    assert sent == []
    end_game(floor.office, keyed, "M", 2)
    assert sent == ["void"]
    assert [floor.state(1), floor.state(2)] == ["drawn", "void"]
    floor.check_books()


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_no_head_is_published_that_a_standby_may_lack(
    replicated: tuple[Floor, psycopg.Connection[tuple[int]]],
) -> None:
    """Another one of its size may be signed by whoever takes over, and there would be two logs."""
    floor, keeper = replicated
    floor.sell(floor.writing())
    expect_standby(keeper, "nobody")
    with impatient(keeper):
        until_commits_wait(keeper)
        while not rows(floor, "SELECT size FROM log_checkpoint"):
            with suppress(CommitUnknown):
                seal_log(floor.office)
        with pytest.raises(CommitUnknown):
            published_head(floor.office)
    expect_standby(keeper, "")
    assert published_head(floor.office) == seal_log(floor.office)


@pytest.mark.rule("X-recovery", "X-audit-books")
def test_no_day_is_told_as_closed_whose_close_a_standby_may_lack(
    replicated: tuple[Floor, psycopg.Connection[tuple[int]]],
) -> None:
    """Not to whoever was not sure and closes it once more, either."""
    floor, keeper = replicated
    floor.play()
    floor.pass_time(days=1)
    sam = floor.sam  # whose sign-in is a commit too
    expect_standby(keeper, "nobody")
    with impatient(keeper):
        until_commits_wait(keeper)
        with pytest.raises(CommitUnknown):
            close_day(floor.office, sam, TODAY)
        assert rows(floor, "SELECT day FROM day_close") == [(TODAY,)]
        with pytest.raises(CommitUnknown):
            close_day(floor.office, sam, TODAY)
    expect_standby(keeper, "")
    with refuses("day.closed"):
        close_day(floor.office, sam, TODAY)
    floor.check_books()
