"""The gaming day: it begins at a time of the house's own, in the house's time zone."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo


def gaming_day(moment: datetime, zone: str, starts_minutes: int) -> date:
    """Return the gaming day that a moment belongs to."""
    local = moment.astimezone(ZoneInfo(zone))
    return (local.replace(tzinfo=None) - timedelta(minutes=starts_minutes)).date()
