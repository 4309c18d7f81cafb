"""Set up for every test: the Hypothesis profiles, and the check of the rule marks."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

from tests import grouping, sharing

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


def pytest_configure(config: pytest.Config) -> None:
    """Have a folder that all processes of the run share, until the first of them ends."""
    if sharing.begin():
        config.add_cleanup(sharing.end)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the longest groups begin first."""
    grouping.check_together(items)
    items.sort(key=grouping.place_of)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> grouping.Scheduler:
    """Have each group run in one process."""
    return grouping.Scheduler(config, log)


def pytest_collection_finish() -> None:
    """Have the garbage collector leave alone whatever was loaded: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
