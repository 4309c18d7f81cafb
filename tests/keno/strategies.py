"""Hypothesis strategies: requests that can be sold, cards that can be read, draws."""

from itertools import combinations

from hypothesis import strategies as st

from app.keno.money import LARGEST, Rounding
from app.keno.odds import possible_catches
from app.keno.rate_card import Limits, RateCard, Schedule
from app.keno.request import Request, WrittenLine

NUMBERS = range(1, 81)
RATES = st.tuples(
    st.sampled_from([50, 55, 100, 235, 10_000]), st.sampled_from(["regular", "twobits"])
)

draws = st.permutations(NUMBERS).map(lambda numbers: tuple(numbers[:20]))


@st.composite
def groups(draw: st.DrawFn) -> tuple[tuple[int, ...], ...]:
    """Disjoint groups, some of them kings."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=7))
    numbers = iter(draw(st.permutations(NUMBERS)))
    return tuple(tuple(next(numbers) for _ in range(size)) for size in sizes)


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """A request that has no fault on the roomy card.

    Of some numbers of spots all ways are played, of others some listed sets; a group that would
    then be left over is played alone.
    """
    marked = draw(groups())
    ways_by_spots: dict[int, list[tuple[int, ...]]] = {}
    for count in range(1, len(marked) + 1):
        for way in combinations(range(len(marked)), count):
            spots = sum(len(marked[place]) for place in way)
            if spots <= 12:
                ways_by_spots.setdefault(spots, []).append(way)
    rate = draw(RATES)
    rates = st.just(rate) if draw(st.booleans()) else RATES
    lines: list[WrittenLine] = []
    played: list[tuple[int, ...]] = []
    listed: list[tuple[int, ...]] = []
    for spots, ways in ways_by_spots.items():
        match draw(st.sampled_from(["all ways", "listed sets", "nothing"])):
            case "all ways":
                lines.append(WrittenLine(*draw(rates), ways=len(ways), spots=spots))
                played += ways
            case "listed sets":
                listed += draw(st.lists(st.sampled_from(ways), unique=True, max_size=4))
    left_over = set(range(len(marked))).difference(*played, *listed)
    listed += [(place,) for place in sorted(left_over)]
    lines += [WrittenLine(*rate, sets=(way,)) for way in listed]
    return Request(marked, tuple(lines), games=draw(st.integers(1, 3)))


@st.composite
def schedules(draw: st.DrawFn, name: str) -> Schedule:
    """Any schedule that can be read from a file, however odd its pays."""
    offered = draw(st.lists(st.integers(1, 80), unique=True, min_size=1, max_size=4))
    amounts = st.integers(0, 100_000) | st.integers(0, LARGEST)
    return Schedule(
        name=name,
        base_cents=draw(st.integers(1, 200) | st.integers(1, LARGEST)),
        rate_min_cents=1,
        rate_max_cents=LARGEST,
        rate_step_cents=1,
        ways_min=1,
        ticket_min_cents=0,
        pays_cents={
            spots: draw(st.dictionaries(st.sampled_from(possible_catches(spots)), amounts))
            for spots in offered
        },
    )


@st.composite
def cards(draw: st.DrawFn) -> RateCard:
    """Any card that can be read from a file, with two schedules."""
    limits = Limits(
        spots_max=80,
        games_max=1000,
        ticket_min_cents=1,
        ticket_max_cents=LARGEST,
        aggregate_cents=draw(st.none() | st.integers(1, LARGEST)),
        in_full_below_cents=0,
        claim_minutes=5,
        rounding=draw(st.sampled_from(Rounding)),
    )
    names = ("regular", "special")
    return RateCard("Any card", limits, {name: draw(schedules(name)) for name in names})
