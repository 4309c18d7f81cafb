"""The books were worked out: over which log, and how many faults were found (X-audit-books)."""

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Code, Digest, Moment, Number, Ref, Table


class BooksRun(Table):
    """The books were worked out from all that was there at one moment."""

    __tablename__ = "books_run"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    gaming_day: Mapped[Code]  # on which it began
    size: Mapped[Number]  # of the log, and its root
    root: Mapped[Digest]
    faults: Mapped[int]
    began_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("size >= 0", "size"),
        CheckConstraint("faults >= 0", "faults"),
    )
