"""The aggregate limit, shared to the cent."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.aggregate import game_limits, prorate
from app.keno.money import Rounding
from app.keno.rate_card import Limits
from tests.tables import read_table

amounts = st.integers(0, 20) | st.integers(0, 2**53 - 1)
wins_of_a_game = st.lists(amounts, max_size=30)


def cents(cell: str) -> tuple[int, ...]:
    return tuple(int(amount) for amount in cell.split(", "))


@pytest.mark.rule("15.3(e)", "X-aggregate-sheet")
@pytest.mark.parametrize(
    "row",
    read_table(Path(__file__).parent / "tables" / "proration.md"),
    ids=lambda row: f"{row['wins']} of {row['limit']}: {row['why']}",
)
def test_the_limit_is_shared_as_the_table_says(row: dict[str, str]) -> None:
    paid = prorate(cents(row["wins"]), int(row["limit"]), int(row["in full below"]))
    assert paid == cents(row["paid"])


@pytest.mark.rule("X-aggregate-sheet")
@given(wins_of_a_game, amounts, amounts)
def test_the_sum_is_exactly_the_limit_where_it_bites(
    wins: list[int], limit: int, in_full_below: int
) -> None:
    paid = prorate(wins, limit, in_full_below)
    assert sum(paid) == min(limit, sum(min(win, limit) for win in wins))
    assert all(0 <= part <= win for part, win in zip(paid, wins, strict=True))


@pytest.mark.rule("X-aggregate-sheet")
@given(wins_of_a_game, amounts, amounts)
def test_a_larger_win_is_never_paid_less_than_a_smaller_one(
    wins: list[int], limit: int, in_full_below: int
) -> None:
    paid = prorate(wins, limit, in_full_below)
    assert len(paid) == len(wins)
    by_win = sorted(zip(wins, paid, strict=True))
    assert all(
        less_paid <= more_paid
        for (less, less_paid), (more, more_paid) in pairwise(by_win)
        if less < more
    )


@given(wins_of_a_game, amounts, amounts)
def test_equal_wins_differ_by_a_cent_at_most_and_the_lowest_number_comes_first(
    wins: list[int], limit: int, in_full_below: int
) -> None:
    paid = prorate(wins, limit, in_full_below)
    assert len(paid) == len(wins)
    for win in set(wins):
        equal = [part for part, other in zip(paid, wins, strict=True) if other == win]
        assert equal == sorted(equal, reverse=True)
        assert equal[0] - equal[-1] <= 1


@given(wins_of_a_game, amounts, amounts)
def test_the_part_below_the_threshold_is_paid_in_full_while_the_limit_allows(
    wins: list[int], limit: int, in_full_below: int
) -> None:
    in_full = [min(win, limit, in_full_below) for win in wins]
    if sum(in_full) <= limit:
        paid = prorate(wins, limit, in_full_below)
        assert len(paid) == len(wins)
        assert all(part >= least for part, least in zip(paid, in_full, strict=True))


LIMITS = Limits(20, 1000, 100, 10**6, None, 0, 525_600, Rounding.UP)


@pytest.mark.rule("15.3(e)")
def test_the_limit_of_a_game_is_the_largest_on_any_live_ticket_in_it() -> None:
    low = replace(LIMITS, aggregate_cents=10_000_000, in_full_below_cents=500)
    high = replace(LIMITS, aggregate_cents=20_000_000, in_full_below_cents=100)
    assert game_limits([low, high, low]) == (20_000_000, 500)
    assert game_limits([low, LIMITS, high]) == (None, 500)
    assert game_limits([]) == (None, 0)


@pytest.mark.rule("15.3(e)", "X-aggregate-sheet")
def test_wins_that_their_own_cards_cut_keep_their_cut_and_the_larger_goes_first() -> None:
    assert prorate([500, 500], 501, 0, [700, 800]) == (250, 251)
    assert prorate([100, 200], 200, 0, [150, 200]) == (67, 133)
