"""Processes that are kept running, and those that they have started themselves."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.supervise import Process, stop_all

# A web server, as far as this is concerned: it has a worker, and does not outlive being killed.
STARTS_ANOTHER = """
import subprocess, sys, time
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1] + ".part", "w") as file:
    file.write(str(worker.pid))
import os
os.rename(sys.argv[1] + ".part", sys.argv[1])
time.sleep(600)
"""


def wait_until_gone(process: int) -> None:
    """Or dead; whoever inherited it may not have looked yet."""
    until = time.monotonic() + 60
    while state_of(process) not in "ZX":
        assert time.monotonic() < until
        time.sleep(0.01)


def state_of(process: int) -> str:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


@pytest.mark.rule("X-recovery")
def test_nothing_that_a_killed_process_had_started_goes_on_beside_the_next_one(
    tmp_path: Path,
) -> None:
    """It would listen at the same place, and answer with what was then."""
    told = tmp_path / "worker"
    recorded: list[str] = []
    command = [sys.executable, "-c", STARTS_ANOTHER, str(told)]
    process = Process("web", command, record=recorded.append)
    process.start()
    try:
        while not told.exists():
            time.sleep(0.01)
        worker, before = int(told.read_text()), process.pid
        assert before is not None
        os.kill(before, signal.SIGKILL)
        while not recorded:
            process.mind()
            time.sleep(0.01)
        wait_until_gone(worker)
        assert recorded == [f"web ended with -{signal.SIGKILL.value}; it starts again"]
    finally:
        stop_all([process])


# It supervises one process, and is killed.
SUPERVISES = """
import sys, time
from app.supervise import Process
process = Process("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"])
process.start()
print(process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.rule("X-recovery")
def test_a_process_ends_with_whoever_started_it_even_if_that_is_killed() -> None:
    command = [sys.executable, "-c", SUPERVISES]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:  # noqa: S603  our own
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert state_of(child) not in "ZX"
        assert os.getsid(child) == child  # so that a Ctrl-C at the terminal is not for it
        parent.kill()
    wait_until_gone(child)


# It ends when it is asked to and another one was asked as well; of that it leaves a sign.
ENDS_TOGETHER = """
import pathlib, signal, sys, time
own, other = map(pathlib.Path, sys.argv[1:])
def end(*_):
    own.with_suffix(".asked").touch()
    while not other.with_suffix(".asked").exists():
        time.sleep(0.01)
    own.with_suffix(".ended").touch()
    sys.exit()
signal.signal(signal.SIGTERM, end)
own.touch()
time.sleep(600)
"""


@pytest.mark.rule("X-recovery")
def test_processes_are_stopped_side_by_side_and_what_does_not_end_is_killed(tmp_path: Path) -> None:
    one, other, stubborn = (tmp_path / name for name in ("one", "other", "stubborn"))
    pairs = ((one, other), (other, one), (stubborn, tmp_path / "nobody"))
    processes = [
        Process(own.name, [sys.executable, "-c", ENDS_TOGETHER, str(own), str(peer)])
        for own, peer in pairs
    ]
    for process in processes:
        process.start()
    while not all(own.exists() for own, _ in pairs):
        time.sleep(0.01)
    pids = [process.pid or 0 for process in processes]
    stop_all(processes[:2], seconds=60)
    stop_all(processes[2:], seconds=0.2)
    assert {state_of(pid) for pid in pids} <= {"Z", "X"}
    ended = {path.stem for path in tmp_path.glob("*.ended")}
    assert ended == {"one", "other"}
