"""The permissible wagers: the type that a request amounts to."""

from pathlib import Path

import pytest

from app.keno.money import dollars
from app.keno.pricing import quote
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.ticket import TicketType
from tests.keno import forms
from tests.keno.cards import CARD, ROOMY
from tests.tables import read_table

TYPES = read_table(Path(__file__).parent / "tables" / "types.md")


def marked(row: dict[str, str]) -> object:
    name = f"{row['groups']} played {row['conditioning']}"
    return pytest.param(row, marks=pytest.mark.rule(row["duty"]), id=name)


@pytest.mark.parametrize("row", [marked(row) for row in TYPES])
def test_the_type_is_derived_from_the_request(row: dict[str, str]) -> None:
    ticket = quote(Request(forms.groups(row["groups"]), row["conditioning"]), CARD)
    assert ticket.type == row["type"]
    assert str(ticket.ways) == row["ways"]
    assert dollars(ticket.price_per_game_cents) == row["price"]


def test_the_table_shows_every_type() -> None:
    assert {row["type"] for row in TYPES} == set(TicketType)


@pytest.mark.rule("15.2(c)2i")
@pytest.mark.parametrize(
    "conditioning", ["A @ 1.00, B @ 2.00", "A @ 1, B @ 1 twobits", "B @ 1, A @ .95"]
)
def test_equal_groups_of_a_split_ticket_take_one_rate(conditioning: str) -> None:
    with pytest.raises(Refused, match="all of 4 spots, so they take one rate"):
        quote(Request(((1, 2, 3, 4), (5, 6, 7, 8)), conditioning), ROOMY)


@pytest.mark.rule("15.2(c)6")
def test_a_multi_race_ticket_has_one_rate_for_all_its_games() -> None:
    ticket = quote(Request(((1, 2, 3, 4),), "1/4 @ 1.00", games=5), CARD)
    assert ticket.multi_race
    assert (ticket.price_per_game_cents, ticket.price_cents) == (100, 500)
    assert not quote(Request(((1, 2, 3, 4),), "1/4 @ 1.00"), CARD).multi_race


@pytest.mark.parametrize("groups", [(), ((3, 1, 4, 15, 9, 26, 5, 35),)])
def test_a_quick_pick_is_a_straight_ticket_before_and_after_it_is_picked(
    groups: tuple[tuple[int, ...], ...],
) -> None:
    ticket = quote(Request(groups, "1/8 @ 1.00", quick_pick=8), CARD)
    assert (ticket.type, ticket.quick_pick, ticket.ways) == (TicketType.STRAIGHT, True, 1)
