"""The one way in which tests wait for what another thread or process does: until it is seen."""

import time
from collections.abc import Callable

PATIENCE = 120.0  # seconds after which something that should happen does not


def until(
    happened: Callable[[], object], why_not: str = "it did not happen", seconds: float = PATIENCE
) -> None:
    """Wait until a condition holds, and fail if it does not for too long."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, why_not
        time.sleep(0.01)
