"""From one counter to a network of ten thousand terminals: where the one sequence of tickets ends.

Everything else of a sale is done beside others; only whoever holds the counter of numbers, from
taking them to the end of the commit, keeps the rest of the house waiting. So it is measured how
long parties of several sizes hold it. What that means for many terminals is simulated: tickets are
wanted at random, three times as often in the last minute before the close, and whoever waits is
served in parties as `app.flow.turns` forms them.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import linear_regression, median, quantiles
from time import perf_counter
from typing import Any
from unittest.mock import patch

from app.flow.access import Credentials
from app.flow.sell import asking_to_sell
from app.flow.sell_together import Customer, sell_to_party
from app.flow.turns import PARTY_MAX
from app.store.records import tickets
from app.store.unit import Unit
from bench.house import NAMES, crowded_house, on_both_engines
from bench.measure import Result
from tests.floor import Floor, dollar

SIZES = (1, 5, 10, 25, PARTY_MAX)
ROUNDS = 15
TERMINALS = (100, 1_000, 10_000)
BETWEEN_SECONDS = 30.0  # two tickets of a terminal, on the average over a game
GAME_SECONDS, RUSH_SECONDS, RUSH = 240.0, 60.0, 3.0


def measure() -> Iterator[Result]:
    """Measure how long parties hold the sequence, and simulate networks on it."""
    yield from on_both_engines(_engine)


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    house, people = crowded_house(new_url("scale"), root / "scale", PARTY_MAX)
    held = {size: median(_held(house, people[:size])) for size in SIZES}
    house.close()
    name = NAMES[engine]
    for size, seconds in held.items():
        yield Result(
            f"{name}: a party of {size} holds the sequence", 1000 * seconds, "milliseconds"
        )
    most = PARTY_MAX / held[PARTY_MAX]
    yield Result(f"{name}: tickets that one sequence can number", most, "a second")
    slope, fixed = linear_regression(list(held), list(held.values()))
    for terminals in TERMINALS:
        waits = sorted(wait for wait in simulate(terminals, max(fixed, 0.0), slope))
        words = f"{name}, {terminals:,} terminals simulated"
        yield Result(f"{words}: median wait for the sequence", 1000 * median(waits), "milliseconds")
        worst = quantiles(waits, n=100)[-1]
        yield Result(f"{words}: 99 of 100 waited at most", 1000 * worst, "milliseconds")


def _held(house: Floor, people: list[Credentials]) -> Iterator[float]:
    """Sell to parties; yield how long each held the counter of numbers."""
    for number in range(ROUNDS):
        sale = dollar()
        party = [
            Customer(person, asking_to_sell(sale, f"scale-{len(people)}-{number}-{place}"), sale)
            for place, person in enumerate(people)
        ]
        with _watched() as seconds:
            answers = sell_to_party(house.office, party)
        if None in answers:
            raise LookupError("one of the party was not sold to")
        yield seconds[0]


@contextmanager
def _watched() -> Iterator[list[float]]:
    """Note for how long the counter is held: from when its numbers are taken until the commit."""
    held: list[float] = []
    begun: list[float] = []
    take, commit = tickets.next_numbers, Unit.commit

    def taken(*given: Any) -> Any:  # noqa: ANN401  as it is given
        numbers = take(*given)
        begun.append(perf_counter())
        return numbers

    def committed(unit: Unit) -> None:
        commit(unit)
        held.append(perf_counter() - begun.pop())

    with patch.object(tickets, "next_numbers", taken), patch.object(Unit, "commit", committed):
        yield held


# ---- the simulation ------------------------------------------------------------------------------


def arrivals(terminals: int, seed: int = 80) -> Iterator[float]:
    """Yield when tickets are wanted in a game, in order: more often shortly before its close."""
    chance = Random(seed)  # noqa: S311  the same in each run
    calm = GAME_SECONDS - RUSH_SECONDS
    # The rush is so many times as busy, and the average over the game is what it is.
    rate = terminals / BETWEEN_SECONDS * GAME_SECONDS / (calm + RUSH * RUSH_SECONDS)
    moment = 0.0
    while True:
        moment += chance.expovariate(rate * (RUSH if moment >= calm else 1.0))
        if moment >= GAME_SECONDS:
            return
        yield moment


def simulate(terminals: int, fixed: float, per_ticket: float) -> Iterator[float]:
    """Yield how long each ticket of a game waits for the sequence, and while it is numbered.

    Args:
        terminals: how many there are.
        fixed: seconds for which a party holds the sequence, whatever its size.
        per_ticket: seconds more for each of the party.
    """
    wanted, first, free = list(arrivals(terminals)), 0, 0.0
    while first < len(wanted):
        free = max(free, wanted[first])
        last = min(first + PARTY_MAX, bisect_right(wanted, free))  # who has come by then
        free += fixed + per_ticket * (last - first)
        yield from (free - came for came in wanted[first:last])
        first = last
