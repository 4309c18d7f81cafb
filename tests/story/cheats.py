"""Helpers of `test_10_cheats` that other tests use too."""

from dataclasses import replace

from app.flow.sell import Sale
from app.keno.tender import Tender, TenderKind
from tests.floor import CARD, Floor
from tests.story.paying import every

SHORT = CARD.read_bytes().replace(b"claim_minutes = 525_600", b"claim_minutes = 2_880")


def two_days_to_claim(floor: Floor) -> None:
    """Have the next game on a card whose wins expire after two days."""
    floor.put_in_force(SHORT)
    floor.pass_time(hours=2)
    floor.play()


def by_coupon(rate: str, serial: str) -> Sale:
    """A ticket that always wins, and cost its patron nothing: all that it wins is net."""
    sale = every(rate=rate)
    return replace(sale, tender=(Tender(TenderKind.COUPON, int(float(rate) * 8_000), serial),))
