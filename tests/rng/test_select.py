"""Twenty of eighty without bias: shown by counting, not by statistics."""

from collections import Counter
from itertools import permutations, product

import pytest

from rng.core.select import DRAWN, NUMBERS, WORDS, below, select


@pytest.mark.rule("X-rng-unbiased")
@pytest.mark.parametrize("bound", [*range(NUMBERS - DRAWN + 1, NUMBERS + 1), 1, 2, 3, 4, 5])
def test_of_all_words_that_are_not_rejected_each_ball_gets_the_same_number(bound: int) -> None:
    counts: Counter[int] = Counter()
    rejected = 0
    for word in range(WORDS):
        try:
            counts[below(bound, iter([word]))] += 1
        except EOFError:
            rejected += 1
    assert set(counts) == set(range(bound))
    assert set(counts.values()) == {WORDS // bound}
    assert rejected == WORDS % bound


@pytest.mark.rule("X-rng-unbiased")
def test_three_of_five_every_ordered_outcome_comes_exactly_once() -> None:
    """Each way to pick from five, then four, then three balls gives its own outcome."""
    outcomes = [select(iter(picks), 5, 3) for picks in product(range(5), range(4), range(3))]
    assert sorted(outcomes) == sorted(permutations(range(1, 6), 3))


@pytest.mark.rule("X-rng-unbiased")
def test_every_set_of_two_of_six_comes_equally_often() -> None:
    sets = Counter(frozenset(select(iter(picks), 6, 2)) for picks in product(range(6), range(5)))
    assert len(sets) == 15
    assert set(sets.values()) == {2}


@pytest.mark.rule("X-rng-unbiased")
def test_any_outcome_of_keno_can_come() -> None:
    """For any order of twenty balls there are words that draw it."""
    wanted = (80, 1, 79, 2, 78, 3, 77, 4, 76, 5, 75, 6, 74, 7, 73, 8, 72, 9, 71, 10)
    balls = list(range(1, NUMBERS + 1))
    words = []
    for place, ball in enumerate(wanted):
        other = balls.index(ball)
        words.append(other - place)
        balls[place], balls[other] = balls[other], balls[place]
    assert select(iter(words)) == wanted


def test_a_rejected_word_is_passed_over_and_the_next_one_taken() -> None:
    assert select(iter([WORDS - 1, WORDS - 16, 79, *range(19)]))[0] == 80


@pytest.mark.rule("15.2(a)")
def test_a_draw_has_twenty_different_numbers_of_one_to_eighty() -> None:
    drawn = select(iter(range(60_000, 60_040)))
    assert len(set(drawn)) == DRAWN
    assert set(drawn) <= set(range(1, NUMBERS + 1))
