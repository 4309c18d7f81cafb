"""The result of each finished test on disk, so that a share that was interrupted can be resumed.

A pytest plugin (`-p tests.proof.results`) and the reader of what it wrote. A file begins with a
line about the run; then it has a line for each finished test.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

FILE = "EVIDENCE_FILE"  # in the environment: where the plugin writes
DONE = "EVIDENCE_DONE"  # in the environment: a file with the tests that passed before


@dataclass(frozen=True)
class Run:
    """What all results of a file have in common."""

    commit: str
    seed: int
    machine: str
    engines: str


@dataclass(frozen=True)
class Result:
    """How a test ended."""

    test: str
    outcome: str
    seconds: float
    load: float  # of the machine, when it ended


# ---- writing -------------------------------------------------------------------------------------

_reports: dict[str, list[pytest.TestReport]] = defaultdict(list)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that passed before the run was interrupted."""
    done = set(Path(os.environ[DONE]).read_text().splitlines())
    left_out = [item for item in items if item.nodeid in done]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write a line when a test has ended."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        return  # the process that gave out the tests writes
    _reports[report.nodeid].append(report)
    if report.when in {"setup", "call"}:
        return
    with Path(os.environ[FILE]).open("a") as file:
        result = _result(report.nodeid, _reports.pop(report.nodeid))
        file.write(json.dumps(asdict(result)) + "\n")


def _result(test: str, reports: list[pytest.TestReport]) -> Result:
    outcomes = {report.outcome for report in reports}
    worst = next(each for each in ("failed", "skipped", "passed") if each in outcomes)
    seconds = sum(report.duration for report in reports)
    return Result(test, worst, round(seconds, 3), round(os.getloadavg()[0], 1))


# ---- reading -------------------------------------------------------------------------------------


def begin(file: Path, run: Run) -> None:
    """Begin a file of results."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(asdict(run)) + "\n")


def read_results(file: Path) -> tuple[Run, Mapping[str, Result]] | None:
    """Return a run and how each of its tests ended last; None if there is no whole first line."""
    lines = file.read_text().splitlines() if file.exists() else []
    documents = list(_whole(lines))
    if not documents:
        return None
    results = [Result(**each) for each in documents[1:]]
    return Run(**documents[0]), {result.test: result for result in results}


def has_failed(file: Path) -> bool:
    """Whether a test of a run failed, also if it passed when it was run again."""
    documents = _whole(file.read_text().splitlines()) if file.exists() else ()
    return any(each.get("outcome") == "failed" for each in documents)


def cut_torn_line(file: Path) -> None:
    """Remove what an interrupted run left of its last line: the next one begins behind it."""
    whole = file.read_text().rpartition("\n")
    file.write_text(whole[0] + whole[1])


def _whole(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    """Yield the documents of the lines; the last one may be torn."""
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            return
