"""Jumps of the house's clock: recorded, and no game closes early or late because of one (X-clock).

Nobody notices a jump but by a second clock, one that only counts. The caller has one. When the
house's clock has moved by more or less than that, the open games close as much later or earlier:
they are sold for as long as they would have been.
"""

from datetime import datetime, timedelta

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.lease import Held
from app.flow.office import Office
from app.store.queries import games, house, running
from app.store.records import games as records
from app.store.records import running as records_of_lease
from app.store.records.outcomes import event_row
from app.store.records.together import add_rows


def take_jump(office: Office, lease: Held, jump: timedelta, since: datetime) -> None:
    """Record a jump of the clock, and move the close of every open game by it; once.

    Args:
        office: the office.
        lease: of the caller.
        jump: by how much the clock moved that did not pass.
        since: from when on that was measured; a jump that was taken is not taken again, even if
            the commit of the first time was not answered.

    Raises:
        LeaseLost: another caller has taken over.
    """
    with office.unit() as unit:
        codes = house.series_codes(unit.connection)
        for code in codes:  # in the order of their codes, as every stage that takes several
            unit.lock_series(code)
        lease.check(unit)
        before = running.lease(unit.connection, lease.name)
        if before is not None and before.clock_since == since:
            return
        records_of_lease.note_clock(unit, lease.name, since)
        now = unit.now()
        moved: list[tuple[str, int, dict[str, str]]] = []
        for code in codes:
            game = games.open_game(unit.connection, code)
            if game is None or game.closes_at is None:
                continue
            closes_at = game.closes_at + jump
            records.set_close(unit, code, game.number, closes_at)
            if game.held_until is not None:
                until = game.held_until + jump
                records.set_hold(unit, code, game.number, game.held_why, until)
            moved.append((code, game.number, {"closes_at": time_text(closes_at)}))
        milliseconds = jump // timedelta(milliseconds=1)
        closes = [{"series": code, "game": game, **facts} for code, game, facts in moved]
        body = {"milliseconds": milliseconds, "moved": closes, "time": time_text(now)}
        entry = office.log(unit, Tag.CLOCK, body)
        add_rows(unit, entry.id, [event_row(unit, "closes", *each, now) for each in moved])
        unit.commit()
