"""A patron contact: any pays and sales in a row, each its own fact, with one net amount.

"Cash this and replay it" is the commonest act in keno: the patron sees one amount, to collect or to
pay. The cash that goes in and out is added up towards the currency report (X-pay-cash-log).

A contact lasts for a gaming day at most. With a player card it counts together with all contacts of
the day with that card, at whichever station, so that nobody is paid in parts to avoid an approval.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.refusals import No, check_no_code, say_no
from app.keno.amounts import Amount, amounts_on
from app.store.queries import contacts, payments
from app.store.queries.contacts import ContactSums, Patron
from app.store.queries.people import Worker
from app.store.records.together import Row
from app.store.tables import ContactAct
from app.store.unit import Unit

_NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
_CARD = re.compile(r"[A-Z0-9-]{1,40}")  # one way to write it, or one patron would be two


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


@dataclass(frozen=True)
class InContact:
    """An act within a contact: its row, what the patron is told, and what the log says."""

    rows: Sequence[Row] = ()
    told: Mapping[str, object] = field(default_factory=dict)
    said: Mapping[str, object] = field(default_factory=dict)


def check_contact(contact: Contact | None) -> None:
    """Refuse a contact or a player card that has no name, or that a ticket was scanned into."""
    if contact is None:
        return
    card = contact.player_card
    check_no_code(card, "contact")
    if not _NAME.fullmatch(contact.id) or (card is not None and not _CARD.fullmatch(card)):
        raise say_no(No.BAD_CONTACT, "contact")


def hold_patron(
    office: Office, unit: Unit, who: Worker, contact: Contact | None, now: datetime
) -> Patron | None:
    """Return whose contact this is; no other act with the same patron happens meanwhile.

    Refuses: another player card than the one that was shown in it before.
    """
    if contact is None:
        return None
    unit.lock_patrons([lock_of(who, contact)])
    house = office.house
    day = gaming_day(now, house.time_zone, house.day_starts_minutes)
    shown = contacts.shown_card(unit.connection, day, who.station, contact.id)
    if contact.player_card is not None and shown not in (None, contact.player_card):
        raise say_no(No.OTHER_CARD, "contact")
    card = contact.player_card or shown
    if card is not None:
        unit.lock_patrons([f"player-card/{card}"])
    return Patron(day, who.station, contact.id, card)


def lock_of(who: Worker, contact: Contact) -> str:
    """Return the name of the lock on a contact."""
    return f"contact/{who.station}/{contact.id}"


def paid_before(
    office: Office, unit: Unit, who: Worker, contact: Contact | None, now: datetime
) -> list[int]:
    """Return the tickets that were paid to the same patron; nobody pays them more meanwhile."""
    patron = hold_patron(office, unit, who, contact, now)
    return [] if patron is None else contacts.paid_to(unit.connection, patron)


def in_contact(  # noqa: PLR0913, PLR0917  who did what, with whom, and when
    office: Office,
    unit: Unit,
    who: Worker,
    contact: Contact | None,
    ticket: int,
    passed: Passed,
    now: datetime,
) -> InContact:
    """Return an act within its contact; nothing if there is none."""
    return in_known_contact(office, know_patron(office, unit, who, contact, now), ticket, passed)


@dataclass(frozen=True)
class Before:
    """What passed before an act: in its contact, and with its patron at whichever station."""

    here: ContactSums
    in_all: ContactSums
    report_from_cents: int  # from here on cash is reported


@dataclass(frozen=True)
class Known:
    """A contact whose patron is held, and what passed before."""

    contact: Contact
    patron: Patron
    before: Before


def know_patron(
    office: Office, unit: Unit, who: Worker, contact: Contact | None, now: datetime
) -> Known | None:
    """Hold the patron of a contact, and read what passed with them before.

    Refuses: as `hold_patron`.
    """
    patron = hold_patron(office, unit, who, contact, now)
    if contact is None or patron is None:
        return None
    before = Before(
        contacts.contact_sums(unit.connection, patron),
        contacts.patron_sums(unit.connection, patron),
        report_from_cents(unit, patron.day),
    )
    return Known(contact, patron, before)


def in_known_contact(office: Office, known: Known | None, ticket: int, passed: Passed) -> InContact:
    """Return an act within a contact whose patron is held; nothing if there is none."""
    if known is None:
        return InContact()
    return within(office, known.contact, known.patron, ticket, passed, known.before)


def report_from_cents(unit: Unit, day: date) -> int:
    """Return from which amount on the cash of a patron is reported (X-pay-cash-log)."""
    return amounts_on(day, payments.house_amounts(unit.connection))[Amount.CURRENCY_REPORT]


def within(  # noqa: PLR0913, PLR0917  what was done, with whom, and what was before it
    office: Office,
    contact: Contact,
    patron: Patron,
    ticket: int,
    passed: Passed,
    before: Before,
) -> InContact:
    """Return an act within its contact: nothing else happened with the patron since `before`."""
    row: Row = (
        ContactAct,
        {
            "station": patron.station,
            "contact": contact.id,
            "player_card": contact.player_card,
            "gaming_day": patron.day,
            "ticket": ticket,
            **vars(passed),
        },
    )
    here, in_all = _added(before.here, passed), _added(before.in_all, passed)
    most_cents = max(in_all.cash_in_cents, in_all.cash_out_cents)
    told = {
        "id": contact.id,
        "net_cents": here.in_cents - here.out_cents,  # to collect; to pay, if it is negative
        "cash_in_cents": in_all.cash_in_cents,
        "cash_out_cents": in_all.cash_out_cents,
        "currency_report": most_cents >= before.report_from_cents,
    }
    # The same for every act with the card, and nobody can find the card from it.
    card = contact.player_card
    tag = card and hmac.digest(office.keys.patron, f"player-card/{card}".encode(), "sha256").hex()
    return InContact([row], {"contact": told}, {"contact": {**told, "player_card": tag}})


def _added(sums: ContactSums, passed: Passed) -> ContactSums:
    return ContactSums(*(getattr(sums, name) + cents for name, cents in vars(passed).items()))
