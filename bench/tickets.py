"""Selling through HTTP, against the same SQL statements of a sale sent raw.

Both in the same run, in turns, from processes of their own: several for PostgreSQL, so that no
sender is short of its interpreter; one for SQLite, whose writers stand in a queue of one process.
The raw statements are sent on as many connections as there are stations. The web server has fewer,
which is better than many: so what counts is the comparison with the number of connections on which
the raw statements do best. What a sale costs beyond its statements is HTTP, JSON, the rules of keno
and SQLAlchemy.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from unittest.mock import patch

from app.flow.access import Credentials
from app.flow.lockout import lock_game
from app.flow.seal import seal_log
from bench.house import NAMES, crowded_house, headers_of, on_both_engines
from bench.load import (
    ROUNDS,
    SECONDS,
    SENDERS,
    WORKERS,
    Act,
    Load,
    begun,
    in_turns,
    rate_of,
    received,
)
from bench.measure import Result
from bench.presold import presell
from bench.raw import Raw
from tests.floor import Floor
from tests.web.server import Client, serving
from tests.web.test_api import SALE

STATIONS = (1, 8, 32, 128)
BUSY = 32  # as many stations as a large house has
SOLD_BEFORE = (10_000, 1_000_000) if os.environ.get("SCALE") == "year" else (10_000,)


def measure() -> Iterator[Result]:
    """Measure selling on both engines."""
    yield from on_both_engines(_engine)


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    url = new_url("empty")
    house, people = crowded_house(url, root / "empty")
    raw = Raw(engine, house, people, partial(_sold, house))
    headers = [headers_of(person) for person in people]
    with serving(url, root / "empty" / "keys", WORKERS[engine]) as server:
        most_raw = busiest = 0.0
        for stations in STATIONS:
            name = f"{NAMES[engine]}, {stations} stations"
            senders = SENDERS[engine]
            ours, theirs = in_turns(
                Load(partial(_station, server.port), headers[:stations], senders),
                Load(raw.connection, range(stations), senders),
            )
            waits = sorted(1000 * wait for each in ours for wait in each)
            yield Result(f"{name}: tickets through HTTP", rate_of(ours), "a second")
            yield Result(f"{name}: its statements sent raw", rate_of(theirs), "a second")
            most_raw = max(most_raw, rate_of(theirs))
            busiest = rate_of(ours) if stations == BUSY else busiest
            ratio = median(len(a) / len(b) for a, b in zip(ours, theirs, strict=True))
            yield Result(f"{name}: against the raw statements", ratio, "of the floor")
            yield Result(f"{name}: median wait for a ticket", median(waits), "milliseconds")
            worst = quantiles(waits, n=100)[-1]
            yield Result(f"{name}: 99 of 100 waited at most", worst, "milliseconds")
        crowd = Load(partial(_station, server.port), headers, SENDERS[engine])
        yield from _lockouts(f"{NAMES[engine]}, {len(headers)} stations", house, crowd)
        name = f"{NAMES[engine]}, {BUSY} stations: against raw on its best number of connections"
        goal = 0.5 if engine == "postgresql" else None
        yield Result(name, busiest / most_raw, "of the floor", goal=goal)
        for sold in SOLD_BEFORE:
            empty = Load(partial(_station, server.port), headers[:BUSY], SENDERS[engine])
            yield from _sold_before(engine, sold, root, new_url, empty)
    house.close()


def _lockouts(name: str, house: Floor, crowd: Load) -> Iterator[Result]:
    """Lock games while every station sells: until no sale comes in, and until the log is sealed.

    The first seal has everything to do that was sold before.
    """
    locked, sealed = [], []
    sam = house.sam
    for _ in range(ROUNDS):
        house.draw("M")  # the game before, or this one could not be locked
        selling = begun(crowd)
        time.sleep(SECONDS / 2)
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


def _sold_before(
    engine: str,
    sold: int,
    root: Path,
    new_url: Callable[[str], str],
    empty: Load,
) -> Iterator[Result]:
    """Compare a house that has sold many tickets with one that has not, in turns."""
    url, folder = new_url(f"sold-{sold}"), root / f"sold-{sold}"
    house, people = crowded_house(url, folder)
    house.sell(people[0])
    presell(house.office.database, sold)
    scanned = Raw(engine, house, people, partial(_sold, house)).scanned()
    headers = [headers_of(person) for person in people[:BUSY]]
    with serving(url, folder / "keys", WORKERS[engine]) as server:
        sold_many = Load(partial(_station, server.port), headers, SENDERS[engine])
        filled, fresh = in_turns(sold_many, empty)
    ratios = sorted(len(a) / len(b) for a, b in zip(filled, fresh, strict=True))
    name = f"{NAMES[engine]}, {BUSY} stations, {sold:,} sold before"
    yield Result(f"{name}: tickets through HTTP", rate_of(filled), "a second")
    yield Result(f"{name}: against none sold before", median(ratios), "times as many")
    yield Result(f"{name}: the least and", ratios[0], "times as many")
    yield Result(f"{name}: the most of the rounds", ratios[-1], "times as many")
    yield Result(
        f"{name}: tables that a sale reads from end to end", scanned, "", goal=0, at_most=True
    )
    house.close()


def _sold(house: Floor, person: Credentials) -> int:
    number: int = house.sell(person)["number"]
    return number


def _station(port: int, headers: dict[str, str]) -> Act:
    """Connect a station that sells."""
    client = Client(port, headers)

    def sell() -> None:
        request = f"bench-{time.time_ns()}-{os.urandom(4).hex()}"
        status, answer = client.ask("POST", "/api/v1/tickets", SALE, request)
        if status != 201:
            raise RuntimeError(str(answer))

    return sell
