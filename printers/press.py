"""The press: a slip becomes the bytes of a paper. What the back office hands in are values."""

from printers.escpos import KICK, to_bytes, with_code
from printers.layout import copy_band, laid_out
from printers.paper import ROLLS
from printers.slips import Slip


class Press:
    """How paper is made, for the spooler."""

    kick = KICK

    def make(self, slip: Slip, roll: str) -> bytes:
        """Return the bytes of a slip, with fillers for the code.

        Raises:
            Unprintable: a text of it cannot be printed.
        """
        return to_bytes(laid_out(slip, ROLLS[roll]), ROLLS[roll])

    def with_code(self, data: bytes, number: int, code: str) -> bytes:
        """Return the bytes with the code of a ticket in them."""
        return with_code(data, number, code)

    def band(self, copy: int, roll: str) -> bytes:
        """Return what is printed above a copy."""
        return to_bytes(copy_band(ROLLS[roll], copy), ROLLS[roll])
