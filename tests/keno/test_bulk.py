"""Bulk grading gives, row by row, what grading one ticket gives."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.keno.bulk import BATCH, Grader, Plays
from app.keno.conditioning import Line
from app.keno.grading import grade_game
from app.keno.money import LARGEST, Rounding
from app.keno.rate_card import RateCard
from app.keno.spots import mask_of
from app.keno.ticket import Ticket, TicketType
from tests.keno.cards import CARD, with_limits, with_schedule
from tests.keno.strategies import NUMBERS, cards, draws

SCHEDULES = ("regular", "special")

numbers = st.sets(st.sampled_from(NUMBERS), min_size=1, max_size=20) | st.sets(
    st.sampled_from(NUMBERS), min_size=1
)
rates = st.integers(1, 100_000) | st.integers(1, LARGEST)
plays = st.lists(st.tuples(numbers, rates, st.sampled_from([0, 1])), max_size=40)


def win_cents(marked: set[int], rate_cents: int, schedule: str, draw: int, card: RateCard) -> int:
    line = Line(len(marked), 1, rate_cents, schedule)
    ticket = Ticket(TicketType.STRAIGHT, (mask_of(marked),), (line,), 1, quick_pick=False)
    return grade_game(ticket, draw, card).win_cents


@given(cards(), plays, draws)
def test_every_row_equals_the_scalar_grade(
    card: RateCard, rows: list[tuple[set[int], int, int]], drawn: tuple[int, ...]
) -> None:
    draw = mask_of(drawn)
    expected = [
        win_cents(marked, rate, SCHEDULES[schedule], draw, card) for marked, rate, schedule in rows
    ]
    assume(all(win <= LARGEST for win in expected))  # what cannot be stored cannot be sold
    columns = Plays.of((mask_of(marked), rate, schedule) for marked, rate, schedule in rows)
    assert Grader(card, SCHEDULES).wins_cents(columns, draw).tolist() == expected


@given(plays, draws, st.sampled_from([None, 1, 7]), st.sampled_from(Rounding))
def test_every_row_equals_the_scalar_grade_where_products_need_more_than_64_bits(
    rows: list[tuple[set[int], int, int]],
    drawn: tuple[int, ...],
    limit: int | None,
    rounding: Rounding,
) -> None:
    pay_cents = LARGEST // 3 * 2  # two thirds of the rate, so that rounding shows
    rich = {spots: dict.fromkeys(range(min(spots, 20) + 1), pay_cents) for spots in range(1, 61)}
    card = with_schedule("regular", pays_cents=rich, base_cents=LARGEST)
    card = with_limits(card, aggregate_cents=limit, rounding=rounding)
    draw = mask_of(drawn)
    few = [(marked, rate) for marked, rate, _ in rows if len(marked) <= 60]
    columns = Plays.of((mask_of(marked), rate, 0) for marked, rate in few)
    assert Grader(card, ["regular"]).wins_cents(columns, draw).tolist() == [
        win_cents(marked, rate, "regular", draw, card) for marked, rate in few
    ]


def test_a_product_beyond_64_bits_is_exact() -> None:
    card = with_schedule("regular", base_cents=LARGEST, pays_cents={1: {1: LARGEST - 1}})
    (win,) = Grader(card, ["regular"]).wins_cents(Plays.of([(1, 5_000, 0)]), draw=1)
    assert win == 5_000  # a little less, rounded up


def test_a_product_that_rounding_would_double_beyond_64_bits_is_exact() -> None:
    card = with_schedule("regular", base_cents=2**13, pays_cents={1: {1: 2**52}})
    card = with_limits(card, rounding=Rounding.HALF_UP, aggregate_cents=None)
    (win,) = Grader(card, ["regular"]).wins_cents(Plays.of([(1, 1_500, 0)]), draw=1)
    assert win == 2**39 * 1_500


def test_a_win_that_cannot_be_stored_stops_the_grading() -> None:
    card = with_limits(with_schedule("regular", pays_cents={1: {1: LARGEST}}), aggregate_cents=None)
    with pytest.raises(OverflowError, match="more than any that can have been sold"):
        Grader(card, ["regular"]).wins_cents(Plays.of([(1, 200, 0)]), draw=1)


@pytest.mark.parametrize(
    ("rounding", "cents"), [(Rounding.UP, 7), (Rounding.DOWN, 6), (Rounding.HALF_UP, 7)]
)
@pytest.mark.parametrize("limit", [None, 5])
def test_wins_are_rounded_by_the_rule_of_the_card_and_cut(
    rounding: Rounding, cents: int, limit: int | None
) -> None:
    # Catching none of four on twobits pays 20 for 75: 25 cents win 6 2/3.
    card = with_limits(rounding=rounding, aggregate_cents=limit)
    wins = Grader(card, ["twobits"]).wins_cents(Plays.of([(mask_of([1, 2, 3, 4]), 25, 0)]), draw=0)
    assert wins.tolist() == [min(cents, limit or cents)]


def test_batches_join_without_a_seam() -> None:
    rows = [(mask_of([1 + place % 80]), 100, 0) for place in range(2 * BATCH + 3)]
    wins = Grader(CARD, ["regular"]).wins_cents(Plays.of(rows), mask_of(range(61, 81)))
    assert wins.tolist() == [300 if place % 80 >= 60 else 0 for place in range(2 * BATCH + 3)]


def test_no_rows_win_nothing() -> None:
    assert Grader(CARD, ["regular"]).wins_cents(Plays.of([]), draw=1).tolist() == []
