"""A lease: what only one process of the house may do, and who that is.

The lease saves work and keeps two callers from getting in each other's way. That nothing happens
twice does not rest on it: a game is moved from one state to the next by one transaction only. Every
change of hands raises the fence; whoever acts by an old one is refused in the very transaction of
the act, however late that comes.

A process that starts takes the lease of its own name at once: the one before it is gone. If it is
not, because a second one was given its name on another machine, the older one has lost it, and
waits like everybody else.

Nobody takes a lease, keeps it or acts by it while the database is at another revision than the one
that the software is written for: an old caller would run games on new tables. It writes nothing any
more, is taken over from like one that is dead, and goes on if the database goes back.

Who waits judges by a clock of its own that only counts, not by the clock of the house: if that is
set, nobody is taken for dead, and nobody for alive (X-clock).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.office import Office
from app.logs import Voice
from app.software import software_hash
from app.store import schema
from app.store.queries import running
from app.store.queries.running import LeaseRow
from app.store.records import running as records
from app.store.unit import CommitUnknown, Unit

log = Voice("keno.lease")

CALLER = "caller"
LEASED = timedelta(seconds=45)  # longer than both keyed processes together can be waited for
SERVED = timedelta(seconds=8)  # a spooler renews the leases of its printers in half the time


def printer_lease(code: str) -> str:
    """Return the name of the lease of a printer."""
    return f"printer {code}"


def is_served(until: datetime | None, now: datetime) -> bool:
    """Whether a spooler renewed the lease of its printer a moment ago.

    Long before the lease lapses, and another may take over: a writer reads within ten seconds that
    no spooler is running.
    """
    return until is not None and now - (until - LEASED) < SERVED


class LeaseLost(Exception):  # noqa: N818  another process has taken over
    """The lease is not ours any more."""


@dataclass(frozen=True)
class Held:
    """A lease that was ours when we last looked."""

    name: str
    holder: str
    fence: int

    def check(self, unit: Unit) -> None:
        """Check, in the transaction of an act, that nobody has taken over since.

        Raises:
            LeaseLost: somebody has, or the tables are not those of this software any more.
        """
        if schema.revision_in(unit.connection) != schema.newest_revision():
            raise LeaseLost
        now = running.lease(unit.connection, self.name, held=True)
        if now is None or (now.holder, now.fence) != (self.holder, self.fence):
            raise LeaseLost


@dataclass
class Watch:
    """What one who waits for a lease saw of it last, and for how long it has not changed."""

    counted: Callable[[], float]
    is_renewed: bool = False  # since it was looked at before
    taken: Held | None = None  # the last one of this process
    is_told: bool = False  # that the tables are not those of this software
    _seen: LeaseRow | None = None
    _since: float = 0.0

    def has_lapsed(self, lease: LeaseRow) -> bool:
        """Look at the lease; whether whoever has it has not renewed it for too long."""
        self.is_renewed = lease != self._seen
        if self.is_renewed:
            self._seen, self._since = lease, self.counted()
        return self.counted() - self._since >= LEASED.total_seconds()

    def is_other_software(self, unit: Unit, name: str) -> bool:
        """Whether the tables are not those of this software; it is told once."""
        found, known = schema.revision_in(unit.connection), schema.newest_revision()
        if found != known and not self.is_told:
            log.error("lease.other_revision", lease=name, database=found, software=known)
        self.is_told = found != known
        return self.is_told


def take_lease(office: Office, name: str, holder: str, watch: Watch) -> Held | None:
    """Take a lease or renew it; none while somebody else has it, or the tables are not ours."""
    with office.unit() as unit:
        now = unit.now()
        until = now + LEASED
        before = running.lease(unit.connection, name, held=True)
        if watch.is_other_software(unit, name):
            if before is not None:
                watch.has_lapsed(before)  # it is watched all the same
            return None
        if before is None:
            if not records.begin_lease(unit, name, holder, until):
                return None
            fence = 1
        elif before.holder == holder and watch.taken == Held(name, holder, before.fence):
            fence = before.fence
            records.keep_lease(unit, name, holder, fence, until)
        elif (before.holder == holder and watch.taken is None) or watch.has_lapsed(before):
            fence = before.fence + 1
            records.keep_lease(unit, name, holder, fence, until)
        else:
            return None
        if before is None or before.holder != holder:
            body = {
                "holder": holder,
                "fence": fence,
                "software": software_hash(),
                "time": time_text(now),
            }
            office.log(unit, Tag.CALLER, body)
        try:
            unit.commit()
        except CommitUnknown:
            # It may be ours, by a fence that we would not know again: then it is taken anew, as by
            # a process that starts, and not waited for.
            if before is None or before.fence != fence:
                watch.taken = None
            raise
    watch.taken = Held(name, holder, fence)
    return watch.taken


def renew_leases(office: Office, held: Sequence[Held]) -> set[Held]:
    """Renew leases in one transaction; return those that are still ours."""
    with office.unit() as unit:
        if schema.revision_in(unit.connection) != schema.newest_revision():
            return set()
        until = unit.now() + LEASED
        ours = {
            each
            for each in held
            if records.renew_lease(unit, each.name, each.holder, each.fence, until)
        }
        unit.commit()
    return ours
