"""A clock that can be set for every process of a house at once, as nights pass in a soak.

Python runs this before anything else where its folder is on PYTHONPATH. The two functions that read
the machine's time then add what stands in a file. A clock that only counts is not touched.
"""

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import app.clock
import rng.serve.clock

DAYS = Path(os.environ["SOAK_DAYS"])


def moved(clock: Callable[[], datetime]) -> Callable[[], datetime]:
    """Return a clock that is as many days ahead as the file says."""
    return lambda: clock() + timedelta(days=int(DAYS.read_text()))


app.clock.system_clock = moved(app.clock.system_clock)
rng.serve.clock.system_clock = moved(rng.serve.clock.system_clock)
