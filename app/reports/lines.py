"""Rows as lines of letters of one width, for tables too long to be set cell by cell.

A row is one line, or several where a text does not fit; nothing is left out.
"""

from collections.abc import Sequence
from itertools import zip_longest

BETWEEN = "  "


def widths_for(rows: Sequence[Sequence[str]], may_wrap: Sequence[bool], room: int) -> list[int]:
    """Return how many letters wide each column is, so that a line fits.

    Args:
        rows: what the widths are made for, the heads among them.
        may_wrap: which columns give way where there is not room for all.
        room: the letters of a line.
    """
    wanted = [max(1, *map(len, column)) for column in zip(*rows, strict=True)]
    over = sum(wanted) + len(BETWEEN) * (len(wanted) - 1) - room
    giving = [place for place, wraps in enumerate(may_wrap) if wraps]
    while over > 0 and giving:
        widest = max(giving, key=lambda place: wanted[place])
        if wanted[widest] == 1:
            break
        wanted[widest] -= 1
        over -= 1
    return wanted


def lines_of(
    cells: Sequence[str], widths: Sequence[int], to_the_right: Sequence[bool]
) -> list[str]:
    """Return a row as lines."""
    if all(map(int.__le__, map(len, cells), widths)):
        parts = [cells]
    else:
        cut = [_cut(cell, width) for cell, width in zip(cells, widths, strict=True)]
        parts = list(zip_longest(*cut, fillvalue=""))
    return [
        BETWEEN.join(
            part.rjust(width) if right else part.ljust(width)
            for part, width, right in zip(line, widths, to_the_right, strict=True)
        ).rstrip()
        for line in parts
    ]


def _cut(text: str, width: int) -> list[str]:
    """Return a text in pieces of a width, parted between words where that can be."""
    pieces = []
    while len(text) > width:
        space = text.rfind(" ", 1, width + 1)
        end = space if space > 0 else width
        pieces.append(text[:end])
        text = text[end:].removeprefix(" ") if space > 0 else text[end:]
    return [*pieces, text]
