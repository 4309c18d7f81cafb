"""Paper: what is to be printed, on which printer, and what became of it.

A job is made in the transaction of the act that it is for, and waits in the queue. Its bytes are
kept as they were sent, but for the validation code.
"""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import (
    Code,
    Digest,
    Document,
    Id,
    Moment,
    Name,
    Number,
    Ref,
    Table,
    Words,
    one_of,
)


class Slip(StrEnum):
    """The kinds of paper."""

    TICKET = "ticket"
    VOID = "void"
    REFUND = "refund"
    AGGREGATE = "aggregate"
    PAYOUT = "payout"
    MOVEMENT = "movement"
    COUNT = "count"
    SHIFT = "shift"
    DRAW = "draw"
    TEST = "test"
    PRINTER = "printer"  # a station prints elsewhere


class PaperState(StrEnum):
    """What becomes of a paper."""

    QUEUED = "queued"
    SENDING = "sending"
    CONFIRMED = "confirmed"  # the printer said so, or the writer
    SENT = "sent"  # to a device that says nothing
    UNKNOWN = "unknown"  # some of it may be on paper: the writer is asked
    FAILED = "failed"  # none of it is; it is tried again
    ASIDE = "aside"  # it could not be made, and none of it is on paper: a supervisor must look
    NOT_PRINTED = "not-printed"  # the writer said so, or its ticket was void before


class RollName(StrEnum):
    """The widths of paper."""

    WIDE = "80mm"
    NARROW = "58mm"


class Printer(Table):
    """A printer: where it is reached, and how wide its paper is.

    It changes only with a later entry of the log that says the same (triggers, on both engines):
    a slip has the code of a ticket on it.
    """

    __tablename__ = "printer"

    id: Mapped[Id]
    code: Mapped[Code] = mapped_column(unique=True)
    address: Mapped[Name] = mapped_column(unique=True)
    roll: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"))

    __table_args__ = (CheckConstraint(one_of("roll", RollName), "roll"),)


class PrinterCondition(Table):
    """How a printer was when it was last used: whether its roll is nearly at its end, and trouble.

    What is seen is noted when it changes; it is no fact of the house.
    """

    __tablename__ = "printer_condition"

    printer: Mapped[Ref] = mapped_column(ForeignKey("printer.id"), primary_key=True)
    near_end: Mapped[bool]
    why: Mapped[Name | None]
    since: Mapped[Moment]


class StationPrinter(Table):
    """On which printer the paper of a station is printed; guarded as the printer itself is."""

    __tablename__ = "station_printer"

    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"), primary_key=True)
    printer: Mapped[Ref] = mapped_column(ForeignKey("printer.id"), index=True)
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"))


class PrintJob(Table):
    """A slip for a station's printer. Its payload has no validation code (X-ticket-validation)."""

    __tablename__ = "print_job"
    append_only = True

    id: Mapped[Id]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    slip: Mapped[Code]
    payload: Mapped[Document]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (CheckConstraint(one_of("slip", Slip), "slip"),)


class QueuedPaper(Table):
    """A paper that is not printed yet, as far as is known: the first, or a copy of it."""

    __tablename__ = "queued_paper"

    entry: Mapped[Ref] = mapped_column(ForeignKey("print_job.entry"), primary_key=True)
    copy: Mapped[Number] = mapped_column(primary_key=True)
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    state: Mapped[Code] = mapped_column(server_default=PaperState.QUEUED.value)
    why: Mapped[Name | None]
    # While it is being sent: the one whose owner alone can say what became of it. Its station may
    # have another printer by now.
    printer: Mapped[Ref | None] = mapped_column(ForeignKey("printer.id"))
    # The one printer on which it is printed, whichever its station has.
    bound: Mapped[Ref | None] = mapped_column(ForeignKey("printer.id"))

    __table_args__ = (
        Index("ix_queued_paper_station", "station", "entry", "copy"),
        CheckConstraint(one_of("state", PaperState), "state"),
        CheckConstraint("copy >= 0", "copy"),
    )


class PrintedPaper(Table):
    """The bytes of a job's paper, with fillers for the code, and the hash of the true ones.

    Made once for each width of paper, and the same ever after.
    """

    __tablename__ = "printed_paper"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("print_job.entry"), primary_key=True)
    roll: Mapped[Code] = mapped_column(primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)
    digest: Mapped[Digest]
    made_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(one_of("roll", RollName), "roll"),
        {"postgresql_partition_by": "RANGE (entry)"},
    )


class PaperEvent(Table):
    """What became of a paper, step by step; and whether the cash drawer was opened with it.

    Of what was sent it says to which printer, and on paper how wide. While it is being sent,
    *kicked* says that its bytes open the drawer.
    """

    __tablename__ = "paper_event"
    append_only = True

    id: Mapped[Id]
    entry: Mapped[Ref] = mapped_column(ForeignKey("print_job.entry"), index=True)
    copy: Mapped[Number]
    state: Mapped[Code]
    why: Mapped[Name | None]
    kicked: Mapped[bool]
    happened_at: Mapped[Moment]
    printer: Mapped[Code | None]
    roll: Mapped[Code | None]

    __table_args__ = (
        CheckConstraint(one_of("state", PaperState), "state"),
        {"postgresql_partition_by": "RANGE (id)"},
    )


class Reprint(Table):
    """A paper is printed again, under a COPY band: by whom, why, and on whose word.

    The station is that of whoever asked; the copy may come out at another.
    """

    __tablename__ = "reprint"
    append_only = True

    job: Mapped[Ref] = mapped_column(ForeignKey("print_job.entry"), primary_key=True)
    copy: Mapped[Number] = mapped_column(primary_key=True)
    reason: Mapped[Words]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    approver: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    asked_at: Mapped[Moment]
    request: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        ForeignKeyConstraint(["station", "request"], ["asked.station", "asked.request"]),
        CheckConstraint("copy >= 1", "copy"),
        CheckConstraint("approver IS NULL OR approver <> staff", "two_people"),
    )
