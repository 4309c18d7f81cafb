"""Gaming days that were closed."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Day, Document, Moment, Ref, Table


class DayClose(Table):
    """A gaming day is closed: these are its figures, and they do not change any more."""

    __tablename__ = "day_close"
    append_only = True

    day: Mapped[Day] = mapped_column(primary_key=True)
    figures: Mapped[Document]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    closed_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("log_entry.id"), unique=True)
