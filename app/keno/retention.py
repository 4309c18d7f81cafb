"""How long each kind of record is kept at hand, and how long it must be at least (X-retention).

Leaves of the log, winning numbers, draw records, rate cards and closes of days are kept for ever:
there is no period for them that anybody could set (15.5(h) asks for a year). Everything else has a
period in days; when it is over, the detail goes into an archive, which stays verifiable.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

YEAR, FOUR_YEARS, FIVE_YEARS, CENTURY = 366, 1_461, 1_827, 36_525


class RecordKind(StrEnum):
    """Every kind of record that goes into an archive one day."""

    TICKETS = "tickets"
    DRAWERS = "drawers"
    TAX_PAPERS = "tax-papers"
    PAPER = "paper"
    ACCESS = "access"
    RUNNING = "running"


@dataclass(frozen=True)
class Period:
    """For how many days a kind is kept until the house settles it, and at the least."""

    at_first: int
    least: int


PERIODS: Mapping[RecordKind, Period] = MappingProxyType(
    {
        # A ticket can be claimed for a year (15.6(c)); nothing of it goes before that is over.
        RecordKind.TICKETS: Period(FIVE_YEARS, YEAR),
        RecordKind.DRAWERS: Period(FIVE_YEARS, YEAR),
        # Whoever pays a win that must be reported keeps its paper for four years.
        RecordKind.TAX_PAPERS: Period(FIVE_YEARS, FOUR_YEARS),
        RecordKind.PAPER: Period(FIVE_YEARS, YEAR),
        RecordKind.ACCESS: Period(FIVE_YEARS, YEAR),
        RecordKind.RUNNING: Period(FIVE_YEARS, YEAR),
    }
)


def is_allowed(kind: RecordKind, days: int) -> bool:
    """Whether a kind may be kept for so long: never shorter than the rule, and within reason."""
    return PERIODS[kind].least <= days <= CENTURY
