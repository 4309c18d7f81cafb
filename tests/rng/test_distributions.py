"""P-values against published tables and closed forms."""

from fractions import Fraction
from math import erfc, exp, fsum, lgamma, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.lab.distributions import chi_square_tail, holm
from rng.lab.urn import KENO, Urn
from tests.rng.small_urns import sets

pytestmark = pytest.mark.rule("X-rng-tests")

# Critical values of the chi-square distribution, to three decimals, as the standard tables print
# them (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4).
TABLE = [
    (1, 0.05, 3.841),
    (1, 0.01, 6.635),
    (2, 0.10, 4.605),
    (5, 0.05, 11.070),
    (10, 0.99, 2.558),
    (10, 0.95, 3.940),
    (10, 0.05, 18.307),
    (10, 0.01, 23.209),
    (10, 0.001, 29.588),
    (30, 0.05, 43.773),
    (79, 0.05, 100.749),
    (79, 0.01, 111.144),
    (100, 0.95, 77.929),
    (100, 0.05, 124.342),
    (100, 0.01, 135.807),
    (100, 0.001, 149.449),
]


@pytest.mark.parametrize(("degrees", "p_value", "critical"), TABLE)
def test_the_tail_agrees_with_the_published_tables(
    degrees: int, p_value: float, critical: float
) -> None:
    assert chi_square_tail(critical - 0.0005, degrees) >= p_value
    assert chi_square_tail(critical + 0.0005, degrees) <= p_value


@given(st.integers(1, 2000), st.floats(0.2, 3))
def test_the_tail_of_even_degrees_is_a_sum_of_poisson_chances(half: int, ratio: float) -> None:
    point = half * ratio
    poisson = fsum(exp(j * log(point) - point - lgamma(j + 1)) for j in range(half))
    assert chi_square_tail(2 * point, 2 * half) == pytest.approx(poisson, rel=1e-9, abs=1e-15)


@given(st.floats(1e-6, 1000))
def test_the_tail_of_one_degree_is_that_of_a_squared_normal(statistic: float) -> None:
    normal = erfc(sqrt(statistic / 2))
    assert chi_square_tail(statistic, 1) == pytest.approx(normal, rel=1e-11, abs=1e-15)


@given(st.integers(1, 4000), st.floats(0, 1e9), st.floats(0, 1e9))
def test_the_tail_is_a_chance_that_never_grows(degrees: int, one: float, other: float) -> None:
    low, high = sorted([one, other])
    near, far = chi_square_tail(low, degrees), chi_square_tail(high, degrees)
    assert 0 <= far <= near + 1e-12
    assert near <= 1


def test_nothing_is_certain_and_the_utmost_is_impossible() -> None:
    assert chi_square_tail(0, 79) == 1
    assert chi_square_tail(1e12, 79) == 0


def test_no_degrees_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one degree"):
        chi_square_tail(1, 0)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ((), ()),
        ((0.2,), (0.2,)),
        ((0.01, 0.04, 0.03, 0.005), (0.03, 0.06, 0.06, 0.02)),
        ((0.6, 0.6), (1, 1)),
    ],
)
def test_a_family_is_adjusted_step_by_step(
    p_values: tuple[float, ...], adjusted: tuple[float, ...]
) -> None:
    assert holm(p_values) == pytest.approx(adjusted)


@pytest.mark.parametrize("urn", [Urn(6, 3), Urn(7, 3), Urn(5, 4), Urn(3, 3)])
def test_chances_are_those_of_listing_every_draw(urn: Urn) -> None:
    draws = sets(urn)
    for count in range(urn.drawn + 1):
        given_numbers = set(range(1, count + 1))
        coming = sum(given_numbers <= set(draw) for draw in draws)
        assert urn.together(count) == Fraction(coming, len(draws))
        common = sum(len(set(draw) & set(draws[0])) == count for draw in draws)
        assert urn.overlap_chances()[count] == Fraction(common, len(draws))


def test_five_numbers_repeat_on_average() -> None:
    chances = KENO.overlap_chances()
    assert sum(chances) == 1
    assert sum(common * chance for common, chance in enumerate(chances)) == 5
