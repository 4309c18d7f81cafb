"""Slips that wait to be printed: how many at each printer, and since when none has come out."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.flow.entry_time import time_in
from app.store.queries import Reading
from app.store.queries import paper as queries

BEHIND = timedelta(seconds=5)  # a printer at work finishes a slip in less
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Unprinted:
    """Slips that wait for a printer, or at a station that has none."""

    printer: str | None
    station: str | None  # where there is no printer
    slips: int
    sending: int  # of these: they are being sent, or were when printing stopped
    since: datetime  # the oldest was asked for, or the printer finished one, whichever is later

    def is_behind(self, now: datetime) -> bool:
        """Whether a slip has waited longer than a printer at work takes."""
        return now - self.since > BEHIND


def unprinted(connection: Reading, station: int | None = None) -> list[Unprinted]:
    """Return the slips that wait, by printer; those of one station if it is given."""
    waiting = queries.waiting(connection, station)
    if not waiting:
        return []
    finished = queries.newest_finished(connection)
    found: dict[tuple[str | None, str | None], Unprinted] = {}
    for each in waiting:
        # An entry that says no time was tampered with: its slip waits all the same, and for long.
        at = each.copy_asked_at or time_in(each.body) or LONG_AGO
        place = each.printer, each.station
        known = found.get(place, Unprinted(*place, 0, 0, at))
        oldest = min(at, known.since)
        since = max(oldest, finished.get(each.printer or "", oldest))
        slips, sending = known.slips + each.slips, known.sending + each.sending
        found[place] = Unprinted(*place, slips, sending, since)
    return list(found.values())
