"""The paper of a game: its draw record, and the sheet of a limit that was shared."""

from collections.abc import Iterator

from printers.layout.common import moment
from printers.paper import Element, Roll, between, dollars, line, rule, title, wrapped
from printers.slips import AggregateSheet, DrawRecord

IN_A_ROW = 5


def draw_record(slip: DrawRecord, roll: Roll) -> Iterator[Element]:
    """Yield the twenty numbers of a game, in the order in which they were drawn."""
    yield from title(roll, slip.house)
    yield line("DRAW RECORD", centred=True, bold=True)
    yield from title(roll, slip.game)
    yield rule(roll)
    yield from wrapped(roll, moment(slip.drawn_at))
    yield from wrapped(roll, f"Gaming day {slip.day.isoformat()}")
    yield rule(roll)
    for first in range(0, len(slip.numbers), IN_A_ROW):
        row = slip.numbers[first : first + IN_A_ROW]
        yield line(" ".join(f"{number:>2}" for number in row), bold=True, size=2, centred=True)
    yield rule(roll)
    yield from wrapped(roll, f"Record {slip.record}", indent=2)
    yield from wrapped(roll, f"Seal {slip.seal}", indent=2)


def aggregate(slip: AggregateSheet, roll: Roll) -> Iterator[Element]:
    """Yield how the aggregate limit of a game was shared (X-aggregate-sheet)."""
    yield from title(roll, slip.house)
    yield line("AGGREGATE LIMIT", centred=True, bold=True)
    yield from title(roll, slip.game)
    yield rule(roll)
    yield from wrapped(roll, moment(slip.at))
    yield from between(roll, "Limit", dollars(slip.limit.aggregate_cents))
    if slip.limit.in_full_below_cents:
        first = dollars(slip.limit.in_full_below_cents)
        yield from between(roll, "Of each in full, first", first)
    yield from between(roll, "Won", dollars(slip.won_cents))
    yield from between(roll, "PAID", dollars(slip.paid_cents), bold=True)
    if slip.parts > 1:
        yield from wrapped(roll, f"Sheet {slip.part} of {slip.parts}", bold=True)
    yield rule(roll)
    for share in slip.shares:
        amounts = f"{dollars(share.won_cents)} > {dollars(share.paid_cents)}"
        yield from between(roll, share.number, amounts)
