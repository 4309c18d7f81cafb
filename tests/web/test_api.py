"""API v1: what a work station can ask for, over HTTP (both engines)."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app.flow.permissions import Permission
from app.web import create_app
from app.web.openapi import document
from app.web.routes import ANYONE, STATION
from tests.floor import SAM, WALT, Floor, secret_of
from tests.web.api import COUNT, SALE, Station, every_act


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


@pytest.mark.rule("15.4(c)")
def test_a_ticket_is_sold_looked_up_and_voided(station: Station, floor: Floor) -> None:
    sold = station.post("tickets", SALE)
    assert (sold.status, sold.json["number"], sold.json["change_cents"]) == (201, 1, 400)
    shown = station.get("tickets/1")
    assert (shown.json["standing"], set(shown.json["code"])) == ("open", {"*"})
    assert station.get("tickets/1-3").json == shown.json
    voided = station.post("tickets/1/void", {"code": floor.code(1), "reason": "changed mind"})
    assert (voided.status, voided.json["back_cents"]) == (200, 100)
    assert station.get("tickets/1").json["standing"] == "void"


@pytest.mark.rule("15.4(a)")
def test_a_request_is_quoted_or_refused_with_every_fault(station: Station) -> None:
    quoted = station.post("quote", SALE["request"])
    assert (quoted.status, quoted.json["price_cents"]) == (200, 100)
    faulty = station.post("quote", {"groups": [[0, 1]], "conditioning": "1/2 @ 1.01"})
    assert (faulty.status, faulty.kind) == (422, "application/problem+json")
    told = [refusal["code"] for refusal in faulty.json["refusals"]]
    assert told == ["group.off_the_ticket", "rate.off_step"]
    assert faulty.json["code"] == told[0]


@pytest.mark.rule("X-ticket-replay")
def test_a_ticket_is_played_again_as_it_is_or_changed(station: Station) -> None:
    station.post("tickets", SALE)
    replay = {"series": "M", "source": {"ticket": 1}, "tender": SALE["tender"]}
    assert station.post("tickets", replay).json["conditioning"] == "1/4 @ 1.00"
    changed = station.post("tickets", replay | {"request": {"games": 3}})
    assert (changed.json["last_game"], changed.json["price_cents"]) == (3, 300)
    other = station.post("tickets", replay | {"request": {"groups": [[1, 2, 3, 4]]}})
    assert other.json["numbers"] == [[1, 2, 3, 4]]
    nothing = station.post("tickets", replay | {"request": None})
    assert nothing.status == 201


@pytest.mark.rule("X-ticket-replay", "15.3(b)")
def test_a_quick_pick_is_no_ticket_played_again(station: Station) -> None:
    station.post("tickets", SALE)
    picked = {"quick_pick": 4, "conditioning": "1/4 @ 1.00"}
    both = {"series": "M", "source": {"ticket": 1}, "request": picked, "tender": SALE["tender"]}
    refused = station.post("tickets", both)
    assert (refused.status, refused.json["code"]) == (422, "document.field_unknown")


@pytest.mark.rule("X-ticket-exactly-once")
def test_the_same_idempotency_key_gives_the_same_ticket(station: Station) -> None:
    first = station.post("tickets", SALE, "the-same-key")
    assert station.post("tickets", SALE, "the-same-key").json == first.json
    other = station.post("tickets", {**SALE, "first_game": 1}, "the-same-key")
    assert (other.status, other.json["code"]) == (409, "request_id.other_content")


@pytest.mark.rule("X-drawer")
def test_a_drawer_is_closed_blind_and_then_nothing_is_sold(station: Station) -> None:
    station.post("tickets", SALE)
    again = station.post("drawers", COUNT)
    assert (again.status, again.json["code"]) == (409, "drawer.already_open")
    closed = station.post("drawers/1/close", {**COUNT, "counted": {"currency": 10_050}})
    assert (closed.json["expected_cents"], closed.json["over_short_cents"]) == (10_100, -50)
    assert station.post("tickets", SALE).json["code"] == "drawer.not_open"
    for drawer in ("7", "x", "9" * 30):
        assert station.post(f"drawers/{drawer}/close", COUNT).status == 404
    assert station.post("drawers/1/close", COUNT).json["code"] == "drawer.wrong_state"


@pytest.mark.rule("X-access")
def test_who_signed_out_is_out(station: Station) -> None:
    assert station.post("sign-out", {}).status == 200
    refused = station.post("tickets", SALE)
    assert (refused.status, refused.json["code"]) == (401, "staff.not_signed_in")


@pytest.mark.rule("X-void-slip")
def test_at_another_station_a_supervisor_approves_a_void(
    station: Station, app: Flask, floor: Floor
) -> None:
    station.post("tickets", SALE)
    other = Station(app.test_client(), floor, "B2")
    other.sign_in(WALT)
    other.post("drawers", COUNT)
    void = {"code": floor.code(1), "reason": "changed mind"}
    needed = other.post("tickets/1/void", void)
    assert (needed.status, needed.json["code"]) == (403, "approval.needed")
    wrong = {"name": SAM, "secret": "a guess"}
    assert other.post("tickets/1/void", {**void, "approval": wrong}).status == 401
    right = {"name": SAM, "secret": secret_of(SAM)}
    assert other.post("tickets/1/void", {**void, "approval": right}).status == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "document.not_json"),
        (b"{", 400, "document.not_json"),
        (b"\xff", 400, "document.not_utf8"),
        (b"[]", 422, "document.wrong_type"),
        (b"{}", 422, "document.field_missing"),
        (b'{"a": 1, "a": 2}', 400, "document.field_twice"),
        (b'{"series": "\\u0000"}', 400, "document.not_text"),
        (b'{"series": "\\ud800"}', 400, "document.not_text"),
        (b'{"series": NaN}', 400, "document.not_json"),
        (b"[" * 100_000, 400, "document.not_json"),
        (b" " * 2_000_000, 413, "http.request_entity_too_large"),
    ],
)
def test_what_is_no_sale_is_refused(
    app: Flask, station: Station, body: bytes, status: int, code: str
) -> None:
    headers = {**station.headers, "Idempotency-Key": "a-request-id"}
    answer = app.test_client().post("/api/v1/tickets", data=body, headers=headers)
    assert (answer.status_code, answer.get_json(force=True)["code"]) == (status, code)
    assert answer.content_type == "application/problem+json"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"tender": [{"kind": "gold", "cents": 1}]}, "document.not_a_choice"),
        ({"tender": [{"kind": "coin", "cents": 0}]}, "document.out_of_range"),
        ({"tender": [{"kind": "coin", "cents": 1.5}]}, "document.wrong_type"),
        ({"tender": [{"kind": "coin", "cents": 10**12}]}, "document.out_of_range"),
        ({"tender": [{"kind": "coin", "cents": 1}] * 51}, "document.out_of_range"),
        ({"tender": {}}, "document.wrong_type"),
        ({"source": "whisper"}, "document.not_a_choice"),
        ({"source": {"ticket": "1"}}, "document.wrong_type"),
        ({"source": {"ticket": 10**15}}, "ticket.unknown"),
        ({"source": "quick-pick"}, "quick_pick.not_alone"),
        ({"first_game": 2**53}, "document.out_of_range"),
        ({"first_game": 2**53 - 1}, "game.not_open_yet"),
        ({"series": "X" * 500}, "series.unknown"),
        ({"request": {"groups": [[10**40]], "conditioning": "1/1 @ 1"}}, "group.off_the_ticket"),
        ({"price": 5}, "document.field_unknown"),
        (
            {"tender": [{"kind": "coupon", "cents": 100, "serial": "s" * 41}]},
            "tender.serial_missing",
        ),
    ],
)
def test_a_sale_with_something_wrong_in_it_is_refused(
    station: Station, change: dict[str, object], code: str
) -> None:
    assert station.post("tickets", {**SALE, **change}).json["code"] == code


# ---- every route ---------------------------------------------------------------------------------


def test_every_route_says_what_it_needs(app: Flask) -> None:
    endpoints = {rule.endpoint for rule in app.url_map.iter_rules()} - {"static"}
    needs = {name: getattr(app.view_functions[name], "needs", None) for name in endpoints}
    assert len(needs) > 50
    known = {*Permission, ANYONE, STATION}
    assert {name: need for name, need in needs.items() if need not in known} == {}


@pytest.mark.rule("X-access", "15.3(a)")
def test_no_route_that_needs_a_permission_answers_somebody_unknown(
    app: Flask, floor: Floor
) -> None:
    client = app.test_client()
    acts = list(every_act(app))
    assert len(acts) > 50
    for act in acts:
        for headers in ({}, {"X-Station": "x"}, {"X-Station": floor.station("B2")}):
            sent = {**headers, "Idempotency-Key": "a-request-id"}
            answer = client.open(act.path, method=act.method, json=act.body, headers=sent)
            if act.path.startswith("/api/"):
                assert answer.status_code == 401, (act.path, headers)
            else:  # a page leads to where one signs in
                assert (answer.status_code, answer.location[:7]) == (302, "/?next="), act.path


def test_the_description_names_every_route_of_the_api(app: Flask) -> None:
    routes = {
        (rule.rule.removeprefix("/api/v1").replace("<", "{").replace(">", "}"), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/")
        for method in (rule.methods or set()) & {"GET", "POST", "DELETE"}
    }
    described = {(path, method) for path, acts in document()["paths"].items() for method in acts}
    assert described == routes


def test_answers_forbid_what_a_page_must_not_do(app: Flask) -> None:
    answer = app.test_client().get("/healthz")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_an_unknown_page_and_a_wrong_method_are_problems_too(app: Flask) -> None:
    client = app.test_client()
    assert client.get("/nowhere").get_json(force=True)["code"] == "http.not_found"
    wrong = client.delete("/api/v1/tickets")
    assert (wrong.status_code, wrong.get_json(force=True)["code"]) == (
        405,
        "http.method_not_allowed",
    )
    assert "POST" in wrong.headers["Allow"]


def test_a_defect_of_ours_tells_nothing_of_its_insides(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the insides")

    monkeypatch.setattr("app.web.api.games.newest_games", fail)
    answer = app.test_client().get("/api/v1/games")
    assert (answer.status_code, answer.get_json(force=True)["code"]) == (500, "fault")
    assert b"insides" not in answer.data
