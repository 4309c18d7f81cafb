"""Payments and refunds: every one, those that must be approved, and what must be reported."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from app.keno.amounts import Amount, Dated, amounts_on
from app.keno.numbering import printed_number
from app.reports.content import Column, Content, Kind, Row, Section
from app.reports.figures.columns import (
    APPROVER,
    DAY,
    GAME,
    MANAGER,
    REASON,
    STATION,
    TICKET,
    TIME,
    WITH_CODE,
    WRITER,
    cents,
    whole,
)
from app.reports.told import Act, Told

LISTED_FROM = 4  # a quarter of the amount of the currency report
_PAID_BY = Column("paid_by", "By")


def payouts_detail(told: Told) -> Content:
    """Every payment, as it was made."""
    columns = (
        TICKET,
        TIME,
        STATION,
        WRITER,
        Column("games", "Games won"),
        cents("win_cents", "Win"),
        cents("refund_cents", "Refund"),
        _PAID_BY,
        Column("check_number", "Check"),
        WITH_CODE,
        APPROVER,
        MANAGER,
        REASON,
    )
    rows: list[Row] = []
    for act in told.within("PAID"):
        body = act.body
        games = ", ".join(f"{body['series']}-{win['game']}" for win in body["wins"])
        rows.append(
            (
                printed_number(body["ticket"]),
                act.at,
                body["station"],
                body["writer"],
                games,
                body["cents"],
                back_cents(body),
                body["paid_by"],
                body["check_number"],
                body["with_code"],
                body["approver"],
                body["manager"],
                body["reason"],
            )
        )
    return Content((Section("payouts", "Payments", columns, rows),))


def back_cents(body: Mapping[str, Any]) -> int:
    """Return what went back in money with an act."""
    return sum(part["cents"] for part in body["back"])


def payouts_summary(told: Told) -> Content:
    """What was paid, by station, by writer and by how it was paid."""
    by: dict[str, Counter[str]] = {name: Counter() for name in ("station", "writer", "paid_by")}
    number: dict[str, Counter[str]] = {name: Counter() for name in by}
    for act in told.within("PAID"):
        for name, sums in by.items():
            sums[act.body[name]] += act.body["cents"]
            number[name][act.body[name]] += 1
    heads = {"station": STATION, "writer": WRITER, "paid_by": _PAID_BY}
    titles = {"station": "By station", "writer": "By writer", "paid_by": "In cash and by check"}
    return Content(
        tuple(
            Section(
                name,
                titles[name],
                (heads[name], whole("payments", "Payments"), cents("win_cents", "Paid")),
                [(key, number[name][key], by[name][key]) for key in sorted(by[name])],
            )
            for name in by
        )
    )


def large_payouts(told: Told) -> Content:
    """Payments that a supervisor must approve, with both gradings (15.6(b), X-grade-twice)."""
    house = _house_amounts(told)
    columns = (
        TICKET,
        TIME,
        STATION,
        WRITER,
        cents("win_cents", "Paid"),
        Column("graded", "Graded", Kind.CENTS),
        Column("graded_again", "Graded again", Kind.CENTS),
        Column("due_at_cents", "Approval from", Kind.CENTS),
        APPROVER,
        MANAGER,
        Column("approved_before", "Approved from a page by"),
        Column("agree", "Agree", Kind.YES_NO),
    )
    approved: dict[int, list[str]] = {}
    rows: list[Row] = []
    for act in told.acts("APPROVED", "PAID"):
        body = act.body
        if act.tag == "APPROVED":
            approved.setdefault(body["number"], []).append(body["approver"])
            continue
        amounts = amounts_on(told.period.here(act.at).date(), house)
        due = amounts[Amount.APPROVAL]
        is_approved = body["approver"] or body["manager"] or body["ticket"] in approved
        if (body["cents"] < due and not is_approved) or not told.period.holds(act.at):
            continue
        first = sum(each["first_cents"] for each in body["gradings"])
        second = sum(each["second_cents"] or 0 for each in body["gradings"])
        rows.append(
            (
                printed_number(body["ticket"]),
                act.at,
                body["station"],
                body["writer"],
                body["cents"],
                first,
                second,
                due,
                body["approver"],
                body["manager"],
                ", ".join(approved.get(body["ticket"], [])),
                first == second >= body["cents"],
            )
        )
    remark = "Graded: before the aggregate limit of a game is shared."
    return Content((Section("payouts", "Large or approved payments", columns, rows, remark),))


def _house_amounts(told: Told) -> list[Dated]:
    """Return the amounts that the house has set, in the order in which it did."""
    return [
        Dated(
            Amount(act.body["name"]),
            date.fromisoformat(act.body["from_day"]),
            act.body["after_cents"],
        )
        for act in told.standing("AMOUNT")
    ]


def refunds(told: Told) -> Content:
    """What went back for games that were not played (15.4(d)-refund, X-fault-refund)."""
    columns = (
        TICKET,
        TIME,
        STATION,
        WRITER,
        Column("why", "For"),
        cents("back_cents", "Back"),
        cents("coupon_cents", "In coupons"),
        REASON,
        WITH_CODE,
        APPROVER,
    )
    rows = [
        row
        for act in told.within("REFUND", "CANCEL", "PAID")
        if (row := _refund_row(act)) is not None
    ]
    return Content((Section("refunds", "Refunds", columns, rows),))


def _refund_row(act: Act) -> Row | None:
    body = act.body
    void = ", ".join(f"{body['series']}-{game}" for game in body["void_games"])
    if act.tag == "PAID" and not void:
        return None
    why = f"void {void}" if void else ""
    if act.tag == "CANCEL":
        rest = f"cancelled from {body['series']}-{body['first_cancelled']} on"
        why = f"{rest}; {why}" if why else rest
    return (
        printed_number(body["ticket"]),
        act.at,
        body["station"],
        body["writer"],
        why,
        back_cents(body),
        body["coupon_cents"],
        body["reason"],
        body["with_code"],
        body["approver"],
    )


# ---- what must be reported -----------------------------------------------------------------------


def _cash_by_patron(told: Told) -> dict[tuple[str, str], Row]:
    """Return what cash came to by patron and day, of those who are near the currency report."""
    house = _house_amounts(told)
    contacts: dict[tuple[str, str], Row] = {}
    for act in told.within("TICKET", "VOID", "PAID", "REFUND", "CANCEL"):
        contact = act.body.get("contact")
        if not contact:
            continue
        on = told.day_of(act.at)
        day, card = on.isoformat(), contact["player_card"]
        nameless = f"{act.body['station']}/{contact['id']}"
        who = (card or "")[:16] or nameless
        if card:  # what was counted before the card was shown is in the card's sum
            contacts.pop((day, nameless), None)
        most = max(contact["cash_in_cents"], contact["cash_out_cents"])
        if most * LISTED_FROM < amounts_on(on, house)[Amount.CURRENCY_REPORT]:
            continue
        # The newest of a patron and day says what it has come to.
        contacts[day, who] = (
            day,
            who,
            "player card" if card else "contact",
            contact["cash_in_cents"],
            contact["cash_out_cents"],
            contact["currency_report"],
        )
    return contacts


def _game_of(body: Mapping[str, Any]) -> str:
    """Return the game of a tax paper; entries of earlier software do not say of which series."""
    return f"{body['series']}-{body['game']}" if "series" in body else str(body["game"])


def worksheets(told: Told) -> Content:
    """Tax papers, and patrons whose cash adds up toward the currency report (X-pay-tax)."""
    papers: list[Row] = []
    for act in told.within("TAX-PAPER"):
        body = act.body
        papers.append(
            (
                printed_number(body["number"]),
                act.at,
                _game_of(body),
                body["station"],
                body["writer"],
                body["win_cents"],
                body["wager_cents"],
                body["net_cents"],
                body["due_at_cents"],
                body["patron"],
            )
        )
    contacts = _cash_by_patron(told)
    return Content(
        (
            Section(
                "tax",
                "Tax papers",
                (
                    TICKET,
                    TIME,
                    GAME,
                    STATION,
                    WRITER,
                    cents("win_cents", "Win"),
                    cents("wager_cents", "Wager"),
                    cents("net_cents", "Net"),
                    Column("due_at_cents", "Due from", Kind.CENTS),
                    Column("patron", "Patron, salted", Kind.HASH),
                ),
                papers,
                remark="Names and taxpayer numbers are kept apart, encrypted.",
            ),
            Section(
                "currency",
                "Cash by patron and day",
                (
                    DAY,
                    Column("patron", "Patron"),
                    Column("known_by", "Known by"),
                    cents("cash_in_cents", "Cash in"),
                    cents("cash_out_cents", "Cash out"),
                    Column("report", "Report due", Kind.YES_NO),
                ),
                [contacts[key] for key in sorted(contacts)],
                remark="Patrons whose cash of a day came to a quarter of the amount or more.",
            ),
        )
    )
