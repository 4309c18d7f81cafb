"""Every case of a small size, none left out."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import pytest

from app.keno.aggregate import prorate
from app.keno.spots import mask_of
from app.keno.ways import count_catches, count_ways

pytestmark = pytest.mark.proof

SPOTS_MAX = 11


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Every way to divide so many numbers into groups, the larger groups first."""
    if total == 0:
        yield ()
    for size in range(min(total, largest), 0, -1):
        for rest in partitions(total - size, size):
            yield (size, *rest)


@pytest.mark.rule("15.2(c)3", "15.2(c)4", "15.2(c)5")
@pytest.mark.parametrize("total", range(1, SPOTS_MAX + 1))
def test_ways_and_catches_of_every_division_into_groups(total: int) -> None:
    divisions = list(partitions(total, total))
    assert (divisions[0], divisions[-1]) == ((total,), (1,) * total)
    for sizes in divisions:
        starts = [1 + sum(sizes[:place]) for place in range(len(sizes))]
        masks = [
            mask_of(range(start, start + size)) for start, size in zip(starts, sizes, strict=True)
        ]
        subsets = [
            subset
            for count in range(1, len(sizes) + 1)
            for subset in combinations(range(len(sizes)), count)
        ]
        spots = [sum(sizes[place] for place in subset) for subset in subsets]
        assert count_ways(sizes, total) == Counter(spots)
        for caught in product(*(range(size + 1) for size in sizes)):
            draw = mask_of(
                start + place
                for start, many in zip(starts, caught, strict=True)
                for place in range(many)
            )
            listed: dict[int, Counter[int]] = {}
            for subset, size in zip(subsets, spots, strict=True):
                listed.setdefault(size, Counter())[sum(caught[place] for place in subset)] += 1
            assert count_catches(masks, draw, list(listed)) == listed


@pytest.mark.rule("X-aggregate-sheet")
@pytest.mark.parametrize("limit", range(13))
def test_every_sharing_among_four_small_winners(limit: int) -> None:
    for wins in product(range(7), repeat=4):
        for threshold in range(7):
            paid = prorate(wins, limit, threshold)
            cut = [min(win, limit) for win in wins]
            assert sum(paid) == min(limit, sum(cut))
            for win, part in zip(wins, paid, strict=True):
                assert 0 <= part <= win
                for other, other_part in zip(wins, paid, strict=True):
                    assert win <= other or part >= other_part
            if sum(cut) > limit:
                assert_within_a_cent_of_the_exact_share(cut, limit, threshold, paid)


def assert_within_a_cent_of_the_exact_share(
    cut: list[int], limit: int, threshold: int, paid: tuple[int, ...]
) -> None:
    in_full = [min(win, threshold) for win in cut]
    if sum(in_full) > limit:
        in_full = [0] * len(cut)
    pool, excess = limit - sum(in_full), sum(cut) - sum(in_full)
    for win, part, first in zip(cut, paid, in_full, strict=True):
        assert abs(part - (first + Fraction((win - first) * pool, excess))) < 1
