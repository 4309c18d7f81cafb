"""A whole shift through the API: open, sell, void, pay, fill, close blind, explain (X-drawer)."""

from typing import Any

import pytest
from flask import Flask

from app.web import create_app
from tests.floor import MAX, SAM, SUE, Floor, secret_of
from tests.web.api import Station

SAM_IS_WITH_HER = {"name": SAM, "secret": secret_of(SAM)}
MAX_COUNTS = {"name": MAX, "secret": secret_of(MAX)}


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


def every(rate: str) -> dict[str, Any]:
    """A ticket that always wins: twenty of its eighty ways, three for one."""
    request = {"groups": [[n] for n in range(1, 81)], "conditioning": f"80/1 @ {rate}"}
    tender = [{"kind": "currency", "cents": 1_000_000}]
    return {"series": "M", "source": "request", "request": request, "tender": tender}


@pytest.mark.rule("X-drawer", "15.6(a)", "15.6(b)", "X-pay-system")
def test_a_whole_shift_is_worked_through_the_api(app: Flask, floor: Floor) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in()
    bank = {"currency": {"10000": 20, "2000": 50}, "coin": {"25": 40}}
    opened = station.post("drawers", {"counted": bank, "verifier": MAX_COUNTS})
    assert (opened.status, opened.json["opening_cents"]) == (201, 301_000)

    small, large = (station.post("tickets", every(rate)).json for rate in ("1.00", "25.00"))
    wrong = station.post("tickets", every("1.00")).json
    void = {"code": floor.code(wrong["number"]), "reason": "changed mind"}
    assert station.post(f"tickets/{wrong['number']}/void", void).status == 200
    floor.play()

    contact = {"id": "patron-1"}
    code = {"code": floor.code(small["number"])}
    shown = station.post(f"tickets/{small['number']}/present", code)
    assert (shown.json["pay_cents"], shown.json["needs"]) == (6_000, [])
    for named in ("cents", "pay_cents", "amount"):  # nobody says what is to be paid (X-pay-system)
        said = station.post(f"tickets/{small['number']}/pay", {**code, named: 6_001})
        assert (said.status, said.json["code"]) == (422, "document.field_unknown")
    paid = station.post(f"tickets/{small['number']}/pay", {**code, "contact": contact}, "pay-once")
    assert (paid.status, paid.json["pay_cents"]) == (200, 6_000)
    again = station.post(f"tickets/{small['number']}/pay", {**code, "contact": contact}, "pay-once")
    assert again.json == paid.json
    twice = station.post(f"tickets/{small['number']}/pay", code)
    assert (twice.status, twice.json["code"]) == (409, "ticket.already_paid")
    replay = {"series": "M", "source": {"ticket": small["number"]}, "contact": contact}
    replayed = station.post("tickets", {**replay, "tender": every("1.00")["tender"]})
    assert replayed.json["contact"]["net_cents"] == 8_000 - 6_000

    code = {"code": floor.code(large["number"])}
    alone = station.post(f"tickets/{large['number']}/pay", code)
    assert (alone.status, alone.json["code"]) == (403, "approval.needed")
    approved = {**code, "approval": SAM_IS_WITH_HER}
    assert station.post(f"tickets/{large['number']}/pay", approved).json["pay_cents"] == 150_000

    fill = {"amounts": {"currency": 50_000}, "approval": SAM_IS_WITH_HER}
    assert station.post("drawers/1/fill", fill).status == 200
    looked = station.get("drawers/1").json
    assert [each["number"] for each in looked["paid_tickets"]] == [1, 2]
    assert "expected_cents" not in looked

    sold, paid_out = 8_000 + 200_000 + 8_000, 6_000 + 150_000
    there = 301_000 + sold - paid_out + 50_000
    counted = {"currency": there - 1_000 - 2_000, "coin": {"25": 40}}  # twenty dollars are missing
    closing = {"counted": counted, "verifier": MAX_COUNTS, "tickets": [1, 2]}
    closed = station.post("drawers/1/close", closing).json
    assert (closed["over_short_cents"], closed["tickets_missing"]) == (-2_000, [])
    explained = station.post("drawers/1/explain", {"words": "a twenty stuck to another"})
    assert explained.json["act"] == "explain"
    assert station.get("drawers/1").json["explanations"] == ["a twenty stuck to another"]
    floor.check_books()


@pytest.mark.rule("15.6(b)", "X-pay-tax", "X-pay-second-tier")
def test_a_large_win_is_approved_from_pages_and_reported(app: Flask, floor: Floor) -> None:
    station, other = Station(app.test_client(), floor), Station(app.test_client(), floor, "B2")
    station.sign_in()
    rich = {"currency": 10_000_000}
    station.post("drawers", {"counted": rich, "verifier": MAX_COUNTS})
    station.post("tickets", every("100.00"))
    floor.play()
    code = {"code": floor.code(1)}
    needs = station.post("tickets/1/present", code).json["needs"]
    assert [need["code"] for need in needs] == ["approval.needed"]  # nothing is won net
    other.sign_in(SUE)
    seen = other.post("tickets/1/approve", {}).json
    assert (seen["tier"], seen["cents"]) == ("supervisor", 600_000)
    paper = {"game": 1, "name": "Pat Patron", "taxpayer_number": "1", **code}
    none = station.post("tickets/1/tax-paper", paper)
    assert (none.status, none.json["code"]) == (409, "payment.no_tax_paper")
    check = {**code, "check": {"number": "1001", "payee": "Pat Patron"}}
    paid = station.post("tickets/1/pay", check)
    assert (paid.status, paid.json["paid_by"]) == (200, "check")
    floor.check_books()


@pytest.mark.rule("X-drawer")
def test_what_does_not_fit_an_entry_of_the_log_is_refused(app: Flask, floor: Floor) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in()
    opening = {"counted": {"currency": 10_000}, "verifier": MAX_COUNTS}
    station.post("drawers", opening)
    for words in ("x" * 201, "two\nlines", " "):
        refused = station.post("drawers/1/suspend", {"words": words})
        assert (refused.status, refused.json["code"]) == (422, "reason.missing")
        refused = station.post("drawers/1/close", {**opening, "reason": words})
        assert (refused.status, refused.json["code"]) == (422, "reason.missing")
    for tickets in ([0], [10**13], [1] * 4_001):
        refused = station.post("drawers/1/close", {**opening, "tickets": tickets})
        assert (refused.status, refused.json["code"]) == (422, "document.out_of_range")
    assert station.post("drawers/1/close", opening).status == 200


@pytest.mark.parametrize(
    "counted",
    [
        {"currency": {"300": 1}},
        {"currency": {"x": 1}},
        {"currency": {"2000": -1}},
        {"currency": {"2000": "five"}},
        {"coupon": 100},
        {"currency": -1},
        {"currency": 100_000_000_000, "coin": 1},
        {"chips": {str(cents): 1_000_000 for cents in range(1, 100_000, 100)}},
    ],
)
def test_a_count_of_what_there_is_not_is_refused(
    app: Flask, floor: Floor, counted: dict[str, Any]
) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in()
    refused = station.post("drawers", {"counted": counted, "verifier": MAX_COUNTS})
    assert refused.status == 422, refused.json


@pytest.mark.rule("X-audit-books")
def test_whoever_lost_the_answer_to_a_close_of_day_finds_it_again(app: Flask, floor: Floor) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in(SAM)
    assert station.get("days/2026-11-16").status == 404
    floor.pass_time(days=1)
    station.sign_in(SAM)
    told = station.post("days/2026-11-16/close", {})
    assert told.status == 200, told.json
    assert station.get("days/2026-11-16").json == told.json
    assert station.post("days/2026-11-16/close", {}).status == 409


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "tomorrow", "2026-02-30"])
def test_a_day_on_which_nobody_plays_is_refused(app: Flask, floor: Floor, day: str) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in(SAM)
    assert station.get(f"days/{day}").status == 422
    assert station.get(f"days/{day}/cash").status == 422
    assert station.post(f"days/{day}/close", {}).status == 422
