"""Which tests run in one process: those of a file, or of files that share what is slow to make."""

from collections.abc import Iterable

import pytest
from xdist.scheduler import LoadScopeScheduling

# Files whose tests use a fixture of the session that takes seconds to make, by the fixture's name.
TOGETHER = {
    "exported": (
        "tests/audit/test_bundle.py",
        "tests/audit/test_one_reading.py",
        "tests/audit/test_verifier.py",
        "tests/audit/test_verifier_codes.py",
        "tests/audit/test_verifying_page.py",
    ),
    "worked": (
        "tests/reports/test_figures.py",
        "tests/reports/test_forms.py",
        "tests/reports/test_pictures.py",
        "tests/reports/test_reading.py",
    ),
}
# The longest begin first: the last to end decides how long all takes. Browsers take turns with
# tests that wait for something else.
LONGEST = (
    "tests/browser/test_writer.py",
    "tests/test_demo.py",
    "exported",
    "tests/rng",
    "tests/browser/test_board.py",
    "tests/test_wheel.py",
    "tests/store/test_migrations.py",
    "tests/keeping/test_give_back.py",
    "tests/browser/test_busy_writer.py",
    "tests/flow/test_crash_points.py",
    "tests/printers/test_faults.py",
    "tests/browser/test_printing.py",
    "worked",
    "tests/flow/test_races.py",
    "tests/browser/test_supervisor.py",
    "tests/story/test_11_paper.py",
    "tests/audit/test_log.py",
    "tests/browser/test_watchers.py",
)
_GROUPS = {file: group for group, files in TOGETHER.items() for file in files}
_PLACES = {group: place for place, group in enumerate(LONGEST)}


def group_of(nodeid: str) -> str:
    """Return the group of a test."""
    file = nodeid.partition("::")[0]
    return "tests/rng" if file.startswith("tests/rng/") else _GROUPS.get(file, file)


def place_of(item: pytest.Item) -> int:
    """Return the place of a test's group in the order in which groups begin."""
    return _PLACES.get(group_of(item.nodeid), len(_PLACES))


def check_together(items: Iterable[pytest.Item]) -> None:
    """Stop the run if a file uses a shared fixture and is not named above."""
    for item in items:
        for fixture in TOGETHER.keys() & {*getattr(item, "fixturenames", ())}:
            if group_of(item.nodeid) != fixture:
                raise pytest.UsageError(
                    f"{item.nodeid} uses {fixture}: name its file in {__name__}"
                )


class Scheduler(LoadScopeScheduling):  # type: ignore[misc]  # a library without types
    """Gives each group to one process."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
