"""One byte form for everything that is hashed or signed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.core.canonical import NotCanonical, canonical, read_canonical, read_json

WHOLE = st.integers(-(2**53) + 1, 2**53 - 1)
TEXT = st.text(st.characters(codec="utf-8"))
NAMES = st.text(st.characters(min_codepoint=0, max_codepoint=127))
VALUES = st.recursive(
    st.none() | st.booleans() | WHOLE | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"b": 1, "a": [True, False, None]}, '{"a":[true,false,null],"b":1}'),
        ({"": -5, "1": "x", "A": 0, "a": {}}, '{"":-5,"1":"x","A":0,"a":{}}'),
        # RFC 8785, 3.2.2.2: which characters are escaped, and how.
        ('€$\x0f\nA\'B"\\\\"/\x7f', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f"'),
        ("\b\t\n\f\r\x00\x1f", '"\\b\\t\\n\\f\\r\\u0000\\u001f"'),
        ("😀ö", '"😀ö"'),
        (2**53 - 1, "9007199254740991"),
        ((1, 2), "[1,2]"),
    ],
)
def test_a_value_has_one_form(value: object, form: str) -> None:
    assert canonical(value) == form.encode()


@given(VALUES)
def test_reading_a_form_gives_back_its_value(value: object) -> None:
    assert read_canonical(canonical(value)) == value


@given(VALUES)
def test_the_form_is_json_that_anyone_reads_alike(value: object) -> None:
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize(
    "value",
    [0.5, float("nan"), 2**53, -(2**53), {"é": 1}, {1: 2}, {"a": {2: 3}}, "\ud800", b"x", {1, 2}],
)
def test_what_has_no_form_is_refused(value: object) -> None:
    with pytest.raises(NotCanonical):
        canonical(value)
    with pytest.raises(NotCanonical):
        canonical([{"a": value}])


def test_a_value_without_end_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(NotCanonical):
        canonical(endless)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a":1} ',
        b' {"a":1}',
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a":1.0}',
        b'{"a":1e2}',
        b'{"a":-0}',
        b'{"a":01}',
        b'{"a":NaN}',
        b'{"a":9007199254740992}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b'{"a":"\xff"}',
        b"[" * 100_000,
        b"\xef\xbb\xbf{}",
    ],
)
def test_bytes_in_any_other_form_are_refused(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        read_canonical(data)


@pytest.mark.parametrize("data", [b"", b"{", b"1.5", b"Infinity", b"\xff", b"[" * 100_000])
def test_json_in_any_form_has_no_fractions(data: bytes) -> None:
    with pytest.raises(NotCanonical):
        read_json(data)
    assert read_json(b' {"b": 1, "a": 2} ') == {"a": 2, "b": 1}
