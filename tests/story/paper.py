"""Helpers of `test_11_paper` that other tests use too."""

from contextlib import ExitStack
from functools import partial
from unittest.mock import patch

from app.flow.spool import Sending, next_paper, note_ending, note_trouble
from app.store.queries.paper import PrinterRow
from printers.devices import device_at
from printers.press import Press
from printers.sending import Ending, send_paper
from tests.floor import Floor
from tests.printing import PRINTING
from tests.waiting import PATIENCE

PRESS = Press()

# Seconds for a printer that a test has silenced. One that works has all the time it needs, however
# busy the machine is.
QUICKLY = 0.05


def spool(
    floor: Floor,
    printer: PrinterRow,
    *,
    before: float = PATIENCE,
    done: float = PATIENCE,
    after: float = PATIENCE,
) -> Ending | None:
    """Do as the spooler does with the next slip.

    Args:
        floor: the house.
        printer: the printer it is sent to.
        before: seconds for each answer until the slip is taken.
        done: seconds until the printer says that it has printed the slip.
        after: seconds for each answer once the slip was taken.
    """
    taken: list[Sending] = []

    with ExitStack() as patched:
        answer_within = partial(patch, "printers.sending.ANSWER_SECONDS")
        patched.enter_context(answer_within(before))
        patched.enter_context(patch("printers.sending._seconds_of", lambda _data: 0.0))

        def take() -> bytes | None:
            taken.extend(filter(None, [next_paper(floor.office, printer, PRESS)]))
            patched.enter_context(answer_within(after))
            return taken[0].data if taken else None

        outcome = send_paper(device_at(printer.address, PRINTING), take, done)
    if outcome is None:
        return None
    if taken:
        ended = (taken[0], outcome.ending.value, outcome.why)
        note_ending(floor.office, *ended, near_end=outcome.paper_near_end)
    else:
        note_trouble(floor.office, printer, outcome.why or "")
    return outcome.ending


def spool_all(floor: Floor, printer: PrinterRow) -> int:
    """Print all that waits; return how much it was."""
    count = 0
    while spool(floor, printer) is not None:
        count += 1
    return count
