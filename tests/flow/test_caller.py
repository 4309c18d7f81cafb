"""The caller: games by themselves, through whatever happens (15.5(b) to 15.5(e), X-clock)."""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app import caller as calling
from app import processes, software
from app.caller import Caller
from app.flow.clock_jump import take_jump
from app.flow.draw import ask_to_void, end_game
from app.flow.lease import CALLER, LEASED, LeaseLost, Watch, take_lease
from app.flow.lockout import lock_at_station, lock_on_time
from app.flow.office import Office
from app.flow.override import hold_game, let_go, override_close
from app.flow.schedule import change_schedule, is_within_hours, next_close
from app.flow.settle import settle_game
from app.logs import FACTS
from app.processes import begin_process
from app.rng_client import KeyedProcesses
from app.settings import read_settings
from app.software import software_hash, software_on_disk
from app.store import schema
from app.store.queries.running import SeriesRow
from app.store.unit import CommitUnknown, Unit
from app.web import create_app
from tests.floor import SAM, Floor, dollar
from tests.flow.caller import begin, new_caller, open_game, turns
from tests.looking import bodies, refuses, rows, write

MINUTE = 60


@pytest.fixture
def caller(floor: Floor) -> Iterator[Caller]:
    """A caller on a floor whose series M is locked every three minutes; F is run by hand."""
    change_schedule(floor.office, floor.sam, "M", 3 * MINUTE)
    yield from _caller(floor, "first")


def _caller(floor: Floor, name: str) -> Iterator[Caller]:
    made = new_caller(floor, name)
    yield made
    made.finish_grading()


# ---- by itself -----------------------------------------------------------------------------------


@pytest.mark.rule("15.5(b)", "15.5(d)", "X-recovery")
def test_games_are_locked_drawn_settled_and_certified_by_themselves(
    floor: Floor, caller: Caller
) -> None:
    wanda = floor.writing()
    begin(floor)
    floor.sell(wanda, dollar(games=3))
    turns(floor, caller, 12)
    states = rows(floor, "SELECT number, state FROM game WHERE series = 'M' ORDER BY number")
    assert states[:-1] == [(number, "certified") for number in range(1, len(states))]
    assert len(states) >= 4
    assert states[-1][1] == "open"
    assert rows(floor, "SELECT state FROM game WHERE series = 'F'") == [("open",)]
    floor.check_books()


def test_a_caller_keeps_nothing_of_games_that_are_over(floor: Floor, caller: Caller) -> None:
    begin(floor)
    turns(floor, caller, 12)
    caller.turn()
    assert len(rows(floor, "SELECT number FROM game WHERE state = 'certified'")) >= 3
    assert not caller._grading  # noqa: SLF001  nobody else could tell


@pytest.mark.rule("15.5(c)")
def test_a_minute_before_the_close_there_is_one_notice(floor: Floor, caller: Caller) -> None:
    begin(floor)
    turns(floor, caller, 6)
    notices = rows(floor, "SELECT game FROM feed_event WHERE kind = 'notice' ORDER BY id")
    assert [number for (number,) in notices][:2] == [1, 2]
    assert len(notices) == len(set(notices))


@pytest.mark.rule("15.5(b)")
def test_a_series_without_an_open_game_gets_one(floor: Floor, caller: Caller) -> None:
    change_schedule(floor.office, floor.sam, "F", MINUTE)
    override_close(floor.office, floor.sam, "F", 100, floor.moment[0] + timedelta(seconds=5), "go")
    turns(floor, caller, 2)
    assert open_game(floor, "F").number > 100
    floor.check_books()


@pytest.mark.rule("X-lock-server")
def test_nothing_is_locked_before_its_time(floor: Floor, caller: Caller) -> None:
    begin(floor)
    floor.pass_time(seconds=110)
    caller.turn()
    assert open_game(floor).number == 1
    floor.pass_time(seconds=10)
    caller.turn()
    assert open_game(floor).number == 2


# ---- when something is away ----------------------------------------------------------------------


@pytest.mark.rule("15.5(a)-dual-key", "15.5(e)")
@pytest.mark.parametrize("away", ["rng", "inspector"])
def test_the_open_game_is_held_while_a_keyed_process_is_away_and_sales_stop_in_time(
    floor: Floor, caller: Caller, away: str
) -> None:
    wanda = floor.writing()
    begin(floor)
    caller.turn()
    house = floor.keyed.started
    (house.kill_rng if away == "rng" else house.kill_inspector)()
    turns(floor, caller, 3)
    game = open_game(floor)
    assert (game.number, game.held_why is not None) == (1, True)
    assert "does not answer" in (game.held_why or "")
    assert bodies(floor, "HELD")[-1]["why"] == game.held_why
    floor.sell(wanda)  # for a while yet
    turns(floor, caller, 10)
    with refuses("game.closed"):
        floor.sell(wanda)
    house.start_other(away)
    house.unlock_sealed()
    caller.turn()
    game = open_game(floor)
    assert (game.number, game.held_why) == (1, None)
    floor.sell(wanda)  # it closes in a minute, and not at once
    turns(floor, caller, 2)
    assert open_game(floor).number == 2
    floor.check_books()


@pytest.mark.rule("X-lock-server", "15.5(e)")
def test_a_game_is_held_until_the_one_before_it_is_drawn_or_void(
    floor: Floor, caller: Caller
) -> None:
    begin(floor)
    wire = floor.keyed.started.to_rng
    wire.drop_requests_of.add("draw")
    turns(floor, caller, 6)
    assert floor.state(1) == "locked"
    assert open_game(floor).held_why is not None
    ask_to_void(floor.office, floor.sam, "M", 1, "it cannot be drawn")
    turns(floor, caller, 2)
    assert floor.state(1) == "void"
    wire.drop_requests_of.clear()
    turns(floor, caller, 6)
    assert floor.state(2) == "certified"
    floor.check_books()


@pytest.mark.rule("X-recovery")
def test_a_new_caller_goes_on_wherever_the_old_one_was(floor: Floor, caller: Caller) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock()
    caller.turn()
    caller.finish_grading()
    assert floor.state(1) == "certified"
    floor.sell(wanda)
    floor.lock()
    floor.draw()
    caller.turn()
    caller.finish_grading()
    assert floor.state(2) == "certified"
    floor.check_books()


# ---- overriding ----------------------------------------------------------------------------------


@pytest.mark.rule("15.5(e)")
def test_a_supervisor_holds_postpones_and_closes_early_and_it_is_recorded(
    floor: Floor, caller: Caller
) -> None:
    sam, office = floor.sam, floor.office
    begin(floor)
    override_close(office, sam, "M", 1, None, "a crowd is coming")
    turns(floor, caller, 10)
    assert open_game(floor).number == 1
    override_close(office, sam, "M", 1, floor.moment[0] + timedelta(minutes=1), "here they are")
    turns(floor, caller, 2)
    assert open_game(floor).number == 2
    reasons = [body["reason"] for body in bodies(floor, "OVERRIDE")]
    assert reasons == ["begin", "a crowd is coming", "here they are"]
    assert rows(floor, "SELECT count(*) FROM override") == [(3,)]
    with refuses("game.locked"):
        override_close(office, sam, "M", 1, None, "too late")
    with refuses("game.not_open_yet"):
        override_close(office, sam, "M", 3, None, "too early")
    with refuses("game.time_passed"):
        override_close(office, sam, "M", 2, floor.moment[0] - timedelta(hours=1), "yesterday")
    with refuses("reason.missing"):
        override_close(office, sam, "M", 2, None, "")
    with refuses("game.none_open"):
        override_close(office, sam, "X", 2, None, "what")


# ---- hands in the machine ------------------------------------------------------------------------


@pytest.mark.rule("15.5(d)", "15.5(b)")
def test_a_game_that_is_locked_by_hand_is_followed_by_one_with_a_time(
    floor: Floor, caller: Caller
) -> None:
    begin(floor)
    turns(floor, caller, 3)
    number = open_game(floor).number
    lock_at_station(floor.office, floor.signed_in(SAM), "M", number, None, "they all left")
    closes_at = open_game(floor).closes_at
    assert closes_at is not None
    assert closes_at - floor.moment[0] <= timedelta(seconds=3 * MINUTE)
    turns(floor, caller, 10)
    assert open_game(floor).number > number + 2


@pytest.mark.rule("15.5(b)")
def test_a_game_that_was_opened_without_a_time_gets_one_when_its_series_has_an_interval(
    floor: Floor, caller: Caller
) -> None:
    assert open_game(floor).closes_at is None
    turns(floor, caller, 5)
    assert open_game(floor).number == 2
    (body,) = bodies(floor, "CLOSES")
    assert (body["series"], body["game"]) == ("M", 1)


@pytest.mark.rule("15.5(b)")
def test_a_series_that_is_to_be_run_by_hand_is_from_its_next_game_on(
    floor: Floor, caller: Caller
) -> None:
    begin(floor)
    turns(floor, caller, 3)
    change_schedule(floor.office, floor.sam, "M", None)
    turns(floor, caller, 10)
    assert (open_game(floor).number, open_game(floor).closes_at) == (3, None)
    floor.sell(floor.writing())


@pytest.mark.rule("15.5(e)")
def test_a_game_that_is_run_by_hand_is_locked_at_the_time_it_was_given(
    floor: Floor, caller: Caller
) -> None:
    at = floor.moment[0] + timedelta(minutes=2)
    override_close(floor.office, floor.sam, "F", 100, at, "the last of the night")
    turns(floor, caller, 3)
    assert floor.state(100, "F") == "certified"
    assert open_game(floor, "F").closes_at is None
    with refuses("game.time_far"):
        week = floor.moment[0] + timedelta(days=8)
        override_close(floor.office, floor.sam, "F", 101, week, "never")


@pytest.mark.rule("15.5(c)")
def test_a_game_that_was_postponed_has_a_second_notice(floor: Floor, caller: Caller) -> None:
    begin(floor)
    turns(floor, caller, 1)
    later = floor.moment[0] + timedelta(minutes=30)
    override_close(floor.office, floor.sam, "M", 1, later, "a bus is coming")
    turns(floor, caller, 31)
    notices = "SELECT count(*) FROM feed_event WHERE kind = 'notice' AND series = 'M' AND game = 1"
    assert rows(floor, notices) == [(2,)]
    assert floor.state(1) == "certified"


@pytest.mark.rule("15.5(e)", "X-recovery")
def test_a_game_that_was_postponed_while_it_was_held_keeps_its_time(
    floor: Floor, caller: Caller
) -> None:
    begin(floor)
    caller.turn()
    house = floor.keyed.started
    house.kill_rng()
    turns(floor, caller, 3)
    assert open_game(floor).held_why
    until = floor.moment[0] + timedelta(minutes=30)
    override_close(floor.office, floor.sam, "M", 1, until, "a bus is coming")
    house.start_other("rng")
    house.unlock_sealed()
    turns(floor, caller, 4)
    game = open_game(floor)
    assert (game.number, game.held_why, game.closes_at) == (1, None, until)


@pytest.mark.rule("15.5(e)", "X-recovery")
def test_of_a_game_that_is_held_and_held_open_only_the_second_stays(
    floor: Floor, caller: Caller
) -> None:
    begin(floor)
    caller.turn()
    house = floor.keyed.started
    house.kill_rng()
    turns(floor, caller, 3)
    override_close(floor.office, floor.sam, "M", 1, None, "wait for the mayor")
    house.start_other("rng")
    house.unlock_sealed()
    turns(floor, caller, 4)
    game = open_game(floor)
    assert (game.number, game.held_why, game.closes_at) == (1, None, None)


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("series", ["M", "F"])
def test_without_a_generator_sales_stop_after_a_while_in_games_without_a_time_too(
    floor: Floor, caller: Caller, series: str
) -> None:
    wanda = floor.writing()
    if series == "M":
        override_close(floor.office, floor.sam, "M", 1, None, "a crowd")
    caller.turn()
    floor.keyed.started.kill_rng()
    turns(floor, caller, 2)
    assert "generator" in (open_game(floor, series).held_why or "")
    floor.sell(wanda, dollar(series))
    turns(floor, caller, 10)
    with refuses("game.closed"):
        floor.sell(wanda, dollar(series))


@pytest.mark.rule("X-recovery")
def test_a_held_game_that_is_to_close_early_is_not_sold_longer(
    floor: Floor, caller: Caller
) -> None:
    wanda = floor.writing()
    begin(floor)
    caller.turn()
    floor.keyed.started.kill_rng()
    turns(floor, caller, 2)
    soon = floor.moment[0] + timedelta(seconds=30)
    override_close(floor.office, floor.sam, "M", 1, soon, "we go home")
    floor.pass_time(minutes=1)
    with refuses("game.closed"):
        floor.sell(wanda)


@pytest.mark.rule("X-recovery")
def test_a_fault_in_one_series_holds_that_one_and_stops_no_other(
    floor: Floor, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(floor)
    at = floor.moment[0] + timedelta(minutes=1)
    change_schedule(floor.office, floor.sam, "F", 3 * MINUTE)
    override_close(floor.office, floor.sam, "F", 100, at, "begin")
    draw = end_game

    def faulty(office: Office, keyed: KeyedProcesses, series: str, number: int) -> None:
        if series == "F":
            raise LookupError("a fault of this series alone")
        draw(office, keyed, series, number)

    monkeypatch.setattr(calling, "end_game", faulty)
    turns(floor, caller, 10)
    assert floor.state(1) == "certified"
    assert floor.state(100, "F") == "locked"
    assert open_game(floor, "F").held_why == "A fault of the system: LookupError."
    monkeypatch.setattr(calling, "end_game", draw)
    turns(floor, caller, 2)
    assert floor.state(100, "F") == "certified"


STEPS = {
    "log": "notice_missing",
    "clock": "take_jump",
    "software": "note_software",
    "keys": "note_keys",
    "seal": "cosign_log",
    "room": "make_room",
}


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_a_fault_in_what_the_caller_does_beside_the_games_stops_no_game(
    floor: Floor,
    caller: Caller,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    step: str,
) -> None:
    def faulty(*_: object) -> None:
        raise ValueError("whatever it is")

    monkeypatch.setattr(calling, STEPS[step], faulty)
    begin(floor)
    if step == "clock":
        caller.turn()
        caller.counted = lambda: 0.0  # which the clock of the house leaves far behind
        caller.turn()
        caller.turn()
    else:
        turns(floor, caller, 8)
        assert floor.state(1) == "certified"
    failed = [record for record in caplog.records if record.getMessage() == "caller.step_failed"]
    assert {getattr(record, FACTS)["step"] for record in failed} == {step}


@pytest.mark.rule("X-recovery", "15.5(a)-dual-key")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_whatever_a_keyed_process_says_of_itself_can_be_kept(
    floor: Floor, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = KeyedProcesses.statuses

    def odd(keyed: KeyedProcesses) -> dict[str, Any]:
        said: dict[str, Any] = dict(real(keyed))
        holders = ["\ud800", "Ida\nInspector", "x" * 100_000, *map(str, range(1_000))]
        said["inspector"] = {**said["inspector"], "holders": holders}
        return said

    monkeypatch.setattr(KeyedProcesses, "statuses", odd)
    begin(floor)
    turns(floor, caller, 8)
    assert floor.state(1) == "certified"
    holders = bodies(floor, "KEYS")[-1]["processes"]["inspector"]["holders"]
    assert holders[:3] == ["?", "Ida?Inspector", "x" * 500]
    assert len(holders) == 50


@pytest.mark.rule("X-recovery")
def test_a_grading_that_fails_is_tried_again_ever_less_often(
    floor: Floor, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def faulty(_: Office, series: str, number: int) -> None:
        tries.append((series, number))
        raise LookupError("no grading now")

    settle = settle_game
    monkeypatch.setattr(calling, "settle_game", faulty)
    number = floor.lock("F")
    for _ in range(150):
        floor.pass_time(seconds=2)
        caller.turn()
        with suppress(LookupError):
            caller.finish_grading()
    assert 7 <= tries.count(("F", number)) <= 12
    monkeypatch.setattr(calling, "settle_game", settle)
    turns(floor, caller, 2)
    assert floor.state(number, "F") == "certified"


# ---- two callers ---------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery", "X-draw-once")
def test_of_two_callers_one_is_active_and_the_other_takes_over(
    floor: Floor, caller: Caller
) -> None:
    second = new_caller(floor, "second")
    begin(floor)
    caller.turn()
    second.turn()
    assert (caller.lease is not None, second.lease) == (True, None)
    floor.pass_time(seconds=int(LEASED.total_seconds()) + 1)
    turns(floor, second, 3)
    assert second.lease is not None
    assert second.lease.fence == 2
    caller.turn()
    assert caller.lease is None
    assert open_game(floor).number == 2
    assert [body["holder"] for body in bodies(floor, "CALLER")] == ["first", "second"]
    floor.check_books()


def is_active(caller: Caller) -> bool:
    return caller.lease is not None


def migrate(floor: Floor, revision: str | None) -> None:
    """Have the database say that it is at another revision."""
    write(floor, "UPDATE alembic_version SET version_num = :revision", revision=revision)


@pytest.mark.rule("X-recovery")
def test_a_caller_gives_up_when_the_tables_are_not_its_own_and_one_with_their_software_takes_over(
    floor: Floor, caller: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours, theirs = schema.newest_revision(), "2099_01_01_other"
    second = new_caller(floor, "second")
    begin(floor)
    caller.turn()
    migrate(floor, theirs)
    turns(floor, caller, 3)
    assert not is_active(caller)
    assert open_game(floor).number == 1  # though its time is over
    told = [line for line in caplog.records if line.message == "lease.other_revision"]
    assert [(getattr(line, FACTS)["database"], getattr(line, FACTS)["lease"]) for line in told] == [
        (theirs, CALLER)
    ]
    with monkeypatch.context() as upgraded:
        upgraded.setattr(schema, "newest_revision", lambda: theirs)
        second.turn()
        floor.pass_time(seconds=int(LEASED.total_seconds()) + 1)
        turns(floor, second, 3)
    assert is_active(second)
    assert open_game(floor).number > 1
    # The database goes back, and with it the second one ends: the first goes on.
    migrate(floor, ours)
    caller.turn()
    assert not is_active(caller)
    floor.pass_time(seconds=int(LEASED.total_seconds()) + 1)
    turns(floor, caller, 3)
    assert is_active(caller)
    assert [body["holder"] for body in bodies(floor, "CALLER")] == ["first", "second", "first"]
    floor.check_books()


@pytest.mark.rule("X-recovery")
def test_tables_that_change_in_the_middle_of_a_turn_have_the_act_refused(floor: Floor) -> None:
    begin(floor)
    lease = take_lease(floor.office, CALLER, "first", Watch(lambda: 0.0))
    assert lease is not None
    floor.pass_time(minutes=3)
    migrate(floor, "2099_01_01_other")
    with pytest.raises(LeaseLost):
        lock_on_time(floor.office, lease, "M", 1)
    assert open_game(floor).number == 1


@pytest.mark.rule("X-recovery", "X-lock-server")
def test_a_caller_that_was_away_too_long_locks_nothing_any_more(floor: Floor) -> None:
    change_schedule(floor.office, floor.sam, "M", MINUTE)
    begin(floor)
    ticks = [0.0]
    watch = Watch(lambda: ticks[0])
    old = take_lease(floor.office, CALLER, "first", watch)
    assert old is not None
    floor.pass_time(minutes=3)
    assert take_lease(floor.office, CALLER, "second", watch) is None
    ticks[0] += LEASED.total_seconds()
    assert take_lease(floor.office, CALLER, "second", watch) is not None
    with pytest.raises(LeaseLost):
        lock_on_time(floor.office, old, "M", 1)
    assert open_game(floor).number == 1


@pytest.mark.rule("X-recovery")
def test_a_caller_that_took_over_and_was_not_told_so_does_not_wait_for_itself(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = [0.0]
    first, second = Watch(lambda: ticks[0]), Watch(lambda: ticks[0])
    assert take_lease(floor.office, CALLER, "first", first) is not None
    assert take_lease(floor.office, CALLER, "second", second) is None
    ticks[0] += LEASED.total_seconds()
    assert take_lease(floor.office, CALLER, "second", second) is not None
    assert take_lease(floor.office, CALLER, "first", first) is None
    ticks[0] += LEASED.total_seconds()
    commit = Unit.commit

    def unanswered(unit: Unit) -> None:
        commit(unit)
        raise CommitUnknown

    monkeypatch.setattr(Unit, "commit", unanswered)
    with pytest.raises(CommitUnknown):
        take_lease(floor.office, CALLER, "first", first)
    monkeypatch.undo()
    assert take_lease(floor.office, CALLER, "first", first) is not None


@pytest.mark.rule("X-recovery")
def test_a_caller_that_was_away_holds_and_lets_go_of_no_later_game(floor: Floor) -> None:
    ticks = [0.0]
    first, second = Watch(lambda: ticks[0]), Watch(lambda: ticks[0])
    old = take_lease(floor.office, CALLER, "first", first)
    assert old is not None
    assert take_lease(floor.office, CALLER, "second", second) is None
    ticks[0] += LEASED.total_seconds()
    new = take_lease(floor.office, CALLER, "second", second)
    assert new is not None
    with pytest.raises(LeaseLost):
        hold_game(floor.office, old, "M", 1, "it hung")
    with pytest.raises(LeaseLost):
        let_go(floor.office, old, "M", 1)
    floor.play()
    hold_game(floor.office, new, "M", 1, "of the game before")
    assert open_game(floor).held_why is None
    hold_game(floor.office, new, "M", 2, "of this one")
    let_go(floor.office, new, "M", 1)
    assert open_game(floor).held_why == "of this one"
    let_go(floor.office, new, "M", 2)
    assert open_game(floor).held_why is None


# ---- the clock -----------------------------------------------------------------------------------


@pytest.mark.rule("X-clock")
@pytest.mark.parametrize("minutes", [-90, -2, 2, 90])
def test_a_jump_of_the_clock_is_recorded_and_moves_the_close_along(
    floor: Floor, minutes: int
) -> None:
    change_schedule(floor.office, floor.sam, "M", 3 * MINUTE)
    begin(floor)
    ticks = [0.0]
    assert floor.office.keyed is not None
    caller = Caller(floor.office, floor.office.keyed, "first", lambda: ticks[0])
    caller.turn()
    closes_at = open_game(floor).closes_at
    assert closes_at is not None
    floor.pass_time(minutes=minutes)
    ticks[0] += 0.1
    caller.turn()
    game = open_game(floor)
    assert game.number == 1
    assert game.closes_at is not None
    assert abs(game.closes_at - closes_at - timedelta(minutes=minutes)) < timedelta(seconds=1)
    (body,) = bodies(floor, "CLOCK")
    assert abs(body["milliseconds"] - minutes * 60_000) < 1000
    caller.finish_grading()
    floor.check_books()


def with_ticks(floor: Floor, name: str, ticks: list[float]) -> Caller:
    """A caller that counts by itself, whatever the clock of the house says."""
    return Caller(floor.office, floor.two_keys, name, lambda: ticks[0])


def in_half_an_hour(floor: Floor) -> None:
    change_schedule(floor.office, floor.sam, "M", 3 * MINUTE)
    at = floor.moment[0] + timedelta(minutes=30)
    override_close(floor.office, floor.sam, "M", 1, at, "begin")


@pytest.mark.rule("X-clock")
@pytest.mark.parametrize("active_dies", [False, True])
def test_a_jump_makes_no_second_caller_take_over_and_lock_early(
    floor: Floor, active_dies: bool
) -> None:
    in_half_an_hour(floor)
    ticks = [0.0]
    first, second = (with_ticks(floor, name, ticks) for name in ("first", "second"))
    first.turn()
    second.turn()
    ticks[0] += 0.5
    floor.pass_time(minutes=60)
    second.turn()
    assert second.lease is None
    for _ in range(100):
        ticks[0] += 1.0
        floor.moment[0] += timedelta(seconds=1)
        if not active_dies:
            first.turn()
        second.turn()
    assert (second.lease is not None) is active_dies
    assert floor.state(1) == "open"
    assert len(bodies(floor, "CLOCK")) == 1
    first.finish_grading()


@pytest.mark.rule("X-clock", "X-recovery")
def test_a_clock_that_is_set_back_keeps_no_caller_away(floor: Floor) -> None:
    in_half_an_hour(floor)
    ticks = [0.0]
    with_ticks(floor, "dies", ticks).turn()
    floor.pass_time(hours=-24)
    other = with_ticks(floor, "lives", ticks)
    other.turn()
    ticks[0] += LEASED.total_seconds() + 1
    other.turn()
    assert other.lease is not None


@pytest.mark.rule("X-clock")
def test_a_jump_within_a_turn_locks_nothing_early(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_half_an_hour(floor)
    ticks = [0.0]
    caller = with_ticks(floor, "first", ticks)
    caller.turn()
    ready = floor.two_keys.check_ready

    def slow() -> None:
        floor.pass_time(minutes=60)
        monkeypatch.setattr(floor.two_keys, "check_ready", ready)

    monkeypatch.setattr(floor.two_keys, "check_ready", slow)
    caller.turn()
    assert floor.state(1) == "open"


@pytest.mark.rule("X-clock")
def test_many_small_steps_of_the_clock_add_up_to_a_jump(floor: Floor) -> None:
    in_half_an_hour(floor)
    ticks = [0.0]
    caller = with_ticks(floor, "first", ticks)
    while floor.state(1) == "open":
        floor.moment[0] += timedelta(seconds=10)
        ticks[0] += 8.5
        caller.turn()
    caller.finish_grading()
    assert ticks[0] > 29 * MINUTE


@pytest.mark.rule("X-clock", "X-recovery")
def test_a_jump_whose_commit_was_not_answered_is_taken_once(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_half_an_hour(floor)
    ticks = [0.0]
    caller = with_ticks(floor, "first", ticks)
    caller.turn()
    before = open_game(floor).closes_at
    take = take_jump

    def lost(*given: Any) -> None:  # noqa: ANN401
        take(*given)
        monkeypatch.setattr(calling, "take_jump", take)
        raise CommitUnknown

    monkeypatch.setattr(calling, "take_jump", lost)
    floor.pass_time(hours=1)
    caller.turn()  # which fails, and goes on; nothing is locked before the clock was minded again
    caller.turn()
    after = open_game(floor).closes_at
    assert before is not None
    assert after is not None
    assert abs(after - before - timedelta(hours=1)) < timedelta(seconds=2)
    assert len(bodies(floor, "CLOCK")) == 1


@pytest.mark.rule("X-clock", "X-audit-books")
def test_a_house_whose_clock_was_set_back_has_clean_books(floor: Floor) -> None:
    floor.pass_time(hours=5)
    wanda = floor.writing()
    floor.sell(wanda)
    floor.play()
    floor.sell(wanda)
    floor.pass_time(hours=-1)
    floor.play()
    floor.check_books()


@pytest.mark.rule("X-clock")
def test_a_caller_that_stands_still_while_it_reads_the_clocks_finds_no_jump(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_half_an_hour(floor)
    ticks = [0.0]
    caller = with_ticks(floor, "first", ticks)
    caller.turn()
    before = open_game(floor).closes_at
    now = Office.now

    def stands_still(office: Office) -> datetime:
        moment = now(office)
        monkeypatch.undo()
        ticks[0] += 30
        floor.pass_time(seconds=30)
        return moment

    monkeypatch.setattr(Office, "now", stands_still)
    for _ in range(3):
        caller.turn()
    assert bodies(floor, "CLOCK") == []
    assert open_game(floor).closes_at == before


@pytest.mark.rule("X-clock")
def test_a_clock_that_runs_as_it_should_is_no_jump(floor: Floor, caller: Caller) -> None:
    turns(floor, caller, 5)
    assert bodies(floor, "CLOCK") == []


# ---- hours ---------------------------------------------------------------------------------------

ZONE = "America/New_York"
NOON = datetime(2026, 11, 16, 17, tzinfo=UTC)  # noon there
LATE = SeriesRow("L", 1, 600, 18 * 60, 26 * 60)  # from six in the evening to two at night
ALWAYS = SeriesRow("A", 1, 600, 0, 1440)


@pytest.mark.rule("15.5(b)")
def test_a_game_closes_one_interval_after_the_one_before_it() -> None:
    before = NOON - timedelta(seconds=1)
    assert next_close(ALWAYS, ZONE, NOON, before) == before + timedelta(seconds=600)
    assert next_close(ALWAYS, ZONE, NOON, None) == NOON + timedelta(seconds=600)
    long_ago = NOON - timedelta(days=1)
    assert next_close(ALWAYS, ZONE, NOON, long_ago) == NOON + timedelta(seconds=600)


@pytest.mark.rule("15.5(b)")
def test_outside_of_its_hours_a_series_waits_for_them_to_begin() -> None:
    evening = datetime(2026, 11, 16, 23, tzinfo=UTC)  # six there
    assert next_close(LATE, ZONE, NOON, None) == evening + timedelta(seconds=600)
    midnight = datetime(2026, 11, 17, 5, tzinfo=UTC)
    assert next_close(LATE, ZONE, midnight, None) == midnight + timedelta(seconds=600)
    two = datetime(2026, 11, 17, 6, 55, tzinfo=UTC)
    assert next_close(LATE, ZONE, two, None) == evening + timedelta(days=1, seconds=600)
    assert not is_within_hours(LATE, ZONE, NOON)
    assert next_close(SeriesRow("H", 1, None, 0, 1440), ZONE, NOON, None) is None


@pytest.mark.rule("15.5(b)", "X-access")
@pytest.mark.parametrize(
    ("interval", "opens", "closes"),
    [(5, 0, 1440), (90_000, 0, 1440), (60, 10, 10), (60, -1, 600), (60, 1500, 1600), (60, 0, 2000)],
)
def test_a_schedule_that_is_none_is_refused(
    floor: Floor, interval: int, opens: int, closes: int
) -> None:
    with refuses("series.bad_schedule"):
        change_schedule(floor.office, floor.sam, "M", interval, opens, closes)
    with refuses("series.unknown"):
        change_schedule(floor.office, floor.sam, "X", 60)


@pytest.mark.rule("X-software-seal")
def test_the_software_is_logged_once_a_gaming_day_and_at_each_start_and_lock(
    floor: Floor, caller: Caller
) -> None:
    for _ in range(3):
        caller.turn()
    floor.pass_time(hours=24)
    caller.counted = lambda: 0.0
    caller._clocks = None  # noqa: SLF001  nobody looked for a day
    caller.turn()
    new_caller(floor, "first").turn()
    days = [body["gaming_day"] for body in bodies(floor, "SOFTWARE")]
    assert days == ["2026-11-16", "2026-11-17"]
    assert {body["software"] for body in bodies(floor, "SOFTWARE")} == {software_hash()}
    assert bodies(floor, "CALLER")[0]["software"] == software_hash() == software_on_disk()


@pytest.mark.rule("X-software-seal")
def test_a_file_that_is_changed_under_a_running_process_is_seen_the_next_day(
    floor: Floor, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.turn()
    right, extra = software.manifest, f"{'0' * 64}  app/web/static/js/writer/main.js\n"
    monkeypatch.setattr(software, "manifest", lambda: right() + extra)
    floor.pass_time(hours=24)
    caller.counted = lambda: 0.0
    caller._clocks = None  # noqa: SLF001  nobody looked for a day
    caller.turn()
    first, second = bodies(floor, "SOFTWARE")
    assert second["software"] == software_on_disk() != first["software"]
    assert second["started_with"] == first["software"] == software_hash()


@pytest.mark.rule("X-software-seal")
def test_every_file_that_is_shipped_of_the_product_is_hashed() -> None:
    """Whatever its kind: fonts draw what a ticket says as much as a module does."""
    root = software.ROOT
    hashed = {line.split("  ", 1)[1] for line in software.manifest().splitlines()}
    for part in software.PARTS:
        for folder, _, names in os.walk(root / part):
            if not folder.endswith(software.COMPILED):
                here = Path(folder).relative_to(root)
                assert {(here / name).as_posix() for name in names} <= hashed, here
    for kind in (".py", ".ttf", ".svg", ".html", ".css", ".js", ".json", ".toml", ".mako"):
        assert any(name.endswith(kind) for name in hashed), kind


@pytest.mark.rule("X-software-seal")
def test_every_process_knows_what_it_began_with(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that waits for its turn, or that nobody asks, while the files are changed."""
    begun: list[str] = []
    monkeypatch.setattr(processes, "speak_as", lambda *_: None)
    settings = read_settings({})
    for start in (
        lambda: begin_process("caller", settings),
        lambda: create_app(floor.office),
    ):
        software_hash.cache_clear()
        start()
        right = software.manifest()
        with monkeypatch.context() as patched:
            patched.setattr(software, "manifest", lambda: f"{right}other")  # noqa: B023
            begun.append(software_hash())
            assert software_on_disk() != begun[-1]
    software_hash.cache_clear()
    assert set(begun) == {software_on_disk()}


@pytest.mark.rule("X-software-seal")
@pytest.mark.parametrize("kind", [".py", ".so", ".ttf", ".svg", ".html", ""])
@pytest.mark.parametrize("part", software.PARTS)
def test_a_file_of_any_kind_in_any_part_is_hashed(tmp_path: Path, part: str, kind: str) -> None:
    (tmp_path / part / "deep").mkdir(parents=True)
    (tmp_path / part / "deep" / f"one{kind}").write_bytes(b"as it was")
    before = software.manifest(tmp_path)
    (tmp_path / part / "deep" / f"one{kind}").write_bytes(b"as it is")
    assert software.manifest(tmp_path) != before
