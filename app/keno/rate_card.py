"""The rate card: its limits, its schedules and what they pay.

A pay is *for* the wager, the stake included, and is listed for a base wager; every other rate
is paid in proportion (15.3(e)). Catching nothing may pay. What is not listed pays nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from app.keno.money import Rounding

# 15.6(c): a ticket stays valid for five minutes at least and a year at most.
CLAIM_LEAST_MINUTES = 5
CLAIM_MOST_MINUTES = 525_600


@dataclass(frozen=True)
class Approval:
    """The regulator's letter that allows a promotion below the floor of the house advantage."""

    reference: str
    date: date
    digest: str  # SHA-256 of the letter, in hexadecimal


@dataclass(frozen=True)
class Departure:
    """The approval by which a special rate does not pay in proportion to the regular one."""

    approval: str
    date: date


@dataclass(frozen=True)
class Limits:
    """What the card says once for all schedules (15.2(b), 15.3(d), 15.3(e), 15.6(c))."""

    spots_max: int
    games_max: int
    ticket_min_cents: int
    ticket_max_cents: int
    aggregate_cents: int | None
    in_full_below_cents: int
    claim_minutes: int
    rounding: Rounding

    def cut_cents(self, win_cents: int) -> int:
        """Cut the win of one ticket in one game to the aggregate limit, if there is one."""
        return win_cents if self.aggregate_cents is None else min(win_cents, self.aggregate_cents)


@dataclass(frozen=True)
class Schedule:
    """One way of paying: the regular one, or a special rate.

    A special rate may ask for a number of ways on it in each game, and for a price of those ways
    over all games.
    """

    name: str
    base_cents: int
    rate_min_cents: int
    rate_max_cents: int
    rate_step_cents: int
    ways_min: int
    ticket_min_cents: int
    pays_cents: Mapping[int, Mapping[int, int]]
    departs_from_proportion: Departure | None = None

    def pays_for(self, spots: int) -> Mapping[int, int]:
        """Return what each catch of a way of so many spots pays for the base wager."""
        return self.pays_cents.get(spots, {})

    def win(self, spots: int, catches: Mapping[int, int], rate_cents: int) -> Fraction:
        """Return what ways that caught so much win, exactly, in proportion to the rate (15.3(e)).

        `catches` says how many ways caught how many numbers.
        """
        pays = self.pays_for(spots)
        pay_cents = sum(ways * pays.get(caught, 0) for caught, ways in catches.items())
        return Fraction(pay_cents * rate_cents, self.base_cents)


@dataclass(frozen=True)
class RateCard:
    """One version of the card."""

    name: str
    limits: Limits
    schedules: Mapping[str, Schedule]
    approval: Approval | None = None
