"""The books of every gaming day, worked out once it has turned, while games go on.

By a process of its own: it has a year to read, and whoever calls games must not wait for it, nor
share the interpreter with it. Whether the books of a day are done is what the database says: a
process that died is started again, not at once, and by whichever caller is active then.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.flow.day import gaming_day
from app.flow.office import Office
from app.logs import Voice
from app.store.queries import running

log = Voice("keno.nightly")

AGAIN_SECONDS = 600.0  # after one that recorded nothing
NICENESS = 10  # sales and draws come first


class Running(Protocol):
    """A process that works the books out."""

    def poll(self) -> int | None:
        """Return how it ended, if it has."""

    def terminate(self) -> None:
        """Have it stop."""

    def wait(self) -> int:
        """Wait until it has ended."""


def start_books() -> Running:
    """Have the books worked out and recorded, by a process with the settings of this one."""
    command = [sys.executable, "-m", "app.cli", "books", "--record", "--process"]
    started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # noqa: S603  ours
    os.setpriority(os.PRIO_PROCESS, started.pid, NICENESS)
    return started


@dataclass
class Nightly:
    """Sees to it that the books of each gaming day are worked out."""

    office: Office
    start: Callable[[], Running] = start_books
    counted: Callable[[], float] = time.monotonic
    _running: Running | None = None
    _done_on: str | None = None
    _not_before: float = 0.0

    def mind(self) -> None:
        """Have the books of this day worked out, if that was not done yet."""
        if self._running is not None:
            ended = self._running.poll()
            if ended is None:
                return
            log.info("books.ended", code=ended)
            self._running, self._not_before = None, self.counted() + AGAIN_SECONDS
        house = self.office.house
        now = self.office.now()
        today = gaming_day(now, house.time_zone, house.day_starts_minutes).isoformat()
        if today == self._done_on:
            return
        with self.office.database.reading() as connection:
            newest = running.newest_books(connection)
        if newest is not None and newest.gaming_day == today:
            self._done_on = today
        elif self.counted() >= self._not_before:
            self._not_before = self.counted() + AGAIN_SECONDS  # also if it cannot be started
            self._running = self.start()

    def stop(self) -> None:
        """Have it stop: it is done anew by whoever calls the games next."""
        if self._running is not None and self._running.poll() is None:
            self._running.terminate()
            self._running.wait()
