"""Processes that are kept running: one that dies starts again, with back-off, and on record."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from app.logs import Voice

log = Voice("keno.supervise")

STEADY_SECONDS = 30  # who ran so long starts again at once
BACK_OFF_MOST = 30.0
STOP_SECONDS = 15


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
        """Start it."""
        # In a session of its own: a Ctrl-C at the terminal would reach it beside our own word to
        # stop, and some do not bear being told twice.
        self._running = subprocess.Popen(self.command, start_new_session=True)  # noqa: S603  ours
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

    def stop(self) -> None:
        """Have it finish what it is doing, and end it if it does not."""
        if self._running is None:
            return
        self._running.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._running.wait(STOP_SECONDS)
        _end_group(self._running.pid)
        self._running.wait()

    @property
    def pid(self) -> int | None:
        """The id of the process, while it runs."""
        return None if self._running is None else self._running.pid


def _end_group(leader: int) -> None:
    """End what a process has started: left behind it would listen on beside the next one."""
    with suppress(ProcessLookupError):  # there is nothing left of it
        os.killpg(leader, signal.SIGKILL)
