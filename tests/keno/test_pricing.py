"""Prices, and the limits of the card."""

from dataclasses import replace
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.conditioning import conditioning_of
from app.keno.money import LARGEST
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.refusals import Refused
from app.keno.request import Request, WrittenLine
from tests.keno import brute_force
from tests.keno.cards import CARD, ROOMY, with_limits, with_schedule
from tests.keno.strategies import requests

FOURS = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12))
KINGS = tuple((number,) for number in range(1, 81))


def codes(request: Request, card: RateCard = CARD) -> list[str]:
    with pytest.raises(Refused) as refused:
        quote(request, card)
    return [refusal.code for refusal in refused.value.refusals]


@pytest.mark.rule("15.4(a)")
def test_the_price_is_ways_times_rate_times_games() -> None:
    ticket = quote(Request(FOURS, "3/4 3/8 @ .50, 1/12 @ 1.00", games=5), CARD)
    assert [line.price_cents for line in ticket.lines] == [150, 150, 100]
    assert ticket.price_per_game_cents == 400
    assert ticket.price_cents == 2000


@pytest.mark.rule("15.4(a)")
@given(requests())
def test_the_price_is_the_sum_over_the_ways_as_listed(request_: Request) -> None:
    ticket = quote(request_, ROOMY)
    ways = [
        line.rate_cents for line in ticket.lines for _ in brute_force.ways_of(request_.groups, line)
    ]
    assert ticket.ways == len(ways)
    assert ticket.price_per_game_cents == sum(ways)
    assert ticket.price_cents == sum(ways) * request_.games


@given(requests(), st.randoms(use_true_random=False))
def test_the_order_of_the_marks_does_not_change_the_ticket(
    request_: Request, random: Random
) -> None:
    shuffled = tuple(tuple(random.sample(group, len(group))) for group in request_.groups)
    assert quote(replace(request_, groups=shuffled), ROOMY) == quote(request_, ROOMY)


@given(requests())
def test_the_canonical_conditioning_makes_the_same_ticket(request_: Request) -> None:
    ticket = quote(request_, ROOMY)
    assert quote(replace(request_, conditioning=conditioning_of(ticket.lines)), ROOMY) == ticket


@pytest.mark.rule("15.4(a)")
@pytest.mark.parametrize("written", [0, 1599, 1601, LARGEST])
def test_a_price_that_differs_is_refused_with_the_working(written: int) -> None:
    request = Request(FOURS, "3/4 3/8 @ 1.00, 1/12 @ 2.00", games=2, price_cents=written)
    with pytest.raises(Refused, match=r"costs \$16.00 \(\$8.00 a game x 2\)"):
        quote(request, CARD)


@pytest.mark.rule("15.4(a)")
def test_every_fault_is_reported_at_once() -> None:
    request = Request(
        ((1, 2, 3, 81), (3, 5, 5)), "2/4 @ 1, 1/7 @ .07 nickels, 1/x", games=0, price_cents=1
    )
    assert codes(request) == [
        "group.off_the_ticket",
        "group.number_twice",
        "group.overlap",
        "conditioning.unreadable",
        "rate.unknown_schedule",
        "games.out_of_range",
    ]
    request = Request(FOURS, "4/4 1/5 @ 1, 1/8 A+B+C @ .25", games=21, price_cents=1)
    assert codes(request) == [
        "line.spots_differ",
        "line.no_way",
        "line.ways_differ",
        "rate.needs_schedule",
        "games.out_of_range",
    ]
    request = Request(((1, 2), (3, 4)), "A @ 100.05, B @ .35 twobits", games=21, price_cents=1)
    assert codes(request) == [
        "split.one_rate",
        "rate.too_high",
        "schedule.too_few_ways",
        "games.out_of_range",
        "ticket.price_differs",
    ]


@pytest.mark.rule("15.3(d)")
@pytest.mark.parametrize(
    ("rate", "refused"),
    [
        ("0.49", ["rate.needs_schedule"]),
        ("0.50", []),
        ("0.55", []),
        ("0.56", ["rate.off_step"]),
        ("99.95", []),
        ("100.00", []),
        ("100.01", ["rate.too_high"]),
        ("100.05", ["rate.too_high"]),
        ("0.24 twobits", ["rate.too_low"]),
        ("0.25 twobits", []),
        ("0.30 twobits", ["rate.off_step"]),
        ("0.35 twobits", []),
        ("0.46 twobits", ["rate.too_high"]),
        ("0.50 dimes", ["rate.unknown_schedule"]),
    ],
)
def test_rates_go_from_the_minimum_in_steps_to_the_maximum(rate: str, refused: list[str]) -> None:
    request = Request(FOURS, f"3/4 @ {rate}", games=3)
    if refused:
        assert codes(request) == refused
    else:
        quote(request, CARD)


@pytest.mark.rule("15.2(b)")
def test_the_largest_number_of_spots_holds_for_each_way_not_for_the_ticket() -> None:
    groups = tuple(tuple(range(first, first + 4)) for first in range(1, 81, 4))
    assert quote(Request(groups, "190/8 @ 1"), CARD).ways == 190  # all 80 numbers are marked
    assert codes(Request((tuple(range(1, 14)),), "1/13 @ 1")) == ["way.too_many_spots"]
    assert quote(Request((tuple(range(1, 13)),), "1/12 @ 1"), CARD).ways == 1


@pytest.mark.rule("X-card-winnable")
def test_a_way_that_can_never_win_is_refused() -> None:
    assert codes(Request(((1, 2, 3), (4, 5, 6)), "2/3 @ .25 twobits", games=9)) == [
        "way.not_offered"
    ]
    unwinnable = with_schedule("regular", pays_cents={4: {4: 0}})
    assert codes(Request(FOURS, "3/4 @ 1"), unwinnable) == ["way.never_wins"]


@pytest.mark.rule("15.3(d)")
@pytest.mark.parametrize(
    ("least", "most", "refused"),
    [
        (600, 600, []),
        (601, 700, ["ticket.price_too_low"]),
        (1, 599, ["ticket.price_too_high"]),
    ],
)
def test_the_limits_of_a_ticket_hold_for_the_printed_total(
    least: int, most: int, refused: list[str]
) -> None:
    card = with_limits(ticket_min_cents=least, ticket_max_cents=most)
    request = Request(FOURS, "3/4 @ 1", games=2)
    if refused:
        assert codes(request, card) == refused
    else:
        assert quote(request, card).price_cents == 600


@pytest.mark.rule("15.3(d)")
def test_a_special_rate_asks_for_ways_in_a_game_and_money_over_all_games() -> None:
    one_way = Request((FOURS[0],), "1/4 @ .25 twobits", games=20)
    assert codes(one_way) == ["schedule.too_few_ways"]
    assert codes(Request(FOURS, "3/4 @ .25 twobits", games=1)) == [
        "schedule.price_too_low",
        "ticket.price_too_low",
    ]
    assert quote(Request(FOURS, "3/4 @ .25 twobits", games=2), CARD).price_cents == 150
    # Ways on another schedule do not count.
    mixed = Request(FOURS, "A @ .25 twobits, 3/8 @ 1", games=20)
    assert codes(mixed) == ["schedule.too_few_ways"]


@pytest.mark.parametrize("games", [0, -1])
def test_without_games_there_is_no_price_to_judge(games: int) -> None:
    assert codes(Request(FOURS, "3/4 @ 1", games=games, price_cents=7)) == ["games.out_of_range"]


def test_a_quick_pick_is_alone_on_its_ticket() -> None:
    assert codes(Request(((1, 2), (3, 4)), "2/2 @ 1", quick_pick=2)) == ["quick_pick.not_alone"]
    assert codes(Request(((1, 2),), "1/3 @ 1", quick_pick=3)) == ["quick_pick.not_alone"]


class TestSize:
    """Ways, prices and wins stay below 2^53, where canonical JSON ends."""

    def test_eighty_kings_ten_at_a_time_are_sold_on_a_card_without_limits(self) -> None:
        card = with_limits(ROOMY, aggregate_cents=None)
        ticket = quote(Request(KINGS, f"{comb(80, 10)}/10 @ 1.00"), card)
        assert ticket.price_cents == comb(80, 10) * 100 < LARGEST

    def test_more_ways_than_can_be_stored_are_refused(self) -> None:
        lines = (WrittenLine(100, ways=comb(80, 20), spots=20),)
        card = with_schedule("regular", ROOMY, pays_cents={20: {20: 100}})
        assert codes(Request(KINGS, lines), card) == ["ticket.too_large", "ticket.price_too_high"]

    def test_a_price_that_cannot_be_stored_is_refused(self) -> None:
        ten = comb(80, 10)
        assert codes(Request(KINGS, f"{ten}/10 @ 100.00"), ROOMY) == [
            "ticket.too_large",
            "ticket.price_too_high",
        ]

    def test_a_win_that_could_not_be_stored_is_refused_unless_the_limit_cuts_it(self) -> None:
        rich = with_schedule("regular", ROOMY, pays_cents={4: {4: LARGEST}})
        assert quote(Request((FOURS[0],), "1/4 @ 2.00"), rich).ways == 1
        unlimited = with_limits(rich, aggregate_cents=None)
        assert codes(Request((FOURS[0],), "1/4 @ 2.00"), unlimited) == ["ticket.too_large"]
        assert quote(Request((FOURS[0],), "1/4 @ 1.00"), unlimited).ways == 1
        assert codes(Request((FOURS[0],), "1/4 @ 1.00", games=2), unlimited) == ["ticket.too_large"]

    def test_no_more_ways_win_than_there_are(self) -> None:
        pays = {2: dict.fromkeys(range(3), LARGEST // 3)}
        card = with_schedule("regular", with_limits(ROOMY, aggregate_cents=None), pays_cents=pays)
        assert quote(Request(((1, 2), (3, 4)), "2/2 @ 1"), card).ways == 2

    def test_a_limit_that_is_itself_too_large_for_all_games_is_no_reason_to_refuse(self) -> None:
        card = with_limits(ROOMY, aggregate_cents=LARGEST)
        assert quote(Request((FOURS[0],), "1/4 @ 1.00", games=1000), card).games == 1000
