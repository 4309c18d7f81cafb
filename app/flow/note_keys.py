"""Having in the log how both keyed processes stand, whenever that has changed (15.5(a)-dual-key).

Their own journals say more, and are signed; this is what the house saw of them, and when.
"""

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.lease import Held
from app.flow.office import Office
from app.flow.see_keys import look_at_processes

Seen = dict[str, dict[str, object]]


def see_keyed(office: Office) -> Seen:
    """Return how both keyed processes stand, without what changes with every draw."""
    return {
        each.role: {
            "condition": each.condition.value,
            "reasons": list(each.reasons),
            "holders": list(each.holders),
            "software": each.software,
            "accepted": each.accepted,
        }
        for each in look_at_processes(office)
    }


def note_keys(office: Office, lease: Held, seen: Seen) -> None:
    """Log how the keyed processes stand.

    Raises:
        LeaseLost: another caller has taken over.
    """
    with office.unit() as unit:
        lease.check(unit)
        office.log(unit, Tag.KEYS, {"processes": seen, "time": time_text(unit.now())})
        unit.commit()
