"""How far a report is: the only thing about it that changes."""

from datetime import datetime

from sqlalchemy import update

from app.store.tables import JobState, ReportJob
from app.store.unit import Unit


def move_job(
    unit: Unit,
    job: str,
    before: tuple[JobState, ...],
    after: JobState,
    *,
    digest: str | None = None,
    why: str | None = None,
    ended_at: datetime | None = None,
) -> bool:
    """Move a report from one of some states to another; say whether it was in one of them."""
    moved = (
        update(ReportJob)
        .where(ReportJob.job == job, ReportJob.state.in_([state.value for state in before]))
        .values(state=after.value, digest=digest, why=why, ended_at=ended_at)
    )
    return unit.connection.execute(moved).rowcount == 1


def note_progress(unit: Unit, job: str, done: int, total: int) -> bool:
    """Note how far a report is that is being made; say whether it still is."""
    noted = (
        update(ReportJob)
        .where(ReportJob.job == job, ReportJob.state == JobState.RUNNING.value)
        .values(done=done, total=total)
    )
    return unit.connection.execute(noted).rowcount == 1
