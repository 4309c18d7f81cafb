"""`make run`: the demonstration house for real, stopped and started again, with a whole shift."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.request import urlopen

import pytest

from app import demo
from app.flow.access import at_console
from app.flow.codes import validation_code
from app.flow.day import gaming_day
from app.flow.found_house import HousePlan
from app.flow.keys import read_keys
from app.flow.office import Office
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.store.database import Database
from app.store.queries import games, tickets, watching
from rng.serve.protocol import Refused
from tests.doc_blocks import DEMONSTRATION, share_of, typed
from tests.engines import ENGINES
from tests.ports import free_ports
from tests.prometheus import Read, number, read_metrics

# Every kill takes its time: once a day, and on both engines in the long evidence.
EVERY_DAY = ENGINES if os.environ.get("HYPOTHESIS_PROFILE") == "proof" else ["postgresql"]
ROOT = Path(__file__).parent.parent
ANSWER = 20  # seconds for one answer; whoever knocks before anybody listens may hear nothing ever
PORTS = 20  # that a house may use, one after the other
PROCESSES = ("caller", "feed", "reporter", "spooler", "web")
SECONDS = 180  # until something is given up, on a machine that has other work as well


@contextmanager
def running(
    folder: Path, url: str, port: int, interval: int = 3600, said: Path | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the house in a folder until the test is done with it; what it says goes into a file."""
    environment = os.environ | {"KENO_DATABASE": url, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "app.demo", "--port", str(port), "--interval"]
    command.append(str(interval))
    with ExitStack() as stack:
        lines = None if said is None else stack.enter_context(said.open("a"))
        if lines is not None:
            environment["KENO_LOG"] = "json"
        house = subprocess.Popen(command, cwd=folder, env=environment, stderr=lines)  # noqa: S603
        try:
            yield house
        finally:
            house.send_signal(signal.SIGINT)
            assert house.wait(SECONDS) == 0


def metrics(address: str) -> Read:
    with urlopen(f"{address}/metrics", timeout=ANSWER) as figures:  # noqa: S310  loopback
        return read_metrics(figures.read().decode())


def count_of(address: str, process: str) -> int:
    """How many processes of a kind have told of themselves."""
    try:
        return number(metrics(address), "keno_processes", process=process)
    except LookupError:
        return 0


def wait_until_ready(address: str) -> dict[str, str]:
    end = time.monotonic() + SECONDS
    while True:
        try:
            with urlopen(f"{address}/readyz", timeout=ANSWER) as answer:  # noqa: S310  loopback
                return dict(json.load(answer))
        except OSError:
            assert time.monotonic() < end, "the house did not come up"
            time.sleep(0.1)


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_the_demonstration_house_runs_a_shift_is_stopped_and_goes_on(
    tmp_path: Path, empty_url: str
) -> None:
    (tmp_path / "docs").mkdir()
    script = tmp_path / "docs" / "try_it.py"
    script.write_text((ROOT / "docs" / "try_it.py").read_text())
    (tmp_path / "wsgi.py").write_text((ROOT / "wsgi.py").read_text())
    port = free_ports(PORTS)
    address = f"http://127.0.0.1:{port}"
    for shift in (1, 2):
        with running(tmp_path, empty_url, port, said=tmp_path / "said.jsonl"):
            assert wait_until_ready(address)["status"] == "ready"
            done = subprocess.run(  # noqa: S603  our own script
                [sys.executable, str(script)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert f"Ticket {3 * shift - 1}-" in done.stdout
            assert "over or short: 0 cents" in done.stdout
            with urlopen(address, timeout=ANSWER) as page:
                assert b"Demonstration house" in page.read()
            wait_for(lambda: all(count_of(address, process) for process in PROCESSES))
            told = metrics(address)
            assert number(told, "keno_tickets_total") == 3 * shift
            # What a process has counted stays when it is started again.
            assert number(told, "keno_act_seconds", "_count", act="sale") == 3 * shift
    assert (tmp_path / "var" / "demo.json").stat().st_mode & 0o777 == 0o600
    check(tmp_path, empty_url)
    check_said(tmp_path, empty_url)


# What the two keyed processes write, which have nothing of ours.
PLAIN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} .*")


def check_said(folder: Path, url: str) -> None:
    """Check that every process spoke in one form, and that nothing that was said is a secret."""
    text = (folder / "said.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines() if not PLAIN.fullmatch(line)]
    assert all({"time", "process", "pid", "level", "event"} <= line.keys() for line in lines)
    spoke = {line["process"] for line in lines if line["event"] == "process.started"}
    # The caller has the books worked out when it comes to it, by a process of their own.
    assert spoke - {"books"} == {"demonstration", "caller", "feed", "reporter", "spooler", "web"}
    sales = [line for line in lines if line.get("route") == "/api/v1/tickets"]
    assert {(line["station"], line["staff"]) for line in sales} == {("B1", "WANDA")}
    assert all(line["request"] for line in sales)
    told = json.loads((folder / "var" / "demo.json").read_text())
    secrets = [user["secret"] for user in told["users"]]
    secrets += [station["enrolment"] for station in told["stations"]]
    secrets += [phrase for phrases in demo.HOLDERS.values() for phrase in phrases.values()]
    keys = read_keys(folder / "var" / "keys")
    with closing(Database(url)) as database, database.reading() as connection:
        for sold in range(1, watching.tickets_sold(connection) + 1):
            ticket = tickets.ticket(connection, sold)
            assert ticket is not None
            secrets.append(validation_code(keys, ticket.code_key, sold, ticket.leaf))
    assert [secret for secret in secrets if secret in text] == []


def check(folder: Path, url: str) -> None:
    """Check books and log with the commands, from the folder of the house."""
    environment = os.environ | {"KENO_DATABASE": url, "PYTHONPATH": str(ROOT)}
    for command in (["books"], ["log", "verify"]):
        keno = [sys.executable, "-m", "app.cli", *command]
        checked = subprocess.run(keno, env=environment, cwd=folder, check=False)  # noqa: S603
        assert checked.returncode == 0


def hold_the_open_game(folder: Path, secret: str) -> None:
    """Have it stay open: what is sold in it is voided by the page's own script, however slowly."""
    keys, url = read_keys(folder / "var" / "keys"), f"sqlite:///{folder / 'var' / 'keno.db'}"
    with closing(Office(Database(url), keys)) as office:
        with office.database.reading() as connection:
            game = games.open_game(connection, demo.SERIES)
        assert game is not None
        sam = at_console(office, "sam", secret, Permission.GAME_RUN)
        override_close(office, sam, demo.SERIES, game.number, None, "for the test")


def results(address: str) -> list[dict[str, object]]:
    with urlopen(f"{address}/results.json", timeout=ANSWER) as answer:  # noqa: S310  loopback
        return list(json.load(answer)["games"])


def process_of(house: "subprocess.Popen[bytes]", words: str) -> int:
    """The process that the house started with these words in its command."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            command = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if parent == house.pid and words in command:
                return int(stat.parent.name)
    return 0


def wait_for(happened: Callable[[], object]) -> None:
    end = time.monotonic() + SECONDS
    while True:
        with suppress(OSError):
            if happened():
                return
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


@pytest.mark.rule("X-recovery", "X-draw-once", "X-draw-public")
@pytest.mark.parametrize("empty_url", EVERY_DAY, indirect=True)
def test_every_process_of_the_house_can_be_killed_and_games_go_on(
    tmp_path: Path, empty_url: str
) -> None:
    (tmp_path / "wsgi.py").write_text((ROOT / "wsgi.py").read_text())
    port = free_ports(PORTS)
    address = f"http://127.0.0.1:{port}"

    def certified() -> int:
        return sum(game["state"] == "certified" for game in results(address))

    with running(tmp_path, empty_url, port, 10) as house:
        wait_until_ready(address)
        wait_for(lambda: certified() >= 1)
        started = {}
        for words in (" caller", " rng serve", " inspector serve", " feed", "granian"):
            killed = process_of(house, words)
            assert killed, f"there is no process with {words}"
            os.kill(killed, signal.SIGKILL)
            wait_for(lambda: process_of(house, words) not in (0, killed))  # noqa: B023
            started[words] = process_of(house, words)
        wait_until_ready(address)  # nothing of the web server that was killed answers any more
        before = certified()
        wait_for(lambda: certified() > before)
        wait_for(lambda: {game["state"] for game in results(address)[1:]} == {"certified"})
        # A process dies of its own kill only, not of a peer's that hung up on it.
        assert {words: process_of(house, words) for words in started} == started
    check(tmp_path, empty_url)
    verify = [sys.executable, "-m", "rng", "rng", "verify", "var/rng/journal.jsonl"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    verified = subprocess.run(  # noqa: S603  our own program
        [*verify, "--keys", "var/public"], cwd=tmp_path, env=environment, check=False
    )
    assert verified.returncode == 0


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
    demo._unlock("rng")  # noqa: SLF001


def test_the_commands_for_the_demonstration_house(tmp_path: Path) -> None:
    """Those of the first page and of the page about paper, in a house that runs."""
    for name in (".venv", "docs"):
        there = Path(sys.prefix) if name == ".venv" else ROOT / name
        (tmp_path / name).symlink_to(there)
    (tmp_path / "wsgi.py").write_text((ROOT / "wsgi.py").read_text())
    port, url = free_ports(PORTS), "sqlite:///var/keno.db"
    with running(tmp_path, url, port, 40):
        wait_until_ready(f"http://127.0.0.1:{port}")
        told = json.loads((tmp_path / "var" / "demo.json").read_text())
        secrets = {user["name"]: user["secret"] for user in told["users"]}
        lines = [line for block in share_of(DEMONSTRATION) for line in block.splitlines()]
        script = "\n".join(["set -e", *(typed(line, secrets) for line in lines)])
        script = script.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        today = gaming_day(datetime.now(UTC), HousePlan.time_zone, HousePlan.day_starts_minutes)
        script = re.sub(r"2026-12-\d\d", today.isoformat(), script)
        script = script.replace("http://127.0.0.1:8002", told["printer"].rstrip("/"))
        wait_for(lambda: results(f"http://127.0.0.1:{port}"))
        hold_the_open_game(tmp_path, secrets["sam"])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"KENO_DATABASE": url, "PYTHONPATH": str(ROOT), "PATH": path}
        done = subprocess.run(  # noqa: S603  the pages' own commands
            ["bash", "-c", script],  # noqa: S607  wherever the system has it
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "over or short: 0 cents" in done.stdout
    assert "sound: " in done.stdout
    assert '"games"' in done.stdout
    assert (tmp_path / "winning-numbers.pdf").read_bytes().startswith(b"%PDF")
