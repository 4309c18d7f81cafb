"""A ticket in words, as a writer reads it back to the patron before it is paid for."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from app.keno.conditioning import Line
from app.keno.money import dollars
from app.keno.request import REGULAR
from app.keno.ticket import Ticket

COUNTS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
SHAPES_SHOWN = 3


def in_words(ticket: Ticket) -> str:
    """Return a ticket in words: two 4-spots and one 8-spot at $1.00, five games: $15.00."""
    runs = []
    for (rate_cents, schedule), run in groupby(
        ticket.lines, lambda line: (line.rate_cents, line.schedule)
    ):
        ways = _listed([_ways(line) for line in run])
        special = "" if schedule == REGULAR else f" {schedule}"
        runs.append(f"{ways} at {dollars(rate_cents)}{special}")
    picked = "quick-pick, " if ticket.quick_pick else ""
    games = "one game" if ticket.games == 1 else f"{_count(ticket.games)} games"
    return f"{picked}{', '.join(runs)}, {games}: {dollars(ticket.price_cents)}"


def _ways(line: Line) -> str:
    return f"{_count(line.ways)} {line.spots}-spot{'' if line.ways == 1 else 's'}"


def _count(number: int) -> str:
    return COUNTS[number] if number < len(COUNTS) else f"{number:,}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def double_meanings(sizes: Sequence[int], lines: Sequence[Line]) -> Iterator[str]:
    """Yield where a line takes ways of different shapes, and the patron may have meant one of them.

    With groups of 4, 2 and 2 spots, 2/4 is the group of 4 and also both groups of 2.
    """
    for line in lines:
        if line.sets:
            continue
        shapes = list(islice(_shapes(sorted(sizes, reverse=True), line.spots), SHAPES_SHOWN + 1))
        if len(shapes) > 1:
            told = ["+".join(map(str, shape)) for shape in shapes[:SHAPES_SHOWN]]
            more = " and more" if len(shapes) > SHAPES_SHOWN else ""
            yield f"The {line.spots}-spots are groups of {_listed(told)}{more}: are all meant?"


def _shapes(sizes: Sequence[int], spots: int) -> Iterator[tuple[int, ...]]:
    """Yield the different sizes of groups that come to so many spots together, falling."""
    if spots == 0:
        yield ()
        return
    for place, size in enumerate(sizes):
        if size > spots or (place and sizes[place - 1] == size):
            continue
        for rest in _shapes(sizes[place + 1 :], spots - size):
            yield (size, *rest)
