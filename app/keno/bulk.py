"""A million straight plays against a draw: the same wins as `grading`, a column at a time.

The only module that uses NumPy. A play is one way: a set of numbers, a rate and a schedule. Its
pay is looked up in one table over (schedule, spots, caught), and only the winning rows are then
multiplied and rounded. All of it is integer arithmetic: in 64 bits where the products fit, in
Python's own integers where they do not, so every row is exact whatever the card pays.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.keno.money import LARGEST, Rounding
from app.keno.rate_card import RateCard
from app.keno.spots import DRAWN, NUMBERS

# Few enough rows that a batch's columns stay in the processor's cache.
BATCH = 1 << 15

_LOW_BITS = 64
_LOW = (1 << _LOW_BITS) - 1
_PRODUCT_MAX = (1 << 61) - 1  # rounding half up doubles it, and one bit is the sign


@dataclass(frozen=True)
class Plays:
    """Columns of straight plays, a row for each.

    The 80 bits of a set of numbers are split into the low 64 and the high 16; a schedule is a
    place in the list of names that the grader was made with.
    """

    low: NDArray[np.uint64]
    high: NDArray[np.uint16]
    rate_cents: NDArray[np.int64]
    schedule: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int]]) -> "Plays":
        """Return the columns of rows of (mask, rate in cents, place of the schedule)."""
        table = list(rows)
        return cls(
            np.array([mask & _LOW for mask, _, _ in table], np.uint64),
            np.array([mask >> _LOW_BITS for mask, _, _ in table], np.uint16),
            np.array([rate_cents for _, rate_cents, _ in table], np.int64),
            np.array([schedule for _, _, schedule in table], np.uint8),
        )

    def rows(self, rows: slice) -> "Plays":
        """Return some of the rows, as views of the same memory."""
        return Plays(self.low[rows], self.high[rows], self.rate_cents[rows], self.schedule[rows])

    def __len__(self) -> int:
        return len(self.low)


class Grader:
    """The pays of a card, laid out once, to grade any number of plays."""

    def __init__(self, card: RateCard, schedules: Sequence[str]) -> None:
        self._limits = card.limits
        self._bases = np.array([card.schedules[name].base_cents for name in schedules], np.int64)
        self._pays = np.zeros((len(schedules), NUMBERS + 1, DRAWN + 1), np.int64)
        for place, name in enumerate(schedules):
            for spots, pays in card.schedules[name].pays_cents.items():
                for caught, pay_cents in pays.items():
                    self._pays[place, spots, caught] = pay_cents

    def wins_cents(self, plays: Plays, draw: int) -> NDArray[np.int64]:
        """Return the win of each play, rounded and cut as `grading.grade_game` does it.

        A play that wins more than the largest amount we store cannot have been sold, and stops
        the grading.
        """
        wins = np.zeros(len(plays), np.int64)
        for start in range(0, len(plays), BATCH):
            rows = slice(start, start + BATCH)
            self._grade(plays.rows(rows), draw, wins[rows])
        return wins

    def _grade(self, plays: Plays, draw: int, wins: NDArray[np.int64]) -> None:
        drawn_low, drawn_high = np.uint64(draw & _LOW), np.uint16(draw >> _LOW_BITS)
        spots = np.bitwise_count(plays.low) + np.bitwise_count(plays.high)
        caught = np.bitwise_count(plays.low & drawn_low) + np.bitwise_count(plays.high & drawn_high)
        pays = self._pays[plays.schedule, spots, caught]
        (won,) = np.nonzero(pays)
        if len(won):
            bases = self._bases[plays.schedule[won]]
            wins[won] = self._win(pays[won], plays.rate_cents[won], bases)

    def _win(
        self, pays: NDArray[np.int64], rates: NDArray[np.int64], bases: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return pay x rate / base, rounded by the card's rule and cut to its limit."""
        if int(pays.max()) * int(rates.max()) > _PRODUCT_MAX:
            pays = pays.astype(object)
        exact = pays * rates
        if self._limits.rounding is Rounding.UP:
            wins = -(-exact // bases)
        elif self._limits.rounding is Rounding.DOWN:
            wins = exact // bases
        else:
            wins = (2 * exact + bases) // (2 * bases)
        if self._limits.aggregate_cents is not None:
            wins = np.minimum(wins, self._limits.aggregate_cents)
        if int(wins.max()) > LARGEST:
            raise OverflowError("a play wins more than any that can have been sold")
        return np.asarray(wins, np.int64)
