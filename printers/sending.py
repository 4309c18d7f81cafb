"""Sending one paper, and finding out what became of it.

1. The way is opened and the printer asked how it is. *If it cannot print, or does not answer,
   nothing was sent: the paper failed and is tried again, as the same paper.*
2. The bytes are sent, with the cut.
3. A question is sent behind them that a printer answers when it has done all before it. *If the
   answer comes and there is paper, it is printed; if not, nobody knows, and the writer is asked.*

A device that cannot answer ends with the paper sent.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from printers.devices import ANSWER_SECONDS, Broken, Connection, Device, Unreachable
from printers.escpos import IN_ORDER
from printers.status import Status, read_status

DONE_SECONDS = 10.0  # a long ticket takes a printer a few seconds


class Ending(StrEnum):
    """What became of a paper that was sent."""

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


def send_paper(device: Device, data: bytes, done_seconds: float = DONE_SECONDS) -> Outcome:
    """Send a paper, and return what became of it.

    Args:
        device: the way to the printer.
        data: the true bytes.
        done_seconds: how long a printer is given until it says that it is done.
    """
    begun = False
    try:
        with device.connected() as line:
            if not line.answers:
                begun = True
                line.send(data)
                return Outcome(Ending.SENT)
            before = _status(line)
            if before is None:
                return Outcome(Ending.FAILED, "The printer does not answer.")
            if before.trouble is not None:
                return Outcome(Ending.FAILED, before.trouble)
            begun = True
            line.send(data + IN_ORDER)
            return _ended(line, done_seconds)
    except Unreachable as trouble:
        return Outcome(Ending.FAILED, str(trouble))
    except Broken as trouble:
        return Outcome(Ending.UNKNOWN if begun else Ending.FAILED, str(trouble))


def _ended(line: Connection, done_seconds: float) -> Outcome:
    if line.receive(done_seconds) is None:
        status = _status(line)
        why = status.trouble if status is not None else None
        return Outcome(Ending.UNKNOWN, why or "The printer did not say that it was done.")
    after = _status(line)
    if after is None:
        return Outcome(Ending.UNKNOWN, "The printer did not say how it was afterwards.")
    if after.trouble is not None:
        return Outcome(Ending.UNKNOWN, after.trouble)
    return Outcome(Ending.CONFIRMED, paper_near_end=after.paper_near_end)


def _status(line: Connection) -> Status | None:
    return read_status(partial(_ask, line))


def _ask(line: Connection, question: int) -> int | None:
    line.send(bytes([0x10, 0x04, question]))
    return line.receive(ANSWER_SECONDS)
