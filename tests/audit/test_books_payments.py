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
from app.flow.tax_paper import file_tax_paper
from app.keno.amounts import Amount, Dated
from app.keno.drawer import Count, DrawerAct
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.audit.planting import After, found_in, plant
from tests.floor import MAX, SAM, WANDA, Floor, secret_of
from tests.looking import rows
from tests.story.test_7_paying import paper_of, pay, sold
from tests.story.test_9_days import TODAY, closed_drawer
from tests.story.test_10_cheats import two_days_to_claim

EVERY = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 30.00")
BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)
RICH = Count({TenderKind.CURRENCY: 10_000_000})
SAM_APPROVES = Approval(SAM, secret_of(SAM))

# What is done to the database, and which checks find it.
PLANTED: dict[str, tuple[str, set[str]]] = {
    "a ticket was paid more": (
        "UPDATE payout SET cents = cents + 1 WHERE ticket = 1",
        {"approvals", "days", "facts", "payments", "wins"},
    ),
    "a payment is gone": ("DELETE FROM payout WHERE ticket = 1", {"days", "facts", "wins"}),
    "a payment was approved by nobody": (
        "UPDATE payout SET approver = NULL WHERE ticket = 1",
        {"facts"},
    ),
    "a payment was approved by who paid it": (
        "UPDATE payout SET approver = staff WHERE ticket = 1",
        {"facts"},
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
        {"days", "entries", "money", "payments", "sold files", "wins"},
    ),
    "an approval was of another amount": (
        "UPDATE approval SET cents = 1 WHERE ticket = 1",
        {"approvals", "facts"},
    ),
    "a drawer was counted otherwise": (
        "UPDATE drawer_count SET cents = cents + 1 WHERE closing",
        {"days", "drawers", "facts"},
    ),
    "a drawer was opened with another bank": (
        "UPDATE drawer_count SET cents = cents + 1 WHERE NOT closing",
        {"days", "drawers"},
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
        {"approvals", "facts"},
    ),
    "others set an amount": (
        "UPDATE house_amount SET staff = (SELECT id FROM staff WHERE code = 'SUE')",
        {"facts"},
    ),
    "a game of a closed day was won for more": (
        "UPDATE settlement SET paid_cents = paid_cents + 1",
        {"facts", "wins"},
    ),
    "a day was closed with other shifts": ("UPDATE day_close SET drawers = '{}'", {"facts"}),
    "a day was closed with another sum unclaimed": (
        """UPDATE day_close SET unclaimed = '{"2026-11-16"\\:1}'""",
        {"facts"},
    ),
    "an approval is gone": ("DELETE FROM approval", {"approvals"}),
    "a payment was of coin": (
        "UPDATE posting SET kind = 'coin' WHERE entry = (SELECT entry FROM payout)",
        {"payments"},
    ),
    "a payment was from a drawer that is not there": (
        "UPDATE payout SET drawer = 99",
        {"days", "drawers", "payments"},
    ),
    "a fill came to more": (
        "UPDATE posting SET cents = 2 * cents WHERE entry = (SELECT entry FROM drawer_move)",
        {"drawers", "money"},
    ),
    "a drawer is another writer's": (
        "UPDATE drawer SET staff = (SELECT id FROM staff WHERE code = 'WALT')",
        {"days", "drawers"},
    ),
    "a drawer was opened on another day": (
        "UPDATE drawer SET opened_at = :late",
        {"days", "drawers"},
    ),
    "an act in a contact is gone": ("DELETE FROM contact_act", {"contacts"}),
    "a contact is another": ("UPDATE contact_act SET contact = 'c-2'", {"contacts"}),
    "a contact was on another day": (
        "UPDATE contact_act SET gaming_day = '2026-11-17'",
        {"contacts"},
    ),
    "a player card was shown that the log does not tell of": (
        "UPDATE contact_act SET player_card = 'P-77'",
        {"contacts"},
    ),
    "a patron was given more in cash": (
        "UPDATE contact_act SET cash_out_cents = cash_out_cents + 1",
        {"contacts"},
    ),
    "the log says that nobody approved": (
        """UPDATE log_entry SET body = replace(body, '"approver":"SAM"', '"approver"\\:null')
        WHERE tag = 'PAID'""",
        {"approvals", "facts", "log"},
    ),
    "the log says that a writer approved": (
        """UPDATE log_entry SET body = replace(body, '"approver":"SAM"', '"approver":"WALT"')
        WHERE tag = 'PAID'""",
        {"approvals", "facts", "log"},
    ),
    "the log says that the writer approved": (
        """UPDATE log_entry SET body = replace(body, '"approver":"SAM"', '"approver":"WANDA"')
        WHERE tag = 'PAID'""",
        {"approvals", "facts", "log"},
    ),
    "the log says that a supervisor was the manager": (
        """UPDATE log_entry SET body = replace(body, '"manager"\\:null', '"manager":"SAM"')
        WHERE tag = 'PAID'""",
        {"approvals", "facts", "log"},
    ),
    "the log says that a void elsewhere took nobody": (
        """UPDATE log_entry SET body = replace(body, '"issued_at":"B1"', '"issued_at":"B2"')
        WHERE tag = 'VOID'""",
        {"approvals", "log"},
    ),
    "the log says that less cash went out": (
        """UPDATE log_entry SET body = replace(body, '"cash_out_cents":', '"cash_out_cents"\\:1')
        WHERE tag = 'PAID'""",
        {"contacts", "log"},
    ),
    "the log says that no report was due": (
        """UPDATE log_entry
        SET body = replace(body, '"currency_report"\\:false', '"currency_report"\\:true')
        WHERE tag = 'PAID'""",
        {"contacts", "log"},
    ),
    "a drawer gave what it did not have": (
        "UPDATE posting SET cents = -99000000 WHERE account = 'drawer' AND cents < 0",
        {"contacts", "days", "drawers", "money", "payments"},
    ),
    "the log tells a patron another amount": (
        """UPDATE log_entry SET body = replace(body, '"net_cents":-', '"net_cents":-1')
        WHERE tag = 'PAID'""",
        {"contacts", "log"},
    ),
    "the log says that a day was written for more": (
        """UPDATE log_entry SET body = replace(body, '"write_cents":', '"write_cents"\\:1')
        WHERE tag = 'DAY-CLOSE'""",
        {"days", "facts", "log"},
    ),
    "the log says that more is unclaimed": (
        """UPDATE log_entry
        SET body = replace(body, '"unclaimed":{', '"unclaimed"\\:{"2020-01-01"\\:1')
        WHERE tag = 'DAY-CLOSE'""",
        {"days", "facts", "log"},
    ),
    "the log says that a shift paid more": (
        """UPDATE log_entry SET body = replace(body, '"paid_cents":', '"paid_cents"\\:1')
        WHERE tag = 'DAY-CLOSE'""",
        {"days", "facts", "log"},
    ),
}


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


# What is done to a win that must be reported, and which checks find it.
PLANTED_PAPERS: dict[str, tuple[str, set[str]]] = {
    "a paper is gone": ("DELETE FROM tax_paper", {"facts"}),
    "a win is on no paper": ("DELETE FROM reported_win", {"facts", "papers"}),
    "a paper said less": (
        "UPDATE reported_win SET win_cents = win_cents - 1",
        {"facts", "papers"},
    ),
    "a paper said of another wager": (
        "UPDATE reported_win SET wager_cents = wager_cents + 1",
        {"facts", "papers"},
    ),
    "a paper said less in all": ("UPDATE tax_paper SET win_cents = win_cents - 1", {"facts"}),
}


def reported_win(floor: Floor) -> None:
    """A win is paid behind its tax paper."""
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
    strict = Dated(Amount.TAX_PAPER, date(2026, 11, 17), 200)
    set_amount(floor.office, floor.sam, manager, strict)
    floor.pass_time(days=1)
    wanda = floor.writing()
    for number in range(1, 62):  # so many, that one of them is drawn
        floor.sell(wanda, Sale("M", Request(((number,),), "1/1 @ 1.00"), BILLS))
    floor.play()
    ((winner,),) = rows(floor, "SELECT min(ticket) FROM win")
    file_tax_paper(floor.office, wanda, paper_of(floor, winner), floor.request_id())
    pay(floor, wanda, winner)
    floor.check_books()


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
