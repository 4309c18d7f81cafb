"""Expiry, and closing a gaming day (15.6(c), decision of the house)."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import date, timedelta
from typing import Any

import pytest

from app.flow import close_day as closing
from app.flow.access import Approval, at_console
from app.flow.close_day import close_day, so_far
from app.flow.drawer import move_cash
from app.flow.look_up import look_up
from app.flow.permissions import Permission
from app.flow.release import release_game
from app.flow.unclaimed import unclaimed_wins
from app.keno.drawer import Count, DrawerAct
from app.keno.tender import TenderKind
from tests.floor import CARD, MAX, SAM, SECOND_STATION, WALT, WANDA, Floor, secret_of
from tests.looking import bodies, postings, refuses, rows
from tests.story.days import TODAY, closed_drawer
from tests.story.paying import RICH, WON, every, pay
from tests.story.refunds import void_next
from tests.story.settlement import frozen_floor

PATIENCE = 60.0


@pytest.mark.rule("X-audit-books")
def test_a_day_is_closed_with_figures_that_lead_from_one_to_the_next(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, every(2))
    floor.sell(wanda, every())
    floor.sell(wanda)
    floor.void(wanda, 3)
    floor.play()
    pay(floor, wanda, 2)
    closed_drawer(floor, 10_000_000 + 3 * 8_000 - WON)
    floor.pass_time(days=1)
    told = close_day(floor.office, floor.sam, TODAY)["figures"]
    assert isinstance(told, dict)
    assert (told["sales_cents"], told["voids_cents"], told["write_cents"]) == (24_100, 100, 16_000)
    assert (told["wins_cents"], told["paid_cents"], told["win_cents"]) == (2 * WON, WON, 4_000)
    assert (told["prepaid_carried_cents"], told["payable_carried_cents"]) == (8_000, WON)
    balances = "SELECT account, -sum(cents) FROM posting WHERE account IN ('prepaid', "
    found = rows(floor, balances + "'wins-payable') GROUP BY account")
    assert {account: int(cents) for account, cents in found} == {
        "prepaid": told["prepaid_carried_cents"],
        "wins-payable": told["payable_carried_cents"],
    }
    floor.play()
    floor.pass_time(days=1)
    second = close_day(floor.office, floor.sam, TODAY + timedelta(days=1))["figures"]
    assert isinstance(second, dict)
    assert (second["prepaid_brought_cents"], second["prepaid_carried_cents"]) == (8_000, 0)
    assert second["payable_carried_cents"] == 2 * WON
    both = so_far(floor.office, TODAY + timedelta(days=1))["month"]
    assert isinstance(both, dict)
    assert (both["write_cents"], both["payable_carried_cents"]) == (24_000, 2 * WON)
    floor.check_books()


@pytest.mark.rule("X-audit-books", "X-drawer")
def test_a_day_waits_for_its_own_games_and_drawers_and_for_the_day_before(floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("day.not_over"):
        close_day(floor.office, floor.sam, TODAY)
    floor.lock()
    floor.pass_time(days=1)
    with refuses("day.not_next"):
        close_day(floor.office, floor.sam, TODAY - timedelta(days=1))
    with refuses("day.games_undecided"):
        close_day(floor.office, floor.sam, TODAY)
    floor.draw()
    floor.grade(1)
    with refuses("day.drawers_open"):
        close_day(floor.office, floor.sam, TODAY)
    count = Count({TenderKind.CURRENCY: 55_100})
    floor.close_drawer(floor.signed_in(WANDA), 1, count)
    floor.open_drawer(floor.signed_in(WANDA))  # of the next day, which it does not wait for
    close_day(floor.office, floor.sam, TODAY)
    with refuses("day.closed"):
        close_day(floor.office, floor.sam, TODAY)
    floor.check_books()


@pytest.mark.rule("X-drawer", "X-audit-books")
def test_a_day_is_held_against_its_drawers_and_every_difference_has_a_name(floor: Floor) -> None:
    """A drawer is five dollars short, and another goes past the end of the day."""
    wanda, walt = floor.signed_in(WANDA), floor.signed_in(WALT, SECOND_STATION)
    floor.open_drawer(wanda, RICH)
    floor.open_drawer(walt)
    floor.sell(wanda, every())
    floor.sell(walt)
    fill = {TenderKind.CURRENCY: 2_000}
    sam = Approval(SAM, secret_of(SAM))
    move_cash(floor.office, wanda, 1, DrawerAct.FILL, fill, sam, floor.request_id())
    floor.play()
    pay(floor, wanda, 1)
    short = Count({TenderKind.CURRENCY: 10_000_000 + 8_000 + 2_000 - WON - 500})
    assert floor.close_drawer(wanda, 1, short)["over_short_cents"] == -500
    floor.pass_time(days=1)
    walt = floor.signed_in(WALT, SECOND_STATION)  # whose shift goes on
    floor.sell(walt)
    floor.close_drawer(walt, 2, Count({TenderKind.CURRENCY: 50_200, TenderKind.COIN: 5_000}))
    told = close_day(floor.office, floor.sam, TODAY)["drawers"]
    assert isinstance(told, dict)
    shifts = told.pop("shifts")
    assert told == {
        "by_acts_cents": 8_100 - WON,
        "by_drawers_cents": 8_100 - WON - 500 + 100,
        "over_short_cents": -500,
        "in_drawers_of_other_days_cents": 0,
        "by_acts_of_other_days_cents": 100,
        "unexplained_cents": 0,
    }
    assert [(each["writer"], each["over_short_cents"]) for each in shifts] == [
        ("WANDA", -500),
        ("WALT", 0),
    ]
    of_wanda = shifts[0]
    assert (of_wanda["sales_cents"], of_wanda["paid_cents"]) == (8_000, WON)
    assert (of_wanda["win_cents"], of_wanda["hold"]) == (8_000 - WON, "1/4")
    floor.pass_time(days=1)
    second = close_day(floor.office, floor.sam, TODAY + timedelta(days=1))["drawers"]
    assert isinstance(second, dict)
    assert (second["by_acts_cents"], second["in_drawers_of_other_days_cents"]) == (100, 100)
    assert (second["by_drawers_cents"], second["unexplained_cents"]) == (0, 0)
    floor.check_books()


@pytest.mark.rule("15.6(c)")
def test_wins_that_nobody_came_for_expire_at_the_close_of_their_day(floor: Floor) -> None:
    short = CARD.read_bytes().replace(b"claim_minutes = 525_600", b"claim_minutes = 2_880")
    floor.put_in_force(short)
    floor.pass_time(hours=2)
    floor.play()  # the next game opens on the card of two days
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, every())
    floor.play()
    closed_drawer(floor, 10_008_000)
    told: object = None
    for day in range(3):
        floor.pass_time(days=1)
        if day == 0:
            (win,), more = unclaimed_wins(floor.office, floor.signed_in(SAM))
            assert more is None
            assert (win["number"], win["win_cents"], win["days"]) == (1, WON, 1)
            assert unclaimed_wins(floor.office, floor.signed_in(SAM), WON + 1) == ([], None)
        floor.sign_day(TODAY + timedelta(days=day))  # Sam has looked up what was not claimed
        told = close_day(floor.office, floor.sam, TODAY + timedelta(days=day))["figures"]
        assert isinstance(told, dict)
        assert told["expired_cents"] == (WON if day == 2 else 0)
    assert isinstance(told, dict)
    assert told["payable_carried_cents"] == 0
    assert postings(floor, "EXPIRED") == [("wins-payable", None, WON), ("expired", None, -WON)]
    assert len(bodies(floor, "EXPIRED")) == 1
    assert look_up(floor.office, floor.signed_in(WANDA), 1)["standing"] == "expired"
    assert unclaimed_wins(floor.office, floor.signed_in(SAM)) == ([], None)
    floor.check_books()


@pytest.mark.rule("X-grade-twice", "X-fault-refund")
def test_frozen_games_are_listed_and_void_ones_leave_their_price_prepaid(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    wanda = floor.signed_in(WANDA)
    void_next(floor)
    ((drawer,),) = rows(floor, "SELECT id FROM drawer")
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    floor.close_drawer(wanda, drawer, Count({TenderKind.CURRENCY: int(held)}))
    floor.pass_time(days=1)
    frozen = close_day(floor.office, floor.sam, TODAY)["frozen"]
    assert isinstance(frozen, list)
    assert [(each["series"], each["game"]) for each in frozen] == [("M", 1)]
    (body,) = bodies(floor, "DAY-CLOSE")
    assert body["figures"]["refunds_cents"] == 0


@pytest.mark.rule("15.6(c)")
def test_wins_that_nobody_came_for_are_listed_a_page_at_a_time(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.flow.unclaimed.AT_ONCE", 2)
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    for _ in range(3):
        floor.sell(wanda, every())
    floor.play()
    first, more = unclaimed_wins(floor.office, floor.signed_in(SAM))
    assert ([win["number"] for win in first], more) == ([1, 2], 2)
    last, no_more = unclaimed_wins(floor.office, floor.signed_in(SAM), after=2)
    assert ([win["number"] for win in last], no_more) == ([3], None)


@pytest.mark.rule("X-pay-refusals")
def test_a_large_winner_is_listed_at_once_even_if_its_ticket_still_plays(floor: Floor) -> None:
    wanda = floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, every(3))
    floor.play()
    (win,), _ = unclaimed_wins(floor.office, floor.signed_in(SAM))
    assert (win["standing"], win["win_cents"], win["expires_at"]) == ("in-play", WON, None)


@pytest.mark.rule("X-audit-books", "X-grade-twice")
@pytest.mark.parametrize("graded", ["released", "released and graded again"])
def test_a_game_that_is_released_while_a_day_is_closed_waits_for_the_close(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, graded: str
) -> None:
    """Else the figures tell of it as it was, and what is owed as it is; a close is never mended."""
    frozen_floor(floor, monkeypatch)
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    closed_drawer(floor, int(held))
    floor.pass_time(days=1)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.GAME_RELEASE)
    sam = floor.sam

    def release() -> None:
        release_game(floor.office, sam, manager, "M", 1, "the grader was mended")

    day = TODAY
    if graded == "released":
        close_meanwhile(floor, monkeypatch, "_figures", release)
        assert floor.grade(1) == "certified"
    else:
        close_day(floor.office, sam, day)
        day += timedelta(days=1)
        release()
        floor.pass_time(days=1)
        close_meanwhile(floor, monkeypatch, "_unclaimed", lambda: floor.grade(1), day)
    floor.pass_time(days=1)
    told = close_day(floor.office, floor.sam, day + timedelta(days=1))["figures"]
    assert isinstance(told, dict)
    ((owed,),) = rows(floor, "SELECT -sum(cents) FROM posting WHERE account = 'wins-payable'")
    assert told["payable_carried_cents"] == int(owed)
    floor.check_books()


def close_meanwhile(
    floor: Floor,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    act: Callable[[], object],
    day: date = TODAY,
) -> None:
    """Close a day; somebody else begins an act before a step of it, and waits for the close."""
    right = getattr(closing, step)
    with ThreadPoolExecutor(1) as threads, monkeypatch.context() as patched:
        acts: list[Future[object]] = []

        def raced(*given: Any) -> Any:  # noqa: ANN401  whatever the step is given
            acts.append(threads.submit(act))
            wait(acts, timeout=0.5)
            return right(*given)

        patched.setattr(closing, step, raced)
        close_day(floor.office, floor.sam, day)
        (other,) = acts
        other.result(PATIENCE)
