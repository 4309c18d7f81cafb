"""Damaged inputs for everything that reads what others wrote: read or refused, and nothing else.

Whoever sends, scans, types or hands over something is told no in the words of that reader; any
other exception ends these tests. A thousand for each reader, and a million in the long evidence.
"""

from random import Random

import pytest

from tests.depth import IS_PROOF
from tests.parsers import READERS
from tests.proof.fuzz import damaged

FORGIVING = {"spoken", "tender", "paper"}  # they make something of most texts
INPUTS = 1_000_000 if IS_PROOF else 1_000


@pytest.mark.parametrize("name", READERS)
def test_damaged_inputs_are_read_or_refused(name: str) -> None:
    make, read, refusals = READERS[name]
    chance, whole = Random(15), make()  # noqa: S311  the same damage in each run
    read(whole)
    taken = refused = 0
    for _ in range(INPUTS):
        try:
            read(damaged(chance, whole))
            taken += 1
        except refusals:
            refused += 1
    assert taken + refused == INPUTS


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("deep", [b"[", b'{"a":', b"(", b"{a=", b"a."])
def test_what_is_nested_without_end_is_refused(name: str, deep: bytes) -> None:
    _, read, refusals = READERS[name]
    refused = 0
    for many in (1_000, 20_000, 100_000):
        try:
            read(deep * many)
        except refusals:
            refused += 1
    least = 3 if refusals and name not in FORGIVING else 0
    assert least <= refused <= 3
