"""Signing in on a page: cookies that no script reads, pages of ours only, nobody left signed in."""

import json
import re
from typing import Any

import pytest
from flask import Flask

from app.flow.access import at_console, who_is_signed_in
from app.flow.permissions import Permission
from app.flow.staffing import give_secret
from app.web import create_app
from app.web.routes import PERSON_COOKIE, STATION_COOKIE
from app.web.strangers import ONE_IN, TRIES
from tests.floor import ADA, BANK, MAX, RITA, SAM, SECOND_STATION, WALT, WANDA, Floor, secret_of
from tests.looking import bodies, everything, refuses
from tests.web.sign_in import HTML, Browser, ours

START = {WANDA: "/writer", SAM: "/supervisor", MAX: "/supervisor", RITA: "/regulator"}
GIVEN, OWN = "given by Ada", "that Wanda alone knows"
TWICE = {"new": OWN, "again": OWN}


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


@pytest.mark.rule("X-access")
def test_whoever_signs_in_begins_where_they_work(app: Flask, floor: Floor) -> None:
    browser = Browser(app, floor)
    assert "Sign in at station B1" in browser.client.get("/").text
    for name, start in START.items():
        assert browser.sign_in(name) == start
        assert browser.client.get("/").location == start
        assert browser.client.post("/sign-out").location == "/"
        assert "Sign in at station B1" in browser.client.get("/").text
    assert browser.sign_in(WANDA, "/sign-in?next=/writer") == "/writer"
    practising = "/sign-in?next=/writer%3Fpractice"
    assert browser.sign_in(WANDA, practising) == "/writer?practice"
    for elsewhere in (
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/%09/evil.example",
        "/%0d%0aSet-Cookie:x",
        "/supervisor",  # which is not for a writer
        "/api/v1/games",
        "/writer%3Fpractice%0d%0aSet-Cookie:x",
        "/supervisor%3Fpractice",
    ):
        assert browser.sign_in(WANDA, f"/sign-in?next={elsewhere}") == "/writer"
        assert browser.client.get(f"/?next={elsewhere}").location == "/writer"


@pytest.mark.rule("X-access")
def test_a_wrong_secret_and_a_wrong_code_are_told_on_the_page(app: Flask, floor: Floor) -> None:
    wrong = ours(app).post("/enrol", data={"code": "B1", "enrolment": "guessed"})
    assert (wrong.status_code, "does not fit this station" in wrong.text) == (401, True)
    browser = Browser(app, floor)
    answer = browser.client.post("/sign-in", data={"name": WANDA, "secret": "guessed"})
    assert (answer.status_code, "name or the secret is wrong" in answer.text) == (401, True)


@pytest.mark.rule("X-access")
def test_the_cookies_are_for_our_pages_only_and_for_no_script(app: Flask, floor: Floor) -> None:
    browser, far = Browser(app, floor), app.test_client()
    form = {"name": WANDA, "secret": secret_of(WANDA)}
    station = {"code": SECOND_STATION, "enrolment": floor.enrolments[SECOND_STATION]}

    def over_tls(path: str, sent: dict[str, str]) -> list[str]:
        own = {"Origin": "https://localhost"}
        answer = far.post(path, data=sent, base_url="https://localhost", headers=own)
        (cookie,) = answer.headers.getlist("Set-Cookie")
        assert {"HttpOnly", "Secure", "Path=/"} <= set(cookie.split("; "))
        assert "Domain=" not in cookie
        return cookie.split("; ")

    for path, sent, name in (("/enrol", station, "station"), ("/sign-in", form, "person")):
        parts = over_tls(path, sent)
        assert parts[0].startswith(f"__Host-keno_{name}=")
        assert "SameSite=Strict" in parts
    assert far.get("/writer", base_url="https://localhost").status_code == 200
    # One that another host of the same domain may have set is none there.
    stranger = app.test_client()
    for name, kept in ((STATION_COOKIE, "station"), (PERSON_COOKIE, "person")):
        found = far.get_cookie(f"__Host-keno_{kept}")
        assert found is not None
        stranger.set_cookie(name, found.value, domain="localhost")
    assert stranger.get("/writer", base_url="https://localhost").status_code == 302
    assert over_tls("/sign-out", {})[0] == "__Host-keno_person="
    in_the_open = browser.client.post("/sign-in", data=form)  # on one machine, without TLS
    assert "Secure" not in in_the_open.headers["Set-Cookie"]
    assert in_the_open.headers["Set-Cookie"].startswith("keno_person=")


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("path", ["/log", "//results", "/log//checkpoint", "/board/M/", "//"])
def test_no_answer_leads_to_the_host_that_a_request_has_named(app: Flask, path: str) -> None:
    # As it stands on the line: a client would take what follows two slashes for a host.
    line = {"PATH_INFO": path}
    answer = app.test_client().get("/", environ_overrides=line, headers={"Host": "evil.example"})
    assert "evil" not in answer.headers.get("Location", "")


@pytest.mark.rule("X-access")
def test_no_other_route_ends_in_a_slash_which_would_lead_there(app: Flask) -> None:
    """And none is found with one: what the proxy keeps to itself has one spelling."""
    ending = {rule.rule for rule in app.url_map.iter_rules() if rule.rule.endswith("/")}
    assert ending == {"/", "/log/"}
    for path in ("/metrics/", "/readyz/", "/healthz/"):
        assert app.test_client().get(path).status_code == 404


@pytest.mark.rule("X-access")
def test_nothing_is_done_by_a_page_that_is_not_ours(app: Flask, floor: Floor) -> None:
    browser = Browser(app, floor)
    browser.sign_in(WANDA)
    body = {"counted": {"currency": 100}, "verifier": {"name": MAX, "secret": secret_of(MAX)}}
    id_ = {"Idempotency-Key": "request-0001"}
    for headers in ({}, {"X-Page-Token": "guessed"}):
        refused = browser.client.post("/api/v1/drawers", json=body, headers=id_ | headers)
        assert (refused.status_code, refused.get_json()["code"]) == (403, "page.foreign")
    opened = browser.client.post(
        "/api/v1/drawers", json=body, headers=id_ | {"X-Page-Token": browser.token}
    )
    assert opened.status_code == 201
    for headers in ({"Origin": "null"}, {"Origin": "https://evil.example"}):
        form = {"name": SAM, "secret": secret_of(SAM)}
        for path in ("/sign-in", "/sign-out", "/enrol", "/secret"):
            assert browser.client.post(path, data=form, headers=headers).status_code == 403
    assert browser.client.get("/").location == "/writer"


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({}, False),
        ({"Origin": "http://localhost"}, True),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "none"}, True),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, False),
        ({"Origin": "http://localhost:99", "Referer": "http://localhost/"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "same-site", "Referer": "http://localhost/"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Referer": "http://localhost/secret"}, True),
        ({"Referer": "http://localhost.evil.example/"}, False),
        ({"Referer": ""}, False),
    ],
)
def test_a_form_says_from_which_page_it_was_sent(
    app: Flask, floor: Floor, headers: dict[str, str], is_ours: bool
) -> None:
    client = app.test_client()
    client.set_cookie(STATION_COOKIE, floor.station("B1"))
    form = {"name": WANDA, "secret": secret_of(WANDA)}
    for path in ("/sign-in", "/api/v1/sign-in"):
        how = {"json": form} if path.startswith("/api/") else {"data": form}
        answer = client.post(path, headers=headers, **how)
        assert (answer.status_code != 403) is is_ours, path
        client.delete_cookie(PERSON_COOKIE)


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_before_anybody_is_signed_in_a_page_that_is_not_ours_tries_no_secrets_with_the_station(
    app: Flask, floor: Floor
) -> None:
    browser = Browser(app, floor)
    before = everything(floor)
    elsewhere = {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-site"}
    bodies_ = {
        "sign-in": {"name": WANDA, "secret": "wrong"},
        "secret": {"name": WANDA, "secret": "wrong", "new_secret": OWN},
        "stations/enrol": {"code": "B2", "enrolment": "wrong"},
    }
    for path, body in bodies_.items():
        for headers in (elsewhere, {"Origin": "https://evil.example"}):
            answer = browser.client.post(
                f"/api/v1/{path}", data=json.dumps(body), headers=headers, content_type="text/plain"
            )
            assert answer.get_json(force=True)["code"] == "page.foreign", path
    assert everything(floor) == before
    ours = {"name": WANDA, "secret": secret_of(WANDA)}
    assert browser.client.post("/api/v1/sign-in", json=ours).status_code == 200


@pytest.mark.rule("X-access")
def test_nobody_stays_signed_in_who_is_not_at_the_keys(app: Flask, floor: Floor) -> None:
    browser = Browser(app, floor)
    browser.sign_in(WANDA)
    ask = {"X-Background": "1"}
    for _ in range(5):
        floor.pass_time(minutes=29)
        assert browser.client.get("/api/v1/papers").status_code == 200
    floor.pass_time(minutes=20)
    assert browser.client.get("/api/v1/papers", headers=ask).status_code == 200
    floor.pass_time(minutes=11)  # what the page asks by itself does not count
    refused = browser.client.get("/api/v1/papers", headers=ask)
    assert (refused.status_code, refused.get_json()["code"]) == (401, "staff.not_signed_in")


@pytest.mark.rule("X-access")
def test_nobody_is_signed_in_at_two_stations_at_once(app: Flask, floor: Floor) -> None:
    first, second = Browser(app, floor), Browser(app, floor, "B2")
    first.sign_in(WANDA)
    form = {"name": WANDA, "secret": secret_of(WANDA)}
    told = second.client.post("/sign-in", data=form).get_data(as_text=True)
    assert "still signed in at station B1. That has ended" in told
    assert first.client.get("/api/v1/papers").status_code == 401
    assert second.client.get("/api/v1/papers").status_code == 200
    assert [body["at"] for body in bodies(floor, "SIGN-OUT")] == ["B1"]
    # A cookie that is carried to another station opens nothing there.
    kept = second.client.get_cookie(PERSON_COOKIE)
    assert kept is not None
    first.client.set_cookie(PERSON_COOKIE, kept.value)
    assert first.client.get("/api/v1/papers").status_code == 401


@pytest.mark.rule("X-access")
def test_a_program_signs_a_person_in_as_a_page_does(app: Flask, floor: Floor) -> None:
    """It ends when nobody is there, or elsewhere; and one's own are listed and ended."""
    stations = {code: {"X-Station": floor.station(code)} for code in ("B1", "B2")}
    client, form = app.test_client(), {"name": WANDA, "secret": secret_of(WANDA)}

    def begin(code: str) -> tuple[dict[str, str], dict[str, Any]]:
        answer = client.post("/api/v1/sign-in", json=form, headers=stations[code]).get_json()
        return stations[code] | {"Authorization": f"Bearer {answer.get('token')}"}, answer

    def codes(headers: dict[str, str], path: str = "/api/v1/papers") -> str:
        return str((client.get(path, headers=headers).get_json() or {}).get("code", "ok"))

    first, answer = begin("B1")
    assert answer["ended"] == []
    second, answer = begin("B2")
    assert answer["ended"] == ["B1"]
    assert (codes(first), codes(second)) == ("staff.not_signed_in", "ok")
    # Whoever is at work stays; whoever is away does not, whatever their program asks by itself.
    for _ in range(3):
        floor.pass_time(minutes=29)
        assert codes(second) == "ok"
    floor.pass_time(minutes=20)
    assert codes(second | {"X-Background": "1"}) == "ok"
    floor.pass_time(minutes=11)
    assert codes(second) == "staff.not_signed_in"
    # Two at one station: the person sees both, and ends one of them.
    third, _ = begin("B2")
    fourth, answer = begin("B2")
    assert answer["ended"] == []
    listed = client.get("/api/v1/sign-ins", headers=fourth).get_json()["sign_ins"]
    assert [(each["station"], each["here"]) for each in listed] == [("B2", False), ("B2", True)]
    assert third["Authorization"][7:] not in str(listed)
    path = f"/api/v1/sign-ins/{listed[0]['id']}"
    walt = client.post(
        "/api/v1/sign-in", json={"name": WALT, "secret": secret_of(WALT)}, headers=stations["B1"]
    ).get_json()["token"]
    others = stations["B1"] | {"Authorization": f"Bearer {walt}"}
    assert client.delete(path, headers=others).get_json()["code"] == "staff.no_such_sign_in"
    assert client.delete(path, headers=fourth).status_code == 200
    assert client.delete(path, headers=fourth).get_json()["code"] == "staff.no_such_sign_in"
    assert (codes(third), codes(fourth)) == ("staff.not_signed_in", "ok")
    assert bodies(floor, "SIGN-OUT")[-1]["at"] == "B2"
    floor.check_books()


@pytest.mark.rule("X-access", "X-drawer")
def test_a_drawer_ties_a_writer_to_its_station(app: Flask, floor: Floor) -> None:
    wanda = floor.writing()
    client, elsewhere = app.test_client(), {"X-Station": floor.station("B2")}
    form = {"name": WANDA, "secret": secret_of(WANDA)}
    answer = client.post("/api/v1/sign-in", json=form, headers=elsewhere)
    assert (answer.status_code, answer.get_json()["code"]) == (409, "drawer.elsewhere")
    assert floor.sell(wanda)["number"] == 1
    floor.close_drawer(wanda, 1, BANK)
    answer = client.post("/api/v1/sign-in", json=form, headers=elsewhere)
    assert answer.get_json()["ended"] == ["B1"]
    with refuses("staff.not_signed_in"):
        floor.open_drawer(wanda)


@pytest.mark.rule("X-access")
def test_a_person_sees_where_they_are_signed_in_and_ends_one_on_the_page(
    app: Flask, floor: Floor
) -> None:
    browser = Browser(app, floor)
    browser.sign_in(SAM)
    floor.stations["B1"] = str(browser.client.get_cookie(STATION_COOKIE).value)  # type: ignore[union-attr]
    left = floor.signed_in(SAM)
    shown = browser.client.get("/secret").get_data(as_text=True)
    assert shown.count("Station B1, since") == 2
    ends = re.findall(r'action="(/sign-ins/[0-9a-f]+/end)"', shown)
    assert browser.client.post(ends[1]).location == "/secret"
    with refuses("staff.not_signed_in"):
        who_is_signed_in(floor.office, left)
    assert browser.client.get("/api/v1/papers").status_code == 200


@pytest.mark.rule("X-access")
def test_pages_say_no_as_pages_and_load_nothing_from_elsewhere(app: Flask, floor: Floor) -> None:
    browser = Browser(app, floor)
    browser.sign_in(ADA)
    missing = browser.client.get("/nowhere", headers=HTML)
    assert (missing.status_code, "There is no such page" in missing.text) == (404, True)
    front = browser.client.get("/results.json")
    assert "default-src 'none'" in front.headers["Content-Security-Policy"]
    feeding = create_app(floor.office, "http://127.0.0.1:8001/events").test_client().get("/")
    policy = feeding.headers["Content-Security-Policy"]
    assert "connect-src 'self' http://127.0.0.1:8001;" in policy
    assert "unsafe" not in policy


def test_what_no_text_has_is_refused_and_never_a_fault(app: Flask, floor: Floor) -> None:
    browser = Browser(app, floor)
    for path, form in (
        ("/sign-in", {"name": "a\0b", "secret": "x"}),
        ("/enrol", {"code": "B\0", "enrolment": "x"}),
        ("/secret", {"name": WANDA, "secret": "x", "new": "\0" * 12, "again": "\0" * 12}),
        ("/check", {"number": "1\0"}),
    ):
        assert browser.client.post(path, data=form).status_code == 400
    browser.sign_in(RITA)
    for path in ("/regulator/games/M%00/1", "/regulator?q=%00", "/board/%00"):
        assert browser.client.get(path).status_code == 400
    for day in ("9999-12-31", "0001-01-01"):
        assert browser.client.get(f"/regulator/days/{day}").status_code == 404


@pytest.mark.rule("X-access", "X-audit-log")
@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/enrol", {"code": "B1", "enrolment": "guessed"}),
        ("/sign-in", {"name": WANDA, "secret": "guessed"}),
        ("/api/v1/stations/enrol", {"code": "B1", "enrolment": "guessed"}),
        ("/api/v1/sign-in", {"name": WANDA, "secret": "guessed"}),
        ("/secret", {"name": WANDA, "secret": "guessed", **TWICE}),
        ("/api/v1/secret", {"name": WANDA, "secret": "guessed", "new_secret": OWN}),
    ],
)
def test_strangers_do_not_fill_the_log_and_stations_are_not_slowed_down(
    app: Flask, floor: Floor, path: str, form: dict[str, str]
) -> None:
    browser = Browser(app, floor)
    stranger = ours(app)
    how = {"json": form} if path.startswith("/api/") else {"data": form}
    for _ in range(TRIES):
        assert stranger.post(path, **how).status_code == 401
    slowed = [stranger.post(path, **how) for _ in range(3)]
    assert {answer.status_code for answer in slowed} == {429}
    assert "too many wrong tries from here" in slowed[0].text
    assert len(bodies(floor, "REFUSED")) == TRIES
    assert browser.sign_in(WANDA) == "/writer"  # from the same address, at a station of the house
    floor.moment[0] += ONE_IN
    assert stranger.post(path, **how).status_code == 401


# ---- a secret of one's own -----------------------------------------------------------------------


def give_secret_to(floor: Floor, name: str) -> None:
    ada = at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    give_secret(floor.office, ada, floor.sue, name, GIVEN)


@pytest.mark.rule("X-access")
def test_whoever_was_given_a_secret_is_shown_where_to_choose_one_and_then_signs_in_with_it(
    app: Flask, floor: Floor
) -> None:
    give_secret_to(floor, WANDA)
    browser = Browser(app, floor)
    assert "Choose your own secret" in browser.client.get("/").text
    form = {"name": WANDA, "secret": GIVEN}
    refused = browser.client.post("/sign-in?next=/writer%3Fpractice", data=form)
    assert (refused.status_code, "Choose one of your own first" in refused.text) == (403, True)
    assert f'name="name" value="{WANDA}"' in refused.text
    assert 'action="/secret?next=/writer%3Fpractice"' in refused.text
    assert GIVEN not in refused.text
    chosen = browser.client.post("/secret?next=/writer%3Fpractice", data={**form, **TWICE})
    assert chosen.location == "/?chosen=&next=/writer?practice"
    page = browser.client.get(chosen.location).text
    assert "Sign in with it." in page
    assert 'action="/sign-in?next=/writer%3Fpractice"' in page
    assert browser.client.post("/sign-in", data=form).status_code == 401
    own = {"name": WANDA, "secret": OWN}
    assert browser.client.post("/sign-in", data=own).location == "/writer"


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"secret": "guessed"}, 401, "name or the secret is wrong"),
        ({"new": "short", "again": "short"}, 422, "12 characters or more"),
        ({"new": GIVEN, "again": GIVEN}, 422, "choose another one"),
        ({"again": OWN + "."}, 422, "not typed the same way twice"),
    ],
)
def test_what_is_no_choice_is_told_on_the_page_on_which_only_the_name_stays(
    app: Flask, floor: Floor, change: dict[str, str], status: int, words: str
) -> None:
    give_secret_to(floor, WANDA)
    browser = Browser(app, floor)
    form = {"name": WANDA, "secret": GIVEN, **TWICE, **change}
    answer = browser.client.post("/secret", data=form)
    assert (answer.status_code, words in answer.text) == (status, True)
    assert f'name="name" value="{WANDA}"' in answer.text
    assert not any(f'"{form[field]}"' in answer.text for field in ("secret", "new", "again"))
    again = browser.client.post("/sign-in", data={"name": WANDA, "secret": GIVEN})
    assert again.status_code == 403


@pytest.mark.rule("X-access")
def test_only_at_a_station_is_a_secret_chosen(app: Flask, floor: Floor) -> None:
    stranger = ours(app)
    page = stranger.get("/secret").text
    assert ("Enrolment code" in page, "New secret" in page) == (True, False)
    assert "New secret" in Browser(app, floor).client.get("/secret").text
    own = {"name": WANDA, "secret": secret_of(WANDA), "new_secret": OWN}
    for refused in (
        stranger.post("/secret", data={**own, **TWICE}),
        stranger.post("/api/v1/secret", json=own),
    ):
        assert refused.status_code == 401
    assert Browser(app, floor, "B2").sign_in(WANDA) == "/writer"


@pytest.mark.rule("X-access")
def test_a_program_chooses_a_secret_for_whoever_types_it(app: Flask, floor: Floor) -> None:
    give_secret_to(floor, WANDA)
    station, client = {"X-Station": floor.station("B1")}, app.test_client()
    given, own = {"name": WANDA, "secret": GIVEN}, {"name": WANDA, "secret": OWN}
    refused = client.post("/api/v1/sign-in", json=given, headers=station)
    assert (refused.status_code, refused.get_json()["code"]) == (403, "staff.secret_given")
    choice = {**given, "new_secret": OWN}
    chosen = client.post("/api/v1/secret", json=choice, headers=station)
    assert (chosen.status_code, chosen.get_json()) == (200, {})
    again = client.post("/api/v1/secret", json=choice, headers=station)
    assert (again.status_code, again.get_json()["code"]) == (401, "staff.wrong_secret")
    assert client.post("/api/v1/sign-in", json=own, headers=station).status_code == 200
