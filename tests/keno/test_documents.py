"""Documents: of the form, or refused with every fault; never anything else."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.documents import (
    DOCUMENT_MAX,
    grade_document,
    quote_document,
    ratio,
    read_grading,
    read_json,
    read_request,
    read_wins,
    refusals_document,
    request_document,
)
from app.keno.fields import Fields
from app.keno.grading import grade
from app.keno.letters import letter
from app.keno.money import LARGEST
from app.keno.pricing import quote
from app.keno.refusals import Code, Refusal, Refused, refusal
from app.keno.request import Request, WrittenLine
from app.keno.spoken import read_line
from tests.keno.cards import CARD, ROOMY
from tests.keno.strategies import draws, requests

REQUEST = {
    "groups": [[1, 2, 3, 4], [5, 6, 7, 8]],
    "kings": [9],
    "conditioning": "2/4 1/8 2/5 @ 1.00",
    "games": 5,
    "price_cents": 2500,
}


def codes(act: Callable[[], object]) -> list[str]:
    with pytest.raises(Refused) as refused:
        act()
    return [refusal.code for refusal in refused.value.refusals]


def test_a_request_is_read_as_it_stands() -> None:
    assert read_request(REQUEST) == Request(
        groups=((1, 2, 3, 4), (5, 6, 7, 8), (9,)),
        conditioning="2/4 1/8 2/5 @ 1.00",
        games=5,
        price_cents=2500,
    )


@pytest.mark.rule("X-ticket-replay")
@pytest.mark.parametrize(
    "line",
    ["4 8 15 16 / 23 42 7 9 2/4 1/8 @1 x5", "1 2 k33 1/3 @2 $2.00", "q8 1/8 @1", "@1", ""],
)
def test_a_request_written_as_a_document_is_the_same_request_again(line: str) -> None:
    request = read_line(line)
    assert read_request(request_document(request)) == request


def test_a_conditioning_may_be_a_list_of_lines() -> None:
    document = {
        "groups": [[1, 2], [3, 4]],
        "conditioning": [
            {"ways": 2, "spots": 2, "rate_cents": 50, "schedule": "twobits"},
            {"sets": ["B + A"], "rate_cents": 100},
        ],
    }
    assert read_request(document).conditioning == (
        WrittenLine(50, "twobits", 2, 2),
        WrittenLine(100, "regular", sets=((0, 1),)),
    )


@pytest.mark.parametrize("null", ["games", "price_cents", "kings", "quick_pick"])
def test_null_is_the_same_as_absent(null: str) -> None:
    document = {name: value for name, value in REQUEST.items() if name != null}
    assert read_request(document | {null: None}) == read_request(document)


def test_a_quote_is_written_with_all_its_fields() -> None:
    assert quote_document(quote(read_request(REQUEST), CARD)) == {
        "type": "king",
        "multi_race": True,
        "quick_pick": False,
        "ways": 5,
        "lines": [
            {"spots": 4, "ways": 2, "rate_cents": 100, "schedule": "regular", "price_cents": 200},
            {"spots": 8, "ways": 1, "rate_cents": 100, "schedule": "regular", "price_cents": 100},
            {"spots": 5, "ways": 2, "rate_cents": 100, "schedule": "regular", "price_cents": 200},
        ],
        "price_per_game_cents": 500,
        "games": 5,
        "price_cents": 2500,
        "conditioning": "2/4 1/8 2/5 @ 1.00",
    }


def test_a_grade_is_written_with_all_its_fields() -> None:
    ticket = quote(Request(((1, 2, 3, 4), (5, 6, 7, 8)), "A B @ .25 twobits", games=3), CARD)
    drawn = [tuple(range(1, 4)) + tuple(range(60, 77)), tuple(range(1, 21))]
    assert grade_document(ticket, grade(ticket, drawn, CARD)) == {
        "price_per_game_cents": 50,
        "games": [
            {
                "lines": [
                    {"spots": 4, "ways": 2, "catches": {"0": 1, "3": 1}, "win_cents_exact": "320/3"}
                ],
                "win_cents_exact": "320/3",
                "win_cents": 107,
            },
            {
                "lines": [
                    {"spots": 4, "ways": 2, "catches": {"4": 2}, "win_cents_exact": "16000/3"}
                ],
                "win_cents_exact": "16000/3",
                "win_cents": 5334,
            },
        ],
        "win_cents": 5441,
    }


def test_a_win_above_the_limit_is_marked_as_cut() -> None:
    ticket = quote(Request((tuple(range(1, 9)),), "1/8 @ 5"), CARD)
    (game,) = grade(ticket, [tuple(range(1, 21))], CARD)
    document: Any = grade_document(ticket, [game])
    assert document["games"][0]["win_cents_exact"] == "12500000/1"
    assert document["games"][0]["win_cents"] == document["win_cents"] == 10_000_000
    assert document["games"][0]["capped"] is True


def test_listed_sets_are_named_in_the_quote() -> None:
    ticket = quote(Request(((1, 2), (3, 4), (5, 6)), "A+B A+C @ 1"), CARD)
    document: Any = quote_document(ticket)
    assert document["lines"][0]["sets"] == ["A+B", "A+C"]


@given(requests(), draws)
def test_a_quote_can_be_asked_for_again_with_its_own_lines(
    request_: Request, draw: tuple[int, ...]
) -> None:
    """What the quote says of a line is enough to write the line: the stored form is the meaning."""
    ticket = quote(request_, ROOMY)
    document: Any = json.loads(json.dumps(quote_document(ticket)))
    again = {
        "groups": [list(group) for group in request_.groups],
        "conditioning": [
            {name: value for name, value in line.items() if name != "price_cents"}
            for line in document["lines"]
        ],
        "games": document["games"],
        "price_cents": document["price_cents"],
    }
    request, drawn = read_grading({"request": again, "draws": [list(draw)]})
    assert quote(request, ROOMY) == ticket
    assert grade(quote(request, ROOMY), drawn, ROOMY) == grade(ticket, [draw], ROOMY)


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        (b"", "document.not_json"),
        (b"{", "document.not_json"),
        (b"{} {}", "document.not_json"),
        (b"NaN", "document.not_json"),
        (b'{"games": Infinity}', "document.not_json"),
        (b"[" * 200_000, "document.not_json"),
        (b'{"a":' * 200_000, "document.not_json"),
        (b"9" * 5000, "document.not_json"),
        (b"\xff\xfe{}", "document.not_utf8"),
        (b"\xef\xbb\xbf{", "document.not_json"),
        (b'"\xed\xa0\x80"', "document.not_utf8"),
        (b" " * (DOCUMENT_MAX + 1), "document.too_long"),
        (b'{"a": 1, "a": 1}', "document.field_twice"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_what_is_not_a_json_document_is_refused(document: bytes, refused: str) -> None:
    assert codes(lambda: read_json(document)) == [refused]


@pytest.mark.parametrize(
    "change",
    [
        {"groups": "1-4"},
        {"groups": {"A": [1]}},
        {"groups": [1, 2]},
        {"groups": [[1.0]]},
        {"groups": [[True]]},
        {"groups": [["1"]]},
        {"groups": [[None]]},
        {"groups": [[[[[1]]]]]},
        {"kings": [[9]]},
        {"kings": 9},
        {"kings": 0},
        {"kings": ""},
        {"conditioning": 1},
        {"conditioning": {}},
        {"conditioning": ["1/8 @ 1"]},
        {"conditioning": [{"ways": "1", "spots": 8, "rate_cents": 100}]},
        {"conditioning": [{"ways": 1, "spots": 8, "rate_cents": 1.0}]},
        {"conditioning": [{"ways": 1, "spots": 8, "rate_cents": 100, "schedule": 1}]},
        {"conditioning": [{"sets": "A+B", "rate_cents": 100}]},
        {"games": "5"},
        {"games": 5.0},
        {"games": False},
        {"price_cents": "2500"},
        {"quick_pick": [8]},
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_is_refused_and_never_converted(
    change: dict[str, object],
) -> None:
    assert set(codes(lambda: read_request(REQUEST | change))) == {"document.wrong_type"}


@pytest.mark.parametrize(
    "change",
    [
        {"games": -(2**53)},
        {"games": 2**53},
        {"price_cents": -1},
        {"price_cents": 10**400},
        {"quick_pick": 0},
        {"quick_pick": 81},
        {"conditioning": [{"ways": -1, "spots": 8, "rate_cents": 100}]},
        {"conditioning": [{"ways": 1, "spots": 8, "rate_cents": -100}]},
    ],
    ids=lambda change: str(change)[:40],
)
def test_a_number_out_of_range_is_refused(change: dict[str, object]) -> None:
    assert codes(lambda: read_request(REQUEST | change)) == ["document.out_of_range"]


def test_the_largest_amounts_are_accepted() -> None:
    request = read_request(REQUEST | {"price_cents": LARGEST, "games": LARGEST, "quick_pick": 80})
    assert (request.price_cents, request.games, request.quick_pick) == (LARGEST, LARGEST, 80)
    assert read_wins({"wins_cents": [0, LARGEST], "limit_cents": LARGEST}) == (
        (0, LARGEST),
        LARGEST,
        0,
    )


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read_json(b"\xef\xbb\xbf{}") == {}


def test_every_fault_of_a_document_is_reported_with_its_place() -> None:
    document = {
        "groups": [[1], ["2"]],
        "conditioning": [{"spots": "x", "sets": ["A", 7, "a"], "hue": 1}],
        "gaems": 1,
    }
    with pytest.raises(Refused) as refused:
        read_grading({"request": document, "draws": 7})
    assert [(each.code, each.place) for each in refused.value.refusals] == [
        ("document.field_missing", "request.conditioning[0].rate_cents"),
        ("document.field_unknown", "request.conditioning[0].hue"),
        ("document.field_unknown", "request.gaems"),
        ("document.wrong_type", "request.groups[1]"),
        ("document.wrong_type", "request.conditioning[0].spots"),
        ("document.wrong_type", "draws"),
        ("line.not_a_set", "request.conditioning[0].sets[1]"),
        ("line.not_a_set", "request.conditioning[0].sets[2]"),
    ]


class TestHugeDocuments:
    """A document that is large to hurt is refused at once, and not at its own length."""

    def refused(self, document: dict[str, object]) -> list[str]:
        found = codes(lambda: quote(read_request(REQUEST | document), CARD))
        assert len(found) <= 100
        return found

    def test_ten_thousand_groups(self) -> None:
        groups = [[1 + place % 80] for place in range(10_000)]
        assert self.refused({"groups": groups}) == ["group.too_many"]

    def test_ten_thousand_groups_of_nonsense(self) -> None:
        assert set(self.refused({"groups": ["x"] * 10_000})) == {"document.wrong_type"}

    def test_a_group_of_a_million(self) -> None:
        assert self.refused({"groups": [list(range(1_000_000))]})[0] == "group.off_the_ticket"

    def test_a_number_with_thousands_of_digits(self) -> None:
        assert self.refused({"groups": [[10**4000]], "kings": []})[0] == "group.off_the_ticket"

    def test_more_lines_than_a_ticket_can_have(self) -> None:
        line = {"ways": 1, "spots": 8, "rate_cents": 100}
        assert self.refused({"conditioning": [line] * 10_000}) == ["conditioning.too_many_lines"]
        assert self.refused({"conditioning": "1/8 @ 1 " * 281}) == ["conditioning.too_many_lines"]
        assert self.refused({"conditioning": "1/8 @ 1 " * 280}) == [
            "line.spots_twice",
            "group.not_played",
        ]

    def test_lines_and_sets_of_nonsense(self) -> None:
        line = {"rate_cents": 100, "sets": ["?"] * 1000}
        assert set(self.refused({"conditioning": [line] * 1000})) == {"line.not_a_set"}

    def test_ten_thousand_sets(self) -> None:
        lines = [{"sets": ["A+B"] * 10_000, "rate_cents": 100}]
        assert self.refused({"conditioning": lines}) == ["line.too_many_sets"]
        lines = [{"ways": 300, "sets": ["A+B"] * 300, "rate_cents": 100}]
        assert self.refused({"conditioning": lines}) == ["line.too_many_sets"]

    def test_a_set_of_everything(self) -> None:
        every = " + ".join(letter(place) for place in range(80))
        kings = {"groups": [], "kings": list(range(1, 81)), "price_cents": None}
        lines = [{"sets": [every], "rate_cents": 100}]
        assert self.refused(kings | {"conditioning": f"{every} @ 1"}) == ["way.too_many_spots"]
        assert self.refused(kings | {"conditioning": lines}) == ["way.too_many_spots"]
        name = "+".join(["A"] * 6_000)
        assert self.refused({"conditioning": f"{name} @ 1"}) == ["line.group_twice"]
        lines = [{"sets": ["+".join(["A"] * 1_000_000)], "rate_cents": 100}]
        assert self.refused({"conditioning": lines}) == ["line.not_a_set"]

    def test_ten_thousand_unknown_fields(self) -> None:
        extra: dict[str, object] = {f"field{place}": 1 for place in range(10_000)}
        assert set(self.refused(extra)) == {"document.field_unknown"}

    def test_sets_whose_text_would_not_fit_into_the_log(self) -> None:
        names = [letter(place) for place in range(80)]
        all_but_two = ["+".join(set(names) - {one, two}) for one, two in combinations(names, 2)]
        document = {
            "groups": [],
            "kings": list(range(1, 81)),
            "conditioning": [{"sets": all_but_two[:200], "rate_cents": 100}],
        }
        assert self.refused(document) == ["conditioning.too_long"]


@pytest.mark.parametrize(
    ("document", "refused"),
    [
        ({"wins_cents": [1], "limit_cents": 1, "in_full_below_cents": 0}, []),
        ({"wins_cents": [1], "limit_cents": 1}, []),
        ({"limit_cents": 1}, ["document.field_missing"]),
        ({"wins_cents": [], "limit_cents": 1}, []),
        ({"wins_cents": [1]}, ["document.field_missing"]),
        ({"wins_cents": [-1], "limit_cents": 1}, ["document.out_of_range"]),
        ({"wins_cents": [2**53], "limit_cents": 1}, ["document.out_of_range"]),
        ({"wins_cents": [1], "limit_cents": -1}, ["document.out_of_range"]),
        ({"wins_cents": 1, "limit_cents": 1}, ["document.wrong_type"]),
        ({"wins_cents": [1], "limit_cents": 1, "limit": 1}, ["document.field_unknown"]),
        (None, ["document.wrong_type"]),
        (7, ["document.wrong_type"]),
    ],
    ids=str,
)
def test_the_wins_to_be_prorated(document: object, refused: list[str]) -> None:
    if refused:
        assert codes(lambda: read_wins(document)) == refused
    else:
        assert read_wins(document)[1:] == (1, 0)


def test_a_refusal_is_written_with_its_place_where_there_is_one() -> None:
    found = [refusal(Code.NO_NUMBERS, "groups"), refusal(Code.NOT_UTF8)]
    assert refusals_document(found) == [
        {"code": "group.none", "message": "No number is marked.", "place": "groups"},
        {"code": "document.not_utf8", "message": "The document is not text in UTF-8."},
    ]


def test_ratios_are_written_exactly() -> None:
    assert (ratio(Fraction(6, 4)), ratio(Fraction(3))) == ("3/2", "3/1")


values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
fields = st.fixed_dictionaries(
    {},
    optional={
        "groups": values | st.lists(st.lists(st.integers(-1, 82))),
        "kings": values | st.lists(st.integers(-1, 82)),
        "conditioning": values
        | st.text(alphabet="123456789/@. ABR+way$,", max_size=30)
        | st.lists(
            st.dictionaries(
                st.sampled_from(["ways", "spots", "rate_cents", "schedule", "sets", "x"]),
                values | st.integers(0, 300) | st.lists(st.sampled_from(["A", "A+B", "C"])),
            )
        ),
        "games": values | st.integers(0, 30),
        "price_cents": values | st.integers(0, 1000),
        "quick_pick": values | st.integers(0, 90),
        "other": values,
    },
)


@given(fields | values, values | st.lists(st.lists(st.integers(-1, 82), max_size=25)))
def test_any_document_is_answered_or_refused(request_: object, drawn: object) -> None:
    """Nothing but a refusal comes out of a document, whatever it holds."""
    try:
        request, draws_read = read_grading({"request": request_, "draws": drawn})
        grade(quote(request, CARD), draws_read, CARD)
    except Refused as refused:
        assert refused.refusals
        assert all(each.message.isascii() for each in refused.refusals)


@pytest.mark.parametrize("text", ['"\\u0000"', '{"a": ["\\u0000"]}', '"\\ud800"', '{"\\udc00": 1}'])
def test_a_character_that_is_no_text_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="no text"):
        read_json(text.encode())


@pytest.mark.parametrize("text", ['"\\u0041"', '"\\\\u0000"', '"\\ud83c\\udfb1"', '"\\u0001"'])
def test_an_escape_that_is_text_is_read(text: str) -> None:
    assert read_json(text.encode()) == json.loads(text)


def test_fields_of_forms_that_may_be_left_out() -> None:
    faults: list[Refusal] = []
    fields = Fields({"code": "x", "reason": 5, "other": {}, "nothing": None}, "", faults)
    assert (fields.has("code"), fields.has("nothing"), fields.has("absent")) == (True, False, False)
    assert fields.maybe_text("code") == "x"
    assert fields.maybe_text("nothing") is None
    assert fields.take("other") == {}
    assert not faults
    assert fields.maybe_text("reason") is None
    assert [fault.code for fault in faults] == ["document.wrong_type"]
