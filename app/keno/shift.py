"""A shift in figures: what went over its counter, and whether the drawers hold what a day says.

A shift owns no games, so what it won is what it took in less what it paid out; the write and the
wins of games belong to their day. A day's drawers are those that were opened in it, and its acts
are those that happened in it: where a shift goes past the end of a day the two differ, and the
difference is listed, never lost (X-drawer).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction


@dataclass(frozen=True)
class ShiftFigures:
    """One writer's drawer from its opening to its close, in cents."""

    drawer: int
    writer: str
    station: str
    sales_cents: int
    voids_cents: int
    refunds_cents: int
    paid_cents: int
    opening_cents: int
    filled_cents: int
    bled_cents: int
    counted_cents: int
    over_short_cents: int

    @property
    def win_cents(self) -> int:
        """What was taken in for tickets, less what was paid for tickets."""
        return self.sold_cents - self.paid_cents

    @property
    def sold_cents(self) -> int:
        """What was taken in for tickets, and not given back."""
        return self.sales_cents - self.voids_cents - self.refunds_cents

    @property
    def hold(self) -> Fraction | None:
        """What part of it was kept; none of a shift that sold nothing."""
        return Fraction(self.win_cents, self.sold_cents) if self.sold_cents else None

    @property
    def came_in_cents(self) -> int:
        """What is in the drawer at its close that nobody but patrons brought."""
        return self.counted_cents - self.opening_cents - self.filled_cents + self.bled_cents

    def document(self) -> dict[str, object]:
        """Return it as it is told and kept."""
        hold = self.hold
        told = None if hold is None else f"{hold.numerator}/{hold.denominator}"
        return {**asdict(self), "win_cents": self.win_cents, "hold": told}


@dataclass(frozen=True)
class DrawerSum:
    """The money over the counters of a day, by its acts and by its drawers."""

    by_acts_cents: int  # what the acts of the day moved into drawers and out of them
    in_others_cents: int  # of it in drawers that were opened on another day
    on_others_cents: int  # what the acts of other days moved in the day's drawers
    shifts: Sequence[ShiftFigures]

    @property
    def by_drawers_cents(self) -> int:
        """What the drawers of the day had more at their close."""
        return sum(shift.came_in_cents for shift in self.shifts)

    @property
    def over_short_cents(self) -> int:
        """What the drawers of the day were over, or short."""
        return sum(shift.over_short_cents for shift in self.shifts)

    @property
    def unexplained_cents(self) -> int:
        """What neither a count nor the end of the day explains; anything but zero is a fault."""
        shifted = self.on_others_cents - self.in_others_cents
        return self.by_drawers_cents - self.by_acts_cents - shifted - self.over_short_cents

    def document(self) -> dict[str, object]:
        """Return it as it is told and kept."""
        return {
            "by_acts_cents": self.by_acts_cents,
            "by_drawers_cents": self.by_drawers_cents,
            "over_short_cents": self.over_short_cents,
            "in_drawers_of_other_days_cents": self.in_others_cents,
            "by_acts_of_other_days_cents": self.on_others_cents,
            "unexplained_cents": self.unexplained_cents,
            "shifts": [shift.document() for shift in self.shifts],
        }
