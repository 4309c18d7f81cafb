"""Drawers, and money between named accounts: whatever an act moves adds up to zero."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.drawer import DrawerAct
from app.keno.tender import TenderKind
from app.store.tables.base import Amount, Code, Document, Moment, Number, Ref, Table, Words, one_of


class Account(StrEnum):
    """Where money is: in a drawer, owed for games still to be locked, written, or elsewhere."""

    DRAWER = "drawer"
    BANK = "bank"
    COUPONS = "coupons"
    PREPAID = "prepaid"
    WRITE = "write"
    WINS = "wins"
    WINS_PAYABLE = "wins-payable"
    CHECKS = "checks"
    EXPIRED = "expired"
    OVER_SHORT = "over-short"


class Drawer(Table):
    """A writer's drawer at a station, from opening to close.

    While it is suspended for a break, another drawer can be open at its station.
    """

    __tablename__ = "drawer"

    # Given by us, and told in the log: a drawer that is rebuilt from it keeps its number.
    id: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    opened_at: Mapped[Moment]
    closed_at: Mapped[Moment | None]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    suspended_at: Mapped[Moment | None]

    __table_args__ = tuple(
        Index(
            f"uq_drawer_one_open_{who}",
            who,
            unique=True,
            sqlite_where=text(still),
            postgresql_where=text(still),
        )
        for who, still in (
            ("station", "closed_at IS NULL AND suspended_at IS NULL"),
            ("staff", "closed_at IS NULL"),
        )
    )


class DrawerCount(Table):
    """What was counted in a drawer, by kind and denomination, at its opening or its close."""

    __tablename__ = "drawer_count"
    append_only = True

    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"), primary_key=True)
    closing: Mapped[bool] = mapped_column(primary_key=True)
    counted: Mapped[Document]
    cents: Mapped[Amount]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    staff: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))  # who counted it
    verifier: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))  # who counted it again

    __table_args__ = (
        CheckConstraint("cents >= 0", "cents"),
        CheckConstraint("verifier <> staff", "two_people"),
    )


class DrawerMove(Table):
    """What was done with a drawer beside selling and paying: fills, bleeds, breaks, moves."""

    __tablename__ = "drawer_move"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"), index=True)
    act: Mapped[Code]
    amounts: Mapped[Document]  # by kind, of a fill or a bleed
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))  # where it is from then on
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    approver: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    words: Mapped[Words | None]  # why, or what explains a difference
    moved_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint(one_of("act", DrawerAct), "act"),
        CheckConstraint("approver <> staff", "two_people"),
    )


class Posting(Table):
    """One leg of what an act moved; the legs of an act add up to zero."""

    __tablename__ = "posting"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
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
        {"postgresql_partition_by": "RANGE (entry)"},
    )
