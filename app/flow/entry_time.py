"""What the text of a log entry says, and when its act was done."""

import json
from datetime import datetime

# Under which of these an act has its time, in its entry.
TIMES = ("time", "sold_at", "voided_at", "locked_at", "opened_at", "at")


def body_of(text: str | None) -> dict[str, object]:
    """Return the body of an entry; empty if there is none, or none that can be read."""
    try:
        body = json.loads(text or "{}")
    except ValueError:  # it was tampered with: the books say so
        return {}
    return body if isinstance(body, dict) else {}


def time_in(text: str | None) -> datetime | None:
    """Return when the act of an entry was done, if its text says so."""
    body = body_of(text)
    found = (moment_in(body, name) for name in TIMES)
    return next((each for each in found if each is not None), None)


def moment_in(body: dict[str, object], name: str) -> datetime | None:
    """Return the moment that a body has under a name, if it has one."""
    try:
        return datetime.fromisoformat(str(body[name]))
    except (KeyError, ValueError):
        return None
