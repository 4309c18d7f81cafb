"""The books of payments and drawers: what is planted in them is found."""

from datetime import date

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
from app.keno.tender import Tender, TenderKind
from tests.audit.test_books import found_in, plant
from tests.floor import MAX, SAM, WANDA, Floor, secret_of
from tests.story.test_7_paying import pay

EVERY = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 30.00")
BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)
RICH = Count({TenderKind.CURRENCY: 10_000_000})
SAM_APPROVES = Approval(SAM, secret_of(SAM))

# What is done to the database, and which checks find it.
PLANTED: dict[str, tuple[str, set[str]]] = {
    "a ticket was paid more": (
        "UPDATE payout SET cents = cents + 1 WHERE ticket = 1",
        {"facts", "payments", "wins"},
    ),
    "a payment is gone": ("DELETE FROM payout WHERE ticket = 1", {"facts", "wins"}),
    "a payment was approved by nobody": (
        "UPDATE payout SET approver = NULL WHERE ticket = 1",
        {"facts", "payments"},
    ),
    "a payment was approved by who paid it": (
        "UPDATE payout SET approver = staff WHERE ticket = 1",
        {"facts", "payments"},
    ),
    "a payment is another writer's": (
        "UPDATE payout SET staff = (SELECT id FROM staff WHERE code = 'WALT') WHERE ticket = 1",
        {"facts"},
    ),
    "a payment came before its game was decided": (
        "UPDATE game SET state = 'settled' WHERE series = 'M' AND number = 1",
        {"payments"},
    ),
    "a payment came after the ticket expired": (
        "UPDATE payout SET paid_at = :late WHERE ticket = 1",
        {"facts", "payments"},
    ),
    "a payment is not what was owed": (
        "UPDATE posting SET cents = cents - 1 WHERE account = 'wins-payable' AND cents > 0",
        {"money", "payments", "wins"},
    ),
    "a void ticket was paid": (
        "UPDATE void SET ticket = 1 WHERE ticket = 2",
        {"entries", "money", "payments", "sold files", "wins"},
    ),
    "an approval was of another amount": (
        "UPDATE approval SET cents = 1 WHERE ticket = 1",
        {"facts"},
    ),
    "a drawer was counted otherwise": (
        "UPDATE drawer_count SET cents = cents + 1 WHERE closing",
        {"drawers", "facts"},
    ),
    "a drawer was opened with another bank": (
        "UPDATE drawer_count SET cents = cents + 1 WHERE NOT closing",
        {"drawers"},
    ),
    "a count was of one alone": ("UPDATE drawer_count SET verifier = NULL", {"facts"}),
    "a ticket can be claimed longer than it says": (
        "UPDATE ticket SET prints_expiry = :late WHERE number = 1",
        {"entries"},
    ),
    "a closed day had other figures": (
        "UPDATE day_close SET figures = '{}'",
        {"facts"},
    ),
    "a fill was a bleed": ("UPDATE drawer_move SET act = 'bleed'", {"facts"}),
    "a fill was of more": ("UPDATE drawer_move SET amounts = '{\"coin\": 2000}'", {"facts"}),
    "a fill was another supervisor's": (
        "UPDATE drawer_move SET approver = (SELECT id FROM staff WHERE code = 'SUE')",
        {"facts"},
    ),
    "another supervisor approved a payment": (
        "UPDATE approval SET staff = (SELECT id FROM staff WHERE code = 'SUE')",
        {"facts"},
    ),
    "others set an amount": (
        "UPDATE house_amount SET staff = (SELECT id FROM staff WHERE code = 'SUE')",
        {"facts"},
    ),
    "a game of a closed day was won for more": (
        "UPDATE settlement SET paid_cents = paid_cents + 1",
        {"days", "facts", "wins"},
    ),
    "a day was closed with other shifts": ("UPDATE day_close SET drawers = '{}'", {"facts"}),
}


@pytest.mark.rule("X-audit-books", "15.6(b)", "X-drawer")
@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_payments_and_drawers_is_found(floor: Floor, what: str) -> None:
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
    statement, expected = PLANTED[what]
    plant(floor, statement, late="2099-01-01T00:00:00.000000Z")
    assert set(found_in(floor)) == expected
