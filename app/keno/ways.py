"""How many ways there are, and what they catch, without listing them.

The ways of k spots are the subsets of the groups with k spots together. Their number is the
coefficient of x^k in the product of (1 + x^size) over the groups; how many of them catch c is
the coefficient of x^k y^c in the product of (1 + x^size y^caught). Groups of one kind are taken
together: m of them give the sum over i of C(m, i) x^(i size) y^(i caught). So the cost follows
the number of *kinds* of groups and of spots, and not the number of ways: the 1.6 million million
ways of 80 kings played ten at a time cost about as much as the 190 of a 190-way-8.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import comb

from app.keno.spots import DRAWN, NUMBERS


def count_ways(sizes: Sequence[int]) -> Mapping[int, int]:
    """Return the number of ways of each number of spots that groups of these sizes make."""
    return {spots: ways for spots, ways in _subsets(sizes).items() if spots}


def count_ways_with(size: int, sizes: Sequence[int]) -> Mapping[int, int]:
    """Return the number of ways, by spots, that one given group of this size is part of."""
    others = list(sizes)
    others.remove(size)
    return {spots + size: ways for spots, ways in _subsets(others).items()}


def count_catches(
    groups: Sequence[int], draw: int, spots_played: Sequence[int]
) -> Mapping[int, Mapping[int, int]]:
    """Return, for each number of spots played, how many of its ways caught how many numbers."""
    kinds = Counter((group.bit_count(), (group & draw).bit_count()) for group in groups)
    table = _product(kinds, max(spots_played))
    return {
        spots: {caught: ways for (total, caught), ways in sorted(table.items()) if total == spots}
        for spots in spots_played
    }


@lru_cache(maxsize=4096)
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


def _subsets(sizes: Sequence[int]) -> Mapping[int, int]:
    """Return the number of subsets of the groups by their spots, the empty one among them."""
    kinds = Counter((size, 0) for size in sizes)
    return {spots: count for (spots, _), count in _product(kinds, NUMBERS).items()}


def _product(kinds: Mapping[tuple[int, int], int], spots_max: int) -> dict[tuple[int, int], int]:
    """Multiply out (1 + x^size y^caught)^many over the kinds, up to x^spots_max.

    The product is a table from (spots, caught) to the number of subsets of the groups.
    """
    product = {(0, 0): 1}
    for (size, caught), many in kinds.items():
        longer: dict[tuple[int, int], int] = defaultdict(int)
        for (spots_before, caught_before), count in product.items():
            for taken in range(min(many, (spots_max - spots_before) // size) + 1):
                place = (spots_before + taken * size, caught_before + taken * caught)
                longer[place] += count * comb(many, taken)
        product = longer
    return product
