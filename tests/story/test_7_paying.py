"""Paying winning tickets: for what they won, once, with whatever must be there before (15.6)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.audit import second_grader
from app.flow import claim as claims
from app.flow import standing
from app.flow.access import Approval, Credentials, at_console, at_work, disable_staff
from app.flow.approvals import approve_payment
from app.flow.asking import Answer, answer_once, asking
from app.flow.cash_log import cash_log
from app.flow.code_tries import CODE_TRIES, ONE_CODE_IN
from app.flow.contact import Contact
from app.flow.expire import expire_wins
from app.flow.house_amounts import set_amount
from app.flow.look_up import look_up
from app.flow.patron import open_patron
from app.flow.pay import Check
from app.flow.permissions import Permission
from app.flow.present import note_presented, present_ticket
from app.flow.refund import Refunding, refund_ticket
from app.flow.refusals import No, say_no
from app.flow.sell import Sale
from app.flow.tax_paper import file_tax_paper
from app.flow.void import Voiding, void_ticket
from app.keno import amounts
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count
from app.keno.request import Request
from app.keno.standing import Stands
from app.keno.tender import Tender, TenderKind
from app.store.queries.people import Worker
from app.store.records.together import CameSecond
from app.store.unit import Unit
from tests.floor import ADA, MAX, NOON, SAM, SECOND_STATION, SUE, WALT, WANDA, Floor, secret_of
from tests.looking import bodies, postings, refuses, rows
from tests.story.paying import (
    BILLS,
    MAX_APPROVES,
    RICH,
    SAM_APPROVES,
    WON,
    every,
    paper_of,
    pay,
    sold,
    torn,
    winning,
)
from tests.story.refunds import refund, void_next
from tests.story.settlement import frozen_floor

TICK = timedelta(microseconds=1)


@pytest.mark.rule("15.6(a)", "X-pay-system")
def test_a_winning_ticket_is_paid_from_the_drawer_and_explained(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    paid = pay(floor, wanda)
    assert (paid["win_cents"], paid["pay_cents"], paid["paid_by"]) == (WON, WON, "cash")
    (game,) = paid["games"]
    assert game["explanation"] == [
        "1 spot, 1 caught: 20 of 80 ways of $1.00 won $3.00 each.",
    ]
    assert paid["gradings"] == [{"game": 1, "first_cents": WON, "second_cents": WON}]
    assert postings(floor, "PAID") == [
        ("wins-payable", None, WON),
        ("drawer", "currency", -WON),
    ]
    assert rows(floor, "SELECT slip FROM print_job ORDER BY id")[-1] == ("payout",)
    found = look_up(floor.office, wanda, 1)
    assert found["standing"] == "paid"
    assert found["explanation"].startswith("Paid $60.00 at ")
    floor.check_books()


@pytest.mark.rule("15.6(a)")
def test_a_ticket_is_paid_at_any_station(floor: Floor) -> None:
    sold(floor)
    floor.play()
    walt = floor.signed_in(WALT, SECOND_STATION)
    floor.open_drawer(walt, RICH)
    assert pay(floor, walt)["pay_cents"] == WON
    (body,) = bodies(floor, "PAID")
    assert (body["station"], body["writer"], body["approver"]) == (SECOND_STATION, "WALT", None)


# ---- refusals ------------------------------------------------------------------------------------


def nothing_done(_: Floor, __: Credentials) -> None:
    """The game is open."""


def locked(floor: Floor, _: Credentials) -> None:
    floor.lock()


def drawn(floor: Floor, _: Credentials) -> None:
    floor.lock()
    floor.draw()


def played(floor: Floor, _: Credentials) -> None:
    floor.play()


def paid_before(floor: Floor, wanda: Credentials) -> None:
    floor.play()
    pay(floor, wanda)


def voided(floor: Floor, wanda: Credentials) -> None:
    floor.void(wanda, 1)


def game_void(floor: Floor, _: Credentials) -> None:
    void_next(floor)


def refunded(floor: Floor, wanda: Credentials) -> None:
    void_next(floor)
    refund(floor, wanda)


def expired(floor: Floor, _: Credentials) -> None:
    floor.play()
    floor.pass_time(days=366)


CASES: list[tuple[Callable[[Floor, Credentials], None], Sale, str]] = [
    (nothing_done, every(), "ticket.not_decided"),
    (locked, every(), "ticket.not_decided"),
    (drawn, every(), "ticket.not_decided"),
    (played, every(2), "ticket.still_playing"),
    (paid_before, every(), "ticket.already_paid"),
    (voided, every(), "ticket.already_void"),
    (game_void, every(), "ticket.refund_instead"),
    (refunded, every(), "ticket.refunded"),
]


@pytest.mark.rule("X-pay-refusals")
@pytest.mark.parametrize("place", range(len(CASES)))
def test_each_ticket_that_is_not_paid_is_refused_for_its_own_reason(
    floor: Floor, place: int
) -> None:
    happens, sale, code = CASES[place]
    wanda = sold(floor, sale)
    happens(floor, wanda)
    with refuses(code):
        pay(floor, wanda)
    with refuses(code):
        present_ticket(floor.office, wanda, 1, floor.code(1))
    assert len(rows(floor, "SELECT 1 FROM payout")) == (happens is paid_before)
    floor.check_books()


@pytest.mark.rule("X-pay-refusals")
def test_a_ticket_that_won_nothing_is_not_paid(floor: Floor) -> None:
    """Of 21 tickets with a number each one at least has a number that was not drawn."""
    wanda = floor.writing()
    for number in range(1, 22):
        floor.sell(wanda, Sale("M", Request(((number,),), "1/1 @ 1.00"), BILLS))
    floor.play()
    (drawn,) = (body["numbers"] for body in bodies(floor, "DRAW"))
    lost = min(set(range(1, 22)) - set(drawn))
    with refuses("ticket.no_win"):
        pay(floor, wanda, lost)
    with refuses("ticket.no_win"):
        present_ticket(floor.office, wanda, lost, floor.code(lost))
    assert rows(floor, "SELECT 1 FROM payout") == []
    floor.check_books()


@pytest.mark.rule("X-pay-refusals", "X-ticket-validation")
def test_a_paid_ticket_that_is_brought_again_is_recorded_with_who_was_brought_it_where(
    floor: Floor,
) -> None:
    """Somebody who read its number and code on the way to the printer may have come first."""
    wanda = sold(floor)
    floor.play()
    pay(floor, wanda)
    walt = floor.writing(WALT, SECOND_STATION)
    with refuses("ticket.already_paid"):
        present_ticket(floor.office, walt, 1, floor.code(1))
    with refuses("ticket.already_paid"):
        pay(floor, walt)
    told = {"ticket": 1, "station": SECOND_STATION, "staff": "WALT"}
    found = [(body["code"], body["facts"]) for body in bodies(floor, "REFUSED")]
    assert found == [("ticket.already_paid", told)] * 2
    with refuses("ticket.code_needed"):  # without its code nothing was brought
        present_ticket(floor.office, walt, 1, None)
    assert len(bodies(floor, "REFUSED")) == 2
    floor.check_books()


@pytest.mark.rule("X-pay-refusals", "15.4(d)-pay")
def test_a_multi_race_ticket_is_paid_after_its_last_game_or_when_its_rest_is_cancelled(
    floor: Floor,
) -> None:
    wanda = sold(floor, every(3))
    floor.play()
    with refuses("ticket.still_playing"):
        pay(floor, wanda)
    assert refund(floor, wanda)["back_cents"] == 2 * 80 * 100
    assert pay(floor, wanda)["pay_cents"] == WON
    floor.check_books()


@pytest.mark.rule("15.4(d)-pay", "X-fault-refund")
def test_wins_and_the_price_of_a_void_game_are_two_facts_on_one_document(floor: Floor) -> None:
    wanda = sold(floor, every(2))
    floor.play()
    void_next(floor)
    paid = pay(floor, wanda)
    assert (paid["win_cents"], paid["refund_cents"], paid["void_games"]) == (WON, 8_000, [2])
    assert paid["pay_cents"] == WON + 8_000
    assert rows(floor, "SELECT game, cents FROM refund") == [(2, 8_000)]
    with refuses("ticket.already_paid"):
        pay(floor, wanda)
    with refuses("ticket.nothing_to_refund"):
        refund(floor, wanda)
    floor.check_books()


@pytest.mark.rule("X-pay-refusals", "X-ticket-validation")
def test_a_wrong_code_pays_nothing_even_with_a_supervisor_and_is_logged(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    with refuses("ticket.wrong_code"):
        pay(floor, wanda, code="1" * 25, approval=SAM_APPROVES)
    assert bodies(floor, "REFUSED")[-1]["code"] == "ticket.wrong_code"
    with refuses("ticket.unknown"):
        pay(floor, wanda, 99, code="1" * 25)


@pytest.mark.rule("X-pay-refusals", "X-ticket-validation")
def test_behind_some_wrong_codes_a_ticket_is_paid_with_a_supervisor_or_a_while_later(
    floor: Floor,
) -> None:
    """Counted for the ticket, wherever they are tried; its owner is never sent away for good."""
    wanda = sold(floor)
    floor.sell(wanda, every())
    walt = floor.writing(WALT, SECOND_STATION)
    floor.play()
    tries: list[Callable[[], object]] = [
        lambda: pay(floor, wanda, code="1" * 25),
        lambda: pay(floor, walt, code="2" * 25),
        lambda: present_ticket(floor.office, walt, 1, "3" * 25),
        lambda: pay(floor, wanda, code="4" * 25, approval=SAM_APPROVES),
        lambda: present_ticket(floor.office, wanda, 1, "5" * 25),
    ]
    assert len(tries) == CODE_TRIES
    for wrong in tries:
        with refuses("ticket.wrong_code"):
            wrong()
    # Whether a code is right is not told any more, to a writer alone.
    for code in ("6" * 25, floor.code(1)):
        for writer in (wanda, walt):
            with refuses("approval.needed"):
                pay(floor, writer, code=code)
            with refuses("approval.needed"):
                present_ticket(floor.office, writer, 1, code)
    assert [told["code"] for told in bodies(floor, "REFUSED")] == ["ticket.wrong_code"] * CODE_TRIES
    assert pay(floor, wanda, 2)["pay_cents"] == WON  # another ticket has tries of its own
    with refuses("ticket.wrong_code"):
        pay(floor, wanda, code="7" * 25, approval=SAM_APPROVES)
    floor.moment[0] += ONE_CODE_IN
    assert present_ticket(floor.office, walt, 1, floor.code(1))["needs"] == []
    with refuses("ticket.wrong_code"):
        pay(floor, walt, code="8" * 25)
    with refuses("approval.needed"):
        pay(floor, walt, code=floor.code(1))
    paid = pay(floor, wanda, code=floor.code(1), approval=SAM_APPROVES)
    assert paid["pay_cents"] == WON
    floor.check_books()


@pytest.mark.rule("X-pay-refusals", "X-drawer")
def test_nobody_pays_without_an_open_drawer_or_with_too_little_in_it(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = floor.open_drawer(wanda, Count({}))["drawer"]
    floor.sell(wanda, replace(every(), tender=(Tender(TenderKind.CHIPS, 8_000),)))
    floor.play()
    with refuses("drawer.not_enough_cash"):
        pay(floor, wanda)
    assert pay(floor, wanda, check=Check("1001", "Pat Patron"))["paid_by"] == "check"
    floor.close_drawer(wanda, drawer, Count({TenderKind.CHIPS: 8_000}))
    with refuses("drawer.not_open"):
        pay(floor, wanda)
    floor.check_books()


@pytest.mark.rule("X-drawer", "X-fault-refund")
@pytest.mark.parametrize(
    ("cash_cents", "check", "code"),
    [
        (WON + 8_000 - 1, None, "drawer.not_enough_cash"),
        (WON + 8_000, None, None),
        (8_000 - 1, Check("1001", "Pat Patron"), "drawer.not_enough_cash"),
        (8_000, Check("1001", "Pat Patron"), None),
    ],
)
def test_the_price_of_a_void_game_is_paid_only_from_cash_that_the_drawer_holds(
    floor: Floor, cash_cents: int, check: Check | None, code: str | None
) -> None:
    """The win goes out in cash or by check. The refund is always cash."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, Count({TenderKind.CURRENCY: cash_cents}))
    floor.sell(wanda, replace(every(2), tender=(Tender(TenderKind.CHIPS, 16_000),)))
    floor.play()
    void_next(floor)
    if code is None:
        assert pay(floor, wanda, check=check)["pay_cents"] == WON + 8_000
    else:
        with refuses(code):
            pay(floor, wanda, check=check)
    cash = "SELECT sum(cents) FROM posting WHERE kind = 'currency'"
    assert int(rows(floor, cash)[0][0]) == (cash_cents if code else 0)
    floor.check_books()


# ---- once ----------------------------------------------------------------------------------------


@pytest.mark.rule("15.6(a)", "X-ticket-exactly-once")
def test_a_payment_asked_twice_is_paid_once(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    first = pay(floor, wanda, request="double-click")
    assert pay(floor, wanda, request="double-click") == first
    with refuses("request_id.other_content"):
        pay(floor, wanda, request="double-click", check=Check("1001", "Pat"))
    assert len(bodies(floor, "PAID")) == 1


# ---- checks --------------------------------------------------------------------------------------


@pytest.mark.rule("15.6(a)")
def test_a_check_has_a_number_of_its_own_and_a_payee_whom_only_the_key_shows(floor: Floor) -> None:
    wanda = sold(floor)
    floor.sell(wanda, every())
    floor.play()
    for check in (Check(" ", "Pat"), Check("1", ""), Check("1\n2", "Pat"), Check("1", "x" * 101)):
        with refuses("payment.check_incomplete"):
            pay(floor, wanda, check=check)
    pay(floor, wanda, check=Check("1001", "Pat Patron"))
    assert postings(floor, "PAID") == [("wins-payable", None, WON), ("checks", None, -WON)]
    with refuses("payment.check_used"):
        pay(floor, wanda, 2, check=Check("1001", "Someone Else"))
    ((sealed,),) = rows(floor, "SELECT payee FROM payout")
    assert b"Pat Patron" not in bytes(sealed)
    assert b"Pat Patron" in open_patron(floor.office, bytes(sealed))
    (body,) = bodies(floor, "PAID")
    assert "Pat" not in str(body)
    assert len(body["payee"]) == 64
    floor.check_books()


# ---- approvals -----------------------------------------------------------------------------------


@pytest.mark.rule("15.6(b)")
@pytest.mark.parametrize(("cents", "needed"), [(149_999, False), (150_000, True)])
def test_from_fifteen_hundred_dollars_on_a_supervisor_approves(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, cents: int, needed: bool
) -> None:
    wanda = winning(floor, monkeypatch, cents)
    shown = present_ticket(floor.office, wanda, 1, floor.code(1))
    assert [need["code"] for need in shown["needs"]] == (["approval.needed"] if needed else [])
    if needed:
        with refuses("approval.needed"):
            pay(floor, wanda)
    assert pay(floor, wanda, approval=SAM_APPROVES if needed else None)["win_cents"] == cents
    kept = rows(floor, "SELECT tier, cents FROM approval")
    assert kept == ([("supervisor", cents)] if needed else [])
    ((payload,),) = rows(floor, "SELECT payload FROM print_job WHERE slip = 'payout'")
    assert ('"signature":true' in str(payload).replace(" ", "").replace("'", '"').lower()) is needed


@pytest.mark.rule("X-pay-second-tier")
@pytest.mark.parametrize(("cents", "needed"), [(999_999, False), (1_000_000, True)])
def test_above_another_amount_a_manager_outside_keno_approves_too(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, cents: int, needed: bool
) -> None:
    wanda = winning(floor, monkeypatch, cents)
    file_tax_paper(floor.office, wanda, paper_of(floor), floor.request_id())
    if needed:
        with refuses("approval.manager_needed"):
            pay(floor, wanda, approval=SAM_APPROVES)
        with refuses("staff.not_permitted"):
            pay(floor, wanda, approval=SAM_APPROVES, manager=Approval(SUE, secret_of(SUE)))
    pay(floor, wanda, approval=SAM_APPROVES, manager=MAX_APPROVES if needed else None)
    (body,) = bodies(floor, "PAID")
    assert body["manager"] == ("MAX" if needed else None)


@pytest.mark.rule("15.6(b)", "X-access", "X-access-disable")
def test_an_approval_is_of_another_person_who_may_and_is_not_disabled(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 150_000)
    with refuses("staff.not_permitted"):
        pay(floor, wanda, approval=Approval(WALT, secret_of(WALT)))
    with refuses("staff.wrong_secret"):
        pay(floor, wanda, approval=Approval(SAM, "guessed"))
    ada = floor.signed_in(ADA, SECOND_STATION)
    disable_staff(floor.office, ada, SAM)
    with refuses("staff.disabled"):
        pay(floor, wanda, approval=SAM_APPROVES)
    assert rows(floor, "SELECT 1 FROM payout") == []


@pytest.mark.rule("15.6(b)", "X-access")
def test_nobody_approves_what_they_pay_themselves(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    winning(floor, monkeypatch, 150_000)
    sam = floor.signed_in(SAM, SECOND_STATION)
    floor.open_drawer(sam, RICH)
    with refuses("approval.same_person"):
        pay(floor, sam, approval=SAM_APPROVES)
    approve_payment(floor.office, sam, 1, floor.request_id())
    with refuses("approval.needed"):
        pay(floor, sam)


@pytest.mark.rule("15.6(b)", "X-grade-twice")
def test_a_supervisor_approves_from_their_own_page_having_seen_both_gradings(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 150_000)
    sue = floor.signed_in(SUE, SECOND_STATION)
    seen = approve_payment(floor.office, sue, 1, "approve-1")
    assert (seen["tier"], seen["cents"]) == ("supervisor", 150_000)
    assert seen["gradings"] == [{"game": 1, "first_cents": WON, "second_cents": WON}]
    assert approve_payment(floor.office, sue, 1, "approve-1") == seen
    with refuses("approval.not_needed"):
        approve_payment(floor.office, sue, 1, floor.request_id())
    pay(floor, wanda)
    (body,) = bodies(floor, "PAID")
    assert body["approver"] == "SUE"


@pytest.mark.rule("15.6(b)", "X-access-disable")
def test_an_approval_of_somebody_who_was_disabled_since_does_not_count(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 150_000)
    approve_payment(floor.office, floor.signed_in(SUE, SECOND_STATION), 1, floor.request_id())
    disable_staff(floor.office, floor.signed_in(ADA, SECOND_STATION), SUE)
    with refuses("approval.needed"):
        pay(floor, wanda)


@pytest.mark.rule("15.6(b)")
def test_an_approval_does_for_no_other_ticket_and_no_other_amount(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 150_000)
    sue = floor.signed_in(SUE, SECOND_STATION)
    approve_payment(floor.office, sue, 1, floor.request_id())
    standing_of = standing.standing_of

    def larger(*given: Any) -> Any:  # noqa: ANN401
        return replace(standing_of(*given), win_cents=160_000)

    monkeypatch.setattr(claims, "standing_of", larger)
    with refuses("approval.needed"):
        pay(floor, wanda)


@pytest.mark.rule("X-grade-twice")
def test_a_ticket_whose_two_gradings_differ_is_not_paid(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = sold(floor)
    floor.play()
    win_of = second_grader.win_of
    monkeypatch.setattr(claims, "win_of", lambda *given: replace(win_of(*given), cents=1))
    with refuses("payment.gradings_differ"):
        pay(floor, wanda, approval=SAM_APPROVES)
    assert bodies(floor, "REFUSED")[-1]["code"] == "payment.gradings_differ"


# ---- tax -----------------------------------------------------------------------------------------


@pytest.mark.rule("X-pay-tax")
@pytest.mark.parametrize(
    ("year", "win_cents", "needed"),
    [
        (2025, 150_000 + 7_999, False),
        (2025, 150_000 + 8_000, True),
        (2026, 200_000 + 7_999, False),
        (2026, 200_000 + 8_000, True),
    ],
)
def test_a_win_is_reported_at_the_amount_of_the_year_in_which_it_is_paid(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, year: int, win_cents: int, needed: bool
) -> None:
    """Net of the wager of its game, which is eighty dollars."""
    wanda = winning(floor, monkeypatch, win_cents)
    paid_at = NOON.replace(year=year, month=12, day=31)
    amounts_on = amounts.amounts_on
    monkeypatch.setattr(claims, "amounts_on", lambda _, house: amounts_on(paid_at.date(), house))
    if needed:
        with refuses("payment.tax_paper_needed"):
            pay(floor, wanda, approval=SAM_APPROVES)
        done = file_tax_paper(floor.office, wanda, paper_of(floor), "tax-paper-1")
        assert done["net_cents"] == win_cents - 8_000
        assert file_tax_paper(floor.office, wanda, paper_of(floor), "tax-paper-1") == done
    else:
        with refuses("payment.no_tax_paper"):
            file_tax_paper(floor.office, wanda, paper_of(floor), floor.request_id())
    assert pay(floor, wanda, approval=SAM_APPROVES)["win_cents"] == win_cents


@pytest.mark.rule("X-pay-tax")
def test_who_a_tax_paper_is_for_is_sealed_and_only_hashed_in_the_log(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 300_000)
    for paper in (replace(paper_of(floor), name=" "), replace(paper_of(floor), taxpayer_number="")):
        with refuses("payment.tax_paper_incomplete"):
            file_tax_paper(floor.office, wanda, paper, floor.request_id())
    file_tax_paper(floor.office, wanda, paper_of(floor), floor.request_id())
    (body,) = bodies(floor, "TAX-PAPER")
    assert "Pat" not in str(body)
    ((sealed,),) = rows(floor, "SELECT sealed FROM tax_paper")
    assert b'"name":"Pat Patron"' in open_patron(floor.office, bytes(sealed))


# ---- presented in time ---------------------------------------------------------------------------


@pytest.mark.rule("15.6(c)", "X-pay-refusals")
def test_a_win_expires_with_the_claim_period_of_its_card(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    expires = look_up(floor.office, wanda, 1)["expires_at"]
    assert expires.startswith("2027-11-16")
    floor.pass_time(days=366)
    wanda = floor.signed_in(WANDA)
    assert look_up(floor.office, wanda, 1)["standing"] == "expired"
    with refuses("ticket.expired"):
        pay(floor, wanda)


@pytest.mark.rule("15.6(c)")
def test_a_ticket_that_was_brought_in_time_does_not_expire_while_it_waits(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 150_000)
    with refuses("approval.needed"):
        pay(floor, wanda)
    assert [body["why"] for body in bodies(floor, "PRESENTED")] == ["approval.needed"]
    floor.pass_time(days=366)
    wanda = floor.signed_in(WANDA)
    assert pay(floor, wanda, approval=SAM_APPROVES)["win_cents"] == 150_000
    assert len(bodies(floor, "PRESENTED")) == 1


def stands_at(floor: Floor, moment: datetime) -> Stands:
    """How the first ticket stands at a moment."""
    with floor.office.unit() as unit:
        ticket = claims.ticket_numbered(unit, 1)
        return standing.standing_of(floor.office, unit, ticket, moment).stands


def last_moment(floor: Floor) -> datetime:
    """Until when the first ticket can be claimed."""
    with floor.office.unit() as unit:
        ticket = claims.ticket_numbered(unit, 1)
        expires = standing.standing_of(floor.office, unit, ticket, unit.now()).expires_at
    assert expires is not None
    return expires


@pytest.mark.rule("15.6(c)")
def test_a_win_can_be_claimed_at_the_last_moment_and_not_after_it(floor: Floor) -> None:
    sold(floor)
    floor.play()
    expires = last_moment(floor)
    assert stands_at(floor, expires) is Stands.WIN
    assert stands_at(floor, expires + TICK) is Stands.EXPIRED


@pytest.mark.rule("15.6(c)")
@pytest.mark.parametrize(("late", "stands"), [(timedelta(0), Stands.WIN), (TICK, Stands.EXPIRED)])
def test_a_ticket_presented_at_the_last_moment_does_not_expire(
    floor: Floor, late: timedelta, stands: Stands
) -> None:
    wanda = sold(floor)
    floor.play()
    expires = last_moment(floor)
    with floor.office.unit() as unit:
        who = at_work(wanda, Permission.TICKET_PAY)(unit)
        claim = claims.claim_of(floor.office, unit, claims.ticket_numbered(unit, 1), [], unit.now())
        no = say_no(No.APPROVAL_NEEDED, why="it is large")
        note_presented(floor.office, unit, who, claim, no, expires + late)
        unit.commit()
    assert stands_at(floor, expires + timedelta(days=1)) is stands


@pytest.mark.rule("15.6(c)", "X-audit-books")
def test_a_win_whose_last_moment_is_the_end_of_the_day_expires_with_the_next_day(
    floor: Floor,
) -> None:
    """The day ends before that moment; the expiry belongs to the day that begins with it."""
    sold(floor)
    floor.play()
    expires = last_moment(floor)
    floor.pass_time(days=366)
    expire_wins(floor.office, expires)
    assert bodies(floor, "EXPIRED") == []
    expire_wins(floor.office, expires + TICK)
    expire_wins(floor.office, expires + TICK)
    assert [body["cents"] for body in bodies(floor, "EXPIRED")] == [WON]


@pytest.mark.rule("15.6(c)", "X-grade-twice")
def test_a_ticket_of_a_frozen_game_waits_and_is_noted_as_presented(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    wanda = floor.signed_in(WANDA)
    with refuses("ticket.frozen"):
        pay(floor, wanda)
    assert [body["why"] for body in bodies(floor, "PRESENTED")] == ["ticket.frozen"]


# ---- patron contacts -----------------------------------------------------------------------------


@pytest.mark.rule("X-pay-cash-log", "X-ticket-replay")
def test_cash_this_and_replay_it_is_one_net_amount_and_two_facts(floor: Floor) -> None:
    wanda = sold(floor)
    floor.play()
    contact = Contact("c-1")
    paid = pay(floor, wanda, contact=contact)
    assert paid["contact"]["net_cents"] == -WON
    again = floor.sell(wanda, replace(every(), contact=contact))
    assert again["contact"]["net_cents"] == 8_000 - WON
    assert rows(floor, "SELECT count(*) FROM contact_act") == [(2,)]
    floor.check_books()


@pytest.mark.rule("15.6(b)", "X-pay-tax")
def test_wins_of_one_contact_are_added_up_for_approval(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanda = winning(floor, monkeypatch, 149_999)
    floor.sell(wanda, every())
    floor.play()
    contact = Contact("c-1")
    pay(floor, wanda, contact=contact)
    with refuses("approval.needed"):
        pay(floor, wanda, 2, contact=contact)
    assert pay(floor, wanda, 2, contact=Contact("c-2"))["win_cents"] == 149_999


@pytest.mark.rule("15.6(b)")
def test_a_house_can_add_up_only_larger_wins_of_one_contact(floor: Floor) -> None:
    today = floor.moment[0].date()
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    larger = Dated(Amount.ADDED_UP, today + timedelta(days=2), 150_000)
    set_amount(floor.office, floor.sam, manager, larger)
    floor.pass_time(days=2)
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    for rate in ("20.00", "20.00", "25.00"):
        floor.sell(wanda, every(rate=rate))
    floor.play()
    contact = Contact("c-1")
    for number in (1, 2):  # together they would need an approval
        assert pay(floor, wanda, number, contact=contact)["win_cents"] == 120_000
    with refuses("approval.needed"):
        pay(floor, wanda, 3, contact=contact)
    pay(floor, wanda, 3, contact=contact, approval=SAM_APPROVES)
    floor.check_books()


@pytest.mark.rule("15.6(b)")
@pytest.mark.parametrize("rates", [("20.00", "21.00"), ("21.00", "20.00")])
def test_a_win_of_exactly_the_amount_is_added_up(floor: Floor, rates: tuple[str, str]) -> None:
    """Whichever of the two has exactly the amount: $1,200.00, and the other one $1,260.00."""
    today = floor.moment[0].date()
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    exactly = Dated(Amount.ADDED_UP, today + timedelta(days=2), 120_000)
    set_amount(floor.office, floor.sam, manager, exactly)
    floor.pass_time(days=2)
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    for rate in rates:
        floor.sell(wanda, every(rate=rate))
    floor.play()
    contact = Contact("c-1")
    pay(floor, wanda, 1, contact=contact)
    with refuses("approval.needed"):
        pay(floor, wanda, 2, contact=contact)
    pay(floor, wanda, 2, contact=contact, approval=SAM_APPROVES)
    floor.check_books()


@pytest.mark.rule("15.6(b)", "X-pay-tax")
def test_wins_of_one_player_card_are_added_up_at_whichever_station(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is paid in parts, here and there, to avoid an approval."""
    wanda = winning(floor, monkeypatch, 149_999)
    for _ in range(2):
        floor.sell(wanda, every())
        floor.play()
    walt = floor.signed_in(WALT, SECOND_STATION)
    floor.open_drawer(walt, RICH)
    pay(floor, wanda, contact=Contact("c-1", "P-77"))
    with refuses("approval.needed"):
        pay(floor, walt, 2, contact=Contact("c-1", "P-77"))
    pay(floor, walt, 2, contact=Contact("c-1"))  # the same name, at another station
    with refuses("approval.needed"):
        pay(floor, walt, 3, contact=Contact("c-1", "P-78"))  # shown late, it holds from the first
    with refuses("approval.needed"):
        pay(floor, wanda, 3, contact=Contact("c-1"))  # though it is not shown again
    pay(floor, walt, 3, contact=Contact("c-1", "P-78"), approval=SAM_APPROVES)
    with refuses("contact.other_card"):
        floor.sell(walt, replace(every(), contact=Contact("c-1", "P-77")))


@pytest.mark.rule("X-pay-cash-log")
def test_a_contact_lasts_for_a_gaming_day(floor: Floor) -> None:
    sold(floor, replace(every(), contact=Contact("c-1", "P-77")))
    floor.pass_time(days=1)
    again = floor.sell(floor.signed_in(WANDA), replace(every(), contact=Contact("c-1", "P-78")))
    assert again["contact"]["net_cents"] == 8_000
    floor.check_books()


@pytest.mark.rule("X-pay-cash-log", "15.4(d)-refund", "15.4(e)-void")
def test_what_goes_back_belongs_to_the_contact_too(floor: Floor) -> None:
    wanda = floor.writing()
    contact = Contact("c-1")
    coupon = (Tender(TenderKind.COUPON, 100, "C-1"), Tender(TenderKind.CURRENCY, 10_000))
    floor.sell(wanda, replace(every(3), contact=contact))
    bought = floor.sell(wanda, replace(every(), contact=contact, tender=coupon))
    assert bought["contact"]["net_cents"] == 24_000 + 7_900
    voiding = Voiding(2, "wrong numbers", floor.code(2), contact=contact)
    voided = void_ticket(floor.office, wanda, voiding, floor.request_id())
    assert voided["contact"]["net_cents"] == 24_000
    floor.play()
    refunding = Refunding(1, "has to leave", floor.code(1), contact=contact)
    refunded = refund_ticket(floor.office, wanda, refunding, floor.request_id())
    assert refunded["contact"]["net_cents"] == 8_000
    sam = floor.signed_in(SAM, SECOND_STATION)
    assert cash_log(floor.office, sam, floor.moment[0].date()) == [
        {
            "patron": "contact c-1 at B1",
            "cash_in_cents": 31_900,
            "cash_out_cents": 23_900,
            "currency_report": False,
        }
    ]
    floor.check_books()


@pytest.mark.rule("X-pay-cash-log", "X-access")
def test_the_daily_log_of_cash_lists_who_brought_or_took_most_first(floor: Floor) -> None:
    wanda = floor.writing()
    for name, card in (("c-0", None), ("c-1", None), ("c-1", "P-77"), ("c-2", "P-77")):
        bought = replace(every(rate="70.00"), contact=Contact(name, card))
        told = floor.sell(wanda, bought)["contact"]
    assert (told["cash_in_cents"], told["currency_report"]) == (1_680_000, True)
    sam = floor.signed_in(SAM, SECOND_STATION)
    listed = cash_log(floor.office, sam, floor.moment[0].date())
    assert [(each["patron"], each["cash_in_cents"]) for each in listed] == [
        ("player card P-77", 1_680_000),
        ("contact c-0 at B1", 560_000),
    ]
    assert [each["currency_report"] for each in listed] == [True, False]
    assert cash_log(floor.office, sam, floor.moment[0].date() + timedelta(days=1)) == []
    with refuses("staff.not_permitted"):
        cash_log(floor.office, wanda, floor.moment[0].date())


@pytest.mark.rule("X-pay-cash-log")
def test_cash_of_a_player_card_is_added_up_towards_the_currency_report(floor: Floor) -> None:
    wanda = floor.writing()
    flags = []
    for place in range(13):
        bought = replace(every(rate="10.00"), contact=Contact(f"c-{place}", "P-77"))
        flags.append(floor.sell(wanda, bought)["contact"]["currency_report"])
    assert flags == [False] * 12 + [True]  # the thirteenth eight hundred dollars
    with refuses("contact.bad_name"):
        floor.sell(wanda, replace(every(), contact=Contact("not a name")))


@pytest.mark.rule("X-pay-cash-log")
@pytest.mark.parametrize(
    ("rate", "cents", "reported"), [("54.95", 999_600, False), ("55.00", 1_000_000, True)]
)
def test_cash_of_exactly_the_amount_is_reported(
    floor: Floor, rate: str, cents: int, reported: bool
) -> None:
    wanda = floor.writing()
    contact = Contact("c-1", "P-77")
    floor.sell(wanda, replace(every(rate="70.00"), contact=contact))
    told = floor.sell(wanda, replace(every(rate=rate), contact=contact))["contact"]
    assert (told["cash_in_cents"], told["currency_report"]) == (cents, reported)
    sam = floor.signed_in(SAM, SECOND_STATION)
    (listed,) = cash_log(floor.office, sam, floor.moment[0].date())
    assert (listed["cash_in_cents"], listed["currency_report"]) == (cents, reported)
    floor.check_books()


@pytest.mark.rule("15.6(b)", "15.6(a)")
def test_who_approved_from_the_page_can_approve_in_place_as_well(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper turns out to be torn, after the amount was approved."""
    wanda = winning(floor, monkeypatch, 150_000)
    sam = floor.signed_in(SAM, SECOND_STATION)
    approve_payment(floor.office, sam, 1, floor.request_id())
    with refuses("approval.not_needed"):
        approve_payment(floor.office, sam, 1, floor.request_id())
    in_place: dict[str, Any] = {"approval": SAM_APPROVES, "manager": MAX_APPROVES}
    code = torn(floor.code(1))
    with refuses("approval.needed"):  # whoever approves it then must see it
        pay(floor, wanda, code=code, reason="the paper is torn", manager=MAX_APPROVES)
    paid = pay(floor, wanda, code=code, reason="the paper is torn", **in_place)
    assert paid["win_cents"] == 150_000
    kept = rows(floor, "SELECT tier, cents FROM approval ORDER BY entry, tier DESC")
    assert kept == [("supervisor", 150_000)] * 2 + [("manager", 150_000)]


@pytest.mark.rule("X-ticket-exactly-once")
def test_an_act_that_comes_second_for_ever_is_given_up(floor: Floor) -> None:
    tries = []

    def second(unit: Unit, who: Worker) -> Answer:
        tries.append((unit, who))
        raise CameSecond

    worker = at_work(floor.writing(), Permission.TICKET_PAY)
    with pytest.raises(CameSecond):
        answer_once(floor.office, asking("a-request", "pay", {}), worker, second)
    assert len(tries) == 5
