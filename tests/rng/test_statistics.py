"""The outcome tests: planted biases are found, and a fair source is not accused."""

import json
from itertools import islice
from math import sqrt
from random import Random

import pytest

from rng.lab import statistics
from rng.lab.statistics import TESTS, BadDraws, Report
from tests.rng import sources
from tests.rng.sources import Source, draws_of, fair

pytestmark = pytest.mark.rule("X-rng-tests")


def report_on(source: Source, seed: int, games: int) -> Report:
    return statistics.test_draws(draws_of(source, seed, games))


@pytest.mark.parametrize("seed", range(5))
def test_a_fair_source_is_not_accused(seed: int) -> None:
    report = report_on(fair, seed, 4000)
    assert [result.name for result in report.results] == list(TESTS)
    assert not report.accused_99


@pytest.mark.parametrize(
    ("source", "found_by", "not_by"),
    [
        (sources.heavy_ball, ["frequency"], ["order", "repeats"]),
        (sources.missing_number, ["frequency"], ["order", "repeats"]),
        (sources.sticky, ["repeats", "gaps", "runs"], ["frequency", "order"]),
        (sources.favoured_pair, ["pairs"], ["frequency", "order", "repeats", "gaps", "runs"]),
        (sources.low_first_ball, ["first ball"], ["frequency", "pairs", "repeats", "gaps", "runs"]),
        (sources.rising_end, ["order"], ["first ball", "frequency", "pairs", "repeats"]),
        (sources.overdue, ["gaps"], ["frequency", "order", "pairs"]),
        (sources.tired, ["runs"], ["frequency", "order", "pairs"]),
    ],
)
def test_a_planted_bias_is_found_by_the_test_for_it(
    source: Source, found_by: list[str], not_by: list[str]
) -> None:
    report = report_on(source, 1, 6000)
    p_values = {result.name: result.p_value for result in report.results}
    assert report.accused_95
    assert report.accused_99
    assert all(p_values[name] < 1e-4 for name in found_by), p_values
    assert all(p_values[name] > 0.001 for name in not_by), p_values


@pytest.mark.proof  # beside a thousand series of each of three lengths
def test_the_p_values_of_fair_series_are_uniform() -> None:
    series, games = 200, 600
    draws = fair(Random(2026))  # noqa: S311  a test repeats itself
    reports = [statistics.test_draws(islice(draws, games)) for _ in range(series)]
    for place, name in enumerate(TESTS):
        p_values = sorted(report.results[place].p_value for report in reports)
        distance = max(
            max(p_value - rank / series, (rank + 1) / series - p_value)
            for rank, p_value in enumerate(p_values)
        )
        # Kolmogorov's distance times the root of the sample exceeds 1.95 once in a thousand times.
        assert distance * sqrt(series) < 1.95, name
    assert sum(report.accused_95 for report in reports) <= 0.05 * series + 10
    assert sum(report.accused_99 for report in reports) <= 0.01 * series + 5


@pytest.mark.parametrize(
    ("games", "too_few"),
    [
        (0, list(TESTS)),
        (99, list(TESTS)),
        (100, ["first ball", "order", "gaps", "runs"]),
        (139, ["first ball", "order", "gaps", "runs"]),
        (140, ["first ball", "order"]),
        (399, ["first ball", "order"]),
        (400, []),
    ],
)
def test_too_few_draws_are_said_to_be_too_few(games: int, too_few: list[str]) -> None:
    report = report_on(fair, 1, games)
    assert [name for name, _ in report.too_few] == too_few
    assert [result.name for result in report.results] == [n for n in TESTS if n not in too_few]
    assert all(least > games for _, least in report.too_few)


def test_without_a_test_nothing_is_accused_and_no_p_value_is_made_up() -> None:
    report = report_on(fair, 1, 50)
    assert report.p_value is None
    assert not report.accused_95
    assert not report.accused_99
    assert "ACCUSED" not in report.text()


def test_a_malformed_series_is_refused() -> None:
    with pytest.raises(BadDraws, match="draw 2 has a number twice"):
        statistics.test_draws([range(1, 21), [1] * 20])


def test_the_draws_are_read_once_and_may_come_as_bytes() -> None:
    assert statistics.test_draws(map(bytes, draws_of(fair, 5, 500))) == report_on(fair, 5, 500)


def test_a_test_accuses_at_its_level_and_the_family_at_the_adjusted_one() -> None:
    report = Report(
        draws=1000,
        results=(
            statistics.Result("frequency", 111.2, 79, 0.0099, 0.0198),
            statistics.Result("pairs", 3000.0, 3080, 0.845, 0.845),
        ),
        too_few=(("order", 4000),),
    )
    assert (report.results[0].accused_95, report.results[0].accused_99) == (True, True)
    assert (report.results[1].accused_95, report.results[1].accused_99) == (False, False)
    assert report.p_value == 0.0198
    assert (report.accused_95, report.accused_99) == (True, False)
    assert report.text() == (
        "1000 draws of 20 numbers from 80\n"
        "\n"
        "test         statistic  degrees   p-value      Holm  95 %         99 %\n"
        "frequency       111.20       79  0.009900  0.019800  ACCUSED      ACCUSED\n"
        "pairs          3000.00     3080  0.845000  0.845000  not accused  not accused\n"
        "order       too few draws: needs 4000\n"
        "\n"
        "family                                     0.019800  ACCUSED      not accused\n"
    )


@pytest.mark.parametrize(
    ("p_value", "accused_95", "accused_99"),
    [(0.051, False, False), (0.05, True, False), (0.011, True, False), (0.01, True, True)],
)
def test_a_p_value_is_read_at_both_levels(
    p_value: float, accused_95: bool, accused_99: bool
) -> None:
    result = statistics.Result("gaps", 50.0, 40, p_value, p_value)
    report = Report(draws=1000, results=(result,), too_few=())
    assert (result.accused_95, result.accused_99) == (accused_95, accused_99)
    assert (report.accused_95, report.accused_99) == (accused_95, accused_99)


def test_the_document_says_what_the_report_says() -> None:
    report = report_on(fair, 3, 200)
    document = json.loads(json.dumps(report.document(), allow_nan=False))
    assert document["draws"] == 200
    assert [test["p_value"] for test in document["tests"]] == [r.p_value for r in report.results]
    assert document["too_few_draws"] == [
        {"name": "first ball", "least": 400},
        {"name": "order", "least": 400},
    ]
    assert document["family"] == {
        "p_value": report.p_value,
        "accused_95": report.accused_95,
        "accused_99": report.accused_99,
    }
