"""How every process of the back office begins, and how it is told to stop.

It speaks in one form, and counts what it says.
"""

import signal
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.counts import LINES, Counts
from app.logs import LEVELS, Voice, speak_as
from app.settings import Settings
from app.software import software_hash

STOPPING = (signal.SIGINT, signal.SIGTERM)
AT_ONCE = 64  # numbers of signals that are read together

log = Voice("keno.process")


def begin_process(name: str, settings: Settings, names: Sequence[str] = ()) -> Counts:
    """Have a process speak and count, and return its counts.

    Args:
        name: what kind of process it is.
        settings: its settings.
        names: of what it counts beside its lines.
    """
    counts = Counts(name, (*(f"{LINES}/{level}" for level in LEVELS), *names), settings.metrics)
    speak_as(name, settings.log, lambda level: counts.add(f"{LINES}/{level}"))
    software_hash()  # of what is there now: that is what runs, whenever it is asked for
    log.info("process.started")
    return counts


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Give an event that is set once a signal asks this process to stop.

    No signal handler sets it: one that interrupts the main thread within `Event.wait` would wait
    for a lock which that holds. The interpreter writes the number of each signal to a socket, and
    a thread sets the event.
    """
    stop = threading.Event()
    told, tells = socket.socketpair()
    tells.setblocking(False)
    woken = signal.set_wakeup_fd(tells.fileno())
    handlers = {number: signal.signal(number, _only_woken) for number in STOPPING}
    setter = threading.Thread(target=_set_when_told, args=(told, stop), daemon=True)
    setter.start()
    try:
        yield stop
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken)
        tells.close()
        setter.join()
        told.close()


def _only_woken(_number: int, _frame: object) -> None:
    """Do nothing: without a handler the signal would end the process."""


def _set_when_told(told: socket.socket, stop: threading.Event) -> None:
    while numbers := told.recv(AT_ONCE):
        if set(numbers) & set(STOPPING):
            stop.set()
