"""The conditioning: what people write, what it means, and how it is printed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.conditioning import condition, conditioning_of
from app.keno.conditioning_text import TEXT_MAX, parse, text_of
from app.keno.letters import group_named, letter
from app.keno.money import LARGEST
from app.keno.request import Request, WrittenLine
from tests.keno.strategies import requests
from tests.tables import read_table

TABLES = Path(__file__).parent / "tables"


@pytest.mark.rule("15.1-conditioning")
@pytest.mark.parametrize(
    "row", read_table(TABLES / "conditioning.md"), ids=lambda row: row["written"]
)
def test_what_people_write_has_one_canonical_form(row: dict[str, str]) -> None:
    sizes = [int(size) for size in row["groups"].split()]
    written, unread = parse(row["written"])
    lines, faults = condition(sizes, written)
    assert (unread, faults) == ((), ())
    assert conditioning_of(lines) == row["canonical"]


@pytest.mark.rule("15.1-conditioning")
@pytest.mark.parametrize(
    "row", read_table(TABLES / "unreadable.md"), ids=lambda row: row["written"]
)
def test_what_is_not_understood_is_refused(row: dict[str, str]) -> None:
    _, faults = parse(row["written"])
    assert [fault.code for fault in faults] == row["codes"].split(", ")


def test_the_refusal_quotes_what_is_not_understood_in_one_short_line() -> None:
    _, faults = parse("3/4 @ 1, \N{SNOWMAN}\x1b[2J" + "x" * 5000)
    assert faults[0].message.startswith('"\\u2603\\x1b[2Jxxxx')
    assert len(faults[0].message) < 200
    assert faults[0].message.isascii()


def test_a_text_that_nobody_writes_by_hand_is_refused_whole() -> None:
    _, faults = parse("1/8 @ 1 " * TEXT_MAX)
    assert [fault.code for fault in faults] == ["conditioning.too_long"]


def test_words_in_a_row_that_are_nothing_are_one_fault() -> None:
    _, faults = parse("one dollar, please, 3/4 @ 1")
    assert [fault.message.split('"')[1] for fault in faults] == ["one dollar, please"]


@pytest.mark.parametrize(
    "text",
    [
        "1" + " " * 1000 + "way" + " " * 15_000 + "x",
        "1" + " " * 19_990,
        "1way" + " " * 19_990,
        "1/2 @" + " " * 19_990 + "x",
        "1 - way" * 2_500,
        "A + " * 4_900 + "a",
        "@ $ " * 4_900,
        "? " * 9_990,
        "x 1/2 " * 3_300,
        "9" * 20_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_a_text_built_to_be_slow_is_refused(text: str) -> None:
    """Each of these took seconds or minutes when patterns could wander over many spaces."""
    _, faults = parse(text)
    assert faults


set_of_groups = st.lists(st.integers(0, 79), unique=True, min_size=1, max_size=6).map(
    lambda groups: tuple(sorted(groups))
)
written_lines = st.builds(
    WrittenLine,
    rate_cents=st.integers(0, LARGEST),
    schedule=st.from_regex(r"[a-z][a-z0-9-]{2,12}", fullmatch=True) | st.just("regular"),
    ways=st.integers(0, LARGEST),
    spots=st.integers(0, LARGEST),
    sets=st.lists(set_of_groups, max_size=4).map(tuple),
)


@pytest.mark.rule("15.1-conditioning")
@given(st.lists(written_lines, max_size=8).map(tuple))
def test_parsing_the_printed_form_gives_the_same_lines(lines: tuple[WrittenLine, ...]) -> None:
    assert parse(text_of(lines)) == (lines, ())


@pytest.mark.rule("15.1-conditioning")
@given(requests())
def test_the_canonical_form_means_the_same_lines(request_: Request) -> None:
    assert not isinstance(request_.conditioning, str)
    lines, faults = condition(request_.sizes, request_.conditioning)
    assert faults == ()
    assert condition(request_.sizes, parse(conditioning_of(lines))[0]) == (lines, ())


@given(st.text() | st.text(alphabet="0123456789/@.$, ABRwayregular+-"))
def test_any_text_is_read_or_refused(text: str) -> None:
    lines, faults = parse(text)
    assert lines or faults or not text.strip(" \t\n\r\f\v,")


@pytest.mark.parametrize(
    ("place", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (79, "CB")]
)
def test_groups_are_named_in_the_order_of_the_request(place: int, name: str) -> None:
    assert letter(place) == name
    assert group_named(name) == place
