"""Stopping a sale is one supervisor's act, from the next sale on; to sell again takes two."""

from datetime import timedelta

import pytest

from app.flow.access import Credentials
from app.flow.alarms import AlarmId
from app.flow.desk import desk
from app.flow.plays import Changes
from app.flow.quote import quote_request
from app.flow.rate_cards import put_in_force
from app.flow.see_alarms import see_alarms
from app.flow.sell import Sale
from app.flow.stop_sales import Thing, resume_sale, stop_sale
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import MAX, SATELLITE, SUE, WALT, Floor, dollar
from tests.flow.rate_cards import accepted, at
from tests.looking import bodies, refuses, rows

CASH = (Tender(TenderKind.CURRENCY, 300),)
FOURS = Thing(schedule="regular", spots=4)


def eights() -> Sale:
    return Sale("M", Request(((1, 2, 3, 4, 5, 6, 7, 8),), "1/8 @ 1.00"), CASH)


def bits() -> Sale:
    return Sale("M", Request(((1, 2, 3, 4), (5, 6, 7, 8)), "2/4 @ .35 twobits", games=3), CASH)


def stopped(floor: Floor, credentials: Credentials) -> object:
    return desk(floor.office, credentials)["stopped"]


@pytest.mark.rule("X-sale-stop", "X-audit-log")
def test_one_supervisor_stops_a_spot_count_from_the_next_sale_on(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=3))
    stop_sale(floor.office, floor.sam, FOURS, "it pays too much")
    request = dollar().request
    assert isinstance(request, Request)
    with pytest.raises(Refused, match="4-spot ways on regular are not sold now: it pays"):
        floor.sell(wanda)
    with refuses("spots.stopped"):  # nor is it played again
        floor.sell(wanda, Sale("M", Changes(), CASH, replay_of=1))
    with refuses("spots.stopped"):
        quote_request(floor.office, wanda, request)
    floor.sell(wanda, eights())
    floor.sell(wanda, bits())  # four spots of another schedule
    body = bodies(floor, "SALE-STOPPED")[-1]
    assert (body["schedule"], body["spots"], body["by"]["staff"]) == ("regular", 4, "SAM")
    assert stopped(floor, wanda) == [{"what": "regular, 4 spots", "why": "it pays too much"}]
    assert floor.play() == 1  # what was sold plays on, and so does the house
    floor.check_books()


@pytest.mark.rule("X-sale-stop", "X-access")
def test_a_schedule_is_sold_again_by_a_supervisor_with_a_manager_outside_keno(
    floor: Floor,
) -> None:
    wanda, thing = floor.writing(), Thing(schedule="twobits")
    stop_sale(floor.office, floor.sam, thing, "a mistake")
    with refuses("schedule.stopped"):
        floor.sell(wanda, bits())
    with refuses("stop.already_stopped"):
        stop_sale(floor.office, at(floor, SUE), thing, "a mistake")
    with refuses("amount.two_sides"):
        resume_sale(floor.office, floor.sam, at(floor, SUE), thing, "none")
    resume_sale(floor.office, floor.sam, at(floor, MAX), thing, "it was none")
    floor.sell(wanda, bits())
    with refuses("stop.not_stopped"):
        resume_sale(floor.office, floor.sam, at(floor, MAX), thing, "it was none")
    body = bodies(floor, "SALE-RESUMED")[-1]
    assert (body["schedule"], body["supervisor"], body["manager"]) == ("twobits", "SAM", "MAX")
    floor.check_books()


@pytest.mark.rule("X-sale-stop")
def test_a_series_is_stopped_and_another_one_is_not(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SATELLITE)
    stop_sale(floor.office, floor.sam, Thing(series="M"), "the board is dark")
    with refuses("series.stopped"):
        floor.sell(wanda)
    floor.sell(wanda, dollar("F"))
    floor.sell(walt, dollar("F"))
    floor.check_books()


@pytest.mark.rule("X-sale-stop")
def test_nothing_is_stopped_that_is_not_sold_or_without_a_reason(floor: Floor) -> None:
    for thing in (
        Thing(),
        Thing(series="X"),
        Thing(series="M", spots=4),
        Thing(schedule="halves"),
        Thing(schedule="regular", spots=13),
    ):
        with refuses("stop.unknown"):
            stop_sale(floor.office, floor.sam, thing, "a reason")
    with refuses("reason.missing"):
        stop_sale(floor.office, floor.sam, FOURS, " ")
    with refuses("staff.not_permitted"):
        stop_sale(floor.office, at(floor, MAX), FOURS, "a reason")
    assert rows(floor, "SELECT count(*) FROM sale_stop") == [(0,)]


@pytest.mark.rule("8.3")
def test_a_card_that_is_to_come_is_an_alarm_until_it_holds(floor: Floor) -> None:
    put_in_force(floor.office, floor.sam, accepted(floor), floor.moment[0] + timedelta(days=2))
    (alarm,) = [each for each in see_alarms(floor.office) if each.id is AlarmId.CARD_COMING]
    assert alarm.what == "Rate card 'Second card' takes effect at 2026-11-18 12:00."
    floor.pass_time(minutes=2 * 1_440)
    assert AlarmId.CARD_COMING not in {each.id for each in see_alarms(floor.office)}
