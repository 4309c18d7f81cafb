"""The null hypothesis: every set of 20 of the 80 numbers is equally likely, in every order.

All chances here are exact. The sizes are parameters only so that the tests can list every draw of
a small urn and compare; the product knows one urn, `KENO`.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm


@dataclass(frozen=True)
class Urn:
    """An urn with the numbers 1 to `numbers`, of which `drawn` are drawn without replacement."""

    numbers: int
    drawn: int

    def together(self, count: int) -> Fraction:
        """Return the chance that so many given numbers are all drawn."""
        return Fraction(perm(self.drawn, count), perm(self.numbers, count))

    def overlap_chances(self) -> tuple[Fraction, ...]:
        """Return the chance that a draw has 0, 1, ... numbers in common with a given draw."""
        others = self.numbers - self.drawn
        return tuple(
            Fraction(
                comb(self.drawn, common) * comb(others, self.drawn - common),
                comb(self.numbers, self.drawn),
            )
            for common in range(self.drawn + 1)
        )

    def complement(self) -> "Urn":
        """Return the urn whose draws are what this one leaves behind."""
        return Urn(self.numbers, self.numbers - self.drawn)


KENO = Urn(numbers=80, drawn=20)
