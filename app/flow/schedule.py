"""When the games of a series close: at its interval, within its hours (15.5(b))."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.store.queries import running
from app.store.queries.running import SeriesRow
from app.store.records import running as records

DAY_MINUTES = 24 * 60
INTERVAL_LEAST, INTERVAL_MOST = 10, 24 * 3600


def next_close(
    series: SeriesRow, zone: str, now: datetime, closed: datetime | None
) -> datetime | None:
    """Return when a game that opens now closes; none if its series is run by hand.

    One interval after the close before it, so that games keep their rhythm; after a pause one
    interval from now. A close outside of the hours comes one interval after the next opening.
    """
    if series.interval_seconds is None:
        return None
    interval = timedelta(seconds=series.interval_seconds)
    close = now + interval
    if closed is not None and now < closed + interval <= close:
        close = closed + interval
    return close if is_within_hours(series, zone, close) else _opening(series, zone, now) + interval


def is_within_hours(series: SeriesRow, zone: str, moment: datetime) -> bool:
    """Whether a game of a series may close at a moment."""
    if series.closes_minutes - series.opens_minutes >= DAY_MINUTES:
        return True
    local = moment.astimezone(ZoneInfo(zone))
    minutes = local.hour * 60 + local.minute
    return any(
        series.opens_minutes <= minutes + days * DAY_MINUTES < series.closes_minutes
        for days in (0, 1)  # hours may go past midnight
    )


def _opening(series: SeriesRow, zone: str, now: datetime) -> datetime:
    """Return when the hours of a series begin next."""
    local = now.astimezone(ZoneInfo(zone))
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    opening = midnight + timedelta(minutes=series.opens_minutes)
    return opening if opening > local else opening + timedelta(days=1)


def change_schedule(  # noqa: PLR0913, PLR0917  who changes what to what
    office: Office,
    actor: Actor,
    code: str,
    interval_seconds: int | None,
    opens_minutes: int = 0,
    closes_minutes: int = DAY_MINUTES,
) -> None:
    """Have the games of a series close at an interval, or by hand; from the next game on.

    Refuses: whoever may not; a series that is not there; times that are none.
    """
    permit(actor.role, Permission.GAME_RUN)
    if interval_seconds is not None and not INTERVAL_LEAST <= interval_seconds <= INTERVAL_MOST:
        raise say_no(No.BAD_SCHEDULE, "interval_seconds")
    if not 0 <= opens_minutes < closes_minutes <= opens_minutes + DAY_MINUTES:
        raise say_no(No.BAD_SCHEDULE, "opens_minutes")
    if opens_minutes >= DAY_MINUTES:
        raise say_no(No.BAD_SCHEDULE, "opens_minutes")
    with office.unit() as unit:
        still_acting(unit, actor)
        known = {each.code: each for each in running.all_series(unit.connection)}
        if code not in known:
            raise say_no(No.NO_SUCH_SERIES, series=code)
        before = known[code]
        after = {
            "interval_seconds": interval_seconds,
            "opens_minutes": opens_minutes,
            "closes_minutes": closes_minutes,
        }
        body = {
            "series": code,
            "before": {name: getattr(before, name) for name in after},
            "after": after,
            "by": actor.document(),
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.SERIES, body)
        records.set_schedule(unit, code, interval_seconds, opens_minutes, closes_minutes)
        unit.commit()
