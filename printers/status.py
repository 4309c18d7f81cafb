"""How a printer is, from what it answers itself (DLE EOT). No answer means that nobody knows.

A library that reads "plenty of paper" from silence is not asked.
"""

from collections.abc import Callable
from dataclasses import dataclass

PRINTER, OFFLINE_CAUSE, ERROR_CAUSE, PAPER = 1, 2, 3, 4
QUESTIONS = (PRINTER, OFFLINE_CAUSE, ERROR_CAUSE, PAPER)
FIXED_MASK, FIXED = 0b1001_0011, 0b0001_0010  # by which an answer is known to be one

Ask = Callable[[int], int | None]


@dataclass(frozen=True)
class Status:
    """What a printer said of itself."""

    offline: bool = False
    cover_open: bool = False
    error: bool = False
    paper_out: bool = False
    paper_near_end: bool = False

    @property
    def trouble(self) -> str | None:
        """Why it cannot print, in words for the writer; none if it can."""
        reasons = (
            (self.cover_open, "The cover of the printer is open."),
            (self.paper_out, "The printer is out of paper."),
            (self.error, "The printer reports a fault."),
            (self.offline, "The printer is offline."),
        )
        return next((words for is_so, words in reasons if is_so), None)


def read_status(ask: Ask) -> Status | None:
    """Return how a printer is; none if it does not answer, or not as a printer does.

    Args:
        ask: sends a question (DLE EOT n) and returns the answer's byte, if one comes in time.
    """
    answers = {}
    for question in QUESTIONS:
        answer = ask(question)
        if answer is None or not is_status(answer):
            return None
        answers[question] = answer
    return Status(
        offline=bool(answers[PRINTER] & 0x08),
        cover_open=bool(answers[OFFLINE_CAUSE] & 0x04),
        error=bool(answers[OFFLINE_CAUSE] & 0x40) or bool(answers[ERROR_CAUSE] & 0x68),
        paper_out=bool(answers[PAPER] & 0x60),
        paper_near_end=bool(answers[PAPER] & 0x0C),
    )


def is_status(answer: int) -> bool:
    """Whether a byte is an answer to one of the questions."""
    return answer & FIXED_MASK == FIXED


def answer_to(question: int, status: Status) -> int:
    """Return the byte by which a printer answers; the virtual printer is one."""
    bits = {
        PRINTER: 0x08 if status.offline or status.trouble else 0,
        OFFLINE_CAUSE: (0x04 if status.cover_open else 0)
        | (0x20 if status.paper_out else 0)
        | (0x40 if status.error else 0),
        ERROR_CAUSE: 0x20 if status.error else 0,
        PAPER: (0x60 if status.paper_out else 0) | (0x0C if status.paper_near_end else 0),
    }
    return FIXED | bits[question]
