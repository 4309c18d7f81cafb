"""Looking a win up that is not paid yet, without its ticket's code: recorded each time.

Whoever knows of a win that nobody has come for could come for it themselves. So no writer is told
how much it is, no writer sees a list, and whoever looked one up does not pay it to somebody whose
paper cannot be read (X-pay-without-code).
"""

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import still_at_work
from app.flow.office import Office
from app.flow.standing import Standing
from app.keno.standing import Stands
from app.store.queries.people import Worker
from app.store.records.together import Row
from app.store.tables import LookUp
from app.store.unit import Unit

LISTED = (Stands.WIN, Stands.IN_PLAY, Stands.NOT_DECIDED, Stands.FROZEN)


def is_unclaimed(standing: Standing) -> bool:
    """Whether a ticket has won something that is not paid yet."""
    return standing.stands in LISTED and bool(standing.win_cents)


def note_look_up(  # noqa: PLR0913, PLR0917  who looked up which wins
    office: Office, unit: Unit, who: Worker, first: int, last: int, wins: int
) -> None:
    """Record that somebody looked up wins that are not paid yet, and commit that.

    Args:
        office: the office.
        unit: the unit of work.
        who: who looked.
        first: the number of the ticket; of a list the first that could be in it.
        last: the same number; of a list the last.
        wins: how many wins they were shown.

    Refuses: whoever is not at work any more.
    """
    still_at_work(unit, who)
    now = unit.now()
    facts = {"first": first, "last": last, "wins": wins}
    row: Row = (
        LookUp,
        {**facts, "station": who.station, "staff": who.staff, "looked_at": now},
    )
    body = {**facts, "station": who.station_code, "staff": who.code, "time": time_text(now)}
    office.log_with(unit, Tag.LOOK_UP, body, [row])
    unit.commit()
