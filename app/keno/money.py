"""Money: whole cents, the rounding of a win, and amounts as text."""

from enum import StrEnum
from fractions import Fraction

# Every amount and count can stand in canonical JSON (RFC 8785), whose integers end here.
LARGEST = 2**53 - 1


class Rounding(StrEnum):
    """How the exact win of one ticket in one game becomes cents; the rate card says which."""

    UP = "up"
    DOWN = "down"
    HALF_UP = "half-up"


def rounded_cents(exact: Fraction, rule: Rounding) -> int:
    """Round an exact win, which is never negative, in the direction the card states."""
    if rule is Rounding.UP:
        return -(-exact.numerator // exact.denominator)
    if rule is Rounding.DOWN:
        return exact.numerator // exact.denominator
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def rate_text(cents: int) -> str:
    """Return an amount as it stands in a conditioning: 0.50."""
    return f"{cents // 100}.{cents % 100:02d}"


def dollars(cents: int) -> str:
    """Return an amount as a writer reads it out: $1,250.00, or -$60.50 of what is short."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def percent(ratio: Fraction, rule: Rounding = Rounding.HALF_UP, places: int = 2) -> str:
    """Return a ratio as a percentage with so many decimals: 27.43%."""
    return decimal(ratio * 100, rule, places) + "%"


def decimal(ratio: Fraction, rule: Rounding = Rounding.HALF_UP, places: int = 2) -> str:
    """Return a ratio with so many decimals: 1,234.50."""
    scaled = rounded_cents(abs(ratio) * 10**places, rule)
    sign = "-" if ratio < 0 and scaled else ""
    return f"{sign}{scaled // 10**places:,}.{scaled % 10**places:0{places}d}"
