"""A spooler at work and a virtual printer, for tests."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from app.spooler import Spooler
from printers.paper import WIDE, Roll
from printers.virtual import VirtualPrinter
from tests.floor import Floor
from tests.looking import rows
from tests.waiting import PATIENCE

AT_ONCE = 0.5  # seconds that a printer is given which will not say that it is done
OFTEN = 0.2  # seconds between two checks of a printer for which nothing waits


@contextmanager
def spooling(
    floor: Floor,
    holder: str = "first",
    counted: Callable[[], float] = time.monotonic,
    done_seconds: float = PATIENCE,
    answer_seconds: float = PATIENCE,
) -> Iterator[Spooler]:
    """A spooler at work, in threads of its own; a printer that answers has all the time it needs.

    So has the spooler itself, between taking a paper and sending it.
    """
    stop = threading.Event()
    made = Spooler(floor.office, holder, done_seconds, 0.05, counted)
    running = threading.Thread(target=made.run, args=(stop,))
    with (
        patch("printers.sending.ANSWER_SECONDS", answer_seconds),
        patch("app.spooler.SEND_WITHIN_SECONDS", PATIENCE),
        patch("app.spooler.CHECK_SECONDS", OFTEN),
        patch("app.spooler.NEW_PRINTERS_SECONDS", OFTEN),
    ):
        running.start()
        try:
            yield made
        finally:
            stop.set()
            running.join()


@contextmanager
def virtual(folder: Path, roll: Roll = WIDE) -> Iterator[VirtualPrinter]:
    made = VirtualPrinter(folder.name, roll, folder)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def waiting(floor: Floor) -> int:
    return int(rows(floor, "SELECT count(*) FROM queued_paper")[0][0])
