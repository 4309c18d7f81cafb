"""What goes back for games of a ticket that are not played (15.4(d)-refund).

A ticket is paid for as a whole, and its coupons count as spent on its earliest games. So the price
of a game is partly or wholly a coupon's, which is not given back in money.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.keno.tender import Tender, TenderKind


@dataclass(frozen=True)
class Back:
    """What goes back: money from the drawer, and what only was a coupon's."""

    cash_cents: int
    coupon_cents: int

    @property
    def cents(self) -> int:
        """All of it."""
        return self.cash_cents + self.coupon_cents


def refund_of(tender: Sequence[Tender], price_per_game_cents: int, places: Iterable[int]) -> Back:
    """Return what goes back for some games of a ticket, each by its place, the first being 0."""
    coupons = sum(part.cents for part in tender if part.kind is TenderKind.COUPON)
    cash = coupon = 0
    for place in places:
        start = place * price_per_game_cents
        by_coupon = min(max(coupons - start, 0), price_per_game_cents)
        coupon += by_coupon
        cash += price_per_game_cents - by_coupon
    return Back(cash, coupon)
