"""Stage 3 of the flow: a request becomes a ticket, once (15.3, 15.4)."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from app.clock import time_text
from app.entropy import quick_pick
from app.flow.access import Credentials, sign_out
from app.flow.plays import Changes
from app.flow.schedule import change_schedule
from app.flow.sell import Sale
from app.flow.settle_act import settle_act
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.spoken import read_tender
from app.keno.tender import Tender, TenderKind
from app.store.queries.games import open_game
from tests.floor import ADA, RITA, SATELLITE, WALT, WANDA, Floor, dollar
from tests.looking import refuses, rows

pytestmark = pytest.mark.both_engines

CASH = (Tender(TenderKind.CURRENCY, 2_000),)


def codes(refused: pytest.ExceptionInfo[Refused]) -> list[str]:
    return [refusal.code for refusal in refused.value.refusals]


@pytest.mark.rule("15.4(c)", "X-ticket-gapless")
def test_tickets_are_numbered_in_the_order_in_which_they_are_sold(floor: Floor) -> None:
    wanda = floor.writing()
    numbers = [floor.sell(wanda)["number"] for _ in range(5)]
    assert numbers == [1, 2, 3, 4, 5]
    floor.check_books()


@pytest.mark.rule("15.4(c)", "15.3(b)")
def test_the_answer_has_price_change_game_and_card_and_no_code(floor: Floor) -> None:
    answer = floor.sell(floor.writing())
    assert (answer["price_cents"], answer["change_cents"]) == (100, 400)
    assert (answer["series"], answer["first_game"], answer["last_game"]) == ("M", 1, 1)
    assert floor.code(1) not in str(answer)


@pytest.mark.rule("15.2(c)6")
def test_a_multi_race_ticket_plays_consecutive_games_from_the_open_one(floor: Floor) -> None:
    wanda = floor.writing()
    answer = floor.sell(wanda, dollar(games=5))
    assert (answer["first_game"], answer["last_game"], answer["price_cents"]) == (1, 5, 500)
    floor.lock()
    floor.check_books()
    assert floor.sell(wanda)["first_game"] == 2


@pytest.mark.rule("15.6(c)", "15.2(c)6")
@pytest.mark.parametrize("games", [1, 2, 5])
def test_a_ticket_prints_a_claim_time_that_counts_from_its_last_game(
    floor: Floor, games: int
) -> None:
    """Every game of the series closes four minutes after the one before; a claim has a year."""
    change_schedule(floor.office, floor.sam, "M", 240)
    floor.play()
    expires = floor.sell(floor.writing(), dollar(games=games))["expires_at"]
    with floor.office.database.reading() as connection:
        game = open_game(connection, "M")
    assert game is not None
    assert game.closes_at is not None
    last_close = game.closes_at + (games - 1) * timedelta(seconds=240)
    assert expires == time_text(last_close + timedelta(minutes=525_600))


@pytest.mark.rule("15.1-quick-pick")
def test_a_quick_pick_gets_its_numbers_from_the_computer(floor: Floor) -> None:
    wanda = floor.writing()
    request = Request(groups=(), conditioning="1/8 @ 1.00", quick_pick=8)
    picks = [floor.sell(wanda, Sale("M", request, CASH))["numbers"][0] for _ in range(4)]
    assert all(len(set(pick)) == 8 and min(pick) >= 1 and max(pick) <= 80 for pick in picks)
    assert len({tuple(pick) for pick in picks}) > 1
    floor.check_books()


@pytest.mark.rule("15.1-quick-pick")
def test_every_number_is_as_likely_in_a_quick_pick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chi-squared over eighty numbers: 79 degrees of freedom, less than 150 but once in 400,000."""
    chosen, picks = Random(15), 4_000  # noqa: S311  always the same, so that a red run is a change
    monkeypatch.setattr("app.entropy.SystemRandom", lambda: chosen)
    found = Counter(number for _ in range(picks) for number in quick_pick(8))
    mean = picks * 8 / 80
    assert set(found) == set(range(1, 81))
    assert sum((found[number] - mean) ** 2 / mean for number in found) < 150


@pytest.mark.rule("X-ticket-replay")
def test_an_old_ticket_is_played_again_as_it_is_or_with_one_thing_changed(floor: Floor) -> None:
    wanda = floor.writing()
    request = Request(
        groups=((1, 2, 3, 4), (5, 6, 7, 8), (9,)),
        conditioning="2/4 2/5 A+C B+C @ 1.00",
    )
    first = floor.sell(wanda, Sale("M", request, CASH))
    again = floor.sell(wanda, Sale("M", Changes(), CASH, replay_of=first["number"]))
    longer = floor.sell(wanda, Sale("M", Changes(games=3), CASH, replay_of=again["number"]))
    assert again["conditioning"] == first["conditioning"]
    assert again["numbers"] == first["numbers"]
    assert longer["price_cents"] == 3 * first["price_cents"]
    floor.check_books()


@pytest.mark.rule("X-ticket-replay")
def test_a_ticket_that_never_was_cannot_be_played_again(floor: Floor) -> None:
    with pytest.raises(Refused) as refused:
        floor.sell(floor.writing(), Sale("M", Changes(), CASH, replay_of=77))
    assert codes(refused) == ["ticket.unknown"]


# ---- once ----------------------------------------------------------------------------------------


@pytest.mark.rule("X-ticket-exactly-once")
def test_the_same_request_id_again_is_the_same_ticket(floor: Floor) -> None:
    wanda = floor.writing()
    first = floor.sell(wanda, request="double-click")
    assert floor.sell(wanda, request="double-click") == first
    assert floor.sell(wanda)["number"] == 2
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_the_same_request_id_for_something_else_is_refused(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, request="double-click")
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, dollar(games=2), request="double-click")
    assert codes(refused) == ["request_id.other_content"]
    floor.check_books()


@pytest.mark.both_engines
@pytest.mark.rule("X-ticket-exactly-once", "X-access")
def test_an_answer_is_for_the_person_who_asked_and_for_no_one_else_at_the_station(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    first = floor.sell(wanda, request="double-click")
    walt = floor.signed_in(WALT)
    with refuses("request_id.other_person"):
        floor.sell(walt, request="double-click")
    with refuses("request_id.other_person"):
        floor.void(walt, 1, request="double-click")
    assert settle_act(floor.office, walt, "double-click") == {"done": True, "answer": None}
    # Who signs in again is the same person.
    sign_out(floor.office, wanda)
    again = floor.signed_in(WANDA)
    assert floor.sell(again, request="double-click") == first
    assert settle_act(floor.office, again, "double-click") == {"done": True, "answer": first}
    # What another person had settled is never done, for whoever asks.
    assert not settle_act(floor.office, walt, "on-its-way")["done"]
    with refuses("request_id.other_content"):
        floor.sell(again, request="on-its-way")
    assert rows(floor, "SELECT count(*) FROM ticket") == [(1,)]
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_two_stations_may_use_the_same_request_id(floor: Floor) -> None:
    one, other = floor.writing(), floor.writing(WALT, "B2")
    assert floor.sell(one, request="one-and-the-same")["number"] == 1
    assert floor.sell(other, request="one-and-the-same")["number"] == 2


@pytest.mark.parametrize("request_id", ["short", "x" * 41, "with space", "ünïcode-id", ""])
def test_a_request_id_that_is_none_is_refused(floor: Floor, request_id: str) -> None:
    wanda = floor.writing()
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, request=request_id or " ")
    assert codes(refused) == ["request_id.malformed"]


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.rule("15.3(a)", "X-no-offline")
def test_nothing_is_sold_at_a_station_that_is_not_enrolled(floor: Floor) -> None:
    wanda = floor.writing()
    for station in (None, "", "made up"):
        with pytest.raises(Refused) as refused:
            floor.sell(Credentials(station, wanda.token))
        assert codes(refused) == ["station.not_enrolled"]


@pytest.mark.rule("X-access")
def test_nothing_is_sold_by_somebody_who_is_not_signed_in_here(floor: Floor) -> None:
    wanda = floor.writing()
    for token in (None, "made up"):
        with pytest.raises(Refused) as refused:
            floor.sell(Credentials(wanda.station, token))
        assert codes(refused) == ["staff.not_signed_in"]
    with pytest.raises(Refused) as refused:
        floor.sell(Credentials(floor.station("B2"), wanda.token))
    assert codes(refused) == ["staff.not_signed_in"]


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", [ADA, RITA])
def test_only_writers_and_supervisors_sell(floor: Floor, name: str) -> None:
    credentials = floor.signed_in(name)
    with pytest.raises(Refused) as refused:
        floor.sell(credentials)
    assert codes(refused) == ["staff.not_permitted"]


@pytest.mark.rule("X-drawer")
def test_nothing_is_sold_without_an_open_drawer(floor: Floor) -> None:
    with pytest.raises(Refused) as refused:
        floor.sell(floor.signed_in(WANDA))
    assert codes(refused) == ["drawer.not_open"]


@pytest.mark.rule("15.4(a)")
def test_every_fault_of_a_request_is_told_at_once_and_nothing_is_sold(floor: Floor) -> None:
    wanda = floor.writing()
    request = Request(groups=((1, 2), (2, 99)), conditioning="1/4 @ 1.03")
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, Sale("M", request, CASH))
    assert codes(refused) == ["group.off_the_ticket", "group.overlap", "rate.off_step"]
    assert floor.sell(wanda)["number"] == 1
    floor.check_books()


@pytest.mark.rule("15.3(b)", "15.4(c)")
@pytest.mark.parametrize(
    ("tender", "code"),
    [
        ((Tender(TenderKind.CURRENCY, 99),), "tender.too_little"),
        ((Tender(TenderKind.COUPON, 200, "C1"),), "tender.coupon_too_large"),
        ((Tender(TenderKind.COUPON, 100),), "tender.serial_missing"),
        ((Tender(TenderKind.COUPON, 50, "C1"),) * 2, "tender.coupon_twice"),
        ((Tender(TenderKind.CHIPS, 100, "C1"),), "tender.serial_not_coupon"),
        ((), "tender.too_little"),
    ],
)
def test_a_tender_that_does_not_cover_the_price_as_it_must_is_refused(
    floor: Floor, tender: tuple[Tender, ...], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        floor.sell(floor.writing(), replace(dollar(), tender=tender))
    assert codes(refused) == [code]
    floor.check_books()


@pytest.mark.rule("15.3(b)")
def test_a_coupon_is_spent_once(floor: Floor) -> None:
    wanda = floor.writing()
    with_coupon = replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, "C1"),))
    floor.sell(wanda, with_coupon)
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, with_coupon)
    assert codes(refused) == ["coupon.spent"]
    assert floor.sell(wanda)["number"] == 2
    floor.check_books()


@pytest.mark.rule("15.3(b)")
def test_a_coupon_that_is_typed_in_another_way_is_still_spent(floor: Floor) -> None:
    wanda = floor.writing()
    typed, _ = read_tender("coupon:c-1=1")
    floor.sell(wanda, replace(dollar(), tender=typed))
    typed, _ = read_tender("coupon:C-1=1")
    assert typed[0].serial == "C1"
    ways = ["c1", "C 1", "C\u20131", "\u2010c-\u00a01-", "\uff23\uff11", "CI", "cl", "C\u200b1"]
    for tender in (typed, *((Tender(TenderKind.COUPON, 100, serial),) for serial in ways)):
        with pytest.raises(Refused) as refused:
            floor.sell(wanda, replace(dollar(), tender=tender))
        assert codes(refused) == ["coupon.spent"]
    both = tuple(Tender(TenderKind.COUPON, 50, serial) for serial in ("D-0", "do"))
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, replace(dollar(), tender=both))
    assert codes(refused) == ["tender.coupon_twice"]
    for serial in ("", "-- ", "C_1", "\u0421-1", "X" * 41):  # of these one is of another alphabet
        with pytest.raises(Refused) as refused:
            floor.sell(wanda, replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, serial),)))
        assert codes(refused) == ["tender.serial_missing"]
    floor.void(wanda, 1)
    floor.sell(wanda, replace(dollar(), tender=(Tender(TenderKind.COUPON, 100, "c1"),)))
    assert rows(floor, "SELECT serial, ticket FROM coupon") == [("C1", 2)]
    floor.check_books()


@pytest.mark.rule("15.5(b)")
def test_a_location_sells_for_its_own_series_only(floor: Floor) -> None:
    wanda = floor.writing(station=SATELLITE)
    assert floor.sell(wanda, dollar("F"))["first_game"] == 100
    for series, code in (("M", "series.not_sold_here"), ("X", "series.unknown")):
        with pytest.raises(Refused) as refused:
            floor.sell(wanda, dollar(series))
        assert codes(refused) == [code]


@pytest.mark.rule("15.3(c)", "X-lock-server")
def test_a_sale_that_names_a_locked_game_is_told_the_next_one(floor: Floor) -> None:
    wanda = floor.writing()
    floor.lock()
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, replace(dollar(), first_game=1))
    assert refused.value.refusals[0].message == "Game M-1 is locked; the next one is M-2."
    with pytest.raises(Refused) as refused:
        floor.sell(wanda, replace(dollar(), first_game=3))
    assert codes(refused) == ["game.not_open_yet"]
    assert floor.sell(wanda, replace(dollar(), first_game=2))["first_game"] == 2
    floor.check_books()
