"""Set up for every test: the Hypothesis profiles, and the check of the rule marks."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

from tests import sharing

# The user's own settings of a house and of a proxy are not those of the tests.
for name in [name for name in os.environ if name.startswith(("KENO_", "GRANIAN_"))]:
    del os.environ[name]
os.environ["no_proxy"] = "127.0.0.1,localhost"

pytest_plugins = ["tests.rule_marks", "tests.engines"]

# `make test` sees the same examples each time, so that a red run is a change and never luck;
# `make proof` sees new ones, and many more.
settings.register_profile("test", max_examples=60, derandomize=True, deadline=None)
settings.register_profile(
    "proof", max_examples=3_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))


# A group runs in one process: the tests of a file, or of all files that use a house that takes long
# to make. The longest begin first: the last to end decides how long all takes. Browsers take turns
# with what waits.
LONGEST = (
    "tests/browser/test_writer.py",
    "tests/rng",
    "tests/test_demo.py",
    "exported",
    "tests/browser/test_board.py",
    "tests/printers/test_faults.py",
    "tests/store/test_migrations.py",
    "tests/keeping/test_give_back.py",
    "tests/browser/test_busy_writer.py",
    "tests/flow/test_crash_points.py",
    "tests/test_wheel.py",
    "tests/browser/test_printing.py",
    "tests/story/test_11_paper.py",
    "worked",
    "tests/browser/test_supervisor.py",
    "tests/audit/test_log.py",
    "tests/browser/test_watchers.py",
)
SHARED = ("exported", "worked")  # houses that are made once in a process


def pytest_configure(config: pytest.Config) -> None:
    """Have a folder that all processes of the run share, until the first of them ends."""
    if sharing.begin():
        config.add_cleanup(sharing.end)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put each file into its group, and have the longest groups begin first."""
    groups: dict[str, str] = {}
    for item in items:
        file = item.nodeid.split("::")[0]
        groups.setdefault(file, "tests/rng" if file.startswith("tests/rng/") else file)
        used = {*SHARED} & {*getattr(item, "fixturenames", ())}
        if used:
            groups[file] = used.pop()
    places = {group: place for place, group in enumerate(LONGEST)}

    def group_of(item: pytest.Item) -> str:
        return groups[item.nodeid.split("::")[0]]

    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))
    items.sort(key=lambda item: places.get(group_of(item), len(places)))


def pytest_collection_finish() -> None:
    """Have the garbage collector leave alone whatever was loaded: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
