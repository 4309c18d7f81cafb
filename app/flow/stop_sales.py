"""Stopping the sale of a series, a schedule or a spot count; and selling it again (X-sale-stop).

One supervisor stops a sale, and it holds from the next sale on: the stop waits until the sales of
every series that it is about are done, and a sale looks for stops under the lock of its series. To
sell again takes a supervisor and a manager outside keno. Tickets that are sold stay as they are,
also for games to come; no game closes, and none is drawn otherwise.

Write order: there is one commit. *Crash before: nothing was stopped. Crash after: it is.*
"""

from collections.abc import Iterable
from dataclasses import dataclass

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.house_amounts import check_two_sides
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_reason, say_no
from app.keno.conditioning import Line
from app.keno.refusals import Refused, quoted
from app.store.queries import cards, house, stops
from app.store.queries.stops import Stopped
from app.store.tables import SaleStop
from app.store.unit import Unit


@dataclass(frozen=True)
class Thing:
    """What is stopped: a series, or a schedule, or a spot count of a schedule."""

    series: str | None = None
    schedule: str | None = None
    spots: int | None = None

    @property
    def words(self) -> str:
        """Return what it is in words."""
        if self.series is not None:
            return f"series {self.series}"
        return f"{self.schedule}, {self.spots} spots" if self.spots else f"{self.schedule}"


def stop_sale(office: Office, actor: Actor, thing: Thing, reason: str) -> None:
    """Stop a sale, from the next one on.

    Refuses: whoever may not; without a reason; a thing that is not sold here, or stopped already.
    """
    permit(actor.role, Permission.SALE_STOP)
    _change(office, actor, None, thing, reason)


def resume_sale(office: Office, actor: Actor, manager: Actor, thing: Thing, reason: str) -> None:
    """Sell a thing again that was stopped, from the next sale on.

    Refuses: whoever may not; two who are not one of keno and one outside of it; without a reason; a
    thing that is not stopped.
    """
    permit(actor.role, Permission.SALE_STOP)
    check_two_sides(actor, manager)
    _change(office, actor, manager, thing, reason)


def check_sold(unit: Unit, series: str | None, lines: Iterable[Line]) -> None:
    """Check that nothing that is sold is stopped; the caller has the lock of the series.

    Refuses: a series, a schedule or a spot count that a supervisor has stopped.
    """
    stopped = stops.stopped(unit.connection)
    if stopped:
        check_none_stopped(stopped, series, lines)


def check_none_stopped(
    stopped: Iterable[Stopped], series: str | None, lines: Iterable[Line]
) -> None:
    """Check the same against stops that were read before."""
    by_thing = {each.thing: each.reason for each in stopped}
    if series is not None and (series, None, None) in by_thing:
        why = by_thing[series, None, None]
        raise say_no(No.SERIES_STOPPED, series=series, why=why)
    for line in lines:
        schedule, spots = line.schedule, line.spots
        if (None, schedule, None) in by_thing:
            why = by_thing[None, schedule, None]
            raise say_no(No.SCHEDULE_STOPPED, schedule=schedule, why=why)
        if (None, schedule, spots) in by_thing:
            why = by_thing[None, schedule, spots]
            raise say_no(No.SPOTS_STOPPED, schedule=schedule, spots=spots, why=why)


def stopped_words(stopped: Iterable[Stopped]) -> list[dict[str, str]]:
    """Return what is not sold for now, in words, and why."""
    return [{"what": Thing(*each.thing).words, "why": each.reason} for each in stopped]


def _change(office: Office, actor: Actor, manager: Actor | None, thing: Thing, reason: str) -> None:
    check_reason(reason)
    is_stop = manager is None
    with office.unit() as unit:
        decides = Permission.CARD_ACCEPT if manager else None  # to sell again, as with a card
        still_acting(unit, actor, *([manager] if manager else []), what=decides)
        for series in sorted(house.series_codes(unit.connection)):
            if thing.series in (None, series):
                unit.lock_series(series)
        is_stopped = (thing.series, thing.schedule, thing.spots) in {
            each.thing for each in stops.stopped(unit.connection)
        }
        if is_stop and is_stopped:
            raise say_no(No.STOPPED_ALREADY, what=thing.words)
        if is_stop and not _is_known(office, unit, thing):
            raise say_no(No.NOTHING_TO_STOP)
        if not is_stop and not is_stopped:
            raise _not_stopped(thing)
        now = unit.now()
        row = {**vars(thing), "stopped": is_stop, "reason": reason, "staff": actor.staff, "at": now}
        body = {**vars(thing), "reason": reason, "time": time_text(now)}
        if manager is None:
            body["by"] = actor.document()
        else:
            row["manager"] = manager.staff
            body |= {"supervisor": actor.code, "manager": manager.code, "at": actor.place}
        tag = Tag.SALE_STOPPED if is_stop else Tag.SALE_RESUMED
        office.log_with(unit, tag, body, [(SaleStop, row)])
        unit.commit()


def _not_stopped(thing: Thing) -> Refused:
    return say_no(No.NOT_STOPPED, what=quoted(thing.words))


def _is_known(office: Office, unit: Unit, thing: Thing) -> bool:
    """Whether something is on sale: a series of the house, or on the card in force."""
    if thing.series is not None:
        is_alone = thing.schedule is None and thing.spots is None
        return is_alone and thing.series in house.series_codes(unit.connection)
    holds = cards.card_in_force(unit.connection, unit.now())
    if holds is None or thing.schedule is None:
        return False
    schedule = office.card(unit, holds).schedules.get(thing.schedule)
    return schedule is not None and (thing.spots is None or thing.spots in schedule.pays_cents)
