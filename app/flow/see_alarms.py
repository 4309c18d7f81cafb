"""What is amiss in the house now: facts are read, and alarms decided by them."""

from collections.abc import Sequence
from pathlib import Path

from app.flow.alarms import Alarm, decide, with_beginnings
from app.flow.facts import Facts, read_facts
from app.flow.office import Office


def see_alarms(office: Office, folders: Sequence[Path] = ()) -> list[Alarm]:
    """Return all that is amiss, each with its beginning.

    Args:
        office: the office.
        folders: whose disks are watched.
    """
    return alarms_by(office, read_facts(office, folders))


def alarms_by(office: Office, facts: Facts) -> list[Alarm]:
    """Return all that is amiss by facts that were read."""
    return with_beginnings(decide(facts), office.noticed, facts.now)
