"""What a report is made from: a stretch of the log, and what of before is still true at its end.

A report is a function of this and of nothing else, so that made again it is the same, byte for byte
(X-audit-log). Where entries are read is not known here: `acts` and `standing` are handed in.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

# What stays true until it is said otherwise; there is little of it, and all of it is read.
STANDING = (
    "HOUSE",
    "STATION",
    "STAFF",
    "CARD",
    "CARD-ACCEPTED",
    "CARD-IN-FORCE",
    "SERIES",
    "AMOUNT",
    "SETTING",
    "PRINTER",
    "DAY-CLOSE",
)


@dataclass(frozen=True)
class Period:
    """Gaming days in a row, and from when until when they last."""

    first: date
    last: date
    begins: datetime
    ends: datetime
    zone: str

    def holds(self, at: datetime) -> bool:
        """Whether a moment lies in the period."""
        return self.begins <= at < self.ends

    def has_day(self, day: str) -> bool:
        """Whether a gaming day is one of the period's."""
        return self.first.isoformat() <= day <= self.last.isoformat()

    def here(self, at: datetime) -> datetime:
        """Return a moment by the clock on the wall."""
        return at.astimezone(ZoneInfo(self.zone))


@dataclass(frozen=True)
class Stretch:
    """The entries of a log from one place to another, and the root over all until there."""

    origin: str
    first: int
    size: int  # of the log: the place behind the last entry
    root: bytes
    is_whole: bool  # the period is over and its days are closed: nothing can come to it any more


@dataclass(frozen=True)
class Act:
    """An entry of the log."""

    entry: int
    position: int
    tag: str
    at: datetime
    body: Mapping[str, Any]


@dataclass(frozen=True)
class LostLeaf:
    """A leaf of the log of which nothing else is known: the rest was lost with a house."""

    position: int
    leaf: bytes
    why: str


Acts = Callable[..., Iterator[Act]]
Sheets = Callable[[Act], list[tuple[int, int, int]]]


@dataclass(frozen=True)
class Told:
    """Everything that a report may look at."""

    house: str
    jurisdiction: str
    period: Period
    stretch: Stretch
    acts: Acts  # of the stretch, with the tags that are given, in their order
    standing: Acts  # from the first entry of the log to the end of the stretch, with given tags
    kinds: Mapping[str, int]  # how many entries of each tag the stretch has
    lost: tuple[LostLeaf, ...]  # of the stretch
    sheets: Sheets  # of a WINS whose wins were cut: ticket, what it won, what it is paid
    settled_before: Callable[[Act], Act]  # of a game that was graded again: the WINS before
    may: Mapping[str, tuple[str, ...]]  # the roles that each act is for
    day_of: Callable[[datetime], date]  # the gaming day of a moment

    def within(self, *tags: str) -> Iterator[Act]:
        """Yield the acts of the period itself with these tags."""
        return (act for act in self.acts(*tags) if self.period.holds(act.at))

    def closes(self) -> list[Act]:
        """Return the closes of the days of the period."""
        return [act for act in self.standing("DAY-CLOSE") if self.period.has_day(act.body["day"])]


def time_of(tag: str, body: Mapping[str, Any]) -> datetime:
    """Return when an act happened, as its body says."""
    named = {
        "TICKET": "sold_at",
        "VOID": "voided_at",
        "LOCK": "locked_at",
        "GAME": "opened_at",
        "ENROL": "at",
    }
    return datetime.fromisoformat(body[named.get(tag, "time")])
