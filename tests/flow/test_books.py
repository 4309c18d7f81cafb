"""The books are worked out every gaming day, recorded, and told of (X-audit-books)."""

import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.audit.faults import LISTED, Fault, Finding
from app.flow.books import TOLD, record_books, work_out_books
from app.flow.see_floor import see_floor
from app.nightly import AGAIN_SECONDS, Nightly, start_books
from app.software import software_hash
from tests.audit.books import busy
from tests.floor import SAM, Floor
from tests.flow.caller import new_caller
from tests.looking import bodies, rows, write
from tests.waiting import until


def alarms(floor: Floor) -> list[str]:
    """What a supervisor is told of the books."""
    seen = see_floor(floor.office, floor.signed_in(SAM))
    return [alarm.what for alarm in seen.alarms if "books" in alarm.what]


@pytest.mark.rule("X-audit-books")
def test_what_was_found_is_recorded_with_the_log_that_it_was_found_over(floor: Floor) -> None:
    busy(floor)
    ((size, root),) = rows(floor, "SELECT size, root FROM log_head")
    worked = work_out_books(floor.office)
    record_books(floor.office, worked)
    (told,) = bodies(floor, "BOOKS")
    assert told["log"] == {"size": size, "root": bytes(root).hex()}
    assert (told["faults"], told["software"]) == (0, software_hash())
    assert told["gaming_day"] == "2026-11-16"
    assert set(told["checks"]) == set(told["looked_at"]) == set(worked.found)
    ((entries,),) = rows(floor, "SELECT count(*) FROM log_entry WHERE tag <> 'BOOKS'")
    assert told["looked_at"]["prices"] == 6  # tickets
    assert told["looked_at"]["numbers"] == 6 + 3  # and games
    assert told["looked_at"]["log"] == entries
    floor.check_books()


@pytest.mark.rule("X-audit-books")
def test_a_supervisor_is_told_of_faults_until_there_are_none(floor: Floor) -> None:
    busy(floor)
    record_books(floor.office, work_out_books(floor.office))
    assert alarms(floor) == []
    write(floor, "UPDATE counter SET value = 7 WHERE name = 'ticket'")
    assert alarms(floor) == []  # nobody has looked
    record_books(floor.office, work_out_books(floor.office))
    assert alarms(floor) == ["The books of 2026-11-16 have a fault."]
    told = bodies(floor, "BOOKS")[-1]
    message = "the tickets are not 1 to 7, each once"
    assert told["checks"]["numbers"] == [{"code": "numbers", "message": message}]
    assert (told["faults"], told["faults_of"]["numbers"]) == (1, 1)
    write(floor, "UPDATE counter SET value = 6 WHERE name = 'ticket'")
    assert alarms(floor) != []  # until somebody has looked again
    record_books(floor.office, work_out_books(floor.office))
    assert alarms(floor) == []
    floor.check_books()


def test_of_many_faults_some_are_told_and_all_are_counted() -> None:
    finding = Finding()
    finding.add(Fault("prices", f"ticket {number % (2 * LISTED)}") for number in range(2 * LISTED))
    finding.add([Fault("prices", "ticket 1")])  # was told
    assert (len(list(finding)), len(finding)) == (LISTED, 2 * LISTED)
    both = Finding()
    both.merge(finding)
    both.merge(finding)
    assert len(list(both)) == LISTED


@pytest.mark.rule("X-audit-books")
def test_an_entry_has_room_for_a_house_in_which_everything_is_wrong(floor: Floor) -> None:
    busy(floor)
    worked = work_out_books(floor.office)
    for name, finding in worked.found.items():
        finding.add(Fault(name, f"{number} " + "x" * 400) for number in range(100))
    record_books(floor.office, worked)
    (told,) = bodies(floor, "BOOKS")
    assert told["faults"] == 100 * len(worked.found)
    assert {len(faults) for faults in told["checks"].values()} == {TOLD}


# ---- every night ---------------------------------------------------------------------------------


@dataclass
class Process:
    """A process that works the books out when it is told to, as a test wants it."""

    floor: Floor
    ended: int | None = None
    told_to_stop: bool = False

    def poll(self) -> int | None:
        return self.ended

    def terminate(self) -> None:
        self.told_to_stop, self.ended = True, -15

    def wait(self) -> int:
        assert self.ended is not None
        return self.ended

    def finish(self) -> None:
        record_books(self.floor.office, work_out_books(self.floor.office))
        self.ended = 0


@dataclass
class Night:
    """Who has the books worked out, and the processes that were started for it."""

    floor: Floor
    counted: float = 0.0
    started: list[Process] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nightly = Nightly(self.floor.office, self._start, lambda: self.counted)

    def _start(self) -> Process:
        self.started.append(Process(self.floor))
        return self.started[-1]


@pytest.fixture
def night(floor: Floor) -> Night:
    return Night(floor)


@pytest.mark.rule("X-audit-books")
def test_the_books_are_worked_out_once_a_gaming_day_beside_the_games(
    floor: Floor, night: Night
) -> None:
    caller = new_caller(floor, "first")
    caller.nightly = night.nightly
    for _ in range(3):
        caller.turn()
    assert len(night.started) == 1
    floor.lock()
    caller.turn()  # games go on
    caller.finish_grading()
    assert floor.state(1) == "certified"
    night.started[0].finish()
    for _ in range(3):
        caller.turn()
    assert len(night.started) == 1
    floor.pass_time(hours=24)
    night.counted += 24 * 3600
    night.nightly.mind()
    night.nightly.mind()
    assert len(night.started) == 2
    night.started[1].finish()
    days = [body["gaming_day"] for body in bodies(floor, "BOOKS")]
    assert days == ["2026-11-16", "2026-11-17"]
    Nightly(floor.office, night._start).mind()  # noqa: SLF001  another caller has taken over
    assert len(night.started) == 2


@pytest.mark.rule("X-audit-books", "X-recovery")
def test_one_that_died_is_started_again_and_not_at_once(floor: Floor, night: Night) -> None:
    night.nightly.mind()
    night.started[0].ended = -9
    night.nightly.mind()
    night.nightly.mind()
    assert len(night.started) == 1
    night.counted += AGAIN_SECONDS
    night.nightly.mind()
    assert len(night.started) == 2
    night.nightly.mind()  # it runs
    assert len(night.started) == 2
    night.nightly.stop()
    assert night.started[1].told_to_stop
    night.nightly.stop()  # it has ended
    assert bodies(floor, "BOOKS") == []


# ---- as a process --------------------------------------------------------------------------------


START_SECONDS = 60
WAITS_FOR_POSTINGS = """SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND relation = 'posting'::regclass AND datname = current_database()"""


@pytest.fixture
def settings(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of the floor, for processes that are started."""
    folder = floor.ceremony.parent
    url = floor.office.database.url.render_as_string(hide_password=False)
    monkeypatch.setenv("KENO_DATABASE", url)
    monkeypatch.setenv("KENO_KEYS", str(folder / "keys"))
    monkeypatch.setenv("KENO_PUBLIC", str(floor.ceremony / "public"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.mark.rule("X-audit-books")
@pytest.mark.usefixtures("settings")
def test_a_process_of_its_own_works_the_books_out_and_records_them(floor: Floor) -> None:
    busy(floor)
    floor.play()
    running = start_books()
    assert running.wait() == 0
    (told,) = bodies(floor, "BOOKS")
    assert (told["faults"], told["software"]) == (0, software_hash())
    floor.check_books()


@pytest.mark.rule("X-audit-books")
@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_whoever_has_had_enough_stops_it_and_nothing_was_changed(floor: Floor) -> None:
    """Nothing keeps a reader of SQLite waiting until it is stopped."""
    busy(floor)
    command = [sys.executable, "-m", "app.cli", "books", "--record", "--progress"]
    with floor.office.database.writing() as connection:
        connection.exec_driver_sql("LOCK TABLE posting IN ACCESS EXCLUSIVE MODE")
        running = subprocess.Popen(command, stderr=subprocess.PIPE)  # noqa: S603  our own
        until(
            lambda: connection.exec_driver_sql(WAITS_FOR_POSTINGS).first() or running.poll(),
            "it never came to the postings",
        )
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, told = running.communicate()
    assert (running.returncode, told) == (-signal.SIGINT, b"")
    assert bodies(floor, "BOOKS") == []
    floor.check_books()
