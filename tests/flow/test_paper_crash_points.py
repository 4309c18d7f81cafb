"""Kill -9 at every statement of what is done with paper: what is printed is never sent unmarked."""

from collections.abc import Callable
from functools import partial
from itertools import count

import pytest

from app.flow.reprint import Again, Seen, reprint, say_printed
from app.flow.spool import interrupted, next_paper, note_ending
from app.store.queries.paper import PrinterRow
from printers.press import Press
from tests.crashing import Act, dies, killed_everywhere, number_of, on
from tests.depth import CRASH_STEP
from tests.floor import Floor
from tests.looking import rows

pytestmark = on("sqlite")

PRESS = Press()


def printed(floor: Floor, printer: PrinterRow, ending: str) -> int:
    """Print the next paper, which ends so; return which it was."""
    sending = next_paper(floor.office, printer, PRESS)
    assert sending is not None
    note_ending(floor.office, sending, ending, None)
    return sending.entry


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_a_reprint_that_dies_anywhere_is_one_copy_or_none(floor: Floor) -> None:
    printer, wanda = floor.printer_at("B1"), floor.writing()
    printed(floor, printer, "confirmed")

    def prepare() -> Act:
        number = floor.sell(wanda)["number"]
        printed(floor, printer, "confirmed")
        asked = floor.request_id()
        return lambda here: reprint(here.office, wanda, Again("torn", ticket=number), asked)

    prepare_and_print = partial(_then_print, floor, printer, prepare)
    assert killed_everywhere(floor, prepare_and_print, _copies(floor)).places > 6
    assert number_of(floor, "reprint") == number_of(floor, "ticket")


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_what_a_writer_says_of_a_paper_is_said_once_wherever_it_dies(floor: Floor) -> None:
    printer, wanda = floor.printer_at("B1"), floor.writing()
    printed(floor, printer, "confirmed")

    def prepare() -> Act:
        floor.sell(wanda)
        seen = Seen(printed(floor, printer, "unknown"), 0, printed=False)
        asked = floor.request_id()
        return lambda here: say_printed(here.office, wanda, seen, asked)

    prepare_and_print = partial(_then_print, floor, printer, prepare)
    assert killed_everywhere(floor, prepare_and_print, _copies(floor)).places > 6
    assert number_of(floor, "reprint") == number_of(floor, "ticket")


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_a_spooler_that_dies_anywhere_sends_no_paper_twice(floor: Floor) -> None:
    """Whoever looks next sends what was not marked as sent, and asks about what was."""
    printer, wanda = floor.printer_at("B1"), floor.writing()
    printed(floor, printer, "confirmed")
    sent = partial(number_of, floor, "paper_event WHERE state = 'sending'")
    for point in count(step=CRASH_STEP):
        floor.sell(wanda)
        before = sent()
        died = dies(floor, point, lambda here: printed(here, printer, "confirmed"))
        assert sent() in {before, before + 1}
        interrupted(floor.office, printer)
        waits = rows(floor, "SELECT entry, state FROM queued_paper")
        if waits and waits[0][1] == "queued":
            printed(floor, printer, "confirmed")
        elif waits:
            assert waits[0][1] == "unknown"
            seen = Seen(waits[0][0], 0, printed=True)
            say_printed(floor.office, wanda, seen, floor.request_id())
        assert sent() == before + 1
        assert number_of(floor, "queued_paper") == 0
        if not died:
            break
    assert point > 8
    floor.check_books()


def _copies(floor: Floor) -> partial[int]:
    return partial(number_of, floor, "reprint")


def _then_print(floor: Floor, printer: PrinterRow, prepare: Callable[[], Act]) -> Act:
    """Print the copy of the act before, so that the next paper is the next ticket's."""
    while rows(floor, "SELECT entry FROM queued_paper"):
        printed(floor, printer, "confirmed")
    return prepare()
