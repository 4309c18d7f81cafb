"""`make run`: check that the demonstration house can start, then start it.

A start is refused before anything on disk or in the database changes: if one of the ports is in
use, or if a house already runs in this folder. Only the standard library is imported until then,
so a refusal is immediate, and Ctrl-C works from the first moment.
"""

import argparse
import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from app.locks import locked

LOCK = Path("var") / "demo.lock"
# What listens on the ports of the house, in order, beginning with the port that was chosen.
LISTENERS = ("web", "feed", "pictures", "B1", "B2", "B3", "S1", "RNG")
LAST_PORT = 65_535
INTERVALS = range(10, 24 * 3600 + 1)  # seconds between games, as in app.flow.schedule
APART = 100  # between the ports in use and those that the refusal proposes
# The processes of a killed house end a moment after it; until then they hold their ports.
FREE_SECONDS = 10
END_SECONDS = 8  # after the first signal the house is ended, whatever it is doing
REFUSED = 2


class NotStarted(Exception):  # noqa: N818  a refusal, with the remedy
    """The house cannot be started; the text says why and what to do."""


class Stop:
    """Whether a signal asked the house to stop.

    A flag and not a threading.Event: setting an Event in a signal handler can deadlock with the
    main thread that waits for it.
    """

    def __init__(self) -> None:
        self.asked = False
        self.has_begun = False  # something that has to be stopped
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        if not self.has_begun:
            os._exit(0)
        if not self.asked:
            # If the main thread hangs, SIGALRM ends the process, and its children end with it.
            signal.alarm(END_SECONDS)
        self.asked = True


def main() -> int:
    """Start the demonstration house, and run it until a signal asks it to stop."""
    stop = Stop()
    parser = argparse.ArgumentParser(prog="make run", description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--interval", type=int, default=240, help="seconds between games")
    options = parser.parse_args()
    try:
        ports = ports_from(options.port)
        check_interval(options.interval)
        with only_house(ports, lambda: stop.asked):
            # These imports take a second: not before a refusal, nor before Ctrl-C works.
            from app.demo import run  # noqa: PLC0415

            stop.has_begun = True
            return run(ports, options.interval, lambda: stop.asked)
    except NotStarted as refusal:
        sys.stderr.write(f"{refusal}\n")
        return REFUSED


def ports_from(first: int) -> dict[str, int]:
    """Return the port of each listener.

    Raises:
        NotStarted: there are no such ports.
    """
    most = LAST_PORT - len(LISTENERS) + 1
    if not 1 <= first <= most:
        raise NotStarted(
            f"There is no port {first}; choose one from 1 to {most}: make run PORT=8000"
        )
    return {name: first + place for place, name in enumerate(LISTENERS)}


def check_interval(seconds: int) -> None:
    """Check that games can be so many seconds apart.

    Raises:
        NotStarted: they cannot.
    """
    if seconds not in INTERVALS:
        raise NotStarted(
            f"Games cannot be {seconds} seconds apart; choose from {INTERVALS[0]} "
            f"to {INTERVALS[-1]}: make run INTERVAL=60"
        )


@contextmanager
def only_house(ports: Mapping[str, int], stopped: Callable[[], bool]) -> Iterator[None]:
    """Hold the lock of this folder's house, whose ports are all free.

    Raises:
        NotStarted: a house runs in this folder, or a port is in use.
    """
    with ExitStack() as stack:
        lock = stack.enter_context(_lock()) if LOCK.exists() else None
        # The file holds the id of the process that runs; a house that was killed left its own.
        was_killed = lock is not None and os.fstat(lock).st_size > 0
        _check_ports(ports, FREE_SECONDS if was_killed else 0, stopped)
        if lock is None:
            lock = stack.enter_context(_lock())
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(lock, 0)


@contextmanager
def _lock() -> Iterator[int]:
    with ExitStack() as stack:
        try:
            LOCK.parent.mkdir(mode=0o700, exist_ok=True)
            lock = stack.enter_context(locked(LOCK))
        except BlockingIOError:
            raise NotStarted(
                f"This folder's house already runs (process {LOCK.read_text()}); "
                "stop it first, or start another house in another folder."
            ) from None
        except OSError as trouble:
            raise NotStarted(f"{trouble.filename} cannot be used: {trouble.strerror}.") from None
        yield lock


def _check_ports(ports: Mapping[str, int], seconds: float, stopped: Callable[[], bool]) -> None:
    """Check that no port is in use; wait some seconds for those of a house that was killed.

    Raises:
        NotStarted: a port is in use.
    """
    end = time.monotonic() + seconds
    while any(_why_not(port) for port in ports.values()) and time.monotonic() < end:
        if stopped():
            return
        time.sleep(0.1)
    for name, port in ports.items():
        if why := _why_not(port):
            raise NotStarted(
                f"Port {port} ({name}) {why}; stop what listens there, "
                f"or choose another: make run PORT={_proposed(ports)}"
            )


def _proposed(ports: Mapping[str, int]) -> int:
    """Return the first of as many ports that are all free, or else the next one."""
    many, first = len(ports), ports[LISTENERS[0]] + APART
    for proposed in range(first, LAST_PORT - many, APART):
        if not any(_why_not(port) for port in range(proposed, proposed + many)):
            return proposed
    return first


def _why_not(port: int) -> str | None:
    """Return why a port cannot be listened on; None if it can.

    The web server shares its port with whatever listens there (SO_REUSEPORT), so that it would not
    notice; this socket does. The IPv6 address counts because browsers try it first for localhost.
    """
    for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            socket.create_server((host, port), family=family).close()
        except OSError as trouble:
            if trouble.errno == errno.EADDRINUSE:
                return "is in use"
            if family == socket.AF_INET:  # a machine may have no IPv6
                return f"cannot be used ({os.strerror(trouble.errno or 0)})"
    return None


if __name__ == "__main__":
    sys.exit(main())
