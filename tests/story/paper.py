"""Helpers of `test_11_paper` that other tests use too."""

from app.flow.spool import Sending, next_paper, note_ending, note_trouble
from app.store.queries.paper import PrinterRow
from printers.devices import device_at
from printers.press import Press
from printers.sending import Ending, send_paper
from tests.floor import Floor

PRESS = Press()

QUICKLY = 0.5


def spool(floor: Floor, printer: PrinterRow) -> Ending | None:
    """Do as the spooler does with the next paper."""
    taken: list[Sending] = []

    def take() -> bytes | None:
        taken.extend(filter(None, [next_paper(floor.office, printer, PRESS)]))
        return taken[0].data if taken else None

    outcome = send_paper(device_at(printer.address), take, QUICKLY)
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
