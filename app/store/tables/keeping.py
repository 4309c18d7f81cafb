"""What is kept for how long, what went into an archive, and what a restored database lacks."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.retention import RecordKind
from app.store.tables.base import (
    Code,
    Day,
    Digest,
    Id,
    Moment,
    Name,
    Number,
    Ref,
    Table,
    Words,
    one_of,
)


class HowEnded(StrEnum):
    """How it came that a restored house could go on."""

    COMPLETE = "complete"  # nothing was missing
    REFILLED = "refilled"  # from the regulator's copy, or from tiles
    NEW_ORIGIN = "new-origin"  # what is missing stays so, under both keys


class Restoration(Table):
    """The database is an earlier one: until this is ended nothing is sold, locked or paid.

    Or the inspector has cosigned more of the log than there is, however that came about.
    """

    __tablename__ = "restoration"
    append_only = True

    id: Mapped[Id]
    size: Mapped[Number]  # of the log, as it was found
    known: Mapped[Words | None]  # the cosigned head that says what is missing, if it was known
    noticed_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("size >= 0", "size"),)


class RestorationEnd(Table):
    """A restored house goes on."""

    __tablename__ = "restoration_end"
    append_only = True

    restoration: Mapped[Ref] = mapped_column(ForeignKey("restoration.id"), primary_key=True)
    how: Mapped[Code]
    ended_at: Mapped[Moment]

    __table_args__ = (CheckConstraint(one_of("how", HowEnded), "how"),)


class LostAct(Table):
    """An entry that was put back into the log, and of whose act something could not be."""

    __tablename__ = "lost_act"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    why: Mapped[Words]


class Resumption(Table):
    """A restored house went on: which tickets it knew then, and which numbers it left out.

    Tickets up to the last number are held: what was lost may have paid, voided or refunded them.
    """

    __tablename__ = "resumption"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    last_number: Mapped[Number]
    left_out: Mapped[Number]  # so many numbers behind it are on no ticket of this house

    __table_args__ = (
        CheckConstraint("last_number >= 0", "last_number"),
        CheckConstraint("left_out > 0", "left_out"),
    )


class HoldEnd(Table):
    """Tickets that were held since a house went on are so no longer."""

    __tablename__ = "hold_end"
    append_only = True

    resumption: Mapped[Ref] = mapped_column(ForeignKey("resumption.entry"), primary_key=True)
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"))
    reason: Mapped[Words]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    ended_at: Mapped[Moment]

    __table_args__ = (CheckConstraint("manager <> staff", "two_people"),)


class LogOrigin(Table):
    """A name that the log had: up to this size its heads were signed under it."""

    __tablename__ = "log_origin"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    origin: Mapped[Name] = mapped_column(unique=True)
    size: Mapped[Number]

    __table_args__ = (CheckConstraint("size >= 0", "size"),)


class Retention(Table):
    """For how many days a kind of record is kept at hand, as the house has settled it."""

    __tablename__ = "retention"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    kind: Mapped[Code]
    days: Mapped[int]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))

    __table_args__ = (
        CheckConstraint(one_of("kind", RecordKind), "kind"),
        CheckConstraint("days >= 366", "days"),  # winning tickets can be claimed for a year
        CheckConstraint("manager <> staff", "two_people"),
    )


class Archive(Table):
    """Old detail went into an archive: up to which day, and the hash of the file."""

    __tablename__ = "archive"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    before: Mapped[Day]
    entries: Mapped[Number]
    file: Mapped[Digest] = mapped_column(unique=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    archived_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("entries >= 0", "entries"),
        CheckConstraint("manager <> staff", "two_people"),
    )
