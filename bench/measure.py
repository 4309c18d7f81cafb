"""Measuring on a noisy machine: rounds in turn, medians, ratios to a floor of the same run."""

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True)
class Result:
    """One line of the table: a figure, and the goal that it is to reach, if there is one."""

    name: str
    figure: float
    unit: str
    goal: float | None = None
    at_most: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached."""
        if self.goal is None:
            return None
        return self.figure <= self.goal if self.at_most else self.figure >= self.goal


@dataclass(frozen=True)
class Compared:
    """The seconds that one call of each takes, and how many times faster the act is."""

    seconds: float
    floor_seconds: float
    times_faster: float


def compare(
    act: Callable[[], object], floor: Callable[[], object], rounds: int = 7, least: float = 0.1
) -> Compared:
    """Time an act and its floor in turn, so that a slow moment of the machine strikes both."""
    act_repeats, floor_repeats = _repeats(act, least), _repeats(floor, least)
    pairs = [(_seconds(act, act_repeats), _seconds(floor, floor_repeats)) for _ in range(rounds)]
    return Compared(
        seconds=median(seconds for seconds, _ in pairs),
        floor_seconds=median(seconds for _, seconds in pairs),
        times_faster=median(floor_seconds / seconds for seconds, floor_seconds in pairs),
    )


def peak_bytes(act: Callable[[], object]) -> int:
    """Return the most memory that an act holds at one moment beyond what was there before it."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _repeats(act: Callable[[], object], least: float) -> int:
    return max(1, int(least / _seconds(act, 1)))


def _seconds(act: Callable[[], object], repeats: int) -> float:
    start = perf_counter()
    for _ in range(repeats):
        act()
    return (perf_counter() - start) / repeats
