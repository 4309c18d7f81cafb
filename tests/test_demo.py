"""`make run`: the demonstration house for real, stopped and started again, with a whole shift."""

import json
import os
import re
import signal
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from app import demo
from app.flow.codes import validation_code
from app.flow.day import gaming_day
from app.flow.found_house import HousePlan
from app.flow.keys import read_keys
from app.start import LISTENERS
from app.store.database import Database
from app.store.queries import tickets, watching
from rng.serve.protocol import Refused
from tests.demonstration import (
    ANSWER,
    ENDED_BY_ALARM,
    READY,
    SECONDS,
    Demonstration,
    assert_no_fault,
    processes_in,
    read_json,
    results,
    running,
    wait_for,
)
from tests.doc_blocks import DEMONSTRATION, share_of, typed
from tests.prometheus import Read, number, read_metrics

PROCESSES = ("caller", "feed", "reporter", "spooler", "web")
# What a start says, in order, when nothing of the house is there.
STEPS = (
    "Preparing the database",
    "Founding the demonstration house",
    "the keys of inspector",
    "the keys of rng",
    "the journal of inspector",
    "the journal of rng",
    "Setting games and printers",
    "Starting printers",
    "Starting inspector",
    "Starting rng",
    "Starting web",
    "Starting caller",
    "Starting feed",
    "Starting spooler",
    "Starting reporter",
    READY,
)
SCRIPT = ("-u", "docs/try_it.py")


# ---- one house, which is stopped at a few moments before it runs ---------------------------------


def interrupted(
    house: Demonstration, step: str, *, killed: bool = False, within: float = SECONDS
) -> None:
    """Start a house and end it at a step: by a signal, or by `kill -9`; nothing of it is left."""
    house.start()
    house.wait_until_it_says(step)
    if killed:
        house.send(signal.SIGKILL)
        assert house.wait_until_it_has_ended() == -signal.SIGKILL
        return
    sent = time.monotonic()
    if STEPS.index(step) % 2 == 0:
        house.send(signal.SIGTERM)
    else:
        house.press_control_c()
        house.press_control_c()
    assert house.wait_until_it_has_ended() in {0, ENDED_BY_ALARM}
    assert time.monotonic() - sent < within
    assert_no_fault(house)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demonstration]:
    """A house that runs, on SQLite; its first starts were ended half-way."""
    house = Demonstration(tmp_path_factory.mktemp("demonstration"), interval=40)
    interrupted(house, "Starting rng")
    interrupted(house, "Starting inspector", killed=True)
    with running(house):
        yield house


@pytest.mark.rule("X-recovery")
def test_a_start_that_was_ended_half_way_resumes_and_says_where_the_house_is(
    house: Demonstration,
) -> None:
    """Its address when it answers there, and not before; each port, and how to sign in."""
    assert read_json(f"{house.address}/readyz")["status"] == "ready"
    told = house.told
    assert told["address"] == house.address
    assert told["feed"] == f"http://localhost:{house.ports['feed']}/events"
    assert told["printer"] == f"http://localhost:{house.ports['pictures']}/"
    assert (house.folder / "var" / "demo.json").stat().st_mode & 0o777 == 0o600
    listed = [*(str(house.ports[name]) for name in LISTENERS), *house.secrets.values()]
    listed += [station["enrolment"] for station in told["stations"]]
    assert [each for each in listed if each not in house.said] == []
    assert "127.0.0.1" not in house.said
    with urlopen(house.address, timeout=ANSWER) as page:  # noqa: S310  loopback
        assert b"Demonstration house" in page.read()
        assert (
            f"connect-src 'self' http://localhost:{house.ports['feed']};"
            in page.headers["Content-Security-Policy"]
        )
    wait_for(lambda: answers(told["feed"]))  # it is a process of its own, and may come up later
    with urlopen(told["feed"], timeout=ANSWER) as feed:  # noqa: S310  loopback
        assert feed.headers["Content-Type"] == "text/event-stream"


def answers(address: str) -> bool:
    """Whether somebody listens at an address."""
    try:
        urlopen(address, timeout=ANSWER).close()  # noqa: S310  loopback
    except OSError:
        return False
    return True


class Browser:
    """A work station in a browser, as far as the house sees it."""

    def __init__(self, house: Demonstration, station: str) -> None:
        self._house, self.headers = house, {"Content-Type": "application/json"}
        (place,) = (each for each in house.told["stations"] if each["code"] == station)
        self.headers["X-Station"] = self.ask("stations/enrol", place)["station_token"]

    def sign_in(self, name: str) -> None:
        signed_in = self.ask("sign-in", {"name": name, "secret": self._house.secrets[name]})
        self.headers["Authorization"] = f"Bearer {signed_in['token']}"

    def ask(self, path: str, body: dict[str, object]) -> dict[str, str]:
        headers = self.headers | {"Idempotency-Key": str(uuid.uuid4())}
        url = f"{self._house.address}/api/v1/{path}"
        with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=ANSWER) as answer:  # noqa: S310  loopback
            return dict(json.load(answer))


@pytest.mark.rule("X-drawer", "X-recovery")
def test_the_script_works_whatever_was_done_in_browsers_and_by_the_script_before(
    house: Demonstration,
) -> None:
    """Two stations are enrolled, sam is signed in, wanda has a drawer; then a run is killed."""
    desk, bar = Browser(house, "B1"), Browser(house, "S1")
    bar.sign_in("sam")
    desk.sign_in("wanda")
    verifier = {"name": "max", "secret": house.secrets["max"]}
    desk.ask("drawers", {"counted": {"currency": 50_000}, "verifier": verifier})
    sent_off = house.folder / "script.txt"
    with sent_off.open("w") as output, house.begin(sys.executable, *SCRIPT, output=output) as run:
        wait_for(lambda: "is open at B3" in sent_off.read_text() or run.poll() is not None)
        run.kill()
    assert "is open at B3" in sent_off.read_text()
    for is_first in (True, False):
        done = house.run(sys.executable, *SCRIPT)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "over or short: 0 cents" in done.stdout
        assert ("left open by an earlier run" in done.stdout) is is_first


def test_the_commands_for_the_demonstration_house(house: Demonstration) -> None:
    """Those of the first page and of the page about paper, in a house that runs."""
    (house.folder / ".venv").symlink_to(sys.prefix)
    lines = [line for block in share_of(DEMONSTRATION) for line in block.splitlines()]
    script = "\n".join(["set -e", *(typed(line, house.secrets) for line in lines)])
    script = script.replace("localhost:8000", f"localhost:{house.port}")
    script = script.replace("localhost:8002", f"localhost:{house.ports['pictures']}")
    today = gaming_day(datetime.now(UTC), HousePlan.time_zone, HousePlan.day_starts_minutes)
    script = re.sub(r"2026-12-\d\d", today.isoformat(), script)
    wait_for(lambda: results(house.address))
    done = house.run("bash", "-c", script)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "over or short: 0 cents" in done.stdout
    assert "sound: " in done.stdout
    assert '"games"' in done.stdout
    assert (house.folder / "winning-numbers.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.rule("X-recovery")
def test_a_keyed_process_that_refuses_to_be_unlocked_ends_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refusing:
        def __init__(self, address: object) -> None:
            pass

        def call(self, *_: object) -> None:
            raise Refused("key.failed", "The journal is damaged.", {})

        def close(self) -> None:
            pass

    monkeypatch.setattr(demo, "Client", Refusing)
    monkeypatch.setattr(demo, "START_SECONDS", 0.2)
    demo._unlock("rng", bool)  # noqa: SLF001
    monkeypatch.setattr(demo, "START_SECONDS", 600)
    demo._unlock("rng", lambda: True)  # noqa: SLF001  told to stop: it is not waited for


# ---- the long evidence ---------------------------------------------------------------------------


@pytest.mark.proof
@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_a_house_that_is_ended_at_any_step_of_its_start_resumes(
    tmp_path: Path, *, killed: bool
) -> None:
    """Each start gets one step further than the one before; none leaves a process behind."""
    house = Demonstration(tmp_path / "house")
    for step in STEPS:
        interrupted(house, step, killed=killed, within=10)
    with running(house):
        assert house.run(sys.executable, *SCRIPT).returncode == 0
    check(house)


@pytest.mark.proof
@pytest.mark.rule("X-ticket-exactly-once")
def test_two_houses_in_two_folders_run_beside_each_other_and_print(tmp_path: Path) -> None:
    """With the same settings, but for their ports."""
    with ExitStack() as both:
        for name in ("one", "other"):
            house = both.enter_context(running(Demonstration(tmp_path / name)))
            # It reads the code of a ticket off the paper that was printed.
            done = house.run(sys.executable, *SCRIPT)
            assert "is void" in done.stdout, done.stdout + done.stderr
            papers = read_json(f"{house.told['printer']}papers.json")
            assert papers["S1"] >= 4, house.said  # tickets and counts


def metrics(address: str) -> Read:
    with urlopen(f"{address}/metrics", timeout=ANSWER) as figures:  # noqa: S310  loopback
        return read_metrics(figures.read().decode())


def count_of(address: str, process: str) -> int:
    """How many processes of a kind have told of themselves."""
    try:
        return number(metrics(address), "keno_processes", process=process)
    except LookupError:
        return 0


@pytest.mark.proof
@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_the_demonstration_house_runs_a_shift_is_stopped_and_goes_on(
    tmp_path: Path, empty_url: str
) -> None:
    house = Demonstration(tmp_path / "house", url=empty_url, environment={"KENO_LOG": "json"})
    for shift in (1, 2):
        with running(house):
            done = house.run(sys.executable, *SCRIPT)
            assert done.returncode == 0, done.stdout + done.stderr
            assert f"Ticket {3 * shift - 1}-" in done.stdout
            assert "over or short: 0 cents" in done.stdout
            wait_for(lambda: all(count_of(house.address, process) for process in PROCESSES))
            told = metrics(house.address)
            assert number(told, "keno_tickets_total") == 3 * shift
            # What a process has counted stays when it is started again.
            assert number(told, "keno_act_seconds", "_count", act="sale") == 3 * shift
    check(house)
    check_logged(house)


# What the two keyed processes write, which have nothing of ours.
PLAIN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} .*")


def check_logged(house: Demonstration) -> None:
    """Check that every process spoke in one form, and that nothing that was said is a secret."""
    text = house.logged
    lines = [json.loads(line) for line in text.splitlines() if not PLAIN.fullmatch(line)]
    assert all({"time", "process", "pid", "level", "event"} <= line.keys() for line in lines)
    spoke = {line["process"] for line in lines if line["event"] == "process.started"}
    # The caller has the books worked out when it comes to it, by a process of their own.
    assert spoke - {"books"} == {"demonstration", "caller", "feed", "reporter", "spooler", "web"}
    sales = [line for line in lines if line.get("route") == "/api/v1/tickets"]
    assert {(line["station"], line["staff"]) for line in sales} == {("S1", "WALT")}
    assert all(line["request"] for line in sales)
    secrets = list(house.secrets.values())
    secrets += [station["enrolment"] for station in house.told["stations"]]
    secrets += [phrase for phrases in demo.HOLDERS.values() for phrase in phrases.values()]
    keys = read_keys(house.folder / "var" / "keys")
    with closing(Database(house.url)) as database, database.reading() as connection:
        for sold in range(1, watching.tickets_sold(connection) + 1):
            ticket = tickets.ticket(connection, sold)
            assert ticket is not None
            secrets.append(validation_code(keys, ticket.code_key, sold, ticket.leaf))
    assert [secret for secret in secrets if secret in text] == []


def check(house: Demonstration) -> None:
    """Check books and log with the commands, from the folder of the house."""
    for command in (["books"], ["log", "verify"]):
        checked = house.run(sys.executable, "-m", "app.cli", *command)
        assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.proof
@pytest.mark.rule("X-recovery", "X-draw-once", "X-draw-public")
def test_every_process_of_the_house_can_be_killed_and_games_go_on(
    tmp_path: Path, empty_url: str
) -> None:
    house = Demonstration(tmp_path / "house", url=empty_url, interval=10)

    def certified() -> int:
        return sum(game["state"] == "certified" for game in results(house.address))

    with running(house):
        wait_for(lambda: certified() >= 1)
        started = {}
        for words in (" caller", " rng serve", " inspector serve", " feed", "granian"):
            killed = process_of(house, words)
            assert killed, f"there is no process with {words}"
            os.kill(killed, signal.SIGKILL)
            wait_for(lambda: process_of(house, words) not in (0, killed))  # noqa: B023
            started[words] = process_of(house, words)
        # Nothing of the web server that was killed answers any more.
        wait_for(lambda: read_json(f"{house.address}/readyz")["status"] == "ready")
        before = certified()
        wait_for(lambda: certified() > before)
        wait_for(lambda: {game["state"] for game in results(house.address)[1:]} == {"certified"})
        # A process dies of its own kill only, not of a peer's that hung up on it.
        assert {words: process_of(house, words) for words in started} == started
    check(house)
    verify = [sys.executable, "-m", "rng", "rng", "verify", "var/rng/journal.jsonl"]
    verified = house.run(*verify, "--keys", "var/public")
    assert verified.returncode == 0, verified.stderr


def process_of(house: Demonstration, words: str) -> int:
    """The process that the house started with these words in its command."""
    for process, command in processes_in(house.folder):
        stat = Path(f"/proc/{process}/stat")
        if words in command and int(stat.read_text().rpartition(")")[2].split()[1]) == house.pid:
            return process
    return 0
