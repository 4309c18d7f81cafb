"""A house with many stations, a writer with an open drawer at each."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from app.flow.access import Credentials
from app.flow.found_house import HousePlan, LocationPlan, StaffPlan
from app.keno.drawer import Count
from app.store.tables import LocationKind, Role
from bench.measure import Result
from tests import floor as floors
from tests.floor import BANK, Floor, secret_of
from tests.lending import address, new_database
from tests.postgres import postgres_server, replicated_server

MOST = 128
NAMES = {
    "sqlite": "SQLite",
    "postgresql": "PostgreSQL",
    "standby": "PostgreSQL with standby",
}
Part = Callable[[str, Path, Callable[[str], str]], Iterator[Result]]
"""What is measured on an engine: it is told how to come by a database."""


def on_both_engines(part: Part) -> Iterator[Result]:
    """Measure on SQLite and then on PostgreSQL."""
    if _is_wanted("sqlite"):
        with TemporaryDirectory(prefix="keno-") as folder:
            root = Path(folder)
            yield from part("sqlite", root, lambda name: f"sqlite:///{root / name}.db")
    if _is_wanted("postgresql"):
        with postgres_server() as server:
            yield from _on_server("postgresql", server, part)


def on_every_engine(part: Part) -> Iterator[Result]:
    """Measure on both, and on PostgreSQL where a synchronous standby has every commit too."""
    yield from on_both_engines(part)
    if _is_wanted("standby"):
        with replicated_server() as server:
            yield from _on_server("standby", server, part)


def _is_wanted(engine: str) -> bool:
    """Say whether an engine is measured: each, unless `ENGINE` names one, as for the long runs."""
    return os.environ.get("ENGINE", engine) == engine


def _on_server(engine: str, server: str, part: Part) -> Iterator[Result]:
    with TemporaryDirectory(prefix="keno-") as folder:
        yield from part(engine, Path(folder), lambda _: address(server, new_database(server)))


def crowded_house(
    url: str, folder: Path, stations: int = MOST, bank: Count = BANK
) -> tuple[Floor, list[Credentials]]:
    """Found a house with so many stations, each of whose drawers has such a bank."""
    codes = [f"B{number}" for number in range(1, stations + 1)]
    floors.plan = lambda: _plan(codes)
    house = Floor.opened(url, folder, real_clock=True)
    people = [house.signed_in(f"Writer {code}", code) for code in codes]
    for person in people:
        house.open_drawer(person, bank)
    return house, people


def copied_house(house: Floor, to: Path) -> Floor:
    """Return a house once more, on a copy of its database, to which nobody else is connected."""
    database = house.office.database
    database.engine.dispose()
    if database.is_sqlite:
        shutil.copy(str(database.url.database), to)
        return house.on(f"sqlite:///{to}", real_clock=True)
    server = database.url.set(database="postgres").render_as_string(hide_password=False)
    copy = new_database(server, database.url.database)
    return house.on(address(server, copy), real_clock=True)


def _plan(codes: list[str]) -> HousePlan:
    plan = PLAN()
    booth = LocationPlan("booth", LocationKind.BOOTH, "Booth", ("M", "F"), tuple(codes))
    writers = tuple(
        StaffPlan(code, f"Writer {code}", Role.WRITER, secret_of(f"Writer {code}"))
        for code in codes
    )
    return replace(plan, locations=(booth,), staff=(*plan.staff, *writers))


PLAN = floors.plan


def headers_of(person: Credentials) -> dict[str, str]:
    """Return by what a station and a person are known to the web server."""
    return {"X-Station": person.station or "", "Authorization": f"Bearer {person.token}"}
