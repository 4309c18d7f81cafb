"""The second grader: written apart from the first, it agrees with it, and sees where it is wrong.

Bodies of the log are made here as selling makes them, and go through canonical JSON. The examples
are worked by hand, or counted by listing every way; then both graders are given the same tickets.
"""

import ast
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from hashlib import sha256
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.audit import second_grader
from app.audit.canonical import canonical
from app.audit.second_grader import (
    Broken,
    Card,
    Played,
    Win,
    limits_of,
    price_of,
    read_card,
    read_draw,
    read_ticket,
    shared,
)
from app.flow.plays import play_document
from app.flow.sell import Sale
from app.keno import aggregate, card_file, grading
from app.keno.bulk import Grader, Plays
from app.keno.money import LARGEST, Rounding, dollars, rounded_cents
from app.keno.pricing import quote
from app.keno.rate_card import Limits, RateCard, Schedule
from app.keno.refusals import Refused
from app.keno.request import Request, WrittenLine
from app.keno.spots import mask_of
from app.keno.tender import Tender, TenderKind
from app.keno.ticket import Ticket
from app.keno.ways import count_catches, count_ways
from tests.floor import Floor
from tests.keno import brute_force, forms
from tests.keno.cards import CARD, FILE, ROOMY, with_limits, with_schedule
from tests.keno.strategies import NUMBERS, cards, draws, requests
from tests.looking import bodies
from tests.tables import read_table

pytestmark = pytest.mark.rule("X-grade-twice")


def win_of(ticket: Played, card: Card, numbers: Sequence[int]) -> Win:
    return second_grader.win_of(ticket, card, read_draw(numbers))


TABLES = Path(__file__).parent.parent / "keno" / "tables"
DRAW = tuple(range(1, 21))


# ---- bodies, as the log has them ---------------------------------------------------------------


def card_body(text: str) -> dict[str, Any]:
    """The body of a CARD entry for a file."""
    return {"card": sha256(text.encode()).hexdigest(), "name": "Any card", "file": text}


def toml(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, Mapping):
        fields = (f"{json.dumps(str(name))} = {toml(part)}" for name, part in value.items())
        return "{" + ", ".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(part) for part in value) + "]"
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value)


def file_of(content: Mapping[str, object]) -> str:
    """The file of a card."""
    return "".join(f"{json.dumps(name)} = {toml(part)}\n" for name, part in content.items())


def content_of(card: RateCard) -> dict[str, Any]:
    """What the file of a card says."""
    schedules = {}
    for schedule in card.schedules.values():
        fields = {**vars(schedule), "pays": schedule.pays_cents}
        departs = fields.pop("departs_from_proportion")
        if departs is not None:
            fields["departs_from_proportion"] = vars(departs)
        del fields["name"], fields["pays_cents"]
        schedules[schedule.name] = fields
    limits = {name: value for name, value in vars(card.limits).items() if value is not None}
    return {"name": card.name, "limits": limits, "schedules": schedules}


def read(card: RateCard) -> Card:
    """The first grader's card, as the second reads it from the log."""
    body = card_body(file_of(content_of(card)))
    assert card_file.read_card(body["file"].encode()) == card  # the file says the same
    return read_card(body)


def ticket_body(ticket: Ticket, card: Card, number: int = 1) -> dict[str, Any]:
    """The body of a TICKET entry, as selling writes it, as far as grading goes."""
    facts = {
        "number": number,
        "series": "M",
        "first_game": 7,
        "games": ticket.games,
        "type": ticket.type.value,
        **play_document(ticket),
        "card": card.digest,
        "price_per_game_cents": ticket.price_per_game_cents,
        "price_cents": ticket.price_cents,
    }
    logged: dict[str, Any] = json.loads(canonical(facts))
    return logged


def sold(request_: Request, card: RateCard) -> tuple[Ticket, Played, Card]:
    """A request sold on a card: the ticket, and both as the second grader reads them."""
    ticket, second = quote(request_, card), read(card)
    return ticket, read_ticket(ticket_body(ticket, second)), second


def marked(groups: str, conditioning: str, games: int = 6) -> Request:
    """A form as the tables write it."""
    return Request(forms.groups(groups), conditioning, games=games)


# ---- worked by hand ----------------------------------------------------------------------------


@pytest.mark.rule("15.3(e)")
@pytest.mark.parametrize(
    "row",
    read_table(TABLES / "grades.md"),
    ids=lambda row: f"{row['groups']} played {row['conditioning']} on {row['drawn']}",
)
def test_a_ticket_wins_what_the_table_says(row: dict[str, str]) -> None:
    _, ticket, card = sold(marked(row["groups"], row["conditioning"]), CARD)
    numbers = forms.draw_with(forms.numbers(row["drawn"]), forms.groups(row["groups"]))
    win = win_of(ticket, card, numbers)
    assert win.exact == Fraction(row["win exactly"])
    assert dollars(win.cents) == row["paid"]


# A dollar a way, two fours: 2/4 and 1/8. Six of the numbers are drawn.
TWO_FOURS: dict[str, Any] = {
    "number": 12,
    "series": "M",
    "first_game": 30,
    "games": 3,
    "groups": [[1, 2, 3, 4], [5, 6, 7, 8]],
    "lines": [
        {"spots": 4, "ways": 2, "rate_cents": 100, "schedule": "regular"},
        {"spots": 8, "ways": 1, "rate_cents": 100, "schedule": "regular"},
    ],
    "card": sha256(FILE.read_bytes()).hexdigest(),
    "price_per_game_cents": 300,
    "price_cents": 900,
}
TEST_CARD = read_card(card_body(FILE.read_text()))
SIX_OF_THEM = (1, 2, 3, 4, 5, 6, *range(67, 81))


def test_a_body_of_the_log_is_all_that_it_needs() -> None:
    ticket = read_ticket(TWO_FOURS)
    assert (ticket.number, ticket.series) == (12, "M")
    assert (ticket.first_game, ticket.last_game) == (30, 32)
    assert price_of(ticket, TEST_CARD) == ticket.price_per_game_cents == 300
    # Four of four pay $115, two of four $1, six of eight $90.
    assert win_of(ticket, TEST_CARD, SIX_OF_THEM) == Win(Fraction(20_600), 20_600)


def test_a_line_that_lists_its_sets_plays_those_and_no_others() -> None:
    body = {
        **TWO_FOURS,
        "groups": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
        "lines": [
            {
                "spots": 8,
                "ways": 2,
                "rate_cents": 150,
                "schedule": "regular",
                "sets": ["A+B", "A+C"],
            }
        ],
    }
    ticket = read_ticket(body)
    # A+B catches six, $90 for a dollar; A+C four, nothing; B+C is not played.
    assert win_of(ticket, TEST_CARD, SIX_OF_THEM).exact == 13_500


@pytest.mark.parametrize(
    ("rounding", "cents"), [("up", 14), ("down", 13), ("half-up", 13)], ids=str
)
def test_a_win_is_rounded_once_by_the_rule_of_the_card(rounding: str, cents: int) -> None:
    # Two fours at a quarter each catch nothing: twice 20 cents for 75, so 13 1/3 cents together,
    # while 6 2/3 cents rounded up for each way would be 14 even if the sum were rounded down.
    card = with_limits(rounding=Rounding(rounding))
    _, ticket, second = sold(marked("1-4 / 5-8", "2/4 @ .25 twobits"), card)
    assert win_of(ticket, second, range(61, 81)) == Win(Fraction(40, 3), cents)


@pytest.mark.parametrize(("rounding", "cents"), [("up", 4), ("down", 3), ("half-up", 4)])
def test_half_a_cent_goes_where_the_card_says(rounding: str, cents: int) -> None:
    pays = {**CARD.schedules["regular"].pays_cents, 1: {1: 7}}
    card = with_schedule("regular", with_limits(rounding=Rounding(rounding)), pays_cents=pays)
    _, ticket, second = sold(marked("1", "1/1 @ .50"), card)
    assert win_of(ticket, second, DRAW) == Win(Fraction(7, 2), cents)


@pytest.mark.rule("15.3(e)")
def test_a_win_is_cut_to_the_limit_and_stays_known_uncut() -> None:
    _, ticket, card = sold(marked("1-8", "1/8 @ 5.00"), CARD)
    assert win_of(ticket, card, DRAW) == Win(Fraction(12_500_000), 10_000_000, 12_500_000)


def test_a_win_of_just_the_limit_is_not_cut() -> None:
    _, ticket, card = sold(marked("1-8", "1/8 @ 4.00"), CARD)
    assert win_of(ticket, card, DRAW) == Win(Fraction(10_000_000), 10_000_000)


def test_without_a_limit_nothing_is_cut() -> None:
    _, ticket, card = sold(marked("1-8", "1/8 @ 5.00"), with_limits(aggregate_cents=None))
    assert win_of(ticket, card, DRAW) == Win(Fraction(12_500_000), 12_500_000)


def test_the_groups_after_z_are_aa_ab_and_on() -> None:
    groups = tuple((number,) for number in range(1, 81))
    lines = tuple(WrittenLine(100, sets=((place,),)) for place in range(80))
    ticket, played, card = sold(Request(groups, lines), ROOMY)
    names = [name for line in play_document(ticket)["lines"] for name in line["sets"]]
    assert (names[0], names[25], names[26], names[51], names[52], names[79]) == (
        "A", "Z", "AA", "AZ", "BA", "CB",
    )  # fmt: skip
    (bet,) = played.bets
    assert bet.ways == tuple(frozenset({number}) for number in range(1, 81))
    assert win_of(played, card, DRAW).exact == 20 * 300


# ---- counting ways -----------------------------------------------------------------------------


def by_kinds(body: Mapping[str, Any]) -> Played:
    """Read a ticket of few groups as if they were too many to list its ways."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_grader, "GROUPS_LISTED", 0)
        return read_ticket(body)


@given(requests(), draws, st.sampled_from(Rounding), st.none() | st.integers(1, 10_000))
def test_both_ways_of_counting_equal_brute_force(
    request_: Request, drawn: tuple[int, ...], rounding: Rounding, limit: int | None
) -> None:
    first = with_limits(ROOMY, rounding=rounding, aggregate_cents=limit)
    ticket, _, card = sold(request_, first)
    expected = brute_force.grade(request_.groups, ticket.lines, drawn, first)
    body = ticket_body(ticket, card)
    for played in (read_ticket(body), by_kinds(body)):
        win = win_of(played, card, drawn)
        assert win.exact == sum(expected.wins)
        assert win.cents == expected.win_cents
        assert price_of(played, card) == ticket.price_per_game_cents


def kings(spots: int) -> Request:
    """All eighty numbers as kings, all ways of some spots."""
    groups = tuple((number,) for number in NUMBERS)
    return Request(groups, (WrittenLine(25, "twobits", comb(80, spots), spots),))


def test_the_ways_of_eighty_kings_are_counted_without_listing_them() -> None:
    first = with_limits(ROOMY, aggregate_cents=None)
    _, ticket, card = sold(kings(10), first)
    # Of the ways of ten, (20 over c) times (60 over 10 - c) catch c.
    pays = first.schedules["twobits"].pays_cents[10]
    won = sum(comb(20, c) * comb(60, 10 - c) * pay for c, pay in pays.items())
    assert comb(80, 10) == 1_646_492_110_120
    assert price_of(ticket, card) == 25 * 1_646_492_110_120
    start = perf_counter()
    win = win_of(ticket, card, range(3, 80, 4)[:20])
    assert perf_counter() - start < 100  # listing them would take days
    assert win.exact == Fraction(won * 25, 700)


def test_a_190_way_8_wins_what_its_190_pairs_win() -> None:
    groups = [range(first, first + 4) for first in range(1, 81, 4)]
    request_ = Request(tuple(map(tuple, groups)), "190/8 @ .50")
    _, ticket, card = sold(request_, CARD)
    drawn = (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 14, 20, 30, 40, 50, 60, 70, 79, 80)
    pairs = [{*one, *other} for one, other in combinations(groups, 2)]
    pays = CARD.schedules["regular"].pays_cents[8]
    won = sum(pays.get(len(pair & {*drawn}), 0) for pair in pairs)
    assert len(pairs) == 190
    assert won > 0
    assert win_of(ticket, card, drawn).exact == Fraction(won, 2)


# ---- both graders ------------------------------------------------------------------------------


def agree(ticket: Ticket, drawn: Sequence[int], card: RateCard) -> None:
    """Have both graders price and grade a ticket on a card."""
    second = read(card)
    played = read_ticket(ticket_body(ticket, second))
    (game,) = grading.grade(ticket, [drawn], card)
    win = win_of(played, second, drawn)
    assert price_of(played, second) == ticket.price_per_game_cents
    assert (win.exact, win.cents) == (game.win, game.win_cents)
    assert (win.uncut_cents is not None) == game.capped
    assert (win.uncut_cents or win.cents) == rounded_cents(game.win, card.limits.rounding)


@given(requests(), draws, st.sampled_from(Rounding), st.none() | st.integers(1, 10_000))
def test_the_graders_agree_on_tickets_of_every_type(
    request_: Request, drawn: tuple[int, ...], rounding: Rounding, limit: int | None
) -> None:
    card = with_limits(ROOMY, rounding=rounding, aggregate_cents=limit)
    agree(quote(request_, card), drawn, card)


@st.composite
def large(draw: st.DrawFn) -> Request:
    """A request of many groups, all ways of some numbers of spots, and some sets beside them."""
    numbers = draw(st.permutations(NUMBERS))
    sizes = draw(st.lists(st.integers(1, 6), min_size=7, max_size=80))
    ends = [sum(sizes[:count]) for count in range(len(sizes) + 1)]
    groups = tuple(
        tuple(numbers[start:end]) for start, end in pairwise(ends) if end <= len(numbers)
    )
    sizes = sizes[: len(groups)]
    ways = count_ways(sizes, 12)
    spots_of = draw(st.lists(st.sampled_from(sorted(ways)), unique=True, min_size=1, max_size=4))
    rates = st.sampled_from([(100, "regular"), (33, "twobits")])
    lines = [WrittenLine(*draw(rates), ways[spots], spots) for spots in spots_of]
    singly = [place for place, size in enumerate(sizes) if size not in spots_of]
    lines += [WrittenLine(100, sets=((place,),)) for place in singly]
    return Request(groups, tuple(lines))


@given(large(), draws)
def test_the_graders_agree_on_tickets_of_many_groups(
    request_: Request, drawn: tuple[int, ...]
) -> None:
    try:
        ticket = quote(request_, ROOMY)
    except Refused:  # such as a special rate for equal groups of a split
        assume(False)
    agree(ticket, drawn, ROOMY)


@given(cards(), st.data())
def test_the_graders_agree_on_any_card(card: RateCard, data: st.DataObject) -> None:
    offered = [
        (schedule.name, spots)
        for schedule in card.schedules.values()
        for spots, pays in schedule.pays_cents.items()
        if any(pays.values())
    ]
    assume(offered)
    name, spots = data.draw(st.sampled_from(offered))
    numbers = data.draw(st.permutations(NUMBERS))[:spots]
    parts = data.draw(st.integers(1, min(spots, 12)))
    groups = tuple(tuple(numbers[part::parts]) for part in range(parts))
    rate_cents = data.draw(st.integers(1, 1_000_000))
    try:
        ticket = quote(Request(groups, (WrittenLine(rate_cents, name, 1, spots),)), card)
    except Refused:  # it could win more than can be stored
        assume(False)
    agree(ticket, data.draw(draws), card)


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(10, 2_000)), max_size=20), draws)
def test_the_grader_of_a_million_tickets_agrees_too(
    plays: list[tuple[int, int]], drawn: tuple[int, ...]
) -> None:
    card = with_limits(aggregate_cents=40_000)
    second = read(card)
    rows, wins = [], []
    for number, (spots, fives) in enumerate(plays, 1):
        numbers = tuple(sorted(drawn)[:3]) + tuple(range(number, 81))
        group = tuple(dict.fromkeys(numbers))[:spots]
        rows.append((mask_of(group), 5 * fives, 0))
        ticket = quote(Request((group,), (WrittenLine(5 * fives, ways=1, spots=spots),)), ROOMY)
        wins.append(win_of(read_ticket(ticket_body(ticket, second, number)), second, drawn).cents)
    bulk = Grader(card, ["regular"]).wins_cents(Plays.of(rows), mask_of(drawn))
    assert bulk.tolist() == wins


def test_what_a_house_sold_is_regraded_from_its_log(floor: Floor) -> None:
    wanda = floor.writing()
    asked = [
        marked("1-8", "1/8 @ 1.00", 2),
        marked("1-4 / 5-8 / 9-12", "3/4 3/8 @ .50, 1/12 @ 1.00", 1),
        marked("1-4 / 5-8 / 9-12", "A+B, A+C @ 1, B @ 2", 1),
        marked("1-4 / 5-8 / (9)", "2/4 2/5 1/8 1/9 @ 1.00", 1),
        marked("1-4 / 5-8", "2/4 @ .35 twobits", 3),
        Request(tuple(tuple(range(first, first + 4)) for first in range(1, 81, 4)), "190/8 @ .50"),
        Request((), "1/10 @ 1.00", quick_pick=10),
    ]
    tender = (Tender(TenderKind.CURRENCY, 10_000),)
    answers = [floor.sell(wanda, Sale("M", request_, tender)) for request_ in asked]
    (card,) = map(read_card, bodies(floor, "CARD"))
    tickets = [read_ticket(body) for body in bodies(floor, "TICKET")]
    assert [ticket.number for ticket in tickets] == [answer["number"] for answer in answers]
    for request_, answer, ticket in zip(asked, answers, tickets, strict=True):
        assert ticket.card == card.digest == answer["rate_card"]
        assert (ticket.series, ticket.first_game) == ("M", 1)
        assert ticket.last_game == answer["last_game"]
        assert price_of(ticket, card) * request_.games == answer["price_cents"]
        numbers = tuple(tuple(group) for group in answer["numbers"])
        first = quote(replace(request_, groups=numbers), CARD)
        for drawn in (DRAW, SIX_OF_THEM, range(61, 81)):
            (game,) = grading.grade(first, [drawn], CARD)
            win = win_of(ticket, card, drawn)
            assert (win.exact, win.cents) == (game.win, game.win_cents)


# ---- the aggregate limit -----------------------------------------------------------------------


def won(*amounts: int, most: int | None = None) -> dict[int, Win]:
    """Wins of tickets 1, 2 and on; the card of them all may cut them."""
    return {
        number: Win(Fraction(cents), cents)
        if most is None or cents <= most
        else Win(Fraction(cents), most, cents)
        for number, cents in enumerate(amounts, 1)
    }


def amounts(cell: str) -> list[int]:
    return [int(amount) for amount in cell.split(", ")]


@pytest.mark.rule("X-aggregate-sheet")
@pytest.mark.parametrize(
    "row",
    read_table(TABLES / "proration.md"),
    ids=lambda row: f"{row['wins']} of {row['limit']}: {row['why']}",
)
def test_the_limit_is_shared_as_the_table_says(row: dict[str, str]) -> None:
    limit = int(row["limit"])
    for wins in (won(*amounts(row["wins"])), won(*amounts(row["wins"]), most=limit)):
        paid = shared(wins, limit, int(row["in full below"]))
        assert paid == dict(enumerate(amounts(row["paid"]), 1))


@pytest.mark.rule("X-aggregate-sheet")
@pytest.mark.parametrize(
    ("wins", "limit", "paid"),
    [
        # 500 and 500 share 501: the odd cent goes to the larger win, not to the lower number.
        (won(700, 800, most=500), 501, {1: 250, 2: 251}),
        # Won alike, cut alike: the lower number.
        (won(800, 800, most=500), 501, {1: 251, 2: 250}),
        # One was cut to 500, the other won no more than that.
        (won(500, 501, most=500), 501, {1: 250, 2: 251}),
        # Nothing was cut, and all have half a cent over: the lower numbers, however small the win.
        (won(1, 3, 1, 3), 4, {1: 1, 2: 2, 3: 0, 4: 1}),
        (won(1, 1, 3, 3), 4, {1: 1, 2: 1, 3: 1, 4: 1}),
        (won(3, 3, 1, 1), 4, {1: 2, 2: 2, 3: 0, 4: 0}),
        # Tickets 1 and 3 were cut to 3, and all have half a cent over. One odd cent is for them
        # and goes to ticket 3, which won more; the other is ticket 2's.
        (won(4, 1, 5, 1, most=3), 4, {1: 1, 2: 1, 3: 2, 4: 0}),
    ],
)
def test_odd_cents_go_to_the_larger_win_only_where_wins_were_cut_to_one_amount(
    wins: dict[int, Win], limit: int, paid: dict[int, int]
) -> None:
    assert shared(wins, limit, 0) == paid


cents = st.integers(0, 20) | st.integers(0, 1_000) | st.integers(0, LARGEST)
games = st.lists(cents, max_size=30) | st.lists(st.integers(0, 6), min_size=2, max_size=8)


@pytest.mark.rule("X-aggregate-sheet")
@given(games, cents, cents, st.booleans())
@example([1, 1, 3, 3], 4, 0, False)
@example([5, 1, 6, 3], 4, 1, True)
def test_both_graders_share_the_limit_alike(
    uncut: list[int], limit: int, in_full_below: int, cut_before: bool
) -> None:
    wins = won(*uncut, most=limit if cut_before else None)
    paid = shared(wins, limit, in_full_below)
    assert tuple(paid.values()) == aggregate.prorate(uncut, limit, in_full_below)
    assert list(paid) == list(wins)


@pytest.mark.rule("X-aggregate-sheet")
@given(st.permutations(range(1, 9)), st.lists(st.integers(0, 9), min_size=8, max_size=8), cents)
def test_the_order_in_which_wins_are_told_does_not_matter(
    order: list[int], uncut: list[int], limit: int
) -> None:
    wins = won(*uncut, most=7)
    told = {number: wins[number] for number in order}
    assert shared(told, limit, 2) == shared(wins, limit, 2)


@pytest.mark.rule("X-aggregate-sheet")
@given(st.lists(st.tuples(cents, st.booleans()), max_size=12), cents, cents, cents)
def test_a_game_with_two_cards_pays_its_limit_and_a_larger_win_no_less_than_a_smaller(
    uncut: list[tuple[int, bool]], low: int, limit: int, in_full_below: int
) -> None:
    assume(low <= limit)
    wins = {
        number: won(amount, most=low if on_old_card else limit)[1]
        for number, (amount, on_old_card) in enumerate(uncut, 1)
    }
    paid = shared(wins, limit, in_full_below)
    assert sum(paid.values()) == min(limit, sum(win.cents for win in wins.values()))
    ranked = sorted((win.cents, win.uncut_cents or 0, paid[n]) for n, win in wins.items())
    assert [part for _, _, part in ranked] == sorted(paid.values())
    assert all(paid[number] <= win.cents for number, win in wins.items())


def test_without_a_limit_every_win_is_paid() -> None:
    assert shared(won(10**9, 5), None, 0) == {1: 10**9, 2: 5}
    assert shared({}, 5, 0) == {}


def limited(limit: int | None, in_full_below: int) -> Card:
    return replace(TEST_CARD, aggregate_cents=limit, in_full_below_cents=in_full_below)


@pytest.mark.rule("X-card-version")
@pytest.mark.parametrize(
    ("played", "limits"),
    [
        ([], (None, 0)),
        ([limited(100, 3)], (100, 3)),
        ([limited(100, 7), limited(200, 5)], (200, 7)),
        ([limited(None, 0)], (None, 0)),
        # Whoever holds a ticket of the second card was told of no limit.
        ([limited(100, 7), limited(None, 5)], (None, 7)),
    ],
)
def test_the_limit_of_a_game_is_the_largest_on_any_card_in_it(
    played: list[Card], limits: tuple[int | None, int]
) -> None:
    assert limits_of(iter(played)) == limits


# ---- reading cards -----------------------------------------------------------------------------


def test_a_card_says_what_grading_needs_and_the_rest_has_defaults() -> None:
    content = content_of(CARD)
    for name in ("rounding", "in_full_below_cents", "aggregate_cents"):
        content["limits"].pop(name)
    card = read_card(card_body(file_of(content)))
    assert (card.rounding, card.in_full_below_cents, card.aggregate_cents) == ("up", 0, None)
    assert card.pays == TEST_CARD.pays
    assert (TEST_CARD.rounding, TEST_CARD.aggregate_cents) == ("up", 10_000_000)


def test_a_card_from_an_editor_that_marks_the_byte_order_is_read_by_both() -> None:
    text = "\ufeff" + FILE.read_text()
    assert card_file.read_card(text.encode()) == CARD
    assert read_card(card_body(text)).pays == TEST_CARD.pays


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("name =", "name ==", "is not TOML"),
        ("name = ", f"deep = {'[' * 9000}\nname = ", "is not TOML"),
        ("[limits]", "[limit]", "'limit' that is not known"),
        ("aggregate_cents =", "agregate_cents =", "limits has a field 'agregate_cents'"),
        ("aggregate_cents = 10_000_000", "aggregate_cents = 0", "aggregate_cents is not a whole"),
        ("aggregate_cents = 10_000_000", "aggregate_cents = 1e7", "aggregate_cents is not a whole"),
        ("in_full_below_cents = 0", "in_full_below_cents = -1", "in_full_below_cents is not"),
        ("in_full_below_cents = 0", "in_full_below_cents = true", "in_full_below_cents is not"),
        ('rounding = "up"', 'rounding = "sideways"', "rounding is neither"),
        ('rounding = "up"', "rounding = []", "rounding is neither"),
        ("base_cents = 75", "base_cents = 0", "base_cents is not a whole number from 1"),
        ("base_cents = 75", "", "base_cents is not a whole number"),
        ("ways_min = 2", "ways_mim = 2", "schedule 'twobits' has a field 'ways_mim'"),
        ("1 = { 1 = 300 }", "1 = 300", "'1' is not a table"),
        ("1 = { 1 = 300 }", "01 = { 1 = 300 }", "'01' is not a number from 1 to 80"),
        ("1 = { 1 = 300 }", "0 = { 0 = 300 }", "'0' is not a number from 1 to 80"),
        ("1 = { 1 = 300 }", "one = { 1 = 300 }", "'one' is not a number of spots"),
        ("1 = { 1 = 300 }", "81 = { 1 = 300 }", "'81' is not a number from 1 to 80"),
        ("1 = { 1 = 300 }", "1 = { 2 = 300 }", "'2' is not a number from 0 to 1"),
        ("1 = { 1 = 300 }", "62 = { 1 = 300 }", "'1' is not a number from 2 to 20"),
        ("1 = { 1 = 300 }", "1 = { 1 = -300 }", "1 is not a whole number from 0"),
        ("1 = { 1 = 300 }", "1 = { 1 = 3.5 }", "1 is not a whole number from 0"),
    ],
)
def test_a_card_that_cannot_be_graded_by_is_broken(old: str, new: str, fault: str) -> None:
    text = FILE.read_text()
    assert old in text
    with pytest.raises(Broken, match=r"\A[^\n]+\Z") as broken:
        read_card(card_body(text.replace(old, new, 1)))
    assert fault in str(broken.value)


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("card", "0" * 64, "does not have the card's hash"),
        ("card", "0" * 63, "card is not a hash"),
        ("card", "G" * 64, "card is not a hash"),
        ("card", None, "card is not a text"),
        ("file", "", "file is not a text"),
        ("file", ["x"], "file is not a text"),
        ("file", "\ud800", "is not TOML"),
    ],
)
def test_an_entry_that_is_not_of_its_card_is_broken(name: str, value: object, fault: str) -> None:
    with pytest.raises(Broken, match=fault):
        read_card({**card_body(FILE.read_text()), name: value})


# ---- reading tickets ---------------------------------------------------------------------------

GONE = object()


def changed(body: Mapping[str, Any], path: str, value: object) -> dict[str, Any]:
    """A body with one thing changed, such as `lines.0.ways`."""
    copy: Any = deepcopy(dict(body))
    *parts, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = copy
    for part in parts:
        place = place[part]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return dict(copy)


LISTED = changed(TWO_FOURS, "lines.1.sets", ["A+B"])
# The test card's one-spot and two-spot ways of eight kings.
EIGHT_KINGS: dict[str, Any] = {
    **TWO_FOURS,
    "groups": [[number] for number in range(1, 9)],
    "lines": [
        {"spots": 1, "ways": 8, "rate_cents": 100, "schedule": "regular"},
        {"spots": 2, "ways": 28, "rate_cents": 100, "schedule": "regular"},
    ],
    "price_per_game_cents": 3_600,
    "price_cents": 10_800,
}


@pytest.mark.parametrize("body", [TWO_FOURS, LISTED, EIGHT_KINGS])
def test_the_bodies_that_are_broken_below_are_whole(body: dict[str, Any]) -> None:
    ticket = read_ticket(body)
    assert price_of(ticket, TEST_CARD) == body["price_per_game_cents"]
    assert win_of(ticket, TEST_CARD, DRAW).exact > 0


@pytest.mark.parametrize(
    ("body", "path", "value", "fault"),
    [
        (TWO_FOURS, "number", GONE, "number is not a whole number"),
        (TWO_FOURS, "number", True, "number is not a whole number"),
        (TWO_FOURS, "series", "", "series is not a text"),
        (TWO_FOURS, "first_game", 0, "first_game is not a whole number"),
        (TWO_FOURS, "games", "3", "games is not a whole number"),
        (TWO_FOURS, "card", "the card", "card is not a hash"),
        (TWO_FOURS, "groups", [], "groups is not a list of something"),
        (TWO_FOURS, "groups", "1-8", "groups is not a list of something"),
        (TWO_FOURS, "groups.0", [], "a group has no numbers"),
        (TWO_FOURS, "groups.0", "1-4", "a group has no numbers"),
        (TWO_FOURS, "groups.0.0", 0, "numbers are not 1 to 80, each once"),
        (TWO_FOURS, "groups.0.0", 81, "numbers are not 1 to 80, each once"),
        (TWO_FOURS, "groups.0.0", True, "numbers are not 1 to 80, each once"),
        (TWO_FOURS, "groups.0.0", [1], "numbers are not 1 to 80, each once"),
        (TWO_FOURS, "groups.0.0", 2, "numbers are not 1 to 80, each once"),
        (TWO_FOURS, "groups.0.0", 5, "two groups have a number in common"),
        (TWO_FOURS, "lines", [], "lines is not a list of something"),
        (TWO_FOURS, "lines.0", "2/4", "a line is not a table"),
        (TWO_FOURS, "lines.0.times", 2, "a line has a field 'times' that is not known"),
        (TWO_FOURS, "lines.0.spots", 0, "spots is not a whole number from 1 to 80"),
        (TWO_FOURS, "lines.0.spots", LARGEST, "spots is not a whole number from 1 to 80"),
        (TWO_FOURS, "lines.0.ways", 0, "ways is not a whole number"),
        (TWO_FOURS, "lines.0.ways", LARGEST + 1, "ways is not a whole number"),
        (TWO_FOURS, "lines.0.rate_cents", 0, "rate_cents is not a whole number"),
        (TWO_FOURS, "lines.0.schedule", None, "schedule is not a text"),
        (TWO_FOURS, "lines.0.rate_cents", 50, "the price of a game is not that of its lines"),
        (TWO_FOURS, "lines.0.ways", 3, "the price of a game is not that of its lines"),
        (TWO_FOURS, "price_per_game_cents", 301, "the price of a game is not that of its lines"),
        (TWO_FOURS, "price_cents", 901, "the price is not that of its games"),
        (TWO_FOURS, "games", 2, "the price is not that of its games"),
        (LISTED, "lines.1.sets", [], "sets is not a list of something"),
        (LISTED, "lines.1.sets", "A+B", "sets is not a list of something"),
        (LISTED, "lines.1.sets.0", 8, "8 is not a set of its groups"),
        (LISTED, "lines.1.sets.0", "", "'' is not a set of its groups"),
        (LISTED, "lines.1.sets.0", "A+C", "'A+C' is not a set of its groups"),
        (LISTED, "lines.1.sets.0", "A+a", "'A+a' is not a set of its groups"),
        (LISTED, "lines.1.sets.0", "A+A", "'A+A' is not a set of its groups"),
        (LISTED, "lines.1.sets.0", "A", "'A' does not have 8 spots"),
        (LISTED, "lines.1.sets", ["A+B", "B+A"], "a way is played twice"),
        (TWO_FOURS, "lines.1", TWO_FOURS["lines"][0], "a way is played twice"),
        (
            TWO_FOURS,
            "lines.1",
            {**TWO_FOURS["lines"][0], "ways": 1, "sets": ["B"]},
            "a way is played twice",
        ),
        (EIGHT_KINGS, "lines.1", EIGHT_KINGS["lines"][0], "a way is played twice"),
        (
            EIGHT_KINGS,
            "lines.1",
            {**EIGHT_KINGS["lines"][0], "ways": 1, "sets": ["B"]},
            "a way is played twice",
        ),
    ],
)
def test_a_ticket_that_does_not_hold_together_is_broken(
    body: dict[str, Any], path: str, value: object, fault: str
) -> None:
    with pytest.raises(Broken, match=r"\A[^\n]+\Z") as broken:
        read_ticket(changed(body, path, value))
    said = str(broken.value)
    assert fault in said
    assert said.startswith("ticket 12: ") or path == "number"


def misstated(body: dict[str, Any], line: int, ways: int) -> dict[str, Any]:
    """A body that states other ways for a line, and the price that goes with them."""
    told = changed(body, f"lines.{line}.ways", ways)
    price_cents = sum(each["ways"] * each["rate_cents"] for each in told["lines"])
    return {**told, "price_per_game_cents": price_cents, "price_cents": 3 * price_cents}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (misstated(TWO_FOURS, 0, 3), "ticket 12: it states 3 ways of 4 spots, and there are 2"),
        (misstated(TWO_FOURS, 0, 1), "ticket 12: it states 1 ways of 4 spots, and there are 2"),
        (misstated(LISTED, 1, 2), "ticket 12: it states 2 ways of 8 spots, and there are 1"),
        (
            misstated(EIGHT_KINGS, 1, 27),
            "ticket 12: it states 27 ways of 2 spots, and there are 28",
        ),
        (
            changed(TWO_FOURS, "lines.1.spots", 7),
            "ticket 12: it states 1 ways of 7 spots, and there are 0",
        ),
        (
            changed(EIGHT_KINGS, "lines.1.spots", 9),
            "ticket 12: it states 28 ways of 9 spots, and there are 0",
        ),
        (
            changed(TWO_FOURS, "lines.0.schedule", "dimes"),
            "ticket 12: the card has no 4-spot ways on 'dimes'",
        ),
        (
            changed(EIGHT_KINGS, "lines.0.schedule", "twobits"),
            "ticket 12: the card has no 1-spot ways on 'twobits'",
        ),
        (changed(TWO_FOURS, "card", "0" * 64), "ticket 12: it was sold on another card"),
    ],
)
def test_a_ticket_that_states_what_is_not_so_is_neither_priced_nor_graded(
    body: dict[str, Any], fault: str
) -> None:
    ticket = read_ticket(body)
    for work in (
        lambda: price_of(ticket, TEST_CARD),
        lambda: win_of(ticket, TEST_CARD, SIX_OF_THEM),
    ):
        with pytest.raises(Broken) as broken:
            work()
        assert str(broken.value) == fault


def test_a_wager_that_can_never_win_is_not_on_the_card() -> None:
    text = FILE.read_text().replace("1 = { 1 = 300 }", "1 = { 1 = 0 }")
    body = card_body(text)
    ticket = read_ticket({**EIGHT_KINGS, "card": body["card"]})
    with pytest.raises(Broken, match="the card has no 1-spot ways on 'regular'"):
        win_of(ticket, read_card(body), DRAW)


def test_a_price_that_was_changed_after_reading_is_found() -> None:
    ticket = replace(read_ticket(TWO_FOURS), price_per_game_cents=301)
    with pytest.raises(Broken, match="ticket 12: the price of a game is not that of its lines"):
        price_of(ticket, TEST_CARD)


@pytest.mark.parametrize(
    "numbers",
    [
        (),
        DRAW[1:],
        (*DRAW, 21),
        (*DRAW[1:], 2),
        (*DRAW[1:], 0),
        (*DRAW[1:], 81),
        (*DRAW[1:], True),
        (*DRAW[1:], "1"),
    ],
)
def test_only_twenty_numbers_of_the_board_are_a_draw(numbers: Any) -> None:  # noqa: ANN401
    with pytest.raises(Broken, match="numbers"):
        win_of(read_ticket(TWO_FOURS), TEST_CARD, numbers)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
PLACES = [
    *TWO_FOURS,
    *(f"groups.{place}" for place in range(2)),
    *(f"groups.1.{place}" for place in range(4)),
    *(f"lines.{place}" for place in range(2)),
    *(f"lines.1.{name}" for name in ("spots", "ways", "rate_cents", "schedule", "sets")),
    "lines.1.sets.0",
]


@given(st.sampled_from(PLACES), anything | st.integers(0, 81))
def test_whatever_stands_in_a_ticket_it_is_graded_or_broken(path: str, value: object) -> None:
    try:
        win_of(read_ticket(changed(LISTED, path, value)), TEST_CARD, DRAW)
    except Broken as broken:
        assert len(str(broken).splitlines()) == 1


# ---- mistakes planted in the first grader ------------------------------------------------------

# Sevenths of a cent rounded up, $2 of each win in full, and two limits that both bite: under the
# first an odd cent is among wins that were cut, under the second among equal ones that were not.
CUT, EQUAL = (
    with_schedule(
        "twobits",
        with_limits(ROOMY, aggregate_cents=limit_cents, in_full_below_cents=200),
        pays_cents=CARD.schedules["twobits"].pays_cents,
    )
    for limit_cents in (70_000, 70_030)
)
SALES = [
    marked("1-8", "1/8 @ 1.00", 1),
    marked("1-3 / 5-8", "1/3 1/4 @ 1.00", 1),
    marked("1-4 / 5-8 / 9-12 / 13-16 / 17-20", "10-way-8 @ 2", 1),
    marked("1-4 / 5-8 / 9-12", "A+B, A+C @ 1", 1),
    marked("1-4 / 5-8 / (9)", "2/4 2/5 1/8 1/9 @ 1.00", 1),
    marked("1-4 / 5-8", "2/4 @ .25 twobits", 1),
    marked("5-9", "1/5 @ 1.00", 1),
    marked("1-5", "1/5 @ 2.00", 1),
    marked("1-5", "1/5 @ 3.00", 1),
    Request(tuple((number,) for number in range(1, 21)), "190/2 @ .50"),
    marked("61-64", "1/4 @ 1.00", 1),
    marked("2-5", "1/4 @ 1.00", 1),
    marked("1-4", "1/4 @ 1.00", 1),
    marked("10-13 / 14-17", "2/4 @ .25 twobits", 1),
]
NUMBERS_DRAWN = (1, 2, 3, 4, 5, 9, *range(67, 81))


@dataclass(frozen=True)
class Graded:
    """What a grader finds for one ticket: the win exactly, in cents, and what the game pays."""

    exact: Fraction
    cents: int
    paid: int


def by_first(card: RateCard) -> dict[int, Graded]:
    tickets = [quote(request_, card) for request_ in SALES]
    found = [grading.grade(ticket, [NUMBERS_DRAWN], card)[0] for ticket in tickets]
    limits = card.limits
    uncut = [rounded_cents(game.win, limits.rounding) for game in found]
    paid = aggregate.prorate(uncut, limits.aggregate_cents or 0, limits.in_full_below_cents)
    return {
        number: Graded(game.win, game.win_cents, part)
        for number, (game, part) in enumerate(zip(found, paid, strict=True), 1)
    }


def by_second(log: Sequence[Mapping[str, Any]], card: Card) -> dict[int, Graded]:
    tickets = [read_ticket(body) for body in log]
    wins = {ticket.number: win_of(ticket, card, NUMBERS_DRAWN) for ticket in tickets}
    paid = shared(wins, *limits_of([card]))
    return {number: Graded(win.exact, win.cents, paid[number]) for number, win in wins.items()}


def differences(card: RateCard) -> set[int]:
    """The tickets of the game on which the graders do not agree."""
    second_card = read(card)
    log = [
        ticket_body(quote(request_, card), second_card, number)
        for number, request_ in enumerate(SALES, 1)
    ]
    first, second = by_first(card), by_second(log, second_card)
    assert first.keys() == second.keys()
    return {number for number in first if first[number] != second[number]}


def test_the_graders_agree_on_the_game_in_which_mistakes_are_planted() -> None:
    assert differences(CUT) == differences(EQUAL) == set()
    cut, equal = by_first(CUT), by_first(EQUAL)
    assert sum(graded.paid for graded in cut.values()) == 70_000
    assert cut[8].cents == cut[9].cents == 70_000
    assert cut[8].paid == cut[9].paid - 1  # the larger win first, though its number is higher
    assert equal[12].cents == equal[13].cents < 70_030
    assert equal[12].paid == equal[13].paid + 1  # the lower number
    assert cut[6].exact == Fraction(2_000, 7)
    assert cut[11] == Graded(Fraction(0), 0, 0)


Catches = Mapping[int, Mapping[int, int]]
prorate = aggregate.prorate
pays_win, listed_catches = Schedule.win, grading._listed_catches  # noqa: SLF001


def one_too_many(*work: Any) -> Catches:  # noqa: ANN401
    found = count_catches(*work)
    return {k: {caught + 1: n for caught, n in ways.items()} for k, ways in found.items()}


def way_forgotten(*work: Any) -> Catches:  # noqa: ANN401
    found = count_catches(*work)
    return {k: {**ways, max(ways): ways[max(ways)] - 1} for k, ways in found.items()}


def only_the_best_way(*work: Any) -> Catches:  # noqa: ANN401
    return {k: {max(ways): 1} for k, ways in count_catches(*work).items()}


def nothing_never_pays(
    schedule: Schedule, spots: int, catches: Mapping[int, int], rate: int
) -> Any:  # noqa: ANN401
    caught = {catch: ways for catch, ways in catches.items() if catch}
    return pays_win(schedule, spots, caught, rate)


PLANTED: dict[str, tuple[object, str, Callable[..., object]]] = {
    "one catch too many": (grading, "count_catches", one_too_many),
    "a way forgotten": (grading, "count_catches", way_forgotten),
    "only the best way paid": (grading, "count_catches", only_the_best_way),
    "a listed way forgotten": (
        grading,
        "_listed_catches",
        lambda line, *work: listed_catches(replace(line, sets=line.sets[1:]), *work),
    ),
    "a ball that is not seen": (grading, "mask_of", lambda draw: mask_of(set(draw) - {5})),
    "rounded down": (grading, "rounded_cents", lambda exact, _: int(exact)),
    "rounded way by way": (
        Schedule,
        "win",
        lambda *work: Fraction(-(-pays_win(*work).numerator // pays_win(*work).denominator)),
    ),
    "the rate left out": (
        Schedule,
        "win",
        lambda schedule, spots, catches, _: pays_win(schedule, spots, catches, schedule.base_cents),
    ),
    "catching nothing never pays": (Schedule, "win", nothing_never_pays),
    "not cut to the limit": (Limits, "cut_cents", lambda _, cents: cents),
    "the limit not shared": (aggregate, "prorate", lambda wins, *_: tuple(wins)),
    "the first part not paid in full": (
        aggregate,
        "prorate",
        lambda wins, limit, _: prorate(wins, limit, 0),
    ),
    "not cut before sharing": (
        aggregate,
        "prorate",
        lambda wins, limit, first: prorate([win // 2 for win in wins], limit, first),
    ),
    "odd cents to the highest number": (
        aggregate,
        "prorate",
        lambda wins, *limits: prorate(wins[::-1], *limits)[::-1],
    ),
    "the larger win not first": (
        aggregate,
        "prorate",
        lambda wins, limit, first: prorate([min(win, limit) for win in wins], limit, first),
    ),
    "a cent more for the first winner": (
        aggregate,
        "prorate",
        lambda *work: (prorate(*work)[0] + 1, *prorate(*work)[1:]),
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_mistake_planted_in_the_first_grader_is_seen(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*PLANTED[name])
    assert differences(CUT) | differences(EQUAL) != set()


# ---- apart -------------------------------------------------------------------------------------


def test_it_imports_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(second_grader.__file__).read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module or "")
    assert "fractions" in imported
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names
    assert not {"importlib", "sys", "runpy", "pkgutil"} & imported
    assert not any(
        isinstance(node, ast.Name) and node.id in {"__import__", "exec", "eval", "float"}
        for node in ast.walk(tree)
    )
