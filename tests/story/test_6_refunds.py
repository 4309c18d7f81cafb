"""Money back for games that are not played (15.4(d)-refund, X-fault-refund)."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from app.flow import refund as refunding
from app.flow.access import Approval
from app.flow.look_up import look_up
from app.flow.override import override_close
from app.flow.refund import Refunding, refund_ticket
from app.keno.tender import Tender, TenderKind
from tests.floor import SAM, SECOND_STATION, SUE, WALT, Floor, dollar, secret_of
from tests.flow.races import MakePause, in_turn, pause
from tests.looking import bodies, postings, refuses, rows
from tests.story.refunds import refund, void_next

__all__ = ["pause"]  # the fixture

FIVE = dollar(games=5)
ON_POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)


@pytest.mark.rule("15.4(d)-refund")
def test_the_rest_of_a_multi_race_ticket_is_cancelled_and_its_price_goes_back(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    floor.sell(wanda, FIVE)
    floor.play()
    floor.play()
    answer = refund(floor, wanda)
    assert (answer["cancelled_from"], answer["back_cents"], answer["coupon_cents"]) == (3, 300, 0)
    assert postings(floor, "CANCEL") == [("drawer", "currency", -300), ("prepaid", None, 300)]
    (body,) = bodies(floor, "CANCEL")
    assert (body["ticket"], body["first_cancelled"]) == (1, 3)
    assert rows(floor, "SELECT slip FROM print_job ORDER BY id")[-1] == ("refund",)
    found = look_up(floor.office, wanda, 1)
    assert found["plays_until"] == 2
    assert found["standing"] in {"win", "no-win"}
    assert found["explanation"].endswith("Games from M-3 on were cancelled.")
    floor.check_books()
    floor.play()
    assert bodies(floor, "LOCK")[-1]["tickets"] == 0
    floor.check_books()


@pytest.mark.rule("15.4(d)-refund", "15.3(c)")
def test_a_game_that_is_locked_stays_in_play(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, FIVE)
    floor.lock()
    answer = refund(floor, wanda)
    assert (answer["cancelled_from"], answer["back_cents"]) == (2, 400)
    assert look_up(floor.office, wanda, 1)["standing"] == "not-decided"
    floor.draw()
    floor.grade(1)
    assert look_up(floor.office, wanda, 1)["standing"] in {"win", "no-win"}
    floor.check_books()


@pytest.mark.rule("15.4(e)-void", "15.4(d)-refund")
def test_a_ticket_of_which_nothing_is_played_is_voided_and_not_refunded(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, FIVE)
    with refuses("ticket.void_instead"):
        refund(floor, wanda)
    floor.void(wanda, 1)
    with refuses("ticket.already_void"):
        refund(floor, wanda)


@pytest.mark.rule("15.4(d)-refund")
def test_what_is_over_or_cancelled_is_not_refunded_again(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda, FIVE)
    floor.play()
    with refuses("ticket.nothing_to_refund"):
        refund(floor, wanda, 1)
    with refuses("ticket.nothing_to_refund"):
        refund(floor, wanda, 2, cancel=False)
    refund(floor, wanda, 2)
    with refuses("ticket.nothing_to_refund"):
        refund(floor, wanda, 2)
    with refuses("ticket.unknown"):
        refund(floor, wanda, 3, code="0" * 25)


@pytest.mark.rule("X-fault-refund")
def test_a_void_game_gives_its_price_back_once(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, dollar(games=2))
    void_next(floor)
    floor.check_books()
    found = look_up(floor.office, wanda, 1)
    assert (found["standing"], found["refund_due_cents"]) == ("in-play", 100)
    answer = refund(floor, wanda, cancel=False)
    assert (answer["void_games"], answer["back_cents"], answer["cancelled_from"]) == (
        [1],
        100,
        None,
    )
    floor.check_books()
    floor.play()
    with refuses("ticket.nothing_to_refund"):
        refund(floor, wanda)
    assert look_up(floor.office, wanda, 1)["refund_due_cents"] == 0
    floor.check_books()


@pytest.mark.rule("X-fault-refund")
def test_a_ticket_whose_only_game_is_void_stands_as_a_refund(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    void_next(floor)
    found = look_up(floor.office, wanda, 1)
    assert (found["standing"], found["refund_due_cents"]) == ("refund", 100)
    refund(floor, wanda)
    assert look_up(floor.office, wanda, 1)["standing"] == "refunded"
    floor.check_books()


@pytest.mark.rule("15.4(d)-refund", "15.3(b)")
def test_coupons_count_as_spent_on_the_earliest_games(floor: Floor) -> None:
    wanda = floor.writing()
    paid = (Tender(TenderKind.COUPON, 250, "C1"), Tender(TenderKind.CURRENCY, 250))
    floor.sell(wanda, replace(FIVE, tender=paid))
    floor.play()
    answer = refund(floor, wanda)
    assert (answer["back_cents"], answer["coupon_cents"]) == (250, 150)
    floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_refund_that_is_asked_for_again_is_the_same_refund(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, FIVE)
    floor.play()
    first = refund(floor, wanda, request="pressed-twice")
    assert refund(floor, wanda, request="pressed-twice") == first
    assert rows(floor, "SELECT count(*) FROM cancellation") == [(1,)]
    floor.check_books()


@pytest.mark.rule("X-ticket-validation", "X-access")
def test_a_refund_needs_the_code_from_the_paper_or_a_supervisor(floor: Floor) -> None:
    wanda, office = floor.writing(), floor.office
    floor.sell(wanda, FIVE)
    floor.play()
    with refuses("ticket.wrong_code"):
        refund(floor, wanda, code="0" * 25)
    assert bodies(floor, "REFUSED")[-1]["code"] == "ticket.wrong_code"
    without = Refunding(1, "torn")
    with refuses("approval.needed"):
        refund_ticket(office, wanda, without, floor.request_id())
    with refuses("reason.missing"):
        refund_ticket(office, wanda, replace(without, reason=" "), floor.request_id())
    with refuses("staff.not_permitted"):
        walt = Approval(WALT, secret_of(WALT))
        refund_ticket(office, wanda, replace(without, approval=walt), floor.request_id())
    sue = floor.writing(SUE, "B2")
    own = replace(without, approval=Approval(SUE, secret_of(SUE)))
    with refuses("approval.same_person"):
        refund_ticket(office, sue, own, floor.request_id())
    approved = replace(without, approval=Approval(SAM, secret_of(SAM)))
    assert refund_ticket(office, sue, approved, floor.request_id())["back_cents"] == 400
    assert bodies(floor, "CANCEL")[-1]["approver"] == "SAM"
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_a_refund_needs_an_open_drawer(floor: Floor) -> None:
    floor.sell(floor.writing(), FIVE)
    floor.play()
    walt = floor.signed_in(WALT, "B2")
    with refuses("drawer.not_open"):
        refund(floor, walt)


# ---- twice, and with coupons ---------------------------------------------------------------------


@pytest.mark.rule("15.4(d)-refund")
def test_what_was_cancelled_once_is_not_cancelled_again_if_its_game_is_postponed(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    floor.sell(wanda, FIVE)
    floor.play()
    soon = floor.moment[0] + timedelta(seconds=5)
    override_close(floor.office, floor.sam, "M", 2, soon, "early")
    floor.pass_time(seconds=6)
    assert refund(floor, wanda)["cancelled_from"] == 3
    later = floor.moment[0] + timedelta(minutes=5)
    override_close(floor.office, floor.sam, "M", 2, later, "late after all")
    with refuses("ticket.nothing_to_refund"):
        refund(floor, wanda)
    floor.check_books()


@ON_POSTGRESQL  # on SQLite there is one writer at a time
@pytest.mark.rule("15.4(d)-refund", "X-fault-refund")
@pytest.mark.parametrize("cancel", [True, False])
def test_of_two_stations_that_refund_a_ticket_at_once_the_second_is_told_that_it_was_done(
    floor: Floor, pause: MakePause, cancel: bool
) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda, dollar(games=3))
    if cancel:
        floor.play()
    else:
        void_next(floor)
    before = pause(refunding, "_due")
    first, second = in_turn(
        floor,
        before,
        partial(refund, floor, wanda, cancel=cancel),
        partial(refund, floor, walt, cancel=cancel),
    )
    assert isinstance(first, dict)
    assert second == "ticket.nothing_to_refund"
    floor.check_books()


@pytest.mark.rule("X-fault-refund", "15.3(b)")
def test_if_no_game_of_a_ticket_was_played_its_coupon_can_be_used_again(floor: Floor) -> None:
    wanda = floor.writing()
    coupon = (Tender(TenderKind.COUPON, 60, "C1"), Tender(TenderKind.CURRENCY, 40))
    floor.sell(wanda, replace(dollar(), tender=coupon))
    void_next(floor)
    found = look_up(floor.office, wanda, 1)
    assert (found["standing"], found["refund_due_cents"]) == ("refund", 40)
    back = refund(floor, wanda)
    assert (back["back_cents"], back["coupon_cents"], back["coupons_back"]) == (40, 60, ["C1"])
    found = look_up(floor.office, wanda, 1)
    assert found["explanation"] == "No game of it was played; its price went back."
    floor.sell(wanda, replace(dollar(), tender=coupon))
    floor.check_books()


@pytest.mark.rule("X-fault-refund")
def test_a_coupon_that_was_partly_played_for_stays_spent(floor: Floor) -> None:
    wanda = floor.writing()
    coupon = (Tender(TenderKind.COUPON, 150, "C1"), Tender(TenderKind.CURRENCY, 50))
    floor.sell(wanda, replace(dollar(games=2), tender=coupon))
    floor.play()
    void_next(floor)
    back = refund(floor, wanda)
    assert (back["back_cents"], back["coupon_cents"], back["coupons_back"]) == (50, 50, [])
    with refuses("coupon.spent"):
        floor.sell(wanda, replace(dollar(games=2), tender=coupon))
    floor.check_books()
