"""How often numbers come, and the band in which a fair source keeps them."""

from fractions import Fraction
from math import comb

import pytest

from app.audit.draw_statistics import statistics_of
from rng.lab.frequencies import band_of

pytestmark = pytest.mark.rule("X-rng-tests")


def chance(draws: int, low: int, high: int) -> Fraction:
    """The chance that a number comes so often, added up exactly: it comes in one game of four."""
    return sum(
        (comb(draws, count) * Fraction(1, 4) ** count * Fraction(3, 4) ** (draws - count))
        for count in range(low, high + 1)
    ) or Fraction(0)


@pytest.mark.parametrize("draws", [1, 2, 7, 20, 100, 400])
def test_the_band_holds_95_of_100_and_no_side_can_be_cut(draws: int) -> None:
    low, high = band_of(draws)
    side = Fraction(25, 1000)
    assert chance(draws, 0, low - 1) <= side < chance(draws, 0, low)
    assert chance(draws, high + 1, draws) <= side < chance(draws, high, draws)


def test_a_number_that_comes_too_often_stands_outside() -> None:
    draws = [list(range(1, 21))] * 50 + [list(range(start, start + 20)) for start in (21, 41, 61)]
    found = statistics_of(draws).frequencies
    assert found.counts == (50,) * 20 + (1,) * 60
    assert len(found.outside) == 80
    assert found.expected == 53 / 4


def test_what_is_no_draw_is_told_and_nothing_is_tested() -> None:
    found = statistics_of([[1, 2, 3]])
    assert found.fault == "draw 1 has 3 numbers, not 20"
    assert found.report.draws == 0
