"""Sending a paper to a printer that is asked how it is while it prints."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from printers.devices import Broken
from printers.escpos import ID_ANSWER, ID_END, IN_ORDER
from printers.reader import Ask, Cut, Identify, Printed, Reader
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


# ---- an answer that comes late -------------------------------------------------------------------


@dataclass
class Lasting:
    """A printer on a USB line, which outlasts every conversation: what it says late is still heard.

    It does what waits in it one after the other, as far as it has paper, whenever it is listened
    to; how it is it says at once.
    """

    knows_ids: bool
    paper: int = 1_000  # lines that are left
    lines: list[str] = field(default_factory=list)  # on the paper that is not cut off
    papers: list[list[str]] = field(default_factory=list)
    says: deque[int] = field(default_factory=deque)
    waits: deque[int] = field(default_factory=deque)
    hangs: bool = False  # it does nothing, and says that all is well
    answers = True
    _reader: Reader = field(default_factory=Reader)

    @contextmanager
    def connected(self) -> Iterator["Lasting"]:
        yield self

    def send(self, data: bytes) -> None:
        if data[:2] == b"\x10\x04":
            self.says.append(answer_to(data[2], Status(paper_out=self.paper == 0)))
        else:
            self.waits += data

    def receive(self, seconds: float) -> int | None:
        while seconds and not self.says and self.waits and self.paper and not self.hangs:
            for event in self._reader.read(bytes([self.waits.popleft()])):
                match event:
                    case Printed(text=text):
                        self.lines.append(text)
                        self.paper -= 1
                    case Cut():
                        self.papers.append(self.lines)
                        self.lines = []
                    case Ask(in_order=True):
                        self.says.append(DONE)
                    case Identify(id=id_) if self.knows_ids:
                        self.says.extend(ID_ANSWER + id_ + ID_END)
        return self.says.popleft() if self.says else None


def slip(name: str) -> bytes:
    """A slip of ten lines, with its cut."""
    return f"{name}\n".encode() * 10 + b"\x1dV\x00"


def cut_off_in(printer: Lasting, name: str) -> None:
    """The paper runs out within a slip, and is refilled when its time is over."""
    printer.paper = 5
    outcome = send_paper(printer, lambda: slip(name), SOON)
    assert outcome == Outcome(Ending.UNKNOWN, "The printer is out of paper.")
    printer.paper = 1_000


SOON = -0.7  # seconds: with the time that the lines of a slip take, it is over at once


@pytest.mark.rule("15.4(c)", "X-ticket-exactly-once")
@pytest.mark.parametrize("knows_ids", [True, False])
def test_a_late_answer_about_a_slip_that_was_cut_off_confirms_no_other(*, knows_ids: bool) -> None:
    printer = Lasting(knows_ids)
    cut_off_in(printer, "A")
    runs_out_again: list[int] = []

    def take() -> bytes:
        assert printer.papers == [["A"] * 10]  # it came out late, and all was said about it
        assert not printer.says
        printer.paper = 5
        runs_out_again.append(1)
        return slip("B")

    outcome = send_paper(printer, take, 0.5, after_a_break=True)
    assert runs_out_again
    assert outcome == Outcome(Ending.UNKNOWN, "The printer is out of paper.")
    assert ["B"] * 10 not in printer.papers


@pytest.mark.rule("15.4(c)", "X-ticket-exactly-once")
@pytest.mark.parametrize("knows_ids", [True, False])
def test_the_slip_behind_one_that_was_cut_off_is_confirmed_by_its_own_answer(
    *, knows_ids: bool
) -> None:
    printer = Lasting(knows_ids)
    cut_off_in(printer, "A")
    outcome = send_paper(printer, lambda: slip("B"), 0.5, after_a_break=True)
    assert outcome == Outcome(Ending.CONFIRMED)
    assert printer.papers[-1] == ["B"] * 10


@pytest.mark.rule("15.4(c)", "X-ticket-exactly-once")
def test_no_slip_is_taken_until_the_printer_has_answered_this_question_itself() -> None:
    """It hangs, though it says that all is well; then it answers what it was asked before."""
    printer = Lasting(knows_ids=True)
    cut_off_in(printer, "A")
    printer.hangs = True
    away = Outcome(Ending.FAILED, "The printer does not answer.")
    assert send_paper(printer, untaken, 0.01, after_a_break=True) == away
    asked_again = printer.send

    def hang_again(data: bytes) -> None:
        """All that was asked until now is answered, and what is asked from now on is not."""
        if IN_ORDER in data:
            printer.hangs = False
            while printer.waits:
                answered.append(printer.receive(1.0))
            printer.says.extendleft(each for each in reversed(answered) if each is not None)
            printer.hangs = True
        asked_again(data)

    answered: list[int | None] = []
    printer.send = hang_again  # type: ignore[method-assign]
    assert send_paper(printer, untaken, 0.01, after_a_break=True) == away
    assert answered.count(DONE) >= 2  # of the slip, and of the question before


def untaken() -> bytes:
    raise AssertionError("a slip was taken")
