"""Patron contacts: what went in and out with one patron in a gaming day, and what was paid.

A patron is a contact at its station. A contact that showed a player card belongs to whoever holds
the card, with all that it did before the card was shown, and so do all other contacts with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, Connection, and_, func, literal, or_, select, tuple_
from sqlalchemy.orm import aliased

from app.store.tables import ContactAct, Payout, Station


@dataclass(frozen=True)
class Patron:
    """A patron in a gaming day: the contact, and the player card where one was shown."""

    day: date
    station: int
    contact: str
    player_card: str | None


@dataclass(frozen=True)
class ContactSums:
    """What a patron gave and got, in all and of it in cash."""

    in_cents: int
    out_cents: int
    cash_in_cents: int
    cash_out_cents: int


def shown_card(connection: Connection, day: date, station: int, contact: str) -> str | None:
    """Return the player card that was shown in a contact; it is always the same one."""
    found = select(func.max(ContactAct.player_card)).where(_of_contact(day, station, contact))
    return connection.execute(found).scalar_one()


def sums_of_contacts(
    connection: Connection, day: date, contacts: Iterable[tuple[int, str]]
) -> dict[tuple[int, str], tuple[str | None, ContactSums]]:
    """Return the card that was shown in each of several contacts, and what went in and out.

    Each by its station and its name; one in which nothing happened yet is not among them.
    """
    found = (
        select(
            ContactAct.station,
            ContactAct.contact,
            func.max(ContactAct.player_card),
            *(func.sum(column) for column in _SUMMED),
        )
        .where(
            ContactAct.gaming_day == day,
            tuple_(ContactAct.station, ContactAct.contact).in_(list(contacts)),
        )
        .group_by(ContactAct.station, ContactAct.contact)
    )
    return {
        (station, contact): (card, ContactSums(*(int(cents) for cents in sums)))
        for station, contact, card, *sums in connection.execute(found)
    }


def paid_to(connection: Connection, patron: Patron) -> list[int]:
    """Return the tickets that were paid to a patron, by number."""
    found = (
        select(Payout.ticket)
        .join(ContactAct, ContactAct.entry == Payout.entry)
        .where(_of_patron(patron))
        .order_by(Payout.ticket)
    )
    return list(connection.execute(found).scalars())


def contact_sums(connection: Connection, patron: Patron) -> ContactSums:
    """Return what went in and out within this contact of a patron."""
    return _sums(connection, _of_contact(patron.day, patron.station, patron.contact))


def patron_sums(connection: Connection, patron: Patron) -> ContactSums:
    """Return what went in and out with a patron, at whichever station."""
    return _sums(connection, _of_patron(patron))


def cash_of_day(connection: Connection, day: date) -> list[tuple[str, ContactSums]]:
    """Return what went in and out in a gaming day, by player card or by contact at its station."""
    shown = (
        select(
            ContactAct.station, ContactAct.contact, func.max(ContactAct.player_card).label("card")
        )
        .where(ContactAct.gaming_day == day)
        .group_by(ContactAct.station, ContactAct.contact)
        .subquery()
    )
    card = literal("player card ") + shown.c.card
    contact = literal("contact ") + ContactAct.contact + literal(" at ") + Station.code
    patron = func.coalesce(card, contact).label("patron")
    same = and_(shown.c.station == ContactAct.station, shown.c.contact == ContactAct.contact)
    found = (
        select(patron, *(func.sum(column) for column in _SUMMED))
        .join(Station, Station.id == ContactAct.station)
        .join(shown, same)
        .where(ContactAct.gaming_day == day)
        .group_by(patron)
        .order_by(patron)
    )
    return [
        (name, ContactSums(*(int(cents) for cents in sums)))
        for name, *sums in connection.execute(found)
    ]


_SUMMED = (
    ContactAct.in_cents,
    ContactAct.out_cents,
    ContactAct.cash_in_cents,
    ContactAct.cash_out_cents,
)


def _of_contact(day: date, station: int, contact: str) -> ColumnElement[bool]:
    return and_(
        ContactAct.gaming_day == day,
        ContactAct.station == station,
        ContactAct.contact == contact,
    )


def _of_patron(patron: Patron) -> ColumnElement[bool]:
    here = _of_contact(patron.day, patron.station, patron.contact)
    if patron.player_card is None:
        return here
    other = aliased(ContactAct)
    with_card = select(other.station, other.contact).where(
        other.gaming_day == patron.day, other.player_card == patron.player_card
    )
    elsewhere = tuple_(ContactAct.station, ContactAct.contact).in_(with_card)
    return or_(here, and_(ContactAct.gaming_day == patron.day, elsewhere))


def _sums(connection: Connection, which: ColumnElement[bool]) -> ContactSums:
    found = select(*(func.coalesce(func.sum(column), 0) for column in _SUMMED)).where(which)
    return ContactSums(*(int(cents) for cents in connection.execute(found).one()))
