"""Gaming days that were closed, and wins that nobody came for in time."""

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Amount, Day, Document, Moment, Number, Ref, Table


class DayClose(Table):
    """A gaming day is closed: these are its figures, and they do not change any more."""

    __tablename__ = "day_close"
    append_only = True

    day: Mapped[Day] = mapped_column(primary_key=True)
    figures: Mapped[Document]
    drawers: Mapped[Document]  # what went over the counters, by acts and by shifts
    frozen: Mapped[Document]  # games that were being looked into, and what was owed for each
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    closed_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    ends_at: Mapped[Moment]  # nothing is dated before this any more
    unclaimed: Mapped[Document] = mapped_column(server_default="{}")  # by the day of the game


class Expiry(Table):
    """A win that nobody came for in time, posted at the close of a day (15.6(c))."""

    __tablename__ = "expiry"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    cents: Mapped[Amount]
    expired_at: Mapped[Moment]  # when it had to be claimed
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), index=True)

    __table_args__ = (CheckConstraint("cents > 0", "cents"),)
