"""How benchmarks are put together; none of them is run here, and none is judged by its speed."""

import json
from pathlib import Path

import pytest

from bench.__main__ import PARTS, main, put_into
from bench.measure import Result
from bench.records import SCALES, Scale, _best, measure


def test_a_part_that_is_measured_alone_replaces_its_own_rows_and_names_its_commit() -> None:
    before = {"commit": "old", "results": [{"name": "a", "figure": 1}, {"name": "b", "figure": 1}]}
    measured = {
        "commit": "new",
        "results": [{"name": "b", "figure": 2}, {"name": "c", "figure": 3}],
    }
    assert put_into(before, measured) == {
        "commit": "old",
        "results": [
            {"name": "a", "figure": 1},
            {"name": "b", "figure": 2, "commit": "new"},
            {"name": "c", "figure": 3, "commit": "new"},
        ],
    }


def test_a_part_that_there_is_not_is_refused_before_anything_is_measured() -> None:
    with pytest.raises(SystemExit, match=f"there are {', '.join(PARTS)}"):
        main(["everything"])


@pytest.mark.parametrize("scale", SCALES.values(), ids=lambda scale: f"{max(scale.days)} days")
def test_every_scale_is_a_year_that_can_be_made(scale: Scale) -> None:
    few, many = (scale.plan(days) for days in scale.days)
    assert few.games_on(0) == many.games_on(0)  # days equally full
    assert many.days >= 9 * few.days


def test_of_two_rounds_the_shorter_times_count_and_the_larger_memory() -> None:
    found = _best({"seconds": 2.0, "mib": 5.0}, {"seconds": 1.0, "mib": 9.0})
    assert found == {"seconds": 1.0, "mib": 9.0}


@pytest.mark.parametrize(("figure", "met"), [(2.0, True), (2.1, False)])
def test_a_goal_is_met_or_not(figure: float, met: bool) -> None:
    assert Result("a day's report", figure, "seconds", goal=2.0, at_most=True).met is met


def test_a_house_that_was_kept_and_is_another_one_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = tmp_path / "1"
    house.mkdir()
    (house / "year.json").write_text(json.dumps({"tickets": 5, "games": 4, "days": 1}))
    monkeypatch.setenv("KEPT", str(tmp_path))
    monkeypatch.delenv("SCALE", raising=False)
    with pytest.raises(LookupError, match="is another one than"):
        list(measure())
