"""Rate cards: brought, accepted by two, put into force (X-card-version, 8.3, 15.3(e)).

A card is checked against the law when it is brought, accepted by a supervisor and by a manager from
outside keno, who type every large change of it, and then published with the time from which it
holds: a new card a gaming day ahead, the card before within half an hour. It holds for games that
open at that time or later, so never from the middle of one; a ticket stays on the card of its first
game.
"""

from datetime import datetime, timedelta
from hashlib import sha256

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.change_notice import change_notice
from app.flow.house_amounts import check_two_sides
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, check_no_code, say_no
from app.keno.card_changes import Change, are_typed, large_changes
from app.keno.card_checks import check_card
from app.keno.card_file import read_card_and_faults
from app.keno.rate_card import RateCard
from app.keno.refusals import Code, Refused, refusal, refuse_all
from app.store.queries import cards
from app.store.queries.cards import CardRow
from app.store.records import games as records
from app.store.tables import Consent, Role
from app.store.unit import Unit

# For how long the card before is published again, or the card in force in place of a coming one.
NOTICE_BACK = timedelta(minutes=30)
# The log has the file word for word, and at worst writes every character of it as two.
FILE_MAX = 28 * 1024
NAME_MAX = 100
NAMED = 10  # of large changes, in a refusal


def bring_card(office: Office, actor: Actor, file: bytes) -> bytes:
    """Keep a new version of the rate card, and return its hash.

    Refuses: whoever may not; a card that is not well formed, that the law does not allow, that
    names a letter for a promotion, or that is here already.
    """
    permit(actor.role, Permission.CARD_BRING)
    card = _checked(file)
    if card.approval is not None:
        raise say_no(No.CARD_PROMOTION, "approval")
    return _keep(office, file, card, actor, None)


def enter_promotion(office: Office, manager: Actor, second: Actor, file: bytes) -> bytes:
    """Keep a card that may leave the house less than the floor, by the regulator's letter.

    A manager outside keno and compliance, who both have the letter, enter it (X-card-floor).

    Refuses: whoever may not; the same person twice; as `bring_card`, and a card without approval.
    """
    permit(manager.role, Permission.CARD_PROMOTION_ENTER)
    permit(second.role, Permission.CARD_PROMOTION_JOIN)
    if manager.staff == second.staff:
        raise say_no(No.APPROVER_SAME)
    card = _checked(file)
    if card.approval is None:
        raise Refused([refusal(Code.FIELD_MISSING, "approval", field="approval")])
    return _keep(office, file, card, manager, second)


def _checked(file: bytes) -> RateCard:
    if len(file) > FILE_MAX:
        raise Refused([refusal(Code.TOO_LONG, limit=FILE_MAX)])
    card, faults = read_card_and_faults(file)
    refuse_all((*faults, *check_card(card)))
    if not 1 <= len(card.name) <= NAME_MAX:
        raise say_no(No.CARD_NAME, "name", limit=NAME_MAX)
    check_no_code(card.name, "name")
    return card


def _keep(office: Office, file: bytes, card: RateCard, actor: Actor, second: Actor | None) -> bytes:
    digest, text = sha256(file).digest(), file.decode()
    with office.unit() as unit:
        still_acting(unit, actor, *([second] if second else []), what=Permission.CARD_BRING)
        if cards.card_hashed(unit.connection, digest) is not None:
            raise say_no(No.CARD_KNOWN)
        body: dict[str, object] = {"card": digest.hex(), "name": card.name, "file": text}
        if second is not None:
            body["second"] = second.document()
        told = {"by": actor.document(), "time": time_text(unit.now())}
        entry = office.log(unit, Tag.CARD, {**body, **told})
        who = {"staff": actor.staff, "second": second and second.code, "entry": entry.id}
        records.add_card(unit, {"hash": digest, "name": card.name, "file": text, **who})
        unit.commit()
    return digest


def accept_card(office: Office, actor: Actor, digest: bytes, typed: str = "") -> None:
    """Accept a card, as the supervisor or as the manager that the actor is.

    Args:
        office: the office.
        actor: who accepts it.
        digest: the card's.
        typed: each wager of which the house keeps five points more or less than on the card in
            force, or that is new: a line each, as "regular 8 12.1%".

    Refuses: whoever may not; a card that is not here, that was accepted so before, or that the
    same person accepted as the other; a large change that was not typed.
    """
    permit(actor.role, Permission.CARD_ACCEPT)
    consent = Consent.MANAGER if actor.role is Role.OUTSIDE_MANAGER else Consent.SUPERVISOR
    with office.unit() as unit:
        still_acting(unit, actor, what=Permission.CARD_ACCEPT)
        card = _card(unit, digest)
        before = cards.acceptances(unit.connection, card.id)
        if consent in before:
            raise say_no(No.CARD_ACCEPTED, consent=consent)
        if actor.staff in before.values():
            raise say_no(No.APPROVER_SAME)
        holds = cards.card_in_force(unit.connection, unit.now())
        changes = changes_of(office, unit, office.card(unit, card.id), holds)
        if not are_typed(changes, typed):
            raise _untyped(changes)
        against = None if holds is None else cards.card_with(unit.connection, holds).hash.hex()
        body = {
            "card": digest.hex(),
            "as": consent.value,
            "against": against,
            "changes": [change.words for change in changes],
        }
        told = {"by": actor.document(), "time": time_text(unit.now())}
        entry = office.log(unit, Tag.CARD_ACCEPTED, {**body, **told})
        row = {"card": card.id, "consent": consent.value, "against": holds}
        records.accept_card(unit, {**row, "staff": actor.staff, "entry": entry.id})
        unit.commit()


def changes_of(office: Office, unit: Unit, card: RateCard, holds: int | None) -> list[Change]:
    """Return the large changes of a card against the one in force."""
    return list(large_changes(card, None if holds is None else office.card(unit, holds)))


def _untyped(changes: list[Change]) -> Refused:
    named = "; ".join(change.words for change in changes[:NAMED]) or "there is none"
    more = f"; and {len(changes) - NAMED} more" if len(changes) > NAMED else ""
    example = changes[0].typed if changes else "regular 8 12.1%"
    return say_no(No.CARD_CHANGES, "changes", example=example, changes=named + more)


def put_in_force(
    office: Office,
    actor: Actor,
    digest: bytes,
    effective_at: datetime | None = None,
    manager: Actor | None = None,
) -> datetime:
    """Publish a card with the time from which it holds, the earliest there is if none is given.

    A new card has been accepted by two, and waits for the notice of the house. A card that was in
    force is published again by a supervisor with a manager outside keno: the one before the card
    in force, or that one itself in place of a coming one, after half an hour.

    Refuses: whoever may not; a card that is not here or not accepted by both, or not against the
    card in force; a card that was in force without a manager; a time without notice.
    """
    permit(actor.role, Permission.CARD_BRING)
    with office.unit() as unit:
        still_acting(unit, actor, *([manager] if manager else []), what=Permission.CARD_BRING)
        card, now = _card(unit, digest), unit.now()
        terms = cards.terms(unit.connection)
        holds = cards.card_in_force(unit.connection, now)
        is_back = any(term.card == card.id for term in terms)
        if is_back:
            if manager is None:
                raise say_no(No.TWO_SIDES)
            check_two_sides(actor, manager)
        elif set(cards.acceptances(unit.connection, card.id)) != set(Consent):
            raise say_no(No.CARD_NOT_ACCEPTED)
        elif cards.accepted_against(unit.connection, card.id) != {holds}:
            raise say_no(No.CARD_OTHER_BEFORE)
        # The first card of a house takes the place of none that a patron could have read.
        earliest = now
        if terms:
            earliest += _notice_of(office, unit, card.id, holds)
        effective_at = effective_at or earliest
        if effective_at < earliest:
            raise say_no(No.CARD_TOO_EARLY, earliest=office.moment(earliest))
        body: dict[str, object] = {
            "card": digest.hex(),
            "effective_at": time_text(effective_at),
        }
        row = {"card": card.id, "published_at": now, "effective_at": effective_at}
        if is_back and manager is not None:
            body["manager"] = manager.code
            row["manager"] = manager.staff
        told = {"by": actor.document(), "time": time_text(now)}
        entry = office.log(unit, Tag.CARD_IN_FORCE, {**body, **told})
        records.add_term(unit, {**row, "staff": actor.staff, "entry": entry.id})
        unit.commit()
    return effective_at


def _notice_of(office: Office, unit: Unit, card: int, holds: int | None) -> timedelta:
    """Return for how long a card is published before it can hold (8.3)."""
    usual = change_notice(office, unit)
    is_near = holds is not None and card in {
        holds,
        cards.card_before(unit.connection, unit.now(), holds),
    }
    return min(NOTICE_BACK, usual) if is_near else usual


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
