"""Drawers and shifts: counted by two, filled and bled, closed blind, never lost (X-drawer)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.flow.access import Approval, Credentials, at_console
from app.flow.asking import Answer
from app.flow.drawer import (
    Closing,
    Minding,
    close_drawer,
    look_at_drawer,
    mind_drawer,
    move_cash,
    open_drawer,
)
from app.flow.house_amounts import set_amount
from app.flow.house_settings import change_setting
from app.flow.permissions import Permission
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count, DrawerAct
from app.keno.house_settings import BOUNDS
from app.keno.tender import Tender, TenderKind
from tests.floor import BANK, MAX, SECOND_STATION, SUE, WALT, WANDA, Floor, dollar, secret_of
from tests.looking import bodies, postings, refuses, rows
from tests.story.paying import SAM_APPROVES, every, pay

CURRENCY, COIN = TenderKind.CURRENCY, TenderKind.COIN
MAX_COUNTS = Approval(MAX, secret_of(MAX))


def moved(  # noqa: PLR0917  who moves what, and with whom
    floor: Floor,
    who: Credentials,
    drawer: int,
    act: DrawerAct,
    cents: int,
    approval: Approval | None = SAM_APPROVES,
) -> Answer:
    amounts = {CURRENCY: cents}
    return move_cash(floor.office, who, drawer, act, amounts, approval, floor.request_id())


def minded(
    floor: Floor, who: Credentials, drawer: int, act: DrawerAct, station: str | None = None
) -> Answer:
    minding = Minding(drawer, act, station, "why it is done")
    return mind_drawer(floor.office, who, minding, floor.request_id())


# ---- counted by two ------------------------------------------------------------------------------


@pytest.mark.rule("X-drawer")
def test_a_drawer_is_opened_and_closed_by_two_people_who_are_not_the_same(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    for verifier, code in (
        (None, "drawer.verifier_needed"),
        (Approval(WANDA, secret_of(WANDA)), "approval.same_person"),
        (Approval(MAX, "guessed"), "staff.wrong_secret"),
    ):
        with refuses(code):
            open_drawer(floor.office, wanda, BANK, floor.request_id(), verifier)
    drawer = floor.open_drawer(wanda)["drawer"]
    with refuses("drawer.verifier_needed"):
        close_drawer(floor.office, wanda, Closing(drawer, BANK), floor.request_id(), None)
    floor.close_drawer(wanda, drawer, BANK)
    assert [body["verifier"] for body in bodies(floor, "DRAWER-OPEN")] == ["MAX"]
    assert [body["verifier"] for body in bodies(floor, "DRAWER-CLOSE")] == ["MAX"]
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_a_count_by_denomination_is_kept_as_it_was_counted(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    count = Count({CURRENCY: 7_000, COIN: 75}, {CURRENCY: {2_000: 3, 1_000: 1}, COIN: {25: 3}})
    floor.open_drawer(wanda, count)
    (body,) = bodies(floor, "DRAWER-OPEN")
    assert body["counted"] == {"coin": {"25": 3}, "currency": {"1000": 1, "2000": 3}}
    floor.check_books()


# ---- fills and bleeds ----------------------------------------------------------------------------


@pytest.mark.rule("X-drawer")
def test_a_fill_and_a_bleed_have_both_names_and_move_what_should_be_there(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = floor.open_drawer(wanda, Count({CURRENCY: 10_000}))["drawer"]
    moved(floor, wanda, drawer, DrawerAct.FILL, 5_000)
    moved(floor, wanda, drawer, DrawerAct.BLEED, 12_000)
    bodies_ = bodies(floor, "DRAWER-MOVE")
    told = [(body["act"], body["writer"], body["approver"]) for body in bodies_]
    assert told == [("fill", "WANDA", "SAM"), ("bleed", "WANDA", "SAM")]
    assert postings(floor, "DRAWER-MOVE") == [  # of the last one
        ("drawer", "currency", -12_000),
        ("bank", None, 12_000),
    ]
    slips = rows(floor, "SELECT slip FROM print_job ORDER BY id")
    assert slips == [("count",), ("movement",), ("movement",)]
    closed = floor.close_drawer(wanda, drawer, Count({CURRENCY: 3_000}))
    assert closed["over_short_cents"] == 0
    floor.check_books()


@pytest.mark.rule("X-drawer", "X-access")
def test_nobody_fills_alone_bleeds_more_than_there_is_or_another_s_drawer(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    with refuses("approval.supervisor_needed"):
        moved(floor, wanda, 1, DrawerAct.FILL, 5_000, None)
    with refuses("staff.not_permitted"):
        moved(floor, wanda, 1, DrawerAct.FILL, 5_000, Approval(WALT, secret_of(WALT)))
    with refuses("drawer.not_in_it"):
        moved(floor, wanda, 1, DrawerAct.BLEED, 50_001)
    with refuses("drawer.unknown"):
        moved(floor, walt, 1, DrawerAct.FILL, 5_000)
    assert bodies(floor, "DRAWER-MOVE") == []


# ---- breaks, moves, drawers that were left behind ------------------------------------------------


@pytest.mark.rule("X-drawer")
@pytest.mark.parametrize("act", [None, DrawerAct.SUSPEND])
def test_a_drawer_that_is_not_closed_shows_no_amount(floor: Floor, act: DrawerAct | None) -> None:
    """The count is blind. A break does not end that: the writer counts after it."""
    wanda = floor.writing()
    floor.sell(wanda, every())
    floor.play()
    pay(floor, wanda)
    if act is not None:
        minded(floor, wanda, 1, act)
    shown = look_at_drawer(floor.office, wanda, 1)
    facts = {"drawer", "state", "writer", "station", "opened_at", "paid_tickets"}
    assert set(shown) == facts
    assert shown["paid_tickets"] == [{"number": 1}]


@pytest.mark.rule("X-drawer")
def test_a_drawer_is_suspended_for_a_break_and_another_works_at_its_station(floor: Floor) -> None:
    wanda = floor.writing()
    minded(floor, wanda, 1, DrawerAct.SUSPEND)
    with refuses("drawer.not_open"):
        floor.sell(wanda)
    walt = floor.writing(WALT)  # at the same station
    floor.sell(walt)
    with refuses("drawer.already_open"):
        minded(floor, wanda, 1, DrawerAct.RESUME)
    floor.close_drawer(walt, 2, BANK)
    wanda = floor.signed_in(WANDA)
    assert minded(floor, wanda, 1, DrawerAct.RESUME)["state"] == "open"
    floor.sell(wanda)
    with refuses("drawer.wrong_state"):
        minded(floor, wanda, 1, DrawerAct.RESUME)
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_a_supervisor_moves_a_drawer_to_another_station(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    sue = floor.signed_in(SUE, "S1")
    with refuses("station.unknown"):
        minded(floor, sue, 1, DrawerAct.MOVE, "B9")
    minded(floor, sue, 1, DrawerAct.MOVE, SECOND_STATION)
    with refuses("drawer.not_open"):
        floor.sell(wanda)
    wanda = floor.signed_in(WANDA, SECOND_STATION)
    floor.sell(wanda)
    assert floor.close_drawer(wanda, 1, Count({CURRENCY: 55_200}))["over_short_cents"] == 0
    floor.check_books()


@pytest.mark.rule("X-drawer", "X-recovery")
def test_a_station_that_crashed_goes_on_with_its_drawer(floor: Floor) -> None:
    floor.sell(floor.writing())
    again = floor.signed_in(WANDA)  # after whatever happened to the machine
    floor.sell(again)
    assert look_at_drawer(floor.office, again, 1)["state"] == "open"


@pytest.mark.rule("X-drawer", "X-access")
def test_a_drawer_that_was_left_behind_is_closed_by_a_supervisor_with_a_reason(
    floor: Floor,
) -> None:
    floor.sell(floor.writing())
    walt, sue = floor.writing(WALT, SECOND_STATION), floor.signed_in(SUE, "S1")
    left = Closing(1, Count({CURRENCY: 55_100}), reason="she went home ill")
    with refuses("drawer.unknown"):
        close_drawer(floor.office, walt, left, floor.request_id(), MAX_COUNTS)
    with refuses("reason.missing"):
        closing = Closing(1, left.count)
        close_drawer(floor.office, sue, closing, floor.request_id(), MAX_COUNTS)
    closed = close_drawer(floor.office, sue, left, floor.request_id(), MAX_COUNTS)
    assert closed["over_short_cents"] == 0
    (body,) = bodies(floor, "DRAWER-CLOSE")
    assert (body["writer"], body["keeper"], body["reason"]) == (
        "SUE",
        "WANDA",
        "she went home ill",
    )
    floor.check_books()


# ---- over and short ------------------------------------------------------------------------------


@pytest.mark.rule("X-drawer")
def test_what_is_missing_is_shown_only_after_the_count_with_the_acts_that_explain_it(
    floor: Floor,
) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = floor.open_drawer(wanda)["drawer"]
    floor.sell(wanda)
    tender = (Tender(CURRENCY, 2_000),)
    floor.sell(wanda, replace(dollar(games=20), tender=tender))
    before = look_at_drawer(floor.office, wanda, drawer)
    assert not {"expected_cents", "over_short_cents", "found"} & set(before)
    closed = floor.close_drawer(wanda, drawer, Count({CURRENCY: 55_100}))
    assert closed["over_short_cents"] == -2_000
    assert closed["found"] == [{"acts": ["ticket 2 sold"], "cents": 2_000}]
    minded(floor, wanda, drawer, DrawerAct.EXPLAIN)
    after = look_at_drawer(floor.office, wanda, drawer)
    assert (after["over_short_cents"], after["explanations"]) == (-2_000, ["why it is done"])
    assert after["found"] == closed["found"]
    ((kept,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE account = 'over-short'")
    assert int(kept) == 2_000
    floor.check_books()


@pytest.mark.rule("15.6(a)", "X-drawer")
def test_paid_tickets_stay_with_the_drawer_and_are_checked_off_at_its_close(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    drawer = floor.open_drawer(wanda, Count({CURRENCY: 100_000}))["drawer"]
    for _ in range(2):
        floor.sell(wanda, every())
    floor.play()
    for number in (1, 2):
        pay(floor, wanda, number)
    paid = look_at_drawer(floor.office, wanda, drawer)["paid_tickets"]
    assert paid == [{"number": 1}, {"number": 2}]  # no amounts: the count is blind
    closing = Closing(drawer, Count({CURRENCY: 104_000}), tickets=(2,))
    closed = close_drawer(floor.office, wanda, closing, floor.request_id(), MAX_COUNTS)
    assert (closed["over_short_cents"], closed["tickets_missing"]) == (0, [1])
    assert look_at_drawer(floor.office, wanda, drawer)["tickets_missing"] == [1]
    floor.check_books()


@pytest.mark.rule("X-drawer", "X-access")
def test_nobody_but_its_writer_and_a_supervisor_looks_at_a_drawer(floor: Floor) -> None:
    floor.writing()
    walt = floor.writing(WALT, SECOND_STATION)
    with refuses("drawer.unknown"):
        look_at_drawer(floor.office, walt, 1)
    with refuses("drawer.unknown"):
        look_at_drawer(floor.office, walt, 99)
    assert look_at_drawer(floor.office, floor.signed_in(SUE, "S1"), 1)["writer"] == "WANDA"


# ---- amounts of the house ------------------------------------------------------------------------


@pytest.mark.rule("15.6(b)", "X-pay-second-tier")
def test_a_house_sets_amounts_stricter_than_the_rule_from_a_day_to_come(floor: Floor) -> None:
    sam = floor.sam
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    tomorrow = (floor.moment[0] + timedelta(days=1)).date()
    strict = Dated(Amount.APPROVAL, tomorrow, 5_000)
    for wrong, code in (
        (Dated(Amount.APPROVAL, tomorrow, 150_001), "amount.loose"),
        (Dated(Amount.APPROVAL, tomorrow, 0), "amount.loose"),
        (Dated(Amount.APPROVAL, floor.moment[0].date(), 5_000), "amount.past"),
    ):
        with refuses(code):
            set_amount(floor.office, sam, manager, wrong)
    # A looser one is published for a gaming day: not from the midnight on that is before noon.
    looser = Dated(Amount.SECOND_TIER, tomorrow, 2_000_000)
    with refuses("amount.too_soon"):
        set_amount(floor.office, sam, manager, looser)
    for one, other in ((sam, sam), (manager, manager), (manager, sam)):
        with refuses("amount.two_sides"):
            set_amount(floor.office, one, other, strict)
    set_amount(floor.office, sam, manager, strict)
    (body,) = bodies(floor, "AMOUNT")
    assert (body["before_cents"], body["after_cents"]) == (150_000, 5_000)
    wanda = floor.writing()
    floor.sell(wanda, every())
    floor.sell(wanda, every())
    floor.play()
    assert pay(floor, wanda)["win_cents"] == 6_000  # today the rule's amount holds
    floor.pass_time(days=1)
    with refuses("approval.needed"):
        pay(floor, floor.signed_in(WANDA), 2)
    floor.check_books()


@pytest.mark.rule("X-audit-log")
def test_a_house_settles_its_numbers_within_bounds_by_two(floor: Floor) -> None:
    sam = floor.sam
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    for setting, bounds in BOUNDS.items():
        for value in (bounds.least - 1, bounds.most + 1):
            with refuses("setting.out_of_bounds"):
                change_setting(floor.office, sam, manager, setting, value)
        for one, other in ((sam, sam), (manager, manager), (manager, sam)):
            with refuses("amount.two_sides"):
                change_setting(floor.office, one, other, setting, bounds.most)
        for value in (bounds.most, bounds.least):
            change_setting(floor.office, sam, manager, setting, value)
    changes = [(body["before"], body["after"]) for body in bodies(floor, "SETTING")]
    assert changes[:2] == [(1, 9), (9, 0)]
    floor.check_books()
