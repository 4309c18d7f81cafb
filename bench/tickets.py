"""Selling through HTTP, against the same SQL statements of a sale sent raw.

Both in the same run, in turns, from processes of their own: several for PostgreSQL, so that no
sender is short of its interpreter; one for SQLite, whose writers stand in a queue of one process.
The raw statements are sent on as many connections as there are stations, one commit a ticket. In
the web server those who wait share a commit; what a sale costs beyond its statements is HTTP, JSON,
the rules of keno and SQLAlchemy. A second comparison is with the number of connections on which the
raw statements do best. A third is with a house that has sold many tickets before.

As it stands, 10,000 sold before and as many stations as a large house has, so that all benchmarks
together take ten minutes. `SCALE=year`: 10,000,000, and every number of stations.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from unittest.mock import patch

from app.flow.access import Credentials
from app.flow.lockout import lock_game
from app.flow.seal import seal_log
from app.flow.sell import asking_to_sell
from app.flow.sell_together import Customer, sell_to_party
from bench.house import NAMES, copied_house, crowded_house, headers_of, on_every_engine
from bench.load import (
    LEAD,
    ROUNDS,
    SECONDS,
    SENDERS,
    THREADS,
    WORKERS,
    Act,
    Load,
    begun,
    in_turns,
    rate_of,
    received,
    sent,
)
from bench.measure import Result
from bench.plans import scanned
from bench.presold import presell
from bench.raw import Raw
from tests.floor import Floor, dollar
from tests.web.api import SALE
from tests.web.server import Client, serving

STATIONS = (1, 8, 32, 128)
BUSY = 32  # as many stations as a large house has
IS_YEAR = os.environ.get("SCALE") == "year"
SOLD_BEFORE, STATIONS_THEN = (10_000_000, STATIONS) if IS_YEAR else (10_000, (BUSY,))


@dataclass(frozen=True)
class House:
    """A house with its web server, and what a sale in it sends to its database."""

    engine: str
    floor: Floor
    people: list[Credentials]
    raw: Raw
    port: int

    def selling(self, stations: int) -> Load:
        """Return so many stations that sell."""
        headers = [headers_of(person) for person in self.people[:stations]]
        return Load(partial(_station, self.port), headers, SENDERS[self.engine])

    def sending(self, stations: int) -> Load:
        """Return so many connections that send the statements raw."""
        return Load(self.raw.connection, range(stations), SENDERS[self.engine])


def measure() -> Iterator[Result]:
    """Measure selling on every engine."""
    yield from on_every_engine(_engine)


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    name, most_raw, busiest = NAMES[engine], 0.0, 0.0
    floor, people = crowded_house(new_url("empty"), root / "house")
    _sold(floor, people[0])
    copy = copied_house(floor, root / "sold.db")
    # First, so that nothing is written any more while something is measured.
    presell(copy.office.database, SOLD_BEFORE, told=partial(_told, name))
    with _open(engine, floor, people, root / "house" / "keys") as empty:
        for stations in STATIONS:
            ours, theirs = in_turns(empty.selling(stations), empty.sending(stations))
            yield from _beside_raw(engine, stations, f"{name}, {stations} stations", ours, theirs)
            most_raw = max(most_raw, rate_of(theirs))
            busiest = rate_of(ours) if stations == BUSY else busiest
        at_best = None if engine == "sqlite" else 0.5
        yield Result(
            f"{name}, {BUSY} stations: against raw on its best number of connections",
            busiest / most_raw,
            "of the floor",
            goal=at_best,
        )
        crowd = max(STATIONS)
        yield from _lockouts(f"{name}, {crowd} stations", floor, empty.selling(crowd))
        with _open(engine, copy, people, root / "house" / "keys") as filled:
            yield from _sold_before(filled, empty)


def _told(engine: str, put_in: int) -> None:
    """Say how far a long run is."""
    if IS_YEAR:
        sys.stderr.write(f"{engine}: {put_in:,} of {SOLD_BEFORE:,} tickets are put in\n")


@contextmanager
def _open(engine: str, floor: Floor, people: list[Credentials], keys: Path) -> Iterator[House]:
    """Have a web server for a house."""
    raw = Raw(engine, floor, people, partial(_sold, floor))
    url = floor.office.database.url.render_as_string(hide_password=False)
    with serving(url, keys, WORKERS[engine], THREADS, quiet=True) as server:
        house = House(engine, floor, people, raw, server.port)
        sent(house.selling(BUSY))  # uncounted: what is slow once is not slow in a house that runs
        yield house
    floor.close()


def _beside_raw(
    engine: str, stations: int, name: str, ours: list[list[float]], theirs: list[list[float]]
) -> Iterator[Result]:
    """Tell of rounds through HTTP beside those of the raw statements."""
    waits = [1000 * wait for each in ours for wait in each]
    yield Result(f"{name}: tickets through HTTP", rate_of(ours), "a second")
    yield Result(f"{name}: its statements sent raw", rate_of(theirs), "a second")
    # Those who wait share a commit: more tickets than commits one by one could be.
    goal = 1.5 if engine != "sqlite" and stations >= BUSY else None
    ratio = median(_ratios(ours, theirs))
    yield Result(f"{name}: against the raw statements", ratio, "of the floor", goal=goal)
    yield Result(f"{name}: median wait for a ticket", median(waits), "milliseconds")
    worst = quantiles(waits, n=100)[-1]
    yield Result(f"{name}: 99 of 100 waited at most", worst, "milliseconds")


def _ratios(some: list[list[float]], others: list[list[float]]) -> list[float]:
    """Return how many times as many there were in each round."""
    return [len(a) / len(b) for a, b in zip(some, others, strict=True)]


def _lockouts(name: str, house: Floor, crowd: Load) -> Iterator[Result]:
    """Lock games while every station sells: until no sale comes in, and until the log is sealed.

    The first seal has everything to do that was sold before.
    """
    locked, sealed = [], []
    sam = house.sam
    for _ in range(ROUNDS):
        house.draw("M")  # the game before, or this one could not be locked
        selling = begun(crowd)
        time.sleep((LEAD + SECONDS) / 2)
        start = time.perf_counter()
        with patch("app.flow.lockout.seal_log"):  # it is measured by itself
            lock_game(house.office, sam, "M")
        locked.append(time.perf_counter() - start)
        start = time.perf_counter()
        seal_log(house.office)
        sealed.append(time.perf_counter() - start)
        received(selling)
    yield Result(f"{name}: a lockout takes effect after", median(locked), "seconds")
    yield Result(f"{name}: the longest of them", max(locked), "seconds", goal=1, at_most=True)
    yield Result(f"{name}: its seal takes", median(sealed), "seconds")
    yield Result(f"{name}: the longest seal", max(sealed), "seconds")


def _sold_before(filled: House, empty: House) -> Iterator[Result]:
    """Compare a house that has sold many tickets with one that has not, in turns."""
    before = f"{SOLD_BEFORE:,} sold before"
    for stations in STATIONS_THEN:
        name = f"{NAMES[filled.engine]}, {stations} stations, {before}"
        ours, theirs, fresh = in_turns(
            filled.selling(stations), filled.sending(stations), empty.selling(stations)
        )
        yield from _beside_raw(filled.engine, stations, name, ours, theirs)
        ratios = _ratios(ours, fresh)
        yield Result(f"{name}: against none sold before", median(ratios), "times as many")
        yield Result(f"{name}: the least and", min(ratios), "times as many")
        yield Result(f"{name}: the most of the rounds", max(ratios), "times as many")
    yield Result(
        f"{NAMES[filled.engine]}, {BUSY} stations, {before}: "
        "tables that a sale reads from end to end",
        _scanned(filled.floor, filled.people),
        "",
        goal=0,
        at_most=True,
    )


def _scanned(floor: Floor, people: list[Credentials]) -> int:
    """Return how many large tables are read from end to end to sell to one, and to a party."""
    database = floor.office.database
    alone = scanned(database, partial(_sold, floor, people[0]))
    return alone + scanned(database, partial(_sold_together, floor, people[:BUSY]))


def _sold_together(floor: Floor, people: list[Credentials]) -> None:
    sale = dollar()
    party = [Customer(each, asking_to_sell(sale, _request()), sale) for each in people]
    if not all(sell_to_party(floor.office, party)):
        raise RuntimeError("somebody of the party was not served with it")


def _sold(floor: Floor, person: Credentials) -> int:
    number: int = floor.sell(person, request=_request())["number"]
    return number


def _request() -> str:
    """Return an id that no station has used."""
    return f"bench-{time.time_ns()}-{os.urandom(4).hex()}"


def _station(port: int, headers: dict[str, str]) -> Act:
    """Connect a station that sells."""
    client = Client(port, headers)

    def sell() -> None:
        status, answer = client.ask("POST", "/api/v1/tickets", SALE, _request())
        if status != 201:
            raise RuntimeError(str(answer))

    return sell
