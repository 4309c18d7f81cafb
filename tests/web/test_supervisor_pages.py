"""The supervisor's pages, and what is done from them: people, stations, cards, games, approvals."""

import re
from dataclasses import replace
from hashlib import sha256

import pytest
from flask import Flask

from app.flow.present import present_ticket
from app.flow.process_end import record_process_end
from app.flow.sell import Sale
from app.flow.spool import interrupted, next_paper, note_ending, note_trouble
from app.web import create_app
from printers.press import Press
from tests.floor import ADA, CARD, MAX, RITA, SAM, SUE, WALT, WANDA, Floor, secret_of
from tests.looking import bodies, refuses, rows
from tests.serving import serve
from tests.web.api import Answered
from tests.web.inspector_page import hanging_generator
from tests.web.sign_in import Browser, ours
from tests.web.supervisor_pages import BILLS, LARGE


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


def signed_in(app: Flask, floor: Floor, name: str, station: str = "B2") -> Browser:
    browser = Browser(app, floor, station)
    assert browser.sign_in(name) is not None
    return browser


def post(browser: Browser, floor: Floor, path: str, body: object) -> Answered:
    headers = {"X-Page-Token": browser.token, "Idempotency-Key": floor.request_id()}
    return Answered(browser.client.post(f"/api/v1/{path}", json=body, headers=headers))


@pytest.mark.rule("X-access")
def test_the_pages_are_for_those_whose_they_are(app: Flask, floor: Floor) -> None:
    pages = ("", "/now", "/cards", "/people")
    browser = Browser(app, floor, "B2")
    for name, allowed in ((SAM, True), (MAX, True), (ADA, True), (RITA, True), (WANDA, False)):
        browser.sign_in(name)
        for path in pages:
            status = browser.client.get(f"/supervisor{path}").status_code
            assert status == (200 if allowed else 403), (name, path)
    floor.writing(WALT, "B1")
    for name, status in ((SAM, 200), (WANDA, 403), (RITA, 403)):
        browser.sign_in(name)
        assert browser.client.get("/supervisor/drawers/1").status_code == status, name
    browser.sign_in(SAM)
    for none in ("9", "x"):
        assert browser.client.get(f"/supervisor/drawers/{none}").status_code == 404
    nobody = app.test_client().get("/supervisor", headers={"Accept": "text/html"})
    assert nobody.location == "/?next=/supervisor"


@pytest.mark.rule("X-pay-without-code")
def test_unclaimed_wins_are_listed_for_supervisors_and_lost_tickets_reported_and_paid(
    app: Flask, floor: Floor
) -> None:
    floor.sell(floor.writing(), Sale("M", LARGE, BILLS))
    floor.play()
    browser = signed_in(app, floor, SAM)
    assert "$1,800.00" in browser.client.get("/supervisor/unclaimed").text
    assert "None." in browser.client.get("/supervisor/unclaimed?after=1").text
    patron = {"name": "Pat Patron", "document": "licence 1"}
    loss = {"patron": patron, "bought": "B1, noon", "surveillance": "camera 7"}
    assert post(browser, floor, "tickets/1-3/lost", loss).status == 201
    assert "reported lost" in browser.client.get("/supervisor/approvals/1").text
    who = [(body["staff"], body["wins"]) for body in bodies(floor, "LOOK-UP")]
    assert who == [("SAM", 1), ("SAM", 1)]
    check = {"number": "1001", "payee": "Pat Patron"}
    paying = {"reason": "lost", "check": check, "approval": {"name": MAX, "secret": "x"}}
    assert post(browser, floor, "tickets/1/pay-lost", paying).json["code"] == "staff.not_permitted"
    browser.sign_in(WALT)
    assert browser.client.get("/supervisor/unclaimed").status_code == 403


@pytest.mark.rule("X-no-offline")
def test_pages_that_look_do_not_wait_for_a_process_that_hangs(app: Flask, floor: Floor) -> None:
    """Or a few that are open would take every thread from those who sell."""
    sam = signed_in(app, floor, SAM)
    ready = 'The draw: <span class="state ready">ready</span>'
    assert ready in sam.client.get("/supervisor/now").text
    with hanging_generator(floor):
        for page in ("", "/acts"):
            assert sam.client.get(f"/supervisor{page}").status_code == 200
        assert ready in sam.client.get("/supervisor/now").text  # as it was said last
    floor.keyed.started.to_rng.answering = None
    page = sam.client.get("/supervisor/now").text
    assert "The draw: " + '<span class="state away">not ready</span> Games cannot be drawn.' in page


@pytest.mark.rule("15.6(b)")
def test_a_payment_that_waits_is_approved_from_the_page(app: Flask, floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda, Sale("M", LARGE, BILLS))
    floor.play()
    present_ticket(floor.office, wanda, 1, floor.code(1), None)
    sam = signed_in(app, floor, SAM)
    assert 'href="/supervisor/approvals/1"' in sam.client.get("/supervisor/now").text
    page = sam.client.get("/supervisor/approvals/1").text
    assert "won $1,800.00" in page
    assert re.findall(r"<(\w+)[^>]* autofocus", page) == [
        "h1"
    ]  # Enter, held down, approves nothing
    assert "the same" in page
    assert post(sam, floor, "tickets/1/approve", {}).status == 200
    assert "You have approved it." in sam.client.get("/supervisor/approvals/1").text
    assert sam.client.get("/supervisor/approvals/x").status_code == 404
    floor.check_books()


@pytest.mark.rule("X-card-odds", "8.3", "15.3(e)")
def test_a_card_is_checked_brought_accepted_by_two_and_published(app: Flask, floor: Floor) -> None:
    sam = signed_in(app, floor, SAM)
    file = CARD.read_text().replace('name = "Test card"', 'name = "Winter card"')
    checked = post(sam, floor, "cards/check", {"file": file}).json
    assert (checked["name"], checked["faults"]) == ("Winter card", [])
    assert any("Winter card" in line for line in checked["difference"])
    assert all(each["house_advantage"] == each["before"] for each in checked["advantages"])
    unfair = file.replace("1 = { 1 = 300 }", "1 = { 1 = 200 }")
    told = post(sam, floor, "cards/check", {"file": unfair}).json["faults"]
    assert [fault["code"] for fault in told] == ["card.advantage_too_high"]
    assert post(sam, floor, "cards/check", {"file": "x"}).json["faults"]
    card = post(sam, floor, "cards", {"file": file}).json["card"]
    page = sam.client.get(f"/supervisor/cards/{card}").text
    assert "Winter card" in page
    assert "at most 30 %" in page
    assert post(sam, floor, f"cards/{card}/accept", {}).status == 200
    early = post(sam, floor, f"cards/{card}/force", {})
    assert early.json["code"] == "card.not_accepted"
    manager = signed_in(app, floor, MAX, "B1")
    assert post(manager, floor, f"cards/{card}/accept", {}).status == 200
    assert post(manager, floor, f"cards/{card}/force", {}).status == 403
    assert post(sam, floor, f"cards/{card}/force", {"from": "soon"}).status == 422
    later = "2026-12-01T06:00-05:00"
    forced = post(sam, floor, f"cards/{card}/force", {"from": later})
    assert forced.json["effective_at"].startswith("2026-12-01T11:00")
    for nothing in ("00", "zz"):
        assert post(sam, floor, f"cards/{nothing}/accept", {}).json["code"] == "card.unknown"
        assert sam.client.get(f"/supervisor/cards/{nothing}").status_code == 422


@pytest.mark.rule("X-card-floor")
def test_large_changes_stand_on_the_page_of_a_card_and_are_typed_there(
    app: Flask, floor: Floor
) -> None:
    sam = signed_in(app, floor, SAM)
    file = CARD.read_text().replace("1 = { 1 = 300 }", "1 = { 1 = 330 }")
    assert post(sam, floor, "cards/check", {"file": file}).json["changes"] == [
        "regular 1 spot: 25.0% -> 17.5%"
    ]
    card = post(sam, floor, "cards", {"file": file}).json["card"]
    page = sam.client.get(f"/supervisor/cards/{card}").text
    assert "<li>regular 1 spot: 25.0% -&gt; 17.5%</li>" in page
    assert "Manager outside keno" not in page
    untyped = post(sam, floor, f"cards/{card}/accept", {})
    assert untyped.json["code"] == "card.changes_not_typed"
    assert post(sam, floor, f"cards/{card}/accept", {"changes": "regular 1 17.5"}).status == 200
    old = sha256(CARD.read_bytes()).hexdigest()  # it has been in force: back with a manager
    page = sam.client.get(f"/supervisor/cards/{old}").text
    assert "Manager outside keno" in page
    assert "Accept it" not in page
    assert post(sam, floor, f"cards/{old}/force", {}).json["code"] == "amount.two_sides"
    manager = {"name": MAX, "secret": secret_of(MAX)}
    assert post(sam, floor, f"cards/{old}/force", {"manager": manager}).status == 200
    sent = {"file": file, "second": manager}
    assert post(sam, floor, "cards/promotion", sent).json["code"] == "staff.not_permitted"
    floor.check_books()


@pytest.mark.rule("X-sale-stop")
def test_a_sale_is_stopped_and_resumed_on_the_page_of_the_floor(app: Flask, floor: Floor) -> None:
    sam = signed_in(app, floor, SAM)
    fours = {"schedule": "regular", "spots": 4, "reason": "it pays too much"}
    assert post(sam, floor, "sales/stop", {"reason": "none"}).json["code"] == "stop.unknown"
    assert post(sam, floor, "sales/stop", fours).json == {"stopped": "regular, 4 spots"}
    assert "regular, 4 spots: it pays too much" in sam.client.get("/supervisor/now").text
    assert "regular, 4 spots is stopped" in sam.client.get("/supervisor/acts").text
    assert "regular, 4 spots (it pays too much)" in sam.client.get("/supervisor/cards").text
    alone = post(sam, floor, "sales/resume", fours)
    assert alone.json["code"] == "amount.two_sides"
    manager = {"manager": {"name": MAX, "secret": secret_of(MAX)}}
    again = post(sam, floor, "sales/resume", {**fours, **manager})
    assert again.json == {"resumed": "regular, 4 spots"}
    assert "is stopped" not in sam.client.get("/supervisor/acts").text
    floor.check_books()


def choose_on_page(browser: Browser, form: dict[str, str], new: str) -> dict[str, str]:
    """Somebody chooses a secret of their own; return what they sign in with then."""
    chosen = browser.client.post("/secret", data={**form, "new": new, "again": new})
    assert chosen.location == "/?chosen="
    return {"name": form["name"], "secret": new}


@pytest.mark.rule("X-access", "X-access-disable")
def test_people_and_stations_come_go_and_come_back(app: Flask, floor: Floor) -> None:
    ada = signed_in(app, floor, ADA)
    wim = {"code": "WIM", "name": "Wim", "role": "writer", "secret": "given by Ada"}
    alone = post(ada, floor, "staff", wim)
    assert (alone.status, alone.json["code"]) == (403, "staff.second_needed")
    two = {"second": {"name": SUE, "secret": secret_of(SUE)}}
    person: dict[str, object] = {**wim, **two}
    assert post(ada, floor, "staff", person).status == 201
    for bad, code in (
        (person, "staff.known"),
        (person | {"name": "Other"}, "staff.known"),
        (person | {"code": "W\u00cfM", "name": "Other"}, "paper.not_plain"),
        (person | {"code": "../x", "name": "Other"}, "paper.not_plain"),
        (person | {"code": "X", "name": " "}, "staff.malformed"),
        (person | {"code": "X", "name": "Other", "role": "king"}, "staff.malformed"),
        (person | {"code": "X", "name": "Other", "secret": "short"}, "staff.secret_short"),
    ):
        assert post(ada, floor, "staff", bad).json["code"] == code
    his = Browser(app, floor, "B1")
    form = {"name": "Wim", "secret": "given by Ada"}
    assert his.client.post("/sign-in", data=form).status_code == 403  # it is Ada's as well
    assert "secret given" in ada.client.get("/supervisor/people").text
    form = choose_on_page(his, form, "nobody knows this one")
    assert "secret given" not in ada.client.get("/supervisor/people").text
    assert his.client.post("/sign-in", data=form).location == "/writer"
    assert post(ada, floor, "staff/disable", {"name": "Wim"}).status == 200
    alone = post(ada, floor, "staff/disable", {"name": ADA})
    assert (alone.status, alone.json["code"]) == (409, "staff.oneself")
    assert his.client.post("/sign-in", data=form).status_code == 403
    assert post(ada, floor, "staff/enable", {"name": "Wim"} | two).status == 200
    assert his.client.post("/sign-in", data=form).location == "/writer"
    fresh = {"name": "Wim", "secret": "given by Ada again"}
    assert post(ada, floor, "staff/secret", {**fresh, **two}).status == 200
    assert his.client.get("/api/v1/papers").status_code == 401  # whoever was signed in is out
    assert his.client.post("/sign-in", data=form).status_code == 401
    assert his.client.post("/sign-in", data=fresh).status_code == 403
    form = choose_on_page(his, fresh, "nobody knows it either")
    assert his.client.post("/sign-in", data=form).location == "/writer"
    for path in ("staff/enable", "staff/secret"):
        none = {"name": "Nobody"} | (
            {"secret": "given by Ada again"} if path.endswith("secret") else {}
        )
        assert post(ada, floor, path, {**none, **two}).json["code"] == "staff.unknown"
    added = post(ada, floor, "stations", {"code": "B9", "location": "booth"})
    assert added.status == 201
    enrolled = {"code": "B9", "enrolment": added.json["enrolment"]}
    assert ours(app).post("/enrol", data=enrolled).location == "/"
    for wrong, code in (
        ({"code": "B9", "location": "booth"}, "staff.known"),
        ({"code": "B10", "location": "moon"}, "location.unknown"),
        ({"code": "", "location": "booth"}, "paper.not_plain"),
    ):
        assert post(ada, floor, "stations", wrong).json["code"] == code
    for act in ("disable", "enable"):
        assert post(ada, floor, f"stations/{act}", {"code": "B9"}).status == 200
    assert post(ada, floor, "stations/enable", {"code": "B77"}).json["code"] == "station.unknown"
    changes = [body["change"] for body in bodies(floor, "STAFF") if body["staff"] == "WIM"]
    chosen = "chose an own secret"
    assert changes == ["added", chosen, "disabled", "enabled", "given a new secret", chosen]
    page = ada.client.get("/supervisor/people").text
    assert "Disable Wim" in page
    floor.check_books()


@pytest.mark.rule("X-printer-place", "X-access")
def test_printers_are_set_by_two_and_lent_by_a_supervisor_from_the_page(
    app: Flask, floor: Floor
) -> None:
    floor.printer_at("B1", "tcp:10.0.0.9")
    ada = signed_in(app, floor, ADA, "S1")
    assert "Set a printer" in ada.client.get("/supervisor/people").text
    wanted = {"code": "P2", "address": "tcp:10.0.0.10", "station": "B2"}
    alone = post(ada, floor, "printers", wanted)
    assert alone.json["code"] == "approval.supervisor_needed"
    sam_too = {"supervisor": {"name": SAM, "secret": secret_of(SAM)}}
    done = post(ada, floor, "printers", wanted | sam_too)
    assert done.json == {"printer": "P2", "address": "tcp:10.0.0.10", "roll": "80mm"}
    use = {"station": "B1", "printer": "P2"}
    assert post(ada, floor, "printers/use", use).status == 403
    sam = signed_in(app, floor, SAM)
    assert "Print on another printer" in sam.client.get("/supervisor/people").text
    lent = post(sam, floor, "printers/use", use).json
    assert lent == use | {"until": "2026-11-17T11:00:00.000Z"}
    assert "B1 until " in sam.client.get("/supervisor/people").text


@pytest.mark.rule("15.5(d)", "15.5(e)", "X-grade-twice")
def test_games_are_run_from_the_page(app: Flask, floor: Floor) -> None:
    sam = signed_in(app, floor, SAM)
    page = sam.client.get("/supervisor").text
    (form,) = re.findall(r'<form[^>]*/games/M/1/lock".*?</form>', page)
    assert '<input name="reason" required>' in form
    why = {"reason": "The lounge is empty."}
    assert post(sam, floor, "games/M/1/lock", why).json["locked"] == "M-1"
    assert bodies(floor, "LOCK")[-1]["reason"] == "The lounge is empty."
    rita = signed_in(app, floor, RITA, "B1")
    assert "The lounge is empty." in rita.client.get("/regulator/log").text
    assert 'data-act="/api/v1/games/M/1/void"' in sam.client.get("/supervisor").text
    body = {"reason": "looked into", "manager": {"name": SUE, "secret": secret_of(SUE)}}
    assert post(sam, floor, "games/M/1/release", body).status in {403, 409}
    manager = body | {"manager": {"name": MAX, "secret": secret_of(MAX)}}
    assert post(sam, floor, "games/M/1/release", manager).json["code"] == "game.not_frozen"
    assert post(sam, floor, "games/M/1/release", {"reason": "x"}).status == 422


@pytest.mark.rule("X-access")
def test_what_was_refused_is_told_in_words(app: Flask, floor: Floor) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    with refuses("ticket.wrong_code"):
        floor.void(wanda, 1, "1" * 25)
    said = "The validation code does not belong to ticket 1-3."
    browser = signed_in(app, floor, SAM)
    assert said in browser.client.get("/supervisor/now").text
    browser.sign_in(RITA)
    log = browser.client.get("/regulator/log").text
    assert said in log
    (since,) = re.findall(r"is in force from (.*?) on", log)
    assert since == "Nov 16, 2026, 12:00:00 PM"


@pytest.mark.rule("X-drawer", "X-recovery")
def test_what_is_amiss_is_shown_with_what_to_do(app: Flask, floor: Floor) -> None:
    printer = floor.printer_at("B1")
    wanda = floor.writing()
    floor.sell(wanda, replace(Sale("M", LARGE, BILLS)))
    for _ in ("count", "ticket"):
        assert next_paper(floor.office, printer, Press()) is not None
        interrupted(floor.office, printer)
    sam = signed_in(app, floor, SAM)
    now = sam.client.get("/supervisor/now").text
    assert "2 papers may not have come out." in now
    page = sam.client.get("/supervisor").text
    assert "<h3>Count, at B1</h3>" in page
    assert "<h3>Ticket 1-3, at B1</h3>" in page  # as its number stands on it
    assert "Drawer 1 of WANDA at B1" in page
    for (paper,) in rows(floor, "SELECT entry FROM queued_paper WHERE state = 'unknown'"):
        assert f'data-act="/api/v1/papers/{paper}/printed"' in page
        said = {"copy": 0, "printed": "yes"}
        assert post(sam, floor, f"papers/{paper}/printed", said).status == 200
    assert "may not have come out" not in sam.client.get("/supervisor/now").text
    assert "Close the day" in page


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_all_is_well_is_never_shown_while_a_slip_waits_or_a_process_restarts(
    app: Flask, floor: Floor
) -> None:
    sam = signed_in(app, floor, SAM)

    def now() -> str:
        return sam.client.get("/supervisor/now").text

    assert "All is well." in now()
    printer = floor.printer_at("B1")
    serve(floor)
    floor.writing()
    assert "No alarm. 1 slip waits to be printed." in now()
    assert "All is well." not in now()
    floor.pass_time(seconds=6)
    assert "1 slip waits for printer P-B1, and nothing comes out." in now()
    assert '<span class="state unknown">behind</span>' in now()
    assert "All is well." not in now()
    note_trouble(floor.office, printer, "The printer is out of paper.")
    assert "Printer P-B1: The printer is out of paper. 1 slip waits." in now()
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, "confirmed", None)
    assert "All is well." in now()
    record_process_end(floor.office, "feed", "exit-code")
    assert "The process feed ended unexpectedly, once" in now()
    assert "All is well." not in now()
    floor.pass_time(minutes=6)
    assert "No spooler is running for printer P-B1. No slip waits." in now()
    assert '<span class="state unknown">no spooler</span>' in now()
    assert "All is well." not in now()
    serve(floor)
    assert "All is well." in now()
    assert "no spooler" not in now()


def test_nobody_is_shown_what_they_cannot_do(app: Flask, floor: Floor) -> None:
    rita = signed_in(app, floor, RITA)
    page = rita.client.get("/supervisor").text + rita.client.get("/supervisor/people").text
    assert "data-act" not in page
