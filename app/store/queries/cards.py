"""Versions of the rate card, and which one holds."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from app.store.tables import Card, CardAcceptance, CardTerm, Consent


@dataclass(frozen=True)
class CardRow:
    """One version, as the file that was brought."""

    id: int
    hash: bytes
    name: str
    file: str


@dataclass(frozen=True)
class Term:
    """From when a card holds."""

    card: int
    name: str
    hash: bytes
    published_at: datetime
    effective_at: datetime


def card_hashed(connection: Connection, digest: bytes) -> CardRow | None:
    """Return the version with this hash."""
    row = connection.execute(select(Card.__table__).where(Card.hash == digest)).first()
    return None if row is None else CardRow(row.id, row.hash, row.name, row.file)


def card_with(connection: Connection, card: int) -> CardRow:
    """Return a version by its id."""
    row = connection.execute(select(Card.__table__).where(Card.id == card)).one()
    return CardRow(row.id, row.hash, row.name, row.file)


def all_cards(connection: Connection) -> list[CardRow]:
    """Return every version, the newest first."""
    found = select(Card.__table__).order_by(Card.id.desc())
    return [CardRow(row.id, row.hash, row.name, row.file) for row in connection.execute(found)]


def acceptances(connection: Connection, card: int) -> dict[Consent, int]:
    """Return who accepted a card, by what they accepted it as."""
    found = select(CardAcceptance.consent, CardAcceptance.staff).where(CardAcceptance.card == card)
    return {Consent(consent): staff for consent, staff in connection.execute(found)}


def accepted_against(connection: Connection, card: int) -> set[int | None]:
    """Return the cards that were in force when the two accepted a card."""
    found = select(CardAcceptance.against).where(CardAcceptance.card == card)
    return set(connection.execute(found).scalars())


def card_in_force(connection: Connection, moment: datetime) -> int | None:
    """Return the card that holds at a moment: that of the last term which has begun."""
    found = (
        select(CardTerm.card)
        .where(CardTerm.effective_at <= moment)
        .order_by(CardTerm.effective_at.desc(), CardTerm.id.desc())
        .limit(1)
    )
    return connection.execute(found).scalar_one_or_none()


def card_before(connection: Connection, moment: datetime, holds: int) -> int | None:
    """Return the card that held before the one that holds at a moment."""
    found = (
        select(CardTerm.card)
        .where(CardTerm.effective_at <= moment, CardTerm.card != holds)
        .order_by(CardTerm.effective_at.desc(), CardTerm.id.desc())
        .limit(1)
    )
    return connection.execute(found).scalar_one_or_none()


def terms(connection: Connection) -> list[Term]:
    """Return every term, the newest first."""
    found = (
        select(CardTerm.card, Card.name, Card.hash, CardTerm.published_at, CardTerm.effective_at)
        .join(Card, Card.id == CardTerm.card)
        .order_by(CardTerm.effective_at.desc(), CardTerm.id.desc())
    )
    return [Term(*row) for row in connection.execute(found)]
