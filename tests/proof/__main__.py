"""`make proof`: every test with many more examples, and the long ones; the tables to docs/proof.

The proof has shares, which `python -m tests.proof SHARE ...` runs one by one: an hour of evidence
about the draw does not have to be repeated because a sentence of the settlement changed. Each page
names the commit it was run on, and is written only if all of its share ran, nothing failed and
nothing was uncommitted.
"""

import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.proof.committed import committed

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "proof"

SHARES = {
    "rules": (
        "tests/keno",
        "tests/proof/test_bulk_soak.py",
        "tests/proof/test_every_small_case.py",
        "tests/proof/test_fuzz.py",
        "tests/proof/test_guided_fuzz.py",
        "tests/test_parsers.py",
    ),
    "draw": (
        "tests/rng",
        "tests/proof/test_draw_matrix.py",
        "tests/proof/test_statistics_calibration.py",
    ),
    "stages": ("tests/flow", "tests/story"),
    "paper": (
        "tests/printers",
        "tests/test_spooler.py",
        "tests/proof/test_printer_matrix.py",
        # The two below are in the stages as well; they are what paper is for.
        "tests/story/test_11_paper.py",
        "tests/flow/test_paper_crash_points.py",
    ),
    "pages": ("tests/web", "tests/browser"),
    "records": (
        "tests/audit",
        "tests/reports",
        "tests/keeping",
        "tests/bench",
        "tests/proof/test_report_months.py",
    ),
    "days": (
        "tests/proof/test_week_soak.py",
        "tests/proof/test_selling_days.py",
        "tests/proof/test_selling_soak.py",
        "tests/proof/test_game_days.py",
        "tests/proof/test_paying_days.py",
    ),
}
REST = "house"


@dataclass
class Tally:
    """What one file of tests came to."""

    seconds: float = 0.0
    outcomes: dict[str, int] = field(default_factory=lambda: defaultdict(int))


class Recorder:
    """A pytest plugin that keeps the tally of each file."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = defaultdict(Tally)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test when it has been called, or when it did not get that far."""
        tally = self.tallies[report.nodeid.split("::")[0]]
        tally.seconds += report.duration
        if report.when == "call" or report.outcome != "passed":
            tally.outcomes[report.outcome] += 1


def main(shares: list[str]) -> int:
    """Run the shares one after the other; 0 if all of them are green."""
    os.environ["HYPOTHESIS_PROFILE"] = "proof"
    return max([run(share) for share in shares or [*SHARES, REST]])


def run(share: str) -> int:
    """Run one share and write its page."""
    commit = committed()
    recorder = Recorder()
    arguments = ["-m", "proof or not proof", "-p", "no:cacheprovider", *chosen(share)]
    exit_code = pytest.main(arguments, plugins=[recorder])
    if commit is not None and exit_code == pytest.ExitCode.OK:
        day = datetime.now(UTC).date().isoformat()
        page = f"# The long evidence: {share}\n\nCommit {commit}, {day}.\n\n"
        (PAGES / f"{share}.md").write_text(f"{page}{table(recorder.tallies)}\n")
    else:
        sys.stderr.write(f"{share}.md stays: it shows a whole, green, committed state only\n")
    return int(exit_code)


def chosen(share: str) -> list[str]:
    """Return the share as arguments of pytest: its paths, or everything but the other shares."""
    if share in SHARES:
        return list(SHARES[share])
    if share != REST:
        sys.exit(f"There is no share {share!r}; there are {', '.join([*SHARES, REST])}.")
    return [f"--ignore={path}" for paths in SHARES.values() for path in paths]


def table(tallies: dict[str, Tally]) -> str:
    """Return the tallies as a Markdown table."""
    rows = ["| tests | passed | failed | skipped | seconds |", "|---|---|---|---|---|"]
    for name, tally in sorted(tallies.items()):
        counts = (tally.outcomes[outcome] for outcome in ("passed", "failed", "skipped"))
        rows.append(f"| `{name}` | {' | '.join(map(str, counts))} | {tally.seconds:.0f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
