"""A patron contact: any pays and sales in a row, each its own fact, with one net amount.

"Cash this and replay it" is the commonest act in keno: the patron sees one amount, to collect or to
pay. The cash that goes in and out is added up towards the currency report (X-pay-cash-log).

A contact lasts for a gaming day at most. With a player card it counts together with all contacts of
the day with that card, at whichever station, so that nobody is paid in parts to avoid an approval.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.keno.amounts import Amount, amounts_on
from app.store.queries import contacts, payments
from app.store.queries.contacts import ContactSums, Patron
from app.store.queries.people import Worker
from app.store.records.together import Row
from app.store.tables import ContactAct
from app.store.unit import Unit

_NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")


@dataclass(frozen=True)
class Contact:
    """A patron at a station, by the station's own name for it; with the player card, if shown."""

    id: str
    player_card: str | None = None


@dataclass(frozen=True)
class Passed:
    """What an act passed over the counter, and of it in cash: in from the patron, or out."""

    in_cents: int = 0
    out_cents: int = 0
    cash_in_cents: int = 0
    cash_out_cents: int = 0


def check_contact(contact: Contact | None) -> None:
    """Refuse a contact or a player card that has no name."""
    for name in (contact.id, contact.player_card) if contact else ():
        if name is not None and not _NAME.fullmatch(name):
            raise say_no(No.BAD_CONTACT, "contact")


def patron_of(office: Office, unit: Unit, who: Worker, contact: Contact, now: datetime) -> Patron:
    """Return whose contact this is.

    Refuses: another player card than the one that was shown in it before.
    """
    house = office.house
    day = gaming_day(now, house.time_zone, house.day_starts_minutes)
    shown = contacts.shown_card(unit.connection, day, who.station, contact.id)
    if contact.player_card is not None and shown not in (None, contact.player_card):
        raise say_no(No.OTHER_CARD, "contact")
    return Patron(day, who.station, contact.id, contact.player_card or shown)


def paid_before(
    office: Office, unit: Unit, who: Worker, contact: Contact | None, now: datetime
) -> list[int]:
    """Return the tickets that were paid to the same patron; nobody pays them more meanwhile."""
    if contact is None:
        return []
    patron = patron_of(office, unit, who, contact, now)
    if patron.player_card is not None:
        unit.lock_patron(patron.player_card)  # a station alone is held by its drawer
    return contacts.paid_to(unit.connection, patron)


def contact_rows(  # noqa: PLR0913, PLR0917  who did what, with whom, and when
    office: Office,
    unit: Unit,
    who: Worker,
    contact: Contact | None,
    ticket: int,
    passed: Passed,
    now: datetime,
) -> tuple[list[Row], dict[str, object]]:
    """Return the row that keeps an act within its contact, and what the patron is told of it."""
    if contact is None:
        return [], {}
    patron = patron_of(office, unit, who, contact, now)
    row: Row = (
        ContactAct,
        {
            "station": who.station,
            "contact": contact.id,
            "player_card": contact.player_card,
            "gaming_day": patron.day,
            "ticket": ticket,
            **vars(passed),
        },
    )
    here = _added(contacts.contact_sums(unit.connection, patron), passed)
    in_all = _added(contacts.patron_sums(unit.connection, patron), passed)
    amounts = amounts_on(patron.day, payments.house_amounts(unit.connection))
    due_cents = amounts[Amount.CURRENCY_REPORT]
    told: dict[str, object] = {
        "id": contact.id,
        "net_cents": here.in_cents - here.out_cents,  # to collect; to pay, if it is negative
        "cash_in_cents": in_all.cash_in_cents,
        "cash_out_cents": in_all.cash_out_cents,
        "currency_report": max(in_all.cash_in_cents, in_all.cash_out_cents) >= due_cents,
    }
    return [row], {"contact": told}


def _added(sums: ContactSums, passed: Passed) -> ContactSums:
    return ContactSums(*(getattr(sums, name) + cents for name, cents in vars(passed).items()))
