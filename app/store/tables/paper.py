"""What is to be printed: a job is made in the transaction of the act that it is for."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Code, Document, Id, Ref, Table, one_of


class Slip(StrEnum):
    """The kinds of paper so far."""

    TICKET = "ticket"
    VOID = "void"
    REFUND = "refund"
    AGGREGATE = "aggregate"
    PAYOUT = "payout"
    MOVEMENT = "movement"
    COUNT = "count"


class PrintJob(Table):
    """A slip for a station's printer. Its payload has no validation code (X-ticket-validation)."""

    __tablename__ = "print_job"
    append_only = True

    id: Mapped[Id]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    slip: Mapped[Code]
    payload: Mapped[Document]
    entry: Mapped[Ref] = mapped_column(ForeignKey("log_entry.id"), unique=True)

    __table_args__ = (CheckConstraint(one_of("slip", Slip), "slip"),)
