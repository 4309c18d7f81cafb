"""The gaming day: it begins at a time of the house's own, in the house's time zone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def gaming_day(moment: datetime, zone: str, starts_minutes: int) -> date:
    """Return the gaming day that a moment belongs to."""
    local = moment.astimezone(ZoneInfo(zone))
    day = (local.replace(tzinfo=None) - timedelta(minutes=starts_minutes)).date()
    # Where clocks are changed just when a day begins, the wall alone does not tell.
    begins, ends = day_bounds(day, zone, starts_minutes)
    if moment < begins:
        return day - timedelta(days=1)
    return day if moment < ends else day + timedelta(days=1)


def day_bounds(day: date, zone: str, starts_minutes: int) -> tuple[datetime, datetime]:
    """Return when a gaming day begins, and when the next one does, in UTC."""
    # Added to a time of the zone, minutes are those of the clock on the wall.
    begins = datetime.combine(day, time(), ZoneInfo(zone)) + timedelta(minutes=starts_minutes)
    ends = begins + timedelta(days=1)
    return begins.astimezone(UTC), ends.astimezone(UTC)
