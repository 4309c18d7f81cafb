"""How a cell is written: for people to read, and for programs."""

from datetime import UTC, date, datetime
from fractions import Fraction

from app.keno.money import decimal, dollars, percent
from app.moments import moment_words
from app.reports.content import Cell, Kind

HASH_SHOWN = 16
_TO_THE_RIGHT = frozenset({Kind.WHOLE, Kind.CENTS, Kind.RATIO, Kind.CHANCE})


def is_to_the_right(kind: Kind) -> bool:
    """Whether people expect a column to be flush right."""
    return kind in _TO_THE_RIGHT


def for_people(cell: Cell, kind: Kind, zone: str) -> str:
    """Return a cell as people of the house write it."""
    match cell:
        case None:
            text = ""
        case bool():
            text = "yes" if cell else "no"
        case datetime():
            text = moment_words(cell, zone)
        case Fraction():
            text = _chance(cell) if kind is Kind.CHANCE else percent(cell)
        case tuple():
            text = " ".join(map(str, cell))
        case int():
            text = dollars(cell) if kind is Kind.CENTS else f"{cell:,}"
        case _:
            text = str(cell)[: HASH_SHOWN if kind is Kind.HASH else None]
    return text


def _chance(chance: Fraction) -> str:
    return f"1 in {decimal(1 / chance)}" if chance else "never"


def for_programs(cell: Cell) -> object:
    """Return a cell as JSON holds it: exact, in UTC, amounts in cents."""
    if isinstance(cell, datetime):
        return cell.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, Fraction):
        return f"{cell.numerator}/{cell.denominator}"
    if isinstance(cell, tuple):
        return list(cell)
    return cell
