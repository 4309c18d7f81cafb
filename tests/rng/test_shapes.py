"""Every document is checked against its written form: each field, nothing else."""

from typing import Annotated, Literal, TypedDict

import pytest

from rng.core.records import Intent, Position, Sealed, Signature
from rng.core.shapes import Length, Text, Whole, WrongShape, shaped
from rng.core.signing import BadSignature, check_signatures, ed25519_key, rsa_key, seal
from tests.rng.house import TestHouse


class Sample(TypedDict):
    label: Literal["sample"]
    number: Annotated[int, Whole(1, 5)]
    name: Annotated[str, Text("[a-z]+")]
    items: Annotated[list[int], Length(1, 2)]
    by_name: dict[Annotated[str, Text("[A-Z]")], int]
    inner: Position | None
    anything: object


SOUND = {
    "label": "sample",
    "number": 3,
    "name": "abc",
    "items": [1],
    "by_name": {"A": 1},
    "inner": {"epoch": 1, "index": 0, "previous": "0" * 64},
    "anything": None,
}


def test_what_is_of_its_form_is_returned_as_it_is() -> None:
    assert shaped(Sample, SOUND) is SOUND
    shaped(Sample, {**SOUND, "inner": None, "by_name": {}})


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"label": "another"}, "label"),
        ({"label": 1}, "label"),
        ({"number": 0}, "number"),
        ({"number": 6}, "number"),
        ({"number": True}, "number"),
        ({"number": "3"}, "number"),
        ({"number": None}, "number"),
        ({"name": "ABC"}, "name"),
        ({"name": "abc\n"}, "name"),
        ({"name": ""}, "name"),
        ({"items": []}, "items"),
        ({"items": [1, 2, 3]}, "items"),
        ({"items": ["1"]}, r"items\[0\]"),
        ({"items": (1,)}, "items"),
        ({"by_name": {"a": 1}}, "by_name"),
        ({"by_name": {"A": "1"}}, "by_name.A"),
        ({"by_name": []}, "by_name"),
        ({"inner": {"epoch": 1}}, "inner"),
        ({"inner": []}, "inner"),
        ({"inner": {"epoch": 1, "index": 0, "previous": "0"}}, "inner.previous"),
        ({"extra": 1}, "extra"),
    ],
)
def test_what_is_not_is_refused_and_the_place_is_named(
    change: dict[str, object], place: str
) -> None:
    with pytest.raises(WrongShape, match=place):
        shaped(Sample, {**SOUND, **change})


@pytest.mark.parametrize("name", list(SOUND))
def test_a_missing_field_is_refused(name: str) -> None:
    with pytest.raises(WrongShape, match=name):
        shaped(Sample, {key: value for key, value in SOUND.items() if key != name})


@pytest.mark.parametrize("value", [None, [], "text", 5, {}])
def test_what_is_no_document_is_refused(value: object) -> None:
    with pytest.raises(WrongShape):
        shaped(Sealed[Intent], value)


def test_a_sealed_body_is_checked_inside(house: TestHouse) -> None:
    intent = house.office.draw("M")["intent"]
    shaped(Sealed[Intent], intent)
    with pytest.raises(WrongShape, match=r"body\.game"):
        shaped(Sealed[Intent], {**intent, "body": {**intent["body"], "game": 0}})
    for count in (0, 4):
        signatures: list[Signature] = intent["signatures"] * count
        with pytest.raises(WrongShape, match="signatures"):
            shaped(Sealed[Intent], {**intent, "signatures": signatures})


def test_keys_are_of_their_kind_and_signatures_of_their_keys(house: TestHouse) -> None:
    keys = house.rng.state.keys
    for wrong in (keys["rng"], "00" * 44):
        with pytest.raises(BadSignature):
            rsa_key(wrong)
    for wrong in (keys["mark"], "00" * 44):
        with pytest.raises(BadSignature):
            ed25519_key(wrong)
    opened = house.rng.keys
    assert opened is not None
    body = seal({"label": "x"}, opened.signing)
    check_signatures(body, [keys["rng"]])
    for others in ([], [keys["office"]], [keys["rng"], keys["rng"]], [keys["office"], keys["rng"]]):
        with pytest.raises(BadSignature):
            check_signatures(body, others)
    changed = {**body, "body": {"label": "y"}}
    with pytest.raises(BadSignature, match="does not fit"):
        check_signatures(changed, [keys["rng"]])  # type: ignore[arg-type]
