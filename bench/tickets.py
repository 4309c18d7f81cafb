"""Selling through HTTP, against the same SQL statements of a sale sent raw.

Both in the same run, in turns, each with the same number of connections, from a process of its own.
What a sale costs beyond its statements is HTTP, JSON, the rules of keno and SQLAlchemy.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from sqlalchemy import event

from app.flow.access import Credentials
from app.flow.found_house import HousePlan, LocationPlan, StaffPlan
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
    raw = Raw(engine, house, people[0])
    headers = [_headers(person) for person in people]
    with serving(url, root / "empty" / "keys", WORKERS[engine]) as server:
        for stations in STATIONS:
            name = f"{NAMES[engine]}, {stations} stations"
            loads = (
                lambda count=stations: _sell(server.port, headers[:count]),
                lambda count=stations: raw.send(count),
            )
            ours, theirs = _in_turns(*loads)
            goal = 0.5 if engine == "postgresql" and stations == BUSY else None
            waits = sorted(1000 * wait for each in ours for wait in each)
            yield Result(f"{name}: tickets through HTTP", _rate(ours), "a second")
            yield Result(f"{name}: its statements sent raw", _rate(theirs), "a second")
            ratio = median(len(a) / len(b) for a, b in zip(ours, theirs, strict=True))
            yield Result(f"{name}: against the raw statements", ratio, "of the floor", goal=goal)
            yield Result(f"{name}: median wait for a ticket", median(waits), "milliseconds")
            worst = quantiles(waits, n=100)[-1]
            yield Result(f"{name}: 99 of 100 waited at most", worst, "milliseconds")
        for sold in SOLD_BEFORE:
            yield from _sold_before(engine, sold, root, new_url, (server.port, headers[:BUSY]))
    house.close()


def _sold_before(
    engine: str,
    sold: int,
    root: Path,
    new_url: Callable[[str], str],
    empty: tuple[int, list[dict[str, str]]],
) -> Iterator[Result]:
    """Compare a house that has sold many tickets with one that has not, in turns."""
    url, folder = new_url(f"sold-{sold}"), root / f"sold-{sold}"
    house, people = _crowded_house(url, folder)
    house.sell(people[0])
    presell(house.office.database, sold)
    scanned = Raw(engine, house, people[0]).scanned()
    headers = [_headers(person) for person in people[:BUSY]]
    with serving(url, folder / "keys", WORKERS[engine]) as server:
        filled, fresh = _in_turns(lambda: _sell(server.port, headers), lambda: _sell(*empty))
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


def _in_turns(*loads: Callable[[], list[float]]) -> list[list[list[float]]]:
    """Run loads in turns, each in a process of its own; return the waits of each round of each."""
    rounds = [[_in_own_process(load) for load in loads] for _ in range(ROUNDS)]
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


def _sell(port: int, headers: list[dict[str, str]]) -> list[float]:
    """Sell from as many stations as there are headers; return how long each ticket took."""

    def station(place: int) -> Callable[[int], None]:
        client = Client(port, headers[place])

        def sell(number: int) -> None:
            request = f"bench-{time.time_ns()}-{number}"
            status, answer = client.ask("POST", "/api/v1/tickets", SALE, request)
            if status != 201:
                raise RuntimeError(str(answer))

        return sell

    return _side_by_side([station(place) for place in range(len(headers))])


def _side_by_side(acts: list[Callable[[int], None]]) -> list[float]:
    """Do acts over and over for a while, each in a thread; return how long each took."""
    waits: list[list[float]] = [[] for _ in acts]
    end = time.perf_counter() + SECONDS

    def repeat(place: int) -> None:
        number = 0
        while (start := time.perf_counter()) < end:
            acts[place](number)
            waits[place].append(time.perf_counter() - start)
            number += 1

    threads = [threading.Thread(target=repeat, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [wait for each in waits for wait in each]


def _in_own_process(act: Callable[[], list[float]]) -> list[float]:
    """Run a load in a process of its own, as stations are."""
    context = get_context("fork")
    ours, theirs = context.Pipe()

    def run() -> None:
        theirs.send(act())

    process = context.Process(target=run)
    process.start()
    waits: list[float] = ours.recv()
    process.join()
    return waits


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

    def __init__(self, engine: str, house: Floor, person: Credentials) -> None:
        self._engine = engine
        self._url = house.office.database.url
        house.sell(person)  # the statements are compiled once, as in a house that runs
        self._statements: list[Statement] = []
        event.listen(house.office.database.engine, "before_cursor_execute", self._record)
        house.sell(person)
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

    def send(self, connections: int) -> list[float]:
        """Send sales on so many connections; return how long each took."""
        return _side_by_side([self._connection() for _ in range(connections)])

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

    def _connection(self) -> Callable[[int], None]:
        connection = self._connect()
        return lambda _: self._sale(connection)

    def _connect(self) -> Any:  # noqa: ANN401  either driver's
        if self._engine == "sqlite":
            connection = sqlite3.connect(
                str(self._url.database), isolation_level=None, check_same_thread=False, timeout=60
            )
            connection.execute("PRAGMA synchronous=FULL")
            return connection
        plain = self._url.render_as_string(hide_password=False)
        return psycopg.connect(plain.replace("+psycopg", ""))

    def _sale(self, connection: Any) -> None:  # noqa: ANN401  either driver's
        """Send one sale: what one statement returns is what the next ones name."""
        known: dict[str, Any] = {"request": f"raw-{time.time_ns()}-{threading.get_ident()}"}
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


def _filled(row: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a statement, with what this sale knows in place of the old."""
    return {name: known.get(name.removesuffix("_1"), value) for name, value in row.items()}
