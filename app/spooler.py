"""The spooler: it takes paper from the queue to the printers, a thread for each of them.

A dead printer delays only its own paper. One spooler owns a printer at a time, by a lease; that a
paper is sent once does not rest on it: a paper leaves the queue by one transaction only.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from app.flow.lease import Watch, take_lease
from app.flow.office import Office
from app.flow.spool import all_printers, has_paper, interrupted, next_paper, note_ending
from app.store.queries.paper import PrinterRow
from printers.devices import device_at
from printers.press import Press
from printers.sending import DONE_SECONDS, Ending, send_paper

LOOK_SECONDS = 0.05
AGAIN_SECONDS = 2.0  # after a printer could not print
RENEW_SECONDS = 10.0
NEW_PRINTERS_SECONDS = 1.0

log = logging.getLogger("keno.spooler")


@dataclass
class Spooler:
    """All printers of a house, as long as it runs."""

    office: Office
    holder: str
    done_seconds: float = DONE_SECONDS
    again_seconds: float = AGAIN_SECONDS
    counted: Callable[[], float] = time.monotonic
    _threads: dict[int, threading.Thread] = field(default_factory=dict)

    def run(self, stop: threading.Event) -> None:
        """Print until told to stop; printers that are added meanwhile are looked after too."""
        while True:
            try:
                printers = all_printers(self.office)
            except SQLAlchemyError:
                log.warning("the database does not answer")
                printers = []
            for printer in printers:
                if printer.id not in self._threads:
                    owner = Owner(self, printer.id, stop)
                    thread = threading.Thread(target=owner.run, name=f"printer {printer.code}")
                    self._threads[printer.id] = thread
                    thread.start()
            if stop.wait(NEW_PRINTERS_SECONDS):
                break
        for thread in self._threads.values():
            thread.join()


class Owner:
    """Who looks after one printer."""

    def __init__(self, spooler: Spooler, printer: int, stop: threading.Event) -> None:
        self._spooler = spooler
        self._office = spooler.office
        self._printer = printer
        self._press = Press()
        self._stop = stop
        self._watch = Watch(spooler.counted)
        self._renewed = float("-inf")

    def run(self) -> None:
        """Look after the printer until told to stop."""
        while not self._stop.is_set():
            try:
                pause = self._look()
            except SQLAlchemyError:
                log.warning("the database does not answer; paper waits there")
                pause = self._spooler.again_seconds
            except Exception:  # whatever it was: the other printers go on
                log.exception("a paper could not be printed")
                pause = self._spooler.again_seconds
            self._stop.wait(pause)

    def _look(self) -> float:
        """Print the next paper, if there is one; return how long to wait before the next look."""
        printer = next(
            (each for each in all_printers(self._office) if each.id == self._printer), None
        )
        if printer is None or not self._is_ours(printer):
            return NEW_PRINTERS_SECONDS
        if not has_paper(self._office, printer):
            return LOOK_SECONDS
        sending = next_paper(self._office, printer, self._press)
        if sending is None:
            return LOOK_SECONDS
        device = device_at(printer.address)
        outcome = send_paper(device, sending.data, self._spooler.done_seconds)
        note_ending(self._office, sending, outcome.ending.value, outcome.why)
        if outcome.ending in (Ending.CONFIRMED, Ending.SENT):
            return 0.0
        log.warning("printer %s: %s", printer.code, outcome.why)
        return self._spooler.again_seconds

    def _is_ours(self, printer: PrinterRow) -> bool:
        """Whether we own the printer; what was being sent by who owned it before is asked about."""
        if self._spooler.counted() - self._renewed < RENEW_SECONDS:
            return True
        first = self._renewed == float("-inf")
        name = f"printer {printer.code}"
        if take_lease(self._office, name, self._spooler.holder, self._watch) is None:
            self._renewed = float("-inf")
            return False
        if first:
            interrupted(self._office, printer)
        self._renewed = self._spooler.counted()
        return True
