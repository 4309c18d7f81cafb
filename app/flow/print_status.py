"""How printing stands, in words for the writer: a mark for each ticket, a sentence for the printer.

Pure: decided from what is stored. A slip is never called printed unless the printer or the writer
confirmed it.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.store.queries.paper import Newest
from app.store.tables import PaperState


class Mark(StrEnum):
    """How far the slip of a ticket is."""

    QUEUED = "queued"
    PRINTING = "printing"  # sent; the printer has not answered yet
    PRINTED = "printed"  # the printer confirmed it, or the writer did
    SENT = "sent"  # to a device that never answers
    STOPPED = "stopped"  # it was being sent when printing stopped; it may be on paper
    UNKNOWN = "unknown"  # the writer answers "Did it print?"
    JAMMED = "jammed"  # it waits, and its printer cannot print
    NOT_PRINTED = "not-printed"  # the writer said so, or the ticket was voided first
    NOT_MADE = "not-made"  # a supervisor must look at it


class Level(StrEnum):
    """How urgent it is what a writer reads of the printer."""

    READY = "ready"
    WARNING = "warning"
    FAULT = "fault"


@dataclass(frozen=True)
class Trouble:
    """Why a printer cannot print: in two words, in a sentence, and until when it cannot."""

    label: str
    words: str
    until: str


# By what is noted of a printer (`printers.status`, `printers.devices`).
TROUBLES = {
    "The printer is out of paper.": Trouble("paper out", "is out of paper", "it is refilled"),
    "The cover of the printer is open.": Trouble(
        "cover open", "has its cover open", "the cover is closed"
    ),
    "The printer reports a fault.": Trouble(
        "printer fault", "reports a fault", "the fault is cleared"
    ),
    "The printer is offline.": Trouble("offline", "is offline", "it is online again"),
    "The printer cannot be reached.": Trouble(
        "unreachable", "cannot be reached", "it can be reached again"
    ),
    "The printer is not connected.": Trouble(
        "unplugged", "is not connected", "it is connected again"
    ),
    "The printer is not where the log says it is.": Trouble(
        "moved", "is not where the log says, and nothing is sent to it", "it is put back"
    ),
    "The address of the printer is not on the list of this machine.": Trouble(
        "not listed", "is not on the list of this machine", "an operator lists its address"
    ),
    "This is not the device of a printer.": Trouble(
        "no printer", "is at a device that is none of a printer", "its address is set again"
    ),
    "The printer does not answer.": Trouble("no answer", "does not answer", "it answers again"),
}
NO_PRINTER = "no printer"
NO_SPOOLER = "no spooler"
MAY_BE_ON_PAPER = "Printing has stopped; it may be on paper."
LABELS = {
    Mark.QUEUED: "queued",
    Mark.PRINTING: "printing",
    Mark.PRINTED: "printed",
    Mark.SENT: "sent",
    Mark.STOPPED: "stopped",
    Mark.UNKNOWN: "printed?",
    Mark.NOT_PRINTED: "not printed",
    Mark.NOT_MADE: "not made",
}
_MARKS = {
    PaperState.QUEUED: Mark.QUEUED,
    PaperState.FAILED: Mark.QUEUED,  # the same slip is tried again
    PaperState.SENDING: Mark.PRINTING,
    PaperState.CONFIRMED: Mark.PRINTED,
    PaperState.SENT: Mark.SENT,
    PaperState.UNKNOWN: Mark.UNKNOWN,
    PaperState.ASIDE: Mark.NOT_MADE,
    PaperState.NOT_PRINTED: Mark.NOT_PRINTED,
}


@dataclass(frozen=True)
class PrinterStatus:
    """A station's printer, and what waits there; no code if the station has none."""

    station: str
    code: str | None
    is_served: bool = True  # a spooler is running
    why: str | None = None  # it cannot print
    near_end: bool = False
    waiting: int = 0
    sending: int = 0  # of those that wait: one that is being sent may be on paper
    is_behind: bool = False
    asked: int = 0  # slips of which the writer must say whether they printed


def mark_of(newest: Newest, printer: PrinterStatus) -> tuple[Mark, str]:
    """Return the mark of a ticket by what became of its newest slip, and its label."""
    mark = _MARKS[newest.state]
    if is_stopped(newest.state, printer):
        mark = Mark.STOPPED
    elif mark is Mark.QUEUED:
        if printer.code is None:
            return Mark.JAMMED, NO_PRINTER
        if not printer.is_served:
            return Mark.JAMMED, NO_SPOOLER
        if printer.why is not None:
            return Mark.JAMMED, _trouble(printer.why).label
    return mark, LABELS[mark]


def is_stopped(state: PaperState, printer: PrinterStatus) -> bool:
    """Whether a slip was being sent when printing stopped: it is not in the queue any more."""
    cannot_print = not printer.is_served or printer.why is not None
    return state is PaperState.SENDING and cannot_print


def status_of(printer: PrinterStatus) -> tuple[Level, str]:
    """Return what the writer reads of the printer, the most urgent first."""
    name, waiting = f"Printer {printer.code}", slips_wait(printer.waiting)
    if printer.code is None:
        words = f"Station {printer.station} has no printer. {waiting}"
        return Level.FAULT, f"{words}; an administrator assigns a printer."
    if not printer.is_served:
        slips = _unprinted_words(printer, "it is running again")
        words = f"No spooler is running for printer {printer.code}. {slips}"
        return Level.FAULT, f"{words} Call a supervisor."
    if printer.why is not None:
        trouble = _trouble(printer.why)
        return Level.FAULT, f"{name} {trouble.words}. {_unprinted_words(printer, trouble.until)}"
    if printer.asked:
        many = "1 slip" if printer.asked == 1 else f"{printer.asked:,} slips"
        return Level.FAULT, f"{name} did not confirm {many}. Look at the paper and press F8."
    if printer.is_behind:
        words = f"{name} is behind: {waiting}, and nothing comes out."
        return Level.WARNING, f"{words} Call a supervisor if this stays."
    low = f"{name} is low on paper. Have a new roll ready."
    return (Level.WARNING, low) if printer.near_end else (Level.READY, f"{name} is ready.")


def _unprinted_words(printer: PrinterStatus, until: str) -> str:
    """Return what becomes of the slips of a printer that cannot print."""
    queued = printer.waiting - printer.sending
    if not queued:
        return slips_unprinted(printer.waiting, printer.sending)
    prints = "prints" if queued == 1 else "print"
    words = slips_unprinted(printer.waiting, printer.sending).removesuffix(".")
    return f"{words} and {prints} automatically when {until}."


def slips_unprinted(waiting: int, sending: int) -> str:
    """Return how many slips were being sent when printing stopped, and how many others wait."""
    queued = waiting - sending
    words = [f"{slips_wait(queued)}."] if queued or not sending else []
    if sending:
        many = "1 slip was" if sending == 1 else f"{sending:,} slips were"
        words.insert(0, f"{many} being printed and may be on paper.")
    return " ".join(words)


def slips_wait(many: int) -> str:
    """Return how many slips wait, in words."""
    return "No slip waits" if not many else "1 slip waits" if many == 1 else f"{many:,} slips wait"


def _trouble(why: str) -> Trouble:
    return TROUBLES.get(why) or Trouble(
        "trouble", f"has a problem: {why.removesuffix('.')}", "that is fixed"
    )
