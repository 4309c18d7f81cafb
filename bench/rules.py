"""How fast the rules of keno are: way tickets against listing their ways, bulk against a loop."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from app.keno.bulk import Grader, Plays
from app.keno.card_file import read_card
from app.keno.conditioning import Line
from app.keno.grading import grade_game
from app.keno.money import LARGEST
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.request import Request
from app.keno.spots import mask_of
from app.keno.ticket import Ticket
from bench.measure import Result, compare, peak_bytes

CARD = read_card(
    (Path(__file__).parent.parent / "app" / "rate_cards" / "house-card-1.toml").read_bytes()
)
CHANCE = Random(19_47_15)  # noqa: S311  the same examples in each run, and nothing is at stake
DRAW = mask_of(CHANCE.sample(range(1, 81), 20))
TICKETS = 1_000_000


def measure() -> Iterator[Result]:
    """Measure everything that this module knows of."""
    yield from way_ticket(size=4, spots=8)
    yield from way_ticket(size=5, spots=10)
    yield from eighty_kings()
    yield from bulk()


def way_ticket(size: int, spots: int) -> Iterator[Result]:
    """Grade a ticket that marks all 80 numbers in groups, played two groups at a time."""
    groups = tuple(tuple(range(first, first + size)) for first in range(1, 81, size))
    ways = comb(len(groups), 2)
    ticket = quote(Request(groups, f"{ways}/{spots} @ 1.00"), CARD)
    name = f"grade a {ways}-way-{spots}"

    def act() -> Fraction:
        return grade_game(ticket, DRAW, CARD).win

    listed = compare(act, _bound(list_every_subset, ticket))
    pruned = compare(act, _bound(list_what_fits, ticket))
    yield Result(
        f"{name}: every subset of the groups listed", listed.times_faster, "times slower", 30
    )
    yield Result(f"{name}: only subsets that still fit listed", pruned.times_faster, "times slower")
    yield Result(name, pruned.seconds * 1e6, "microseconds")


def eighty_kings() -> Iterator[Result]:
    """Price and grade 1.6 million million ways, on a card that allows them."""
    limits = replace(CARD.limits, ticket_max_cents=LARGEST, aggregate_cents=None)
    card = replace(CARD, limits=limits)
    kings = tuple((number,) for number in range(1, 81))
    many = Request(kings, f"{comb(80, 10)}/10 @ 1.00")
    straight = Request((tuple(range(1, 11)),), "1/10 @ 1.00")
    compared = compare(_priced_and_graded(many, card), _priced_and_graded(straight, card))
    name = f"price and grade 80 kings played {comb(80, 10):,}/10"
    yield Result(f"{name}: a straight 10-spot", 1 / compared.times_faster, "times faster")
    yield Result(name, compared.seconds * 1e3, "milliseconds", 50, at_most=True)


def bulk() -> Iterator[Result]:
    """Grade a million straight plays against one draw."""
    schedules = tuple(CARD.schedules)
    rows = [_any_play(schedules) for _ in range(TICKETS)]
    plays = Plays.of(rows)
    grader = Grader(CARD, schedules)
    name = f"grade {TICKETS:,} straight plays"

    def act() -> NDArray[np.int64]:
        return grader.wins_cents(plays, DRAW)

    def popcount() -> object:
        low, high = np.uint64(DRAW & (2**64 - 1)), np.uint16(DRAW >> 64)
        return np.bitwise_count(plays.low & low) + np.bitwise_count(plays.high & high)

    compared = compare(act, lambda: plain_loop(rows, schedules))
    yield Result(f"{name}: a plain Python loop", compared.times_faster, "times slower", 5)
    if act().tolist() != plain_loop(rows, schedules):
        raise RuntimeError("bulk grading and the plain loop differ")
    compared = compare(act, popcount)
    yield Result(name, TICKETS / compared.seconds / 1e6, "million a second")
    yield Result(f"{name}: the bare NumPy popcount", 1 / compared.times_faster, "times faster")
    peak = peak_bytes(act)
    yield Result(f"{name}: peak memory beyond the columns", peak / 2**20, "MiB")
    yield Result(f"{name}: of which the wins themselves", TICKETS * 8 / 2**20, "MiB")


def list_every_subset(ticket: Ticket) -> Fraction:
    """Brute force: look at every subset of the groups and keep those with the spots."""
    (line,) = ticket.lines
    masks = (
        sum(subset)  # the groups are disjoint, so adding is joining
        for count in range(1, len(ticket.groups) + 1)
        for subset in combinations(ticket.groups, count)
    )
    return _pay(line, [mask for mask in masks if mask.bit_count() == line.spots])


def list_what_fits(ticket: Ticket) -> Fraction:
    """Brute force that stops adding groups once there are too many spots."""
    (line,) = ticket.lines
    ways: list[int] = []

    def add_groups(mask: int, start: int) -> None:
        for place in range(start, len(ticket.groups)):
            joined = mask | ticket.groups[place]
            spots = joined.bit_count()
            if spots == line.spots:
                ways.append(joined)
            elif spots < line.spots:
                add_groups(joined, place + 1)

    add_groups(0, 0)
    return _pay(line, ways)


def plain_loop(rows: Sequence[tuple[int, int, int]], schedules: Sequence[str]) -> list[int]:
    """Grade straight plays one by one, as plainly and quickly as Python allows."""
    pays_of = [
        [[CARD.schedules[name].pays_for(spots).get(c, 0) for c in range(21)] for spots in range(81)]
        for name in schedules
    ]
    bases = [CARD.schedules[name].base_cents for name in schedules]
    limit = CARD.limits.cut_cents(LARGEST)
    wins = []
    for mask, rate_cents, schedule in rows:
        pay = pays_of[schedule][mask.bit_count()][(mask & DRAW).bit_count()]
        win = -(-pay * rate_cents // bases[schedule])
        wins.append(win if win < limit else limit)  # noqa: FURB136  min() is slower
    return wins


def _pay(line: Line, ways: Sequence[int]) -> Fraction:
    schedule = CARD.schedules[line.schedule]
    pays = schedule.pays_for(line.spots)
    total = sum(pays.get((way & DRAW).bit_count(), 0) for way in ways)
    return Fraction(total * line.rate_cents, schedule.base_cents)


def _any_play(schedules: Sequence[str]) -> tuple[int, int, int]:
    place = CHANCE.randrange(len(schedules))
    schedule = CARD.schedules[schedules[place]]
    spots = CHANCE.choice(list(schedule.pays_cents))
    steps = (min(schedule.rate_max_cents, 2_000) - schedule.rate_min_cents) // 5
    rate_cents = schedule.rate_min_cents + 5 * CHANCE.randint(0, steps)
    return mask_of(CHANCE.sample(range(1, 81), spots)), rate_cents, place


def _priced_and_graded(request: Request, card: RateCard) -> Callable[[], object]:
    return lambda: grade_game(quote(request, card), DRAW, card)


def _bound(floor: Callable[[Ticket], Fraction], ticket: Ticket) -> Callable[[], Fraction]:
    if floor(ticket) != grade_game(ticket, DRAW, CARD).win:
        raise RuntimeError("grading and brute force differ")
    return lambda: floor(ticket)
