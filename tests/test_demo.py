"""`make run`: the demonstration house for real, stopped and started again, with a whole shift."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from app import demo
from rng.serve.protocol import Refused

ROOT = Path(__file__).parent.parent
SECONDS = 60


@contextmanager
def running(
    folder: Path, url: str, port: int, interval: int = 3600
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the house in a folder until the test is done with it."""
    environment = os.environ | {"KENO_DATABASE": url, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "app.demo", "--port", str(port), "--interval"]
    command.append(str(interval))
    house = subprocess.Popen(command, cwd=folder, env=environment)  # noqa: S603  our own module
    try:
        yield house
    finally:
        house.send_signal(signal.SIGINT)
        assert house.wait(SECONDS) == 0


def wait_until_ready(address: str) -> dict[str, str]:
    end = time.monotonic() + SECONDS
    while True:
        try:
            with urlopen(f"{address}/readyz") as answer:  # noqa: S310  loopback
                return dict(json.load(answer))
        except OSError:
            assert time.monotonic() < end, "the house did not come up"
            time.sleep(0.1)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_the_demonstration_house_runs_a_shift_is_stopped_and_goes_on(
    tmp_path: Path, empty_url: str
) -> None:
    (tmp_path / "docs").mkdir()
    script = tmp_path / "docs" / "try_it.py"
    script.write_text((ROOT / "docs" / "try_it.py").read_text())
    (tmp_path / "wsgi.py").write_text((ROOT / "wsgi.py").read_text())
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    for shift in (1, 2):
        with running(tmp_path, empty_url, port):
            assert wait_until_ready(address)["status"] == "ready"
            done = subprocess.run(  # noqa: S603  our own script
                [sys.executable, str(script)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert f"Ticket {3 * shift - 1}-" in done.stdout
            assert "over or short: 0 cents" in done.stdout
            with urlopen(address) as page:
                assert b"Demonstration house" in page.read()
    assert (tmp_path / "var" / "demo.json").stat().st_mode & 0o777 == 0o600
    check(tmp_path, empty_url)


def check(folder: Path, url: str) -> None:
    """Check books and log with the commands, from the folder of the house."""
    environment = os.environ | {"KENO_DATABASE": url, "PYTHONPATH": str(ROOT)}
    for command in (["books"], ["log", "verify"]):
        keno = [sys.executable, "-m", "app.cli", *command]
        checked = subprocess.run(keno, env=environment, cwd=folder, check=False)  # noqa: S603
        assert checked.returncode == 0


def results(address: str) -> list[dict[str, object]]:
    with urlopen(f"{address}/results.json") as answer:  # noqa: S310  loopback
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
def test_every_process_of_the_house_can_be_killed_and_games_go_on(
    tmp_path: Path, empty_url: str
) -> None:
    (tmp_path / "wsgi.py").write_text((ROOT / "wsgi.py").read_text())
    port = free_port()
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
        before = certified()
        wait_for(lambda: certified() > before)
        games = results(address)
        assert {game["state"] for game in games[1:]} == {"certified"}
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
