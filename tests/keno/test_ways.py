"""Counting ways and catches by generating function, against listing them."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.spots import mask_of
from app.keno.ways import count_catches, count_ways, count_ways_with, most_catching
from tests.keno.strategies import draws, groups

sizes_of_groups = st.lists(st.integers(1, 9), min_size=1, max_size=9)


def subset_sizes(sizes: list[int]) -> Counter[int]:
    return Counter(
        sum(subset) for count in range(1, len(sizes) + 1) for subset in combinations(sizes, count)
    )


@pytest.mark.rule("15.2(c)3", "15.2(c)4")
@given(sizes_of_groups)
def test_the_number_of_ways_is_what_listing_them_gives(sizes: list[int]) -> None:
    assert count_ways(sizes, 80) == subset_sizes(sizes)
    assert count_ways(sizes, 7) == {k: n for k, n in subset_sizes(sizes).items() if k <= 7}


@pytest.mark.rule("15.2(c)3")
@pytest.mark.parametrize(
    ("groups", "size", "spots", "ways"),
    [(20, 4, 8, 190), (16, 5, 10, 120), (5, 4, 8, 10), (10, 2, 10, 252), (80, 1, 10, comb(80, 10))],
)
def test_equal_groups_give_the_binomial_number(
    groups: int, size: int, spots: int, ways: int
) -> None:
    assert count_ways([size] * groups, spots)[spots] == ways == comb(groups, spots // size)


@given(sizes_of_groups, st.data())
def test_the_ways_with_one_group_are_those_that_fall_away_without_it(
    sizes: list[int], data: st.DataObject
) -> None:
    size = data.draw(st.sampled_from(sizes))
    without = list(sizes)
    without.remove(size)
    assert count_ways_with(size, sizes, 81) == subset_sizes(sizes) - subset_sizes(without)


@pytest.mark.rule("15.2(c)3", "15.2(c)4", "15.2(c)5")
@given(groups(), draws)
def test_catches_are_what_listing_the_ways_gives(
    marked: tuple[tuple[int, ...], ...], draw: tuple[int, ...]
) -> None:
    listed: dict[int, Counter[int]] = {}
    for count in range(1, len(marked) + 1):
        for way in combinations(marked, count):
            numbers = {number for group in way for number in group}
            listed.setdefault(len(numbers), Counter())[len(numbers & set(draw))] += 1
    masks = [mask_of(group) for group in marked]
    assert count_catches(masks, mask_of(draw), list(listed)) == listed


@given(groups(), draws)
def test_no_draw_catches_more_than_the_bound(
    marked: tuple[tuple[int, ...], ...], draw: tuple[int, ...]
) -> None:
    sizes = [len(group) for group in marked]
    masks = [mask_of(group) for group in marked]
    counted = count_ways(sizes, 80)
    assert sum(counted.values()) == 2 ** len(sizes) - 1
    for spots, ways in counted.items():
        bounds = most_catching(sum(sizes), spots, ways)
        caught = count_catches(masks, mask_of(draw), [spots])[spots]
        assert any(
            all(many <= bound.get(catch, 0) for catch, many in caught.items()) for bound in bounds
        )


def test_the_bound_is_reached_by_eighty_kings() -> None:
    (bound,) = most_catching(80, 10, comb(80, 10))
    assert bound == {catch: comb(20, catch) * comb(60, 10 - catch) for catch in range(11)}
    assert most_catching(80, 10, 7) == [dict.fromkeys(range(11), 7)]


def test_eighty_kings_ten_at_a_time_are_counted_exactly() -> None:
    kings = [mask_of([number]) for number in range(1, 81)]
    (caught,) = count_catches(kings, mask_of(range(1, 21)), [10]).values()
    assert caught == {catch: comb(20, catch) * comb(60, 10 - catch) for catch in range(11)}
    assert sum(caught.values()) == comb(80, 10) == 1_646_492_110_120


@pytest.mark.rule("15.2(a)")
@given(st.sets(st.integers(1, 80)))
def test_a_set_of_numbers_is_a_mask_of_eighty_bits(numbers: set[int]) -> None:
    mask = mask_of(numbers)
    assert {number for number in range(1, 81) if mask & mask_of([number])} == numbers
    assert mask.bit_length() <= 80
