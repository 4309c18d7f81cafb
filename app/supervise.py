"""Processes that are kept running: one that dies starts again, with back-off, and on record."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from app.logs import Voice

log = Voice("keno.supervise")

STEADY_SECONDS = 30  # who ran so long starts again at once
BACK_OFF_MOST = 30.0
STOP_SECONDS = 3  # for processes that are stopped together
_PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>
_libc = ctypes.CDLL(None)


@dataclass
class Process:
    """One process: how it is started, and what is done once it runs."""

    name: str
    command: Sequence[str]
    afterwards: Callable[[], None] = lambda: None
    record: Callable[[str], None] = lambda _: None
    _running: "subprocess.Popen[bytes] | None" = None
    _started: float = 0.0
    _back_off: float = 0.0
    _not_before: float = field(default=0.0)

    def start(self) -> None:
        """Start it, from the main thread.

        In a session of its own: a Ctrl-C at the terminal would reach it as well as our own signal,
        and some programs do not survive a second one.
        """
        self._running = subprocess.Popen(  # noqa: S603  our own program
            self.command,
            start_new_session=True,
            preexec_fn=partial(_end_with, os.getpid()),  # noqa: PLW1509  no other thread runs
        )
        self._started = time.monotonic()
        self.afterwards()

    def mind(self) -> None:
        """Start it again if it has died, not more often than the back-off allows."""
        now = time.monotonic()
        if self._running is not None:
            code = self._running.poll()
            if code is None:
                return
            _end_group(self._running.pid)
            steady = now - self._started > STEADY_SECONDS
            self._back_off = 0.0 if steady else min(BACK_OFF_MOST, 2 * self._back_off + 0.5)
            self._not_before = now + self._back_off
            self._running = None
            why = f"{self.name} ended with {code}; it starts again"
            log.warning("process.ended", name=self.name, code=code)
            self.record(why)
        if now >= self._not_before:
            self.start()

    def ask_to_end(self) -> None:
        """Have it finish what it is doing, and end."""
        if self._running is not None:
            self._running.terminate()

    def end(self, by: float) -> None:
        """Wait for its end until then by the monotonic clock, and kill what is left of it."""
        if self._running is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self._running.wait(max(0.0, by - time.monotonic()))
        _end_group(self._running.pid)
        self._running.wait()

    @property
    def pid(self) -> int | None:
        """The id of the process, while it runs."""
        return None if self._running is None else self._running.pid


def stop_all(processes: Sequence[Process], seconds: float = STOP_SECONDS) -> None:
    """Stop processes side by side; kill those that have not ended after so many seconds."""
    for process in processes:
        process.ask_to_end()
    by = time.monotonic() + seconds
    for process in processes:
        process.end(by)


def _end_with(parent: int) -> None:
    """In a new process: have Linux send it SIGTERM when its parent ends, even if killed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before that
        os._exit(1)


def _end_group(leader: int) -> None:
    """End what a process has started: left behind it would listen on beside the next one."""
    with suppress(ProcessLookupError):  # there is nothing left of it
        os.killpg(leader, signal.SIGKILL)
