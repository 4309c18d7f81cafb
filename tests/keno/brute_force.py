"""Keno by brute force: every way listed, every number looked at. Slow, short, and obviously right.

It shares nothing with `app.keno` but the values that describe a ticket and a card.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, comb, floor

from app.keno.conditioning import Line
from app.keno.rate_card import RateCard


def ways_of(groups: Sequence[Sequence[int]], line: Line) -> Iterator[frozenset[int]]:
    """List the ways of a line: the listed sets, or each subset of the groups with its spots."""
    if line.sets:
        subsets = [tuple(groups[place] for place in places) for places in line.sets]
    else:
        subsets = [
            subset
            for count in range(1, len(groups) + 1)
            for subset in combinations(groups, count)
            if sum(len(group) for group in subset) == line.spots
        ]
    for subset in subsets:
        yield frozenset(number for group in subset for number in group)


@dataclass(frozen=True)
class Grade:
    catches: tuple[dict[int, int], ...]
    wins: tuple[Fraction, ...]
    win_cents: int


def grade(
    groups: Sequence[Sequence[int]], lines: Sequence[Line], draw: Sequence[int], card: RateCard
) -> Grade:
    """Grade a ticket way by way."""
    catches = []
    wins = []
    for line in lines:
        schedule = card.schedules[line.schedule]
        caught = [len(way & set(draw)) for way in ways_of(groups, line)]
        pays = [schedule.pays_cents.get(line.spots, {}).get(catch, 0) for catch in caught]
        catches.append(dict(Counter(caught)))
        wins.append(
            sum((Fraction(pay * line.rate_cents, schedule.base_cents) for pay in pays), Fraction(0))
        )
    win_cents = rounded(sum(wins, Fraction(0)), card.limits.rounding)
    limit = card.limits.aggregate_cents
    return Grade(tuple(catches), tuple(wins), win_cents if limit is None else min(win_cents, limit))


def rounded(exact: Fraction, rule: str) -> int:
    """Round by looking at the two neighbours."""
    below = int(exact)
    if exact == below or rule == "down":
        return below
    if rule == "half-up" and exact - below < Fraction(1, 2):
        return below
    return below + 1


def advantages(card: RateCard, spots: int, rate_cents: int) -> Iterator[Fraction]:
    """What is left of a one-line regular ticket: rounded for one way, unrounded for many."""
    schedule, limits = card.schedules["regular"], card.limits
    exactly = rounded = Fraction(0)
    for caught, pay in schedule.pays_cents[spots].items():
        chance = Fraction(comb(spots, caught) * comb(80 - spots, 20 - caught), comb(80, 20))
        win = Fraction(pay * rate_cents, schedule.base_cents)
        cents = {"up": ceil(win), "down": floor(win), "half-up": floor(win + Fraction(1, 2))}
        most = win + 1 if limits.aggregate_cents is None else limits.aggregate_cents
        exactly += chance * min(win, most)
        rounded += chance * min(cents[limits.rounding], most)
    yield 1 - exactly * Fraction(1, rate_cents)
    yield 1 - rounded * Fraction(1, rate_cents)
