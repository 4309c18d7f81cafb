"""What the process says on standard error: one JSON line for each event.

The form is that of the back office's lines, so that one program can read both; it is written here
again, because nothing is shared. Of a fault its kind and the places in the code are told, never
what it says: that may quote whatever was sent.
"""

import json
import logging
import traceback
from datetime import UTC, datetime
from pathlib import Path

from rng.serve.clock import time_text

FRAMES = 12  # the innermost ones, of which the last is where it happened
_ROOT = Path(__file__).parents[2]

log = logging.getLogger("keno.rng")


def say(level: int, event: str, *, fault: BaseException | None = None, **facts: object) -> None:
    """Say that something happened: an event by its name, and the facts beside it."""
    log.log(level, "%s", event, extra={"facts": facts}, exc_info=fault)


def speak_as(role: str) -> None:
    """Have everything that this process says come out as lines, on standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines(role))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    log.setLevel(logging.INFO)


class Lines(logging.Formatter):
    """Every record as one line, whoever made it."""

    def __init__(self, role: str) -> None:
        super().__init__()
        self._role = role

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line."""
        line: dict[str, object] = {
            "time": time_text(datetime.fromtimestamp(record.created, UTC)),
            "process": self._role,
            "pid": record.process,
            "level": record.levelname.lower(),
        }
        facts = getattr(record, "facts", None)
        if facts is None:  # of a library
            line |= {"event": "library.said", "library": record.name, "said": record.getMessage()}
        else:
            line |= {"event": record.getMessage(), **facts}
        fault = record.exc_info[1] if record.exc_info else None
        return json.dumps(line if fault is None else line | _told(fault), default=str)


def _told(fault: BaseException) -> dict[str, object]:
    frames = traceback.extract_tb(fault.__traceback__)[-FRAMES:]
    where = [f"{_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return {"fault": [type(fault).__name__], "where": where}


def _place(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_ROOT)) if path.is_relative_to(_ROOT) else path.name
