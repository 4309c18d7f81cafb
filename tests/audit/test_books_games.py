"""The books of games that were played: what is planted in draws and wins is found."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from app.flow.override import override_close
from app.flow.sell import Sale
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.audit import books, books_copies, books_payments
from tests.audit.planting import ALL, After, found_in, plant, unguarded
from tests.floor import Floor, dollar
from tests.looking import bodies
from tests.story.refunds import refund, void_next

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)

# What is done to the database, and which checks find it.
PLANTED: dict[str, tuple[str, set[str]]] = {
    "the numbers of a game were changed": (
        "UPDATE outcome SET numbers = :numbers WHERE game = 1",
        {"facts", "outcomes", "wins"},
    ),
    "a number was drawn twice": (
        (
            "UPDATE outcome SET numbers = '[1,1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]' "
            "WHERE game = 1"
        ),
        {"facts", "outcomes", "wins"},
    ),
    "the record of a game is another's": (
        "UPDATE outcome SET record = (SELECT record FROM outcome WHERE game = 2) WHERE game = 1",
        {"facts", "outcomes"},
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
        {"facts", "outcomes", "draws in turn", "wins"},
    ),
    "a drawn game was said to be void": (
        "UPDATE game SET state = 'void' WHERE number = 1",
        {"outcomes", "money"},
    ),
    "the head that a game was sealed with is gone": (
        "DELETE FROM log_checkpoint WHERE size = (SELECT min(size) FROM cosigned)",
        {"locks", "log"},
    ),
    "another head is kept as cosigned": (
        (
            "UPDATE cosigned SET note = "
            "(SELECT note FROM log_checkpoint WHERE log_checkpoint.size = cosigned.size)"
        ),
        {"log"},
    ),
    "a win became larger": (
        "UPDATE win SET cents = cents + 1, uncut_cents = uncut_cents + 1 WHERE ticket = 1",
        {"wins"},
    ),
    "a win is gone": ("DELETE FROM win WHERE ticket = 1 AND attempt = 1", {"wins"}),
    "a settlement pays more": (
        "UPDATE settlement SET paid_cents = paid_cents + 1 WHERE game = 1",
        {"facts", "wins"},
    ),
    "the settlement of a game is gone": (
        "DELETE FROM settlement WHERE game = 1",
        {"facts", "wins"},
    ),
    "the second grading of a game is gone": (
        "DELETE FROM certification WHERE attempt = 1",
        {"facts", "wins"},
    ),
    "what is owed for wins is gone": (
        "DELETE FROM posting WHERE account IN ('wins', 'wins-payable')",
        {"wins"},
    ),
    "a game was locked before the one before it was drawn": (
        "UPDATE outcome SET entry = (SELECT entry FROM settlement WHERE game = 2) WHERE game = 1",
        {"draws in turn", "facts", "outcomes"},
    ),
    "a share where no limit bites": (
        "INSERT INTO share (attempt, ticket, cents) VALUES (1, 1, 99999999)",
        {"wins"},
    ),
    "a settlement had another limit": (
        "UPDATE settlement SET limit_cents = 1, in_full_below_cents = 77 WHERE game = 1",
        {"facts"},
    ),
    "a settlement has another's entry": (
        "UPDATE settlement SET entry = (SELECT min(id) FROM log_entry) WHERE game = 1",
        {"facts"},
    ),
    "a verdict has other figures": (
        "UPDATE certification SET tickets = 999 WHERE attempt = 1",
        {"facts"},
    ),
    "a verdict has differences": (
        "UPDATE certification SET differences = '[\"x\"]' WHERE attempt = 1",
        {"facts"},
    ),
    "a certified game was frozen": (
        "UPDATE certification SET verdict = 'frozen' WHERE attempt = 1",
        {"facts", "wins"},
    ),
    "a game was drawn at another time": (
        "UPDATE outcome SET ended_at = (SELECT min(opened_at) FROM game) WHERE game = 1",
        {"facts"},
    ),
    "a game is of another day": (
        "UPDATE game SET gaming_day = '2020-01-01' WHERE number = 1",
        {"facts"},
    ),
    "a game was to close at another time": (
        "UPDATE game SET closes_at = opened_at WHERE number = 1",
        {"facts"},
    ),
    "a game was locked at another time": (
        "UPDATE game SET locked_at = opened_at WHERE number = 1",
        {"facts"},
    ),
    "an override had another reason": ("UPDATE override SET reason = 'none'", {"facts"}),
}
# The same of what goes back.
PLANTED_BACK: dict[str, tuple[str, set[str]]] = {
    "a cancellation has another reason": ("UPDATE cancellation SET reason = 'x'", {"facts"}),
    "a cancellation is another's": (
        "UPDATE cancellation SET staff = (SELECT id FROM staff WHERE code = 'WALT')",
        {"facts"},
    ),
    "a cancellation was approved": (
        "UPDATE cancellation SET approver = (SELECT id FROM staff WHERE code = 'SAM')",
        {"facts"},
    ),
    "a cancellation gave nothing back": ("UPDATE cancellation SET back = '[]'", {"facts"}),
    "a cancellation has another's entry": (
        "UPDATE cancellation SET entry = (SELECT max(id) FROM log_entry WHERE tag = 'GAME')",
        {"drawers", "facts", "money"},
    ),
    "a refund is of another game": (
        "UPDATE refund SET game = 1 WHERE ticket = 2",
        {"facts", "money"},
    ),
    "a refund was approved": (
        "UPDATE refund SET approver = (SELECT id FROM staff WHERE code = 'SAM')",
        {"facts"},
    ),
    "a coupon was refunded in cash": (
        "UPDATE posting SET cents = cents - 50 WHERE account = 'drawer' AND cents = -50",
        {"money"},
    ),
    "a refund is gone": ("DELETE FROM refund", {"facts", "money"}),
}


def two_games(floor: Floor) -> None:
    """Two tickets of two games, which are played; the first closed later than it was to."""
    wanda = floor.writing()
    every = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00", games=2)
    floor.sell(wanda, Sale("M", every, BILLS))
    floor.sell(wanda, dollar(games=2))
    soon = floor.moment[0] + timedelta(hours=1)
    override_close(floor.office, floor.sam, "M", 1, soon, "a bus is coming")
    floor.play()
    floor.play()
    floor.check_books()


def other_numbers(floor: Floor) -> str:
    """Twenty numbers for the first game, with which its second ticket wins another amount."""
    (_, second), (first, *_) = bodies(floor, "TICKET"), bodies(floor, "DRAW")
    (played,) = second["groups"]
    begin = 21 if set(played) <= set(first["numbers"]) else 1  # none of them, or all
    return json.dumps(list(range(begin, begin + 20)))


@pytest.mark.rule("X-audit-books", "X-draw-once", "X-grade-twice")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_a_game_that_was_played_is_found(after: After, what: str) -> None:
    floor = after(two_games)
    statement, expected = PLANTED[what]
    plant(floor, statement, numbers=other_numbers(floor))
    assert set(found_in(floor)) == expected


@pytest.mark.rule("X-audit-books", "X-grade-twice")
def test_the_second_grader_has_the_tickets_that_were_sold(floor: Floor) -> None:
    floor.sell(floor.writing(), dollar(games=3))
    floor.play()
    assert found_in(floor) == {}
    plant(unguarded(floor), "UPDATE live_ticket SET body = body || ' '")
    told = "the second grader has another ticket 1 than was sold"
    assert found_in(floor) == {"wins": [told]}


def void_game(floor: Floor) -> None:
    """The second game is void; one ticket is cancelled, the other has that game's price back."""
    wanda = floor.writing()
    coupon = (Tender(TenderKind.COUPON, 150, "C1"), Tender(TenderKind.CURRENCY, 50))
    floor.sell(wanda, dollar(games=5))
    floor.sell(wanda, replace(dollar(games=2), tender=coupon))
    floor.play()
    void_next(floor)
    refund(floor, wanda, 1)
    refund(floor, wanda, 2, cancel=False)
    floor.check_books()


@pytest.mark.rule("X-audit-books", "15.4(d)-refund", "X-fault-refund")
@pytest.mark.parametrize("what", PLANTED_BACK)
def test_what_is_planted_in_what_went_back_is_found(after: After, what: str) -> None:
    floor = after(void_game)
    statement, expected = PLANTED_BACK[what]
    plant(floor, statement)
    assert set(found_in(floor)) == expected


@pytest.mark.rule("X-audit-books", "15.4(d)-refund", "15.3(c)")
def test_a_rest_that_was_cancelled_behind_a_lock_is_named(after: After) -> None:
    """Whoever knows the numbers of a game could take the price of a losing ticket back."""
    floor = after(void_game)
    plant(floor, "UPDATE cancellation SET first_cancelled = 2 WHERE ticket = 1")
    assert "ticket 1 was cancelled behind a lock" in found_in(floor)["money"]


def test_every_check_is_shown_to_find_something() -> None:
    """Here, or in the books of selling: a check that nothing was planted against shows nothing."""
    shown = {name for _, _, found in books.PLANTED.values() for name in found}
    planted = [*PLANTED.values(), *PLANTED_BACK.values(), *books_payments.PLANTED.values()]
    planted += books_payments.PLANTED_PAPERS.values()
    planted += books_copies.PLANTED.values()
    # In `tests/keeping/test_archive.py`, `tests/test_redirected.py` and `test_books_without_code`.
    elsewhere = {"archives", "placed", "shown"}
    assert shown.union(*(found for _, found in planted)) == set(ALL) - elsewhere
