"""The one byte form of what is hashed: against an RFC 8785 that others wrote."""

import json
from decimal import Decimal
from enum import IntEnum, StrEnum

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from app.audit.canonical import LARGEST, canonical
from app.audit.entries import committed_leaf
from app.audit.tags import Tag

pytestmark = pytest.mark.rule("X-audit-log")

NAMES = st.text(st.characters(max_codepoint=127))
# Surrogates alone are no text; everything else is, with every control character.
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(st.sampled_from('"\\/\b\f\n\r\t\x00\x1f\x7f\x80\u2028\u2029\ud7ff\ue000\uffff😀é')),
)
NUMBERS = st.integers(-LARGEST, LARGEST)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(NAMES, inner)),
    max_leaves=30,
)


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    ONE = 1


@given(TEXTS | st.sampled_from(Tag), st.binary(min_size=32, max_size=32))
def test_a_leaf_is_in_the_one_byte_form(tag: str, commitment: bytes) -> None:
    said = {"label": "keno/log-leaf", "version": 1, "tag": tag, "body": commitment.hex()}
    assert committed_leaf(tag, commitment) == canonical(said)


@given(VALUES)
def test_the_bytes_are_those_of_the_other_writer(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(VALUES)
def test_the_bytes_are_read_back_as_what_they_were_written_from(value: object) -> None:
    assert json.loads(canonical(value)) == value


@given(st.dictionaries(NAMES, st.one_of(NUMBERS, TEXTS)))
def test_the_order_in_which_names_were_given_does_not_matter(value: dict[str, object]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


def test_a_form_that_can_be_checked_by_eye() -> None:
    value = {"b": [1, True, None], "a": 'x\u0001é"\\\n', "B": {"": -0}, "aa": ()}
    assert canonical(value) == (
        '{"B":{"":0},"a":"x\\u0001é\\"\\\\\\n","aa":[],"b":[1,true,null]}'.encode()
    )


def test_members_of_our_closed_lists_are_written_as_their_values() -> None:
    assert canonical([Colour.RED, Level.ONE]) == b'["red",1]'


@pytest.mark.parametrize("number", [LARGEST, -LARGEST])
def test_the_largest_whole_number_is_written(number: int) -> None:
    assert canonical(number) == rfc8785.dumps(number) == str(number).encode()


@pytest.mark.parametrize("number", [LARGEST + 1, -LARGEST - 1, 2**64])
def test_a_whole_number_that_others_would_round_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="beyond"):
        canonical({"deep": [number]})
    with pytest.raises(rfc8785.CanonicalizationError):
        rfc8785.dumps(number)


@pytest.mark.parametrize(
    "value",
    [1.0, 0.5, float("nan"), Decimal(1), b"bytes", {1, 2}, object(), {"deep": [1.0]}, [b""]],
)
def test_what_the_form_does_not_have_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="has no canonical form"):
        canonical(value)


@pytest.mark.parametrize("name", [1, None, True, "é", "\u2028"])
def test_a_name_that_is_not_ascii_text_is_refused(name: object) -> None:
    """Only for ASCII names is the order of Python that of RFC 8785, which is by UTF-16."""
    with pytest.raises(ValueError, match="not ASCII"):
        canonical({"deep": {name: 1}})


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"])
def test_half_a_character_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        canonical({"text": text})
