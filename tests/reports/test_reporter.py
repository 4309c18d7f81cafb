"""Reports that are asked for from a page or made at the close of a day."""

import fcntl
import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.flow.access import Credentials
from app.flow.close_day import close_day
from app.flow.office import Office
from app.flow.report import Asked, Progress, make_report, rendered
from app.flow.report_jobs import (
    ask_again,
    ask_again_for_day,
    ask_report,
    choose_report,
    file_name,
    next_job,
    queue_for_closed_days,
    see_jobs,
    stop_report,
)
from app.reporter import INDEX, PAGE, Reporter, read_index
from app.reports.catalogue import Format
from app.reports.document import Document
from app.store.queries.reports import JobRow
from app.store.tables import JobState
from app.store.unit import CommitUnknown
from app.web import create_app
from tests.audit.planting import plant, unguarded
from tests.floor import ADA, RITA, SAM, WALT, Floor
from tests.looking import bodies, refuses, rows
from tests.proof.paying_days import FIRST_DAY
from tests.reports.reporter import client_of, made
from tests.story.days import closed_drawer
from tests.waiting import until

REPORT = Asked("voids", FIRST_DAY, FIRST_DAY, Format.PDF)
JOB = JobRow(
    id="1", report="voids", first=FIRST_DAY, last=FIRST_DAY, format="pdf", staff_code=None,
    asked_at=datetime(2026, 11, 17, tzinfo=UTC), state=JobState.RUNNING, done=0, total=0,
    digest=None, why=None, ended_at=None,
)  # fmt: skip


@pytest.fixture
def rita(floor: Floor) -> Credentials:
    """The regulator, at a station, after a day with a void."""
    wanda = floor.writing()
    floor.sell(wanda)
    floor.void(wanda, 1)
    return floor.signed_in(RITA, "B2")


@pytest.fixture
def reporter(floor: Floor, tmp_path: Path) -> Reporter:
    return Reporter(floor.office, tmp_path / "archive", look_seconds=0.01)


@pytest.mark.rule("X-audit-log")
def test_a_report_that_is_asked_for_is_made_and_listed(
    floor: Floor, rita: Credentials, reporter: Reporter
) -> None:
    job = ask_report(floor.office, rita, REPORT, "request-of-rita")["job"]
    assert ask_report(floor.office, rita, REPORT, "request-of-rita")["job"] == job
    assert made(reporter) == 1
    (done,) = see_jobs(floor.office, rita)
    assert (done.id, done.state, done.staff_code) == (job, JobState.DONE, "RITA")
    name = f"asked/{job}/voids.pdf"
    data = (reporter.folder / name).read_bytes()
    listed = read_index(reporter.folder)[name]
    assert (listed["sha256"], listed["content"]) == (sha256(data).hexdigest(), done.digest)
    again = make_report(floor.office, REPORT, int(str(listed["size"])))
    assert rendered(again, Format.PDF) == data
    assert "Voided tickets by station" in (reporter.folder / PAGE).read_text()
    (body,) = bodies(floor, "REPORT")
    assert (body["report"], body["by"]) == ("voids", {"staff": "RITA", "at": "B2"})


@pytest.mark.rule("15.4(e)-list", "X-audit-books")
def test_what_the_house_chose_is_made_at_the_close_of_each_day_once(
    floor: Floor, reporter: Reporter
) -> None:
    for form in (Format.PDF, Format.CSV):
        choose_report(floor.office, floor.sam, "voids", form, chosen=True)
    choose_report(floor.office, floor.sam, "voids", Format.CSV, chosen=False)
    assert made(reporter) == 0
    for place in range(2):
        floor.pass_time(days=1)
        close_day(floor.office, floor.sam, FIRST_DAY + timedelta(days=place))
    reporter._days_looked = float("-inf")  # noqa: SLF001  it looks now and then
    assert made(reporter) == 2
    reporter._days_looked = float("-inf")  # noqa: SLF001
    assert made(reporter) == 0
    assert sorted(read_index(reporter.folder)) == [
        f"{FIRST_DAY + timedelta(days=place)}/voids.pdf" for place in range(2)
    ]


@pytest.mark.rule("X-rng-tests")
def test_the_draws_are_reviewed_each_week_and_chosen_reports_made_each_month(
    floor: Floor, reporter: Reporter
) -> None:
    floor.sell(floor.writing())
    choose_report(floor.office, floor.sam, "win", Format.JSON, chosen=True)
    floor.lock()
    floor.draw()
    floor.grade(1)
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    closed_drawer(floor, int(held))
    for place in range(15):  # from a Monday to the end of the month
        floor.pass_time(days=1)
        close_day(floor.office, floor.sam, FIRST_DAY + timedelta(days=place))
    assert queue_for_closed_days(floor.office) == 15 + 1 + 2
    assert queue_for_closed_days(floor.office) == 0
    made(reporter)
    listed = read_index(reporter.folder)
    assert "2026-11-22/rng-since-2026-11-16.pdf" in listed
    assert "2026-11-29/rng-since-2026-11-23.pdf" in listed
    assert "2026-11-30/win-since-2026-11-16.json" in listed
    assert "2026-11-30/win.json" in listed
    again = floor.signed_in(RITA, "B2")
    assert {job.state for job in see_jobs(floor.office, again)} == {JobState.DONE}


def test_a_report_can_be_stopped_before_and_while_it_is_made(
    floor: Floor, rita: Credentials, reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = ask_report(floor.office, rita, REPORT, "request-1")["job"]
    stop_report(floor.office, rita, job)
    assert made(reporter) == 0
    second = ask_report(floor.office, rita, REPORT, "request-2")["job"]

    def stopped_meanwhile(office: Office, asked: Asked, progress: Progress) -> Document:
        stop_report(floor.office, rita, second)
        return make_report(office, asked, progress=progress)

    monkeypatch.setattr("app.reporter.make_report", stopped_meanwhile)
    assert made(reporter) == 1
    assert {each.state for each in see_jobs(floor.office, rita)} == {JobState.STOPPED}
    assert not (reporter.folder / INDEX).exists()
    with refuses("report.no_such_job"):
        stop_report(floor.office, rita, second)


@pytest.mark.rule("X-access", "15.4(e)-list")
def test_management_stops_a_report_of_a_close_of_day_and_asks_for_it_again(
    floor: Floor, reporter: Reporter
) -> None:
    sam = closed_with_voids(floor)
    rita = floor.signed_in(RITA, "B2")
    (job,) = see_jobs(floor.office, sam)
    with refuses("report.not_yours"):
        stop_report(floor.office, rita, job.id)
    stop_report(floor.office, sam, job.id)
    for _ in range(2):  # it is not asked for by itself again
        reporter._days_looked = float("-inf")  # noqa: SLF001  it looks now and then
        assert made(reporter) == 0
    with refuses("staff.not_permitted"):
        ask_again(floor.office, rita, job.id)
    again = ask_again(floor.office, sam, job.id)
    assert ask_again(floor.office, sam, job.id) == again  # it waits already
    assert made(reporter) == 1
    assert list(read_index(reporter.folder)) == [f"{FIRST_DAY}/voids.pdf"]
    assert [body["by"] for body in bodies(floor, "REPORT")] == [
        {"staff": "", "at": "close of day"},
        {"staff": "SAM", "at": "S1"},
        {"staff": "SAM", "at": "S1"},
    ]


@pytest.mark.rule("X-access")
def test_a_report_of_a_close_of_day_that_failed_is_asked_for_again_at_the_console(
    floor: Floor, reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    sam = closed_with_voids(floor)
    of_day = Asked("voids", FIRST_DAY, FIRST_DAY, Format.PDF)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("app.reporter.write_whole", full)
        assert made(reporter) == 1
    assert see_jobs(floor.office, sam)[0].state is JobState.FAILED
    ask_again_for_day(floor.office, floor.sam, of_day)
    assert made(reporter) == 1
    assert see_jobs(floor.office, sam)[0].state is JobState.DONE
    later = FIRST_DAY + timedelta(days=1)
    for other in (
        Asked("voids", FIRST_DAY, FIRST_DAY, Format.CSV),  # which was never chosen
        Asked("voids", later, later, Format.PDF),
    ):
        with refuses("report.no_such_job"):
            ask_again_for_day(floor.office, floor.sam, other)
    by_rita = ask_report(floor.office, floor.signed_in(RITA, "B2"), REPORT, "request-1")["job"]
    with refuses("report.no_such_job"):  # hers, and not that of a close
        ask_again(floor.office, sam, by_rita)


def closed_with_voids(floor: Floor) -> Credentials:
    """A closed day whose list of voids was asked for by its close; and a supervisor."""
    choose_report(floor.office, floor.sam, "voids", Format.PDF, chosen=True)
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    assert queue_for_closed_days(floor.office) == 1
    return floor.signed_in(SAM, "S1")


@pytest.mark.rule("X-recovery")
def test_two_reporters_on_one_folder_lose_nothing_of_the_index(
    reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    come, read = list[int](), list[Path]()
    lock = fcntl.flock

    def count_and_lock(file: int, how: int) -> None:
        come.append(file)
        lock(file, how)

    def slowly(folder: Path) -> dict[str, dict[str, object]]:
        listed = read_index(folder)
        read.append(folder)
        until(lambda: max(len(come), len(read)) == len(jobs))  # each waits, or has read it too
        return listed

    monkeypatch.setattr("app.reporter.read_index", slowly)
    monkeypatch.setattr("app.reporter.fcntl.flock", count_and_lock)
    jobs = [replace(JOB, last=FIRST_DAY + timedelta(days=number)) for number in range(4)]
    reporters = [
        threading.Thread(target=reporter._list, args=(job, "Voids", "", {"whole": True}))  # noqa: SLF001
        for job in jobs
    ]
    for each in reporters:
        each.start()
    for each in reporters:
        each.join()
    assert sorted(read_index(reporter.folder)) == [file_name(job) for job in jobs]


@pytest.mark.rule("X-recovery")
def test_a_report_whose_maker_died_is_made_by_the_next(
    floor: Floor, rita: Credentials, reporter: Reporter
) -> None:
    ask_report(floor.office, rita, REPORT, "request-1")
    assert next_job(floor.office) is not None  # and that process is gone
    assert made(reporter) == 0
    stop = threading.Event()
    thread = threading.Thread(target=reporter.run, args=(stop,))
    thread.start()
    for _ in range(6_000):
        (job,) = see_jobs(floor.office, rita)
        if job.state is JobState.DONE:
            break
        stop.wait(0.02)
    stop.set()
    thread.join()
    assert job.state is JobState.DONE


def test_what_cannot_be_made_says_why(floor: Floor, rita: Credentials, reporter: Reporter) -> None:
    to_come = FIRST_DAY + timedelta(days=9)
    ask_report(floor.office, rita, Asked("voids", to_come, to_come, Format.PDF), "request-1")
    assert made(reporter) == 1
    (job,) = see_jobs(floor.office, rita)
    assert (job.state, job.why) == (
        JobState.FAILED,
        f"There are days from {FIRST_DAY} to {FIRST_DAY} only.",
    )


@pytest.mark.rule("X-access")
def test_only_those_who_may_see_records_ask_for_reports(floor: Floor) -> None:
    for name in (WALT, ADA):
        somebody = floor.signed_in(name)
        for act in (
            lambda who=somebody: ask_report(floor.office, who, REPORT, "request-1"),
            lambda who=somebody: see_jobs(floor.office, who),
            lambda who=somebody: stop_report(floor.office, who, "x"),
        ):
            with refuses("staff.not_permitted"):
                act()


# ---- the page ------------------------------------------------------------------------------------


@pytest.fixture
def app(floor: Floor, reporter: Reporter) -> Flask:
    return create_app(floor.office, archive=reporter.folder)


@pytest.fixture
def client(app: Flask, rita: Credentials) -> FlaskClient:
    return client_of(app, rita)


def test_a_report_is_asked_for_watched_and_opened_from_the_page(
    client: FlaskClient, reporter: Reporter
) -> None:
    asked = {"report": "voids", "from": str(FIRST_DAY), "to": str(FIRST_DAY), "format": "pdf"}
    sent = client.post("/api/v1/reports", json=asked, headers={"Idempotency-Key": "request-1"})
    assert sent.status_code == 201
    job = sent.get_json()["job"]
    assert client.get(f"/api/v1/reports/{job}/file").status_code == 404
    assert "queued" in client.get("/regulator/reports").text
    made(reporter)
    assert "Open it" in client.get("/regulator/reports/asked").text
    with client.get(f"/api/v1/reports/{job}/file") as file:
        assert (file.status_code, file.mimetype) == (200, "application/pdf")
        assert file.data[:5] == b"%PDF-"
    (told,) = client.get("/api/v1/reports").get_json()["jobs"]
    assert (told["state"], told["asked_by"]) == ("done", "RITA")


@pytest.mark.rule("X-access", "X-audit-log")
def test_who_was_given_which_report_is_in_the_log_each_time(
    floor: Floor, client: FlaskClient, rita: Credentials, reporter: Reporter
) -> None:
    job = ask_report(floor.office, rita, REPORT, "request-1")["job"]
    client.get(f"/api/v1/reports/{job}/file")  # it is not ready: nothing is given out
    made(reporter)
    (done,) = see_jobs(floor.office, rita)
    assert [body for body in bodies(floor, "REPORT") if body.get("fetched")] == []
    with client.head(f"/api/v1/reports/{job}/file") as nothing:  # nor is anything given by this
        assert (nothing.status_code, nothing.data) == (200, b"")
    assert not [body for body in bodies(floor, "REPORT") if body.get("fetched")]
    with client.get(f"/api/v1/reports/{job}/file") as whole:
        kept = {"ETag", "Last-Modified", "Expires"} & set(whole.headers.keys())
        assert (whole.headers["Cache-Control"], kept) == ("no-store", set())
        data = whole.data
    # A part of it would be as good as all of it, and is never given.
    with client.get(f"/api/v1/reports/{job}/file", headers={"Range": "bytes=1-"}) as again:
        assert (again.status_code, again.data) == (200, data)
    fetched = [body for body in bodies(floor, "REPORT") if body.get("fetched")]
    assert [(body["job"], body["by"]) for body in fetched] == [
        (job, {"staff": "RITA", "at": "B2"})
    ] * 2
    assert {(body["report"], body["content"]) for body in fetched} == {("voids", done.digest)}
    access = make_report(floor.office, Asked("access", FIRST_DAY, FIRST_DAY, Format.CSV))
    (section,) = access.content.sections
    assert [row[2:] for row in section.rows if str(row[4]).endswith("fetched")] == [
        ("RITA", "B2", f"voids {FIRST_DAY} {FIRST_DAY} pdf fetched")
    ] * 2


@pytest.mark.rule("X-access")
def test_only_management_is_shown_the_button_to_ask_again(floor: Floor, app: Flask) -> None:
    sam = closed_with_voids(floor)
    (job,) = see_jobs(floor.office, sam)
    supervisor, regulator = client_of(app, sam), client_of(app, floor.signed_in(RITA, "B2"))
    page, again = "/regulator/reports/asked", f"/api/v1/reports/{job.id}/again"
    assert "Stop it" not in regulator.get(page).text
    assert "Stop it" in supervisor.get(page).text
    stop_report(floor.office, sam, job.id)
    assert "Ask again" not in regulator.get(page).text
    assert "Ask again" in supervisor.get(page).text
    assert regulator.post(again).status_code == 403
    assert supervisor.post(again).status_code == 201
    assert "Stop it" in supervisor.get(page).text


def test_bad_questions_for_reports_are_refused_with_every_fault(client: FlaskClient) -> None:
    sent = client.post(
        "/api/v1/reports",
        json={"report": "voids", "from": "yesterday", "format": "doc"},
        headers={"Idempotency-Key": "request-1"},
    )
    assert sent.status_code == 422
    codes = [each["code"] for each in json.loads(sent.data)["refusals"]]
    assert set(codes) == {
        "document.wrong_type",
        "document.field_missing",
        "document.not_a_choice",
    }


@pytest.mark.rule("X-access")
def test_supervisors_ask_for_reports_too(floor: Floor, rita: Credentials) -> None:
    assert rita.token
    sam = floor.signed_in(SAM, "B2")
    assert ask_report(floor.office, sam, REPORT, "request-9")["job"]


@pytest.mark.rule("X-access")
def test_nobody_stops_what_somebody_else_asked_for_and_a_stop_is_logged(
    floor: Floor, rita: Credentials
) -> None:
    job = ask_report(floor.office, rita, REPORT, "request-1")["job"]
    with refuses("report.not_yours"):
        stop_report(floor.office, floor.signed_in(SAM, "S1"), job)
    stop_report(floor.office, rita, job)
    assert [body.get("stopped", False) for body in bodies(floor, "REPORT")] == [False, True]


def test_two_reports_of_a_day_that_is_not_over_are_two_files(
    floor: Floor, rita: Credentials, reporter: Reporter
) -> None:
    jobs = []
    for place in range(2):
        jobs.append(ask_report(floor.office, rita, REPORT, f"request-{place}")["job"])
        assert made(reporter) == 1
    files = [(reporter.folder / f"asked/{job}/voids.pdf").read_bytes() for job in jobs]
    assert files[0] != files[1]


@pytest.mark.rule("X-recovery")
def test_a_report_that_the_database_or_the_disk_interrupted_is_not_left_behind(
    floor: Floor, rita: Credentials, reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_report(floor.office, rita, REPORT, "request-1")
    stop = threading.Event()

    def lost(*_: object, **__: object) -> None:
        monkeypatch.undo()
        stop.set()
        raise CommitUnknown

    monkeypatch.setattr("app.reporter.make_report", lost)
    reporter.run(stop)
    assert made(reporter) == 1
    (job,) = see_jobs(floor.office, rita)
    assert job.state is JobState.DONE
    (reporter.folder / "asked" / "x").write_bytes(b"")
    ask_report(floor.office, rita, REPORT, "request-2")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.reporter.write_whole", full)
    assert made(reporter) == 1
    assert (
        see_jobs(floor.office, rita)[0].why == "It could not be written: No space left on device."
    )


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log_entry SET body = replace(body, 'mind', 'kind') WHERE tag = 'VOID'",
        "DELETE FROM log_position WHERE position = 20",
    ],
)
def test_no_report_is_made_from_a_log_that_was_changed(
    floor: Floor, rita: Credentials, statement: str
) -> None:
    assert rita.token
    make_report(floor.office, REPORT)
    plant(unguarded(floor), statement)
    with refuses("report.log_changed"):
        make_report(floor.office, REPORT)
