"""Reports that are asked for from a page, or by the close of a day: they are made one by one.

Whoever asks does not wait: the reporter (`app.reporter`) makes what is asked for, tells how far it
is, and stops when it is told to.

Write order of a report that is made:

1. The job is moved to *running*. *Crash after: whoever makes reports next puts it back.*
2. Its file is written under another name, and then named as it should be. *Crash before: made
   again, to the same bytes. Crash after: the same.*
3. The job is moved to *done*, unless it was stopped meanwhile.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import Credentials, at_work, permit, still_acting, still_at_work
from app.flow.actor import Actor, actor_of
from app.flow.asking import Answer, Asking, answer_once, asking, kept
from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.permissions import FOR, Permission
from app.flow.refusals import No, say_no
from app.flow.report import Asked, check_asked
from app.reports.catalogue import CATALOGUE, Format
from app.reports.schedule import WEEKLY, longer_ending, stretches_ending
from app.store.queries import reports as queries
from app.store.queries.people import Worker
from app.store.queries.reports import JobRow
from app.store.records import reports as records
from app.store.records.together import Row
from app.store.tables import JobState, ReportChoice, ReportJob, Role
from app.store.unit import Unit

ID_BYTES = 8
SHOWN = 60
CATCH_UP = timedelta(days=31)  # of closed days whose reports were not made yet
AT_WORK = (JobState.QUEUED, JobState.RUNNING)
# The reports of these roles; they have no bundles. Every other role that may see reports has all.
REPORTS_OF: dict[Role, frozenset[str]] = {
    Role.SURVEILLANCE: frozenset(CATALOGUE) - {"worksheets"},  # taxes and cash of patrons
    Role.CAGE: frozenset({"drawers"}),
    Role.COMPLIANCE: frozenset(CATALOGUE),
}


def may_have(role: Role, report: str) -> bool:
    """Whether a role may have a report, or a bundle, which is listed among the reports."""
    return report in REPORTS_OF.get(role, (report,))


# ---- asking --------------------------------------------------------------------------------------


def ask_report(
    office: Office, credentials: Credentials, asked: Asked, request: str | None
) -> Answer:
    """Ask for a report; return under which id it is being made.

    Refuses: a caller without REPORTS_SEE; a report that is not for their role; what cannot be asked
    for.
    """
    said = {"report": asked.report, "from": str(asked.first), "to": str(asked.last)}
    what = asking(request, "report", said | {"format": asked.format.value})
    worker = at_work(credentials, Permission.REPORTS_SEE)
    return answer_once(office, what, worker, partial(_ask, office, what, asked))


def _ask(office: Office, what: Asking, asked: Asked, unit: Unit, who: Worker) -> Answer:
    check_asked(asked)
    if not may_have(who.role, asked.report):
        raise say_no(No.NOT_PERMITTED, role=who.role)
    job = office.entropy(ID_BYTES).hex()
    answer: Answer = {"job": job}
    by = {"staff": who.code, "at": who.station_code}
    queue_job(office, unit, job, wanted_of(asked), by, who.staff, [kept(who, what, answer)])
    return answer


@dataclass(frozen=True)
class Wanted:
    """What the reporter is to make, of which days."""

    report: str
    first: date
    last: date
    format: str


def wanted_of(asked: Asked) -> Wanted:
    """Return a report as what is to be made."""
    return Wanted(asked.report, asked.first, asked.last, asked.format.value)


def queue_job(  # noqa: PLR0913, PLR0917  what is asked for, by whom, and in which transaction
    office: Office,
    unit: Unit,
    job: str,
    wanted: Wanted,
    by: dict[str, str],
    staff: int | None,
    rows: list[Row],
) -> None:
    """Have something made by whoever makes reports, and have in the log who asked for it."""
    now = unit.now()
    body = {
        "job": job,
        "report": wanted.report,
        "from": wanted.first.isoformat(),
        "to": wanted.last.isoformat(),
        "format": wanted.format,
        "by": by,
        "time": time_text(now),
    }
    row = {
        "job": job,
        "report": wanted.report,
        "first_day": wanted.first,
        "last_day": wanted.last,
        "format": wanted.format,
        "staff": staff,
        "asked_at": now,
        "state": JobState.QUEUED.value,
        "done": 0,
        "total": 0,
    }
    office.log_with(unit, Tag.REPORT, body, [(ReportJob, row), *rows])


def stop_report(office: Office, credentials: Credentials, job: str) -> None:
    """Stop a report that is waiting or being made, and have that in the log.

    One that the close of a day asked for is stopped by whoever may close days.

    Refuses: a caller without REPORTS_SEE; a report that is not theirs; one that is not being made.
    """
    with office.unit() as unit:
        who = at_work(credentials, Permission.REPORTS_SEE)(unit)
        asked = queries.job(unit.connection, job)
        if asked is None:
            raise say_no(No.NO_SUCH_JOB)
        is_theirs = asked.staff_code == who.code
        if asked.is_of_close:
            is_theirs = who.role in FOR[Permission.DAY_CLOSE]
        if not is_theirs:
            raise say_no(No.NOT_YOURS)
        if not records.move_job(unit, job, AT_WORK, JobState.STOPPED, ended_at=unit.now()):
            raise say_no(No.NO_SUCH_JOB)
        still_at_work(unit, who)
        body = {
            "job": job,
            "report": asked.report,
            "stopped": True,
            "by": {"staff": who.code, "at": who.station_code},
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.REPORT, body)
        unit.commit()


def ask_again(office: Office, credentials: Credentials, job: str) -> Answer:
    """Ask once more for a report that the close of a day asked for; return under which id.

    Refuses: whoever may not close days; a report that no close of day asked for.
    """
    with office.unit() as unit:
        who = at_work(credentials, Permission.DAY_CLOSE)(unit)
        found = queries.job(unit.connection, job)
        if found is None or not found.is_of_close:
            raise say_no(No.NO_SUCH_JOB)
        still_at_work(unit, who)
        asked = Asked(found.report, found.first, found.last, Format(found.format))
        return _again(office, unit, actor_of(who), asked)


def ask_again_for_day(office: Office, actor: Actor, asked: Asked) -> Answer:
    """Ask once more for a report that the close of a day asked for; return under which id.

    Refuses: whoever may not close days; a report that no close of that day asked for.
    """
    permit(actor.role, Permission.DAY_CLOSE)
    with office.unit() as unit:
        still_acting(unit, actor)
        return _again(office, unit, actor, asked)


def _again(office: Office, unit: Unit, actor: Actor, asked: Asked) -> Answer:
    """Have it made again to its place in the archive; one that still waits is not asked for twice.

    A report that was stopped or failed is never asked for by itself again: nobody would see why.
    """
    before = queries.jobs_of_close(
        unit.connection, asked.report, asked.format.value, asked.first, asked.last
    )
    if not before:
        raise say_no(No.NO_SUCH_JOB)
    waiting = [each.id for each in before if each.state in AT_WORK]
    if waiting:
        return {"job": waiting[0]}
    job = office.entropy(ID_BYTES).hex()
    by = {"staff": actor.code, "at": actor.place}
    queue_job(office, unit, job, wanted_of(asked), by, None, [])
    unit.commit()
    return {"job": job}


def see_jobs(office: Office, credentials: Credentials) -> list[JobRow]:
    """Return the reports that were asked for last, of those that the caller may have.

    Refuses: a caller without REPORTS_SEE.
    """
    with office.database.reading() as connection:
        who = at_work(credentials, Permission.REPORTS_SEE)(Unit(office.database, connection))
        jobs = queries.newest_jobs(connection, SHOWN)
    return [job for job in jobs if may_have(who.role, job.report)]


def done_job(office: Office, credentials: Credentials, job: str) -> JobRow:
    """Return a report that is ready.

    Refuses: a caller without REPORTS_SEE; one that is not ready, or not for their role.
    """
    with office.database.reading() as connection:
        who = at_work(credentials, Permission.REPORTS_SEE)(Unit(office.database, connection))
        found = queries.job(connection, job)
    if found is None or found.state is not JobState.DONE or not may_have(who.role, found.report):
        raise say_no(No.NO_SUCH_JOB)
    return found


def note_fetched(office: Office, credentials: Credentials, job: JobRow) -> None:
    """Have in the log who was given a report, each time, before they are given it (X-access).

    Refuses: a caller without REPORTS_SEE.
    """
    with office.unit() as unit:
        who = at_work(credentials, Permission.REPORTS_SEE)(unit)
        still_at_work(unit, who)
        body = {
            "job": job.id,
            "report": job.report,
            "from": job.first.isoformat(),
            "to": job.last.isoformat(),
            "format": job.format,
            "content": job.digest,
            "fetched": True,
            "by": {"staff": who.code, "at": who.station_code},
            "time": time_text(unit.now()),
        }
        office.log(unit, Tag.REPORT, body)
        unit.commit()


def choose_report(
    office: Office, actor: Actor, report: str, format_: Format, *, chosen: bool
) -> None:
    """Have a report made at the close of each day from now on, or not any more.

    Refuses: whoever may not; a report that there is not.
    """
    permit(actor.role, Permission.DAY_CLOSE)
    if report not in CATALOGUE:
        raise say_no(No.NO_SUCH_REPORT, report=report)
    with office.unit() as unit:
        still_acting(unit, actor)
        before = (report, format_.value) in queries.chosen(unit.connection)
        body = {
            "report": report,
            "format": format_.value,
            "before": before,
            "after": chosen,
            "by": actor.document(),
            "time": time_text(unit.now()),
        }
        row = {
            "report": report,
            "format": format_.value,
            "chosen": chosen,
            "staff": actor.staff,
        }
        office.log_with(unit, Tag.REPORT_CHOICE, body, [(ReportChoice, row)])
        unit.commit()


# ---- making --------------------------------------------------------------------------------------


def queue_for_closed_days(office: Office) -> int:
    """Ask for the chosen reports of days that were closed; return how many were asked for.

    And for the week's review of the draws, whether it was chosen or not (X-rng-tests).
    """
    with office.database.reading() as connection:
        last = queries.last_closed(connection)
        if last is None:
            return 0
        days = queries.closed_since(connection, last - CATCH_UP)
        known = queries.asked_since(connection, last - CATCH_UP)
        chosen = queries.chosen(connection)
    house = office.house
    founded = gaming_day(house.founded_at, house.time_zone, house.day_starts_minutes)
    stretches = [
        (report, form, *stretch)
        for report, form in chosen
        for day in days
        for stretch in stretches_ending(report, day, founded)
    ]
    stretches += [
        (report, Format.PDF.value, *stretch)
        for report in WEEKLY
        for day in days
        for stretch in longer_ending(report, day, founded)
        if (report, Format.PDF.value) not in chosen
    ]
    wanted = [
        Asked(report, first, last, Format(form))
        for report, form, first, last in stretches
        if (report, form, first, last) not in known
    ]
    for asked in wanted:
        with office.unit() as unit:
            job = office.entropy(ID_BYTES).hex()
            by = {"staff": "", "at": "close of day"}
            queue_job(office, unit, job, wanted_of(asked), by, None, [])
            unit.commit()
    return len(wanted)


def put_back(office: Office) -> None:
    """Have what was being made when its maker died made again."""
    with office.unit() as unit:
        for job in queries.jobs_in_state(unit.connection, JobState.RUNNING):
            records.move_job(unit, job.id, (JobState.RUNNING,), JobState.QUEUED)
        unit.commit()


def next_job(office: Office) -> JobRow | None:
    """Take the oldest report that waits."""
    with office.unit() as unit:
        waiting = queries.jobs_in_state(unit.connection, JobState.QUEUED)
        for job in waiting:
            if records.move_job(unit, job.id, (JobState.QUEUED,), JobState.RUNNING):
                unit.commit()
                return job
    return None


def note_progress(office: Office, job: str, done: int, total: int) -> bool:
    """Note how far a report is; say whether it is still wanted."""
    with office.unit() as unit:
        wanted = records.note_progress(unit, job, done, total)
        unit.commit()
    return wanted


def end_job(office: Office, job: str, digest: str | None, why: str | None = None) -> None:
    """Note that a report is ready, or why it could not be made; a stopped one stays stopped."""
    after = JobState.DONE if digest is not None else JobState.FAILED
    with office.unit() as unit:
        told = {"digest": digest, "why": why, "ended_at": unit.now()}
        records.move_job(unit, job, (JobState.RUNNING,), after, **told)  # type: ignore[arg-type]
        unit.commit()


def file_name(job: JobRow) -> str:
    """Return where in the archive a report stands.

    Those of a close of day by their day, of a week or a month with its first day; those that
    somebody asked for by their own id, because of a day that is not over there can be many.
    """
    if job.is_of_close:
        since = "" if job.first == job.last else f"-since-{job.first.isoformat()}"
        return f"{job.last.isoformat()}/{job.report}{since}.{job.format}"
    return f"asked/{job.id}/{job.report}.{job.format}"
