"""From one counter to a network of ten thousand terminals: where the one sequence of tickets ends.

Everything else of a sale is done beside others; only whoever holds the counter of numbers, from
taking them to the end of the commit, keeps the rest of the house waiting. So it is measured how
long parties of several sizes hold it. What that means for many terminals is simulated: tickets are
wanted at random, three times as often in the last minute before the close, and whoever waits is
served in parties as `app.flow.turns` forms them, in the web processes that an installation has.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import linear_regression, median, quantiles
from time import perf_counter
from typing import Any, NamedTuple
from unittest.mock import patch

from app.flow.access import Credentials
from app.flow.sell import asking_to_sell
from app.flow.sell_together import Customer, sell_to_party
from app.flow.turns import PARTY_MAX
from app.store.records import tickets
from app.store.unit import Unit
from bench.house import NAMES, crowded_house, on_every_engine
from bench.load import THREADS
from bench.measure import Result
from tests.floor import Floor, dollar

SIZES = (1, 5, 10, THREADS, 25, PARTY_MAX)
# Two workers on each of two machines, as they are installed; SQLite has one process on one machine.
LINES = {"sqlite": 1, "postgresql": 4, "standby": 4}
ROUNDS = 15
CROWD = 10_000  # tickets that are wanted at once, to see how fast they can be numbered
TERMINALS = (100, 1_000, 10_000)
BETWEEN_SECONDS = 30.0  # two tickets of a terminal, on the average over a game
GAME_SECONDS, RUSH_SECONDS, RUSH = 240.0, 60.0, 3.0


def measure() -> Iterator[Result]:
    """Measure how long parties hold the sequence, and simulate networks on it."""
    yield from on_every_engine(_engine)


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    house, people = crowded_house(new_url("scale"), root / "scale", PARTY_MAX)
    held = {size: median(_held(house, people[:size])) for size in SIZES}
    house.close()
    name = NAMES[engine]
    for size, seconds in held.items():
        yield Result(
            f"{name}: a party of {size} holds the sequence", 1000 * seconds, "milliseconds"
        )
    # No party has more than a web process has threads.
    sizes = [size for size in SIZES if size <= THREADS]
    slope, fixed = linear_regression(sizes, [held[size] for size in sizes])
    lines = LINES[engine]
    web = Web(lines, THREADS, max(fixed, 0.0), slope)
    *_, (_, at_last) = web.number([0.0] * CROWD)
    words = f"{lines} x {THREADS} web threads simulated"
    yield Result(f"{name}, {words}: tickets that can be numbered", CROWD / at_last, "a second")
    for terminals in TERMINALS:
        waits = [at - came for came, at in web.number(arrivals(terminals))]
        of_these = f"{name}, {words}, {terminals:,} terminals"
        yield Result(
            f"{of_these}: median wait for the sequence", 1000 * median(waits), "milliseconds"
        )
        worst = quantiles(waits, n=100)[-1]
        yield Result(f"{of_these}: 99 of 100 waited at most", 1000 * worst, "milliseconds")


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


class Numbered(NamedTuple):
    """A ticket: when it was wanted, and when it was numbered."""

    came: float
    at: float


@dataclass
class Line:
    """The line in a web process: who is served, who waits, and who has not been let in."""

    threads: int
    party: list[float] = field(default_factory=list)
    inside: deque[float] = field(default_factory=deque)
    outside: deque[float] = field(default_factory=deque)

    def come(self, moment: float) -> None:
        """Somebody comes, and is let in if a thread is free."""
        self.outside.append(moment)
        self._let_in()

    def end(self) -> list[float]:
        """End the party; whoever stood in line by then is the next. Return who was served."""
        served, self.party = self.party, []
        self.form()
        self._let_in()
        return served

    def form(self) -> None:
        """Form a party of all who wait, if none is being served."""
        if not self.party:
            size = min(PARTY_MAX, len(self.inside))
            self.party = [self.inside.popleft() for _ in range(size)]

    def _let_in(self) -> None:
        while self.outside and len(self.party) + len(self.inside) < self.threads:
            self.inside.append(self.outside.popleft())


@dataclass(frozen=True)
class Web:
    """Web processes that share one sequence."""

    lines: int
    threads: int  # of each: so many are let in
    fixed: float  # seconds for which a party holds the sequence, whatever its size
    per_ticket: float  # seconds more for each of the party

    def number(self, wanted: Iterable[float]) -> Iterator[Numbered]:
        """Yield tickets as they are numbered, of those that are wanted one after the other.

        A party is formed when the one before it has ended. Then it waits for the sequence, behind
        the parties of the other lines, while further tickets are wanted.
        """
        coming = deque(wanted)
        lines = [Line(self.threads) for _ in range(self.lines)]
        chance = Random(self.lines)  # noqa: S311  the same in each run
        holding: deque[Line] = deque()  # the first has the sequence, the others wait for it
        ends = 0.0
        while coming or holding:
            if holding and (not coming or ends <= coming[0]):
                now, line = ends, holding.popleft()
                yield from (Numbered(came, now) for came in line.end())
                is_first = True
            else:
                now, line = coming.popleft(), chance.choice(lines)
                line.come(now)
                is_first = not holding
                if line.party:
                    continue  # its line is being served
            line.form()
            if line.party:
                holding.append(line)
            if is_first and holding:
                ends = now + self.fixed + self.per_ticket * len(holding[0].party)
