"""Bulk grading against grading one by one, over half a million plays for each rounding rule."""

from dataclasses import replace
from random import Random

import pytest

from app.keno.bulk import Grader, Plays
from app.keno.conditioning import Line
from app.keno.grading import grade_game
from app.keno.money import Rounding
from app.keno.spots import mask_of
from app.keno.ticket import Ticket, TicketType
from tests.keno.cards import CARD

pytestmark = pytest.mark.proof


@pytest.mark.parametrize("rounding", Rounding)
def test_half_a_million_plays(rounding: Rounding) -> None:
    chance = Random(80)  # noqa: S311  the same plays in each run
    card = replace(CARD, limits=replace(CARD.limits, rounding=rounding))
    names = tuple(card.schedules)
    for _ in range(100):
        draw = mask_of(chance.sample(range(1, 81), 20))
        rows = [
            (
                mask_of(chance.sample(range(1, 81), chance.randint(1, 20))),
                chance.randint(1, 100_000),
                chance.randrange(len(names)),
            )
            for _ in range(5_000)
        ]
        wins = Grader(card, names).wins_cents(Plays.of(rows), draw).tolist()
        assert len(wins) == 5_000
        for (mask, rate_cents, place), win_cents in zip(rows, wins, strict=True):
            line = Line(mask.bit_count(), 1, rate_cents, names[place])
            ticket = Ticket(TicketType.STRAIGHT, (mask,), (line,), 1, quick_pick=False)
            assert grade_game(ticket, draw, card).win_cents == win_cents
