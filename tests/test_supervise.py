"""Processes that are kept running, and those that they have started themselves."""

import os
import signal
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
