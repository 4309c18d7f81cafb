"""Paper through the API: what waits, what came out, copies, what was on it; and the forms."""

from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask
from PIL import Image
from pypdf import PdfReader

from app.flow.rate_cards import put_in_force
from app.flow.spool import interrupted, next_paper, note_ending
from app.web import create_app
from printers.press import Press
from tests.floor import MAX, NOON, SUE, Floor, secret_of
from tests.flow.rate_cards import accepted
from tests.web.api import SALE, Station

MAX_COUNTS = {"name": MAX, "secret": secret_of(MAX)}


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


@pytest.mark.rule("X-ticket-exactly-once", "X-recovery", "X-ticket-validation")
def test_a_paper_is_asked_about_copied_and_looked_at(
    app: Flask, floor: Floor, tmp_path: Path
) -> None:
    station = Station(app.test_client(), floor)
    station.sign_in()
    without = station.post("papers", {"slip": "test"})
    assert (without.status, without.json["code"]) == (409, "paper.no_printer")
    printer = floor.printer_at("B1", f"file:{tmp_path / 'paper'}")
    station.post("drawers", {"counted": {"currency": 50_000}, "verifier": MAX_COUNTS})
    station.post("tickets", SALE)
    for ending in ("confirmed", None):  # the count, and then the ticket, on which it dies
        sending = next_paper(floor.office, printer, Press())
        assert sending is not None
        if ending is not None:
            note_ending(floor.office, sending, ending, None)
    interrupted(floor.office, printer)
    (asked,) = station.get("papers").json["papers"]
    assert (asked["slip"], asked["question"]) == ("ticket", "Did it print?")
    paper = asked["paper"]
    unclear = {"copy": 0, "printed": "perhaps"}
    for wrong in ({}, {"copy": 0}, unclear, {"copy": -1, "printed": "no"}):
        assert station.post(f"papers/{paper}/printed", wrong).status == 422
    said = station.post(f"papers/{paper}/printed", {"copy": 0, "printed": "no"})
    assert (said.status, said.json["copy_queued"]) == (200, 1)
    early = station.post(f"papers/{paper}/reprint", {"reason": "torn"})
    assert (early.status, early.json["code"]) == (409, "paper.still_waits")
    copy = next_paper(floor.office, printer, Press())
    assert copy is not None
    note_ending(floor.office, copy, "confirmed", None)
    second = station.post(f"papers/{paper}/reprint", {"reason": "torn"})
    assert (second.status, second.json["code"]) == (403, "approval.needed")
    by_ticket = station.post("tickets/1-3/reprint", {"reason": "torn"})
    assert by_ticket.json["code"] == "approval.needed"
    for nothing in ("papers/99/reprint", "papers/x/reprint", "tickets/99/reprint"):
        assert station.post(nothing, {"reason": "torn"}).json["code"] == "paper.unknown"
    assert station.get(f"papers/{paper}").status == 403  # the writer does not look

    client = app.test_client()
    sue = Station(client, floor, "S1")
    sue.sign_in(SUE)
    looked = sue.get(f"papers/{paper}").json
    assert [step["state"] for step in looked["events"]] == [
        "sending",
        "unknown",
        "not-printed",
        "sending",
        "confirmed",
    ]
    shown = client.get(f"/api/v1/papers/{paper}/picture", headers=sue.headers)
    assert shown.mimetype == "image/png"
    assert Image.open(BytesIO(shown.data)).width > 500
    under_band = client.get(f"/api/v1/papers/{paper}/picture?copy=1", headers=sue.headers)
    assert Image.open(BytesIO(under_band.data)).height > Image.open(BytesIO(shown.data)).height
    same = client.get(f"/api/v1/papers/{paper}/picture?copy=1&roll=80mm", headers=sue.headers)
    assert same.data == under_band.data
    for none in ("copy=2", "copy=x", "copy=0&roll=58mm", "roll=none"):
        assert sue.get(f"papers/{paper}/picture?{none}").status == 404


@pytest.mark.rule("15.4(b)", "15.3(d)")
def test_patrons_take_a_blank_request_and_the_rate_card_home(app: Flask) -> None:
    for path in ("/request-form.pdf", "/rate-card.pdf") * 2:  # each is drawn once
        answer = app.test_client().get(path)
        assert (answer.status_code, answer.mimetype) == (200, "application/pdf")
        assert answer.data.startswith(b"%PDF-")


@pytest.mark.rule("15.3(d)", "8.3")
def test_the_rate_card_that_is_taken_home_is_the_one_in_force(app: Flask, floor: Floor) -> None:
    def printed() -> str:
        return (
            PdfReader(BytesIO(app.test_client().get("/rate-card.pdf").data)).pages[0].extract_text()
        )

    assert "Test card" in printed()
    floor.publish_cards_half_an_hour_ahead()
    put_in_force(floor.office, floor.sam, accepted(floor), NOON + timedelta(hours=1))
    assert "Test card" in printed()
    floor.pass_time(hours=1)
    assert "Second card" in printed()
