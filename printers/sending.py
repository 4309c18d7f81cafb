"""Sending one paper, and finding out what became of it.

1. The way is opened and the printer asked how it is. *If it cannot print, or does not answer, the
   paper is not taken from its queue, and tried again.*
   If a paper before it was cut off, the printer must first have answered all that it was asked
   about that one: on a USB or serial line a late answer would confirm this one.
2. The paper is taken, and its bytes are sent, with the cut.
3. A question is sent behind them that a printer answers when it has done all before it. *If the
   answer comes and there is paper, it is printed; if not, nobody knows, and the writer is asked.*

While it prints, it is asked in between how it is: paper that ran out is noticed at once, and not
only when the time is over.

A device that cannot answer ends with the paper sent.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count
from time import monotonic

from printers.devices import ANSWER_SECONDS, Broken, Connection, Device, Unreachable
from printers.escpos import CLEARED, CUT_OFF, ID_ANSWER, ID_END, IDENTIFY, IN_ORDER, QUIET
from printers.reader import ID_SIZE
from printers.status import Status, is_status, read_status

DONE_SECONDS = 10.0
LINES_A_SECOND, BYTES_A_SECOND = 20, 2_000  # of a slow printer on a slow line; most are faster
CHECK_SECONDS = 1.0  # how often a printer that prints is asked how it is
STALE = 64  # what a printer said to an earlier question, at most; more is babble

# Of the answer to the question behind the cut: the bits that are never set, and those of no paper.
NEVER, PAPER_END = 0x90, 0x0C
# Letters of an id that are no answer to any other question, should they come late themselves.
ID_LETTERS = [each for each in range(0x20, 0x7F) if each & NEVER and not is_status(each)]
_IDS = count(int(monotonic() * 1000))  # a later process begins behind those of an earlier one
NO_ANSWER = "The printer does not answer."


class Ending(StrEnum):
    """What became of a paper that was to be sent."""

    CONFIRMED = "confirmed"  # the printer said so
    SENT = "sent"  # to a device that says nothing
    UNKNOWN = "unknown"  # some of it may be on paper
    FAILED = "failed"  # none of it is


@dataclass(frozen=True)
class Outcome:
    """How it ended, why if not well, and whether the roll is nearly at its end."""

    ending: Ending
    why: str | None = None
    paper_near_end: bool = False


def check_printer(device: Device) -> str | None:
    """Return why a printer cannot print; None if it can, or cannot be asked. Nothing is sent."""
    try:
        with device.connected() as line:
            return _trouble(line) if line.answers else None
    except (Unreachable, Broken) as trouble:
        return str(trouble)


def send_paper(
    device: Device,
    take: Callable[[], bytes | None],
    done_seconds: float = DONE_SECONDS,
    *,
    after_a_break: bool = False,
    noticed: Callable[[str], None] = lambda _why: None,
) -> Outcome | None:
    """Send a paper, and return what became of it; none if there was none to take.

    Args:
        device: the way to the printer.
        take: takes the paper from its queue, once the printer can print; returns its true bytes.
        done_seconds: how long a printer is given until it says that it is done, beside the time
            that so many lines take.
        after_a_break: whether the paper before this one may hang in the printer: it is cut off, and
            this one is taken only when the printer has said all that it may still say of that one.
        noticed: called when the printer reports, while it prints, why it cannot go on.
    """
    taken = None
    try:
        with device.connected() as line:
            if line.answers:
                trouble = _trouble(line)
                if trouble is None and after_a_break:
                    trouble = _trouble_behind(line, done_seconds)
                if trouble is not None:
                    return Outcome(Ending.FAILED, trouble)
            taken = take()
            if taken is None:
                return None
            data = (CUT_OFF if after_a_break else b"") + taken
            if not line.answers:
                line.send(data)
                return Outcome(Ending.SENT)
            line.send(CLEARED + data)
            _forget_what_was_said(line)
            line.send(IN_ORDER)
            return _ended(line, done_seconds + _seconds_of(data), noticed)
    except Unreachable as trouble:
        return Outcome(Ending.FAILED, str(trouble))
    except Broken as trouble:
        return Outcome(Ending.FAILED if taken is None else Ending.UNKNOWN, str(trouble))


def _seconds_of(data: bytes) -> float:
    """Return how long a printer may take over some bytes."""
    return data.count(b"\n") / LINES_A_SECOND + len(data) / BYTES_A_SECOND


def _trouble(line: Connection) -> str | None:
    """Return why a printer cannot print; none if it can."""
    line.send(QUIET)
    _forget_what_was_said(line)
    before = _status(line)
    if before is None:
        return NO_ANSWER
    return before.trouble


def _trouble_behind(line: Connection, seconds: float) -> str | None:
    """Return why a printer cannot print behind a paper that was cut off; none if it can."""
    has_done = _has_done_all(line, seconds)
    trouble = _trouble(line)
    return NO_ANSWER if trouble is None and not has_done else trouble


def _has_done_all(line: Connection, seconds: float) -> bool:
    """Have a printer say that it has done all that it was sent; return whether it did.

    It says again the id that it is sent, which no late answer has. One that knows no ids answers
    the other question alone, behind what it may still say of an earlier paper: then it says no
    more, though it can print.
    """
    id_ = _new_id()
    line.send(CLEARED + IN_ORDER + IDENTIFY + id_)
    heard, deadline = b"", monotonic() + seconds
    while (left := deadline - monotonic()) > 0:
        # One that says any id knows them, and says this one too.
        knows_none = ID_ANSWER not in heard and any(map(_is_done, heard))
        said = line.receive(ANSWER_SECONDS if knows_none else left)
        if said is None:
            return knows_none
        heard += bytes([said])
        if heard.endswith(ID_ANSWER + id_ + ID_END):
            return True
    return False


def _new_id() -> bytes:
    """Return an id that no question had lately, whichever process of this machine put it."""
    number, letters = next(_IDS), len(ID_LETTERS)
    return bytes(ID_LETTERS[number // letters**place % letters] for place in range(ID_SIZE))


def _forget_what_was_said(line: Connection) -> None:
    """Let go of what was answered to an earlier question, or was not asked for."""
    for _ in range(STALE):
        if line.receive(0) is None:
            return


def _ended(line: Connection, seconds: float, noticed: Callable[[str], None]) -> Outcome:
    answer = _done(line, seconds, noticed)
    _forget_what_was_said(line)
    if answer is None:
        status = _status(line)
        why = status.trouble if status is not None else None
        return Outcome(Ending.UNKNOWN, why or "The printer did not say that it was done.")
    after = _status(line)
    if after is None:
        return Outcome(Ending.UNKNOWN, "The printer did not say how it was afterwards.")
    if after.trouble is not None:
        return Outcome(Ending.UNKNOWN, after.trouble)
    if answer & PAPER_END:
        return Outcome(Ending.UNKNOWN, Status(paper_out=True).trouble)
    return Outcome(Ending.CONFIRMED, paper_near_end=after.paper_near_end)


def _done(line: Connection, seconds: float, noticed: Callable[[str], None]) -> int | None:
    """Return the answer to the question behind the cut; None if none comes in time."""
    deadline = monotonic() + seconds
    told, answers = None, True
    while (left := deadline - monotonic()) > 0:
        is_last = not answers or left <= CHECK_SECONDS
        done = _answer(line, left if is_last else CHECK_SECONDS, _is_done)
        if done is not None or is_last:
            return done
        # It may be done while it is asked how it is: that answer is kept, and not passed over.
        passed: list[int] = []
        status = None
        with suppress(Broken):  # it takes nothing now; what was sent may come out all the same
            status = read_status(partial(_ask, line, passed=passed))
        if (done := next(filter(_is_done, passed), None)) is not None:
            return done
        answers = status is not None  # or late answers would be taken for those to other questions
        if status is not None and status.trouble not in {None, told}:
            told = status.trouble
            noticed(str(told))
    return _answer(line, CHECK_SECONDS, _is_done)  # noting took long: it may have answered


def _is_done(said: int) -> bool:
    return not said & NEVER


def _answer(
    line: Connection,
    seconds: float,
    is_one: Callable[[int], bool],
    passed: list[int] | None = None,
) -> int | None:
    """Return the answer to a question; what else a printer says meanwhile is passed over."""
    deadline = monotonic() + seconds
    while (left := deadline - monotonic()) > 0:
        said = line.receive(left)
        if said is None or is_one(said):
            return said
        if passed is not None:
            passed.append(said)
    return None


def _status(line: Connection) -> Status | None:
    return read_status(partial(_ask, line))


def _ask(line: Connection, question: int, passed: list[int] | None = None) -> int | None:
    line.send(bytes([0x10, 0x04, question]))
    return _answer(line, ANSWER_SECONDS, is_status, passed)
