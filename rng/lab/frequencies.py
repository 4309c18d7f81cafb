"""How often each number came, beside how often it should (X-rng-tests).

Looking at them opens a review at most: statistics never stop a draw and never change one.
"""

from dataclasses import dataclass
from math import exp, lgamma, log

from rng.lab.tally import Tally
from rng.lab.urn import KENO

OUTSIDE = 0.025  # on each side of the band at most
SHARE = KENO.drawn / KENO.numbers


@dataclass(frozen=True)
class Frequencies:
    """How often each number came, and how often it should."""

    counts: tuple[int, ...]  # of 1, 2, ... 80
    expected: float
    low: int  # a fair source keeps a number from here
    high: int  # to here in 95 of 100 series at least

    @property
    def outside(self) -> list[int]:
        """The numbers outside the band: of a fair source up to four of eighty, on average."""
        return [
            number
            for number, count in enumerate(self.counts, 1)
            if not self.low <= count <= self.high
        ]


def frequencies_of(tally: Tally) -> Frequencies:
    """Return how often each number came in the draws of one series."""
    return Frequencies(tuple(tally.numbers), tally.draws * SHARE, *band_of(tally.draws))


def band_of(draws: int) -> tuple[int, int]:
    """Return between which counts a number stays in 95 of 100 series of a fair source, at least.

    In one game a number comes or it does not, and games are independent: a binomial law, whose
    terms are added up.
    """
    below, low = 0.0, 0
    for count in range(draws + 1):
        chance = exp(
            lgamma(draws + 1)
            - lgamma(count + 1)
            - lgamma(draws - count + 1)
            + count * log(SHARE)
            + (draws - count) * log(1 - SHARE)
        )
        if below + chance <= OUTSIDE:
            low = count + 1
        below += chance
        if below >= 1 - OUTSIDE:
            return low, count
    return low, draws
