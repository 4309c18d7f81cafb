"""Every alarm is brought about for real, its runbook is followed, and the alarm goes.

What is not real is said where it is: no test fills a disk.
"""

import json
import re
import shlex
import shutil
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from psycopg.pq import ExecStatus, PGconn, abc
from sqlalchemy import Connection, event, text

from app.audit.entry_copies import EntryCopy, entry_line
from app.audit.tags import Tag
from app.caller import Caller
from app.cli import main
from app.clock import time_text
from app.flow import settle
from app.flow.access import at_console, disable_staff
from app.flow.alarms import DISK_FREE, Alarm, AlarmId
from app.flow.backup import back_up
from app.flow.day import gaming_day
from app.flow.emergency import name_approver, set_standby
from app.flow.facts import disks_of
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.process_end import record_process_end
from app.flow.rate_cards import put_in_force
from app.flow.report import Asked
from app.flow.report_jobs import ask_report
from app.flow.reprint import Seen, say_printed
from app.flow.schedule import change_schedule
from app.flow.see_alarms import see_alarms
from app.flow.sell import Sale
from app.flow.spool import interrupted, next_paper, note_ending, note_stopped, note_trouble
from app.flow.staffing import give_secret
from app.keno import grading
from app.keno.drawer import Count
from app.keno.grading import GameGrade
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.reporter import Reporter
from app.reports.catalogue import Format
from app.store.queries import log, watching
from app.store.tables import PaperState, Role
from app.web.runbooks import PAGE, read_runbooks
from printers.press import Press
from tests.floor import ADA, MAX, RITA, WANDA, Floor, secret_of
from tests.flow.access import somebody
from tests.flow.rate_cards import accepted
from tests.flow.standby import expect_standby
from tests.house_commands import Typed
from tests.keeping.house import restored
from tests.lending import address, new_database
from tests.looking import lifted, refuses, rows, write
from tests.ports import free_port
from tests.postgres import mortal_server
from tests.rng.house import IDA, SAM
from tests.rng.lockout import reopened
from tests.runbooks import caller_of, take_turns
from tests.serving import serve
from tests.spooling import spooling, virtual, waiting
from tests.story.paying import SAM_APPROVES, pay, sold, torn
from tests.waiting import until

ON_POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
THIS = Path(__file__)


def told(floor: Floor) -> dict[AlarmId, Alarm]:
    """The alarms of the house now."""
    return {alarm.id: alarm for alarm in see_alarms(floor.office)}


@contextmanager
def alarming(floor: Floor, id_: AlarmId) -> Iterator[Alarm]:
    """There is an alarm, and when its runbook was followed there is none."""
    alarms = told(floor)
    assert id_ in alarms, alarms
    assert alarms[id_].since is not None
    yield alarms[id_]
    assert id_ not in told(floor)


def commands(id_: AlarmId) -> list[str]:
    """The commands of a runbook, in order."""
    (runbook,) = (each for each in read_runbooks() if each.id == id_)
    return [
        line
        for block in runbook.blocks
        if block.kind == "commands"
        for line in block.text.splitlines()
    ]


class Console:
    """The console of a floor, at which the commands of runbooks are typed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._patch = monkeypatch
        monkeypatch.setattr(Office, "close", lambda _office: None)  # the floor goes on
        monkeypatch.setattr("app.cli.house.begin_process", lambda *_: None)
        monkeypatch.chdir(folder)

    def type(self, floor: Floor, line: str) -> int:
        """Type a command as it stands on the page; return how it ended."""
        program, *words = shlex.split(line)
        assert program == "keno"
        people = [words[n + 1] for n, word in enumerate(words) if word in ("--as", "--with")]
        self._patch.setattr("sys.stdin", Typed([secret_of(name) for name in people]))
        self._patch.setattr("app.cli.console.open_office", lambda _settings, **_: floor.office)
        return main(words)


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Console:
    return Console(monkeypatch, tmp_path)


# ---- nothing is left out -------------------------------------------------------------------------


def test_every_alarm_has_a_runbook_a_test_and_nothing_else_has_one() -> None:
    names = [alarm.value for alarm in AlarmId]
    assert [each.id for each in read_runbooks()] == names
    assert re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE) == names
    tests = re.findall(r"^ +with alarming\(\w+, AlarmId\.(\w+)\)", THIS.read_text(), re.MULTILINE)
    assert {AlarmId[name] for name in tests} == set(AlarmId)


def test_every_command_of_a_runbook_is_followed_by_its_test() -> None:
    """`docs/runbooks.md`: a test types the commands of the page, and not its own."""
    source = THIS.read_text()
    for alarm in AlarmId:
        if commands(alarm):
            assert f"commands(AlarmId.{alarm.name})" in source, alarm


def test_a_new_house_has_no_alarm(
    floor: Floor, console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(floor) == {}
    assert console.type(floor, "keno alarms") == 0
    assert capsys.readouterr().out == "All is well.\n"


# ---- what stops the house ------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
def test_entries_that_are_missing_are_put_back(
    floor: Floor, console: Console, tmp_path: Path
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.play()
    with floor.office.database.reading() as connection:
        entries = [
            EntryCopy(entry.position, entry.leaf, entry.tag, entry.salt, entry.body)
            for entry in log.entries(connection)
            if entry.position is not None
        ]
    (tmp_path / "entries.jsonl").write_text("".join(map(entry_line, entries)))
    looking, refilling = commands(AlarmId.LOG_MISSING)
    with restored(floor, tmp_path / "house.backup") as again:
        followed(again, console, looking, refilling)


def followed(again: Floor, console: Console, looking: str, refilling: str) -> None:
    with alarming(again, AlarmId.LOG_MISSING):
        assert "nobody has looked yet" in told(again)[AlarmId.LOG_MISSING].what
        assert console.type(again, looking) == 1
        assert "are missing" in told(again)[AlarmId.LOG_MISSING].what
        assert console.type(again, refilling) == 0


@pytest.mark.rule("X-recovery")
def test_a_caller_that_has_gone_is_started_again(
    floor: Floor, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_schedule(floor.office, floor.sam, "M", 240)
    assert "No caller has ever run" in told(floor)[AlarmId.CALLER_GONE].what
    take_turns(caller_of(floor))
    assert AlarmId.CALLER_GONE not in told(floor)
    floor.pass_time(minutes=3)
    with alarming(floor, AlarmId.CALLER_GONE):
        # The command runs until it is told to stop: it is told so after two turns, in which it
        # sees that the other one does not come back.
        def two_turns(caller: Caller, _stop: object) -> None:
            caller.counted = caller._watch.counted = (  # noqa: SLF001  a minute passes between
                iter(range(0, 100_000, 60)).__next__
            )
            caller.nightly = None  # the books are another alarm's
            caller.turn()
            caller.turn()
            caller.finish_grading()

        monkeypatch.setattr(Caller, "run", two_turns)
        (starting,) = commands(AlarmId.CALLER_GONE)
        assert console.type(floor, starting) == 0


@pytest.mark.rule("15.5(a)-dual-key")
def test_both_keyed_processes_are_unlocked_again(floor: Floor) -> None:
    house = floor.keyed.started
    assert told(floor) == {}
    house.rng.lock({})
    with alarming(floor, AlarmId.GENERATOR_AWAY) as alarm:
        assert alarm.what == "Games cannot be drawn. The generator is locked."
        house.unlock_sealed()
    house.inspector.lock({})
    take_turns(caller_of(floor))  # which notes it in the log
    noted = floor.office.now()
    floor.pass_time(minutes=7)
    with alarming(floor, AlarmId.INSPECTOR_AWAY) as alarm:
        assert alarm.since is not None
        assert abs(alarm.since - noted) < timedelta(seconds=2)
        assert alarm.next_step == "A holder of its key unlocks it."
        house.unlock_sealed()


@pytest.mark.rule("15.5(a)-dual-key", "X-recovery")
def test_a_keyed_process_that_died_or_is_locked_out_is_brought_back(floor: Floor) -> None:
    house = floor.keyed.started
    for id_, kill, start, holder in (
        (AlarmId.GENERATOR_AWAY, house.kill_rng, house.start_rng, SAM),
        (AlarmId.INSPECTOR_AWAY, house.kill_inspector, house.start_inspector, IDA),
    ):
        kill()
        with alarming(floor, id_) as alarm:
            assert "does not answer" in alarm.what
            start()
            assert told(floor)[id_].next_step == "A holder of its key unlocks it."
            house.unlock_sealed()
        process = house.rng if id_ is AlarmId.GENERATOR_AWAY else house.inspector
        process.lock_out("health", "a test of the health failed")
        with alarming(floor, id_) as alarm:
            assert "is locked out: a test of the health failed" in alarm.what
            assert alarm.next_step == "Both keys look into why, and reopen it."
            reopened(house, holder)
    floor.play()


@pytest.mark.rule("15.5(d)", "X-recovery")
def test_a_game_that_the_caller_does_not_close_is_locked_by_hand(
    floor: Floor, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_schedule(floor.office, floor.sam, "M", 240)
    caller = caller_of(floor)
    take_turns(caller)

    def faulty(*_: object) -> None:
        raise LookupError("nothing is looked after")

    with monkeypatch.context() as patched:
        patched.setattr(Caller, "_look_after", faulty)
        for _ in range(5):
            floor.pass_time(seconds=60)
            with pytest.raises(LookupError):
                caller.turn()
    assert set(told(floor)) == {AlarmId.CLOSE_LATE}  # the caller is there, and does nothing
    with alarming(floor, AlarmId.CLOSE_LATE) as alarm:
        assert alarm.what.startswith("Game M-1 should have closed")
        (locking,) = commands(AlarmId.CLOSE_LATE)
        assert console.type(floor, locking) == 0
    take_turns(caller)
    assert floor.state(1) == "certified"


@pytest.mark.rule("X-grade-twice", "X-recovery")
def test_a_game_that_is_not_graded_is_told_until_it_is(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.sell(floor.writing())
    floor.lock()
    floor.draw()
    caller = caller_of(floor)

    def faulty(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("app.caller.settle_game", faulty)
        for _ in range(3):
            assert AlarmId.GRADING_WAITS not in told(floor)
            floor.pass_time(minutes=4)
            caller.turn()
            with suppress(OSError):
                caller.finish_grading()
    with alarming(floor, AlarmId.GRADING_WAITS) as alarm:
        assert alarm.what.startswith("Game M-1 is drawn")
        take_turns(caller_of(floor))  # it was started again
    assert floor.state(1) == "certified"


@pytest.mark.rule("X-fault-refund", "15.5(d)")
def test_a_game_that_cannot_be_drawn_is_voided(floor: Floor, console: Console) -> None:
    floor.sell(floor.writing())
    lock_game(floor.office, floor.sam, "M")
    assert AlarmId.DRAW_WAITS not in told(floor)
    floor.pass_time(minutes=6)
    with alarming(floor, AlarmId.DRAW_WAITS) as alarm:
        assert "M-1" in alarm.what
        (voiding,) = commands(AlarmId.DRAW_WAITS)
        assert console.type(floor, voiding) == 0
        take_turns(caller_of(floor))
        assert floor.state(1) == "void"
    floor.check_books()


@pytest.mark.rule("X-grade-twice")
def test_a_frozen_game_is_released_by_two(
    floor: Floor, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = Request(((1,), (2,)), "2/1 @ 1.00")
    floor.sell(floor.writing(), Sale("M", ways, (Tender(TenderKind.CURRENCY, 500),)))
    floor.lock()
    floor.draw()
    right = grading.grade_game

    def wrong(*given: object) -> GameGrade:
        made = right(*given)  # type: ignore[arg-type]
        return GameGrade(made.lines, made.win + 1, made.win_cents + 1, made.capped)

    with monkeypatch.context() as patched:
        patched.setattr(settle, "grade_game", wrong)
        assert floor.grade(1) == "frozen"
    with alarming(floor, AlarmId.GAMES_FROZEN) as alarm:
        assert alarm.what == "Game M-1 is frozen: its two gradings differ."
        (releasing,) = commands(AlarmId.GAMES_FROZEN)
        assert console.type(floor, releasing) == 0
        take_turns(caller_of(floor))
    assert floor.state(1) == "certified"


@pytest.mark.rule("X-audit-books")
def test_books_with_a_fault_are_worked_out_again_when_it_is_mended(
    floor: Floor, console: Console
) -> None:
    looking, recording = commands(AlarmId.BOOKS_FAILED)
    write(floor, "UPDATE counter SET value = 7 WHERE name = 'ticket'")
    assert console.type(floor, recording) == 1
    with alarming(floor, AlarmId.BOOKS_FAILED):
        assert console.type(floor, looking) == 1
        write(floor, "UPDATE counter SET value = 0 WHERE name = 'ticket'")
        assert console.type(floor, recording) == 0


@pytest.mark.rule("8.3", "X-sale-stop")
def test_a_card_that_is_to_come_is_looked_at_and_what_is_wrong_is_stopped(
    floor: Floor, console: Console
) -> None:
    wanda = floor.writing()
    put_in_force(floor.office, floor.sam, accepted(floor))
    with alarming(floor, AlarmId.CARD_COMING):
        (stopping,) = commands(AlarmId.CARD_COMING)
        assert console.type(floor, stopping) == 0
        with refuses("spots.stopped"):
            floor.sell(wanda)
        floor.pass_time(minutes=1_441)


@pytest.mark.both_engines
@pytest.mark.rule("X-recovery")
def test_a_process_that_ends_again_and_again_is_told_until_it_runs_for_five_minutes(
    floor: Floor, console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    (recording,) = commands(AlarmId.PROCESS_RESTARTING)
    for _ in range(9):
        assert console.type(floor, recording) == 0
        floor.pass_time(seconds=20)
    with alarming(floor, AlarmId.PROCESS_RESTARTING) as alarm:
        assert alarm.what == ("The process spooler ended unexpectedly, 9 times in five minutes.")
        assert alarm.of == "spooler"
        capsys.readouterr()
        assert console.type(floor, "keno alarms") == 1
        assert "All is well" not in capsys.readouterr().out
        assert console.type(floor, recording.replace("spooler", "caller")) == 0
        both = [each.of for each in see_alarms(floor.office) if each.id is alarm.id]
        assert both == ["caller", "spooler"]
        floor.pass_time(minutes=5)


@pytest.mark.both_engines
@pytest.mark.rule("X-recovery")
def test_a_process_that_ended_is_told_however_many_entries_the_log_has_since(
    floor: Floor,
) -> None:
    record_process_end(floor.office, "feed", "exit-code")
    with floor.office.unit() as unit:
        said = {"what": "caller ended with exit-code", "time": time_text(unit.now())}
        for _ in range(101):  # one that ends again and again hides no other
            floor.office.log(unit, Tag.PROCESS, said)
        unit.commit()
    numbered_on = "INSERT INTO act (id, tag) OVERRIDING SYSTEM VALUE VALUES (50000, 'PROCESS')"
    if floor.office.database.is_sqlite:
        numbered_on = numbered_on.replace(" OVERRIDING SYSTEM VALUE", "")
    entry = "SELECT 50000, tag, salt, body, leaf FROM log_entry WHERE tag = 'SERIES' LIMIT 1"
    write(floor, numbered_on, f"INSERT INTO log_entry (id, tag, salt, body, leaf) {entry}")
    ended = [each for each in see_alarms(floor.office) if each.id == "process-restarting"]
    assert [each.of for each in ended] == ["caller", "feed"]
    assert "101 times" in ended[0].what


@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
@pytest.mark.rule("X-recovery")
def test_processes_that_ended_are_found_without_reading_the_log(floor: Floor) -> None:
    """PostgreSQL knows how small these tables are, and would read them whole."""
    plans: list[str] = []

    def explain(connection: Connection, _: object, sql: str, given: object, *__: object) -> None:
        if "FROM log_entry" in sql and isinstance(given, tuple):
            plan = connection.connection.cursor()
            plan.execute(f"EXPLAIN QUERY PLAN {sql}", given)
            plans.extend(step for *_, step in plan.fetchall())

    engine = floor.office.database.engine
    event.listen(engine, "before_cursor_execute", explain)
    with floor.office.database.reading() as connection:
        watching.watched_since(connection, Tag.PROCESS, floor.office.now())
    event.remove(engine, "before_cursor_execute", explain)
    assert plans == ["SEARCH log_entry USING INDEX ix_log_entry_watched (tag=? AND id>?)"]


# ---- the database's machine ----------------------------------------------------------------------


@ON_POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_the_slot_of_a_copy_that_is_lost_is_told_until_it_is_given_up(floor: Floor) -> None:
    execute(floor, "SELECT pg_create_physical_replication_slot('standby_1', true)")
    assert "standby_1" in told(floor)[AlarmId.STANDBY_GONE].what
    (giving_up,) = commands(AlarmId.STANDBY_GONE)
    execute(floor, giving_up)
    assert AlarmId.STANDBY_GONE not in told(floor)


@pytest.mark.rule("X-recovery")
def test_a_copy_that_is_lost_is_told_until_one_has_every_commit_again(tmp_path: Path) -> None:
    """Also when nobody expects it any more: Patroni gives up its slot, and waits for nobody."""
    over_loopback = {"listen_addresses": "127.0.0.1"}
    with (
        mortal_server(over_loopback, port=free_port()) as primary,
        mortal_server(copy_of=primary) as standby,
        primary.connect() as keeper,
    ):
        both = f"{primary.folder},{standby.folder}&port={primary.port},{standby.port}"
        url = address(primary.url, new_database(primary.url))
        url = re.sub(r"host=[^&]*&port=\d+", f"host={both}&target_session_attrs=read-write", url)
        floor = Floor.opened(url, tmp_path)
        assert AlarmId.STANDBY_GONE in told(floor)  # it follows, and nobody waits for it
        expect_standby(keeper, "*")
        until(lambda: AlarmId.STANDBY_GONE not in told(floor))
        standby.kill()
        until(lambda: AlarmId.STANDBY_GONE in told(floor))
        with alarming(floor, AlarmId.STANDBY_GONE):
            (giving_up,) = commands(AlarmId.STANDBY_GONE)
            keeper.execute(giving_up.replace("standby_1", "standby").encode())
            expect_standby(keeper, "")
            until(lambda: "it is on one disk alone." in what_is_told(floor))
            keeper.execute("SELECT pg_create_physical_replication_slot('standby', true)")
            standby.start()
            expect_standby(keeper, "*")
            until(lambda: AlarmId.STANDBY_GONE not in told(floor))
        floor.close()


def what_is_told(floor: Floor) -> str:
    """What is said of a copy that is gone."""
    alarm = told(floor).get(AlarmId.STANDBY_GONE)
    return "" if alarm is None else alarm.what


def execute(floor: Floor, statement: str) -> None:
    with floor.office.database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text(statement))


@ON_POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_a_copy_that_is_far_behind_catches_up(floor: Floor) -> None:
    with copying(floor) as copy:
        copy.has(position(floor))
        until(lambda: len(rows(floor, "SELECT 1 FROM pg_stat_replication")) == 1)
        assert AlarmId.REPLICATION_LAG not in told(floor)
        for _ in range(6):  # each begins another segment of 16 MB
            execute(floor, "SELECT pg_logical_emit_message(false, 'keno', 'x')")
            execute(floor, "SELECT pg_switch_wal()")
        with alarming(floor, AlarmId.REPLICATION_LAG) as alarm:
            assert alarm.what == "The copy keno_copy of the database is far behind it."
            copy.has(position(floor))
            until(lambda: AlarmId.REPLICATION_LAG not in told(floor))


class Copy:
    """A copy of the database, as far as its server can tell: it speaks as one does."""

    def __init__(self, line: abc.PGconn) -> None:
        self._line = line

    def has(self, place: int) -> None:
        """Say that everything up to a place was written, flushed and applied."""
        self._line.put_copy_data(struct.pack(">cqqqqb", b"r", place, place, place, 0, 0))
        self._line.flush()


@contextmanager
def copying(floor: Floor) -> Iterator[Copy]:
    host = floor.office.database.url.query["host"]
    told_as = f"host={host} user=keno replication=true application_name=keno_copy"
    line = PGconn.connect(told_as.encode())
    high, low = divmod(position(floor), 1 << 32)
    begun = line.exec_(f"START_REPLICATION PHYSICAL {high:X}/{low & ~0xFFFFFF:X}".encode())
    assert begun.status == ExecStatus.COPY_BOTH, line.error_message
    try:
        yield Copy(line)
    finally:
        line.finish()


def position(floor: Floor) -> int:
    """How far the database has written."""
    ((place,),) = rows(floor, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint")
    return int(place)


def test_room_is_made_on_a_disk_that_is_nearly_full(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No disk is filled: what the system says of it is put in its place."""
    free = [DISK_FREE - 1]
    usage = shutil._ntuple_diskusage  # noqa: SLF001
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1 << 40, 0, free[0]))
    folders = [tmp_path / "reports", tmp_path]
    (disk,) = disks_of(folders)  # they are on one
    assert disk.folder.endswith("reports")
    first = see_alarms(floor.office, folders)
    free[0] -= 1 << 30
    floor.pass_time(minutes=5)
    second = see_alarms(floor.office, folders)
    assert [each.id for each in first + second] == [AlarmId.DISK_FULL] * 2
    assert first[0].since == second[0].since  # it is the same one, though there is less left
    assert first[0].what != second[0].what
    free[0] = DISK_FREE
    assert see_alarms(floor.office, folders) == []
    free[0] = 1
    if floor.office.database.is_sqlite:  # whose disk is watched anyway
        with alarming(floor, AlarmId.DISK_FULL):
            free[0] = DISK_FREE


@pytest.mark.rule("X-audit-log")
def test_a_log_that_is_not_witnessed_is_cosigned(floor: Floor, console: Console) -> None:
    floor.pass_time(minutes=16)
    with alarming(floor, AlarmId.SEAL_LAG):
        (cosigning,) = commands(AlarmId.SEAL_LAG)
        assert console.type(floor, cosigning) == 0
    floor.sell(floor.writing())
    floor.pass_time(minutes=14)
    assert AlarmId.SEAL_LAG not in told(floor)
    floor.pass_time(minutes=2)
    with alarming(floor, AlarmId.SEAL_LAG):
        caller = caller_of(floor)
        caller.turn()
        floor.keyed.started.inspector.lock({})
        floor.pass_time(minutes=2)
        caller.turn()  # it tries, and goes on
        assert AlarmId.SEAL_LAG in told(floor)
        floor.keyed.started.unlock_sealed()
        floor.pass_time(minutes=2)
        caller.turn()  # it does so by itself, while no game is locked


@pytest.mark.rule("X-clock")
def test_a_jump_of_the_clock_is_told_for_a_day(floor: Floor) -> None:
    caller = Caller(floor.office, floor.two_keys, "first", lambda: 0.0)
    caller.turn()
    floor.pass_time(seconds=90)
    caller.turn()
    with alarming(floor, AlarmId.CLOCK_JUMP) as alarm:
        assert alarm.what == "The clock of the house jumped on by 90 seconds."
        floor.pass_time(days=1)


@pytest.mark.rule("X-recovery")
def test_a_backup_is_made_when_the_last_one_is_old(
    floor: Floor,
    console: Console,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert AlarmId.BACKUP_OLD not in told(floor)
    floor.pass_time(hours=27)
    with alarming(floor, AlarmId.BACKUP_OLD) as alarm:
        assert alarm.what == "There is no backup that was restored on trial."
        assert console.type(floor, "keno alarms --json") == 1
        document = json.loads(capsys.readouterr().out)["alarms"][0]
        assert document["runbook"] == f"docs/runbooks.md#{document['id']}"
        here = (line.replace("/var/backups/keno/", "") for line in commands(AlarmId.BACKUP_OLD))
        backing_up, trying = here
        assert console.type(floor, backing_up) == 0
        # That it was written is not enough: every one could be damaged.
        assert AlarmId.BACKUP_OLD in told(floor)
        monkeypatch.setenv("KENO_DATABASE", address_of(floor))
        assert console.type(floor, trying) == 0
    floor.pass_time(hours=27)
    left = told(floor)[AlarmId.BACKUP_OLD]
    assert left.what == "The last backup that was restored on trial is old."
    assert console.type(floor, trying) == 0  # it is no newer for being tried once more
    assert told(floor)[AlarmId.BACKUP_OLD].since == left.since


@pytest.mark.rule("X-recovery")
def test_a_backup_of_which_the_trial_fails_is_none(
    floor: Floor, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.pass_time(hours=27)
    monkeypatch.setenv("KENO_DATABASE", address_of(floor))
    write(floor, "UPDATE counter SET value = 7 WHERE name = 'ticket'")  # the books have a fault
    assert console.type(floor, "keno backup --out house.backup") == 0
    assert console.type(floor, "keno backup check house.backup --record") == 1
    assert AlarmId.BACKUP_OLD in told(floor)
    write(floor, "UPDATE counter SET value = 0 WHERE name = 'ticket'")


def address_of(floor: Floor) -> str:
    return floor.office.database.url.render_as_string(hide_password=False)


@pytest.mark.rule("X-audit-books")
def test_books_that_were_not_worked_out_last_night_are_now(floor: Floor, console: Console) -> None:
    floor.pass_time(hours=20)  # to the next morning: 8:00, and the day began at 6:00
    assert AlarmId.BOOKS_LATE not in told(floor)
    floor.pass_time(hours=1, minutes=5)
    with alarming(floor, AlarmId.BOOKS_LATE):
        (recording,) = commands(AlarmId.BOOKS_LATE)
        assert console.type(floor, recording) == 0


# ---- paper and drawers ---------------------------------------------------------------------------


@pytest.mark.rule("15.4(c)")
def test_a_printer_that_is_away_is_replaced(floor: Floor, console: Console, tmp_path: Path) -> None:
    floor.printer_at("B1", "tcp:127.0.0.1:1")  # where nobody listens
    floor.sell(floor.writing())
    with virtual(tmp_path / "other") as other, spooling(floor):
        until(lambda: bool(rows(floor, "SELECT 1 FROM printer_condition")))
        with alarming(floor, AlarmId.PRINTER_TROUBLE) as alarm:
            reached = "Printer P-B1: The printer cannot be reached. 2 slips wait."
            assert alarm.what == reached
            assert AlarmId.PAPER_WAITS not in told(floor)  # it is the same thing
            (replacing,) = commands(AlarmId.PRINTER_TROUBLE)
            here = replacing.replace("10.0.0.9:9100", f"127.0.0.1:{other.port}")
            assert console.type(floor, here) == 0
            until(lambda: waiting(floor) == 0)


@pytest.mark.rule("X-printer-place")
def test_a_printer_that_is_not_where_the_log_says_is_set_again(
    floor: Floor, console: Console
) -> None:
    floor.printer_at("B1", "tcp:10.0.0.9:9100")
    with lifted(floor) as connection:
        connection.execute(text("UPDATE printer SET address = 'tcp:10.0.0.66'"))
    with alarming(floor, AlarmId.PRINTER_MOVED) as alarm:
        assert alarm.what.startswith("Printer P-B1 is at tcp:10.0.0.66, and the log says")
        books, setting = commands(AlarmId.PRINTER_MOVED)
        assert console.type(floor, books) == 1
        assert console.type(floor, setting) == 0
    floor.check_books()


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)")
def test_a_printer_that_is_switched_off_is_told_while_a_drawer_is_open_or_a_slip_waits(
    floor: Floor,
) -> None:
    printer, wanda = floor.printer_at("B1"), floor.writing()
    note_trouble(floor.office, printer, "The printer cannot be reached.")
    assert told(floor)[AlarmId.PRINTER_TROUBLE].what.endswith("1 slip waits.")
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, PaperState.CONFIRMED.value, None)
    note_trouble(floor.office, printer, "The printer cannot be reached.")
    assert told(floor)[AlarmId.PRINTER_TROUBLE].what.endswith("No slip waits.")
    bank = Count({TenderKind.CURRENCY: 50_000, TenderKind.COIN: 5_000})
    floor.close_drawer(wanda, 1, bank)
    assert AlarmId.PRINTER_TROUBLE in told(floor)  # the slip of the close waits
    for _ in range(waiting(floor)):
        sending = next_paper(floor.office, printer, Press())
        assert sending is not None
        note_ending(floor.office, sending, PaperState.CONFIRMED.value, None)
    note_trouble(floor.office, printer, "The printer cannot be reached.")
    assert AlarmId.PRINTER_TROUBLE not in told(floor)


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)", "X-recovery")
def test_paper_that_nobody_prints_is_told_at_once_until_a_spooler_runs(
    floor: Floor, tmp_path: Path
) -> None:
    with virtual(tmp_path / "roll") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.sell(floor.writing())
        with alarming(floor, AlarmId.SPOOLER_GONE) as alarm:
            words = "No spooler is running for printer P-B1. 2 slips wait."
            assert alarm.what == words
            assert AlarmId.PAPER_WAITS not in told(floor)  # it is the same thing
            with spooling(floor):
                until(lambda: waiting(floor) == 0)


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_a_spooler_that_has_gone_is_told_within_ten_seconds_though_nothing_waits(
    floor: Floor,
) -> None:
    printer, wanda = floor.printer_at("B1"), floor.writing()
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, PaperState.CONFIRMED.value, None)
    assert told(floor)[AlarmId.SPOOLER_GONE].since is not None  # none ever ran
    serve(floor)
    assert told(floor) == {}
    began = floor.office.now()
    floor.pass_time(seconds=9)
    with alarming(floor, AlarmId.SPOOLER_GONE) as alarm:
        assert alarm.what == "No spooler is running for printer P-B1. No slip waits."
        assert alarm.since is not None
        assert abs(alarm.since - began) < timedelta(seconds=1)
        bank = Count({TenderKind.CURRENCY: 50_000, TenderKind.COIN: 5_000})
        floor.close_drawer(wanda, 1, bank)
        assert told(floor)[AlarmId.SPOOLER_GONE].what.endswith("1 slip waits.")  # of the close
        while sending := next_paper(floor.office, printer, Press()):
            note_ending(floor.office, sending, PaperState.CONFIRMED.value, None)
        # Nobody needs the printer now: a house that is closed for the night has no alarm.


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_a_slip_that_was_being_printed_when_the_paper_ran_out_is_not_said_to_wait(
    floor: Floor,
) -> None:
    printer = floor.printer_at("B1")
    floor.writing()
    assert next_paper(floor.office, printer, Press()) is not None
    note_stopped(floor.office, printer, "The printer is out of paper.")
    assert told(floor)[AlarmId.PRINTER_TROUBLE].what == (
        "Printer P-B1: The printer is out of paper. 1 slip was being printed and may be on paper."
    )


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)", "X-recovery")
@pytest.mark.parametrize("is_being_sent", [False, True])
def test_paper_that_does_not_come_out_is_told_after_five_seconds_though_a_spooler_runs(
    floor: Floor, *, is_being_sent: bool
) -> None:
    """It crashes again and again, or hangs: its lease is as good as ever."""
    printer = floor.printer_at("B1")
    serve(floor)
    floor.writing()
    sending = next_paper(floor.office, printer, Press()) if is_being_sent else None
    assert AlarmId.PAPER_WAITS not in told(floor)
    floor.pass_time(seconds=6)
    with alarming(floor, AlarmId.PAPER_WAITS) as alarm:
        assert alarm.what == "1 slip waits for printer P-B1, and nothing comes out."
        sending = sending or next_paper(floor.office, printer, Press())
        assert sending is not None
        note_ending(floor.office, sending, PaperState.CONFIRMED.value, None)


@pytest.mark.rule("15.4(c)")
def test_paper_of_a_station_without_a_printer_is_told_until_it_has_one(
    floor: Floor, console: Console, tmp_path: Path
) -> None:
    floor.writing()
    with virtual(tmp_path / "roll") as printer, alarming(floor, AlarmId.PAPER_WAITS) as alarm:
        assert alarm.what == "1 slip waits at station B1, which has no printer."
        (setting,) = commands(AlarmId.PRINTER_TROUBLE)
        here = setting.replace("10.0.0.9:9100", f"127.0.0.1:{printer.port}")
        assert console.type(floor, here) == 0
        with spooling(floor):
            until(lambda: waiting(floor) == 0)


@pytest.mark.rule("15.4(c)")
def test_somebody_says_whether_a_paper_came_out(floor: Floor) -> None:
    printer, wanda = floor.printer_at("B1"), floor.writing()
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    assert interrupted(floor.office, printer)  # as when the spooler was killed
    with alarming(floor, AlarmId.PAPER_UNKNOWN) as alarm:
        assert alarm.what == "A paper may not have come out."
        seen = Seen(sending.entry, sending.copy, printed=True)
        say_printed(floor.office, wanda, seen, floor.request_id())


@pytest.mark.rule("X-pay-without-code")
def test_a_payment_without_the_whole_code_is_told_for_a_day(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    code = torn(floor.code(1))
    pay(floor, wanda, code=code, reason="torn", approval=SAM_APPROVES)
    with alarming(floor, AlarmId.PAID_WITHOUT_CODE) as alarm:
        assert alarm.of == "1-3"
        floor.pass_time(days=1)


@pytest.mark.rule("X-approver-new", "X-access-disable")
def test_who_was_given_a_password_that_nobody_owns_up_to_is_disabled(floor: Floor) -> None:
    by = at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    give_secret(floor.office, by, floor.sue, MAX, "given by an administrator")
    with alarming(floor, AlarmId.APPROVER_NEW) as alarm:
        assert alarm.what.endswith("was given a new password: ADA and SUE did it.")
        disable_staff(floor.office, floor.signed_in(ADA), MAX)


@pytest.mark.rule("X-approver-new")
def test_an_emergency_approver_is_told_until_they_are_disabled(floor: Floor) -> None:
    vera, cage = somebody(floor, Role.SURVEILLANCE), somebody(floor, Role.CAGE)
    by = at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    set_standby(floor.office, by, floor.sue, vera, listed=True)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.EMERGENCY_NAME)
    second = at_console(floor.office, cage, secret_of(cage), Permission.EMERGENCY_CONFIRM)
    name_approver(floor.office, manager, second, vera)
    with alarming(floor, AlarmId.EMERGENCY_APPROVER):
        disable_staff(floor.office, floor.signed_in(ADA), vera)


def test_a_roll_is_changed(floor: Floor) -> None:
    printer, wanda = floor.printer_at("B1"), floor.writing()
    floor.sell(wanda)

    def print_one(*, near_end: bool) -> None:
        sending = next_paper(floor.office, printer, Press())
        assert sending is not None
        note_ending(floor.office, sending, PaperState.SENT.value, None, near_end=near_end)

    print_one(near_end=True)
    with alarming(floor, AlarmId.ROLL_NEAR_END):
        print_one(near_end=False)


@pytest.mark.rule("X-drawer")
def test_a_drawer_of_yesterday_is_closed(floor: Floor) -> None:
    floor.open_drawer(floor.signed_in(WANDA))
    floor.pass_time(hours=19)  # 7:00, and the day began at 6:00: a shift may run on
    assert AlarmId.DRAWER_LEFT_OPEN not in told(floor)
    floor.pass_time(hours=1, minutes=5)
    with alarming(floor, AlarmId.DRAWER_LEFT_OPEN) as alarm:
        assert alarm.what.startswith("Drawer 1 of ")
        bank = Count({TenderKind.CURRENCY: 50_000, TenderKind.COIN: 5_000})
        floor.close_drawer(floor.signed_in(WANDA), 1, bank)


@pytest.mark.rule("X-recovery")
def test_reports_that_nobody_makes_are_told_until_a_reporter_runs(
    floor: Floor, tmp_path: Path
) -> None:
    rita = floor.signed_in(RITA)
    day = gaming_day(floor.office.now(), "America/New_York", 360)
    ask_report(floor.office, rita, Asked("voids", day, day, Format.CSV), floor.request_id())
    floor.pass_time(minutes=59)
    assert AlarmId.REPORTS_WAIT not in told(floor)
    floor.pass_time(minutes=2)
    with alarming(floor, AlarmId.REPORTS_WAIT) as alarm:
        assert alarm.what == "A report was asked for, and not made yet."
        reporter = Reporter(floor.office, tmp_path / "reports", look_seconds=0.01)
        while reporter.look(threading.Event()):
            pass
