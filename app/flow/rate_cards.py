"""Rate cards: brought, accepted by two, put into force (X-card-version, 8.3, 15.3(e)).

A card is checked against the law when it is brought, accepted by a supervisor and by a manager from
outside keno, and then published with the time from which it holds. It holds for games that open at
that time or later, so never from the middle of one; a ticket stays on the card of its first game.
"""

from datetime import datetime, timedelta
from hashlib import sha256

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_no_code, say_no
from app.keno.card_checks import check_card
from app.keno.card_file import read_card_and_faults
from app.keno.rate_card import RateCard
from app.keno.refusals import Code, Refused, refusal, refuse_all
from app.store.queries import cards
from app.store.queries.cards import CardRow
from app.store.records import games as records
from app.store.tables import Consent, Role
from app.store.unit import Unit

NOTICE = timedelta(minutes=1)  # for how long a card is published before it can hold
# The log has the file word for word, and at worst writes every character of it as two.
FILE_MAX = 28 * 1024
NAME_MAX = 100


def bring_card(office: Office, actor: Actor, file: bytes) -> bytes:
    """Keep a new version of the rate card, and return its hash.

    Refuses: whoever may not; a card that is not well formed, that the law does not allow, or that
    is here already.
    """
    permit(actor.role, Permission.CARD_BRING)
    if len(file) > FILE_MAX:
        raise Refused([refusal(Code.TOO_LONG, limit=FILE_MAX)])
    card, faults = read_card_and_faults(file)
    refuse_all((*faults, *check_card(card)))
    if not 1 <= len(card.name) <= NAME_MAX:
        raise say_no(No.CARD_NAME, "name", limit=NAME_MAX)
    check_no_code(card.name, "name")
    digest = sha256(file).digest()
    with office.unit() as unit:
        still_acting(unit, actor)
        if cards.card_hashed(unit.connection, digest) is not None:
            raise say_no(No.CARD_KNOWN)
        body = {"card": digest.hex(), "name": card.name, "file": file.decode()}
        told = {"by": actor.document(), "time": time_text(unit.now())}
        entry = office.log(unit, Tag.CARD, {**body, **told})
        records.add_card(unit, digest, card.name, file.decode(), actor.staff, entry.id)
        unit.commit()
    return digest


def accept_card(office: Office, actor: Actor, digest: bytes) -> None:
    """Accept a card, as the supervisor or as the manager that the actor is.

    Refuses: whoever may not; a card that is not here, that was accepted so before, or that the
    same person accepted as the other.
    """
    permit(actor.role, Permission.CARD_ACCEPT)
    consent = Consent.MANAGER if actor.role is Role.OUTSIDE_MANAGER else Consent.SUPERVISOR
    with office.unit() as unit:
        still_acting(unit, actor)
        card = _card(unit, digest)
        before = cards.acceptances(unit.connection, card.id)
        if consent in before:
            raise say_no(No.CARD_ACCEPTED, consent=consent)
        if actor.staff in before.values():
            raise say_no(No.APPROVER_SAME)
        body = {"card": digest.hex(), "as": consent.value}
        told = {"by": actor.document(), "time": time_text(unit.now())}
        entry = office.log(unit, Tag.CARD_ACCEPTED, {**body, **told})
        records.accept_card(unit, card.id, consent, actor.staff, entry.id)
        unit.commit()


def put_in_force(
    office: Office, actor: Actor, digest: bytes, effective_at: datetime | None = None
) -> datetime:
    """Publish a card with the time from which it holds, the earliest there is if none is given.

    Refuses: whoever may not; a card that is not here or not accepted by both, or a time without
    notice.
    """
    permit(actor.role, Permission.CARD_BRING)
    with office.unit() as unit:
        still_acting(unit, actor)
        card, now = _card(unit, digest), unit.now()
        if set(cards.acceptances(unit.connection, card.id)) != set(Consent):
            raise say_no(No.CARD_NOT_ACCEPTED)
        # The first card of a house takes the place of none that a patron could have read.
        earliest = now + NOTICE if cards.terms(unit.connection) else now
        effective_at = effective_at or earliest
        if effective_at < earliest:
            raise say_no(No.CARD_TOO_EARLY, earliest=office.moment(earliest))
        body = {"card": digest.hex(), "effective_at": time_text(effective_at)}
        told = {"by": actor.document(), "time": time_text(now)}
        entry = office.log(unit, Tag.CARD_IN_FORCE, {**body, **told})
        records.add_term(unit, card.id, now, effective_at, actor.staff, entry.id)
        unit.commit()
    return effective_at


def _card(unit: Unit, digest: bytes) -> CardRow:
    card = cards.card_hashed(unit.connection, digest)
    if card is None:
        raise say_no(No.CARD_UNKNOWN)
    return card


def card_now(office: Office) -> tuple[RateCard, str]:
    """Return the card that holds now, for whoever wants to read it, and its hash.

    Refuses: while none holds.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        card = cards.card_in_force(connection, unit.now())
        if card is None:
            raise say_no(No.NO_CARD)
        return office.card(unit, card), cards.card_with(connection, card).hash.hex()
