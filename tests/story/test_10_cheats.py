"""What a cheat, a tired writer or a clock that was set back would do to the money."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.flow import authority
from app.flow.access import at_console, disable_staff
from app.flow.asking import answer_once
from app.flow.cash_log import cash_log
from app.flow.close_day import close_day
from app.flow.contact import Contact
from app.flow.drawer import Minding, look_at_drawer, mind_drawer, move_cash
from app.flow.expire import expire_wins
from app.flow.house_amounts import set_amount
from app.flow.look_up import look_up
from app.flow.pay import Check
from app.flow.permissions import Permission
from app.flow.present import present_ticket
from app.flow.release import release_game
from app.flow.tax_paper import file_tax_paper
from app.flow.void import Voiding, void_ticket
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count, DrawerAct
from app.keno.tender import Tender, TenderKind
from tests.floor import ADA, BANK, MAX, SAM, SECOND_STATION, WALT, WANDA, Floor, dollar, secret_of
from tests.looking import bodies, refuses, rows
from tests.story.cheats import by_coupon, two_days_to_claim
from tests.story.days import TODAY, closed_drawer
from tests.story.paying import MAX_APPROVES, RICH, SAM_APPROVES, WON, every, paper_of, pay, sold
from tests.story.refunds import refund, void_next
from tests.story.settlement import frozen_floor


@pytest.mark.rule("X-grade-twice", "X-audit-books")
def test_a_game_that_is_graded_again_after_two_closes_is_in_the_third(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    closed_drawer(floor, int(held))
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, TODAY)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    release_game(floor.office, floor.sam, manager, "M", 1, "the grader was mended")
    floor.pass_time(days=1)
    second = close_day(floor.office, floor.sam, TODAY + timedelta(days=1))
    assert second["frozen"]  # it is neither frozen nor over
    floor.grade(1)
    floor.pass_time(days=1)
    third = close_day(floor.office, floor.sam, TODAY + timedelta(days=2))
    figures = third["figures"]
    assert isinstance(figures, dict)
    owed = rows(floor, "SELECT -sum(cents) FROM posting WHERE account = 'wins-payable'")
    assert owed == [(figures["payable_carried_cents"],)]
    assert (figures["adjusted_cents"] > 0, third["frozen"]) == (True, [])
    floor.check_books()


@pytest.mark.rule("15.6(c)", "X-clock")
def test_nothing_is_dated_into_a_day_that_is_closed_if_the_clock_is_set_back(floor: Floor) -> None:
    """Else a win that was posted as expired could be paid, and an act be in no day's figures."""
    two_days_to_claim(floor)
    sold(floor)
    floor.play()
    closed_drawer(floor, 10_008_000)
    in_time = floor.moment[0] + timedelta(days=1)
    for day in range(3):
        floor.pass_time(days=1)
        close_day(floor.office, floor.sam, TODAY + timedelta(days=day))
    right, floor.moment[0] = floor.moment[0], in_time
    wanda = floor.signed_in(WANDA)
    with refuses("clock.set_back"):
        floor.open_drawer(wanda, RICH)
    with refuses("clock.set_back"):
        floor.lock()
    assert look_up(floor.office, wanda, 1)["standing"] == "expired"  # looking does no harm
    floor.moment[0] = right
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    with refuses("ticket.expired"):
        pay(floor, wanda)
    floor.lock()


@pytest.mark.rule("15.6(c)", "X-not-decided")
def test_a_ticket_brought_in_time_but_not_decided_is_paid_when_it_is(floor: Floor) -> None:
    two_days_to_claim(floor)
    wanda = sold(floor)
    number = floor.lock()
    floor.pass_time(days=1)
    with refuses("ticket.not_decided"):
        present_ticket(floor.office, floor.signed_in(WANDA), 1, floor.code(1))
    floor.pass_time(days=2)
    floor.draw()
    floor.grade(number)
    wanda = floor.signed_in(WANDA)
    assert pay(floor, wanda)["win_cents"] == WON
    floor.check_books()


@pytest.mark.rule("15.6(c)", "X-drawer")
def test_a_ticket_for_which_there_was_no_cash_stays_payable(floor: Floor) -> None:
    two_days_to_claim(floor)
    wanda = floor.signed_in(WANDA)
    drawer = floor.open_drawer(wanda, Count({TenderKind.COIN: 1}))["drawer"]
    chips = (Tender(TenderKind.CHIPS, 8_000),)
    floor.sell(wanda, replace(every(), tender=chips))
    floor.play()
    with refuses("drawer.not_enough_cash"):
        pay(floor, wanda)
    assert [body["why"] for body in bodies(floor, "PRESENTED")] == ["drawer.not_enough_cash"]
    floor.close_drawer(wanda, drawer, Count({TenderKind.COIN: 1, TenderKind.CHIPS: 8_000}))
    floor.pass_time(days=3)
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    assert pay(floor, wanda)["win_cents"] == WON
    floor.check_books()


@pytest.mark.rule("15.4(e)-void", "X-drawer")
def test_a_void_gives_back_only_what_is_in_the_drawer(floor: Floor) -> None:
    wanda = floor.writing()
    chips = (Tender(TenderKind.CHIPS, 8_000),)
    floor.sell(wanda, replace(every(), tender=chips))
    walt = floor.signed_in(WALT, SECOND_STATION)
    floor.open_drawer(walt, RICH)
    voiding = Voiding(1, "wrong numbers", floor.code(1), SAM_APPROVES)
    with refuses("drawer.not_in_it"):
        void_ticket(floor.office, walt, voiding, floor.request_id())
    assert void_ticket(floor.office, wanda, voiding, floor.request_id())["back_cents"] == 8_000
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_whoever_tries_out_what_is_in_a_drawer_is_noted(floor: Floor) -> None:
    wanda = floor.writing()
    bleed = {TenderKind.CURRENCY: 99_999_999}
    with refuses("drawer.not_in_it"):
        move_cash(floor.office, wanda, 1, DrawerAct.BLEED, bleed, SAM_APPROVES, floor.request_id())
    assert [each["code"] for each in bodies(floor, "REFUSED")] == ["drawer.not_in_it"]
    floor.sell(wanda, every())
    floor.play()
    floor.open_drawer(floor.signed_in(WALT, SECOND_STATION), RICH)
    pay(floor, floor.signed_in(WALT, SECOND_STATION))
    (paid,) = look_at_drawer(floor.office, floor.signed_in(WALT, SECOND_STATION), 2)["paid_tickets"]
    assert paid == {"number": 1}  # the count is blind


@pytest.mark.rule("X-drawer")
def test_whoever_tries_out_how_much_change_there_is_is_noted_each_time(floor: Floor) -> None:
    """A sale for chips, with a coupon that is spent, leaves nothing else behind."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, Count({TenderKind.COIN: 1}))
    spent = Tender(TenderKind.COUPON, 100, "C-1")
    floor.sell(wanda, replace(dollar(), tender=(spent,)))
    probe = replace(dollar(), tender=(Tender(TenderKind.CHIPS, 10_000), spent))
    for _ in range(2):
        with refuses("drawer.not_enough_cash"):
            floor.sell(wanda, probe)
    drawer = {"drawer": 1, "staff": "WANDA", "station": "B1"}
    noted = [(each["code"], each["facts"]) for each in bodies(floor, "REFUSED")]
    assert noted == [("drawer.not_enough_cash", drawer)] * 2
    floor.check_books()


@pytest.mark.rule("15.4(d)-refund", "X-drawer")
def test_no_refund_comes_out_of_a_drawer_without_cash(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, Count({TenderKind.COIN: 1}))
    floor.sell(wanda, replace(every(3), tender=(Tender(TenderKind.CHIPS, 24_000),)))
    floor.play()
    with refuses("drawer.not_enough_cash"):
        refund(floor, wanda)
    assert [each["code"] for each in bodies(floor, "REFUSED")] == ["drawer.not_enough_cash"]
    floor.check_books()


@pytest.mark.rule("X-pay-second-tier", "X-access-disable")
def test_a_manager_who_is_disabled_in_between_has_approved_nothing(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    low = Dated(Amount.SECOND_TIER, floor.moment[0].date() + timedelta(days=1), 1_000)
    set_amount(floor.office, floor.sam, manager, low)
    floor.pass_time(days=1)
    wanda = sold(floor)
    floor.play()

    def disabled_first(*given: object) -> object:
        disable_staff(floor.office, floor.signed_in(ADA, SECOND_STATION), MAX)
        return answer_once(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(authority, "answer_once", disabled_first)
        with refuses("staff.disabled"):
            pay(floor, wanda, approval=SAM_APPROVES, manager=MAX_APPROVES)
    assert rows(floor, "SELECT count(*) FROM payout") == [(0,)]


def papers(floor: Floor) -> list[tuple[int, int]]:
    found = rows(floor, "SELECT ticket, win_cents FROM tax_paper ORDER BY entry")
    return [(int(number), int(cents)) for number, cents in found]


@pytest.mark.rule("X-pay-tax")
def test_a_paper_that_says_too_little_is_followed_by_one_for_the_rest(floor: Floor) -> None:
    """The paper of one ticket is filled in before the other one of the same game is paid."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, by_coupon("24.00", "A-1"))
    floor.sell(wanda, by_coupon("40.00", "B-1"))
    floor.play()
    contact = Contact("c-1")
    file_tax_paper(floor.office, wanda, paper_of(floor, 2), floor.request_id())
    assert pay(floor, wanda, 1, contact=contact)["win_cents"] == 144_000
    with refuses("payment.tax_paper_needed"):
        pay(floor, wanda, 2, contact=contact, approval=SAM_APPROVES)
    rest = file_tax_paper(floor.office, wanda, paper_of(floor, 2, contact), floor.request_id())
    assert (rest["win_cents"], rest["net_cents"]) == (144_000, 144_000)
    assert papers(floor) == [(2, 240_000), (2, 144_000)]
    pay(floor, wanda, 2, contact=contact, approval=SAM_APPROVES)
    floor.check_books()


@pytest.mark.rule("X-pay-tax")
def test_nothing_is_reported_twice(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    for number in (1, 2, 3):
        floor.sell(wanda, by_coupon("24.00", f"A-{number}"))
    floor.play()
    contact = Contact("c-1")
    pay(floor, wanda, 1, contact=contact)
    for number in (2, 3):
        paper = paper_of(floor, number, contact)
        file_tax_paper(floor.office, wanda, paper, floor.request_id())
        pay(floor, wanda, number, contact=contact, approval=SAM_APPROVES)
    assert papers(floor) == [(2, 288_000), (3, 144_000)]
    floor.check_books()


@pytest.mark.rule("X-pay-tax")
def test_a_paper_counts_for_the_tickets_on_it_and_for_no_other(floor: Floor) -> None:
    """Whoever fills in a paper in one contact, and is paid in another, is reported whole."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    for number in (1, 2, 3):
        floor.sell(wanda, by_coupon("24.00", f"A-{number}"))
    floor.play()
    here, there = Contact("c-1"), Contact("c-2")
    pay(floor, wanda, 1, contact=here)
    file_tax_paper(floor.office, wanda, paper_of(floor, 2, here), floor.request_id())
    pay(floor, wanda, 2, contact=there)
    with refuses("payment.tax_paper_needed"):
        pay(floor, wanda, 3, contact=there, approval=SAM_APPROVES)
    file_tax_paper(floor.office, wanda, paper_of(floor, 3, there), floor.request_id())
    pay(floor, wanda, 3, contact=there, approval=SAM_APPROVES)
    on_paper = rows(floor, "SELECT ticket, win_cents FROM reported_win ORDER BY ticket")
    assert on_paper == [(1, 144_000), (2, 144_000), (3, 144_000)]
    floor.check_books()


@pytest.mark.rule("X-pay-tax")
def test_a_paper_that_said_more_than_is_paid_now_takes_no_second_one(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, by_coupon("24.00", "A-1"))
    floor.sell(wanda, by_coupon("40.00", "B-1"))
    floor.play()
    contact = Contact("c-1")
    pay(floor, wanda, 1, contact=contact)
    file_tax_paper(floor.office, wanda, paper_of(floor, 2, contact), floor.request_id())
    pay(floor, wanda, 2, approval=SAM_APPROVES)  # the writer forgot to say who it is
    assert papers(floor) == [(2, 384_000)]
    floor.check_books()


@pytest.mark.rule("X-pay-tax", "X-access")
def test_nobody_fills_in_the_paper_of_a_ticket_that_they_have_not_seen(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, by_coupon("40.00", "A-1"))
    floor.play()
    seen = paper_of(floor)
    with refuses("approval.needed"):
        file_tax_paper(floor.office, wanda, replace(seen, code=None), floor.request_id())
    with refuses("ticket.wrong_code"):
        file_tax_paper(floor.office, wanda, replace(seen, code="1" * 25), floor.request_id())
    torn = replace(seen, code=None, approval=SAM_APPROVES)
    file_tax_paper(floor.office, wanda, torn, "paper-of-pat")
    with refuses("request_id.other_content"):
        file_tax_paper(floor.office, wanda, replace(torn, name="Mickey"), "paper-of-pat")


@pytest.mark.rule("15.6(a)")
@pytest.mark.parametrize("number", ["1001 ", "a1", "", "N\u200b1", "9" * 41])
def test_a_check_number_is_written_in_one_way(floor: Floor, number: str) -> None:
    wanda = sold(floor)
    floor.play()
    with refuses("payment.check_incomplete"):
        pay(floor, wanda, check=Check(number, "Pat Patron"))


@pytest.mark.rule("X-drawer", "X-access")
def test_a_writer_does_not_move_a_drawer_alone(floor: Floor) -> None:
    wanda = floor.writing()
    moving = Minding(1, DrawerAct.MOVE, SECOND_STATION, "nearer to the bar")
    with refuses("approval.supervisor_needed"):
        mind_drawer(floor.office, wanda, moving, floor.request_id())
    sam = floor.signed_in(SAM, SECOND_STATION)
    mind_drawer(floor.office, sam, moving, floor.request_id())
    floor.check_books()


@pytest.mark.rule("X-pay-second-tier")
@pytest.mark.parametrize("cents", [0, -1, 10**30])
def test_an_amount_that_is_none_is_refused(floor: Floor, cents: int) -> None:
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    tomorrow = floor.moment[0].date() + timedelta(days=1)
    with refuses("amount.loose"):
        set_amount(floor.office, floor.sam, manager, Dated(Amount.SECOND_TIER, tomorrow, cents))


# ---- chips, cards and contacts -------------------------------------------------------------------


@pytest.mark.rule("X-pay-cash-log", "X-drawer")
def test_change_for_chips_is_cash_that_goes_out(floor: Floor) -> None:
    """Nobody turns chips into cash by buying a small ticket, without being seen."""
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    contact = Contact("c-1", "P-77")
    chips = (Tender(TenderKind.CHIPS, 2_000_000),)
    bought = floor.sell(wanda, replace(every(), tender=chips, contact=contact))
    assert (bought["change_cents"], bought["contact"]["net_cents"]) == (1_992_000, 8_000)
    assert bought["contact"]["cash_out_cents"] == 1_992_000
    assert bought["contact"]["currency_report"] is True
    voiding = Voiding(1, "has to leave", floor.code(1), contact=contact)
    void_ticket(floor.office, wanda, voiding, floor.request_id())
    more = (Tender(TenderKind.CHIPS, 50_000_000),)
    with refuses("drawer.not_enough_cash"):
        floor.sell(wanda, replace(every(), tender=more))
    (listed,) = cash_log(floor.office, floor.signed_in(SAM, SECOND_STATION), TODAY)
    assert (listed["cash_in_cents"], listed["cash_out_cents"]) == (0, 1_992_000)
    floor.check_books()


@pytest.mark.rule("15.6(b)", "X-pay-cash-log")
@pytest.mark.parametrize("card", ["p-77", "P.77", "", "P" * 41])
def test_a_player_card_is_written_in_one_way(floor: Floor, card: str) -> None:
    with refuses("contact.bad_name"):
        floor.sell(floor.writing(), replace(every(), contact=Contact("c-1", card)))


# ---- time ----------------------------------------------------------------------------------------


@pytest.mark.rule("15.6(c)", "X-recovery")
def test_a_win_posted_as_expired_is_not_paid_though_the_close_died_and_the_clock_went_back(
    floor: Floor,
) -> None:
    two_days_to_claim(floor)
    sold(floor)
    floor.play()
    in_time = floor.moment[0] + timedelta(days=1)
    floor.pass_time(days=4)
    expire_wins(floor.office, floor.moment[0])
    floor.moment[0] = in_time
    with refuses("ticket.expired"):
        pay(floor, floor.signed_in(WANDA))
    floor.check_books()


@pytest.mark.rule("15.4(d)-pay", "15.6(c)")
def test_whoever_cancels_the_rest_late_has_the_whole_time_to_claim(floor: Floor) -> None:
    two_days_to_claim(floor)
    sold(floor, every(3))
    floor.play()
    floor.pass_time(days=3)
    wanda = floor.signed_in(WANDA)
    refund(floor, wanda)
    floor.pass_time(days=1)
    assert pay(floor, floor.signed_in(WANDA))["win_cents"] == WON
    floor.check_books()


@pytest.mark.rule("X-clock")
def test_a_clock_that_ran_ahead_for_a_while_keeps_nobody_out(floor: Floor) -> None:
    floor.close_drawer(floor.writing(), 1, BANK)
    floor.pass_time(days=1)
    floor.writing(WALT, SECOND_STATION)
    right = floor.moment[0]
    floor.moment[0] = right + timedelta(days=3_650)
    close_day(floor.office, floor.sam, TODAY)
    floor.moment[0] = right + timedelta(hours=1)
    floor.close_drawer(floor.signed_in(WALT, SECOND_STATION), 2, BANK)
    floor.lock()
    floor.check_books()


@pytest.mark.rule("15.4(d)-refund")
def test_a_coupon_can_be_used_again_though_its_games_went_back_one_by_one(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    coupon = replace(every(2), tender=(Tender(TenderKind.COUPON, 16_000, "C-1"),))
    floor.sell(wanda, coupon)
    void_next(floor)
    refund(floor, wanda, cancel=False)
    floor.check_books()
    void_next(floor)
    refund(floor, wanda)
    floor.check_books()
    assert floor.sell(wanda, coupon)["number"] == 2
    floor.check_books()
