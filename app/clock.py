"""The one place in the back office that reads the machine's time (X-clock).

Whatever decides about a sale or a lock does not use it directly: it asks the database, whose clock
is the one clock of the house (`app.store.unit`). On SQLite that is this machine's.
"""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def time_text(moment: datetime) -> str:
    """Return a moment as log entries and answers write it: UTC with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
