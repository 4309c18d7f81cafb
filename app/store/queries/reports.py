"""Reports that were asked for, and those that a house has made at the close of each day."""

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import Connection, select

from app.store.tables import DayClose, JobState, ReportChoice, ReportJob, Role, Staff


@dataclass(frozen=True)
class JobRow:
    """A report that was asked for, and how far it is."""

    id: str
    report: str
    first: date
    last: date
    format: str
    staff_code: str | None  # none: the close of a day
    asked_at: datetime
    state: JobState
    done: int
    total: int
    digest: str | None
    why: str | None
    ended_at: datetime | None

    @property
    def is_of_close(self) -> bool:
        """Whether the close of a day asked for it, or somebody once more after that."""
        return self.staff_code is None


@dataclass(frozen=True)
class Asker:
    """Who asked for a report or a bundle, as they are now."""

    id: int
    code: str
    name: str
    role: Role
    is_disabled: bool


_JOB = select(
    ReportJob.job,
    ReportJob.report,
    ReportJob.first_day,
    ReportJob.last_day,
    ReportJob.format,
    Staff.code,
    ReportJob.asked_at,
    ReportJob.state,
    ReportJob.done,
    ReportJob.total,
    ReportJob.digest,
    ReportJob.why,
    ReportJob.ended_at,
).outerjoin(Staff, Staff.id == ReportJob.staff)


def job(connection: Connection, job_id: str) -> JobRow | None:
    """Return a report that was asked for."""
    row = connection.execute(_JOB.where(ReportJob.job == job_id)).first()
    return None if row is None else _job(row)


def who_asked(connection: Connection, job_id: str) -> Asker | None:
    """Return who asked for something; none if the close of a day did."""
    found = (
        select(Staff.id, Staff.code, Staff.name, Staff.role, Staff.disabled_at.is_not(None))
        .join(ReportJob, ReportJob.staff == Staff.id)
        .where(ReportJob.job == job_id)
    )
    row = connection.execute(found).first()
    return None if row is None else Asker(row[0], row[1], row[2], Role(row[3]), row[4])


def newest_jobs(connection: Connection, most: int) -> list[JobRow]:
    """Return the reports that were asked for last, the newest first."""
    found = _JOB.order_by(ReportJob.entry.desc()).limit(most)
    return [_job(row) for row in connection.execute(found)]


def jobs_in_state(connection: Connection, state: JobState) -> list[JobRow]:
    """Return the reports that are so far, in the order in which they were asked for."""
    found = _JOB.where(ReportJob.state == state.value).order_by(ReportJob.entry)
    return [_job(row) for row in connection.execute(found)]


def jobs_of_close(
    connection: Connection, report: str, form: str, first: date, last: date
) -> list[JobRow]:
    """Return every time that the close of a day asked for a report, the first one first."""
    found = _JOB.where(
        ReportJob.report == report,
        ReportJob.format == form,
        ReportJob.staff.is_(None),
        ReportJob.first_day == first,
        ReportJob.last_day == last,
    )
    return [_job(row) for row in connection.execute(found.order_by(ReportJob.entry))]


def chosen(connection: Connection) -> list[tuple[str, str]]:
    """Return the reports that are made at the close of each day, in which form."""
    found = select(ReportChoice.report, ReportChoice.format, ReportChoice.chosen).order_by(
        ReportChoice.entry
    )
    newest = {(report, form): is_chosen for report, form, is_chosen in connection.execute(found)}
    return [(report, form) for (report, form), yes in sorted(newest.items()) if yes]


def closed_since(connection: Connection, since: date) -> list[date]:
    """Return the days that were closed, from one on, in their order."""
    found = select(DayClose.day).where(DayClose.day >= since).order_by(DayClose.day)
    return list(connection.execute(found).scalars())


def asked_since(connection: Connection, since: date) -> set[tuple[str, str, date, date]]:
    """Return what closes of days asked for that ended on a day or later: report, form and days."""
    found = select(
        ReportJob.report, ReportJob.format, ReportJob.first_day, ReportJob.last_day
    ).where(ReportJob.staff.is_(None), ReportJob.last_day >= since)
    return {(report, form, first, last) for report, form, first, last in connection.execute(found)}


def last_closed(connection: Connection) -> date | None:
    """Return the last day that was closed."""
    found = select(DayClose.day).order_by(DayClose.day.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none()


def _job(row: object) -> JobRow:
    of = list(row)  # type: ignore[call-overload]
    of[7] = JobState(of[7])
    return JobRow(*of)
