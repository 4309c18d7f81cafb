"""Closing a gaming day: its figures, and what it leaves to the next.

A day waits for its own games and its own drawers only, so that a house can run around the clock:
games that are frozen are listed, and what changes for them later is the day's in which they are
released.

Write order:

1. Wins that had to be claimed before the day ended, and were not, are posted as expired, one by
   one. *Crash: the close is asked for again, and goes on.*
2. One transaction: the figures, the entry. *Crash before: asked for again.*
"""

from dataclasses import asdict
from datetime import date, datetime, timedelta

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit
from app.flow.actor import Actor
from app.flow.day import day_bounds, gaming_day
from app.flow.expire import expire_wins
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.day import DayFigures, added
from app.keno.game import GameState
from app.store.queries import days
from app.store.tables import DayClose
from app.store.unit import Unit

Frozen = list[dict[str, object]]


def close_day(office: Office, actor: Actor, day: date) -> dict[str, object]:
    """Close a gaming day; return its figures, and those of its month and year so far.

    Refuses: whoever may not; a day that is not over, was closed, or does not follow the last one;
    while a game of it is not decided, or a drawer of it is open.
    """
    permit(actor.role, Permission.DAY_CLOSE)
    _begins, ends = _bounds(office, day)
    with office.unit() as unit:
        _check(office, unit, day, ends)
    expire_wins(office, ends)
    with office.unit() as unit:
        _check(office, unit, day, ends)
        figures, frozen = _figures(office, unit, day)
        now = unit.now()
        before = [_read(told) for told, _ in days.closed_days(unit.connection).values()]
        row = {
            "day": day,
            "figures": asdict(figures),
            "frozen": frozen,
            "staff": actor.staff,
            "closed_at": now,
        }
        body = {
            "house": office.house.name,
            "day": day.isoformat(),
            "figures": told_of(figures),
            "frozen": frozen,
            "differences": _differences(unit, figures, before),
            "by": actor.document(),
            "time": time_text(now),
        }
        office.log_with(unit, Tag.DAY_CLOSE, body, [(DayClose, row)])
        unit.commit()
    return {name: body[name] for name in ("day", "figures", "frozen", "differences")}
