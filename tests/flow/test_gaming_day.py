"""The gaming day: every moment belongs to just one, whatever is done to the clock on the wall."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audit.books.house import Calendar
from app.flow.day import day_bounds, gaming_day

ZONES = ("America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "UTC")
# Clocks go forward and back around these, somewhere.
CHANGES = (datetime(2026, 3, 8, 7, tzinfo=UTC), datetime(2026, 11, 1, 6, tzinfo=UTC))


@st.composite
def moments(draw: st.DrawFn) -> datetime:
    """Moments around a change of clocks, or anywhere in a year."""
    around = draw(st.sampled_from((*CHANGES, datetime(2026, 7, 1, tzinfo=UTC))))
    hours = 24 * 200 if around.month == 7 else 30
    return around + timedelta(seconds=draw(st.integers(-hours * 3600, hours * 3600)))


@pytest.mark.rule("X-clock")
@given(moments(), st.sampled_from(ZONES), st.integers(0, 1439))
def test_a_moment_lies_within_the_gaming_day_that_it_belongs_to(
    moment: datetime, zone: str, starts: int
) -> None:
    day = gaming_day(moment, zone, starts)
    begins, ends = day_bounds(day, zone, starts)
    assert begins <= moment < ends
    assert day_bounds(day + timedelta(days=1), zone, starts)[0] == ends


@pytest.mark.rule("X-clock", "X-audit-books")
@given(moments(), st.sampled_from(ZONES), st.integers(0, 1439))
def test_the_books_count_a_moment_to_the_same_day(moment: datetime, zone: str, starts: int) -> None:
    calendar = Calendar(ZoneInfo(zone), starts)
    for each in (moment, moment + timedelta(days=1), moment):  # it remembers a day
        assert calendar.day_of(each) == gaming_day(each, zone, starts).isoformat()


@pytest.mark.rule("X-clock")
def test_a_day_that_begins_where_clocks_are_changed_begins_once() -> None:
    zone, half_past_two = "America/New_York", 150
    before = datetime(2026, 3, 8, 7, 10, tzinfo=UTC)  # ten past three: there was no half past two
    assert gaming_day(before, zone, half_past_two).day == 7
    assert gaming_day(before + timedelta(minutes=30), zone, half_past_two).day == 8
    half_past_one = 90
    second_time = datetime(2026, 11, 1, 6, 10, tzinfo=UTC)  # ten past one, for the second time
    assert gaming_day(second_time, zone, half_past_one).day == 1
