"""Versions of the rate card, who accepted them, and from when they hold (X-card-version, 8.3).

And what of the card in force is not sold for now.
"""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Code, Digest, Id, Moment, Name, Ref, Table, Words, one_of


class Consent(StrEnum):
    """The two whose acceptance a card needs."""

    SUPERVISOR = "supervisor"
    MANAGER = "manager"


class Card(Table):
    """One version of the rate card, as the file that was brought."""

    __tablename__ = "card"
    append_only = True

    id: Mapped[Id]
    hash: Mapped[Digest] = mapped_column(unique=True)
    name: Mapped[Name]
    file: Mapped[Words]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    brought_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    # The code of the person with whom they entered it, if it is a promotion (X-card-floor).
    second: Mapped[Code | None]


class CardAcceptance(Table):
    """A card accepted by one of the two."""

    __tablename__ = "card_acceptance"
    append_only = True

    card: Mapped[Ref] = mapped_column(ForeignKey("card.id"), primary_key=True)
    consent: Mapped[Code] = mapped_column(primary_key=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    accepted_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    # The card in force then, with which it was compared.
    against: Mapped[Ref | None] = mapped_column(ForeignKey("card.id"))

    __table_args__ = (CheckConstraint(one_of("consent", Consent), "consent"),)


class CardTerm(Table):
    """From when a card holds: for every game that opens at that time or later."""

    __tablename__ = "card_term"
    append_only = True

    id: Mapped[Id]
    card: Mapped[Ref] = mapped_column(ForeignKey("card.id"))
    published_at: Mapped[Moment]
    effective_at: Mapped[Moment] = mapped_column(index=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)
    # With whom they went back to it, if it was in force before.
    manager: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))

    __table_args__ = (CheckConstraint("published_at <= effective_at", "published_before"),)


class SaleStop(Table):
    """A series, a schedule or a spot count of one: not sold from then on, or sold again."""

    __tablename__ = "sale_stop"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    series: Mapped[Code | None] = mapped_column(ForeignKey("series.code"))
    schedule: Mapped[Code | None]
    spots: Mapped[int | None]
    stopped: Mapped[bool]
    reason: Mapped[Words]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("(series IS NULL) <> (schedule IS NULL)", "one_thing"),
        CheckConstraint(
            "spots IS NULL OR (schedule IS NOT NULL AND spots BETWEEN 1 AND 80)", "spots"
        ),
        CheckConstraint("stopped OR manager IS NOT NULL", "two_resume"),
        CheckConstraint("manager <> staff", "two_people"),
    )
