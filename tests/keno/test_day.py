"""A gaming day in figures: what it brings, what it leaves, and days added up."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.day import DayFigures, added

CENTS = st.integers(0, 10**9)
FLOWS = st.tuples(*[CENTS] * 8)


@pytest.mark.rule("X-audit-books")
def test_a_day_leads_from_what_it_was_brought_to_what_it_leaves() -> None:
    day = DayFigures(10_000, 500, 300, 8_000, 6_000, -100, 4_000, 50, 1_000, 2_000)
    assert day.prepaid_carried_cents == 1_000 + 10_000 - 500 - 300 - 8_000
    assert day.payable_carried_cents == 2_000 + 6_000 - 100 - 4_000 - 50
    assert (day.win_cents, day.hold) == (2_100, Fraction(2_100, 8_000))
    assert DayFigures(*[0] * 10).hold is None


@pytest.mark.rule("X-audit-books")
@given(st.lists(FLOWS, min_size=1, max_size=10), CENTS, CENTS)
def test_days_in_a_row_add_up_to_one(
    flows: list[tuple[int, ...]], prepaid: int, payable: int
) -> None:
    days: list[DayFigures] = []
    for flow in flows:
        brought = (
            (days[-1].prepaid_carried_cents, days[-1].payable_carried_cents)
            if days
            else (prepaid, payable)
        )
        days.append(DayFigures(*(*flow, *brought)))
    whole = added(days)
    assert whole.prepaid_carried_cents == days[-1].prepaid_carried_cents
    assert whole.payable_carried_cents == days[-1].payable_carried_cents
    assert whole.win_cents == sum(day.win_cents for day in days)
