"""Tickets whose code cannot be read, or that are lost: who is paid, on whose word (15.6)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.flow.access import Approval, Credentials
from app.flow.alarms import AlarmId, decide
from app.flow.asking import Answer
from app.flow.close_day import close_day
from app.flow.facts import read_facts
from app.flow.look_up import look_up, look_up_with_code
from app.flow.lost_ticket import Loss, LostPayment, pay_lost, report_lost
from app.flow.patron import Patron, open_patron
from app.flow.pay import Check
from app.flow.present import present_ticket
from app.flow.refund import Refunding, refund_ticket
from app.flow.reprint import Again, reprint
from app.flow.unclaimed import unclaimed_wins
from app.keno.payment import Shown, shown_takes_manager
from app.store.tables import Role
from tests.floor import MAX, SAM, SECOND_STATION, SUE, WALT, WANDA, Floor, secret_of
from tests.flow.access import somebody
from tests.looking import bodies, postings, refuses, rows
from tests.story.cheats import two_days_to_claim
from tests.story.days import TODAY, closed_drawer
from tests.story.paper import spool_all
from tests.story.paying import (
    MAX_APPROVES,
    RICH,
    SAM_APPROVES,
    WON,
    every,
    pay,
    sold,
    torn,
    winning,
)
from tests.story.refunds import void_next

PAT = Patron("Pat Patron", "licence 12-345")


@pytest.mark.rule("15.4(c)12", "X-pay-without-code")
def test_a_writer_with_a_supervisor_s_secret_pays_no_win_of_which_there_is_no_paper(
    floor: Floor, tmp_path: Path
) -> None:
    """They took the number from the list of wins that nobody came for."""
    wanda = sold(floor)
    floor.play()
    with refuses("staff.not_permitted"):
        unclaimed_wins(floor.office, wanda)
    unclaimed_wins(floor.office, floor.signed_in(SAM, SECOND_STATION))
    without: dict[str, Any] = {"code": None, "reason": "torn", "approval": SAM_APPROVES}
    with refuses("payment.identity_needed"):
        pay(floor, wanda, **without)
    floor.pass_time(hours=2)
    with refuses("approval.manager_needed"):
        pay(floor, wanda, **without, patron=PAT)
    # Nor of a copy, which they make now that it has won.
    spool_all(floor, floor.printer_at("B1", f"file:{tmp_path / 'roll'}"))
    again = Again("torn", ticket=1, approval=SAM_APPROVES)
    reprint(floor.office, wanda, again, floor.request_id())
    with refuses("approval.manager_needed"):
        pay(floor, wanda, approval=SAM_APPROVES)
    assert rows(floor, "SELECT 1 FROM payout") == []
    # Nobody brought a paper: or a ticket could be kept from expiring that nobody has.
    assert [body["why"] for body in bodies(floor, "PRESENTED")] == ["approval.manager_needed"]
    floor.check_books()


# ---- mutilated -----------------------------------------------------------------------------------


@pytest.mark.rule("X-pay-without-code", "15.6(b)")
def test_of_a_mutilated_ticket_eight_digits_at_their_places_are_enough_for_a_supervisor(
    floor: Floor,
) -> None:
    wanda = sold(floor)
    floor.play()
    code = torn(floor.code(1), 8)
    shown = present_ticket(floor.office, wanda, 1, code)
    assert (shown["pay_cents"], [need["code"] for need in shown["needs"]]) == (
        WON,
        ["approval.needed"],
    )
    with refuses("reason.missing"):
        pay(floor, wanda, code=code, approval=SAM_APPROVES)
    with refuses("approval.needed"):
        pay(floor, wanda, code=code, reason="torn")
    paid = pay(floor, wanda, code=code, reason="torn", approval=SAM_APPROVES)
    assert paid["pay_cents"] == WON
    (body,) = bodies(floor, "PAID")
    places = "?" * 17 + "X" * 8
    assert body["shown"] == {"how": "digits", "digits": 8, "places": places}
    assert (body["with_code"], body["approver"], body["manager"]) == (False, "SAM", None)
    assert floor.code(1)[-8:] not in str(rows(floor, "SELECT body FROM log_entry"))
    (alarm,) = [
        each for each in decide(read_facts(floor.office)) if each.id is AlarmId.PAID_WITHOUT_CODE
    ]
    assert alarm.what == (
        "Ticket 1-3 was paid $60.00 with only a part of its code, at B1 by WANDA, approved by SAM."
    )
    floor.check_books()


@pytest.mark.rule("X-pay-without-code", "15.6(b)")
def test_from_the_approval_amount_on_a_mutilated_ticket_takes_the_outside_manager_too(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 150_000)
    code = torn(floor.code(1))
    with refuses("approval.manager_needed"):
        pay(floor, wanda, code=code, reason="wet", approval=SAM_APPROVES)
    pay(floor, wanda, code=code, reason="wet", approval=SAM_APPROVES, manager=MAX_APPROVES)
    assert shown_takes_manager(Shown.DIGITS, 149_999, 150_000) is False
    assert shown_takes_manager(Shown.CODE, 150_000, 150_000) is False


@pytest.mark.rule("X-pay-without-code", "X-ticket-validation")
@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("?" * 18 + "1" * 7, "ticket.code_unreadable"),
        ("?" * 10 + "1" * 14, "ticket.code_places"),
        ("?" * 10 + "1" * 16, "ticket.code_places"),
        ("?" * 10 + "x" * 15, "ticket.code_places"),
        ("?" * 10 + "\u0661" * 15, "ticket.code_places"),
    ],
)
def test_a_part_of_a_code_has_a_digit_or_a_question_mark_at_each_place_and_enough_digits(
    floor: Floor, typed: str, code: str
) -> None:
    with refuses(code):
        present_ticket(floor.office, sold(floor), 1, typed)


@pytest.mark.rule("X-pay-without-code", "X-ticket-validation")
def test_whoever_guesses_at_the_digits_of_a_ticket_is_logged_and_slowed(floor: Floor) -> None:
    """At whichever station, for presenting, looking up or paying it."""
    wanda = sold(floor)
    floor.play()
    right = torn(floor.code(1))
    wrong = right[:-1] + str((int(right[-1]) + 1) % 10)
    present_ticket(floor.office, wanda, 1, right)  # right ones are not counted
    walt = floor.signed_in(WALT, SECOND_STATION)
    for _ in range(2):
        with refuses("ticket.wrong_code"):
            present_ticket(floor.office, wanda, 1, wrong)
        with refuses("ticket.wrong_code"):
            look_up_with_code(floor.office, walt, 1, wrong)
    with refuses("ticket.wrong_code"):
        pay(floor, wanda, code=wrong, reason="torn", approval=SAM_APPROVES)
    with refuses("ticket.code_tries"):
        present_ticket(floor.office, wanda, 1, right)
    told = [body["facts"] for body in bodies(floor, "REFUSED")]
    assert told[:2] == [
        {"ticket": 1, "station": "B1", "staff": "WANDA", "digits": 9},
        {"ticket": 1, "station": "B2", "staff": "WALT", "digits": 9},
    ]
    assert len(told) == 5
    assert wrong[-9:] not in str(told)
    floor.pass_time(hours=1)
    with refuses("ticket.wrong_code"):
        present_ticket(floor.office, wanda, 1, wrong)
    with refuses("ticket.code_tries"):
        present_ticket(floor.office, wanda, 1, right)
    present_ticket(floor.office, wanda, 1, floor.code(1))  # whoever has all of it is not slowed
    floor.pass_time(days=-1)  # nor does anybody wait for a clock that was set back
    floor.pass_time(days=1, hours=1)
    present_ticket(floor.office, wanda, 1, right)


# ---- hardly anything can be read -----------------------------------------------------------------


@pytest.mark.rule("X-pay-without-code", "15.6(b)")
def test_of_what_can_hardly_be_read_an_outside_manager_pays_somebody_known_after_an_hour(
    floor: Floor,
) -> None:
    wanda = sold(floor)
    floor.play()
    look_up(floor.office, wanda, 1)
    both: dict[str, Any] = {"approval": SAM_APPROVES, "manager": MAX_APPROVES}
    burnt: dict[str, Any] = {"code": None, "reason": "burnt", **both, "patron": PAT}
    walt = floor.signed_in(WALT, SECOND_STATION)
    floor.open_drawer(walt, RICH)
    with refuses("payment.too_early"):
        pay(floor, walt, **burnt)
    floor.pass_time(hours=1)
    for patron in (None, Patron(" ", "1"), Patron("Pat", ""), Patron("P\n", "1")):
        with refuses("payment.identity_needed"):
            pay(floor, walt, **{**burnt, "patron": patron})
    with refuses("payment.looked_up"):
        pay(floor, wanda, **burnt)
    with refuses("approval.needed"):
        pay(floor, walt, **{**burnt, "approval": None})
    assert pay(floor, walt, request="burnt-ticket", **burnt)["pay_cents"] == WON
    with refuses("request_id.other_content"):
        other = Patron("Somebody Else", PAT.document)
        pay(floor, walt, request="burnt-ticket", **{**burnt, "patron": other})
    (body,) = bodies(floor, "PAID")
    assert (body["approver"], body["manager"], body["shown"]["how"]) == ("SAM", "MAX", "identity")
    ((sealed,),) = rows(floor, "SELECT sealed FROM shown_in_part")
    assert b"Pat Patron" in open_patron(floor.office, bytes(sealed))
    assert "Pat" not in str(rows(floor, "SELECT body FROM log_entry WHERE tag = 'PAID'"))
    floor.check_books()


# ---- looked up -----------------------------------------------------------------------------------


@pytest.mark.rule("X-pay-without-code")
def test_a_writer_is_not_told_what_a_ticket_won_and_each_look_at_it_is_recorded(
    floor: Floor,
) -> None:
    wanda = sold(floor)
    look_up(floor.office, wanda, 1)
    assert bodies(floor, "LOOK-UP") == []
    floor.play()
    found = look_up(floor.office, wanda, 1)
    assert (found["standing"], found["explanation"], found["win_cents"]) == ("win", "A win.", None)
    assert [game["win_cents"] for game in found["games"]] == [None]
    assert "60" not in f"{found['explanation']}"
    with refuses("ticket.code_needed"):
        present_ticket(floor.office, wanda, 1, None)
    assert look_up_with_code(floor.office, wanda, 1, floor.code(1))["win_cents"] == WON
    sam = floor.signed_in(SAM, SECOND_STATION)
    assert look_up(floor.office, sam, 1)["win_cents"] == WON
    assert len(unclaimed_wins(floor.office, sam)[0]) == 1
    told = [
        (body["staff"], body["first"], body["last"], body["wins"])
        for body in bodies(floor, "LOOK-UP")
    ]
    assert told == [("WANDA", 1, 1, 1), ("SAM", 1, 1, 1), ("SAM", 1, 1, 1)]
    pay(floor, wanda)
    look_up(floor.office, wanda, 1)
    assert len(bodies(floor, "LOOK-UP")) == 3
    floor.check_books()


# ---- lost ----------------------------------------------------------------------------------------


def lost(floor: Floor, name: str = SUE) -> Credentials:
    """A ticket that won and was reported lost, by somebody at the second station."""
    two_days_to_claim(floor)
    wanda = sold(floor)
    floor.play()
    who = floor.signed_in(name, SECOND_STATION)
    loss = Loss(1, PAT, "B1, Nov 16, about noon", "camera 7, 12:01")
    report_lost(floor.office, who, loss, floor.request_id())
    return wanda


@pytest.mark.rule("X-pay-without-code", "15.4(c)12")
def test_whoever_brings_a_ticket_that_was_reported_lost_is_paid_and_a_supervisor_is_told(
    floor: Floor,
) -> None:
    wanda = lost(floor)
    shown = present_ticket(floor.office, wanda, 1, floor.code(1))
    assert [need["code"] for need in shown["needs"]] == ["payment.lost_claimed"]
    with refuses("payment.lost_claimed"):
        pay(floor, wanda)
    assert pay(floor, wanda, approval=SAM_APPROVES)["pay_cents"] == WON
    (body,) = bodies(floor, "LOST-TICKET")
    assert (body["ticket"], body["staff"], body["surveillance"]) == (1, "SUE", "camera 7, 12:01")
    assert "Pat" not in str(body)
    floor.check_books()


CASS = "Cass Compliance"


def cass(floor: Floor) -> Approval:
    """Somebody of compliance, who stands in for accounting."""
    somebody(floor, Role.COMPLIANCE, CASS, "CASS")
    return Approval(CASS, secret_of(CASS))


def approved_by(approval: Approval | None, **more: Any) -> LostPayment:  # noqa: ANN401
    return LostPayment(1, "lost, and on the recording", CHECK, approval, **more)


CHECK = Check("2001", "Pat Patron")


@pytest.mark.rule("X-pay-without-code", "15.4(c)12", "15.6(a)")
def test_a_lost_ticket_is_paid_by_check_by_manager_and_compliance_when_nobody_can_bring_it(
    floor: Floor,
) -> None:
    wanda, by = lost(floor), cass(floor)
    max_ = floor.signed_in(MAX, SECOND_STATION)

    def pay_it(who: Credentials, paying: LostPayment, request: str | None = None) -> Answer:
        return pay_lost(floor.office, who, paying, request or floor.request_id())

    for code, who, paying in (
        ("staff.not_permitted", wanda, approved_by(by)),
        ("staff.not_permitted", max_, approved_by(SAM_APPROVES)),
        ("claim.accounting_needed", max_, approved_by(None)),
        ("staff.not_permitted", max_, approved_by(MAX_APPROVES)),
        ("claim.too_early", max_, approved_by(by, procedure="letter 12")),  # not within a week
    ):
        with refuses(code):
            pay_it(who, paying)
    closed_drawer(floor, 10_008_000)
    for day in range(8):  # in which it would have expired
        floor.pass_time(days=1)
        told = close_day(floor.office, floor.sam, TODAY + timedelta(days=day))["figures"]
        assert told["expired_cents"] == 0  # type: ignore[index]
    max_ = floor.signed_in(MAX, SECOND_STATION)
    paid = pay_it(max_, approved_by(by), "pay-lost-1")
    assert pay_it(max_, approved_by(by), "pay-lost-1") == paid
    assert (paid["pay_cents"], paid["paid_by"]) == (WON, "check")
    assert postings(floor, "PAID") == [("wins-payable", None, WON), ("checks", None, -WON)]
    (body,) = bodies(floor, "PAID")
    assert (body["writer"], body["approver"], body["manager"]) == ("MAX", "CASS", None)
    (loss,) = bodies(floor, "LOST-TICKET")
    assert body["shown"] == {"how": "claim", "claim": loss["time"], "procedure": None}
    floor.check_books()


@pytest.mark.rule("X-pay-without-code")
def test_a_procedure_of_the_house_pays_a_lost_ticket_after_a_week(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    by, max_ = cass(floor), floor.signed_in(MAX, SECOND_STATION)
    with refuses("claim.unknown"):
        pay_lost(floor.office, max_, approved_by(by), floor.request_id())
    for loss in (Loss(1, Patron("", "1"), "B1", "camera 7"), Loss(1, PAT, " ", "camera 7")):
        with refuses("claim.incomplete"):
            report_lost(floor.office, max_, loss, floor.request_id())
    with refuses("staff.not_permitted"):
        report_lost(floor.office, wanda, Loss(1, PAT, "B1", "camera 7"), floor.request_id())
    report_lost(floor.office, max_, Loss(1, PAT, "B1", "camera 7"), floor.request_id())
    floor.pass_time(days=7)
    max_ = floor.signed_in(MAX, SECOND_STATION)
    with refuses("claim.too_early"):  # it can still be brought
        pay_lost(floor.office, max_, approved_by(by), floor.request_id())
    pay_lost(floor.office, max_, approved_by(by, procedure="letter 12"), floor.request_id())
    (body,) = bodies(floor, "PAID")
    assert body["shown"]["procedure"] == "letter 12"
    floor.check_books()


@pytest.mark.rule("X-pay-without-code", "X-fault-refund")
def test_of_a_lost_ticket_the_games_that_were_void_go_back_before_its_win_is_paid(
    floor: Floor,
) -> None:
    wanda = sold(floor, every(2))
    floor.play()
    void_next(floor)
    by, max_ = cass(floor), floor.signed_in(MAX, SECOND_STATION)
    report_lost(floor.office, max_, Loss(1, PAT, "B1", "camera 7"), floor.request_id())
    floor.pass_time(days=7)
    max_, wanda = floor.signed_in(MAX, SECOND_STATION), floor.signed_in(WANDA)
    paying = approved_by(by, procedure="letter 12")
    with refuses("claim.refund_first"):
        pay_lost(floor.office, max_, paying, floor.request_id())
    back = Refunding(1, "lost", approval=SAM_APPROVES)
    assert refund_ticket(floor.office, wanda, back, floor.request_id())["back_cents"] == 8_000
    assert pay_lost(floor.office, max_, paying, floor.request_id())["pay_cents"] == WON
    floor.check_books()
