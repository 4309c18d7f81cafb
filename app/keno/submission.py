"""The rules of the games as a house submits them: what is in force, and worked examples of it.

What is in force is gathered elsewhere and stands here as values; the examples are made by the very
code that prices tickets, shares the limit and counts claims (15.3(d), 15.3(e), 15.6(c)).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from app.keno.aggregate import prorate
from app.keno.amounts import Dated
from app.keno.house_settings import Setting
from app.keno.money import rate_text
from app.keno.payment import expires_at
from app.keno.pricing import quote
from app.keno.rate_card import Limits, RateCard, Schedule
from app.keno.refusals import Refused
from app.keno.request import REGULAR, Request
from app.keno.retention import RecordKind
from app.keno.ticket import Ticket

USUAL_SPOTS, USUAL_GAMES = 4, 5  # examples are as near to these as the card allows


@dataclass(frozen=True)
class SeriesRules:
    """A run of games, and when they close."""

    code: str
    name: str
    first_game: int
    interval_seconds: int | None  # none: by hand
    opens_minutes: int
    closes_minutes: int


@dataclass(frozen=True)
class LocationRules:
    """Where tickets are sold, and for which series."""

    code: str
    name: str
    kind: str
    series: tuple[str, ...]
    stations: tuple[str, ...]


@dataclass(frozen=True)
class Submission:
    """Everything that a house submits, as it is on one gaming day."""

    house: str
    jurisdiction: str
    is_demonstration: bool
    time_zone: str
    day_starts_minutes: int
    day: date
    series: tuple[SeriesRules, ...]
    locations: tuple[LocationRules, ...]
    card: RateCard
    card_hash: str
    card_since: str
    house_amounts: tuple[Dated, ...]
    settings: Mapping[Setting, int]
    who_may: Mapping[str, tuple[str, ...]]  # the roles for each act
    notice: timedelta  # before a game closes
    card_notice: timedelta  # before another card holds
    override_most: timedelta
    keys: Mapping[str, str]  # the id of each public key, by whose it is
    retention: Mapping[RecordKind, int]  # for how many days each kind is kept at hand


# ---- tickets -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Example:
    """A ticket of one kind: what the patron marks and writes, and what that comes to."""

    kind: str
    rule: str
    request: Request | None  # none: nothing as plain as our examples can be sold on the card
    ticket: Ticket | None


@dataclass(frozen=True)
class _Shape:
    """The groups of a ticket by their sizes, and its lines: ways, spots, and steps of the rate."""

    sizes: tuple[int, ...]
    lines: tuple[tuple[int, int, int], ...]
    games: int = 1
    quick_pick: bool = False


def examples(card: RateCard) -> list[Example]:
    """Return an example of every kind of ticket that the rule permits, sold on this card."""
    kinds = (
        ("Straight", "15.2(c)1", _straight),
        ("Split, groups of one size", "15.2(c)2i", _split_alike),
        ("Split, groups of two sizes", "15.2(c)2ii", _split_apart),
        ("Way", "15.2(c)3", _way),
        ("Combination", "15.2(c)4", _combination),
        ("King", "15.2(c)5", _king),
        ("Multi-race", "15.2(c)6", _multi_race),
        ("Quick-pick", "15.1", _quick_pick),
    )
    return [Example(kind, rule, *_first_sold(card, shapes(card))) for kind, rule, shapes in kinds]


def _first_sold(
    card: RateCard, shapes: Iterator[tuple[Schedule, _Shape]]
) -> tuple[Request, Ticket] | tuple[None, None]:
    """Return the first of some tickets that can be sold."""
    for schedule, shape in shapes:
        request = _request(card, schedule, shape)
        try:
            return request, quote(request, card)
        except Refused:
            continue
    return None, None


def _request(card: RateCard, schedule: Schedule, shape: _Shape) -> Request:
    """Return a request of a shape, at the least rate that comes to the least price."""
    ways = sum(ways for ways, _, _ in shape.lines) * shape.games
    least = max(card.limits.ticket_min_cents, schedule.ticket_min_cents)
    short = max(0, -(-least // ways) - schedule.rate_min_cents)
    steps = -(-short // schedule.rate_step_cents)
    named = "" if schedule.name == REGULAR else f" {schedule.name}"
    written = []
    for ways_of, spots, more in shape.lines:
        rate = schedule.rate_min_cents + (steps + more) * schedule.rate_step_cents
        written.append(f"{ways_of}/{spots} @ {rate_text(rate)}{named}")
    groups, first = [], 1
    for size in shape.sizes:
        groups.append(tuple(range(first, first + size)))
        first += size
    if shape.quick_pick:
        (size,) = shape.sizes
        return Request((), ", ".join(written), shape.games, quick_pick=size)
    return Request(tuple(groups), ", ".join(written), shape.games)


def _sizes(card: RateCard) -> Iterator[tuple[Schedule, int]]:
    """Yield every size of a way on offer, the regular ones and the usual ones first."""
    for schedule in sorted(card.schedules.values(), key=lambda each: each.name != REGULAR):
        near = sorted(schedule.pays_cents, key=lambda spots: (abs(spots - USUAL_SPOTS), spots))
        for spots in near:
            yield schedule, spots


def _two_sizes(card: RateCard) -> Iterator[tuple[Schedule, int, int]]:
    for schedule, size in _sizes(card):
        for on, other in _sizes(card):
            if on is schedule and other != size:
                yield schedule, min(size, other), max(size, other)


def _straight(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, size in _sizes(card):
        yield schedule, _Shape((size,), ((1, size, 0),))


def _split_alike(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, size in _sizes(card):
        yield schedule, _Shape((size, size), ((2, size, 0),))


def _split_apart(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, small, large in _two_sizes(card):
        yield schedule, _Shape((small, large), ((1, small, 0), (1, large, 1)))


def _way(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, size in _sizes(card):
        yield schedule, _Shape((size, size, size), ((3, 2 * size, 0),))


def _combination(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, small, large in _two_sizes(card):
        lines = ((1, small, 0), (1, large, 0), (1, small + large, 0))
        yield schedule, _Shape((small, large), lines)


def _king(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, size in _sizes(card):
        if size > 1:
            yield schedule, _Shape((size, 1), ((1, size, 0), (1, size + 1, 0)))


def _multi_race(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    games = min(card.limits.games_max, USUAL_GAMES)
    for schedule, size in _sizes(card) if games > 1 else ():
        yield schedule, _Shape((size,), ((1, size, 0),), games)


def _quick_pick(card: RateCard) -> Iterator[tuple[Schedule, _Shape]]:
    for schedule, size in _sizes(card):
        yield schedule, _Shape((size,), ((1, size, 0),), quick_pick=True)


# ---- the limit, and claims -----------------------------------------------------------------------


@dataclass(frozen=True)
class Share:
    """What one of several winners of a game won, and is paid."""

    won_cents: int
    cut_cents: int
    paid_cents: int


def shared(limits: Limits) -> Sequence[Share]:
    """Return how winners share a game that won too much; none where there is no limit."""
    if limits.aggregate_cents is None:
        return ()
    limit = limits.aggregate_cents
    won = [limit * 3 // 2, limit // 2, limit // 4, limit // 1000]
    cut = [limits.cut_cents(each) for each in won]
    paid = prorate(cut, limit, limits.in_full_below_cents, won)
    return [Share(*each) for each in zip(won, cut, paid, strict=True)]


@dataclass(frozen=True)
class ClaimExample:
    """Until when a ticket is paid whose last game is locked at noon."""

    frozen: timedelta
    locked: datetime
    until: datetime


def claims(limits: Limits, day: date) -> list[ClaimExample]:
    """Return how claims are counted: without a game being looked into, and with one."""
    noon = datetime.combine(day, time(12))
    return [
        ClaimExample(frozen, noon, expires_at(noon, limits.claim_minutes, frozen, None))
        for frozen in (timedelta(0), timedelta(hours=2))
    ]
