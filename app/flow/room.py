"""Room for what is still to come, made before it is needed.

PostgreSQL keeps what grows in partitions; the next one must be there before its first row is. The
caller asks now and then, which is weeks before.

Where rows have found none after all, it takes three steps, each in a transaction of its own, so
that nobody waits for all of them. *Crash in between: the next caller goes on with them.*
"""

from app.flow.office import Office
from app.store import partitions

STEPS = 3


def make_room(office: Office) -> int:
    """Have the next partitions made, where there are none yet; return how many were."""
    made = 0
    for _ in range(STEPS):
        with office.unit() as unit:
            step = partitions.make_room(unit)
            if step is None:
                break
            unit.commit()
        made += step
    return made
