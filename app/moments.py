"""Moments as people of the house write them: by the clock on the wall."""

from datetime import datetime
from zoneinfo import ZoneInfo


def moment_words(at: datetime, zone: str) -> str:
    """Return a moment with its day: Nov 16, 2026, 6:30:05 PM."""
    here = at.astimezone(ZoneInfo(zone))
    return f"{here:%b} {here.day}, {here.year}, {hour_words(at, zone)}"


def hour_words(at: datetime, zone: str) -> str:
    """Return the time of day: 6:30:05 PM, or 1:30:05 AM EST where clocks show it twice."""
    here = at.astimezone(ZoneInfo(zone))
    twice = f"{here.replace(fold=0):%z}" != f"{here.replace(fold=1):%z}"
    which = f" {here:%Z}" if twice else ""
    return f"{here.hour % 12 or 12}:{here:%M:%S %p}{which}"
