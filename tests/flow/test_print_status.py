"""What a writer reads of printing: one sentence for the printer, one mark for a ticket."""

import socket
from pathlib import Path

import pytest

from app.flow.print_status import TROUBLES, Level, Mark, PrinterStatus, mark_of, status_of
from app.flow.spool import MOVED
from app.store.queries.paper import Newest
from app.store.tables import PaperState
from printers.devices import Network, Usb
from printers.sending import check_printer
from printers.status import Status
from tests.printing import PRINTING

OUT = "The printer is out of paper."


def b1(**how: object) -> PrinterStatus:
    return PrinterStatus(**({"station": "B1", "code": "P1"} | how))  # type: ignore[arg-type]


@pytest.mark.rule("15.4(c)", "X-recovery")
@pytest.mark.parametrize(
    ("printer", "level", "sentence"),
    [
        (b1(), Level.READY, "Printer P1 is ready."),
        (b1(near_end=True), Level.WARNING, "Printer P1 is low on paper. Have a new roll ready."),
        (b1(waiting=3), Level.READY, "Printer P1 is ready."),
        (
            b1(waiting=3, is_behind=True),
            Level.WARNING,
            (
                "Printer P1 is behind: 3 slips wait, and nothing comes out. "
                "Call a supervisor if this stays."
            ),
        ),
        (
            b1(asked=1, waiting=1, is_behind=True),
            Level.FAULT,
            "Printer P1 did not confirm 1 slip. Look at the paper and press F8.",
        ),
        (
            b1(asked=2),
            Level.FAULT,
            "Printer P1 did not confirm 2 slips. Look at the paper and press F8.",
        ),
        (b1(why=OUT), Level.FAULT, "Printer P1 is out of paper. No slip waits."),
        (
            b1(why=OUT, waiting=1, asked=1),
            Level.FAULT,
            (
                "Printer P1 is out of paper. 1 slip waits and prints automatically when it is "
                "refilled."
            ),
        ),
        (
            b1(why=OUT, waiting=2),
            Level.FAULT,
            (
                "Printer P1 is out of paper. 2 slips wait and print automatically when it is "
                "refilled."
            ),
        ),
        (
            b1(why="The line to the printer broke.", waiting=2),
            Level.FAULT,
            (
                "Printer P1 has a problem: The line to the printer broke. 2 slips wait and "
                "print automatically when that is fixed."
            ),
        ),
        (
            b1(why=OUT, waiting=1, sending=1),
            Level.FAULT,
            "Printer P1 is out of paper. 1 slip was being printed and may be on paper.",
        ),
        (
            b1(why=OUT, waiting=2, sending=1),
            Level.FAULT,
            (
                "Printer P1 is out of paper. 1 slip was being printed and may be on paper. 1 slip "
                "waits and prints automatically when it is refilled."
            ),
        ),
        (
            b1(is_served=False),
            Level.FAULT,
            "No spooler is running for printer P1. No slip waits. Call a supervisor.",
        ),
        (
            b1(is_served=False, why=OUT, waiting=2, asked=1),
            Level.FAULT,
            (
                "No spooler is running for printer P1. 2 slips wait and print automatically when "
                "it is running again. Call a supervisor."
            ),
        ),
        (
            b1(code=None, waiting=2),
            Level.FAULT,
            "Station B1 has no printer. 2 slips wait; an administrator assigns a printer.",
        ),
    ],
)
def test_the_writer_reads_the_most_urgent_thing_in_one_sentence(
    printer: PrinterStatus, level: Level, sentence: str
) -> None:
    assert status_of(printer) == (level, sentence)


@pytest.mark.rule("15.4(c)", "X-recovery")
@pytest.mark.parametrize("state", list(PaperState))
def test_a_slip_is_called_printed_only_where_that_was_confirmed(state: PaperState) -> None:
    for printer in (b1(), b1(why=OUT), b1(code=None)):
        mark, label = mark_of(Newest(0, state, None), printer)
        assert (mark is Mark.PRINTED) == (label == "printed") == (state is PaperState.CONFIRMED)


@pytest.mark.rule("15.4(c)")
def test_what_waits_for_a_printer_that_cannot_print_has_its_trouble_as_its_mark() -> None:
    for state in (PaperState.QUEUED, PaperState.FAILED):
        newest = Newest(0, state, None)
        assert mark_of(newest, b1(why=OUT)) == (Mark.JAMMED, "paper out")
        assert mark_of(newest, b1(why="It smokes.")) == (Mark.JAMMED, "trouble")
        assert mark_of(newest, b1(code=None)) == (Mark.JAMMED, "no printer")
        assert mark_of(newest, b1(is_served=False, why=OUT)) == (Mark.JAMMED, "no spooler")
    asked = Newest(0, PaperState.UNKNOWN, OUT)
    assert mark_of(asked, b1(why=OUT)) == (Mark.UNKNOWN, "printed?")


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_what_was_being_sent_when_printing_stopped_is_not_called_queued() -> None:
    sending = Newest(0, PaperState.SENDING, None)
    assert mark_of(sending, b1()) == (Mark.PRINTING, "printing")
    for stopped in (b1(why=OUT), b1(is_served=False)):
        assert mark_of(sending, stopped) == (Mark.STOPPED, "stopped")
    # It was sent to the printer that the station had; of that nothing is known to be wrong.
    assert mark_of(sending, b1(code=None)) == (Mark.PRINTING, "printing")


def test_every_reason_that_a_printer_reports_has_words_of_its_own(tmp_path: Path) -> None:
    reports = (
        Status(offline=True),
        Status(cover_open=True),
        Status(error=True),
        Status(paper_out=True),
    )
    assert {each.trouble for each in reports} < set(TROUBLES)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        here = Network("127.0.0.1", port, allowed=PRINTING)
        assert check_printer(here) == "The printer does not answer."
    file = tmp_path / "file"
    file.touch()
    reasons = {
        check_printer(Network("127.0.0.1", port, allowed=PRINTING)),  # nothing listens any more
        check_printer(Usb(tmp_path / "nothing", allowed=PRINTING)),
        check_printer(Usb(file, allowed=PRINTING)),
        check_printer(Network("127.0.0.1", port)),
        MOVED,
        "The printer does not answer.",
    }
    assert reasons == set(TROUBLES) - {each.trouble for each in reports}
