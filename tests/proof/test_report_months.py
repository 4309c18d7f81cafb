"""A month of every kind of act by chance: the reports of it, against sums over the facts."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from app.flow.report import Asked, make_report, rendered
from app.reports.catalogue import CATALOGUE, Format
from tests.floor import Floor
from tests.looking import rows
from tests.proof.paying_days import FIRST_DAY, House

pytestmark = pytest.mark.proof

DAYS = 30


@pytest.mark.rule("X-audit-books", "X-audit-log", "15.6(c)", "15.5(h)")
def test_the_reports_of_a_month_are_what_its_facts_come_to(floor: Floor) -> None:
    house = House(floor, seed=7)
    for _ in range(DAYS):
        house.work_a_day()
    first, last = FIRST_DAY + timedelta(days=1), house.day
    told = {report: _sections(floor, report, first, last) for report in CATALOGUE}

    def one(statement: str) -> int:
        ((value,),) = rows(floor, statement)
        return int(value or 0)

    sold, paid = one("SELECT sum(price_cents) FROM ticket"), one("SELECT sum(cents) FROM payout")
    expired = one("SELECT sum(cents) FROM expiry")
    back = one("SELECT sum(cents) FROM refund") + one("SELECT sum(cents) FROM cancellation")
    write = one("SELECT sum(handle_cents) FROM game WHERE state <> 'void' AND state <> 'open'")
    wins = one("SELECT sum(paid_cents) FROM settlement")
    assert told["sales-detail"]["tickets"]["sums"]["price_cents"] == sold
    assert told["sales"]["stations"]["sums"]["sales_cents"] == sold
    assert told["payouts-detail"]["payouts"]["sums"]["win_cents"] == paid
    refunds = told["refunds"]["refunds"]["sums"]
    assert refunds["back_cents"] + refunds["coupon_cents"] == back
    recap = told["game-recap"]["games"]["sums"]
    assert (recap["write_cents"], recap["payable_cents"], recap["paid_cents"]) == (
        write,
        wins,
        paid,
    )
    held = told["win"]["days"]["sums"]
    assert (held["sales_cents"], held["write_cents"], held["wins_cents"]) == (sold, write, wins)
    assert told["unclaimed"]["ages"]["sums"]["cents"] == wins - paid - expired
    assert told["unclaimed"]["expired"]["sums"]["cents"] == expired > 0
    writers = told["writers"]["writers"]["sums"]
    assert (writers["sales_cents"], writers["paid_cents"]) == (sold, paid)
    numbers = told["winning-numbers"]["games"]["rows"]
    drawn = [row for row in numbers if row["numbers"]]
    assert len(drawn) == one("SELECT count(*) FROM outcome WHERE numbers IS NOT NULL") - 1
    _days_add_up(floor, told, first, last)


def _sections(floor: Floor, report: str, first: date, last: date) -> Any:  # noqa: ANN401
    made = make_report(floor.office, Asked(report, first, last, Format.JSON))
    again = make_report(floor.office, Asked(report, first, last, Format.JSON))
    for form in Format:
        assert rendered(made, form) == rendered(again, form)
    return json.loads(made.json())["sections"]


def _days_add_up(floor: Floor, told: Any, first: date, last: date) -> None:  # noqa: ANN401
    """Each day by itself, added up, comes to the month."""
    sums = {"sales-detail": 0, "payouts-detail": 0}
    day = first
    while day <= last:
        detail = _sections(floor, "sales-detail", day, day)["tickets"]["sums"]["price_cents"]
        sums["sales-detail"] += detail
        paid = _sections(floor, "payouts-detail", day, day)["payouts"]["sums"]["win_cents"]
        sums["payouts-detail"] += paid
        day += timedelta(days=1)
    assert sums["sales-detail"] == told["sales-detail"]["tickets"]["sums"]["price_cents"]
    assert sums["payouts-detail"] == told["payouts-detail"]["payouts"]["sums"]["win_cents"]
