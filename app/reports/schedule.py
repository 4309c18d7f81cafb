"""Which stretches of days a report is made for, when a day is closed (X-rng-tests).

Every report that the house chose is made for the day. Some say more over a longer time: the draws
are reviewed by the week, chosen or not, and what was sold, won and held by the month.
"""

from collections.abc import Iterator
from datetime import date, timedelta

WEEKLY = ("rng",)  # and on paper, for those who sign the review
MONTHLY = ("win", "sales", "payouts", "writers", "void-rates", "unclaimed")
SUNDAY = 6


def stretches_ending(report: str, day: date, founded: date) -> Iterator[tuple[date, date]]:
    """Yield first and last day of every stretch that a report is made for at the close of a day."""
    yield day, day
    yield from longer_ending(report, day, founded)


def longer_ending(report: str, day: date, founded: date) -> Iterator[tuple[date, date]]:
    """Yield the week and the month that end with a day; the first ones begin with the house."""
    if report in WEEKLY and day.weekday() == SUNDAY:
        yield max(day - timedelta(days=6), founded), day
    if report in MONTHLY and (day + timedelta(days=1)).day == 1:
        yield max(day.replace(day=1), founded), day
