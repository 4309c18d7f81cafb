"""Which software is here, once a day in the log, beside each start and each lock (X-software-seal).

Read from the disk anew each day: a file that was changed under a running process is seen then. That
is the machine of the caller; others are looked at when software is installed there, and by hand.
"""

import json

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.day import gaming_day
from app.flow.lease import Held
from app.flow.office import Office
from app.software import software_hash, software_on_disk
from app.store.queries import log


def note_software(office: Office, lease: Held) -> str:
    """Log the software of this gaming day, if that was not done yet; return the day.

    Raises:
        LeaseLost: another caller has taken over.
    """
    on_disk = software_on_disk()  # hundreds of files: not while others wait
    with office.unit() as unit:
        lease.check(unit)
        now = unit.now()
        house = office.house
        day = gaming_day(now, house.time_zone, house.day_starts_minutes).isoformat()
        newest = log.newest_body(unit.connection, Tag.SOFTWARE.value)
        if newest is None or json.loads(newest)["gaming_day"] != day:
            body = {"software": on_disk, "gaming_day": day, "time": time_text(now)}
            if on_disk != software_hash():
                body["started_with"] = software_hash()
            office.log(unit, Tag.SOFTWARE, body)
            unit.commit()
    return day
