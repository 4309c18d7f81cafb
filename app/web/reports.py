"""Reports and bundles: which there are, those asked for and how far they are, and their files."""

from datetime import date, timedelta
from pathlib import Path

from flask import Blueprint, Response, current_app, jsonify, render_template, request, send_file

from app.clock import time_text
from app.flow.access import who_is_signed_in
from app.flow.bundle_jobs import BUNDLE, TITLE, ask_bundle
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.report_jobs import (
    ask_again,
    ask_report,
    done_job,
    file_name,
    may_have,
    note_fetched,
    see_jobs,
    stop_report,
)
from app.flow.see_records import today
from app.reports.catalogue import CATALOGUE, Report
from app.store.queries import reports as queries
from app.store.queries.reports import JobRow
from app.web import forms
from app.web.pages import page
from app.web.routes import credentials, needs, office, request_id

routes = Blueprint("reports", __name__)
KINDS = {
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "zip": "application/zip",
}
TITLES = {each.id: each.title for each in CATALOGUE.values()} | {BUNDLE: TITLE}


# ---- for programs --------------------------------------------------------------------------------


@routes.get("/api/v1/reports")
@needs(Permission.REPORTS_SEE)
def list_reports() -> Response:
    """List the reports that there are, and those that were asked for last."""
    return jsonify(
        reports=[
            {"id": each.id, "title": each.title, "says": each.says, "duties": list(each.duties)}
            for each in _ours()
        ],
        jobs=[_job(job) for job in see_jobs(office(), credentials())],
    )


@routes.post("/api/v1/reports")
@needs(Permission.REPORTS_SEE)
def ask() -> tuple[Response, int]:
    """Ask for a report; it is made by itself, and its id tells how far it is."""
    asked = forms.read_report()
    return jsonify(ask_report(office(), credentials(), asked, request_id())), 201


@routes.post("/api/v1/bundles")
@needs(Permission.RECORDS_EXPORT)
def ask_for_bundle() -> tuple[Response, int]:
    """Ask for a signed bundle of closed days; it is made by itself, like a report."""
    first, last = forms.read_bundle()
    return jsonify(ask_bundle(office(), credentials(), first, last, request_id())), 201


@routes.post("/api/v1/reports/<job>/stop")
@needs(Permission.REPORTS_SEE)
def stop(job: str) -> Response:
    """Stop a report that is waiting or being made."""
    stop_report(office(), credentials(), job)
    return jsonify(job=job)


@routes.post("/api/v1/reports/<job>/again")
@needs(Permission.DAY_CLOSE)
def again(job: str) -> tuple[Response, int]:
    """Ask once more for a report of a close of day, which was stopped or could not be made."""
    return jsonify(ask_again(office(), credentials(), job)), 201


@routes.get("/api/v1/reports/<job>/file")
@needs(Permission.REPORTS_SEE)
def file(job: str) -> Response:
    """Hand out a report that is ready."""
    done = done_job(office(), credentials(), job)
    folder: Path = current_app.extensions["reports"]
    name = file_name(done)
    path = folder.resolve() / name
    if not path.is_file():
        raise say_no(No.NO_SUCH_JOB)
    if request.method != "HEAD":  # which is given none of it
        note_fetched(office(), credentials(), done)
    answer = send_file(
        path,
        conditional=False,  # whole each time: a part of it would be noted as all of it
        etag=False,  # and by none of it is a browser to keep it
        mimetype=KINDS[done.format],
        as_attachment=done.format != "pdf",
        download_name=f"{done.report}-{done.first}-{done.last}.{done.format}",
    )
    del answer.headers["Last-Modified"]
    return answer


def _ours() -> list[Report]:
    """Return the reports that the caller may have."""
    role = who_is_signed_in(office(), credentials()).role
    return [each for each in CATALOGUE.values() if may_have(role, each.id)]


def _job(job: JobRow) -> dict[str, object]:
    return {
        "job": job.id,
        "report": job.report,
        "from": job.first.isoformat(),
        "to": job.last.isoformat(),
        "format": job.format,
        "asked_by": job.staff_code,
        "asked_at": time_text(job.asked_at),
        "state": job.state.value,
        "done": job.done,
        "total": job.total,
        "content": job.digest,
        "why": job.why,
    }


# ---- for people ----------------------------------------------------------------------------------


@routes.get("/regulator/reports")
@page(Permission.REPORTS_SEE)
def catalogue() -> str:
    """Show the reports that there are, and those that were asked for."""
    now: date = today(office())
    with office().database.reading() as connection:
        chosen = queries.chosen(connection)
    return render_template(
        "regulator/reports.html",
        reports=_ours(),
        yesterday=now - timedelta(days=1),
        today=now,
        chosen=chosen,
        jobs=see_jobs(office(), credentials()),
        titles=TITLES,
    )


@routes.get("/regulator/reports/asked")
@page(Permission.REPORTS_SEE)
def asked_for() -> str:
    """Show the reports that were asked for, for the page to put in."""
    return render_template(
        "regulator/report_jobs.html",
        jobs=see_jobs(office(), credentials()),
        titles=TITLES,
    )
