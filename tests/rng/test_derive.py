"""From intent and mark to the numbers: a function that anyone can repeat."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.core.derive import draw_numbers, draw_seed
from rng.core.entropy import operating_system
from rng.core.generator import CyclingGenerator
from rng.core.signing import document_hash
from rng.lab import statistics
from tests.rng import second_opinion

EXAMPLE = json.loads((Path(__file__).parent / "vectors" / "worked_example.json").read_text())
HASHES = st.binary(min_size=32, max_size=32).map(bytes.hex)
MARKS = st.binary(min_size=384, max_size=384).map(bytes.hex)


@pytest.mark.rule("X-draw-public")
@given(HASHES, MARKS)
def test_a_second_implementation_draws_the_same_numbers(intent: str, mark: str) -> None:
    assert list(draw_numbers(intent, mark)) == second_opinion.numbers(intent, mark)


def test_the_worked_example_is_drawn_again() -> None:
    record = EXAMPLE["draw"]["record"]["body"]
    assert list(draw_numbers(record["intent"], record["mark"])) == record["numbers"]


@pytest.mark.rule("15.5(a)-unique")
def test_another_jurisdiction_gives_other_numbers_from_the_same_secret_and_mark() -> None:
    intent, mark = EXAMPLE["draw"]["intent"]["body"], EXAMPLE["draw"]["record"]["body"]["mark"]
    here = draw_numbers(document_hash(intent), mark)
    assert draw_numbers(document_hash({**intent, "jurisdiction": "elsewhere"}), mark) != here


@pytest.mark.rule("X-draw-unpredictable")
@given(HASHES, MARKS, st.integers(0, 383))
def test_every_byte_of_the_mark_goes_into_the_seed(intent: str, mark: str, place: int) -> None:
    changed = bytearray.fromhex(mark)
    changed[place] ^= 1
    assert draw_seed(intent, changed.hex()) != draw_seed(intent, mark)


@pytest.mark.rule("X-draw-independent")
def test_two_extreme_sold_files_leave_the_distribution_as_it_is() -> None:
    """An empty file and an enormous one: for either statement the draws pass every test."""
    generator = CyclingGenerator(operating_system, "h", "d", "s")
    for statement in ("00" * 32, "ff" * 32):
        draws = []
        for _ in range(1500):
            intent = document_hash({"r": generator.secret().value.hex(), "statement": statement})
            draws.append(draw_numbers(intent, operating_system(384).hex()))
        # One fair run in ten million is accused at this level.
        report = statistics.test_draws(draws)
        assert (report.p_value or 0) > 1e-7
