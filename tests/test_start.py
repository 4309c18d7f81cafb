"""`make run` is refused at once where it cannot work, and then nothing has changed."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest

from app.demo import PLAN
from app.flow.schedule import INTERVAL_LEAST, INTERVAL_MOST
from app.start import INTERVALS, LISTENERS, LOCK, NotStarted, only_house, ports_from
from tests.demonstration import PORTS, ROOT, wait_for
from tests.ports import free_ports

# A house as far as its lock is concerned: it waits to be killed, and its child ends with it.
HOLDS_THE_LOCK = """
import sys, time
from app.start import only_house, ports_from
with only_house(ports_from(int(sys.argv[1])), bool):
    print("started", flush=True)
    time.sleep(600)
"""


def started(folder: Path, port: int, interval: int = 240) -> "subprocess.CompletedProcess[str]":
    """Start a house that is refused."""
    return subprocess.run(  # noqa: S603  our own program
        [sys.executable, "-m", "app.start", "--port", str(port), "--interval", str(interval)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def assert_refused(done: "subprocess.CompletedProcess[str]", *words: str) -> None:
    """Exit code 2 and one sentence."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    for word in words:
        assert word in done.stderr


def listen(port: int, host: str = "127.0.0.1", *, shared: bool = False) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, reuse_port=shared)


@pytest.fixture(scope="module")
def port() -> int:
    return free_ports(PORTS)


@pytest.mark.parametrize("listener", LISTENERS)
def test_a_start_on_a_port_in_use_is_refused_before_anything_changes(
    tmp_path: Path, port: int, listener: str
) -> None:
    taken = ports_from(port)[listener]
    with listen(taken):
        done = started(tmp_path, port)
    assert_refused(done, f"Port {taken} ({listener}) is in use;", "make run PORT=")
    assert list(tmp_path.iterdir()) == []


def addresses() -> Iterator[str]:
    """Those that this machine has; not every machine has IPv6."""
    for host in ("127.0.0.1", "0.0.0.0", "::1", "::"):  # noqa: S104  listening for a moment
        with suppress(OSError):
            listen(0, host).close()
            yield host


@pytest.mark.parametrize("host", list(addresses()))
@pytest.mark.parametrize("shared", [True, False])
def test_a_port_counts_as_in_use_however_something_listens_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int, host: str, *, shared: bool
) -> None:
    """As granian does, which shares its port; on all addresses; or where `localhost` leads too."""
    monkeypatch.chdir(tmp_path)
    with listen(port, host, shared=shared), pytest.raises(NotStarted, match=f"Port {port} "):
        enter(port)


def enter(port: int, stopped: Callable[[], bool] = bool) -> None:
    with only_house(ports_from(port), stopped):
        pass


def test_the_ports_that_a_refusal_proposes_are_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with ExitStack() as busy:
        for taken in (port, port + 107):
            busy.enter_context(listen(taken))
        with pytest.raises(NotStarted) as refused:
            enter(port)
        proposed = int(str(refused.value).rpartition("PORT=")[2])
        assert proposed not in range(port + 100, port + 108)
        enter(proposed)


@pytest.mark.parametrize("port", [0, -1, 65_530, 99_999])
def test_a_start_on_a_port_that_there_is_not_is_refused(tmp_path: Path, port: int) -> None:
    assert_refused(started(tmp_path, port), f"no port {port};", "make run PORT=")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("interval", [INTERVAL_LEAST - 1, INTERVAL_MOST + 1])
def test_a_start_with_an_interval_that_games_cannot_have_is_refused(
    tmp_path: Path, port: int, interval: int
) -> None:
    assert_refused(started(tmp_path, port, interval), f"be {interval} seconds apart", "INTERVAL=")
    assert list(tmp_path.iterdir()) == []
    assert (INTERVALS[0], INTERVALS[-1]) == (INTERVAL_LEAST, INTERVAL_MOST)


def test_a_port_is_free_while_old_connections_to_it_time_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with listen(port) as listening, socket.create_connection(("127.0.0.1", port)) as client:
        accepted, _ = listening.accept()
        accepted.close()  # whoever closes first has the connection time out at its end
        assert client.recv(1) == b""
    enter(port)


@pytest.mark.rule("X-recovery")
def test_a_second_start_in_a_folder_is_refused_and_touches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with only_house(ports_from(port), bool), listen(port):
        before = state_of(tmp_path)
        for other in (port, port + PORTS):
            done = started(tmp_path, other)
            assert_refused(done, f"(process {os.getpid()})", "stop it first")
        assert state_of(tmp_path) == before


def state_of(folder: Path) -> dict[Path, tuple[int, bytes]]:
    """Every file and folder, when it was written to last, and what is in it."""
    paths = [folder, *folder.rglob("*")]
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in paths
    }


def test_a_start_in_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "var").touch()
    with pytest.raises(NotStarted, match="var cannot be used: File exists"):
        enter(port)


@pytest.fixture
def killed(tmp_path: Path, port: int) -> None:
    """A house was killed in this folder."""
    with subprocess.Popen(  # noqa: S603  our own program
        [sys.executable, "-c", HOLDS_THE_LOCK, str(port)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    ) as house:
        assert house.stdout is not None
        assert house.stdout.readline() == b"started\n"
        house.send_signal(signal.SIGKILL)
        house.wait()


@pytest.mark.rule("X-recovery")
@pytest.mark.usefixtures("killed")
def test_a_start_waits_for_the_ports_of_a_house_that_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.chdir(tmp_path)
    assert LOCK.read_text()
    with listen(port) as left_behind:

        def stopped() -> bool:
            left_behind.close()  # while the start waits
            return False

        enter(port, stopped)
    assert LOCK.read_text() == ""


@pytest.mark.usefixtures("killed")
def test_a_start_that_waits_for_ports_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("app.start.FREE_SECONDS", 600)
    with listen(port):
        enter(port, lambda: True)  # and what follows sees that it is to stop
    assert LOCK.read_text() == ""


@pytest.mark.rule("X-recovery")
def test_an_early_signal_ends_a_start_cleanly(tmp_path: Path, port: int) -> None:
    """As soon as the process handles signals: long before the product is loaded."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with subprocess.Popen(  # noqa: S603  our own program
            [sys.executable, "-m", "app.start", "--port", str(port)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as house:
            wait_for(partial(handles, house.pid, signal.SIGTERM))
            house.send_signal(number)
            house.send_signal(number)
            said, _ = house.communicate(timeout=60)
        assert house.returncode == 0, said
        assert said == ""


def handles(process: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{process}/status").read_text()
    (mask,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_every_station_of_the_demonstration_house_has_a_port_for_its_printer() -> None:
    stations = {station for place in PLAN.locations for station in place.stations}
    assert stations | {"web", "feed", "pictures", "RNG"} == set(LISTENERS)
