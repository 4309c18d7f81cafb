"""Recording that a process of the house ended which should run: an alarm is decided by it.

Write order: there is one commit. *Crash before: it is in the journal alone.*
"""

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.office import Office


def record_process_end(office: Office, process: str, result: str) -> None:
    """Record that a process ended unexpectedly."""
    what = f"{process} ended with {result}; it starts again"
    with office.unit() as unit:
        office.log(unit, Tag.PROCESS, {"what": what, "time": time_text(unit.now())})
        unit.commit()
