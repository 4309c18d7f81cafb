"""The draws of a series as the laboratory tests them, and how often each number came (X-rng-tests).

Looking at them opens a review at most: statistics never stop a draw and never change one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rng.lab.frequencies import Frequencies, frequencies_of
from rng.lab.statistics import BadDraws, Report, judge
from rng.lab.tally import Tally
from rng.lab.urn import KENO


@dataclass(frozen=True)
class Statistics:
    """What the tests say of a series of draws."""

    report: Report
    frequencies: Frequencies
    fault: str | None = None  # why nothing was tested


def statistics_of(draws: Sequence[Sequence[int]]) -> Statistics:
    """Test the draws of one series, in the order of the games."""
    tally = Tally(KENO)
    try:
        tally.add(draws)
    except BadDraws as odd:
        nothing = Frequencies((0,) * KENO.numbers, 0.0, 0, 0)
        return Statistics(judge(Tally(KENO)), nothing, str(odd))
    return Statistics(judge(tally), frequencies_of(tally))
