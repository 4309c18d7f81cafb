"""Paying through HTTP against its statements sent raw, and looking one ticket up among millions."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from sqlalchemy import text

from app.flow.access import Credentials
from app.flow.codes import validation_code
from app.flow.pay import Paying, pay_ticket
from app.flow.sell import Sale
from app.keno.drawer import Count
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from bench.crowd import fill
from bench.house import NAMES, crowded_house, headers_of, on_both_engines
from bench.load import SENDERS, WORKERS, Act, Load, in_turns, rate_of
from bench.measure import Result
from bench.plans import scanned
from bench.presold import presell
from bench.raw import Raw
from tests.floor import Floor
from tests.web.server import Client, serving

STATIONS = (1, 32)
WINNERS = 20_000  # more than are paid in all rounds
SOLD = 5_000_000 if os.environ.get("SCALE") == "year" else 200_000
FEW = 1_000
LOOKED_UP = 300
EVERY = Request(tuple((n,) for n in range(1, 81)), "80/1 @ 1.00")  # it always wins
LARGE = ("ticket", "act", "log_entry", "asked", "win", "payout", "posting", "print_job")
RICH = Count({TenderKind.CURRENCY: 1_000_000_000})


def measure() -> Iterator[Result]:
    """Measure paying and looking up on both engines."""
    yield from on_both_engines(_engine)


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    yield from _payments(engine, root, new_url("paying"))
    yield from _looked_up(engine, root, new_url)


# ---- paying --------------------------------------------------------------------------------------


def _payments(engine: str, root: Path, url: str) -> Iterator[Result]:
    house, people = crowded_house(url, root / "paying", max(STATIONS), RICH)
    house.sell(people[0], Sale("M", EVERY, (Tender(TenderKind.CURRENCY, 8_000),)))
    fill(house, WINNERS)
    house.play()
    _analyze(house)
    paper = Winners(house)
    raw = Raw(engine, house, people, paper.paid_by, paper.take)
    best_raw = 0.0
    rates = {}
    with serving(url, root / "paying" / "keys", WORKERS[engine], quiet=True) as server:
        for stations in STATIONS:
            name = f"{NAMES[engine]}, {stations} stations"
            headers = [headers_of(person) for person in people[:stations]]
            ours, theirs = in_turns(
                Load(partial(_station, server.port, paper), headers, SENDERS[engine]),
                Load(raw.connection, range(stations), SENDERS[engine]),
            )
            rates[stations], best_raw = rate_of(ours), max(best_raw, rate_of(theirs))
            yield Result(f"{name}: payments through HTTP", rate_of(ours), "a second")
            yield Result(f"{name}: their statements sent raw", rate_of(theirs), "a second")
            ratio = median(len(a) / len(b) for a, b in zip(ours, theirs, strict=True))
            yield Result(f"{name}: payments against raw", ratio, "of the floor")
            waits = sorted(1000 * wait for each in ours for wait in each)
            yield Result(f"{name}: median wait for a payment", median(waits), "milliseconds")
    _analyze(house)
    read = scanned(house.office.database, partial(paper.paid_by, people[0]), LARGE)
    name = f"{NAMES[engine]}: tables that a payment reads from end to end"
    yield Result(name, read, "", goal=0, at_most=True)
    house.close()


def _analyze(house: Floor) -> None:
    """Have the database look at its tables, as any server does by itself in time."""
    with house.office.database.writing() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()


class Winners:
    """Winning tickets, each given out once, to whichever process asks."""

    def __init__(self, house: Floor) -> None:
        self._house = house
        self._next = get_context("fork").Value("q", 0)
        with house.office.database.reading() as connection:
            found = connection.execute(
                text(
                    "SELECT number, code_key, leaf FROM ticket "
                    "JOIN log_entry ON log_entry.id = ticket.entry ORDER BY number"
                )
            )
            keys = house.office.keys
            self._codes = {
                number: validation_code(keys, key, number, bytes(leaf))
                for number, key, leaf in found
            }

    def take(self) -> int:
        """Return the next ticket that nobody has brought."""
        with self._next.get_lock():
            self._next.value += 1
            number: int = self._next.value
        if number > WINNERS:
            raise RuntimeError("all winning tickets are paid: have more of them")
        return number

    def code(self, number: int) -> str:
        """Return the code on the paper of a ticket."""
        return self._codes[number]

    def paid_by(self, person: Credentials) -> int:
        """Have somebody pay the next one, without the web server."""
        number = self.take()
        paying = Paying(number, self.code(number))
        pay_ticket(self._house.office, person, paying, f"direct-{number}")
        return number


def _station(port: int, paper: Winners, headers: dict[str, str]) -> Act:
    client = Client(port, headers)

    def pay() -> None:
        number = paper.take()
        body = {"code": paper.code(number)}
        status, answer = client.ask(
            "POST", f"/api/v1/tickets/{number}/pay", body, f"pay-{number:08}"
        )
        if status != 200:
            raise RuntimeError(str(answer))

    return pay


# ---- looking up ----------------------------------------------------------------------------------


def _looked_up(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    waits = {}
    for sold in (FEW, SOLD):
        url, folder = new_url(f"sold-{sold}"), root / f"sold-{sold}"
        house, people = crowded_house(url, folder, 1)
        house.sell(people[0])
        presell(house.office.database, sold, without=("tender", "posting", "print_job"))
        with serving(url, folder / "keys", quiet=True) as server:
            client = Client(server.port, headers_of(people[0]))
            waits[sold] = _waits(client, sold)
        house.close()
    name = f"{NAMES[engine]}: looking a ticket up among {SOLD:,}"
    yield Result(name, 1000 * median(waits[SOLD]), "milliseconds")
    yield Result(f"{name}, the longest", 1000 * max(waits[SOLD]), "milliseconds")
    ratio = median(waits[SOLD]) / median(waits[FEW])
    yield Result(f"{name}, against {FEW:,}", ratio, "times as long", goal=2, at_most=True)


def _waits(client: Client, sold: int) -> list[float]:
    chance = Random(80)  # noqa: S311  the same tickets in each run
    waits = []
    for _ in range(LOOKED_UP):
        number = chance.randint(1, sold)
        start = perf_counter()
        status, answer = client.ask("GET", f"/api/v1/tickets/{number}")
        waits.append(perf_counter() - start)
        if status != 200:
            raise RuntimeError(str(answer))
    return waits
