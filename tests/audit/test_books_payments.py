"""The books of payments and drawers: what is planted in them is found."""

from datetime import date, timedelta

import pytest

from app.flow.access import Approval, at_console
from app.flow.close_day import close_day
from app.flow.contact import Contact
from app.flow.drawer import Closing, close_drawer, move_cash
from app.flow.house_amounts import set_amount
from app.flow.permissions import Permission
from app.flow.sell import Sale
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count, DrawerAct
from app.keno.request import Request
from app.keno.tender import TenderKind
from tests.audit.books_payments import BILLS, PLANTED, PLANTED_PAPERS, reported_win
from tests.audit.planting import After, found_in, plant
from tests.floor import MAX, SAM, WANDA, Floor, secret_of
from tests.story.cheats import two_days_to_claim
from tests.story.days import TODAY, closed_drawer
from tests.story.paying import pay, sold

EVERY = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 30.00")
RICH = Count({TenderKind.CURRENCY: 10_000_000})
SAM_APPROVES = Approval(SAM, secret_of(SAM))


def day_with_a_payment(floor: Floor) -> None:
    """A large win is paid, the drawer filled and closed, an amount lowered, the day closed."""
    wanda = floor.signed_in(WANDA)
    drawer = floor.open_drawer(wanda, RICH)["drawer"]
    floor.sell(wanda, Sale("M", EVERY, BILLS))
    floor.sell(wanda, Sale("M", Request(((1,),), "1/1 @ 1.00"), BILLS))
    floor.void(wanda, 2)
    floor.play()
    pay(floor, wanda, approval=SAM_APPROVES, contact=Contact("c-1"))
    fill = {TenderKind.COIN: 1_000}
    move_cash(floor.office, wanda, drawer, DrawerAct.FILL, fill, SAM_APPROVES, floor.request_id())
    closing = Closing(drawer, Count({TenderKind.CURRENCY: 10_000_000}), (1,))
    verifier = Approval(MAX, secret_of(MAX))
    close_drawer(floor.office, wanda, closing, floor.request_id(), verifier)
    lower = Dated(Amount.APPROVAL, date(2026, 12, 24), 100_000)
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    set_amount(floor.office, floor.sam, manager, lower)
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, date(2026, 11, 16))
    floor.check_books()


@pytest.mark.rule("X-audit-books", "15.6(b)", "X-drawer")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_payments_and_drawers_is_found(after: After, what: str) -> None:
    floor = after(day_with_a_payment)
    statement, expected = PLANTED[what]
    plant(floor, statement, late="2099-01-01T00:00:00.000000Z")
    assert set(found_in(floor)) == expected


@pytest.mark.rule("X-audit-books", "X-pay-tax")
@pytest.mark.parametrize("what", PLANTED_PAPERS)
def test_what_is_planted_in_tax_papers_is_found(after: After, what: str) -> None:
    floor = after(reported_win)
    statement, expected = PLANTED_PAPERS[what]
    plant(floor, statement)
    assert set(found_in(floor)) == expected


# What is done to a win that expired, and which checks find it.
PLANTED_EXPIRY: dict[str, tuple[str, set[str]]] = {
    "it expired earlier": (
        "UPDATE expiry SET expired_at = '2026-11-16T20:00:00.000000Z'",
        {"facts", "payments"},
    ),
    "it expired for more": ("UPDATE expiry SET cents = cents + 1", {"facts", "payments", "wins"}),
    "it was presented in time": (
        """INSERT INTO presentation (ticket, why, station, staff, presented_at, entry)
        SELECT 1, 'approval.needed', station, staff, sold_at, entry FROM ticket WHERE number = 1""",
        {"facts", "payments"},
    ),
    "it is still owed": (
        "UPDATE posting SET account = 'wins' WHERE account = 'expired'",
        {"payments", "wins"},
    ),
}


def expired_win(floor: Floor) -> None:
    """Nobody comes for a win in two days, and the days are closed."""
    two_days_to_claim(floor)
    sold(floor)
    floor.play()
    closed_drawer(floor, 10_008_000)
    for day in range(3):
        floor.pass_time(days=1)
        close_day(floor.office, floor.sam, TODAY + timedelta(days=day))
    floor.check_books()


@pytest.mark.rule("X-audit-books", "15.6(c)")
@pytest.mark.parametrize("what", PLANTED_EXPIRY)
def test_what_is_planted_in_expired_wins_is_found(after: After, what: str) -> None:
    floor = after(expired_win)
    statement, expected = PLANTED_EXPIRY[what]
    plant(floor, statement)
    assert set(found_in(floor)) == expected
