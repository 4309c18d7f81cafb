"""Who might attack: every row of docs/threats.md is carried out by a test, some of them here."""

import ast
import hmac
import json
import re
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from unittest.mock import patch

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.flow.access import Credentials
from app.flow.permissions import FOR, Permission
from app.flow.spool import interrupted, next_paper, note_ending
from app.store.tables import PaperState, Role
from app.web import create_app
from app.web.proxy import BehindProxies
from app.web.routes import BACKGROUND, PAGE_TOKEN, PERSON_COOKIE
from printers.press import Press
from tests.floor import (
    ADA,
    BANK,
    FIRST_STATION,
    MAX,
    RITA,
    ROLES,
    SAM,
    SATELLITE,
    SECOND_STATION,
    SUE,
    WALT,
    WANDA,
    Floor,
    dollar,
    secret_of,
)
from tests.flow.access import somebody
from tests.looking import everything
from tests.web.api import NAMED, SALE, every_act
from tests.web.server import Client, serving
from tests.web.sign_in import Browser

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "threats.md").read_text()
OUTSIDE = (
    "../setup.cfg",
    "..%2fsetup.cfg",
    "%2e%2e/%2e%2e/setup.cfg",
    "....//setup.cfg",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "x%00.pdf",
    "..\\setup.cfg",
)


@pytest.fixture
def app(floor: Floor, tmp_path: Path) -> Flask:
    return create_app(floor.office, archive=tmp_path / "reports")


# ---- the list ------------------------------------------------------------------------------------


def rows_of_the_list() -> list[list[str]]:
    """Every row of every table, cell by cell."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if not line.startswith("| The attack")
    ]


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text())
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def test_every_row_of_the_threat_list_is_carried_out_by_a_test_that_is_there() -> None:
    assert len(rows_of_the_list()) > 50
    for attack, prevented, _, shown in rows_of_the_list():
        named = re.findall(r"`(tests/[a-z_0-9/]+\.py)::(test_\w+)`", shown)
        assert named, attack
        assert prevented, attack
        for file, test in named:
            assert test in names_in(file), f"{attack}: {file} has no {test}"


def test_whoever_might_attack_is_on_the_list() -> None:
    """The attackers that the list must have, whatever else it has."""
    for who in (
        "cheating writer",
        "colluding supervisor",
        "stolen station",
        "stolen database",
        "backup",
        "forged ticket",
        "replayed request",
        "rogue administrator",
        "network insider",
        "patron",
        "malicious rate card",
    ):
        assert re.search(rf"^## .*{who}", PAGE, re.MULTILINE), who


# ---- everybody's routes --------------------------------------------------------------------------


@pytest.mark.rule("X-access", "15.3(a)")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_no_route_serves_a_role_whose_it_is_not(app: Flask, floor: Floor) -> None:
    """Route by role: with tickets, papers, drawers and games there that they could read."""
    wanda = floor.writing()
    floor.sell(wanda)
    before = floor.sell(wanda)
    client, tried = app.test_client(), 0
    floor.close_drawer(wanda, 1, BANK)
    for role in Role:
        name = somebody(floor, role)
        person = floor.signed_in(name, SECOND_STATION)
        headers = headers_of(person)
        for act in every_act(app):
            if role in FOR[act.permission]:
                continue
            sent = {**headers, "Idempotency-Key": floor.request_id(), "Accept": "application/json"}
            answer = client.open(act.path, method=act.method, json=act.body, headers=sent)
            assert answer.status_code == 403, (name, act.path, answer.status_code, answer.text)
            assert str(before["printed_number"]) not in answer.text
            tried += 1
    assert tried > 200
    floor.check_books()


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_no_state_is_changed_by_a_page_elsewhere_whatever_it_asks_for(
    app: Flask, floor: Floor
) -> None:
    """Every route that does something, with the cookies of whoever may, and no token of a page."""
    for station in (FIRST_STATION, SECOND_STATION):
        floor.printer_at(station)
    browser, tried = Browser(app, floor), 0
    for name in (WANDA, SAM, MAX, ADA, RITA):
        browser.client.delete_cookie(PERSON_COOKIE)
        assert browser.sign_in(name)
        before = everything(floor)
        for act in every_act(app):
            if act.method != "POST" or ROLES[name] not in FOR[act.permission]:
                continue
            for more in (
                {},
                {PAGE_TOKEN: ""},
                {BACKGROUND: "1"},
                {"X-HTTP-Method-Override": "GET"},
            ):
                answer = browser.client.post(
                    act.path,
                    data=json.dumps(act.body),
                    content_type="text/plain",
                    headers={"Idempotency-Key": f"elsewhere-{tried}", **more},
                )
                assert answer.get_json(force=True)["code"] == "page.foreign", (name, act.path)
                tried += 1
        assert everything(floor) == before
    assert tried > 200


# What anyone may keep: what is public, and never changes or has a tag of its own.
STORED_BY_ANYONE = ("/static/", "/log/", "/results.json", "/feed.json")


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_no_answer_is_kept_by_a_browser_and_no_page_is_shown_within_another(
    app: Flask, floor: Floor
) -> None:
    floor.sell(floor.writing())
    client, asked = app.test_client(), 0
    for name in (WANDA, SAM, MAX, ADA, RITA):
        headers = headers_of(floor.signed_in(name, SECOND_STATION))
        for rule in app.url_map.iter_rules():
            path = rule.rule
            for part, value in {**NAMED, "<code>": "WANDA", "<card>": "00"}.items():
                path = path.replace(part, value)
            for method in sorted((rule.methods or set()) & {"GET", "HEAD"}):
                for accepted in ("text/html", "application/json"):
                    sent = {**headers, "Accept": accepted}
                    with client.open(path, method=method, headers=sent) as answer:
                        told = answer.headers
                    assert "frame-ancestors 'none'" in told["Content-Security-Policy"], path
                    if not path.startswith(STORED_BY_ANYONE):
                        assert told["Cache-Control"] == "no-store", path
                        assert "ETag" not in told, path
                    asked += 1
    assert asked > 500


ASKED_FOR = "/api/v1/papers"  # a paper is asked for, of an object that the body names
# Objects that are the house's and nobody's own: whoever has the permission may, whoever they are.
OF_THE_HOUSE = (
    "/api/v1/cards/<card>/",
    "/api/v1/days/<day>",
    "/api/v1/days/<day>/",
    "/api/v1/games/<series>/<number>/",
    "/api/v1/reports/<job>/again",  # a day's, which any supervisor closes
    "/api/v1/reports/<job>/file",
    "/api/v1/tickets/<number>",  # looked up, without its code
    "/api/v1/tickets/<number>/picture",
    "/api/v1/tickets/<number>/present",  # of whoever brings it; without its code nothing is paid
    "/regulator/",
    "/supervisor/",
)


@pytest.mark.rule("X-access", "15.3(a)")
def test_nobody_reads_or_changes_what_is_another_s_though_they_may_do_it_to_their_own(
    app: Flask, floor: Floor
) -> None:
    """Route by role by object: Walt and Sue may do all of this, and it is Wanda's."""
    printer = floor.printer_at(FIRST_STATION)
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda, request="request-of-wanda")
    floor.sell(wanda, dollar("F", games=2))
    floor.play("F")
    floor.printer_at(SECOND_STATION)
    sue = floor.writing(SUE, SATELLITE)
    floor.close_drawer(sue, 3, BANK)
    asked = {"report": "voids", "from": "2026-11-16", "to": "2026-11-16", "format": "pdf"}
    max_ = floor.signed_in(MAX, SATELLITE)
    said = {**headers_of(max_), "Idempotency-Key": floor.request_id()}
    report = app.test_client().post("/api/v1/reports", json=asked, headers=said).get_json()["job"]
    count_slip, of_1, sending = (next_paper(floor.office, printer, Press()) for _ in range(3))
    assert count_slip is not None
    assert of_1 is not None
    assert sending is not None
    for printed in (count_slip, of_1):
        note_ending(floor.office, printed, PaperState.CONFIRMED, None)
    assert interrupted(floor.office, printer)  # now somebody is asked whether it came out
    came_out = {"copy": sending.copy, "printed": "yes"}
    count = {"counted": {"currency": 10_000}, "verifier": {"name": MAX, "secret": secret_of(MAX)}}
    torn = {"reason": "torn"}
    patron = {"game": 100, "name": "Pat Patron", "taxpayer_number": "000-00-0000"}
    loss = {"bought": "here", "surveillance": "camera 7"}
    lost = {"reason": "lost", "check": {"number": "1", "payee": "Pat Patron"}}
    refused: dict[tuple[str, str], tuple[object, str]] = {
        ("GET", "drawers/1"): (None, "drawer.unknown"),
        ("POST", "drawers/1/close"): (count, "drawer.unknown"),
        ("POST", "drawers/1/fill"): ({"amounts": {"coin": 100}}, "drawer.unknown"),
        ("POST", "drawers/1/bleed"): ({"amounts": {"coin": 100}}, "drawer.unknown"),
        ("POST", "drawers/1/suspend"): ({}, "drawer.unknown"),
        ("POST", "drawers/1/resume"): ({}, "drawer.unknown"),
        ("POST", "drawers/1/move"): ({}, "drawer.unknown"),
        ("POST", "drawers/1/explain"): ({"words": "none"}, "drawer.unknown"),
        ("POST", "tickets/1/void"): ({"code": floor.code(1), "reason": "x"}, "approval.needed"),
        # Without the paper nobody has a ticket, and another's is not handed out again either.
        ("POST", "tickets/2/refund"): (torn, "approval.needed"),
        ("POST", "tickets/2/pay"): (torn, "payment.identity_needed"),
        ("POST", "tickets/2/look-up"): ({"code": "1" * 25}, "ticket.wrong_code"),
        ("POST", "tickets/2/lost"): (loss, "staff.not_permitted"),
        ("POST", "tickets/2/pay-lost"): (lost, "staff.not_permitted"),
        ("POST", "tickets/2/tax-paper"): (patron, "approval.needed"),
        ("POST", "tickets/1/reprint"): ({"reason": "x"}, "approval.needed"),
        ("POST", "tickets/2/reprint"): ({"reason": "x"}, "approval.needed"),
        ("POST", "tickets/2/approve"): ({}, "staff.not_permitted"),
        ("POST", f"papers/{sending.entry}/printed"): (came_out, "paper.not_asked"),
        ("POST", f"papers/{sending.entry}/reprint"): ({"reason": "x"}, "approval.needed"),
        ("GET", f"papers/{sending.entry}"): (None, "staff.not_permitted"),
        ("GET", f"papers/{sending.entry}/picture"): (None, "staff.not_permitted"),
        # A shift that is over, of which the paper would tell every amount.
        ("POST", "papers"): ({"slip": "shift", "drawer": 3}, "drawer.unknown"),
    }
    # A supervisor looks after every drawer, and takes nothing out of one that is not hers.
    to_sue: dict[tuple[str, str], tuple[object, str]] = {
        ("POST", "drawers/1/fill"): ({"amounts": {"coin": 100}}, "drawer.unknown"),
        ("POST", "drawers/1/bleed"): ({"amounts": {"coin": 100}}, "drawer.unknown"),
        ("POST", "drawers/1/close"): (count, "reason.missing"),
        ("POST", "drawers/1/move"): ({"station": SECOND_STATION}, "reason.missing"),
        ("POST", "tickets/2/refund"): (torn, "drawer.not_open"),
        ("POST", "tickets/2/pay"): (torn, "drawer.not_open"),
        ("POST", "tickets/2/tax-paper"): (patron, "approval.needed"),
        ("POST", "tickets/2/approve"): ({}, "ticket.still_playing"),
        ("POST", "tickets/1/reprint"): ({"reason": "x"}, "paper.no_printer"),
        ("POST", f"reports/{report}/stop"): ({}, "report.not_yours"),
    }
    tried = {whose(app, method, path) for method, path in (*refused, *to_sue)} - {ASKED_FOR}
    owned = {rule for rule in rules_of_objects(app) if not is_of_the_house(rule)}
    assert tried == owned, (
        "a route of an object that is somebody's is tried here, every one of them"
    )
    before = facts_of(floor)
    client = app.test_client()
    for person, tries in ((walt, refused), (sue, to_sue)):
        told = {}
        for (method, path), (body, _) in tries.items():
            sent = {**headers_of(person), "Idempotency-Key": floor.request_id()}
            answer = client.open(f"/api/v1/{path}", method=method, json=body, headers=sent)
            told[method, path] = answer.get_json(force=True).get("code")
        assert told == {which: code for which, (_, code) in tries.items()}
    assert facts_of(floor) == before
    said = {**headers_of(wanda), "Idempotency-Key": floor.request_id()}
    hers = client.post(f"/api/v1/papers/{sending.entry}/printed", json=came_out, headers=said)
    assert hers.status_code == 200
    floor.check_books()


@pytest.mark.rule("X-access", "X-ticket-exactly-once")
def test_sessions_answers_contacts_and_reports_are_whose_they_are(app: Flask, floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    client = app.test_client()

    def ask(who: Credentials, path: str, body: object, request: str | None = None) -> TestResponse:
        sent = {**headers_of(who), "Idempotency-Key": request or floor.request_id()}
        return client.post(f"/api/v1/{path}", json=body, headers=sent)

    first = ask(wanda, "tickets", {**SALE, "contact": {"id": "c-1"}}, "request-of-wanda")
    assert first.get_json()["contact"]["net_cents"] == 100
    # A token counts at its station, and a station's at its own.
    for mixed in (Credentials(walt.station, wanda.token), Credentials(wanda.station, walt.token)):
        assert ask(mixed, "tickets", SALE).status_code == 401
    # A request id is a station's own: at another it tells nothing of what was answered.
    assert ask(walt, "acts/settle", {}, "request-of-wanda").get_json() == {
        "done": False,
        "answer": None,
    }
    # So is a contact: what passed in it at another station is not added up here, nor told.
    other = ask(walt, "tickets", {**SALE, "contact": {"id": "c-1"}})
    assert other.get_json()["contact"]["net_cents"] == 100
    # Who watches sees every report, and stops none that another has asked for.
    rita = floor.signed_in(RITA, FIRST_STATION)
    asked = {"report": "voids", "from": "2026-11-16", "to": "2026-11-16", "format": "pdf"}
    job = ask(rita, "reports", asked).get_json()["job"]
    sam = floor.signed_in(SAM, SECOND_STATION)
    assert ask(sam, f"reports/{job}/stop", {}).get_json()["code"] == "report.not_yours"
    assert ask(rita, f"reports/{job}/stop", {}).status_code == 200
    floor.check_books()


def rules_of_objects(app: Flask) -> Iterator[str]:
    """Every route that needs a permission and names an object."""
    for rule in app.url_map.iter_rules():
        needs = getattr(app.view_functions[rule.endpoint], "needs", None)
        if "<" in rule.rule and isinstance(needs, Permission):
            yield rule.rule


def is_of_the_house(rule: str) -> bool:
    return any(rule.startswith(each) if each[-1] == "/" else rule == each for each in OF_THE_HOUSE)


def whose(app: Flask, method: str, path: str) -> str:
    """The route that a path of the API is served by, if it names an object."""
    rule, named = app.url_map.bind("").match(f"/api/v1/{path}", method, return_rule=True)
    assert named or rule.rule == ASKED_FOR, path
    return str(rule.rule)


def facts_of(floor: Floor) -> dict[str, object]:
    """All that is stored, but for what tells of refusals."""
    return {
        table: found
        for table, found in everything(floor).items()
        if not table.startswith(("log_", "act", "try_bucket"))
    }


def headers_of(person: Credentials) -> dict[str, str]:
    return {"X-Station": person.station or "", "Authorization": f"Bearer {person.token}"}


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.rule("X-access")
def test_nobody_signs_in_under_a_token_that_was_planted(app: Flask, floor: Floor) -> None:
    browser = Browser(app, floor)
    browser.client.set_cookie(PERSON_COOKIE, "planted")
    assert browser.sign_in(WANDA) == "/writer"
    kept = browser.client.get_cookie(PERSON_COOKIE)
    assert kept is not None
    assert kept.value != "planted"
    first = kept.value
    browser.client.post("/sign-out")
    browser.sign_in(WANDA)
    kept = browser.client.get_cookie(PERSON_COOKIE)
    assert kept is not None
    assert kept.value not in {first, "planted"}
    for old in ("planted", first):
        browser.client.set_cookie(PERSON_COOKIE, old)
        assert "/?next=" in (browser.client.get("/writer").location or "")


@pytest.mark.rule("X-ticket-validation")
def test_secrets_are_compared_in_constant_time_everywhere(app: Flask, floor: Floor) -> None:
    """A code is compared digit by digit in constant time; a token is looked up by its digest."""
    floor.sell(floor.writing())
    compared: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest

    def noted(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return compare(one, other)

    with patch("hmac.compare_digest", noted):
        for guess in ("1" * 25, floor.code(1)):
            app.test_client().post("/check", data={"number": "1", "code": guess})
    assert [one for one, _ in compared] == [b"1" * 25, floor.code(1).encode()]
    # No other way to compare what is secret.
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
                named = {
                    getattr(each, "attr", getattr(each, "id", ""))
                    for side in (node.left, *node.comparators)
                    for each in ast.walk(side)
                }
                assert not named & {"secret", "validation_code", "passphrase"}, path


def test_a_request_that_is_too_large_is_refused_before_it_is_read(app: Flask) -> None:
    class Endless:
        """A body that must not be read."""

        def read(self, size: int = -1) -> bytes:
            raise AssertionError(f"{size} bytes of it were read")

    answer = app.test_client().post(
        "/api/v1/tickets",
        content_type="application/json",
        environ_overrides={"CONTENT_LENGTH": str(10**12), "wsgi.input": Endless()},
    )
    assert (answer.status_code, answer.get_json(force=True)["code"]) == (
        413,
        "http.request_entity_too_large",
    )


def test_a_request_that_does_not_say_how_long_it_is_fills_no_memory(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'keno.db'}"
    Floor.opened(url, tmp_path, real_clock=True).close()
    with serving(url, tmp_path / "keys") as server:
        before = server.memory_bytes()
        line = HTTPConnection("127.0.0.1", server.port, timeout=60)
        line.putrequest("POST", "/check")
        line.putheader("Content-Type", "application/x-www-form-urlencoded")
        line.putheader("Transfer-Encoding", "chunked")
        line.endheaders()
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        with suppress(OSError):  # it may well be hung up on
            for _ in range(1_024):  # 64 MB
                line.send(piece)
            line.send(b"0\r\n\r\n")
            assert line.getresponse().status in {400, 404, 411, 413}
        line.close()
        assert server.memory_bytes() - before < 16 << 20
        with closing(Client(server.port)) as other:
            assert other.ask("GET", "/readyz")[0] == 200


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_headers_of_a_proxy_are_not_believed_from_anybody(app: Flask, floor: Floor) -> None:
    """Whoever guesses codes cannot have a new address for each guess."""
    floor.sell(floor.writing())
    # The proxy that it was told of is not who asks here.
    app.wsgi_app = BehindProxies(app.wsgi_app, ("192.0.2.200",))  # type: ignore[assignment, method-assign]
    client = app.test_client()
    answers = [
        client.post(
            "/check",
            data={"number": "1", "code": "1" * 25},
            headers={
                "X-Forwarded-For": f"192.0.2.{place}",
                "X-Real-IP": f"192.0.2.{place}",
                "Forwarded": f"for=192.0.2.{place}",
            },
        ).status_code
        for place in range(40)
    ]
    assert answers[0] == 404
    assert answers[-1] == 429
    form = {"name": WANDA, "secret": secret_of(WANDA)}
    browser = Browser(app, floor, SECOND_STATION)
    for odd in ({"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}):
        answer = browser.client.post("/sign-in?next=/writer", data=form, headers=odd)
        assert "evil.example" not in (answer.location or "")


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_no_file_outside_of_its_folder_is_given_out(
    app: Flask, floor: Floor, tmp_path: Path
) -> None:
    (tmp_path / "setup.cfg").write_text("a secret beside the reports\n")
    browser = Browser(app, floor)
    browser.sign_in("Rita Regulator")
    folders = [
        re.sub(r"<[^>]+>$", "", rule.rule)
        for rule in app.url_map.iter_rules()
        if re.search(r"<[^>]+>$", rule.rule) and "GET" in (rule.methods or set())
    ]
    assert "/static/" in folders
    for folder in folders:
        for name in OUTSIDE:
            path = re.sub(r"<[^>]+>", "M", folder) + name
            answer = browser.client.get(path)
            assert answer.status_code in {302, 308, 400, 401, 403, 404, 422}, (
                path,
                answer.status_code,
            )
            assert "beside the reports" not in answer.text
            assert "root:" not in answer.text
            assert "[metadata]" not in answer.text
    for name in OUTSIDE:  # of a report the name stands in the middle
        answer = browser.client.get(f"/api/v1/reports/{name}/file")
        assert answer.status_code in {302, 308, 400, 404, 422}, name
        assert "beside the reports" not in answer.text
