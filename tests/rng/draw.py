"""Helpers of `test_draw` that other tests use too."""

from copy import deepcopy
from typing import cast

from rng.core.signing import seal
from tests.rng.house import TestHouse

Document = dict[str, object]


def request(house: TestHouse, series: str = "M") -> Document:
    """The request to draw the next game of a series, as the office would send it."""
    return deepcopy(house.office.locked(series))


def resigned(house: TestHouse, request: Document, /, **changes: object) -> Document:
    """The request with its statement changed, and signed by the office again."""
    statement = cast("dict[str, Document]", request["statement"])
    return {**request, "statement": seal({**statement["body"], **changes}, house.office.office_key)}
