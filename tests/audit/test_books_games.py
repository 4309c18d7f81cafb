"""The books of games that were played: what is planted in draws and wins is found."""

import pytest

from app.flow.sell import Sale
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.audit import test_books
from tests.audit.test_books import ALL, found_in, plant
from tests.floor import Floor, dollar

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)

# What is done to the database, and which checks find it.
PLANTED: dict[str, tuple[str, set[str]]] = {
    "the numbers of a game were changed": (
        (
            "UPDATE outcome SET numbers = '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]' "
            "WHERE game = 1"
        ),
        {"outcomes", "wins"},
    ),
    "a number was drawn twice": (
        (
            "UPDATE outcome SET numbers = '[1,1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]' "
            "WHERE game = 1"
        ),
        {"outcomes", "wins"},
    ),
    "the record of a game is another's": (
        "UPDATE outcome SET record = (SELECT record FROM outcome WHERE game = 2) WHERE game = 1",
        {"outcomes"},
    ),
    "the document of a game is another's": (
        (
            "UPDATE outcome SET document = (SELECT document FROM outcome WHERE game = 2) "
            "WHERE game = 1"
        ),
        {"outcomes"},
    ),
    "the statement of a game is another's": (
        (
            "UPDATE lock_statement SET request = "
            "(SELECT request FROM lock_statement WHERE game = 2) WHERE game = 1"
        ),
        {"outcomes"},
    ),
    "the outcome of a game is gone": (
        "DELETE FROM outcome WHERE game = 1",
        {"outcomes", "draws in turn", "wins"},
    ),
    "a drawn game was said to be void": (
        "UPDATE game SET state = 'void' WHERE number = 1",
        {"outcomes", "money"},
    ),
    "a win became larger": (
        "UPDATE win SET cents = cents + 1, uncut_cents = uncut_cents + 1 WHERE ticket = 1",
        {"wins"},
    ),
    "a win is gone": ("DELETE FROM win WHERE ticket = 1 AND attempt = 1", {"wins"}),
    "a settlement pays more": (
        "UPDATE settlement SET paid_cents = paid_cents + 1 WHERE game = 1",
        {"wins"},
    ),
    "the settlement of a game is gone": ("DELETE FROM settlement WHERE game = 1", {"wins"}),
    "the second grading of a game is gone": (
        "DELETE FROM certification WHERE attempt = 1",
        {"wins"},
    ),
    "what is owed for wins is gone": (
        "DELETE FROM posting WHERE account IN ('wins', 'wins-payable')",
        {"wins"},
    ),
    "a game was locked before the one before it was drawn": (
        (
            "UPDATE outcome SET ended_at = (SELECT opened_at FROM game WHERE number = 3) "
            "WHERE game = 1"
        ),
        {"draws in turn"},
    ),
}


@pytest.mark.rule("X-audit-books", "X-draw-once", "X-grade-twice")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_a_game_that_was_played_is_found(floor: Floor, what: str) -> None:
    wanda = floor.writing()
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00", games=2)
    floor.sell(wanda, Sale("M", every, BILLS))
    floor.sell(wanda, dollar(games=2))
    floor.play()
    floor.play()
    floor.check_books()
    statement, expected = PLANTED[what]
    plant(floor, statement)
    assert set(found_in(floor)) == expected


def test_every_check_is_shown_to_find_something() -> None:
    """Here, or in the books of selling: a check that nothing was planted against shows nothing."""
    shown = {name for _, _, found in test_books.PLANTED.values() for name in found}
    assert shown.union(*(found for _, found in PLANTED.values())) == set(ALL)
