"""Selling through HTTP, against the same SQL statements of a sale sent raw.

Both in the same run, in turns, from processes of their own: several for PostgreSQL, so that no
sender is short of its interpreter; one for SQLite, whose writers stand in a queue of one process.
The raw statements are sent on as many connections as there are stations. The web server has fewer,
which is better than many: so what counts is the comparison with the number of connections on which
the raw statements do best. What a sale costs beyond its statements is HTTP, JSON, the rules of keno
and SQLAlchemy.
"""

import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from sqlalchemy import event

from app.flow.access import Credentials, working
from app.flow.found_house import HousePlan, LocationPlan, StaffPlan
from app.flow.lockout import lock_game
from app.store.database import set_up_sqlite
from app.store.tables import LocationKind, Role
from bench.measure import Result
from bench.presold import presell
from tests import floor as floors
from tests.engines import address, new_database
from tests.floor import Floor, secret_of
from tests.postgres import postgres_server
from tests.web.server import Client, serving
from tests.web.test_api import SALE

STATIONS = (1, 8, 32, 128)
BUSY = 32  # as many stations as a large house has
SOLD_BEFORE = (10_000, 1_000_000) if os.environ.get("SCALE") == "year" else (10_000,)
SECONDS = 2
ROUNDS = 3
WORKERS = {"sqlite": 1, "postgresql": 2}
SENDERS = {"sqlite": 1, "postgresql": 4}  # processes that send, of stations as of raw statements
LARGE = ("ticket", "tender", "posting", "log_entry", "asked", "print_job")
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def measure() -> Iterator[Result]:
    """Measure selling on both engines."""
    with TemporaryDirectory(prefix="keno-") as folder:
        root = Path(folder)
        yield from _engine("sqlite", root, lambda name: f"sqlite:///{root / name}.db")
    with postgres_server() as server, TemporaryDirectory(prefix="keno-") as folder:
        yield from _engine(
            "postgresql", Path(folder), lambda _: address(server, new_database(server))
        )


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    url = new_url("empty")
    house, people = _crowded_house(url, root / "empty")
    raw = Raw(engine, house, people)
    headers = [_headers(person) for person in people]
    with serving(url, root / "empty" / "keys", WORKERS[engine]) as server:
        most_raw = busiest = 0.0
        for stations in STATIONS:
            name = f"{NAMES[engine]}, {stations} stations"
            senders = SENDERS[engine]
            ours, theirs = _in_turns(
                Load(partial(_station, server.port), headers[:stations], senders),
                Load(raw.connection, range(stations), senders),
            )
            waits = sorted(1000 * wait for each in ours for wait in each)
            yield Result(f"{name}: tickets through HTTP", _rate(ours), "a second")
            yield Result(f"{name}: its statements sent raw", _rate(theirs), "a second")
            most_raw = max(most_raw, _rate(theirs))
            busiest = _rate(ours) if stations == BUSY else busiest
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


def _lockouts(name: str, house: Floor, crowd: "Load") -> Iterator[Result]:
    """Lock games while every station sells; the log is sealed with each."""
    seconds = []
    sam = house.sam
    for _ in range(ROUNDS):
        house.draw("M")  # the game before, or this one could not be locked
        selling = _begun(crowd)
        time.sleep(SECONDS / 2)
        start = time.perf_counter()
        lock_game(house.office, sam, "M")
        seconds.append(time.perf_counter() - start)
        _received(selling)
    yield Result(f"{name}: lockout and seal meanwhile", median(seconds), "seconds")
    yield Result(f"{name}: the longest of them", max(seconds), "seconds", goal=1, at_most=True)


def _sold_before(
    engine: str,
    sold: int,
    root: Path,
    new_url: Callable[[str], str],
    empty: "Load",
) -> Iterator[Result]:
    """Compare a house that has sold many tickets with one that has not, in turns."""
    url, folder = new_url(f"sold-{sold}"), root / f"sold-{sold}"
    house, people = _crowded_house(url, folder)
    house.sell(people[0])
    presell(house.office.database, sold)
    scanned = Raw(engine, house, people).scanned()
    headers = [_headers(person) for person in people[:BUSY]]
    with serving(url, folder / "keys", WORKERS[engine]) as server:
        sold_many = Load(partial(_station, server.port), headers, SENDERS[engine])
        filled, fresh = _in_turns(sold_many, empty)
    ratios = sorted(len(a) / len(b) for a, b in zip(filled, fresh, strict=True))
    name = f"{NAMES[engine]}, {BUSY} stations, {sold:,} sold before"
    yield Result(f"{name}: tickets through HTTP", _rate(filled), "a second")
    yield Result(f"{name}: against none sold before", median(ratios), "times as many")
    yield Result(f"{name}: the least and", ratios[0], "times as many")
    yield Result(f"{name}: the most of the rounds", ratios[-1], "times as many")
    yield Result(
        f"{name}: tables that a sale reads from end to end", scanned, "", goal=0, at_most=True
    )
    house.close()


def _in_turns(*loads: "Load") -> list[list[list[float]]]:
    """Run loads in turns; return the waits of each round of each."""
    rounds = [[_sent(load) for load in loads] for _ in range(ROUNDS)]
    return [[each[place] for each in rounds] for place in range(len(loads))]


def _rate(rounds: list[list[float]]) -> float:
    return median(len(waits) / SECONDS for waits in rounds)


# ---- the house -----------------------------------------------------------------------------------


def _crowded_house(url: str, folder: Path) -> tuple[Floor, list[Credentials]]:
    """Found a house with many stations, a writer with an open drawer at each."""
    codes = [f"B{number}" for number in range(1, max(STATIONS) + 1)]
    floors.plan = lambda: _plan(codes)
    house = Floor.opened(url, folder, real_clock=True)
    return house, [house.writing(f"Writer {code}", code) for code in codes]


def _plan(codes: list[str]) -> HousePlan:
    plan = PLAN()
    booth = LocationPlan("booth", LocationKind.BOOTH, "Booth", ("M", "F"), tuple(codes))
    writers = tuple(
        StaffPlan(code, f"Writer {code}", Role.WRITER, secret_of(f"Writer {code}"))
        for code in codes
    )
    return replace(plan, locations=(booth,), staff=(*plan.staff, *writers))


PLAN = floors.plan


def _headers(person: Credentials) -> dict[str, str]:
    return {"X-Station": person.station or "", "Authorization": f"Bearer {person.token}"}


# ---- selling -------------------------------------------------------------------------------------

Act = Callable[[], None]


@dataclass(frozen=True)
class Load:
    """Something that is done over and over on so many connections, from so many processes."""

    connect: Callable[[Any], Act]
    connections: Sequence[Any]
    processes: int


def _station(port: int, headers: dict[str, str]) -> Act:
    """Connect a station that sells."""
    client = Client(port, headers)

    def sell() -> None:
        request = f"bench-{time.time_ns()}-{os.urandom(4).hex()}"
        status, answer = client.ask("POST", "/api/v1/tickets", SALE, request)
        if status != 201:
            raise RuntimeError(str(answer))

    return sell


def _sent(load: Load) -> list[float]:
    """Send a load for a while; return how long each act took."""
    return _received(_begun(load))


def _begun(load: Load) -> list[Any]:
    """Begin to send a load; return the pipes by which its processes answer."""
    context = get_context("fork")
    shares = [load.connections[place :: load.processes] for place in range(load.processes)]
    at_once = context.Barrier(sum(bool(share) for share in shares))
    pipes = []
    for share in filter(None, shares):
        ours, theirs = context.Pipe()
        pipes.append(ours)
        context.Process(target=_send, args=(load, share, at_once, theirs)).start()
    return pipes


def _received(pipes: list[Any]) -> list[float]:
    return [wait for pipe in pipes for wait in pipe.recv()]


def _send(load: Load, share: Sequence[Any], at_once: Any, answer: Any) -> None:  # noqa: ANN401
    """Be one process of a load, each of its connections in a thread."""
    acts = [load.connect(each) for each in share]
    waits: list[list[float]] = [[] for _ in acts]
    at_once.wait()
    end = time.perf_counter() + SECONDS

    def repeat(place: int) -> None:
        while (start := time.perf_counter()) < end:
            acts[place]()
            done = time.perf_counter()
            if done <= end:  # what ends later belongs to no second that is counted
                waits[place].append(done - start)

    with ThreadPoolExecutor(len(acts)) as threads:
        list(threads.map(repeat, range(len(acts))))  # a fault in one ends the run
    answer.send([wait for each in waits for wait in each])


# ---- the floor -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement:
    """A statement of a sale as it was sent, with the names of its parameters."""

    sql: str
    parameters: list[dict[str, Any]]
    order: tuple[str, ...] | None
    many: bool


class Raw:
    """The statements of a sale, recorded once and sent again without anything around them."""

    def __init__(self, engine: str, house: Floor, people: list[Credentials]) -> None:
        self._engine = engine
        self._url = house.office.database.url
        with house.office.unit() as unit:
            workers = [working(unit, person) for person in people]
        # Each connection sells at a station, and into a drawer, of its own.
        self._places = [
            {"station": who.station, "staff": who.staff, "drawer": who.drawer} for who in workers
        ]
        house.sell(people[0])  # the statements are compiled once, as in a house that runs
        self._statements: list[Statement] = []
        event.listen(house.office.database.engine, "before_cursor_execute", self._record)
        house.sell(people[0])
        event.remove(house.office.database.engine, "before_cursor_execute", self._record)

    def _record(
        self,
        _connection: object,
        _cursor: object,
        sql: str,
        given: Any,  # noqa: ANN401  what the driver takes
        context: Any,  # noqa: ANN401  SQLAlchemy's own
        many: bool,
    ) -> None:
        if context is not None and context.compiled is not None:
            order = tuple(context.compiled.positiontup or ())
            rows = list(given) if many else [given]
            named = [dict(zip(order, row, strict=True)) if order else dict(row) for row in rows]
            self._statements.append(Statement(sql, named, order or None, many))

    def scanned(self) -> int:
        """Return how many large tables a sale reads from end to end, by the engine's own plan."""
        asks = "EXPLAIN QUERY PLAN " if self._engine == "sqlite" else "EXPLAIN "
        plans = []
        with closing(self._connect()) as connection:
            for statement in self._statements:
                values = [
                    tuple(row[name] for name in statement.order) if statement.order else row
                    for row in statement.parameters
                ]
                with closing(connection.cursor()) as cursor:
                    cursor.execute(asks + statement.sql, values[0])
                    plans += [str(row) for row in cursor.fetchall()]
        words = ("SCAN {}", "Seq Scan on {}")
        return sum(
            word.format(table) in plan for plan in plans for word in words for table in LARGE
        )

    def connection(self, place: int) -> Act:
        """Connect, to send the sales of one station."""
        return partial(self._sale, self._connect(), self._places[place])

    def _connect(self) -> Any:  # noqa: ANN401  either driver's
        if self._engine == "sqlite":
            connection = sqlite3.connect(
                str(self._url.database), isolation_level=None, check_same_thread=False, timeout=60
            )
            set_up_sqlite(connection)
            return connection
        plain = self._url.render_as_string(hide_password=False)
        return psycopg.connect(plain.replace("+psycopg", ""))

    def _sale(self, connection: Any, station: dict[str, Any]) -> None:  # noqa: ANN401  either's
        """Send one sale: what one statement returns is what the next ones name."""
        request = f"raw-{time.time_ns()}-{os.urandom(4).hex()}"
        known: dict[str, Any] = {"request": request, **station}
        if self._engine == "sqlite":
            _WRITER.acquire()
            connection.execute("BEGIN IMMEDIATE")
        for statement in self._statements:
            rows = [_filled(each, known) for each in statement.parameters]
            values = [
                tuple(row[name] for name in statement.order) if statement.order else row
                for row in rows
            ]
            with closing(connection.cursor()) as cursor:
                if statement.many:
                    cursor.executemany(statement.sql, values)
                    continue
                cursor.execute(statement.sql, values[0])
                if statement.sql.startswith("UPDATE counter"):
                    known["number"] = known["ticket"] = cursor.fetchone()[0]
                elif statement.sql.startswith("INSERT INTO log_entry"):
                    known["entry"] = cursor.fetchone()[0]
                elif cursor.description:
                    cursor.fetchall()
        connection.commit()
        if self._engine == "sqlite":
            _WRITER.release()


_WRITER = threading.Lock()  # SQLite's writers of one process stand in a queue, as ours do


_SUFFIX = re.compile(r"_\d+$")  # by which one row's column differs from another's


def _filled(row: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a statement, with what this sale knows in place of the old."""
    filled = {name: known.get(_SUFFIX.sub("", name), value) for name, value in row.items()}
    # A posting to an account of the house has no drawer.
    return {name: row[name] and value for name, value in filled.items()}
