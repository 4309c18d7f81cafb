"""Reports: which ones a house has made at the close of each day, and those that are being made."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Code, Day, Moment, Name, Ref, Table, one_of

FORMATS = "format IN ('pdf', 'csv', 'json')"
JOB_FORMATS = "format IN ('pdf', 'csv', 'json', 'zip')"  # the last is of a bundle


class JobState(StrEnum):
    """How far a report is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class ReportChoice(Table):
    """The house chose that a report is made at the close of each day, or that it is not."""

    __tablename__ = "report_choice"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    report: Mapped[Code]
    format: Mapped[Code]
    chosen: Mapped[bool]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))

    __table_args__ = (CheckConstraint(FORMATS, "format"),)


class ReportJob(Table):
    """A report or a bundle that somebody asked for, or that the close of a day did."""

    __tablename__ = "report_job"

    job: Mapped[Code] = mapped_column(primary_key=True)
    report: Mapped[Code]
    first_day: Mapped[Day]
    last_day: Mapped[Day]
    format: Mapped[Code]
    staff: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))  # none: the close of a day
    asked_at: Mapped[Moment]
    state: Mapped[Code]
    done: Mapped[int]  # entries that were read
    total: Mapped[int]
    digest: Mapped[Name | None]  # the hash of its content
    why: Mapped[Name | None]  # it failed
    ended_at: Mapped[Moment | None]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        CheckConstraint(JOB_FORMATS, "format"),
        CheckConstraint(one_of("state", JobState), "state"),
        CheckConstraint("first_day <= last_day", "days"),
        CheckConstraint("(state = 'done') = (digest IS NOT NULL)", "digest"),
        Index("ix_report_job_state", "state", "entry"),
        Index("ix_report_job_last_day", "last_day", "entry"),
    )
