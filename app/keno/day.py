"""A gaming day in figures: what was sold, written, won and paid, and what is owed at its end.

Sales, voids, refunds and payments belong to the day of the act, games to the day of their lock. The
price of games still to be locked is prepaid; what was won and not yet paid is payable. So a day
begins with what the one before left, and its figures lead to what it leaves.
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class DayFigures:
    """The figures of a day, in cents."""

    sales_cents: int
    voids_cents: int
    refunds_cents: int  # of games that were not played
    write_cents: int  # of the games of the day
    wins_cents: int  # of the games of the day, after the aggregate limit
    adjusted_cents: int  # by which wins of games of earlier days changed when they were released
    paid_cents: int
    expired_cents: int
    prepaid_brought_cents: int
    payable_brought_cents: int

    @property
    def prepaid_carried_cents(self) -> int:
        """What was paid for games that are still to be locked, at the end of the day."""
        sold = self.sales_cents - self.voids_cents - self.refunds_cents
        return self.prepaid_brought_cents + sold - self.write_cents

    @property
    def payable_carried_cents(self) -> int:
        """What was won and is not yet paid, at the end of the day."""
        won = self.wins_cents + self.adjusted_cents
        return self.payable_brought_cents + won - self.paid_cents - self.expired_cents

    @property
    def win_cents(self) -> int:
        """What the house won."""
        return self.write_cents - self.wins_cents - self.adjusted_cents

    @property
    def hold(self) -> Fraction | None:
        """What part of the write the house kept; none of a day without write."""
        return Fraction(self.win_cents, self.write_cents) if self.write_cents else None


def added(days: "list[DayFigures]") -> DayFigures:
    """Return several days in a row as one; there is at least one."""
    flows = (
        "sales_cents", "voids_cents", "refunds_cents", "write_cents", "wins_cents",
        "adjusted_cents", "paid_cents", "expired_cents",
    )  # fmt: skip
    sums = {name: sum(getattr(day, name) for day in days) for name in flows}
    first = days[0]
    return DayFigures(
        **sums,
        prepaid_brought_cents=first.prepaid_brought_cents,
        payable_brought_cents=first.payable_brought_cents,
    )
