"""The type of ticket that the groups and lines amount to (15.2(c)1 to 15.2(c)5).

The type is derived, never claimed by the writer, and then checked against the rule for that type.
Multi-race (15.2(c)6) and quick-pick stand beside the type: a ticket has one rate for all of
its games because its lines do not name a game.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.keno.conditioning import Line
from app.keno.refusals import Code, Refusal, refusal
from app.keno.ways import count_ways_with


class TicketType(StrEnum):
    """The permissible wagers."""

    STRAIGHT = "straight"
    SPLIT = "split"
    WAY = "way"
    COMBINATION = "combination"
    KING = "king"


@dataclass(frozen=True)
class Ticket:
    """What is played: groups as masks (none while a quick-pick waits for its numbers), lines."""

    type: TicketType
    groups: tuple[int, ...]
    lines: tuple[Line, ...]
    games: int
    quick_pick: bool

    @property
    def ways(self) -> int:
        """The number of ways played in each game (15.4(c)8)."""
        return sum(line.ways for line in self.lines)

    @property
    def multi_race(self) -> bool:
        """Whether the ticket plays more than one game (15.2(c)6)."""
        return self.games > 1

    @property
    def price_per_game_cents(self) -> int:
        """The price of one game."""
        return sum(line.price_cents for line in self.lines)

    @property
    def price_cents(self) -> int:
        """The total price, which is printed on the ticket (15.4(c)9)."""
        return self.price_per_game_cents * self.games


def type_of(sizes: Sequence[int], lines: Sequence[Line]) -> TicketType:
    """Return the first type that fits groups of these sizes played on these lines."""
    if len(sizes) == 1 and len(lines) == 1:
        return TicketType.STRAIGHT  # 15.2(c)1: one set of numbers, no groups
    if all(_plays_single_groups(line, sizes) for line in lines):
        return TicketType.SPLIT
    if any(_plays_a_king(line, sizes) for line in lines):
        return TicketType.KING
    if len(set(sizes)) == 1 and len(_rates(lines)) == 1:
        return TicketType.WAY
    return TicketType.COMBINATION  # 15.2(c)4: groups combined as the patron says


def check_type(
    ticket_type: TicketType, sizes: Sequence[int], lines: Sequence[Line]
) -> Iterator[Refusal]:
    """Check what the rule asks of a type beyond what makes a ticket of that type."""
    # 15.2(c)2i: groups of one size are played at one rate. 15.2(c)2ii: where any two sizes
    # differ each group may have its own rate, equal ones too, so there is nothing to check.
    # 15.2(c)3 is not checked here either: equal groups that combine at several rates make a
    # combination ticket, on which the patron says how the groups combine.
    if ticket_type is TicketType.SPLIT and len(set(sizes)) == 1 and len(_rates(lines)) > 1:
        yield refusal(Code.SPLIT_ONE_RATE, "conditioning", spots=sizes[0])


def _rates(lines: Sequence[Line]) -> set[tuple[int, str]]:
    """A rate is an amount and the schedule it buys."""
    return {(line.rate_cents, line.schedule) for line in lines}


def _plays_single_groups(line: Line, sizes: Sequence[int]) -> bool:
    """Whether each way of the line is one group, judged alone (15.2(c)2)."""
    if line.sets:
        return all(len(groups) == 1 for groups in line.sets)
    return line.ways == sizes.count(line.spots)


def _plays_a_king(line: Line, sizes: Sequence[int]) -> bool:
    """Whether some way of the line joins a single number with another group (15.2(c)5)."""
    if line.sets:
        return any(
            len(groups) > 1 and any(sizes[group] == 1 for group in groups) for groups in line.sets
        )
    return 1 in sizes and line.spots > 1 and line.spots in count_ways_with(1, sizes, line.spots)
