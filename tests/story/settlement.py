"""Helpers of `test_5_settlement` that other tests use too."""

from random import Random

import pytest

from app.flow import settle
from app.flow.access import Credentials
from app.flow.sell import Sale
from app.keno import grading
from app.keno.grading import GameGrade
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import Floor
from tests.proof.selling_days import request

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)


def sell_many(floor: Floor, count: int = 40, seed: int = 7) -> Credentials:
    """Sell tickets of every kind; return who sold them."""
    wanda, chance = floor.writing(), Random(seed)  # noqa: S311  the same tickets in each run
    for _ in range(count):
        floor.sell(wanda, Sale("M", request(chance), BILLS))
    return wanda


def rich(floor: Floor) -> None:
    """Sell tickets that win $6,000 each, whatever is drawn: together more than the limit."""
    wanda = floor.writing()
    ways = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 100.00")
    for _ in range(17):
        floor.sell(wanda, Sale("M", ways, BILLS))


def one_more(graded: GameGrade) -> GameGrade:
    return GameGrade(graded.lines, graded.win + 1, graded.win_cents + 1, graded.capped)


def rounded_down(graded: GameGrade) -> GameGrade:
    return GameGrade(graded.lines, graded.win, max(graded.win_cents - 1, 0), graded.capped)


def frozen_floor(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the first game frozen; the last of its tickets wins whatever is drawn."""
    wanda = sell_many(floor, 20)
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00")
    floor.sell(wanda, Sale("M", every, BILLS))
    right = grading.grade_game
    floor.lock()
    floor.draw()
    with monkeypatch.context() as patched:
        patched.setattr(settle, "grade_game", lambda *given: rounded_down(right(*given)))
        assert floor.grade(1) == "frozen"
