"""The one place in `rng` that reads the time."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """Return a moment as documents write it: UTC with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
