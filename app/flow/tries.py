"""Tries of names and secrets: how often somebody may be wrong, where, and at what (X-access).

Counted in the database, by the name that was typed, whether or not somebody has it: or names that
are there could be told from others. *At signing in*, by station: so many for all names together,
and five for one name, which is locked there for a while then. *At approving*, by the station and
the person who asks for the approval: so many for all names, and for one name five at once, then one
a minute. So what others try at a station keeps no supervisor from approving there, a guess at a
supervisor's secret takes a minute, and whoever makes it is the one who waits.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from app.flow.actor import CONSOLE
from app.flow.office import ONE_TRY_IN, STATION_TRIES, Office
from app.flow.refusals import No, say_no
from app.store.records import tries as records
from app.store.unit import Unit

TRIES_MAX = 5
LOCKED_FOR = timedelta(minutes=15)
ONE_APPROVAL_IN = timedelta(minutes=1)

_Bucket = tuple[bytes, int, timedelta]


@dataclass(frozen=True)
class Trying:
    """A name that is tried somewhere: at signing in, or to approve what somebody asks for."""

    name: str
    where: str  # a station, or the console
    asked_by: str | None = None  # for whom it is approved; none: they sign in

    @property
    def key(self) -> bytes:
        """What the name is counted by, which tells nobody what was typed."""
        return records.bucket("name", self.name)

    def take(self, office: Office) -> None:
        """Take a try, and commit that, before it is made.

        *Crash behind it: it is lost, and comes back with time.*

        Refuses: too many wrong tries.
        """
        if self.where == CONSOLE:
            return
        with office.unit() as unit:
            for each in self._buckets():
                if not records.take_try(unit, *each):
                    raise say_no(No.TOO_MANY_TRIES)
            unit.commit()

    def give_back(self, unit: Unit) -> None:
        """Give back the try of somebody who was let in, and of nobody else.

        A right secret alone is not enough: one that opens nothing - of somebody who is disabled, or
        may not do this - is compared and logged each time, and would be tried without end.
        """
        if self.where != CONSOLE:
            for bucket, _, one_in in self._buckets():
                records.give_back_try(unit, bucket, one_in)

    def _buckets(self) -> tuple[_Bucket, ...]:
        if self.asked_by is None:
            return ((records.bucket("sign-in", self.where), STATION_TRIES, ONE_TRY_IN),)
        asked = ("approval", self.where, self.asked_by)
        return (
            (records.bucket(*asked), STATION_TRIES, ONE_TRY_IN),
            (records.bucket(*asked, self.name), TRIES_MAX, ONE_APPROVAL_IN),
        )

    def locked_until(self, unit: Unit) -> datetime | None:
        """Return until when the name is locked here; none if it is not, or for approving."""
        if self.asked_by is not None:
            return None
        until = records.locked_until(unit, self.key, self.where)
        return until if until is not None and unit.now() < until else None

    def count_wrong(self, unit: Unit) -> datetime | None:
        """Count a wrong secret; return until when the name was locked by then, if it was."""
        if self.asked_by is not None:
            return None
        return records.count_wrong(unit, self.key, self.where, TRIES_MAX, LOCKED_FOR)

    def forget_wrong(self, unit: Unit) -> None:
        """Begin the count again: somebody was let in."""
        if self.asked_by is None:
            records.forget_wrong(unit, self.key, self.where)
