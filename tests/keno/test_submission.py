"""The rules of the games as they are submitted: examples that are sold, shared and claimed."""

from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from app.keno.card_file import read_card
from app.keno.conditioning import conditioning_of
from app.keno.pricing import quote
from app.keno.submission import claims, examples, shared
from app.keno.ticket import TicketType
from tests.keno.cards import CARD, ROOMY, with_limits, with_schedule
from tests.keno.rate_card import HOUSE_CARD

TYPES = {
    "Straight": TicketType.STRAIGHT,
    "Split, groups of one size": TicketType.SPLIT,
    "Split, groups of two sizes": TicketType.SPLIT,
    "Way": TicketType.WAY,
    "Combination": TicketType.COMBINATION,
    "King": TicketType.KING,
    "Multi-race": TicketType.STRAIGHT,
    "Quick-pick": TicketType.STRAIGHT,
}


@pytest.mark.rule(
    "15.2(c)1", "15.2(c)2i", "15.2(c)2ii", "15.2(c)3", "15.2(c)4", "15.2(c)5", "15.2(c)6"
)
@pytest.mark.parametrize("card", [CARD, ROOMY, read_card(HOUSE_CARD.read_bytes())])
def test_there_is_an_example_of_every_kind_and_each_is_sold(card: object) -> None:
    made = examples(card)  # type: ignore[arg-type]
    found = {each.kind: each for each in made}
    assert {kind: each.ticket and each.ticket.type for kind, each in found.items()} == TYPES
    for each in made:
        assert each.request is not None
        assert quote(each.request, card) == each.ticket  # type: ignore[arg-type]
    assert found["Multi-race"].ticket
    assert found["Multi-race"].ticket.multi_race
    assert found["Quick-pick"].ticket
    assert found["Quick-pick"].ticket.quick_pick
    apart = found["Split, groups of two sizes"].ticket
    assert apart
    assert len({line.rate_cents for line in apart.lines}) == 2


def test_examples_cost_the_least_that_the_card_sells() -> None:
    dear = with_limits(ticket_min_cents=1_003)
    straight, split, *_ = examples(dear)
    assert straight.ticket
    assert (conditioning_of(straight.ticket.lines), straight.ticket.price_cents) == (
        "1/4 @ 10.05",
        1_005,
    )
    assert split.ticket
    assert split.ticket.price_cents == 1_010


def test_what_cannot_be_sold_has_no_example() -> None:
    single = replace(
        with_limits(games_max=1),
        schedules={
            "regular": replace(
                CARD.schedules["regular"], rate_min_cents=100, pays_cents={1: {1: 300}}
            )
        },
    )
    offered = {each.kind: each.ticket is not None for each in examples(single)}
    assert offered == {
        "Straight": True,
        "Split, groups of one size": True,
        "Split, groups of two sizes": False,
        "Way": False,
        "Combination": False,
        "King": False,
        "Multi-race": False,
        "Quick-pick": True,
    }


def test_a_card_on_which_nothing_plain_can_be_sold_has_no_examples() -> None:
    dear = with_limits(ticket_min_cents=900_000, ticket_max_cents=900_000)
    assert [each.ticket for each in examples(dear)] == [None] * len(TYPES)


def test_a_special_rate_serves_where_the_regular_one_does_not() -> None:
    cheap = with_schedule("twobits", ticket_min_cents=0, ways_min=3)
    hardly_regular = with_schedule("regular", cheap, pays_cents={1: {1: 300}})
    found = {each.kind: each.ticket for each in examples(hardly_regular)}
    way, king = found["Way"], found["King"]
    assert way
    assert conditioning_of(way.lines) == "3/8 @ 0.35 twobits"
    assert king is None


@pytest.mark.rule("15.3(e)", "X-aggregate-sheet")
@pytest.mark.parametrize("in_full_cents", [0, 10_000])
def test_the_example_of_sharing_comes_to_the_limit(in_full_cents: int) -> None:
    limits = replace(CARD.limits, in_full_below_cents=in_full_cents)
    shares = shared(limits)
    assert sum(each.cut_cents for each in shares) > 10_000_000
    assert sum(each.paid_cents for each in shares) == 10_000_000
    assert shares[0].won_cents > shares[0].cut_cents == 10_000_000
    assert shares[-1].paid_cents == (10_000 if in_full_cents else 5_711)


def test_without_a_limit_nothing_is_shared() -> None:
    assert shared(replace(CARD.limits, aggregate_cents=None)) == ()


@pytest.mark.rule("15.6(c)")
def test_the_example_of_claims_counts_from_the_lock_without_frozen_time() -> None:
    plain, frozen = claims(replace(CARD.limits, claim_minutes=1_440), date(2026, 11, 16))
    assert (plain.locked, plain.until) == (datetime(2026, 11, 16, 12), datetime(2026, 11, 17, 12))  # noqa: DTZ001  times on a wall
    assert frozen.until - plain.until == timedelta(hours=2)
