"""Helpers of `test_rate_cards` that other tests use too."""

from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.permissions import Permission
from app.flow.rate_cards import accept_card, bring_card
from tests.floor import CARD, MAX, Floor, secret_of

FILE = CARD.read_bytes()

SECOND = FILE.replace(b'"Test card"', b'"Second card"')


def at(floor: Floor, name: str) -> Actor:
    return at_console(floor.office, name, secret_of(name), Permission.CARD_ACCEPT)


def accepted(floor: Floor, file: bytes = SECOND) -> bytes:
    digest = bring_card(floor.office, floor.sam, file)
    typed = floor.typed_changes(file)
    accept_card(floor.office, floor.sam, digest, typed)
    accept_card(floor.office, at(floor, MAX), digest, typed)
    return digest
