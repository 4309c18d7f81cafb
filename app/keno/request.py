"""The keno request: what the patron marked and wrote, as it stands on the form (15.4(a), 15.4(b)).

Plain values, not yet judged: a number may be off the ticket, groups may overlap, the conditioning
may be unreadable. `check_numbers` judges the marks; the rest takes a rate card (`pricing.quote`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.keno.letters import letter
from app.keno.refusals import Code, Refusal, listed, refusal
from app.keno.spots import NUMBERS, on_the_ticket

REGULAR = "regular"


@dataclass(frozen=True)
class WrittenLine:
    """One line of the conditioning as written: so many ways of so many spots at a rate.

    Without sets it means every way of `spots` spots, and `ways` must be their number. With sets
    (each the places of its groups, rising) it means just those, and the counts may be left out.
    """

    rate_cents: int
    schedule: str = REGULAR
    ways: int | None = None
    spots: int | None = None
    sets: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Request:
    """One filled-in form. Groups come first, then kings, in the order of their letters.

    A quick-pick says how many spots the computer is to pick; its one group stands beside that
    once they are picked (15.1-quick-pick).
    """

    groups: tuple[tuple[int, ...], ...]
    conditioning: str | tuple[WrittenLine, ...]
    games: int = 1
    price_cents: int | None = None
    quick_pick: int | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of spots of each group, also of the one that is still to be picked."""
        if self.quick_pick is not None and not self.groups:
            return (self.quick_pick,)
        return tuple(len(group) for group in self.groups)


def check_numbers(request: Request) -> Iterator[Refusal]:
    """Check the marks: numbers from 1 to 80, each at most once (15.2(a), 15.2(c)2)."""
    sizes = request.sizes
    if request.quick_pick is not None and sizes != (request.quick_pick,):
        yield refusal(Code.QUICK_PICK_ALONE, "quick_pick", spots=request.quick_pick)
    if not sizes:
        yield refusal(Code.NO_NUMBERS, "groups")
    if len(sizes) > NUMBERS:
        yield refusal(Code.TOO_MANY_GROUPS, "groups", count=len(sizes))
        return
    for place, group in enumerate(request.groups):
        yield from _check_group(place, group)
    yield from _check_overlaps(request.groups)


def _check_group(place: int, group: Sequence[int]) -> Iterator[Refusal]:
    name = letter(place)
    where = f"group {name}"
    off = [number for number in group if not on_the_ticket(number)]
    twice = [number for number, times in Counter(group).items() if times > 1]
    if not group:
        yield refusal(Code.EMPTY_GROUP, where, group=name)
    if off:
        yield refusal(Code.OFF_THE_TICKET, where, group=name, numbers=listed(off))
    if twice:
        yield refusal(Code.NUMBER_TWICE, where, group=name, numbers=listed(twice))


def _check_overlaps(groups: Sequence[Sequence[int]]) -> Iterator[Refusal]:
    first_with: dict[int, int] = {}
    for place, group in enumerate(groups):
        shared: dict[int, list[int]] = defaultdict(list)
        for number in set(group):
            if first_with.setdefault(number, place) != place:
                shared[first_with[number]].append(number)
        for other, numbers in shared.items():
            yield refusal(
                Code.OVERLAP,
                f"group {letter(place)}",
                group=letter(other),
                other=letter(place),
                numbers=listed(numbers),
            )
