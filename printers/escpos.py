"""Elements as bytes: python-escpos writes them, for a printer whose width is known.

The validation code is not in them. Where it belongs stand fillers, bytes that no slip has anywhere
else; the code is put in when the bytes are sent. So what is stored shows nobody a code, and the
hash of the true bytes shows what was on paper.
"""

import os
import shutil
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from printers.paper import (
    CodeBars,
    CodeDigits,
    CodeQr,
    Cut,
    Element,
    Line,
    Roll,
    Span,
)

if TYPE_CHECKING:
    from escpos.printer import Dummy

PROFILES = {"80mm": "TM-T88V", "58mm": "Sunmi-V2"}
CODE_PAGE = "CP437"

CODE_DIGITS = 25  # as they are typed
NUMBER_DIGITS = 11  # with more, bars of two dots would not fit on wide paper
SCAN_DIGITS = NUMBER_DIGITS + CODE_DIGITS  # as they are scanned: the ticket's number, then the code
FILLER = b"\xf1"  # of a digit, or of two digits in the bars
GROUP = 5
BAR_DOTS, BAR_HEIGHT = 2, 80
QR_DOTS = 6

KICK = b"\x1bp\x00\x19\xfa"  # opens the cash drawer: pin 2, 50 ms on, 500 ms off
IN_ORDER = b"\x1dr\x01"  # answered when all that was sent before it is done: the paper sensor
# Four letters follow, and are answered when all that was sent before them is done, by printers that
# know the ids of processes (GS ( H, function 48).
IDENTIFY = b"\x1d(H\x06\x0000"
ID_ANSWER, ID_END = b"\x37\x22", b"\x00"
QUIET = b"\x1da\x00"  # nothing is said that was not asked for
# Ends whatever command a broken line left half sent, or the next bytes would be taken for its data:
# as many bytes as our longest command has, which mean nothing by themselves.
CLEARED = b"\x00" * 64
CUT = b"\x1bd\x06\x1dV\x00"  # behind what hangs in front of the knife
CUT_OFF = CLEARED + b"\x1b@\n" + CUT  # what a broken line left hanging


def to_bytes(elements: Sequence[Element], roll: Roll) -> bytes:
    """Return the bytes of a paper, with fillers for the code."""
    printer = _printer(roll)
    printer._raw(b"\x1b@")  # noqa: SLF001  whatever was set before is forgotten
    printer.charcode(CODE_PAGE)
    for element in elements:
        match element:
            case Line():
                _line(printer, element)
            case CodeDigits():
                groups = [FILLER * GROUP] * (CODE_DIGITS // GROUP)
                printer.set(align="center", bold=True, normal_textsize=True)
                printer._raw(b" ".join(groups) + b"\n")  # noqa: SLF001
            case CodeBars():
                _bars(printer, roll)
            case CodeQr():
                _qr(printer, roll)
            case Cut():
                printer.set(align="left")
                # Not left to the library: for a printer without a cutter it would send none, and
                # such a printer takes it for nothing.
                printer._raw(CUT)  # noqa: SLF001
    data: bytes = printer.output
    return data


def with_code(stored: bytes, number: int, code: str) -> bytes:
    """Return the true bytes of a paper: the code put in where the fillers stand."""
    scan = scan_of(number, code)
    typed = b" ".join(code[at : at + GROUP].encode() for at in range(0, CODE_DIGITS, GROUP))
    blank = b" ".join([FILLER * GROUP] * (CODE_DIGITS // GROUP))
    pairs = bytes(int(scan[at : at + 2]) for at in range(0, SCAN_DIGITS, 2))
    true = stored.replace(FILLER * SCAN_DIGITS, scan.encode())
    true = true.replace(FILLER * (SCAN_DIGITS // 2), pairs)
    return true.replace(blank, typed)


def scan_of(number: int, code: str) -> str:
    """Return what a scanner reads from a ticket.

    Raises:
        ValueError: a code or a number that no ticket has.
    """
    if not (code.isascii() and code.isdigit() and len(code) == CODE_DIGITS):
        raise ValueError("a code has 25 digits")
    if not 0 < number < 10**NUMBER_DIGITS:
        raise ValueError("a ticket's number has up to 11 digits")
    return f"{number:0{NUMBER_DIGITS}}{code}"


def _printer(roll: Roll) -> "Dummy":
    """Return a printer that keeps what is sent to it."""
    return _library()(profile=PROFILES[roll.name])


@cache
def _library() -> "type[Dummy]":
    """Load python-escpos when the first paper is made, and not with every process that starts.

    It reads a list of every printer that there is, which takes half a second, and leaves a copy of
    it behind, in a folder that it makes each time.
    """
    from escpos import capabilities  # noqa: PLC0415  not before it is needed
    from escpos.printer import Dummy  # noqa: PLC0415  nor this

    if "ESCPOS_CAPABILITIES_PICKLE_DIR" not in os.environ:
        shutil.rmtree(capabilities.pickle_dir, ignore_errors=True)
    library: type[Dummy] = Dummy
    return library


def _line(printer: "Dummy", line: Line) -> None:
    """Write a line; what is said about style is said where it changes."""
    size = {"custom_size": True, "width": line.size, "height": line.size}
    if line.size == 1:
        size = {"normal_textsize": True}
    printer.set(align="center" if line.centred else "left", bold=False, invert=False, **size)
    plain = Span("")
    before = plain
    for span in (*line.spans, plain):
        changed: dict[str, bool] = {}
        if span.bold != before.bold:
            changed["bold"] = span.bold
        if span.inverse != before.inverse:
            changed["invert"] = span.inverse
        if changed:
            printer.set(**changed)
        printer._raw(span.text.encode("ascii"))  # noqa: SLF001  checked, and in the code page
        before = span
    printer._raw(b"\n")  # noqa: SLF001


def _bars(printer: "Dummy", roll: Roll) -> None:
    pairs = SCAN_DIGITS // 2
    blank = _printer(roll)
    # Not by its public name, which also prints on the screen that it writes bars.
    blank._hw_barcode(  # noqa: SLF001
        "{C" + "\0" * pairs,  # in set C each byte is two digits
        "CODE128",
        height=BAR_HEIGHT,
        width=BAR_DOTS,
        pos="OFF",
        function_type="B",
        check=False,
    )
    printer._raw(blank.output.replace(b"\0" * pairs, FILLER * pairs))  # noqa: SLF001


def _qr(printer: "Dummy", roll: Roll) -> None:
    blank = _printer(roll)
    blank.qr("0" * SCAN_DIGITS, native=True, size=QR_DOTS, ec=1)
    digits, fillers = b"0" * SCAN_DIGITS, FILLER * SCAN_DIGITS
    printer.set(align="center")
    printer._raw(blank.output.replace(b"1P0" + digits, b"1P0" + fillers))  # noqa: SLF001
    printer._raw(b"\n")  # noqa: SLF001
