"""The outcome tests on fair draws, at length."""

from itertools import islice
from math import sqrt
from random import Random, SystemRandom

import pytest

from rng.lab import statistics
from rng.lab.statistics import TESTS
from tests.rng.sources import fair

pytestmark = [pytest.mark.proof, pytest.mark.rule("X-rng-tests")]

SERIES = 1000


@pytest.mark.parametrize("seed", [1, 2])
def test_a_fair_million_is_not_accused(seed: int) -> None:
    draws = islice(fair(Random(seed)), 1_000_000)  # noqa: S311  a test repeats itself
    report = statistics.test_draws(draws)
    assert len(report.results) == len(TESTS)
    assert not report.accused_95, report.text()


def test_a_million_from_the_operating_system_is_not_accused() -> None:
    # New draws each time: at 99 % this would cry wolf once in a hundred runs.
    report = statistics.test_draws(islice(fair(SystemRandom()), 1_000_000))
    assert report.p_value is not None
    assert report.p_value > 1e-6, report.text()


@pytest.mark.parametrize(("games", "judged"), [(140, 5), (400, 7), (3000, 7)])
def test_the_p_values_of_a_thousand_fair_series_are_uniform(games: int, judged: int) -> None:
    draws = fair(Random(games))  # noqa: S311  a test repeats itself
    reports = [statistics.test_draws(islice(draws, games)) for _ in range(SERIES)]
    for place in range(judged):
        p_values = sorted(report.results[place].p_value for report in reports)
        distance = max(
            max(p_value - rank / SERIES, (rank + 1) / SERIES - p_value)
            for rank, p_value in enumerate(p_values)
        )
        name = reports[0].results[place].name
        # Kolmogorov's distance times the root of the sample exceeds 1.95 once in a thousand times.
        assert distance * sqrt(SERIES) < 1.95, name
        # Four standard deviations of the number of fair series accused at 99 %.
        accused = sum(report.results[place].accused_99 for report in reports)
        assert accused <= 0.01 * SERIES + 4 * sqrt(0.01 * 0.99 * SERIES), name
