"""Money back for games that are not played: the rest of a ticket, or a game that is void."""

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Amount, Code, Document, Moment, Number, Ref, Table, Words


class Cancellation(Table):
    """The games of a ticket from one on are not played; their price goes back (15.4(d)-refund)."""

    __tablename__ = "cancellation"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    first_cancelled: Mapped[Number]
    cents: Mapped[Amount]
    back: Mapped[Document]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"))
    approver: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    with_code: Mapped[bool]
    reason: Mapped[Words]
    cancelled_at: Mapped[Moment]
    request: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        ForeignKeyConstraint(["station", "request"], ["asked.station", "asked.request"]),
        CheckConstraint("cents > 0", "cents"),
        CheckConstraint("with_code OR approver IS NOT NULL", "approved"),
        CheckConstraint("approver IS NULL OR approver <> staff", "two_people"),
    )


class Refund(Table):
    """The price of a void game, given back to whoever brought the ticket (X-fault-refund)."""

    __tablename__ = "refund"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    game: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    cents: Mapped[Amount]
    back: Mapped[Document]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"))
    approver: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    with_code: Mapped[bool]
    refunded_at: Mapped[Moment]
    request: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), index=True)

    __table_args__ = (
        ForeignKeyConstraint(["station", "request"], ["asked.station", "asked.request"]),
        CheckConstraint("cents > 0", "cents"),
        CheckConstraint("with_code OR approver IS NOT NULL", "approved"),
        CheckConstraint("approver IS NULL OR approver <> staff", "two_people"),
    )
