"""Sending a paper to a printer that is asked how it is while it prints."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from printers.devices import Broken
from printers.escpos import IN_ORDER
from printers.sending import Ending, Outcome, send_paper
from printers.status import Status, answer_to

DONE = 0x00


@dataclass
class Slow:
    """A printer that takes its time: it finishes when it has been asked how it is so many times.

    It says that it is done right before it answers the next question, as one that finishes just
    then.
    """

    asked_first: int  # before the paper is sent, and so often while it prints
    states: list[Status]  # how it is each time that it is asked, the last one from then on
    says: deque[int] = field(default_factory=deque)
    asked: int = 0
    printing: bool = False
    answers = True

    @contextmanager
    def connected(self) -> Iterator["Slow"]:
        yield self

    def send(self, data: bytes) -> None:
        if data == IN_ORDER:
            self.printing, self.asked = True, 0
        elif data[:2] == b"\x10\x04":
            number, self.asked = self.asked, self.asked + 1
            if self.printing and number == self.asked_first:
                self.says.append(DONE)
            at = number // 4 if self.printing else 0
            status = self.states[min(at, len(self.states) - 1)] if self.printing else Status()
            self.says.append(answer_to(data[2], status))

    def receive(self, _seconds: float) -> int | None:
        return self.says.popleft() if self.says else None


def sent(printer: Slow) -> tuple[Outcome | None, list[str]]:
    noticed: list[str] = []
    outcome = send_paper(printer, lambda: b"a slip\n", 60.0, noticed=noticed.append)
    return outcome, noticed


@pytest.mark.rule("15.4(c)", "X-ticket-exactly-once")
@pytest.mark.parametrize("questions", range(8))
def test_a_printer_that_is_done_while_it_is_asked_how_it_is_has_confirmed_the_slip(
    questions: int,
) -> None:
    outcome, noticed = sent(Slow(questions, [Status()]))
    assert outcome == Outcome(Ending.CONFIRMED)
    assert noticed == []


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_trouble_while_it_prints_is_noticed_once_and_the_slip_may_still_be_confirmed() -> None:
    out, opened = Status(paper_out=True), Status(cover_open=True)
    outcome, noticed = sent(Slow(18, [Status(), out, out, opened, Status()]))
    assert noticed == ["The printer is out of paper.", "The cover of the printer is open."]
    assert outcome == Outcome(Ending.CONFIRMED)


class TakesNothing(Slow):
    """A printer whose line takes nothing more while it prints, until it is done."""

    def send(self, data: bytes) -> None:
        if self.printing and data[:2] == b"\x10\x04" and not self.asked:
            self.asked = 1
            self.says.append(DONE)  # which comes once the roll is changed
            raise Broken("The printer takes no more.")
        super().send(data)


@pytest.mark.rule("15.4(c)", "X-ticket-exactly-once")
def test_a_printer_that_takes_no_question_while_it_prints_may_still_confirm_the_slip() -> None:
    outcome, noticed = sent(TakesNothing(99, [Status()]))
    assert outcome == Outcome(Ending.CONFIRMED)
    assert noticed == []
