"""What changes while an act waits for its turn is seen by it: time, people, settings, the head.

On PostgreSQL, where acts wait inside of their transactions; on SQLite they wait before them.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text

from app.clock import system_clock
from app.flow.access import (
    Approval,
    at_console,
    disable_staff,
    disable_station,
    renew_enrolment,
    sign_out,
)
from app.flow.lockout import lock_game
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.flow.seal import seal_log
from app.flow.void import Voiding, void_ticket
from app.store.database import Database, NotDurable
from app.store.records import games as game_records
from app.store.records import log as log_records
from app.store.unit import CommitUnknown, Unit
from tests.floor import (
    ADA,
    FIRST_STATION,
    SAM,
    SECOND_STATION,
    WALT,
    WANDA,
    Floor,
    dollar,
    secret_of,
)
from tests.flow.races import ON_POSTGRESQL, MakePause, Pause, in_turn, outcome, waiting
from tests.looking import bodies, rows
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.both_engines


@pytest.fixture
def pause(monkeypatch: pytest.MonkeyPatch) -> MakePause:
    def make(module: object, name: str) -> Pause:
        made = Pause()
        made.before(monkeypatch, module, name)  # type: ignore[arg-type]
        return made

    return make


# ---- the time ------------------------------------------------------------------------------------


@pytest.mark.rule("X-lock-server", "X-clock", "15.3(c)")
@pytest.mark.parametrize("empty_url", ["postgresql"], indirect=True)
def test_an_act_that_waits_past_the_close_is_refused(empty_url: str, tmp_path: Path) -> None:
    """A sale and a void that wait for the drawer, a sale that waits for the counter."""
    floor = Floor.opened(empty_url, tmp_path, real_clock=True)
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    sold = floor.sell(wanda)["number"]
    acts: tuple[Callable[[], object], ...] = (
        partial(floor.sell, wanda),
        partial(floor.void, wanda, sold, floor.code(sold)),
        partial(floor.sell, walt),
    )
    others = (
        "SELECT id FROM drawer WHERE staff = (SELECT id FROM staff WHERE name = :name) FOR UPDATE",
        "SELECT 1 FROM counter FOR UPDATE",
    )
    # A game that has closed before all three wait is given a later time: how long they take to
    # come so far depends on the machine.
    for seconds in (2, 8, 32, PATIENCE):
        closes_at = system_clock() + timedelta(seconds=seconds)
        override_close(floor.office, floor.sam, "M", 1, closes_at, "the lounge is empty")
        with closing(floor.office.database.engine.connect()) as other, ThreadPoolExecutor(3) as own:
            for row in others:
                other.execute(text(row), {"name": WANDA})
            waits = [own.submit(outcome, act) for act in acts]
            until(lambda: waiting(floor) == len(acts) or system_clock() > closes_at)  # noqa: B023
            all_wait = system_clock() < closes_at
            until(lambda: system_clock() > closes_at)  # noqa: B023
            other.rollback()
            outcomes = [act.result(PATIENCE) for act in waits]
        assert outcomes == ["game.closed"] * len(acts)
        if all_wait:
            break
    assert all_wait
    floor.check_books()
    floor.close()


def now_of(floor: Floor) -> datetime:
    """The time by the clock of the database."""
    with floor.office.unit() as unit:
        return unit.now()


@pytest.mark.rule("X-clock")
def test_the_database_s_own_clock_closes_a_game(empty_url: str, tmp_path: Path) -> None:
    floor = Floor.opened(empty_url, tmp_path, real_clock=True)
    wanda, sam = floor.writing(), floor.sam
    lock_game(floor.office, sam, "M", next_closes_at=system_clock() + timedelta(hours=1))
    assert floor.sell(wanda)["first_game"] == 2
    floor.draw()
    closes_at = system_clock() + timedelta(milliseconds=1)
    lock_game(floor.office, sam, "M", next_closes_at=closes_at, reason="by hand")
    until(lambda: now_of(floor) > closes_at)
    assert outcome(partial(floor.sell, wanda)) == "game.closed"
    floor.close()


# ---- people --------------------------------------------------------------------------------------


@ON_POSTGRESQL
@pytest.mark.rule("X-access-disable")
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("staff", "staff.disabled"),
        ("station", "station.disabled"),
        ("sign-out", "staff.not_signed_in"),
        ("re-enrol", "station.not_enrolled"),
    ],
)
def test_whoever_is_disabled_while_a_sale_waits_does_not_sell(
    floor: Floor, pause: MakePause, how: str, code: str
) -> None:
    wanda, ada, sam = floor.writing(), floor.signed_in(ADA, SECOND_STATION), floor.sam
    admin = at_console(floor.office, ADA, secret_of(ADA), Permission.STATION_MANAGE)
    acts: dict[str, Callable[[], object]] = {
        "staff": lambda: disable_staff(floor.office, ada, WANDA),
        "station": lambda: disable_station(floor.office, ada, FIRST_STATION),
        "sign-out": lambda: sign_out(floor.office, wanda),
        "re-enrol": lambda: renew_enrolment(floor.office, admin, FIRST_STATION),
    }
    in_the_lock = pause(game_records, "add_game")
    with ThreadPoolExecutor(2) as threads:
        lock = threads.submit(lock_game, floor.office, sam, "M")
        assert in_the_lock.reached.wait(PATIENCE)
        sale = threads.submit(outcome, partial(floor.sell, wanda))
        until(lambda: waiting(floor) == 1)
        acts[how]()
        in_the_lock.go.set()
        assert sale.result(PATIENCE) == code
        lock.result(PATIENCE)
    assert rows(floor, "SELECT count(*) FROM ticket") == [(0,)]
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("X-access-disable")
def test_an_approval_of_somebody_who_was_disabled_meanwhile_does_not_count(
    floor: Floor, pause: MakePause
) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    floor.sell(wanda)
    voiding = Voiding(1, "torn", None, Approval(SAM, secret_of(SAM)))
    before = pause(Unit, "share_series")
    with ThreadPoolExecutor(1) as threads:
        void = threads.submit(
            outcome, partial(void_ticket, floor.office, wanda, voiding, "torn-ticket")
        )
        assert before.reached.wait(PATIENCE)
        disable_staff(floor.office, ada, SAM)
        before.go.set()
        assert void.result(PATIENCE) == "staff.disabled"
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_void_that_was_done_is_answered_though_its_supervisor_was_disabled_since(
    floor: Floor,
) -> None:
    wanda, ada = floor.writing(), floor.signed_in(ADA, SECOND_STATION)
    floor.sell(wanda)
    voiding = Voiding(1, "torn", None, Approval(SAM, secret_of(SAM)))
    first = void_ticket(floor.office, wanda, voiding, "torn-ticket")
    disable_staff(floor.office, ada, SAM)
    assert void_ticket(floor.office, wanda, voiding, "torn-ticket") == first


# ---- settings of the server ----------------------------------------------------------------------


def with_default(floor: Floor, setting: str, value: str) -> None:
    """Have the database itself default to something else."""
    name = floor.office.database.url.database
    with floor.office.database.writing() as connection:
        connection.execute(text(f"ALTER DATABASE {name} SET {setting} = '{value}'"))
        connection.commit()
    floor.office.database.engine.dispose()


@ON_POSTGRESQL
@pytest.mark.rule("X-lock-server", "15.3(c)")
def test_whatever_the_server_s_default_isolation_a_void_behind_the_lock_is_too_late(
    floor: Floor, pause: MakePause
) -> None:
    wanda, sam = floor.writing(), floor.sam
    floor.sell(wanda)
    code = floor.code(1)
    with_default(floor, "default_transaction_isolation", "repeatable read")
    in_the_lock = pause(game_records, "add_game")
    lock = partial(lock_game, floor.office, sam, "M")
    void = partial(floor.void, wanda, 1, code)
    assert in_turn(floor, in_the_lock, lock, void) == [1, "ticket.game_locked"]
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("value", ["off", "local"])
def test_a_database_that_may_forget_what_was_committed_is_not_used(
    floor: Floor, value: str
) -> None:
    with_default(floor, "synchronous_commit", value)
    url = floor.office.database.url.render_as_string(hide_password=False)
    with closing(Database(url)) as database, pytest.raises(NotDurable, match=value):
        database.reading().__enter__()


@ON_POSTGRESQL
@pytest.mark.rule("X-recovery", "X-lock-server")
def test_a_process_that_froze_in_the_middle_of_a_sale_is_let_go_of(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with floor.office.database.writing() as connection:
        shown = connection.execute(text("SHOW idle_in_transaction_session_timeout")).scalar_one()
    assert shown == "15s"
    sam = floor.sam
    monkeypatch.setattr("app.store.database.IDLE_MILLISECONDS", 500)
    with floor.office.unit() as frozen:
        frozen.share_series("M")
        frozen.connection.execute(text("SET idle_in_transaction_session_timeout = 500"))
        start = time.monotonic()
        assert lock_game(floor.office, sam, "M") == 1
        assert time.monotonic() - start < PATIENCE
        frozen.connection.invalidate()


# ---- the head ------------------------------------------------------------------------------------


@ON_POSTGRESQL
@pytest.mark.rule("X-lock-seal")
def test_the_seal_of_a_game_is_the_same_on_every_ticket_that_carries_it(
    floor: Floor, pause: MakePause
) -> None:
    wanda, sam = floor.writing(), floor.sam
    before_it_is_kept = pause(log_records, "add_checkpoint")
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(lock_game, floor.office, sam, "M")
        assert before_it_is_kept.reached.wait(PATIENCE)
        floor.sell(wanda, dollar("F"))
        other = threads.submit(seal_log, floor.office)
        until(lambda: waiting(floor) == 1 or other.done())
        floor.sell(wanda, dollar("F"))
        before_it_is_kept.go.set()
        slow.result(PATIENCE)
        other.result(PATIENCE)
    floor.sell(wanda, dollar("F"))
    seals = [body["previous_seal"] for body in bodies(floor, "TICKET")]
    assert len({seal["seal"] for seal in seals if seal}) == 1
    floor.check_books()


# ---- a commit whose answer is lost ---------------------------------------------------------------


@pytest.mark.rule("X-ticket-exactly-once", "X-recovery")
@pytest.mark.parametrize("done", [True, False])
def test_a_sale_whose_commit_was_not_answered_is_looked_for(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, done: bool
) -> None:
    wanda, commit, commits = floor.writing(), Unit.commit, count()

    def lost(unit: Unit) -> None:
        is_first = next(commits) == 0
        if done or not is_first:
            commit(unit)
        if is_first:
            raise CommitUnknown

    monkeypatch.setattr(Unit, "commit", lost)
    if done:
        assert floor.sell(wanda, None, "reply-lost")["number"] == 1
    else:
        with pytest.raises(CommitUnknown):
            floor.sell(wanda, None, "reply-lost")
    monkeypatch.undo()
    assert floor.sell(wanda, None, "reply-lost")["number"] == 1
    assert rows(floor, "SELECT count(*) FROM ticket") == [(1,)]
    floor.check_books()


@ON_POSTGRESQL
@pytest.mark.rule("X-audit-books", "X-recovery")
def test_whoever_goes_through_the_books_may_think_longer_than_a_stage_may(floor: Floor) -> None:
    """A stage that was frozen in the middle is let go of; the nightly check of a year is not."""
    asked = text("SHOW idle_in_transaction_session_timeout")
    database = floor.office.database
    for at_length, allowed in ((True, "0"), (False, "15s"), (True, "0")):
        with database.reading(at_length=at_length) as connection:
            assert connection.execute(asked).scalar_one() == allowed
