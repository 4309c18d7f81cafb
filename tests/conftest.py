"""Set up for every test: the Hypothesis profiles, and the check of the rule marks."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

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


# A file runs in one process. The longest begin first: the last to end decides how long all takes.
LONGEST = (
    "tests/browser/test_writer.py",
    "tests/test_demo.py",
    "tests/audit/test_verifier.py",
    "tests/flow/test_crash_points.py",
    "tests/keeping/test_give_back.py",
    "tests/flow/test_races.py",
    "tests/browser/test_board.py",
    "tests/test_wheel.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the longest files begin first."""
    places = {file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.split("::")[0], len(places)))


def pytest_collection_finish() -> None:
    """Have the garbage collector leave alone whatever was loaded: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
