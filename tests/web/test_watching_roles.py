"""Surveillance, cage and compliance: each sees what its work needs, and changes nothing."""

from pathlib import Path

import pytest
from flask import Flask

from app.flow.access import Credentials
from app.flow.permissions import FOR, Permission
from app.flow.report_jobs import done_job, see_jobs
from app.reports.catalogue import CATALOGUE
from app.store.records.reports import move_job
from app.store.tables import JobState, Role
from app.web import create_app
from tests.floor import BANK, FIRST_STATION, RITA, SECOND_STATION, Floor
from tests.flow.access import somebody
from tests.looking import refuses
from tests.web.sign_in import Browser

WATCHING = (Role.SURVEILLANCE, Role.CAGE, Role.COMPLIANCE)
# Where each begins; pages that are each one's; pages that are not.
PAGES = {
    Role.SURVEILLANCE: (
        "/supervisor",
        ("/supervisor/drawers/1", "/regulator/tickets/1", "/regulator/reports"),
        ("/writer", "/inspector", "/supervisor/approvals/1"),
    ),
    Role.CAGE: (
        "/supervisor/drawers",
        ("/supervisor/drawers/1", "/regulator/reports"),
        ("/supervisor", "/regulator", "/regulator/tickets/1", "/regulator/log", "/inspector"),
    ),
    Role.COMPLIANCE: (
        "/regulator",
        ("/regulator/tickets/1", "/regulator/reports", "/supervisor/cards"),
        ("/writer", "/inspector", "/supervisor/drawers/1"),
    ),
}


@pytest.fixture
def app(floor: Floor, tmp_path: Path) -> Flask:
    return create_app(floor.office, archive=tmp_path / "reports")


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("role", WATCHING)
def test_each_who_only_looks_begins_at_a_page_of_theirs(
    app: Flask, floor: Floor, role: Role
) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.close_drawer(wanda, 1, BANK)
    begins, theirs, others = PAGES[role]
    browser = Browser(app, floor, SECOND_STATION)
    assert browser.sign_in(somebody(floor, role)) == begins
    for path in (begins, *theirs):
        page = browser.client.get(path)
        assert page.status_code == 200, path
        assert 'data-act="/api/v1/' not in page.text or path == "/regulator/reports", path
    for path in others:
        assert browser.client.get(path).status_code == 403, path


@pytest.mark.rule("X-access")
def test_surveillance_cage_and_compliance_change_nothing() -> None:
    """Each of their permissions is one of these, by which alone nothing is changed.

    Compliance joins a manager who enters a promotion, with the regulator's letter: nothing holds by
    that alone.
    """
    looking = {
        Permission.EMERGENCY_CONFIRM,  # the second of two
        Permission.TICKET_QUOTE,
        Permission.TICKET_LOOK_UP,
        Permission.DRAWER_SEE,
        Permission.CASH_LOG,
        Permission.PAPER_SEE,
        Permission.FLOOR_SEE,
        Permission.RECORDS_SEE,
        Permission.REPORTS_SEE,
        Permission.WIN_SEE,
    }
    sets = {role: {act for act in Permission if role in FOR[act]} for role in WATCHING}
    for role, theirs in sets.items():
        second = {Permission.CARD_PROMOTION_JOIN, Permission.LOST_TICKET_ACCOUNT}
        joining = second if role is Role.COMPLIANCE else set()
        assert theirs <= looking | joining, role
    assert sets[Role.CAGE] < sets[Role.SURVEILLANCE]
    assert Permission.CASH_LOG in sets[Role.COMPLIANCE] - sets[Role.SURVEILLANCE]


@pytest.mark.rule("X-access")
def test_a_role_is_given_the_reports_that_its_work_needs_and_no_other(
    app: Flask, floor: Floor
) -> None:
    client = app.test_client()

    def ask(name: str, station: str, report: str) -> int:
        who = floor.signed_in(name, station)
        sent = {"X-Station": who.station or "", "Authorization": f"Bearer {who.token}"}
        listed = client.get("/api/v1/reports", headers=sent).get_json()
        days = {"from": "2026-11-16", "to": "2026-11-16", "format": "pdf"}
        answer = client.post(
            "/api/v1/reports",
            json={"report": report, **days},
            headers=sent | {"Idempotency-Key": floor.request_id()},
        )
        assert (report in {each["id"] for each in listed["reports"]}) == (answer.status_code == 201)
        shown[name] = {each["report"] for each in listed["jobs"]}
        return answer.status_code

    shown: dict[str, set[str]] = {}
    surveillance, cage, compliance = (somebody(floor, role) for role in WATCHING)
    assert ask(RITA, FIRST_STATION, "worksheets") == 201
    assert ask(RITA, FIRST_STATION, "drawers") == 201
    assert ask(cage, SECOND_STATION, "unclaimed") == 403
    assert ask(cage, SECOND_STATION, "drawers") == 201
    assert ask(surveillance, SECOND_STATION, "worksheets") == 403
    assert ask(surveillance, SECOND_STATION, "payouts-detail") == 201
    assert all(ask(compliance, SECOND_STATION, each) == 201 for each in CATALOGUE)
    # And a report that another role asked for is not among theirs.
    assert shown[cage] == {"drawers"}
    assert "worksheets" not in shown[surveillance]
    assert "worksheets" in shown[compliance]
    job = next(each.id for each in see_jobs(floor.office, rita(floor)) if each.report == "voids")
    with floor.office.unit() as unit:
        assert move_job(unit, job, (JobState.QUEUED,), JobState.DONE, digest="0" * 64)
        unit.commit()
    assert done_job(floor.office, rita(floor), job).report == "voids"
    with refuses("report.no_such_job"):
        done_job(floor.office, floor.signed_in(cage, SECOND_STATION), job)
    floor.check_books()


def rita(floor: Floor) -> Credentials:
    return floor.signed_in(RITA, FIRST_STATION)
