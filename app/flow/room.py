"""Room for what is still to come, made before it is needed.

PostgreSQL keeps what grows in partitions; the next one must be there before its first row is. The
caller asks now and then, which is weeks before.
"""

from app.flow.office import Office
from app.store import partitions


def make_room(office: Office) -> int:
    """Have the next partitions made, where there are none yet; return how many were."""
    with office.unit() as unit:
        made = partitions.make_room(unit)
        if made:
            unit.commit()
    return made
