"""The covariances and quadratic forms, exactly, by listing everything that a small urn can do."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.lab import forms
from rng.lab.forms import Form
from rng.lab.tally import Tally
from rng.lab.urn import KENO, Urn
from tests.rng.small_urns import every_tally, orders, sets
from tests.rng.sources import draws_of, fair

pytestmark = pytest.mark.rule("X-rng-tests")

Matrix = list[list[Fraction]]

FORMS_OF_A_GAME = (forms.frequency, forms.order, forms.pairs)


def covariance_of(vectors: Sequence[Sequence[Fraction | int]]) -> Matrix:
    count = len(vectors)
    means = [Fraction(sum(column)) / count for column in zip(*vectors, strict=True)]
    centred = [[x - mean for x, mean in zip(row, means, strict=True)] for row in vectors]
    columns = list(zip(*centred, strict=True))
    return [
        [sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)) / count for b in columns]
        for a in columns
    ]


def times(matrix: Matrix, vector: Sequence[int]) -> list[Fraction]:
    return [sum((x * y for x, y in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


def moments(form: Callable[[Tally], Form], tallies: Sequence[Tally]) -> tuple[float, float, int]:
    """Return the mean and the variance of a form, and its degrees, which are always the same."""
    made = [form(tally) for tally in tallies]
    (degrees,) = {each.degrees for each in made}
    mean = sum(each.statistic for each in made) / len(made)
    return mean, sum((each.statistic - mean) ** 2 for each in made) / len(made), degrees


@pytest.mark.parametrize("urn", [Urn(6, 3), Urn(7, 3), Urn(7, 5), Urn(6, 2)])
def test_the_covariance_of_pairs_has_the_eigenvalue_said(urn: Urn) -> None:
    # The alternating 4-cycles ab - bc + cd - da span the space that the frequencies do not see.
    pairs = list(combinations(range(1, urn.numbers + 1), 2))
    covariance = covariance_of([[int({*pair} <= {*draw}) for pair in pairs] for draw in sets(urn)])
    for a, b, c, d in [(1, 2, 3, 4), (1, 3, 2, 4), (2, 5, 1, 6), (6, 3, 4, 5)]:
        signs = {(a, b): 1, (b, c): -1, (c, d): 1, (d, a): -1}
        cycle = [signs.get(pair, 0) + signs.get(pair[::-1], 0) for pair in pairs]
        assert times(covariance, cycle) == [forms.pair_eigenvalue(urn) * x for x in cycle]


def test_the_eigenvalue_of_the_pairs_of_keno() -> None:
    # Multiplied out: k(k-1)(N-k)(N-k-1) / (N(N-1)(N-2)(N-3)).
    assert forms.pair_eigenvalue(KENO) == Fraction(20 * 19 * 60 * 59, 80 * 79 * 78 * 77)


@pytest.mark.parametrize("urn", [Urn(4, 2), Urn(5, 3)])
def test_the_covariance_of_positions_is_a_product(urn: Urn) -> None:
    cells = [(place, ball) for place in range(urn.drawn) for ball in range(1, urn.numbers + 1)]
    covariance = covariance_of(
        [[int(draw[place] == ball) for place, ball in cells] for draw in orders(urn)]
    )
    assert covariance == [
        [
            ((place == other_place) - Fraction(1, urn.numbers))
            * ((ball == other_ball) - Fraction(1, urn.numbers))
            / (urn.numbers - 1)
            for other_place, other_ball in cells
        ]
        for place, ball in cells
    ]


@pytest.mark.parametrize(
    ("form", "urn", "games", "degrees"),
    [
        (forms.frequency, Urn(6, 3), 2, 5),
        (forms.frequency, Urn(5, 2), 3, 4),
        (forms.pairs, Urn(6, 3), 2, 9),
        (forms.pairs, Urn(6, 2), 2, 9),
        (forms.pairs, Urn(5, 2), 3, 5),
    ],
)
def test_forms_of_sets_have_exactly_the_mean_and_variance_said(
    form: Callable[[Tally], Form], urn: Urn, games: int, degrees: int
) -> None:
    mean, variance, found = moments(form, list(every_tally(urn, sets(urn), games, depth=1)))
    assert found == degrees
    assert mean == pytest.approx(degrees)
    assert variance == pytest.approx(2 * degrees * (1 - 1 / games))


@pytest.mark.parametrize(
    ("form", "urn", "games", "degrees"),
    [
        (forms.first_ball, Urn(4, 2), 3, 3),
        (forms.order, Urn(4, 2), 3, 3),
        (forms.order, Urn(4, 3), 2, 6),
    ],
)
def test_forms_of_orders_have_exactly_the_mean_and_variance_said(
    form: Callable[[Tally], Form], urn: Urn, games: int, degrees: int
) -> None:
    mean, variance, found = moments(form, list(every_tally(urn, orders(urn), games, depth=1)))
    assert found == degrees
    assert mean == pytest.approx(degrees)
    assert variance == pytest.approx(2 * degrees * (1 - 1 / games))


def test_frequencies_order_and_pairs_are_uncorrelated() -> None:
    tallies = list(every_tally(Urn(4, 2), orders(Urn(4, 2)), 3, depth=1))
    made = [[form(tally).statistic for tally in tallies] for form in FORMS_OF_A_GAME]
    for one, other in combinations(made, 2):
        together = sum(x * y for x, y in zip(one, other, strict=True)) / len(tallies)
        assert together == pytest.approx(sum(one) * sum(other) / len(tallies) ** 2)


def test_the_frequency_form_is_pearson_times_79_by_60() -> None:
    tally = Tally(KENO)
    tally.add(draws_of(fair, seed=1, games=500))
    pearson = sum((count - 125) ** 2 / 125 for count in tally.numbers)
    assert forms.frequency(tally).statistic == pytest.approx(pearson * 79 / 60)
    assert forms.frequency(tally).degrees == 79


@pytest.mark.parametrize(
    ("form", "degrees"), [(forms.pairs, 3080), (forms.order, 1501), (forms.first_ball, 79)]
)
def test_the_degrees_of_keno(form: Callable[[Tally], Form], degrees: int) -> None:
    tally = Tally(KENO)
    tally.add(draws_of(fair, seed=2, games=10))
    assert form(tally).degrees == degrees


@pytest.mark.parametrize(("urn", "games"), [(Urn(5, 2), 4), (Urn(4, 2), 5)])
def test_overlaps_of_successive_draws_are_independent(
    urn: Urn, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pearson's statistic of m independent observations has its degrees as its exact mean, and a
    # dependence between them would show in its variance, here against sum(1/p) (Haldane 1937).
    monkeypatch.setattr(forms, "EXPECTED_LEAST", Fraction(1, 10**9))
    mean, variance, degrees = moments(
        forms.repeats, list(every_tally(urn, sets(urn), games, depth=1))
    )
    chances = urn.overlap_chances()
    observed = games - 1
    inverse = float(sum(1 / chance for chance in chances))
    excess = inverse - len(chances) ** 2 - 2 * degrees
    assert mean == pytest.approx(degrees)
    assert variance == pytest.approx(2 * degrees + excess / observed)


@pytest.mark.parametrize("urn", [Urn(4, 2), Urn(4, 1), Urn(4, 3)])
@pytest.mark.parametrize(("depth", "games"), [(2, 3), (2, 4), (3, 4)])
def test_the_covariance_of_spells_is_that_of_every_series(urn: Urn, depth: int, games: int) -> None:
    tallies = list(every_tally(urn, sets(urn), games, depth))
    chance = urn.together(1)
    for of, state in [("absences", urn.complement()), ("presences", urn)]:
        deviations = [
            [drawn - chance * waiting for drawn, waiting in zip(s.drawn, s.waiting, strict=True)]
            for s in (getattr(tally, of) for tally in tallies)
        ]
        assert all(sum(column) == 0 for column in zip(*deviations, strict=True))
        scaled = [
            [cell * (games - depth) for cell in row] for row in forms.spell_covariance(state, depth)
        ]
        assert covariance_of(deviations) == scaled


@pytest.mark.parametrize("form", [forms.gaps, forms.runs])
@pytest.mark.parametrize(("urn", "depth", "games"), [(Urn(4, 2), 2, 4), (Urn(5, 2), 2, 3)])
def test_forms_of_spells_have_exactly_the_mean_said(
    form: Callable[[Tally], Form],
    urn: Urn,
    depth: int,
    games: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forms, "EXPECTED_LEAST", Fraction(1, 10**9))
    mean, _, degrees = moments(form, list(every_tally(urn, sets(urn), games, depth)))
    assert degrees == depth
    assert mean == pytest.approx(depth)


@pytest.mark.parametrize(
    ("games", "gap_classes", "run_classes"), [(100, 17, 4), (1000, 25, 5), (1_000_000, 40, 10)]
)
def test_only_spells_that_are_drawn_often_enough_are_classed(
    games: int, gap_classes: int, run_classes: int
) -> None:
    # The last class is expected 5 times or more, the next would not be: 20 (3/4)^s (1/4) games.
    assert forms.spell_classes(KENO, KENO.complement(), games, 40) == gap_classes
    assert forms.spell_classes(KENO, KENO, games, 40) == run_classes


@given(st.lists(st.tuples(st.integers(0, 50), st.fractions(0, 20)), min_size=1, max_size=20))
def test_pooling_loses_nothing_and_leaves_no_poor_cell(cells: list[tuple[int, Fraction]]) -> None:
    counts, expected = [count for count, _ in cells], [mean for _, mean in cells]
    pooled = forms.pooled(counts, expected)
    assert sum(count for count, _ in pooled) == sum(counts)
    assert sum(mean for _, mean in pooled) == sum(expected)
    assert len(pooled) == 1 or all(mean >= 5 for _, mean in pooled)


def test_a_square_is_whitened_by_the_inverse_covariance() -> None:
    # The inverse of [[4, 2], [2, 3]] is [[3, -2], [-2, 4]] / 8.
    assert forms.whitened_square([1, 5], [[4, 2], [2, 3]]) == pytest.approx((3 - 20 + 100) / 8)
