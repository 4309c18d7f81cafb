"""The closed list of refusals: each code has its sentence, and most have an example here.

That every one has a test is shown in `tests/test_refusals.py`.
"""

import re
from pathlib import Path

import pytest

from app.keno.documents import read_grading, read_json, read_request
from app.keno.grading import grade
from app.keno.pricing import quote
from app.keno.refusals import (
    Code,
    Refusal,
    Refused,
    listed,
    placed_within,
    quoted,
    refusal,
    refuse_all,
    refuse_first,
)
from tests.keno.cards import CARD
from tests.tables import read_table

TABLES = Path(__file__).parent / "tables"
ROWS = read_table(TABLES / "refusals.md")


def answer(row: dict[str, str]) -> object:
    if "request" in row:
        return quote(read_request(read_json(row["request"].encode())), CARD)
    request, draws = read_grading(read_json(row["grading"].encode()))
    return grade(quote(request, CARD), draws, CARD)


# The duty that a refusal shows, by the start of its code.
DUTIES = {
    "conditioning.": "15.1-conditioning",
    "group.off_the_ticket": "15.2(a)",
    "group.overlap": "15.2(c)2",
    "line.": "15.1-conditioning",
    "split.one_rate": "15.2(c)2i",
    "rate.": "15.3(d)",
    "schedule.": "15.3(d)",
    "way.too_many_spots": "15.2(b)",
    "way.not_offered": "X-card-winnable",
    "ticket.price_differs": "15.4(a)",
    "ticket.price_too": "15.3(d)",
}


def with_duty(row: dict[str, str]) -> object:
    duties = [duty for start, duty in DUTIES.items() if row["codes"].startswith(start)]
    return pytest.param(row, marks=[pytest.mark.rule(duty) for duty in duties], id=row["codes"])


@pytest.mark.parametrize("row", [with_duty(row) for row in ROWS])
def test_a_refusal_has_its_code_and_a_sentence_to_read_out(row: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        answer(row)
    assert [refusal.code for refusal in refused.value.refusals] == row["codes"].split(", ")
    assert refused.value.refusals[0].message == row["sentence of the first"]


def test_codes_are_stable_words_and_sentences_are_sentences() -> None:
    codes = [code.code for code in Code]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z_]+\.[a-z0-9_]+", code) for code in codes)
    assert all(code.sentence.endswith(".") for code in Code)


def test_refusals_come_in_order_of_precedence() -> None:
    found = [refusal(Code.NO_DRAW), refusal(Code.NO_NUMBERS), refusal(Code.NOT_UTF8)]
    with pytest.raises(Refused) as refused:
        refuse_all(found)
    assert [each.code for each in refused.value.refusals] == [
        "document.not_utf8",
        "group.none",
        "draw.none",
    ]
    with pytest.raises(Refused) as refused:
        refuse_first(found)
    assert [each.code for each in refused.value.refusals] == ["document.not_utf8"]


def test_a_hundred_refusals_are_reported_and_no_more() -> None:
    with pytest.raises(Refused) as refused:
        refuse_all([refusal(Code.NO_DRAW)] * 200 + [refusal(Code.NOT_UTF8)])
    assert len(refused.value.refusals) == 100
    assert refused.value.refusals[0].code == "document.not_utf8"


def test_places_within_a_larger_document_begin_with_its_place() -> None:
    with pytest.raises(Refused) as refused, placed_within("request"):
        refuse_all([refusal(Code.NO_NUMBERS, "groups"), refusal(Code.TOO_LARGE, what="", limit=1)])
    assert [each.place for each in refused.value.refusals] == ["request.groups", "request"]


def test_nothing_found_is_nothing_refused() -> None:
    found: list[Refusal] = []
    refuse_all(found)
    refuse_first(found)
    assert found == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A+B", "A+B"),
        ("two\nlines", "two\\nlines"),
        ("\ud800", "\\ud800"),
        ("\x1b[31m", "\\x1b[31m"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 60 + "..."),
    ],
)
def test_what_somebody_wrote_is_quoted_on_one_short_printable_line(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_many_numbers_are_named_by_their_first_few() -> None:
    assert listed([7, 3, 3]) == "3, 7"
    assert listed(range(5)) == "0, 1, 2, 3, 4"
    assert listed(range(1000)) == "0, 1, 2, 3, 4, ..."
