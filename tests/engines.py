"""Fixtures of the floor on both engines: a real migrated database for each test.

The house is founded once for each engine; a test gets a copy of its database, which is quick.
"""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from tests.floor import Floor
from tests.postgres import postgres_server

ENGINES = ("sqlite", "postgresql")
_names = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of the tests' own."""
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def founded() -> dict[str, tuple[Floor, Path]]:
    """The houses that were founded so far, by engine, with the folder of each."""
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
def floor(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    founded: dict[str, tuple[Floor, Path]],
) -> Iterator[Floor]:
    """A floor whose games M-1 and F-100 are open, on each engine in turn."""
    engine: str = request.param
    server = request.getfixturevalue("postgres") if engine == "postgresql" else ""
    if engine not in founded:
        folder = tmp_path_factory.mktemp(engine)
        url = f"sqlite:///{folder / 'keno.db'}"
        if server:
            url = address(server, new_database(server))
        first = Floor.opened(url, folder)
        first.close()
        founded[engine] = first, folder
    first, folder = founded[engine]
    if server:
        name = new_database(server, first.office.database.url.database)
        yield from _copied(first, address(server, name))
        drop_database(server, name)
    else:
        shutil.copy(folder / "keno.db", tmp_path / "keno.db")
        yield from _copied(first, f"sqlite:///{tmp_path / 'keno.db'}")


def _copied(first: Floor, url: str) -> Iterator[Floor]:
    copy = first.on(url)
    yield copy
    copy.close()


def new_database(server: str, template: str | None = None) -> str:
    """Make a database on a server, as a copy of another, and return its name."""
    name = f"keno_{next(_names)}"
    _execute(server, f"CREATE DATABASE {name} TEMPLATE {template or 'template1'}")
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
