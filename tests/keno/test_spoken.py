"""A ticket as writers speak it: one line in, the request that was meant out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.conditioning import Line, conditioning_of
from app.keno.conditioning_text import TEXT_MAX
from app.keno.pricing import quote
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.spoken import line_of, read_line, read_tender
from app.keno.tender import Tender, TenderKind
from app.keno.words import double_meanings, in_words
from tests.keno.cards import CARD, ROOMY
from tests.keno.strategies import requests


@pytest.mark.rule("15.4(a)", "15.1-conditioning")
@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (
            "4 8 15 16 / 23 42 7 9  2/4 1/8 @1 x5",
            Request(((4, 8, 15, 16), (23, 42, 7, 9)), "2/4 1/8 @1", 5),
        ),
        ("4 8 15 16 @1", Request(((4, 8, 15, 16),), "1/4 @1")),
        ("4,8,15,16 @ $1 X2 $2", Request(((4, 8, 15, 16),), "1/4 @ $1", 2, 200)),
        ("1 2 3 4 k33 k34 1/4 2/5 @.50", Request(((1, 2, 3, 4), (33,), (34,)), "1/4 2/5 @.50")),
        ("1 2/ 3 4 /5 6 / 7 8 6/4 @1", Request(((1, 2), (3, 4), (5, 6), (7, 8)), "6/4 @1")),
        ("1 2 3/4 5 6/7 8 9 3/6 @1", Request(((1, 2, 3), (4, 5, 6), (7, 8, 9)), "3/6 @1")),
        ("1/2/3 3/1 @1", Request(((1,), (2,), (3,)), "3/1 @1")),
        ("q8 @1 x3", Request((), "1/8 @1", 3, None, 8)),
        ("qp10 1/10 @2", Request((), "1/10 @2", 1, None, 10)),
        ("1 2 / 3 4 A+B @1", Request(((1, 2), (3, 4)), "A+B @1")),
        ("1 2 / 3 4 @1", Request(((1, 2), (3, 4)), "@1")),
        ("", Request((), "")),
        ("4 8", Request(((4, 8),), "")),
        ("4 8 /", Request(((4, 8),), "")),
        ("$15.50 4", Request(((4,),), "", 1, 1_550)),
    ],
)
def test_a_line_is_read_as_it_is_meant(line: str, request_: Request) -> None:
    assert read_line(line) == request_


@pytest.mark.rule("X-ticket-replay")
@given(requests())
def test_what_is_spoken_of_a_ticket_is_the_same_ticket_again(request_: Request) -> None:
    ticket = quote(request_, ROOMY)
    spoken = line_of(replace(request_, conditioning=conditioning_of(ticket.lines)))
    again = quote(read_line(spoken), ROOMY)
    assert (again.groups, again.lines, again.games) == (ticket.groups, ticket.lines, ticket.games)


@given(st.text(max_size=80))
def test_anything_can_be_typed(text: str) -> None:
    assert isinstance(read_line(text), Request)
    tender, faults = read_tender(text)
    assert len(tender) + len(faults) <= len(text)


def test_more_than_anyone_speaks_is_refused() -> None:
    with pytest.raises(Refused, match="longer than"):
        read_line("1 " * TEXT_MAX)


@pytest.mark.rule("15.3(b)")
@pytest.mark.parametrize(
    ("text", "tender"),
    [
        ("", ()),
        ("20", (Tender(TenderKind.CURRENCY, 2_000),)),
        ("$20 coin.50", (Tender(TenderKind.CURRENCY, 2_000), Tender(TenderKind.COIN, 50))),
        ("chips5 tokens3.5", (Tender(TenderKind.CHIPS, 500), Tender(TenderKind.TOKENS, 350))),
        ("coupon:C-17=5", (Tender(TenderKind.COUPON, 500, "C-17"),)),
        ("0", ()),
    ],
)
def test_tender_is_spoken_too(text: str, tender: tuple[Tender, ...]) -> None:
    assert read_tender(text) == (tender, ())


@pytest.mark.parametrize("text", ["twenty", "coupon:=5", "coupon:C17=", "20x", "chips", "."])
def test_what_is_no_money_is_told(text: str) -> None:
    tender, faults = read_tender(text)
    assert tender == ()
    assert [fault.code for fault in faults] == ["tender.unreadable"]


@pytest.mark.rule("15.4(a)")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "4 8 15 16 / 23 42 7 9 2/4 1/8 @1 x5",
            "two 4-spots and one 8-spot at $1.00, five games: $15.00",
        ),
        ("q8 @1", "quick-pick, one 8-spot at $1.00, one game: $1.00"),
        (
            "1 2 3 4 / 5 6 7 8 / 9 10 11 12 3/4 3/8 @1 1/12 @2",
            "three 4-spots and three 8-spots at $1.00, one 12-spot at $2.00, one game: $8.00",
        ),
        (
            "1 2 / 3 4 2/2 @.25 twobits x20",
            "two 2-spots at $0.25 twobits, 20 games: $10.00",
        ),
    ],
)
def test_a_ticket_is_read_back_in_words(line: str, words: str) -> None:
    assert in_words(quote(read_line(line), CARD)) == words


@pytest.mark.rule("15.1-conditioning")
@pytest.mark.parametrize(
    ("sizes", "spots", "warnings"),
    [
        ((4, 4), 4, []),
        ((4, 4), 8, []),
        ((4, 2, 2), 4, ["The 4-spots are groups of 4 and 2+2: are all meant?"]),
        ((1, 3, 1, 2), 3, ["The 3-spots are groups of 3 and 2+1: are all meant?"]),
        (
            (6, 5, 4, 3, 2, 1),
            6,
            ["The 6-spots are groups of 6, 5+1 and 4+2 and more: are all meant?"],
        ),
        ((1,) * 80, 10, []),
    ],
)
def test_groups_that_could_be_read_otherwise_are_pointed_out(
    sizes: tuple[int, ...], spots: int, warnings: list[str]
) -> None:
    assert list(double_meanings(sizes, [Line(spots, 1, 100, "regular")])) == warnings
    listed = Line(spots, 1, 100, "regular", ((0,),))  # nothing is left to guess
    assert list(double_meanings(sizes, [listed])) == []
