"""What is counted in one pass, against counting it plainly."""

from collections.abc import Callable
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.lab.tally import BadDraws, Tally
from rng.lab.urn import KENO, Urn
from tests.rng.sources import draws_of, fair

pytestmark = pytest.mark.rule("X-rng-tests")

URN = Urn(6, 3)
DEPTH = 3
BALLS = range(1, URN.numbers + 1)

series = st.lists(st.permutations(BALLS).map(lambda balls: balls[: URN.drawn]), max_size=30)


def counts(tally: Tally) -> dict[str, object]:
    public = {name: value for name, value in vars(tally).items() if not name.startswith("_")}
    return public | {name: vars(public[name]) for name in ("absences", "presences")}


def spells_plainly(draws: list[list[int]], *, came: bool) -> tuple[list[int], list[int]]:
    waiting, drawn = [0] * DEPTH, [0] * DEPTH
    for game in range(DEPTH, len(draws)):
        for number in BALLS:
            length = 0
            while length < DEPTH and (number in draws[game - length - 1]) == came:
                length += 1
            if length < DEPTH:
                waiting[length] += 1
                drawn[length] += number in draws[game]
    return waiting, drawn


@given(series)
def test_everything_is_counted_as_by_hand(draws: list[list[int]]) -> None:
    tally = Tally(URN, DEPTH)
    tally.add(draws)
    assert tally.draws == len(draws)
    assert tally.spell_games == max(0, len(draws) - DEPTH)
    assert tally.numbers == [sum(ball in draw for draw in draws) for ball in BALLS]
    assert tally.pairs == [
        sum({*pair} <= {*draw} for draw in draws) for pair in combinations(BALLS, 2)
    ]
    assert tally.positions == [
        [sum(draw[place] == ball for draw in draws) for ball in BALLS] for place in range(URN.drawn)
    ]
    overlaps = [len({*one} & {*other}) for one, other in pairwise(draws)]
    assert tally.overlaps == [overlaps.count(common) for common in range(URN.drawn + 1)]
    absences, presences = tally.absences, tally.presences
    assert (absences.waiting, absences.drawn) == spells_plainly(draws, came=False)
    assert (presences.waiting, presences.drawn) == spells_plainly(draws, came=True)


@given(series, st.lists(st.integers(0, 30), max_size=4))
def test_a_series_counted_in_parts_is_the_series(draws: list[list[int]], cuts: list[int]) -> None:
    whole, parts = Tally(URN, DEPTH), Tally(URN, DEPTH)
    whole.add(draws)
    for start, end in pairwise([0, *sorted(cuts), len(draws) + 30]):
        parts.add(draws[start:end])
    assert counts(parts) == counts(whole)


def test_a_series_longer_than_a_block_is_counted_through() -> None:
    draws = list(draws_of(fair, seed=1, games=9000))
    whole, parts = Tally(KENO), Tally(KENO)
    whole.add(iter(draws))
    for start in range(0, 9000, 700):
        parts.add(map(bytes, draws[start : start + 700]))
    assert counts(parts) == counts(whole)
    assert sum(whole.numbers) == 9000 * 20
    assert sum(whole.pairs) == 9000 * 190


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda draw: draw[:19], "draw 3 has 19 numbers, not 20"),
        (lambda draw: [*draw, 80], "draw 3 has 21 numbers, not 20"),
        (lambda draw: [*draw[:19], draw[0]], "draw 3 has a number twice"),
        (lambda draw: [*draw[:19], 0], "draw 3 has a number outside 1 to 80"),
        (lambda draw: [*draw[:19], 81], "draw 3 has a number outside 1 to 80"),
        (lambda draw: [*draw[:19], -1], "draw 3 has a number outside 1 to 80"),
        (lambda draw: [*draw[:19], True], "draw 3 has something that is not an integer"),
        (lambda draw: [*draw[:19], 80.0], "draw 3 has something that is not an integer"),
        (lambda draw: [*draw[:19], [1]], "draw 3 has something that is not an integer"),
        (lambda _: "01020304050607080910", "draw 3 has something that is not an integer"),
        (set, "draw 3 is not a sequence of numbers in the order drawn"),
        (iter, "draw 3 is not a sequence of numbers in the order drawn"),
        (lambda _: None, "draw 3 is not a sequence of numbers in the order drawn"),
    ],
)
def test_a_malformed_draw_is_refused_by_its_place(
    spoil: Callable[[list[int]], list[int]], reason: str
) -> None:
    good = Random(3).sample(range(1, 80), 20)  # noqa: S311  a test repeats itself
    with pytest.raises(BadDraws, match=f"^{reason}$"):
        Tally(KENO).add([good, good, spoil(good), good])
