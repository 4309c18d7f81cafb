"""The figures of the reports are what the facts come to, added up in another way.

The reports are made from the log; the sums here are SQL over the tables of facts.
"""

import json
from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest

from app.flow.day import day_bounds
from app.flow.report import Asked, make_report
from app.keno.card_file import read_card
from app.keno.numbering import printed_number
from app.reports.catalogue import Format
from tests.reports.conftest import PIECES_CENTS, Worked

ZONE, STARTS = "America/New_York", 360


def told(worked: Worked, report: str, first: date | None = None, last: date | None = None) -> Any:  # noqa: ANN401
    """The sections of a report, as JSON has them."""
    first = first or worked.first
    asked = Asked(report, first, last or worked.last, Format.JSON)
    return json.loads(make_report(worked.floor.office, asked).json())["sections"]


def between(worked: Worked, column: str) -> tuple[str, dict[str, str]]:
    """The condition that a moment lies in the closed days."""
    begins, _ = day_bounds(worked.first, ZONE, STARTS)
    _, ends = day_bounds(worked.last, ZONE, STARTS)
    text = {
        "begins": f"{begins:%Y-%m-%dT%H:%M:%S}.000000Z",
        "ends": f"{ends:%Y-%m-%dT%H:%M:%S}.000000Z",
    }
    return f"{column} >= :begins AND {column} < :ends", text


def total(worked: Worked, cents: str, table: str, moment: str) -> int:
    condition, bounds = between(worked, moment)
    return worked.one(f"SELECT sum({cents}) FROM {table} WHERE {condition}", **bounds)  # noqa: S608


def count(worked: Worked, table: str, moment: str) -> int:
    condition, bounds = between(worked, moment)
    return worked.one(f"SELECT count(*) FROM {table} WHERE {condition}", **bounds)  # noqa: S608


# ---- sales ---------------------------------------------------------------------------------------


@pytest.mark.rule("15.4(c)", "X-audit-books")
def test_every_ticket_of_the_days_is_in_the_detail_once(worked: Worked) -> None:
    section = told(worked, "sales-detail")["tickets"]
    condition, bounds = between(worked, "sold_at")
    numbers = worked.rows(f"SELECT number FROM ticket WHERE {condition} ORDER BY number", **bounds)  # noqa: S608
    assert [row["ticket"] for row in section["rows"]] == [printed_number(n) for (n,) in numbers]
    assert section["sums"]["price_cents"] == total(worked, "price_cents", "ticket", "sold_at") > 0


@pytest.mark.rule("15.3(b)")
def test_sales_by_station_series_type_and_tender_come_to_the_same(worked: Worked) -> None:
    sections = told(worked, "sales")
    sold = total(worked, "price_cents", "ticket", "sold_at")
    for name in ("stations", "series", "types"):
        assert sections[name]["sums"]["sales_cents"] == sold, name
        assert sections[name]["sums"]["tickets"] == count(worked, "ticket", "sold_at"), name
    assert sections["tender"]["sums"]["cents"] == sold
    assert sections["minutes"]["sums"]["tickets"] == count(worked, "ticket", "sold_at")


@pytest.mark.rule("15.4(e)-list", "X-void-slip")
def test_voids_are_listed_under_the_station_that_issued_the_ticket(worked: Worked) -> None:
    today = worked.last + timedelta(days=1)
    sections = told(worked, "voids", today, today)
    (row,) = sections["voids"]["rows"]
    assert (row["issued_at"], row["station"], row["price_cents"]) == ("B1", "B1", 100)
    stations = {each["station"]: each["voids"] for each in sections["stations"]["rows"]}
    assert stations == {"B1": 1, "B2": 0, "S1": 0}


@pytest.mark.rule("X-void-slip")
def test_a_void_rate_above_what_the_house_settled_is_marked(worked: Worked) -> None:
    today = worked.last + timedelta(days=1)
    sections = told(worked, "void-rates", today, today)
    (row,) = sections["writers"]["rows"]
    assert (row["name"], row["rate"], row["marked"]) == ("WANDA", "1/3", True)
    assert not any(row["marked"] for row in told(worked, "void-rates")["writers"]["rows"])


# ---- games ---------------------------------------------------------------------------------------


@pytest.mark.rule("15.5(h)", "15.5(b)")
def test_the_register_has_the_numbers_of_every_game_of_the_days(worked: Worked) -> None:
    register = {row["game"]: row for row in told(worked, "winning-numbers")["games"]["rows"]}
    found = worked.rows(
        "SELECT game.series, game.number, game.state, outcome.numbers FROM game "
        "JOIN outcome ON outcome.series = game.series AND outcome.game = game.number "
        "WHERE gaming_day BETWEEN :first AND :last",
        first=worked.first.isoformat(),
        last=worked.last.isoformat(),
    )
    assert len(register) == len(found) == 20
    for series, number, state, numbers in found:
        row = register[f"{series}-{number}"]
        drawn = json.loads(numbers) if isinstance(numbers, str) else numbers
        assert (row["state"], row["in_order"]) == (state, drawn or [])
        assert row["numbers"] == sorted(drawn or [])


@pytest.mark.rule("15.5(h)", "X-retention")
def test_the_numbers_of_a_year_ago_are_found(worked: Worked) -> None:
    before = told(worked, "winning-numbers")
    worked.floor.pass_time(days=370)
    assert told(worked, "winning-numbers") == before
    worked.floor.pass_time(days=-370)


@pytest.mark.rule("X-audit-books")
def test_the_recap_of_each_game_is_what_its_facts_come_to(worked: Worked) -> None:
    recap = {row["game"]: row for row in told(worked, "game-recap")["games"]["rows"]}
    found = worked.rows(
        "SELECT game.series, game.number, game.state, game.tickets, game.handle_cents, "
        "settlement.winners, settlement.win_cents, settlement.paid_cents FROM game LEFT JOIN "
        "settlement ON settlement.series = game.series AND settlement.game = game.number "
        "WHERE gaming_day BETWEEN :first AND :last",
        first=worked.first.isoformat(),
        last=worked.last.isoformat(),
    )
    assert len(recap) == len(found)
    for series, number, state, tickets, handle, winners, won, payable in found:
        row = recap[f"{series}-{number}"]
        write = 0 if state == "void" else int(str(handle))
        assert (row["state"], row["tickets"], row["write_cents"]) == (state, tickets, write)
        assert row["winners"] == (winners or 0)
        assert (row["won_cents"], row["payable_cents"]) == (won or 0, payable or 0)
        assert row["win_cents"] == write - int(str(payable or 0))
    begun = worked.one(
        "SELECT count(*) FROM ticket JOIN game ON game.series = ticket.series AND game.number = "
        "ticket.first_game LEFT JOIN void ON void.ticket = ticket.number WHERE void.ticket IS NULL "
        "AND gaming_day BETWEEN :first AND :last",
        first=worked.first.isoformat(),
        last=worked.last.isoformat(),
    )
    assert told(worked, "game-recap")["types"]["sums"]["tickets"] == begun


@pytest.mark.rule("15.5(e)", "15.5(d)")
def test_who_changed_a_close_and_why_is_told(worked: Worked) -> None:
    rows = told(worked, "overrides")["overrides"]["rows"]
    changed = [row for row in rows if row["what"] == "close changed"]
    assert [row["reason"] for row in changed] == ["the lounge is empty", "or not"]
    assert {(row["who"], row["at"]) for row in changed} == {("SAM", "console")}
    voided = [row for row in rows if row["what"] == "void asked for"]
    assert len(voided) == worked.one("SELECT count(*) FROM void_statement")


# ---- payments ------------------------------------------------------------------------------------


@pytest.mark.rule("15.6(a)")
def test_payments_come_to_what_was_paid(worked: Worked) -> None:
    paid = total(worked, "cents", "payout", "paid_at")
    assert told(worked, "payouts-detail")["payouts"]["sums"]["win_cents"] == paid > 0
    for section in told(worked, "payouts").values():
        assert section["sums"]["win_cents"] == paid
        assert section["sums"]["payments"] == count(worked, "payout", "paid_at")


@pytest.mark.rule("15.6(b)", "X-pay-second-tier", "X-grade-twice")
def test_every_payment_that_had_to_be_approved_is_listed_with_who_did(worked: Worked) -> None:
    rows = told(worked, "large-payouts")["payouts"]["rows"]
    condition, bounds = between(worked, "paid_at")
    approved = (
        "cents >= 10000 OR approver IS NOT NULL OR manager IS NOT NULL OR EXISTS "
        "(SELECT 1 FROM approval WHERE approval.ticket = payout.ticket)"
    )
    large = f"SELECT ticket, cents FROM payout WHERE ({approved}) AND {condition}"  # noqa: S608
    found = worked.rows(large, **bounds)
    assert {(row["ticket"], row["win_cents"]) for row in rows} == {
        (printed_number(int(str(n))), cents) for n, cents in found
    }
    assert rows
    assert all(row["agree"] and (row["approver"] or row["approved_before"]) for row in rows)


@pytest.mark.rule("15.4(d)-refund", "X-fault-refund")
def test_refunds_come_to_what_went_back(worked: Worked) -> None:
    back = total(worked, "cents", "refund", "refunded_at")
    back += total(worked, "cents", "cancellation", "cancelled_at")
    sums = told(worked, "refunds")["refunds"]["sums"]
    assert sums["back_cents"] + sums["coupon_cents"] == back > 0


@pytest.mark.rule("X-pay-tax")
def test_the_worksheet_has_every_tax_paper(worked: Worked) -> None:
    section = told(worked, "worksheets")["tax"]
    assert len(section["rows"]) == count(worked, "tax_paper", "done_at") > 0
    assert section["sums"]["win_cents"] == total(worked, "win_cents", "tax_paper", "done_at")
    papers = worked.rows(
        "SELECT ticket, series, game FROM tax_paper JOIN ticket ON number = ticket"
    )
    games = {f"{series}-{game}" for _, series, game in papers}
    assert {row["game"] for row in section["rows"]} <= games


# ---- money ---------------------------------------------------------------------------------------


@pytest.mark.rule("15.6(c)", "X-audit-books")
def test_what_is_unclaimed_by_age_is_what_was_won_and_not_paid(worked: Worked) -> None:
    sections = told(worked, "unclaimed")
    won = worked.one(
        "SELECT sum(paid_cents) FROM settlement JOIN game ON game.series = settlement.series AND "
        "game.number = settlement.game WHERE gaming_day <= :last",
        last=worked.last.isoformat(),
    )
    paid = worked.one("SELECT sum(cents) FROM payout")
    expired = worked.one("SELECT sum(cents) FROM expiry")
    assert sections["ages"]["sums"]["cents"] == won - paid - expired
    assert sections["liability"]["rows"][-1]["carried_cents"] == won - paid - expired
    assert sections["expired"]["sums"]["cents"] == expired


@pytest.mark.rule("X-drawer")
def test_every_shift_is_listed_with_what_was_over_or_short(worked: Worked) -> None:
    sections = told(worked, "drawers")
    closed = worked.rows("SELECT drawer, cents FROM drawer_count WHERE closing ORDER BY drawer")
    shifts = sections["shifts"]["rows"]
    assert sorted((row["drawer"], row["counted_cents"]) for row in shifts) == closed
    by_pieces = [row["what"] for row in sections["moves"]["rows"] if row["cents"] == PIECES_CENTS]
    assert by_pieces == ["opened", "counted and closed"]
    over = worked.one("SELECT sum(cents) FROM posting WHERE account = 'over-short'")
    assert sections["shifts"]["sums"]["over_short_cents"] == -over


@pytest.mark.rule("X-drawer", "15.6(a)")
def test_a_shift_adds_up_though_some_wins_are_paid_by_check(worked: Worked) -> None:
    shifts = told(worked, "drawers")["shifts"]["rows"]
    by_check = worked.rows(
        "SELECT drawer, sum(cents) FROM payout WHERE paid_by = 'check' GROUP BY drawer"
    )
    checks: Mapping[Any, Any] = dict(by_check)
    with_coupons = worked.one("SELECT count(*) FROM coupon")
    assert (sum(row["not_cash_cents"] for row in shifts) > 0, with_coupons) == (True, 0)
    for row in shifts:
        came = row["opening_cents"] + row["filled_cents"] + row["sales_cents"]
        went = row["bled_cents"] + row["voids_cents"] + row["refunds_cents"] + row["paid_cents"]
        assert row["expected_cents"] == came - went + row["not_cash_cents"]
        assert row["counted_cents"] == row["expected_cents"] + row["over_short_cents"]
        assert row["not_cash_cents"] == checks.get(row["drawer"], 0)


@pytest.mark.rule("X-audit-books")
def test_win_and_hold_are_those_of_the_closed_days(worked: Worked) -> None:
    sections = told(worked, "win")
    write = worked.one(
        "SELECT sum(handle_cents) FROM game WHERE state <> 'void' AND gaming_day BETWEEN :f AND :l",
        f=worked.first.isoformat(),
        l=worked.last.isoformat(),
    )
    won = told(worked, "game-recap")["games"]["sums"]["payable_cents"]
    days = sections["days"]
    assert (days["sums"]["write_cents"], days["sums"]["wins_cents"]) == (write, won)
    (year,) = sections["years"]["rows"]
    assert year["win_cents"] >= days["sums"]["win_cents"]
    for row in days["rows"]:
        assert row["hold"] == _ratio(row["win_cents"], row["write_cents"])


@pytest.mark.rule("X-audit-books")
def test_a_hold_three_points_off_the_base_level_is_marked(worked: Worked) -> None:
    (row,) = told(worked, "win", worked.last, worked.last)["days"]["rows"]
    drift = Fraction(row["hold"]) - Fraction(row["base"])
    assert Fraction(row["drift"]) == drift
    assert row["marked"] == (abs(drift) > Fraction(3, 100))


@pytest.mark.rule("X-audit-books")
def test_a_month_and_a_year_are_not_held_against_days_of_their_own(worked: Worked) -> None:
    """Else a year would be held, at its end, against nothing but itself."""
    sections = told(worked, "win", worked.last, worked.last)
    (day,) = sections["days"]["rows"]
    assert day["base"] is not None
    for name in ("months", "years"):  # no day was closed before them
        (row,) = sections[name]["rows"]
        assert (row["base"], row["drift"], row["marked"]) == (None, None, False)


@pytest.mark.rule("X-void-slip")
def test_writers_come_to_what_the_days_came_to(worked: Worked) -> None:
    sums = told(worked, "writers")["writers"]["sums"]
    assert sums["sales_cents"] == total(worked, "price_cents", "ticket", "sold_at")
    assert sums["paid_cents"] == total(worked, "cents", "payout", "paid_at")
    refunds = told(worked, "refunds")["refunds"]["sums"]
    assert sums["refunds_cents"] == refunds["back_cents"] + refunds["coupon_cents"]


# ---- the house -----------------------------------------------------------------------------------


@pytest.mark.rule("X-access", "X-access-disable")
def test_who_can_do_what_lists_everybody_and_every_act(worked: Worked) -> None:
    sections = told(worked, "who-can")
    staff: dict[Any, Any] = dict(worked.rows("SELECT code, role FROM staff"))
    assert {row["staff"]: row["role"] for row in sections["staff"]["rows"]} == staff
    acts = {row["act"]: row["roles"] for row in sections["acts"]["rows"]}
    assert acts["ticket:sell"] == "keno-manager, supervisor, writer"


@pytest.mark.rule("X-audit-log", "8.3")
def test_changes_are_told_with_before_and_after(worked: Worked) -> None:
    rows = told(worked, "settings")["changes"]["rows"]
    (row,) = [row for row in rows if row["what"] == "setting void-percent"]
    assert (row["before"], row["after"], row["who"]) == ("5", "1", "SAM, MAX")


@pytest.mark.rule("X-access", "X-ticket-validation")
def test_a_failed_sign_in_is_an_exception_and_in_the_access_log(worked: Worked) -> None:
    failed = [
        row
        for row in told(worked, "exceptions")["exceptions"]["rows"]
        if row["what"] == "failed sign-in"
    ]
    assert [row["at"] for row in failed] == ["B1"]
    access = told(worked, "access")["access"]["rows"]
    assert [row["words"] for row in access if row["what"] == "refused"] == ["staff.wrong_secret"]
    signed_in = worked.one("SELECT count(*) FROM log_entry WHERE tag = 'SIGN-IN'")
    assert 0 < sum(row["what"] == "sign in" for row in access) < signed_in


@pytest.mark.rule("X-ticket-validation")
def test_acts_without_the_code_are_exceptions(worked: Worked) -> None:
    kinds = {row["what"]: row["times"] for row in told(worked, "exceptions")["kinds"]["rows"]}
    without = worked.one("SELECT count(*) FROM payout WHERE NOT with_code")
    assert kinds.get("payment without the code", 0) == without


@pytest.mark.rule("X-card-odds", "15.1-advantage")
def test_rate_cards_are_told_with_the_odds_of_every_catch(worked: Worked) -> None:
    sections = told(worked, "rate-cards")
    assert len(sections["versions"]["rows"]) == worked.one("SELECT count(*) FROM card")
    chances: dict[Any, Fraction] = {}
    for row in sections["catches"]["rows"]:
        wager = row["card"], row["schedule"], row["spots"]
        chances[wager] = chances.get(wager, Fraction(0)) + Fraction(row["odds"])
    assert set(chances.values()) == {Fraction(1)}
    for row in sections["wagers"]["rows"]:
        assert Fraction(row["return"]) + Fraction(row["house_advantage"]) == 1


@pytest.mark.rule("15.2(b)", "15.3(d)")
def test_rate_cards_are_told_with_the_wagers_that_they_allow(worked: Worked) -> None:
    sections = told(worked, "rate-cards")
    files = worked.rows("SELECT hash, file FROM card")
    assert len(sections["limits"]["rows"]) == len(files)
    for digest, file in files:
        card = read_card(file.encode())
        (limits,) = (row for row in sections["limits"]["rows"] if row["card"] == digest.hex())
        assert limits["spots_max"] == card.limits.spots_max
        assert limits["ticket_max_cents"] == card.limits.ticket_max_cents
        of_card = [row for row in sections["rates"]["rows"] if row["card"] == digest.hex()]
        assert {row["schedule"]: (row["base_cents"], row["rate_min_cents"], row["rate_max_cents"])
                for row in of_card} == {
            name: (each.base_cents, each.rate_min_cents, each.rate_max_cents)
            for name, each in card.schedules.items()
        }  # fmt: skip


@pytest.mark.rule("X-rng-tests")
def test_the_statistics_are_of_the_draws_of_the_days(worked: Worked) -> None:
    sections = told(worked, "rng")
    drawn = [row for row in told(worked, "winning-numbers")["games"]["rows"] if row["numbers"]]
    times: Mapping[int, int] = {row["number"]: row["times"] for row in sections["numbers"]["rows"]}
    for number in range(1, 81):
        assert times[number] == sum(number in row["numbers"] for row in drawn)


@pytest.mark.rule("X-audit-log")
def test_the_certificate_names_the_root_over_the_days(worked: Worked) -> None:
    asked = Asked("certificate", worked.first, worked.last, Format.JSON)
    made = make_report(worked.floor.office, asked)
    log = {row[0]: row[1] for row in made.content.sections[0].rows}
    assert log["root"] == made.stretch.root.hex()
    sections = {section.name: section for section in made.content.sections}
    (books,) = sections["books"].rows
    assert books[4] == 0
    assert {row[1] for row in sections["checks"].rows} == {0}
    tags = {row[0]: row[1] for row in sections["tags"].rows}
    entries = made.stretch.size - made.stretch.first
    assert sum(int(str(n)) for n in tags.values()) == entries
    assert tags["DAY-CLOSE"] == 3  # the one before came within these days


def _ratio(part: int, whole: int) -> str | None:
    exact = Fraction(part, whole) if whole else None
    return None if exact is None else f"{exact.numerator}/{exact.denominator}"
