"""Documents damaged in every way we can think of: answered or refused, and nothing else."""

import json
from pathlib import Path
from random import Random

import pytest

from app.keno.card_checks import all_figures, check_card
from app.keno.card_file import read_card_and_faults
from app.keno.documents import read_grading, read_json
from app.keno.grading import grade
from app.keno.pricing import quote
from app.keno.refusals import Refused
from tests.keno.cards import CARD, FILE
from tests.proof.fuzz import damaged

pytestmark = pytest.mark.proof

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
DAMAGES = 200_000


def test_damaged_gradings_are_answered_or_refused() -> None:
    chance = Random(15)  # noqa: S311  the same damage in each run
    whole = json.loads((EXAMPLES / "grading.json").read_bytes())
    listed = whole | {
        "request": {
            "groups": [[1, 2], [3, 4], [5, 6]],
            "kings": [7, 8],
            "conditioning": [
                {"sets": ["A+B", "A+C"], "rate_cents": 100},
                {"ways": 2, "spots": 1, "rate_cents": 50, "schedule": "regular"},
            ],
            "games": 2,
        }
    }
    documents = [json.dumps(whole).encode(), json.dumps(listed).encode()]
    answered = refused = 0
    for _ in range(DAMAGES):
        document = damaged(chance, chance.choice(documents))
        try:
            request, draws = read_grading(read_json(document))
            grade(quote(request, CARD), draws, CARD)
            answered += 1
        except Refused as refusal:
            assert refusal.refusals
            assert all(each.message.isascii() for each in refusal.refusals)
            refused += 1
    assert answered > 100
    assert refused > 100


def test_damaged_rate_cards_are_read_or_refused() -> None:
    chance = Random(15)  # noqa: S311  the same damage in each run
    sound = faulty = 0
    for _ in range(DAMAGES // 10):
        try:
            card, faults = read_card_and_faults(damaged(chance, FILE.read_bytes()))
            all_figures(card)
            faults += check_card(card)
        except Refused as refused:
            faults = refused.refusals
        sound, faulty = sound + (not faults), faulty + bool(faults)
        assert all(fault.message.isascii() for fault in faults)
    assert sound > 100
    assert faulty > 100
