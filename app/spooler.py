"""The spooler: it takes paper from the queue to the printers, a thread for each of them.

A dead printer delays only its own paper. One spooler owns a printer at a time, by a lease; that a
paper is sent once does not rest on it: a paper leaves the queue by one transaction only, in which
the lease is checked.

One thread looks at the queue for all printers and keeps their leases, however long a printer takes
over its paper; the owner of a printer is woken when there is something for it. A printer whose
station has a drawer open is also asked how it is while nothing waits, so that its writer reads that
the paper is out before the next patron comes.

A printer that is not where the log says is not connected to (`app.flow.placements`), and no device
is opened that the list of this machine does not have (`printers.allowed`).
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from app.flow.lease import Held, LeaseLost, Watch, printer_lease, renew_leases, take_lease
from app.flow.office import Office
from app.flow.placements import Strayed
from app.flow.printers import end_loans
from app.flow.spool import (
    MOVED,
    PrinterMoved,
    Sending,
    all_printers,
    interrupted,
    next_paper,
    note_ending,
    note_mended,
    note_stopped,
    note_strayed,
    note_trouble,
    printers_in_use,
    printers_with_paper,
    strayed_printers,
)
from app.logs import Voice
from app.store.queries.paper import PrinterRow
from app.store.unit import CommitUnknown
from printers.devices import device_at
from printers.press import Press
from printers.sending import DONE_SECONDS, Ending, Outcome, check_printer, send_paper

LOOK_SECONDS = 0.05
AGAIN_SECONDS = 2.0  # after a printer could not print
CHECK_SECONDS = 3.0  # a writer reads within ten seconds that the printer is out
RENEW_SECONDS = 3.0  # a writer reads within ten seconds that no spooler is running
NEW_PRINTERS_SECONDS = 1.0
# A paper that was taken longer ago than this is not sent any more: whoever took it was frozen, and
# another may have been asked about it. Far shorter than a lease.
SEND_WITHIN_SECONDS = 5.0

log = Voice("keno.spooler")


@dataclass
class Spooler:
    """All printers of a house, as long as it runs."""

    office: Office
    holder: str
    done_seconds: float = DONE_SECONDS
    again_seconds: float = AGAIN_SECONDS
    counted: Callable[[], float] = time.monotonic
    _owners: dict[int, "Owner"] = field(default_factory=dict)
    _looked: float = float("-inf")  # when the printers were last looked at
    _renewed: float = float("-inf")  # when the leases were last renewed
    _strayed: list[Strayed] = field(default_factory=list)  # what is in the log of it already

    def run(self, stop: threading.Event) -> None:
        """Print until told to stop; printers that are added meanwhile are looked after too.

        Whatever else goes wrong ends it, and with it the owners: without it they would wait for
        ever, and the process with them, as if nothing had to be printed.
        """
        try:
            while not stop.is_set():
                try:
                    self._look(stop)
                except (SQLAlchemyError, CommitUnknown):
                    log.warning("database.away")
                    stop.wait(self.again_seconds)
                stop.wait(LOOK_SECONDS)
        finally:
            stop.set()
            for owner in self._owners.values():
                owner.woken.set()
            for owner in self._owners.values():
                owner.thread.join()

    def _look(self, stop: threading.Event) -> None:
        """Look at the queue, now and then at the printers too, and wake whoever is to print."""
        began = self.counted()
        if began - self._looked >= NEW_PRINTERS_SECONDS or not self._owners:
            self._renew_leases()
            end_loans(self.office)
            printers = all_printers(self.office)
            moved = self._moved()
            for printer in printers:
                owner = self._owners.get(printer.id)
                if owner is None:
                    owner = self._owners[printer.id] = Owner(self, printer, stop)
                    owner.is_moved = printer.code in moved
                    owner.thread.start()
                owner.printer, owner.is_moved = printer, printer.code in moved
                if owner.lease is None:
                    owner.take_lease()
            in_use = printers_in_use(self.office)
            for number, owner in self._owners.items():
                owner.is_in_use = number in in_use
            self._looked = began
        for number in printers_with_paper(self.office):
            if number in self._owners:
                self._owners[number].woken.set()
        for owner in self._owners.values():
            if owner.trouble is not None:  # whether somebody has mended it is looked at, unasked
                owner.woken.set()

    def _renew_leases(self) -> None:
        """Renew all leases if it is time to: one commit, however many printers there are."""
        if self.counted() - self._renewed < RENEW_SECONDS:
            return
        began = self.counted()
        had = {lease: owner for owner in self._owners.values() if (lease := owner.lease)}
        if had:
            ours = renew_leases(self.office, list(had))
            for lost in had.keys() - ours:
                had[lost].lease = None
        self._renewed = began

    def _moved(self) -> set[str]:
        """Return the printers that are not as the log says; what is new of them is logged."""
        strayed = strayed_printers(self.office)
        for each in strayed:
            if each not in self._strayed:
                log.warning("printer.moved", printer=each.printer, station=each.station or "")
                note_strayed(self.office, each)
        self._strayed = strayed
        return {each.printer for each in strayed if each.found is not None}


class Owner:
    """Who looks after one printer."""

    def __init__(self, spooler: Spooler, printer: PrinterRow, stop: threading.Event) -> None:
        self.printer = printer
        self.woken = threading.Event()
        self.trouble: str | None = None  # why the printer could not print when it was last asked
        self.is_in_use = False  # a station that prints on it has a drawer open
        self.lease: Held | None = None
        self.is_moved = False  # it is not where the log says: nothing is sent to it
        self.thread = threading.Thread(target=self._run, name=f"printer {printer.code}")
        self._spooler = spooler
        self._office = spooler.office
        self._press = Press()
        self._stop = stop
        self._watch = Watch(spooler.counted)
        self._after_a_break = False

    def take_lease(self) -> None:
        """Take the lease of the printer, unless another spooler has it."""
        name = printer_lease(self.printer.code)
        self.lease = take_lease(self._office, name, self._spooler.holder, self._watch)
        if self.lease is not None:
            # What hangs in it was known only to who owned it before: it is cut off, or half a
            # ticket and its copy would come out as one.
            self._after_a_break = True
            self.woken.set()  # whatever was being sent by who owned it before is asked about

    def _run(self) -> None:
        """Look after the printer until told to stop."""
        while not self._stop.is_set():
            is_woken = self.woken.wait(CHECK_SECONDS)
            self.woken.clear()
            try:
                if not is_woken:
                    self._check()
                    continue
                while not self._stop.is_set() and self._print_next():
                    pass
            except (SQLAlchemyError, CommitUnknown):
                log.warning("database.away")
                self._stop.wait(self._spooler.again_seconds)
            except Exception:  # whatever it was: the other printers go on
                log.exception("paper.failed", printer=self.printer.code)
                self._stop.wait(self._spooler.again_seconds)

    def _check(self) -> None:
        """Ask a printer that has nothing to do how it is, and note it if it cannot print."""
        if self.lease is None or not self.is_in_use or self.trouble is not None:
            return  # one in trouble is woken anyway
        if self.is_moved:
            return
        why = check_printer(device_at(self.printer.address, self._office.allowed))
        if why is not None:
            note_trouble(self._office, self.printer, why)
            log.warning("printer.trouble", printer=self.printer.code, why=why)
            self.trouble = why

    def _notice(self, why: str) -> None:
        """Note that the printer stopped in the middle of a paper; how that ends is noted later."""
        try:
            note_stopped(self._office, self.printer, why)
        except (SQLAlchemyError, CommitUnknown):  # what becomes of the paper counts for more
            log.warning("database.away")

    def _print_next(self) -> bool:
        """Print the next paper, if there is one; whether to look for another at once."""
        lease, printer = self.lease, self.printer
        if lease is None:
            return False
        if self.is_moved:
            return self._has_moved()
        taken: list[Sending] = []

        def take() -> bytes | None:
            begun = self._spooler.counted()
            sending = next_paper(self._office, printer, self._press, lease)
            if sending is None or self._spooler.counted() - begun > SEND_WITHIN_SECONDS:
                return None
            taken.append(sending)
            return sending.data

        try:
            # Nobody else sends while the printer is ours, and we are not sending: so whoever was
            # died, or could not note how it ended.
            if interrupted(self._office, printer, lease):
                self._after_a_break = True
            outcome = send_paper(
                device_at(printer.address, self._office.allowed),
                take,
                self._spooler.done_seconds,
                after_a_break=self._after_a_break,
                noticed=self._notice,
            )
        except LeaseLost:
            self.lease = None
            return False
        except PrinterMoved:
            return self._has_moved()
        if outcome is None:
            note_mended(self._office, printer)
            self.trouble = None
            return False
        return self._noted(printer, taken[0] if taken else None, outcome)

    def _has_moved(self) -> bool:
        """Note that nothing is sent to the printer; it is looked at again before long."""
        note_trouble(self._office, self.printer, MOVED)
        self.trouble = MOVED
        self._stop.wait(self._spooler.again_seconds)
        return False

    def _noted(self, printer: PrinterRow, sending: Sending | None, outcome: Outcome) -> bool:
        """Note how it ended; whether to go on at once."""
        if sending is None:
            note_trouble(self._office, printer, outcome.why or "")
        else:
            ended = (sending, outcome.ending.value, outcome.why)
            note_ending(self._office, *ended, near_end=outcome.paper_near_end)
            self._after_a_break = outcome.ending is Ending.UNKNOWN
        if outcome.ending in (Ending.CONFIRMED, Ending.SENT):
            self.trouble = None
            return True
        why = outcome.why or ""
        if why != self.trouble:
            log.warning("printer.trouble", printer=printer.code, why=why)
        self.trouble = why
        self._stop.wait(self._spooler.again_seconds)
        return False
