"""Shifts, and a day's drawers against its acts: whatever differs has a name."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.shift import DrawerSum, ShiftFigures

SHIFT = ShiftFigures(1, "WANDA", "B1", 10_000, 1_000, 500, 4_250, 50_000, 2_000, 7_000, 49_250, 0)
cents = st.integers(0, 1_000_000)


@pytest.mark.rule("X-drawer")
def test_a_shift_wins_what_it_took_in_less_what_it_paid() -> None:
    assert (SHIFT.sold_cents, SHIFT.win_cents, SHIFT.hold) == (8_500, 4_250, Fraction(1, 2))
    assert SHIFT.document()["hold"] == "1/2"


@pytest.mark.rule("X-drawer")
def test_a_shift_that_sold_nothing_has_no_hold() -> None:
    idle = replace(SHIFT, sales_cents=0, voids_cents=0, refunds_cents=0)
    assert (idle.hold, idle.document()["hold"]) == (None, None)


@pytest.mark.rule("X-drawer", "X-audit-books")
@given(st.lists(st.tuples(cents, cents, cents, cents, st.integers(-500, 500)), max_size=5), cents)
def test_counts_and_the_end_of_the_day_explain_every_difference(
    drawers: list[tuple[int, int, int, int, int]], elsewhere: int
) -> None:
    """Each drawer: its bank, fills, bleeds, what patrons brought, and what is over or short."""
    shifts = [
        replace(
            SHIFT,
            opening_cents=bank,
            filled_cents=filled,
            bled_cents=bled,
            counted_cents=bank + filled - bled + brought + over,
            over_short_cents=over,
        )
        for bank, filled, bled, brought, over in drawers
    ]
    by_patrons = sum(brought for _, _, _, brought, _ in drawers)
    day = DrawerSum(by_patrons + elsewhere, elsewhere, 0, shifts)
    assert day.unexplained_cents == 0
    next_day = DrawerSum(by_patrons - elsewhere, 0, elsewhere, shifts)
    assert next_day.unexplained_cents == 0
    lost = DrawerSum(by_patrons + 1, 0, 0, shifts)
    assert lost.document()["unexplained_cents"] == -1
