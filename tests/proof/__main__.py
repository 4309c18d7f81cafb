"""`make proof`: every test with many more examples, and the long ones; the table to docs/proof.md.

`python -m tests.proof PATH ...` runs a part. The page is written only if everything ran, nothing
failed, and nothing was uncommitted.
"""

import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proof.md"
HEAD = """# The long evidence

What `make proof` showed when it last ran: every test of the suite, the property tests with 3,000
new random examples each, and the long tests of `tests/proof`.

"""


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


def main(paths: list[str]) -> int:
    """Run the proof and write its page."""
    os.environ["HYPOTHESIS_PROFILE"] = "proof"
    commit = _git("rev-parse", "--short", "HEAD")
    whole = not paths and not _git("status", "--porcelain")
    recorder = Recorder()
    arguments = ["-m", "proof or not proof", "-p", "no:cacheprovider", *paths]
    exit_code = pytest.main(arguments, plugins=[recorder])
    if whole and exit_code == pytest.ExitCode.OK:
        day = datetime.now(UTC).date().isoformat()
        PAGE.write_text(f"{HEAD}Commit {commit}, {day}.\n\n{table(recorder.tallies)}\n")
    else:
        sys.stderr.write(f"{PAGE.name} stays: it shows a whole, green, committed state only\n")
    return int(exit_code)


def table(tallies: dict[str, Tally]) -> str:
    """Return the tallies as a Markdown table."""
    rows = ["| tests | passed | failed | skipped | seconds |", "|---|---|---|---|---|"]
    for name, tally in sorted(tallies.items()):
        counts = (tally.outcomes[outcome] for outcome in ("passed", "failed", "skipped"))
        rows.append(f"| `{name}` | {' | '.join(map(str, counts))} | {tally.seconds:.0f} |")
    return "\n".join(rows)


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(  # noqa: S603  git itself, on this repository
        command, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
