"""Versions of the rate card, who accepted them, and from when they hold (X-card-version, 8.3)."""

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


class CardAcceptance(Table):
    """A card accepted by one of the two."""

    __tablename__ = "card_acceptance"
    append_only = True

    card: Mapped[Ref] = mapped_column(ForeignKey("card.id"), primary_key=True)
    consent: Mapped[Code] = mapped_column(primary_key=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    accepted_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

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

    __table_args__ = (CheckConstraint("published_at <= effective_at", "published_before"),)
