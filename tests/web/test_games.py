"""Games over HTTP: locking, overriding and voiding them, money back, and what anyone can read."""

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from flask import Flask

from app.clock import time_text
from app.flow.override import override_close
from app.flow.report import Asked, make_report
from app.reports.catalogue import Format
from app.web import create_app
from rng.lab.verify import verify_draw
from tests.floor import SAM, SUE, Floor, secret_of
from tests.looking import bodies
from tests.web.api import COUNT, SALE, Station

APPROVED = {"approval": {"name": SAM, "secret": secret_of(SAM)}}
THREE_GAMES = {**SALE, "request": {**SALE["request"], "games": 3}}  # type: ignore[dict-item]


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


@pytest.fixture
def station(app: Flask, floor: Floor) -> Iterator[Station]:
    """Wanda at the first station, with an open drawer."""
    station = Station(app.test_client(), floor)
    station.sign_in()
    station.post("drawers", COUNT)
    yield station
    floor.check_books()


@pytest.fixture
def supervisor(app: Flask, floor: Floor) -> Station:
    """Sue at the second station."""
    station = Station(app.test_client(), floor, "B2")
    station.sign_in(SUE)
    return station


@pytest.mark.rule("15.5(d)", "X-lock-server")
def test_a_writer_locks_the_open_game_only_with_a_supervisor(
    station: Station, supervisor: Station, floor: Floor
) -> None:
    alone = station.post("games/M/1/lock", {})
    assert (alone.status, alone.json["code"]) == (403, "approval.needed")
    locked = station.post("games/M/1/lock", APPROVED)
    assert (locked.status, locked.json) == (200, {"locked": "M-1", "opened": "M-2"})
    again = station.post("games/M/1/lock", APPROVED)
    assert (again.status, again.json["code"]) == (409, "game.locked")
    floor.draw()
    assert supervisor.post("games/M/2/lock", {}).json["opened"] == "M-3"
    for series, number in (("M", "x"), ("Q", "1"), ("M", "99")):
        refused = supervisor.post(f"games/{series}/{number}/lock", {})
        assert refused.status in {404, 409}, refused.json


@pytest.mark.rule("15.5(e)", "X-access-disable")
def test_whoever_locks_a_game_before_its_time_says_why(
    station: Station, supervisor: Station, floor: Floor
) -> None:
    override_close(floor.office, floor.sam, "M", 1, floor.moment[0] + timedelta(hours=1), "late")
    for alone, asked in ((station, APPROVED), (supervisor, {}), (supervisor, {"reason": " "})):
        refused = alone.post("games/M/1/lock", asked)
        assert (refused.status, refused.json["code"]) == (422, "reason.missing")
    assert supervisor.post("games/M/1/lock", {"reason": "The band is late."}).status == 200
    assert floor.state(1) == "locked"  # nothing is sold for it any more
    (body,) = bodies(floor, "LOCK")
    assert (body["reason"], body["by"]["staff"]) == ("The band is late.", "SUE")
    day = date.fromisoformat(body["gaming_day"])
    report = make_report(floor.office, Asked("overrides", day, day, Format.JSON)).json()
    listed = json.loads(report)["sections"]["overrides"]["rows"]
    assert listed[-1]["reason"] == "The band is late."


@pytest.mark.rule("15.5(e)")
def test_a_supervisor_postpones_or_closes_a_game_and_says_why(
    supervisor: Station, floor: Floor
) -> None:
    tomorrow = (floor.moment[0] + timedelta(days=1)).isoformat(timespec="seconds")
    later = {"closes_at": tomorrow, "reason": "The band is late."}
    closes_at = time_text(datetime.fromisoformat(tomorrow))
    told = {"game": "M-1", "closes_at": closes_at}
    assert supervisor.post("games/M/1/close", later).json == told
    no_reason = supervisor.post("games/M/1/close", {**later, "reason": " "})
    assert (no_reason.status, no_reason.json["code"]) == (422, "reason.missing")
    for wrong in ("tomorrow", "2026-11-17T12:00:00"):
        refused = supervisor.post("games/M/1/close", {**later, "closes_at": wrong})
        assert (refused.status, refused.json["code"]) == (422, "document.wrong_type")
        assert refused.json["title"].endswith("with its zone, as 2026-12-01T06:00-05:00.")
    listed = {game["series"]: game for game in supervisor.get("games").json["games"]}
    assert listed["M"]["closes_at"] == closes_at


@pytest.mark.rule("15.4(d)-refund", "X-ticket-exactly-once")
def test_the_rest_of_a_ticket_is_refunded_once_whatever_is_pressed_twice(
    station: Station, floor: Floor
) -> None:
    station.post("tickets", THREE_GAMES)
    whole = station.post("tickets/1/refund", {"code": floor.code(1), "reason": "leaving"})
    assert (whole.status, whole.json["code"]) == (409, "ticket.void_instead")
    floor.play()
    wrong = station.post("tickets/1/refund", {"code": "1" * 25, "reason": "leaving"})
    assert (wrong.status, wrong.json["code"]) == (403, "ticket.wrong_code")
    asked = {"code": floor.code(1), "reason": "leaving"}
    first = station.post("tickets/1/refund", asked, "refund-1")
    assert (first.status, first.json["back_cents"], first.json["cancelled_from"]) == (200, 200, 2)
    assert station.post("tickets/1/refund", asked, "refund-1").json == first.json
    again = station.post("tickets/1/refund", asked)
    assert (again.status, again.json["code"]) == (409, "ticket.nothing_to_refund")


@pytest.mark.rule("X-fault-refund")
def test_a_game_that_cannot_be_drawn_is_voided_and_its_price_goes_back(
    station: Station, supervisor: Station, floor: Floor
) -> None:
    station.post("tickets", SALE)
    early = supervisor.post("games/M/1/void", {"reason": "The generator is broken."})
    assert early.status == 409
    floor.lock()
    assert station.post("games/M/1/void", {"reason": "I feel like it."}).status == 403
    assert supervisor.post("games/M/1/void", {"reason": "The generator is broken."}).status == 200
    floor.draw()
    assert floor.state(1) == "void"
    back = station.post("tickets/1/refund", {"code": floor.code(1), "reason": "void game"})
    assert (back.json["back_cents"], back.json["void_games"]) == (100, [1])


@pytest.mark.rule("X-draw-public")
def test_anyone_reads_results_and_checks_them_with_the_public_keys(
    app: Flask, station: Station, floor: Floor
) -> None:
    station.post("tickets", SALE)
    floor.play()
    anyone = app.test_client()
    answer = anyone.get("/results.json")
    (game,) = answer.get_json()["games"]
    assert (game["series"], game["game"], game["state"]) == ("M", 1, "certified")
    keys = anyone.get("/keys.json").get_json()
    verify_draw(game["record"], {name: key for name, key in keys.items() if name != "log_origin"})
    assert sorted(game["numbers"]) == sorted(game["record"]["record"]["body"]["numbers"])
    unchanged = anyone.get("/results.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert (unchanged.status_code, unchanged.data) == (304, b"")
    kinds = [event["kind"] for event in anyone.get("/feed.json").get_json()["events"]]
    assert kinds[-5:] == ["locked", "opened", "drawn", "settled", "certified"]
    assert anyone.get("/feed.json?after=x").status_code == 200


@pytest.mark.rule("15.5(f)", "X-recovery")
def test_anyone_sees_on_the_results_page_what_was_drawn_and_why_a_game_is_held(
    app: Flask, floor: Floor
) -> None:
    floor.play()
    floor.hold("The inspector is locked; a holder of its key must unlock it.")
    page = app.test_client().get("/results").get_data(as_text=True)
    assert page.count('class="ball"') == 20
    assert "Held: The inspector is locked" in page
    listed = app.test_client().get("/api/v1/games").get_json()["games"]
    assert any(game["held_why"] for game in listed)


@pytest.mark.rule("15.5(e)")
def test_a_page_names_a_time_as_the_clocks_of_the_house_show_it(
    supervisor: Station, floor: Floor
) -> None:
    here = ZoneInfo("America/New_York")
    shown = (floor.moment[0].astimezone(here) + timedelta(hours=3)).replace(second=0, microsecond=0)
    asked = {"closes_at": f"{shown:%Y-%m-%dT%H:%M}[{here.key}]", "reason": "The band is late."}
    told = supervisor.post("games/M/1/close", asked).json
    assert datetime.fromisoformat(told["closes_at"]) == shown


@pytest.mark.parametrize(
    "moment",
    [
        "2027-03-14T02:30[America/New_York]",  # which no clock shows
        "2027-11-07T01:30[America/New_York]",  # which it shows twice
        "2026-11-17T12:00-05:00[America/New_York]",  # two zones
        "2026-11-17T12:00[]",
        "2026-11-17T12:00[Nowhere/Else]",
        "2026-11-17T12:00[America]",
        "2026-11-17T12:00[../UTC]",
        "[America/New_York]",
    ],
)
def test_a_time_that_the_clocks_of_no_zone_show_once_is_refused(
    supervisor: Station, moment: str
) -> None:
    refused = supervisor.post("games/M/1/close", {"closes_at": moment, "reason": "late"})
    assert (refused.status, refused.json["code"]) == (422, "document.wrong_type")


@pytest.mark.rule("15.5(e)")
@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00+14:00", "9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z"]
)
def test_a_time_beyond_all_calendars_is_refused(supervisor: Station, moment: str) -> None:
    refused = supervisor.post("games/M/1/close", {"closes_at": moment, "reason": "never"})
    assert refused.status == 422
    assert refused.json["code"] in {"document.wrong_type", "game.time_far", "game.time_passed"}


@pytest.mark.parametrize("act", ["close", "void", "lock"])
@pytest.mark.parametrize("series", ["%00", "M%00", "M%0A", "%E2%80%A8"])
def test_a_series_that_cannot_be_named_is_none(supervisor: Station, act: str, series: str) -> None:
    body = {} if act == "lock" else {"reason": "why not"}
    refused = supervisor.post(f"games/{series}/1/{act}", body)
    assert (refused.status, refused.json["code"]) == (404, "series.unknown")


@pytest.mark.parametrize("reason", ["two\nlines", "a bell\a", "\u2028", "caf\u00e9"])
def test_a_reason_is_a_line_that_can_be_read(
    supervisor: Station, floor: Floor, reason: str
) -> None:
    floor.lock()
    refused = supervisor.post("games/M/1/void", {"reason": reason})
    assert (refused.status, refused.json["code"]) == (422, "reason.missing")
    assert "plain letters" in refused.json["title"]
