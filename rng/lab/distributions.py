"""P-values: how far out a statistic lies, one by one and in a family."""

from collections.abc import Sequence
from itertools import accumulate
from math import exp, lgamma, log

# Far above the rounding of a double, so that the expansions surely end, and far below what matters.
_PRECISION = 1e-14
_TINY = 1e-300


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Return the chance that a chi-square variable of so many degrees exceeds the statistic.

    It is Q(degrees / 2, statistic / 2), the regularized upper incomplete gamma function.
    """
    if degrees < 1:
        raise ValueError("a chi-square variable has at least one degree of freedom")
    shape, point = degrees / 2, statistic / 2
    if point <= 0:
        return 1.0
    density = exp(shape * log(point) - point - lgamma(shape))
    # Each expansion is used where it converges fast (Abramowitz and Stegun 6.5.29 and 6.5.31).
    if point < shape + 1:
        return max(0.0, 1.0 - density * _lower_series(shape, point))
    return density * _upper_fraction(shape, point)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the p-values adjusted for being a family (Holm 1979), in the order given.

    Accusing where the adjusted value is at most `a` accuses a fair source anywhere in the family
    with a chance of at most `a`, however the tests depend on each other.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    steps = (p_values[place] * (len(order) - rank) for rank, place in enumerate(order))
    adjusted = dict(zip(order, accumulate(steps, max), strict=True))
    return tuple(min(1.0, adjusted[place]) for place in range(len(order)))


def _lower_series(shape: float, point: float) -> float:
    """Sum 1/s + x/(s(s+1)) + x²/(s(s+1)(s+2)) + ... until what is added is nothing to it."""
    term = total = 1 / shape
    while term > total * _PRECISION:
        shape += 1
        term *= point / shape
        total += term
    return total


def _upper_fraction(shape: float, point: float) -> float:
    """Work out 1/(x+1-s- 1(1-s)/(x+3-s- 2(2-s)/(x+5-s- ...))) by Lentz's method.

    Lentz's method keeps the ratios of successive numerators and of successive denominators of the
    convergents; `_TINY` stands for a ratio that happens to be zero.
    """
    base = point + 1 - shape
    above = 1 / _TINY
    below = 1 / base
    value = below
    step = 0
    change = 0.0
    while abs(change - 1) > _PRECISION:
        step += 1
        factor = -step * (step - shape)
        base += 2
        below = 1 / (factor * below + base or _TINY)
        above = base + factor / above or _TINY
        change = above * below
        value *= change
    return value
