"""Is my ticket a winner? What a patron with a ticket is told, and what nobody else is."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import Any
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.flow.certify import certify_game
from app.flow.check import check_ticket
from app.flow.codes import validation_code
from app.flow.keys import Keys
from app.flow.office import Office
from app.flow.sell import Sale
from app.flow.settle import settle_game
from app.flow.throttle import Throttle
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.store.queries import outcomes
from app.web import create_app
from app.web.check import ONE_IN, TRIES
from printers.escpos import scan_of
from printers.layout import laid_out
from printers.paper import WIDE, CodeDigits, Line
from tests.floor import NOON, WANDA, Floor, dollar
from tests.looking import everything, refuses
from tests.printers.samples import TICKET
from tests.story.paying import every, pay, sold
from tests.story.refunds import refund, void_next
from tests.story.settlement import frozen_floor

NONE_SUCH = "There is no ticket with this number and this code."
NEVER_EARLY = ("No win", "Won ", "Every game", "$")


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


@pytest.fixture
def patron(app: Flask) -> FlaskClient:
    """A patron's browser: no station, nobody signed in, no cookie."""
    return app.test_client()


def ask(patron: FlaskClient, number: object, code: str = "", address: str = "") -> TestResponse:
    where = {"REMOTE_ADDR": address} if address else None
    form = {"number": str(number), "code": code}
    return patron.post("/check", data=form, environ_overrides=where)


def told(patron: FlaskClient, floor: Floor, number: int = 1) -> str:
    """What a patron is told who has the paper."""
    answer = ask(patron, number, floor.code(number))
    assert answer.status_code == 200
    return answer.text


def one_spot(number: int) -> Sale:
    request = Request(((number,),), "1/1 @ 1.00")
    return Sale("M", request, (Tender(TenderKind.CURRENCY, 100),))


@pytest.mark.rule("X-ticket-names")
def test_a_patron_is_told_where_number_and_code_stand_on_the_ticket(patron: FlaskClient) -> None:
    where = "The number stands at the head of the ticket, the code at its foot."
    assert where in patron.get("/check").text
    *elements, last, _cut = laid_out(TICKET, WIDE)
    head = [each.text for each in elements[:4] if isinstance(each, Line)]
    assert TICKET.number in head
    assert isinstance(last, CodeDigits)


@pytest.mark.rule("X-not-decided")
def test_it_is_not_decided_until_every_game_is_certified(patron: FlaskClient, floor: Floor) -> None:
    wanda = floor.writing()
    for number in range(1, 13):
        floor.sell(wanda, one_spot(number))
    assert "Game M-1 is still open for play." in told(patron, floor)
    floor.lock()
    floor.draw()
    for step in ("drawn", "settled"):
        if step == "settled":
            settle_game(floor.office, "M", 1)
        assert floor.state(1) == step
        for number in range(1, 13):
            page = told(patron, floor, number)
            assert "Not yet decided" in page
            assert [words for words in NEVER_EARLY if words in page] == []
    certify_game(floor.office, floor.two_keys, "M", 1)
    assert floor.state(1) == "certified"
    with floor.office.database.reading() as connection:
        drawn = outcomes.outcome(connection, "M", 1)
    assert drawn is not None
    assert drawn.numbers is not None
    for number in range(1, 13):
        page = told(patron, floor, number)
        assert ("Won $3.00" in page, "No win" in page) == (
            number in drawn.numbers,
            number not in drawn.numbers,
        )


@pytest.mark.rule("X-not-decided", "15.4(d)-pay")
def test_a_ticket_of_many_games_has_its_games_listed_and_waits_for_the_last(
    patron: FlaskClient, floor: Floor
) -> None:
    sold(floor, every(games=3))
    floor.play()
    floor.play()
    page = told(patron, floor)
    assert "The ticket plays until game M-3." in page
    assert "Won so far: <b>$120.00</b>" in page
    assert page.count('class="ball"') == 40
    assert "No win" not in page
    floor.play()
    assert "Won $180.00" in told(patron, floor)


@pytest.mark.rule("X-pay-refusals", "15.6(c)")
def test_won_then_paid_and_each_told_with_its_time(patron: FlaskClient, floor: Floor) -> None:
    wanda = sold(floor)
    floor.sell(wanda, every())
    floor.play()
    assert "Won $60.00" in told(patron, floor)
    assert "Nov 16, 2027" in told(patron, floor)  # a year, as the card says
    pay(floor, wanda)
    page = told(patron, floor)
    assert "Paid $60.00" in page
    assert "It was paid on Nov 16, 2026, 12:" in page
    assert ("WANDA" in page, WANDA in page, "B1" in page) == (False, False, False)
    floor.pass_time(days=366)
    late = told(patron, floor, 2)
    assert "It won $60.00, which could be claimed until Nov 16, 2027" in late


@pytest.mark.rule("X-pay-refusals", "15.4(e)-void")
def test_a_void_ticket_a_void_game_and_a_refund_are_told(patron: FlaskClient, floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1)
    assert "The ticket was voided on Nov 16, 2026" in told(patron, floor)
    floor.sell(wanda)
    void_next(floor)
    assert "Money back: $1.00" in told(patron, floor, 2)
    refund(floor, wanda, 2)
    assert "its price went back" in told(patron, floor, 2)
    floor.sell(wanda, dollar(games=3))
    floor.play()
    refund(floor, wanda, 3)
    assert "Games after M-2 were cancelled." in told(patron, floor, 3)


@pytest.mark.rule("X-not-decided", "X-grade-twice")
def test_a_game_that_is_looked_into_is_not_decided(
    patron: FlaskClient, floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    page = told(patron, floor)
    assert "A game of this ticket is being looked into." in page
    assert [words for words in NEVER_EARLY if words in page] == []


@pytest.mark.rule("X-ticket-validation")
def test_whoever_has_no_code_learns_nothing(patron: FlaskClient, floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda)
    before = everything(floor)
    code = floor.code(1)
    tries = [(1, "1" * 25), (1, ""), (2, code), (3, code), (999_999_999_999_999, code), ("x", code)]
    pages = set()
    for place, (number, guess) in enumerate(tries):
        refused = ask(patron, number, guess, f"192.0.2.{place}")
        assert (refused.status_code, NONE_SUCH in refused.text) == (404, True)
        pages.add(refused.text)
    assert len(pages) == 1
    assert code not in told(patron, floor)
    assert everything(floor) == before  # it only reads


@pytest.mark.rule("X-ticket-validation")
def test_a_number_and_a_code_that_are_not_of_one_ticket_are_refused_alike(floor: Floor) -> None:
    floor.sell(floor.writing())
    for number, code in ((1, "1" * 25), (2, floor.code(1))):
        with refuses("ticket.none_such"):
            check_ticket(floor.office, number, code)


@pytest.mark.rule("X-ticket-validation")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_a_ticket_of_a_key_that_is_not_here_is_answered_as_one_that_was_never_sold(
    patron: FlaskClient, floor: Floor, caplog: pytest.LogCaptureFixture
) -> None:
    """After a new key was made and the old one not brought: the operator is told, nobody else."""
    floor.sell(floor.writing())
    keys = floor.office.keys
    floor.office.keys = replace(keys, validation={2: keys.validation[1]})
    sold, never = (ask(patron, number, "1" * 25) for number in (1, 2))
    assert (sold.status_code, sold.text) == (never.status_code, never.text)
    assert NONE_SUCH in sold.text
    assert [each.getMessage() for each in caplog.records] == ["ticket.key_not_here"]


@pytest.mark.rule("X-ticket-validation")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_a_number_that_was_never_sold_costs_the_same_work_as_one_that_was(
    patron: FlaskClient, floor: Floor
) -> None:
    floor.sell(floor.writing())
    made: list[int] = []

    def noted(keys: Keys, key: int, number: int, leaf: bytes) -> str:
        made.append(number)
        return validation_code(keys, key, number, leaf)

    with patch("app.flow.codes.validation_code", noted):
        for number in (1, 2, 999):
            ask(patron, number, "1" * 25)
    assert made == [1, 2, 999]


@pytest.mark.rule("X-ticket-barcode")
def test_a_ticket_is_scanned_or_typed_with_spaces_and_check_digit(
    patron: FlaskClient, floor: Floor
) -> None:
    floor.sell(floor.writing())
    code = floor.code(1)
    spaced = " ".join(code[place : place + 5] for place in range(0, 25, 5))
    for number, typed in (
        (scan_of(1, code), ""),
        ("1-3", spaced),
        (" 1 ", code),
        (scan_of(1, code), "left from before"),
    ):
        answer = ask(patron, number, typed)
        assert (answer.status_code, "Ticket 1-3" in answer.text) == (200, True)


@pytest.mark.rule("X-ticket-validation")
def test_guessing_is_slowed_down_and_a_ticket_in_hand_is_not(
    patron: FlaskClient, floor: Floor
) -> None:
    floor.sell(floor.writing())
    for _ in range(3):  # whoever has the paper may ask as often as they like
        told(patron, floor)
    for _ in range(TRIES):
        assert ask(patron, 1, "1" * 25).status_code == 404
    slowed = ask(patron, 1, "1" * 25)
    assert (slowed.status_code, "too many wrong tries from here" in slowed.text) == (429, True)
    # Nobody else behind that address is kept from their ticket, and nobody elsewhere is slowed.
    told(patron, floor)
    assert ask(patron, 1, "1" * 25, "192.0.2.7").status_code == 404
    # A number that was never sold is answered as one that was.
    assert ask(patron, 999, "1" * 25).text == slowed.text
    floor.moment[0] += ONE_IN
    assert ask(patron, 1, "1" * 25).status_code == 404


@pytest.mark.rule("X-ticket-validation")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_of_many_guesses_at_the_same_moment_no_more_are_answered_than_one_by_one(
    app: Flask, floor: Floor
) -> None:
    floor.sell(floor.writing())
    together = Barrier(14)

    def guess(_: int) -> int:
        together.wait()
        return ask(app.test_client(), 1, "1" * 25).status_code

    with ThreadPoolExecutor(together.parties) as hands:
        answers = [status for _ in range(5) for status in hands.map(guess, range(together.parties))]
    assert (answers.count(404), answers.count(429)) == (TRIES, 5 * together.parties - TRIES)


@pytest.mark.rule("X-ticket-validation")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_a_flood_of_guesses_is_not_even_looked_at(
    app: Flask, patron: FlaskClient, floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.extensions["looks"] = Throttle(20, timedelta(minutes=1))  # a smaller flood will do
    floor.sell(floor.writing())
    looked: list[int] = []

    def look(office: Office, number: int, code: str) -> dict[str, Any]:
        looked.append(number)
        return check_ticket(office, number, code)

    monkeypatch.setattr("app.web.check.check_ticket", look)
    for _ in range(3):
        told(patron, floor)
    for _ in range(30):
        ask(patron, 1, "1" * 25)
    assert len(looked) == 3 + 20
    floor.moment[0] += timedelta(minutes=1)
    told(patron, floor)


def test_a_throttle_remembers_few_addresses_and_fills_up_again() -> None:
    throttle = Throttle(2, timedelta(seconds=10), most=3)
    assert throttle.take("192.0.2.1", NOON)
    throttle.give_back("192.0.2.1", NOON)
    assert len(throttle) == 0
    assert [throttle.take("192.0.2.1", NOON) for _ in range(3)] == [True, True, False]
    # Two requests may have read the clock in another order than they come here.
    assert not throttle.take("192.0.2.1", NOON - timedelta(milliseconds=5))
    assert throttle.take("192.0.2.1", NOON + timedelta(seconds=10))
    before = NOON - timedelta(hours=1)  # the clock was set back: nobody waits for an hour
    assert not throttle.take("192.0.2.1", before)
    assert throttle.take("192.0.2.1", before + timedelta(seconds=10))
    for last in range(2, 50):
        assert throttle.take(f"192.0.2.{last}", NOON)
    assert len(throttle) == 3
    # Of an IPv6 network one guesser has every address.
    for guess in range(2):
        assert throttle.take(f"2001:db8::{guess}", NOON)
    assert not throttle.take("2001:db8::7", NOON)
    assert throttle.take("2001:db8:0:1::7", NOON)
    assert throttle.take("::ffff:192.0.2.60", NOON)
    assert throttle.take(None, NOON)
