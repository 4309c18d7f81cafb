"""Figures of a few acts that are written out here: what each cell of a report comes from."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from app.reports.catalogue import CATALOGUE
from app.reports.told import Act, Period, Stretch, Told

DAY = date(2026, 11, 16)
NOON = datetime(2026, 11, 16, 17, tzinfo=UTC)
SEED_BETWEEN = 0  # of draws of which a test accuses the source at 95 % and none at 99 %
AT_THE_COUNTER = {"station": "B1", "writer": "WANDA"}


def of(report: str, *acts: tuple[str, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The sections of a report of one day on which just this happened, a minute apart."""
    log = [
        Act(place, place, tag, NOON + timedelta(minutes=place), body)
        for place, (tag, body) in enumerate(acts)
    ]

    def tagged(*tags: str) -> Iterator[Act]:
        return (act for act in log if act.tag in tags)

    told = Told(
        house="Test House",
        jurisdiction="US-NJ",
        period=Period(DAY, DAY, NOON - timedelta(hours=6), NOON + timedelta(hours=18), "UTC"),
        stretch=Stretch("keno.example/test", 0, len(log), bytes(32), is_whole=True),
        acts=tagged,
        standing=tagged,
        kinds={},
        lost=(),
        sheets=lambda _: [],
        settled_before=lambda act: act,
        may={},
        day_of=lambda _: DAY,
    )
    return {
        section.name: [
            dict(zip((column.name for column in section.columns), row, strict=True))
            for row in section.rows
        ]
        for section in CATALOGUE[report].figures(told).sections
    }


def paid(cents: int, **changes: object) -> tuple[str, dict[str, Any]]:
    """A payment of a ticket that won in one game."""
    gradings = [{"game": 1, "first_cents": cents, "second_cents": cents}]
    return "PAID", {
        **AT_THE_COUNTER, "ticket": 7, "series": "M", "cents": cents, "gradings": gradings,
        "approver": None, "manager": None, "with_code": True, "reason": None, "back": [],
        "coupon_cents": 0, "void_games": [], "wins": [{"game": 1, "cents": cents}],
        "paid_by": "cash", "check_number": None, **changes,
    }  # fmt: skip


@pytest.mark.rule("15.6(b)")
def test_a_payment_that_nobody_approved_is_listed_from_the_amount_on() -> None:
    rows = of("large-payouts", paid(149_999), paid(150_000), paid(900, approver="SAM"))["payouts"]
    told = [(row["win_cents"], row["approver"]) for row in rows]
    assert told == [(150_000, None), (900, "SAM")]


@pytest.mark.rule("X-grade-twice")
@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [(150_000, 150_000, True), (150_000, 149_999, False), (150_000, None, False),
     (200_000, 200_000, True), (149_999, 149_999, False)],
)  # fmt: skip
def test_a_large_payment_says_whether_both_gradings_bear_it(
    first: int, second: int | None, agree: bool
) -> None:
    gradings = [{"game": 1, "first_cents": first, "second_cents": second}]
    (row,) = of("large-payouts", paid(150_000, gradings=gradings))["payouts"]
    assert row["agree"] is agree


@pytest.mark.rule("15.4(d)-refund", "X-fault-refund")
def test_what_goes_back_with_a_payment_is_a_refund_too() -> None:
    back = {"void_games": [2], "back": [{"kind": "currency", "cents": 100}], "coupon_cents": 50}
    (row,) = of("refunds", paid(900), paid(900, **back))["refunds"]
    assert (row["why"], row["back_cents"], row["coupon_cents"]) == ("void M-2", 100, 50)


@pytest.mark.rule("X-recovery")
def test_what_a_printer_was_not_sure_of_is_an_exception_with_what_was_said_of_it() -> None:
    paper = {**AT_THE_COUNTER, "paper": 40, "slip": "ticket", "about": {"ticket": 7}, "copy": 1}
    rows = of(
        "exceptions",
        ("ON-PAPER", {**paper, "printed": True}),
        ("ON-PAPER", {**paper, "printed": False}),
    )["exceptions"]
    assert [(row["what"], row["reason"]) for row in rows] == [
        ("printer not sure", "it printed"), ("printer not sure", "it did not print"),
    ]  # fmt: skip


@pytest.mark.rule("X-pay-without-code")
def test_who_looked_up_unclaimed_wins_and_what_was_reported_lost_are_exceptions() -> None:
    by = {"station": "B1", "staff": "WANDA"}
    rows = of(
        "exceptions",
        ("LOOK-UP", {"first": 12, "last": 12, "wins": 1, **by}),
        ("LOOK-UP", {"first": 1, "last": 12, "wins": 3, **by}),
        ("LOST-TICKET", {"ticket": 12, "bought": "B1", "surveillance": "camera 7", **by}),
    )["exceptions"]
    assert [(row["what"], row["about"], row["who"]) for row in rows] == [
        ("unclaimed win looked up", "ticket 12-5", "WANDA"),
        ("unclaimed win looked up", "3 wins up to ticket 12-5", "WANDA"),
        ("ticket reported lost", "ticket 12-5", "WANDA"),
    ]


@pytest.mark.rule("15.6(c)")
def test_what_is_owed_stands_under_the_age_that_it_has() -> None:
    ages = {0: 1, 7: 20, 8: 300, 30: 4_000, 31: 50_000, 90: 600_000, 91: 7_000_000, 400: 80_000_000}
    names = ("adjusted", "expired", "paid", "payable_brought", "prepaid_brought", "refunds",
             "sales", "voids", "wins", "write")  # fmt: skip
    close = {
        "day": DAY.isoformat(),
        "figures": {f"{name}_cents": 0 for name in names},
        "unclaimed": {(DAY - timedelta(days=old)).isoformat(): owed for old, owed in ages.items()},
    }
    rows = of("unclaimed", ("DAY-CLOSE", close))["ages"]
    assert {row["age"]: (row["days"], row["cents"]) for row in rows} == {
        "up to 7 days": (2, 21),
        "8 to 30 days": (2, 4_300),
        "31 to 90 days": (2, 650_000),
        "91 days and more": (2, 87_000_000),
    }


@pytest.mark.rule("X-audit-books")
def test_the_certificate_says_how_many_faults_the_books_found_and_where() -> None:
    found = {"faults_of": {"prices": 2, "wins": 0}, "faults": 2, "looked_at": {"prices": 9},
             "log": {"size": 5, "root": "00"}, "software": "ff"}  # fmt: skip
    sections = of("certificate", ("BOOKS", found))
    assert [(row["faults"], row["looked_at"]) for row in sections["books"]] == [(2, 9)]
    assert {row["check"]: row["faults"] for row in sections["checks"]} == {"prices": 2, "wins": 0}


@pytest.mark.rule("X-pay-cash-log")
def test_a_currency_report_that_is_due_is_told() -> None:
    def contact(cash_in: int, due: bool) -> dict[str, Any]:
        return {"id": "C1", "player_card": "ab" * 32, "cash_in_cents": cash_in,
                "cash_out_cents": 0, "currency_report": due}  # fmt: skip

    small = paid(900, contact=contact(249_999, due=False))
    assert of("worksheets", small)["currency"] == []
    for cash_in, due in ((250_000, False), (1_000_001, True)):
        (row,) = of("worksheets", small, paid(900, contact=contact(cash_in, due)))["currency"]
        assert (row["cash_in_cents"], row["report"]) == (cash_in, due)


@pytest.mark.rule("15.5(a)-dual-key", "X-software-seal")
def test_how_both_keyed_processes_stood_is_told_with_holders_and_software() -> None:
    process = {"condition": "locked out", "reasons": ["self-test"], "holders": ["Sam"],
               "software": "ab" * 32}  # fmt: skip
    rows = of("keys", ("KEYS", {"processes": {"rng": process, "inspector": process}}))["events"]
    assert [row["about"] for row in rows] == ["inspector", "rng"]
    assert {row["words"] for row in rows} == {
        f"locked out; self-test; holders Sam; software {'ab' * 8}"
    }


@pytest.mark.rule("X-software-seal")
def test_of_software_that_was_changed_under_a_process_the_report_names_what_ran() -> None:
    begun, changed = "aa" * 32, "bb" * 32
    day = {"gaming_day": "2026-11-16"}
    sections = of(
        "keys",
        ("SOFTWARE", {"software": begun, **day}),
        ("SOFTWARE", {"software": changed, "started_with": begun, **day}),
    )
    assert [(row["software"], row["times"]) for row in sections["software"]] == [(begun, 2)]
    (row,) = sections["events"]
    assert row["words"] == f"on the disk, not what runs: {changed}"


@pytest.mark.rule("X-rng-tests")
def test_each_test_of_the_draw_is_judged_at_both_levels_under_their_own_heads() -> None:
    chance = random.Random(SEED_BETWEEN)  # noqa: S311  the same draws each time
    draws = [
        ("DRAW", {"series": "M", "numbers": chance.sample(range(1, 81), 20)}) for _ in range(100)
    ]
    rows = of("rng", *draws)["tests"]
    made = [row for row in rows if row["p_value"] is not None]
    for row in made:
        for head, level in (("at_95", 0.05), ("at_99", 0.01)):
            accused = float(row["p_value"]) <= level
            assert row[head] == ("accused" if accused else "not accused")
    assert {(row["at_95"], row["at_99"]) for row in made} == {
        ("accused", "not accused"), ("not accused", "not accused"),
    }  # fmt: skip
    # One of them accuses a fair source now and then: what counts is all of them together.
    (together,) = [row for row in rows if row["test"] == "all together"]
    assert together["family_p_value"] == min(row["family_p_value"] for row in made)
    assert (together["at_95"], together["at_99"]) == ("not accused", "not accused")


@pytest.mark.rule("15.3(a)")
def test_a_sale_stands_in_the_minute_before_the_lock_in_which_it_was() -> None:
    sale = {**AT_THE_COUNTER, "series": "M", "first_game": 1, "games": 1, "type": "straight",
            "source": "request", "price_cents": 100, "tender": [], "change_cents": 0}  # fmt: skip
    rows = of("sales", ("TICKET", sale), ("TICKET", sale), ("LOCK", {"series": "M", "game": 1}))
    found = {row["minute"]: row["tickets"] for row in rows["minutes"] if row["tickets"]}
    assert found == {"2 to 3 min": 1, "1 to 2 min": 1}


@pytest.mark.rule("X-drawer")
def test_whoever_counted_or_moved_money_with_the_writer_is_named() -> None:
    counted = {"counted": {"currency": 500}, "drawer": 1, "verifier": "MAX"}
    moved = {"act": "fill", "cents": 100, "drawer": 1, "approver": "SAM"}
    rows = of(
        "drawers",
        ("DRAWER-OPEN", {**AT_THE_COUNTER, **counted}),
        ("DRAWER-MOVE", {**AT_THE_COUNTER, **moved}),
    )["moves"]
    told = [(row["what"], row["cents"], row["second"]) for row in rows]
    assert told == [("opened", 500, "MAX"), ("fill", 100, "SAM")]


@pytest.mark.rule("X-access", "X-access-disable")
def test_whoever_is_disabled_stands_there_as_disabled_until_enabled() -> None:
    added = ("STAFF", {"staff": "WALT", "role": "writer", "change": "added", "by": "founding"})
    disabled = ("STAFF", {"staff": "WALT", "change": "disabled", "by": {"staff": "ADA"}})
    enabled = ("STAFF", {"staff": "WALT", "change": "enabled", "by": {"staff": "ADA"}})
    for acts, is_disabled in (([added], False), ([added, disabled], True),
                              ([added, disabled, enabled], False)):  # fmt: skip
        (row,) = of("who-can", *acts)["staff"]
        assert (row["role"], row["disabled"]) == ("writer", is_disabled)
