"""Helpers of `test_books_payments` that other tests use too."""

from datetime import date

from app.flow.access import at_console
from app.flow.house_amounts import set_amount
from app.flow.permissions import Permission
from app.flow.sell import Sale
from app.flow.tax_paper import file_tax_paper
from app.keno.amounts import Amount, Dated
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import MAX, Floor, secret_of
from tests.looking import rows
from tests.story.paying import paper_of, pay

BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)

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
