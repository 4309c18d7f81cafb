"""A station prints elsewhere: a slip on both printers, so that whoever stands there knows of it."""

from collections.abc import Iterator

from printers.layout.common import moment
from printers.paper import Element, Roll, between, line, rule, title, wrapped
from printers.slips import PrinterChange


def printer_change(slip: PrinterChange, roll: Roll) -> Iterator[Element]:
    """Yield who has a station print elsewhere: from where, to where, and until when."""
    yield from title(roll, slip.house)
    yield line("PRINTER CHANGE", centred=True, bold=True)
    yield rule(roll)
    yield from between(roll, "Station", slip.station, bold=True)
    yield from between(roll, "From printer", slip.before)
    yield from between(roll, "To printer", slip.after)
    yield from between(roll, "By supervisor", slip.by)
    yield from wrapped(roll, f"At {moment(slip.at)}")
    until = "Until it is changed." if slip.until is None else f"Until {moment(slip.until)}."
    yield from wrapped(roll, until)
    yield rule(roll)
