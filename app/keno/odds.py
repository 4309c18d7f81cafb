"""The chance of each catch, exactly (15.1-advantage, X-card-odds).

Of the C(80, 20) draws, C(k, c) C(80 - k, 20 - c) catch c of the k spots of a way.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb
from types import MappingProxyType

from app.keno.spots import DRAWN, NUMBERS

DRAWS = comb(NUMBERS, DRAWN)


def possible_catches(spots: int) -> range:
    """Return every number of catches that a way of so many spots can have."""
    return range(max(0, DRAWN - (NUMBERS - spots)), min(spots, DRAWN) + 1)


@cache
def draws_catching(spots: int) -> Mapping[int, int]:
    """Return how many draws give each possible catch of a way with 1 to 80 spots."""
    return MappingProxyType(
        {
            caught: comb(spots, caught) * comb(NUMBERS - spots, DRAWN - caught)
            for caught in possible_catches(spots)
        }
    )


def catch_odds(spots: int) -> Mapping[int, Fraction]:
    """Return the probability of each possible catch of a way with 1 to 80 spots."""
    return {caught: Fraction(draws, DRAWS) for caught, draws in draws_catching(spots).items()}
