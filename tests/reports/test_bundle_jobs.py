"""Bundles that a regulator asks for on a page, and checks on a machine of their own."""

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from app.audit.verifier import verify
from app.flow.access import Credentials, disable_staff
from app.flow.close_day import close_day
from app.flow.cosign import cosign_log
from app.flow.office import Office
from app.flow.report import reports_of
from app.flow.report_jobs import see_jobs, stop_report
from app.reporter import Reporter, read_index
from app.web import create_app
from tests.floor import ADA, BANK, RITA, SAM, WANDA, Floor
from tests.looking import bodies, rows
from tests.proof.paying_days import FIRST_DAY
from tests.reports.reporter import client_of, made

DAY = {"from": str(FIRST_DAY), "to": str(FIRST_DAY)}


@pytest.fixture
def rita(floor: Floor) -> Credentials:
    """The regulator, at a station, after a day that is closed and cosigned."""
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda)
    floor.void(wanda, 2)
    floor.play()
    floor.close_drawer(wanda, 1, BANK)
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    assert floor.office.keyed is not None
    cosign_log(floor.office, floor.office.keyed)
    return floor.signed_in(RITA, "B2")


@pytest.fixture
def reporter(floor: Floor, tmp_path: Path) -> Reporter:
    return Reporter(floor.office, tmp_path / "archive", floor.keyed.public, look_seconds=0.01)


@pytest.fixture
def client(floor: Floor, rita: Credentials, reporter: Reporter) -> FlaskClient:
    return client_of(create_app(floor.office, archive=reporter.folder), rita)


def asked(client: FlaskClient, days: dict[str, str] = DAY) -> str:
    """The job of a bundle that is asked for."""
    sent = client.post("/api/v1/bundles", json=days, headers={"Idempotency-Key": "bundle-1"})
    assert sent.status_code == 201
    return str(sent.get_json()["job"])


@pytest.mark.rule("X-audit-log", "X-draw-public", "X-access")
def test_a_bundle_that_is_asked_for_on_the_page_verifies_elsewhere(
    floor: Floor, client: FlaskClient, rita: Credentials, reporter: Reporter, tmp_path: Path
) -> None:
    assert "Take a bundle away" in client.get("/regulator/reports").text
    job = asked(client)
    assert asked(client) == job  # pressed twice
    made(reporter)
    done = {each.id: each for each in see_jobs(floor.office, rita)}[job]
    assert (done.state.value, done.why) == ("done", None)
    page = client.get("/regulator/reports/asked").text
    assert "Signed bundle" in page
    assert f"/api/v1/reports/{job}/file" in page
    with client.get(f"/api/v1/reports/{job}/file") as file:
        assert (file.status_code, file.mimetype) == (200, "application/zip")
        (tmp_path / "day.zip").write_bytes(file.data)
    report = verify(tmp_path / "day.zip", floor.keyed.public)
    assert report.faults == []
    (given,) = bodies(floor, "EXPORT")
    assert (given["manifest"], given["by"]["staff"]) == (done.digest, "RITA")
    told = [body for body in bodies(floor, "REPORT") if body["report"] == "bundle"]
    assert [body.get("fetched", False) for body in told] == [False, True]
    listed = read_index(reporter.folder)[f"asked/{job}/bundle.zip"]
    assert (listed["title"], listed["content"]) == ("Signed bundle", done.digest)


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize(
    ("days", "code"),
    [
        ({"from": str(FIRST_DAY), "to": "2020-01-01"}, "export.wrong_order"),
        ({"from": "2020-01-01", "to": str(FIRST_DAY)}, "export.day_not_closed"),
        ({"from": "soon", "to": str(FIRST_DAY)}, "document.wrong_type"),
        ({"from": str(FIRST_DAY)}, "document.field_missing"),
    ],
)
def test_a_bundle_that_cannot_be_made_is_refused_at_once(
    client: FlaskClient, days: dict[str, str], code: str
) -> None:
    sent = client.post("/api/v1/bundles", json=days, headers={"Idempotency-Key": "bundle-1"})
    assert sent.status_code in {400, 409, 422}
    assert sent.get_json()["code"] == code


@pytest.mark.rule("X-access")
@pytest.mark.usefixtures("rita")
def test_who_may_not_take_records_away_is_not_given_a_bundle(
    floor: Floor, reporter: Reporter
) -> None:
    app = create_app(floor.office, archive=reporter.folder)
    writer = client_of(app, floor.signed_in(WANDA, "S1"))
    sent = writer.post("/api/v1/bundles", json=DAY, headers={"Idempotency-Key": "bundle-2"})
    assert sent.status_code == 403
    assert client_of(app, floor.signed_in(SAM, "S1")).get("/regulator/reports").status_code == 200


@pytest.mark.rule("X-access-disable")
def test_somebody_who_was_disabled_since_is_given_nothing(
    floor: Floor, client: FlaskClient, reporter: Reporter
) -> None:
    job = asked(client)
    disable_staff(floor.office, floor.signed_in(ADA, "S1"), RITA)
    made(reporter)
    found = "SELECT state, why FROM report_job WHERE job = :job"
    ((state, why),) = rows(floor, found, job=job)
    assert (state, RITA in why) == ("failed", True)
    assert bodies(floor, "EXPORT") == []


@pytest.mark.rule("X-recovery")
def test_a_bundle_that_is_stopped_is_not_made(
    floor: Floor,
    client: FlaskClient,
    rita: Credentials,
    reporter: Reporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While it is being made: it is noticed with the next report that would go along."""
    job = asked(client)

    def stopped_meanwhile(office: Office, first: date, last: date) -> Iterator[tuple[str, bytes]]:
        for number, each in enumerate(reports_of(office, first, last)):
            if number == 1:
                stop_report(floor.office, rita, job)
                reporter.counted = lambda: float("inf")
            yield each

    monkeypatch.setattr("app.flow.bundle_jobs.reports_of", stopped_meanwhile)
    reporter.look(threading.Event())
    (told,) = [each for each in see_jobs(floor.office, rita) if each.id == job]
    assert told.state.value == "stopped"
    assert bodies(floor, "EXPORT") == []
    assert not list(reporter.folder.rglob("*.zip*"))
