"""What a ticket is and how it stands, for whoever may know (X-not-decided)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from app.flow.access import Credentials
from app.flow.look_up import look_up
from app.flow.plays import Changes
from app.flow.sell import Sale
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import ADA, FIRST_STATION, MAX, RITA, SAM, SECOND_STATION, WALT, Floor, dollar
from tests.looking import everything, refuses, write

CASH = (Tender(TenderKind.CURRENCY, 2_000),)


def standing(floor: Floor, credentials: Credentials, number: int = 1) -> str:
    found: str = look_up(floor.office, credentials, number)["standing"]
    return found


@pytest.mark.rule("X-ticket-barcode")
def test_a_ticket_is_shown_as_it_was_sold(floor: Floor) -> None:
    wanda = floor.writing()
    request = Request(
        groups=((1, 2, 3, 4), (5, 6, 7, 8), (9,)), conditioning="2/4 2/5 A+C B+C @ 1.00", games=2
    )
    sold = floor.sell(wanda, Sale("M", request, CASH))
    floor.sell(wanda, Sale("M", Changes(games=1), CASH, replay_of=1))
    found = look_up(floor.office, wanda, 1)
    assert {name: found[name] for name in ("number", "printed_number", "series", "rate_card")} == {
        name: sold[name] for name in ("number", "printed_number", "series", "rate_card")
    }
    assert (found["first_game"], found["last_game"], found["type"]) == (1, 2, "king")
    assert found["groups"] == [[1, 2, 3, 4], [5, 6, 7, 8], [9]]
    assert [(line["ways"], line["spots"]) for line in found["lines"]] == [(2, 4), (2, 5)]
    assert (found["price_per_game_cents"], found["price_cents"]) == (400, 800)
    assert (found["station"], found["writer"], found["source"]) == ("B1", "WANDA", "request")
    assert found["sold_at"].startswith("2026-11-16T17:00:")
    again = look_up(floor.office, wanda, 2)
    assert (again["source"], again["replay_of"]) == ("ticket", 1)


@pytest.mark.rule("X-ticket-validation")
def test_the_code_is_never_shown(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    found = look_up(floor.office, wanda, 1)
    assert found["code"] == "*" * 25
    assert floor.code(1)[2:] not in repr(found)


@pytest.mark.rule("X-not-decided")
def test_a_ticket_stands_open_then_in_play_then_not_decided(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=2))
    assert standing(floor, wanda) == "open"
    floor.lock()
    assert standing(floor, wanda) == "in-play"
    assert "M-2" in look_up(floor.office, wanda, 1)["explanation"]
    floor.lock()
    assert standing(floor, wanda) == "not-decided"


@pytest.mark.rule("X-not-decided")
def test_a_ticket_for_one_game_is_not_decided_from_the_lock_on(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock("F")
    assert standing(floor, wanda) == "open"
    floor.lock("M")
    assert standing(floor, wanda) == "not-decided"


@pytest.mark.rule("X-not-decided")
def test_a_ticket_whose_last_game_is_not_open_yet_is_in_play(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=5))
    floor.lock()
    assert standing(floor, wanda) == "in-play"


@pytest.mark.rule("X-not-decided")
@pytest.mark.parametrize("state", ["drawn", "settled", "frozen"])
def test_nothing_but_a_certificate_makes_a_ticket_decided(floor: Floor, state: str) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.lock()
    write(floor, f"UPDATE game SET state = '{state}' WHERE series = 'M' AND number = 1")  # noqa: S608
    found = look_up(floor.office, wanda, 1)
    told = {"frozen": ("frozen", "Not yet decided: game M-1 is being looked into.")}
    expected = told.get(state, ("not-decided", "Not yet decided."))
    assert (found["standing"], found["explanation"]) == expected


@pytest.mark.rule("15.4(e)-void")
def test_a_void_ticket_stands_void_also_after_the_lock(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=2))
    floor.void(wanda, 1)
    for act in (lambda: None, floor.lock, floor.lock):
        act()
        assert standing(floor, wanda) == "void"
    assert look_up(floor.office, wanda, 1)["explanation"].startswith(
        "Voided at Nov 16, 2026, 12:00:"
    )


@pytest.mark.rule("15.6(a)")
def test_any_station_sees_the_tickets_of_all(floor: Floor) -> None:
    floor.sell(floor.writing())
    assert standing(floor, floor.signed_in(WALT, SECOND_STATION)) == "open"


def test_looking_up_needs_no_drawer_and_changes_nothing(floor: Floor) -> None:
    floor.sell(floor.writing())
    walt = floor.signed_in(WALT, SECOND_STATION)
    before = everything(floor)
    look_up(floor.office, walt, 1)
    assert everything(floor) == before


@pytest.mark.rule("X-pay-refusals")
def test_a_ticket_that_is_not_there_is_refused(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    for number in (0, 2, -1, 10**14):
        with refuses("ticket.unknown"):
            look_up(floor.office, wanda, number)


@pytest.mark.rule("X-access")
def test_who_may_look_and_who_may_not(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    for name in (SAM, MAX, RITA):
        assert standing(floor, floor.signed_in(name, FIRST_STATION)) == "open"
    refused: list[tuple[Callable[[], Credentials], str]] = [
        (lambda: floor.signed_in(ADA), "staff.not_permitted"),
        (lambda: replace(wanda, token="made up"), "staff.not_signed_in"),  # noqa: S106
        (lambda: replace(wanda, station=None), "station.not_enrolled"),
    ]
    for credentials, code in refused:
        given = credentials()
        with refuses(code):
            look_up(floor.office, given, 1)
