"""The test page: everything that a printer must be able to do."""

from collections.abc import Iterator

from printers.layout.common import moment
from printers.paper import Element, Line, Roll, Span, line, rule, title, wrapped
from printers.slips import TestPage


def test_page(slip: TestPage, roll: Roll) -> Iterator[Element]:
    """Yield a page on which each way of printing is seen."""
    yield from title(roll, slip.house)
    yield line("TEST PAGE", centred=True, bold=True)
    yield rule(roll)
    yield from wrapped(roll, f"Printer {slip.printer}")
    yield from wrapped(roll, moment(slip.at))
    yield rule(roll)
    printable = "".join(chr(code) for code in range(ord(" "), ord("~") + 1))
    for first in range(0, len(printable), roll.columns):
        yield line(printable[first : first + roll.columns])
    yield Line((Span("bold", bold=True), Span(" "), Span("inverse", inverse=True)))
    yield line("large", size=2)
    yield line("centred", centred=True)
    numbers = "1234567890" * 5
    yield line(numbers[: roll.columns])
