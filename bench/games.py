"""From lock to payable with very many tickets, against reading and writing the same rows raw.

Memory is that of a process which does nothing but settle and certify, with a tenth of the tickets
and with all of them: what it holds must not grow with what was sold.
"""

import asyncio
import os
import resource
import time
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import text

from app.feed import Feed
from app.flow.certify import certify_game
from app.flow.draw import end_game
from app.flow.lockout import lock_game
from app.flow.settle import settle_game
from app.store.records.outcomes import event_row
from app.store.records.running import add_event
from bench.crowd import fill, sell_mix
from bench.house import NAMES, on_both_engines
from bench.measure import Result
from tests.floor import WALT, Floor, dollar

TICKETS = 1_000_000 if os.environ.get("SCALE") == "year" else 100_000
BOARDS = 200
EVENTS = 20
MEMORY_GOAL_MIB = 64.0


def measure() -> Iterator[Result]:
    """Measure games on both engines, and the feed."""
    yield from on_both_engines(_engine)
    with TemporaryDirectory(prefix="keno-") as folder:
        yield from _boards(Path(folder))


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    memory = {}
    for count in (TICKETS // 10, TICKETS):
        name = f"{NAMES[engine]}, {count:,} tickets"
        house = Floor.opened(new_url(f"t{count}"), root / f"t{count}", real_clock=True)
        sell_mix(house)
        fill(house, count)
        results = list(_game(name, house))
        memory[count] = next(each.figure for each in results if "memory" in each.name)
        if count == TICKETS:
            yield from results
        house.close()
    grown = memory[TICKETS] - memory[TICKETS // 10]
    name = f"{NAMES[engine]}: memory that ten times as many tickets take more"
    yield Result(name, grown, "MiB", goal=MEMORY_GOAL_MIB, at_most=True)


def _game(name: str, house: Floor) -> Iterator[Result]:
    house.two_keys.check_ready()
    start = time.perf_counter()
    number = lock_game(house.office, house.sam, "M")
    locked = time.perf_counter()
    end_game(house.office, house.two_keys, "M", number)
    drawn = time.perf_counter()
    yield Result(f"{name}: lock to twenty numbers", drawn - start, "seconds")
    yield Result(f"{name}: of which the lockout itself, with its seal", locked - start, "seconds")
    writer = house.writing(WALT, "B2")
    graded, waits = _graded_while_selling(house, number, lambda: house.sell(writer, dollar("F")))
    yield Result(f"{name}: settle and certify", graded["seconds"], "seconds")
    floor = _raw(house, number)
    yield Result(f"{name}: reading the rows and writing the wins raw", floor, "seconds")
    yield Result(f"{name}: times the raw reading and writing", graded["seconds"] / floor, "times")
    yield Result(f"{name}: longest wait of a sale meanwhile", max(waits), "seconds")
    yield Result(f"{name}: median wait of a sale meanwhile", median(waits), "seconds")
    yield Result(f"{name}: peak memory of settling and certifying", graded["mib"], "MiB")
    if house.state(number) != "certified":
        raise RuntimeError("the game was not certified")


def _graded_while_selling(
    house: Floor, number: int, sell: Callable[[], object]
) -> tuple[dict[str, float], list[float]]:
    """Grade in a process of its own, and sell here meanwhile."""
    context = get_context("fork")
    ours, theirs = context.Pipe()
    url = house.office.database.url.render_as_string(hide_password=False)
    at = house.keyed.stop()

    def grade() -> None:
        own = house.on(url, at)
        own.office.database.clock = None
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        settle_game(own.office, "M", number)
        certify_game(own.office, own.two_keys, "M", number)
        seconds = time.perf_counter() - start
        mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        theirs.send({"seconds": seconds, "mib": mib})

    process = context.Process(target=grade)
    process.start()
    waits = []
    while not ours.poll(0.05):
        start = time.perf_counter()
        sell()
        waits.append(time.perf_counter() - start)
    graded: dict[str, float] = ours.recv()
    process.join()
    return graded, waits


def _raw(house: Floor, number: int) -> float:
    """Read what grading reads and write what it writes, without anything in between."""
    database = house.office.database
    start = time.perf_counter()
    with database.reading() as connection:
        found = connection.execution_options(stream_results=True).execute(
            text(
                "SELECT number, type, play, games, card, price_per_game_cents FROM ticket "
                "WHERE series = 'M' AND first_game <= :game AND last_game >= :game"
            ),
            {"game": number},
        )
        for _ in found.partitions(10_000):
            pass
        bodies = connection.execution_options(stream_results=True).exec_driver_sql(
            "SELECT body, salt, leaf FROM log_entry"
        )
        for _ in bodies.partitions(10_000):
            pass
        wins = [
            tuple(row)
            for row in connection.execute(
                text("SELECT attempt, ticket, uncut_cents, cents FROM win")
            )
        ]
    with database.writing() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE raw_win (attempt BIGINT, ticket BIGINT, uncut BIGINT, cents BIGINT, "
            "PRIMARY KEY (attempt, ticket))"
        )
        marks = "?, ?, ?, ?" if database.is_sqlite else "%s, %s, %s, %s"
        connection.exec_driver_sql(f"INSERT INTO raw_win VALUES ({marks})", wins)  # noqa: S608
        connection.commit()
    return time.perf_counter() - start


# ---- the feed ------------------------------------------------------------------------------------


def _boards(root: Path) -> Iterator[Result]:
    house = Floor.opened(f"sqlite:///{root / 'feed.db'}", root, real_clock=True)
    delays = asyncio.run(_told(house))
    house.close()
    name = f"the feed, {BOARDS} boards"
    yield Result(f"{name}: the last board after the first", median(delays), "milliseconds")
    yield Result(f"{name}: the longest of {EVENTS} events", max(delays), "milliseconds")


async def _told(house: Floor) -> list[float]:
    """Return how long after the first board the last one had each event, in milliseconds."""
    stop = asyncio.Event()
    port = 18_000 + os.getpid() % 10_000
    serving = asyncio.create_task(Feed(house.office).serve("127.0.0.1", port, stop))
    await asyncio.sleep(0.5)
    arrived: dict[int, list[float]] = {number: [] for number in range(EVENTS)}

    async def board() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /events HTTP/1.1\r\nHost: bench\r\n\r\n")
        while True:
            block = await reader.readuntil(b"\n\n")
            if b"event: bench" in block:
                number = int(block.rsplit(b'"place":', 1)[1].split(b",")[0].strip(b"}\n "))
                arrived[number].append(time.perf_counter())
                if number == EVENTS - 1:
                    writer.close()
                    return

    boards = [asyncio.create_task(board()) for _ in range(BOARDS)]
    await asyncio.sleep(1)
    for number in range(EVENTS):
        await asyncio.to_thread(_happen, house, number)
        await asyncio.sleep(0.3)
    await asyncio.gather(*boards)
    stop.set()
    await serving
    return [1000 * (max(times) - min(times)) for times in arrived.values()]


def _happen(house: Any, number: int) -> None:  # noqa: ANN401  a floor
    with house.office.unit() as unit:
        add_event(unit, event_row(unit, "bench", "M", 1, {"place": number}, unit.now()))
        unit.commit()
