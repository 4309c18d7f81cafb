"""Fixtures of the floor on both engines: a real migrated database for each test.

The house is founded once for each engine, and a story that many tests begin with is told once in
it; a test gets a copy of the database, which is quick.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.floor import Floor
from tests.postgres import postgres_server

ENGINES = ("sqlite", "postgresql")
Story = Callable[[Floor], object]
"""What happens in a house before a test begins."""
_names = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of the tests' own."""
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def told_so_far() -> dict[tuple[object, ...], Floor]:
    """The houses that tests get copies of, by their engine and the stories told in them so far."""
    return {}


@pytest.fixture(params=ENGINES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database without tables, on each engine in turn."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'keno.db'}"
        return
    server = request.getfixturevalue("postgres")
    name = new_database(server)
    yield address(server, name)
    drop_database(server, name)


@pytest.fixture(params=ENGINES)
def floor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Floor]:
    """A floor whose games M-1 and F-100 are open, on each engine in turn."""
    with floor_on(request.param, request, tmp_path) as floor:
        yield floor


@contextmanager
def floor_on(
    engine: str, request: pytest.FixtureRequest, folder: Path, *stories: Story
) -> Iterator[Floor]:
    """Give out a floor on an engine, for as long as a test or a module of tests needs it.

    What happened in it is told once for each engine, if there is something to tell.
    """
    server = _server(engine, request)
    copy = _copy(_told(engine, request, stories), server, folder)
    yield copy
    copy.close()
    if server:
        drop_database(server, str(copy.office.database.url.database))


def _server(engine: str, request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("postgres")) if engine == "postgresql" else ""


def _told(engine: str, request: pytest.FixtureRequest, stories: tuple[Story, ...]) -> Floor:
    """Return the house in which these stories were told, to which nobody is connected."""
    told: dict[tuple[object, ...], Floor] = request.getfixturevalue("told_so_far")
    if (engine, *stories) not in told:
        home = request.getfixturevalue("tmp_path_factory").mktemp(engine)
        server = _server(engine, request)
        if stories:
            *before, last = stories
            floor = _copy(_told(engine, request, tuple(before)), server, home)
            last(floor)
        else:
            floor = Floor.opened(_new_url(server, home), home)
        floor.close()
        told[engine, *stories] = floor
    return told[engine, *stories]


def _copy(first: Floor, server: str, folder: Path) -> Floor:
    database = first.office.database.url.database
    url = _new_url(server, folder, database)
    if not server:
        shutil.copy(str(database), folder / "keno.db")
    return first.on(url)


def _new_url(server: str, folder: Path, template: str | None = None) -> str:
    if server:
        return address(server, new_database(server, template))
    return f"sqlite:///{folder / 'keno.db'}"


def new_database(server: str, template: str | None = None) -> str:
    """Make a database on a server, as a copy of another, and return its name."""
    name = f"keno_{next(_names)}"
    _execute(
        server, f"CREATE DATABASE {name} TEMPLATE {template or 'template1'} STRATEGY FILE_COPY"
    )
    return name


def drop_database(server: str, name: str) -> None:
    """Drop a database, whoever is connected to it."""
    _execute(server, f"DROP DATABASE {name} WITH (FORCE)")


def address(server: str, name: str) -> str:
    """The address of a database on a server."""
    return server.replace("/postgres?", f"/{name}?")


def _execute(server: str, statement: str) -> None:
    plain = server.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(statement.encode())
