"""How many ways there are, and what they catch, without listing them.

The ways of k spots are the subsets of the groups with k spots together. Their number is the
coefficient of x^k in the product of (1 + x^size) over the groups; how many of them catch c is
the coefficient of x^k y^c in the product of (1 + x^size y^caught). The product is multiplied out
one group at a time, up to the largest k that is asked for, so the cost follows the number of
groups and spots and not the number of ways: the 1.6 million million ways of 80 kings played ten
at a time are counted in less than a millisecond.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import comb

from app.keno.spots import DRAWN, NUMBERS

# A polynomial in y is kept in one integer, its coefficients being digits of 80 bits: there are at
# most 80 groups, so no count of their subsets needs more. Multiplying by y^c is a shift.
_DIGIT_BITS = NUMBERS
_DIGIT = (1 << _DIGIT_BITS) - 1


def count_ways(sizes: Sequence[int], spots_max: int) -> Mapping[int, int]:
    """Return the number of ways of each number of spots, up to a largest one."""
    product = _product(((size, 0) for size in sizes), spots_max)
    return {spots: ways for spots, ways in enumerate(product) if spots and ways}


def count_ways_with(size: int, sizes: Sequence[int], spots_max: int) -> Mapping[int, int]:
    """Return the number of ways, by spots, that one given group of this size is part of."""
    others = list(sizes)
    others.remove(size)
    product = _product(((other, 0) for other in others), spots_max - size)
    return {spots + size: ways for spots, ways in enumerate(product) if ways}


def count_catches(
    groups: Sequence[int], draw: int, spots_played: Sequence[int]
) -> Mapping[int, Mapping[int, int]]:
    """Return, for each number of spots played, how many of its ways caught how many numbers."""
    sizes_and_catches = ((group.bit_count(), (group & draw).bit_count()) for group in groups)
    product = _product(sizes_and_catches, max(spots_played))
    return {spots: dict(_digits(product[spots])) for spots in spots_played}


def most_catching(marked: int, spots: int, ways: int) -> Sequence[Mapping[int, int]]:
    """Return, for each number of marked numbers a draw may hit, a bound on the ways by catch.

    Whatever the groups are, a way is one of the sets of `spots` among the marked numbers, and
    there are no more ways than the line plays.
    """
    return [
        {
            caught: min(ways, comb(hit, caught) * comb(marked - hit, spots - caught))
            for caught in range(min(hit, spots) + 1)
        }
        for hit in range(max(0, DRAWN - (NUMBERS - marked)), min(DRAWN, marked) + 1)
    ]


def _product(sizes_and_catches: Iterable[tuple[int, int]], spots_max: int) -> list[int]:
    """Multiply out (1 + x^size y^caught) over the groups, up to x^spots_max.

    Place k of the product is the polynomial in y that belongs to x^k. A subset with k spots
    either leaves a group out or takes it, and then the others have `size` fewer.
    """
    product = [1] + [0] * spots_max
    for size, caught in sizes_and_catches:
        shift = caught * _DIGIT_BITS
        for spots in range(spots_max, size - 1, -1):
            product[spots] += product[spots - size] << shift
    return product


def _digits(polynomial: int) -> Iterable[tuple[int, int]]:
    """Return the exponents of a polynomial in y with their coefficients, where there are any."""
    caught = 0
    while polynomial:
        ways = polynomial & _DIGIT
        if ways:
            yield caught, ways
        polynomial >>= _DIGIT_BITS
        caught += 1
