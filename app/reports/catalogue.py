"""Every report of the house: its id, its title, the duties that it answers, and its figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from app.reports.content import Content
from app.reports.figures import games, money, payments, sales, standing, watch
from app.reports.told import Told


class Format(StrEnum):
    """In which form a report is handed out."""

    PDF = "pdf"
    CSV = "csv"
    JSON = "json"


@dataclass(frozen=True)
class Report:
    """A report that can be asked for."""

    id: str
    title: str
    says: str  # in a sentence, for whoever chooses
    duties: tuple[str, ...]
    figures: Callable[[Told], Content]
    is_detail: bool = False  # a row for every act: as long as what was done


_ALL = (
    Report(
        "voids", "Voided tickets by station", "Every void, under the station that issued it.",
        ("15.4(e)-list", "15.4(e)-void", "X-void-slip"), sales.voids,
    ),
    Report(
        "winning-numbers", "Register of winning numbers", "The twenty numbers of every game.",
        ("15.5(h)", "15.5(b)", "X-draw-once", "X-lock-seal"), games.winning_numbers,
    ),
    Report(
        "game-recap", "Game recap", "Write, tickets, wins, payments, voids and hold of each game.",
        ("15.5(b)", "X-audit-books"), games.game_recap,
    ),
    Report(
        "sales-detail", "Sales in detail", "Every ticket as it was sold.",
        (
            "15.1-conditioning", "15.1-quick-pick", "15.2(c)1", "15.2(c)2", "15.2(c)3", "15.2(c)4",
            "15.2(c)5", "15.2(c)6", "15.3(b)", "15.4(c)", "X-ticket-gapless", "X-ticket-replay",
        ),
        sales.sales_detail, is_detail=True,
    ),
    Report(
        "sales", "Sales", "By station, series, type and tender, and by minute before the lock.",
        ("15.3(a)", "15.3(b)"), sales.sales_summary,
    ),
    Report(
        "payouts-detail", "Payments in detail", "Every payment as it was made.",
        ("15.6(a)", "15.4(d)-pay"), payments.payouts_detail, is_detail=True,
    ),
    Report(
        "payouts", "Payments", "By station, by writer, in cash and by check.",
        ("15.6(a)",), payments.payouts_summary,
    ),
    Report(
        "large-payouts", "Large or approved payments",
        "Payments that needed or had an approval: who approved, if anybody, and both gradings.",
        ("15.6(b)", "X-pay-second-tier", "X-grade-twice"), payments.large_payouts,
    ),
    Report(
        "refunds", "Refunds", "What went back for games that were not played.",
        ("15.4(d)-refund", "X-fault-refund"), payments.refunds,
    ),
    Report(
        "overrides", "Games changed by hand", "Closes changed, games locked, held, void or frozen.",
        ("15.5(d)", "15.5(e)"), games.overrides,
    ),
    Report(
        "exceptions", "Exceptions",
        "Copies, acts without the code, look-ups of unclaimed wins, printers that were not sure, "
        "refused scans and sign-ins.",
        (
            "X-ticket-validation", "X-pay-refusals", "X-pay-without-code", "X-access", "X-clock",
            "X-recovery",
        ),
        watch.exceptions,
    ),
    Report(
        "unclaimed", "Unclaimed and expired wins",
        "What is owed, by age; what expired; how the sum moved.",
        ("15.6(c)",), money.unclaimed,
    ),
    Report(
        "drawers", "Drawers and shifts", "Openings, movements, counts, over and short.",
        ("X-drawer", "15.6(a)"), money.drawers,
    ),
    Report(
        "win", "Win and hold", "Days, months and years against the base level.",
        ("X-audit-books",), money.win_and_hold,
    ),
    Report(
        "writers", "Writers", "What each writer sold, voided and paid.",
        ("X-void-slip",), money.writers,
    ),
    Report(
        "void-rates", "Void rates", "How many tickets of each writer and station were voided.",
        ("X-void-slip",), sales.void_rates,
    ),
    Report(
        "aggregate-sheets", "Aggregate sheets", "Games whose wins were cut, and how it was shared.",
        ("15.3(e)", "X-aggregate-sheet"), games.aggregate_sheets,
    ),
    Report(
        "rate-cards", "Rate cards with odds", "Every version: pays, chances, house advantage.",
        (
            "15.1-advantage", "15.2(b)", "15.3(d)", "15.3(e)", "X-card-odds", "X-card-version",
            "X-card-winnable",
            "X-card-floor",
        ),
        standing.rate_cards,
    ),
    Report(
        "worksheets", "Tax and currency worksheets", "Tax papers, and cash by patron and day.",
        ("X-pay-tax", "X-pay-cash-log"), payments.worksheets,
    ),
    Report(
        "who-can", "Who can do what", "Staff, stations, and what each role may do.",
        ("X-access", "X-access-disable"), standing.who_can,
    ),
    Report(
        "access", "Access log", "Who came and went, who was refused, who pulled records.",
        ("X-access", "X-approver-new", "X-audit-log"), watch.access_log, is_detail=True,
    ),
    Report(
        "settings", "Changes of settings",
        "Amounts, settings, schedules, printers, cards, stops, retention, chosen reports, holds.",
        ("X-audit-log", "8.3", "X-retention", "X-sale-stop", "X-printer-place"), standing.settings,
    ),
    Report(
        "rng", "Statistics of the draw", "Seven tests, and how often each number came.",
        ("X-rng-tests", "X-rng-unbiased", "X-draw-independent"), watch.rng_statistics,
    ),
    Report(
        "keys", "Keys, lockouts and software", "Both keyed processes, and which software ran.",
        ("15.5(a)-dual-key", "X-software-seal", "X-clock"), watch.keys_and_software,
    ),
    Report(
        "certificate", "Certificate of log and books", "The log's root, and what the books found.",
        ("X-audit-log", "X-audit-books"), watch.certificate,
    ),
)  # fmt: skip

CATALOGUE: Mapping[str, Report] = MappingProxyType({report.id: report for report in _ALL})
