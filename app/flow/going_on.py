"""A restored house goes on: what holds from then on, however it was put right (X-recovery).

Nothing was missing (`missing`), it was refilled (`refill`), or both keys agreed to go on without it
(`new_origin`): in each case something may have happened after the last cosigned head that nobody
knows of. So, in the very transaction in which the waiting ends:

- a generous number of ticket and drawer numbers is left out, because they may be on paper;
- every ticket that is known is held: money goes out for it only with a manager outside keno, ticket
  by ticket, until a supervisor and a manager end the hold for all;
- every paper that waited is asked about, because it may have come out already;
- everybody is signed out, because some had signed out.
"""

from collections.abc import Mapping, Sequence

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.house_amounts import check_two_sides
from app.flow.office import Logged, Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.store.queries import keeping
from app.store.records import house, paper, rebuilding
from app.store.records.together import Row
from app.store.tables import HoldEnd, Resumption
from app.store.unit import Unit

# More than a house sells between two cosigned heads, of which there is one at each lock; and more
# drawers than it opens meanwhile.
TICKETS_LEFT_OUT = 10_000
DRAWERS_LEFT_OUT = 100
MAY_BE_THERE = "The house was restored: it may have been printed before."


def go_on(  # noqa: PLR0913, PLR0917  how it was put right, and what is told of it
    office: Office,
    unit: Unit,
    tag: Tag,
    said: Mapping[str, object],
    lost: int,
    rows: Sequence[Row] = (),
) -> Logged:
    """Have a restored house go on, within the transaction that ends the waiting.

    Args:
        office: the office.
        unit: the unit of work.
        tag: how it was put right.
        said: what its entry says of that.
        lost: how many entries may have been of tickets that nobody knows.
        rows: what else that entry leaves behind.
    """
    left_out = TICKETS_LEFT_OUT + lost
    last = rebuilding.skip_numbers(unit, "ticket", left_out)
    rebuilding.skip_numbers(unit, "drawer", DRAWERS_LEFT_OUT)
    body = {
        **said,
        "last_number": last,
        "numbers_left_out": left_out,
        "drawers_left_out": DRAWERS_LEFT_OUT,
    }
    kept = {"last_number": last, "left_out": left_out}
    entry = office.log_with(unit, tag, body, [(Resumption, kept), *rows])
    paper.ask_about_all(unit, MAY_BE_THERE)
    house.end_every_sign_in(unit)
    return entry


def end_hold(office: Office, supervisor: Actor, manager: Actor, reason: str) -> int:
    """Have tickets that are held paid as any other again; return up to which number.

    Refuses: whoever may not; no reason; where no ticket is held.
    """
    check_two_sides(supervisor, manager)
    for actor in (supervisor, manager):
        permit(actor.role, Permission.HOUSE_KEEP)
    check_reason(reason)
    with office.unit() as unit:
        still_acting(unit, supervisor, manager, what=Permission.HOUSE_KEEP)
        holds, now = keeping.holds(unit.connection), unit.now()
        if not holds:
            raise say_no(No.NOTHING_HELD)
        body = {
            "last_number": max(holds.values()),
            "reason": reason,
            "supervisor": supervisor.code,
            "manager": manager.code,
            "at": supervisor.place,
            "time": time_text(now),
        }
        ended = {
            "reason": reason,
            "staff": supervisor.staff,
            "manager": manager.staff,
            "ended_at": now,
        }
        rows: list[Row] = [(HoldEnd, {"resumption": each, **ended}) for each in holds]
        office.log_with(unit, Tag.HOLD_ENDED, body, rows)
        unit.commit()
    return max(holds.values())
