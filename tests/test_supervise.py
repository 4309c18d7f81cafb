"""Processes that are kept running, and those that they have started themselves."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.supervise import Process, stop_all
from tests.waiting import until

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
    until(lambda: state_of(process) in "ZX")


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
        until(told.exists)
        worker, before = int(told.read_text()), process.pid
        assert before is not None
        os.kill(before, signal.SIGKILL)

        def minded() -> list[str]:
            process.mind()
            return recorded

        until(minded)
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
    until(lambda: all(own.exists() for own, _ in pairs))
    pids = [process.pid or 0 for process in processes]
    stop_all(processes[:2], seconds=60)
    stop_all(processes[2:], seconds=0.2)
    assert {state_of(pid) for pid in pids} <= {"Z", "X"}
    ended = {path.stem for path in tmp_path.glob("*.ended")}
    assert ended == {"one", "other"}
