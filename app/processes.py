"""How every process of the back office begins: it speaks in one form, and counts what it says."""

from collections.abc import Sequence

from app.counts import LINES, Counts
from app.logs import LEVELS, Voice, speak_as
from app.settings import Settings
from app.software import software_hash

log = Voice("keno.process")


def begin_process(name: str, settings: Settings, names: Sequence[str] = ()) -> Counts:
    """Have a process speak and count, and return its counts.

    Args:
        name: what kind of process it is.
        settings: its settings.
        names: of what it counts beside its lines.
    """
    counts = Counts(name, (*(f"{LINES}/{level}" for level in LEVELS), *names), settings.metrics)
    speak_as(name, settings.log, lambda level: counts.add(f"{LINES}/{level}"))
    software_hash()  # of what is there now: that is what runs, whenever it is asked for
    log.info("process.started")
    return counts
