"""Drawers, and money between named accounts: whatever an act moves adds up to zero."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.tender import TenderKind
from app.store.tables.base import Amount, Code, Document, Id, Moment, Ref, Table, one_of


class Account(StrEnum):
    """Where money is: in a drawer, owed for games still to be locked, written, or elsewhere."""

    DRAWER = "drawer"
    BANK = "bank"
    COUPONS = "coupons"
    PREPAID = "prepaid"
    WRITE = "write"
    WINS = "wins"
    WINS_PAYABLE = "wins-payable"
    OVER_SHORT = "over-short"


class Drawer(Table):
    """A writer's drawer at a station, from opening to close."""

    __tablename__ = "drawer"

    id: Mapped[Id]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    opened_at: Mapped[Moment]
    closed_at: Mapped[Moment | None]
    entry: Mapped[Ref] = mapped_column(ForeignKey("log_entry.id"), unique=True)

    __table_args__ = tuple(
        Index(
            f"uq_drawer_one_open_{who}",
            who,
            unique=True,
            sqlite_where=text("closed_at IS NULL"),
            postgresql_where=text("closed_at IS NULL"),
        )
        for who in ("station", "staff")
    )


class DrawerCount(Table):
    """What was counted in a drawer, by kind and denomination, at its opening or its close."""

    __tablename__ = "drawer_count"
    append_only = True

    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"), primary_key=True)
    closing: Mapped[bool] = mapped_column(primary_key=True)
    counted: Mapped[Document]
    cents: Mapped[Amount]
    entry: Mapped[Ref] = mapped_column(ForeignKey("log_entry.id"), unique=True)

    __table_args__ = (CheckConstraint("cents >= 0", "cents"),)


class Posting(Table):
    """One leg of what an act moved; the legs of an act add up to zero."""

    __tablename__ = "posting"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("log_entry.id"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    account: Mapped[Code]
    drawer: Mapped[Ref | None] = mapped_column(ForeignKey("drawer.id"), index=True)
    kind: Mapped[Code | None]
    cents: Mapped[Amount]

    __table_args__ = (
        CheckConstraint(one_of("account", Account), "account"),
        CheckConstraint(one_of("kind", TenderKind), "kind"),
        CheckConstraint("cents <> 0", "cents"),
        CheckConstraint("(account = 'drawer') = (drawer IS NOT NULL)", "drawer"),
        CheckConstraint("(account = 'drawer') = (kind IS NOT NULL)", "drawer_kind"),
    )
