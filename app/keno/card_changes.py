"""What a rate card changes for the house: each large change is named, and typed again by two.

A card that quietly gives money away is seen by whoever has to type what it gives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.keno.card_checks import all_figures
from app.keno.money import percent
from app.keno.rate_card import RateCard

NAMED_ABOVE = Fraction(5, 100)


@dataclass(frozen=True)
class Change:
    """What the house keeps of a wager now, and before if it was on offer."""

    schedule: str
    spots: int
    before: Fraction | None
    after: Fraction

    @property
    def words(self) -> str:
        """Return the change as it is shown: regular 8 spots: 25.3% -> 12.1%."""
        before = "new" if self.before is None else percent(self.before, places=1)
        spots = "1 spot" if self.spots == 1 else f"{self.spots} spots"
        return f"{self.schedule} {spots}: {before} -> {percent(self.after, places=1)}"

    @property
    def typed(self) -> str:
        """Return what is typed of it again: regular 8 12.1%."""
        return f"{self.schedule} {self.spots} {percent(self.after, places=1)}"


def large_changes(card: RateCard, before: RateCard | None) -> Iterator[Change]:
    """Yield each wager that is new, or of which the house keeps five points more or less.

    The first card of a house changes nothing.
    """
    if before is None:
        return
    known = all_figures(before)
    for schedule, by_spots in all_figures(card).items():
        for spots, figure in sorted(by_spots.items()):
            old = known.get(schedule, {}).get(spots)
            after = figure.house_advantage
            if old is None:
                yield Change(schedule, spots, None, after)
            elif abs(after - old.house_advantage) > NAMED_ABOVE:
                yield Change(schedule, spots, old.house_advantage, after)


def are_typed(changes: Sequence[Change], text: str) -> bool:
    """Whether a text has each change and nothing else, on a line each: regular 8 12.1%."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    typed = [line if line.endswith("%") else f"{line}%" for line in lines if line]
    return sorted(typed) == sorted(change.typed for change in changes)
