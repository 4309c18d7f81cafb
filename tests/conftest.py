"""Set up for every test: the Hypothesis profiles, and the check of the rule marks."""

import gc
import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.rule_marks", "tests.engines"]

# `make test` sees the same examples each time, so that a red run is a change and never luck;
# `make proof` sees new ones, and many more.
settings.register_profile("test", max_examples=60, derandomize=True, deadline=None)
settings.register_profile(
    "proof", max_examples=3_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "test"))


def pytest_collection_finish() -> None:
    """Have the garbage collector leave alone whatever was loaded: it took a tenth of the time."""
    gc.collect()
    gc.freeze()
