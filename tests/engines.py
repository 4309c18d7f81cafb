"""Fixtures of the floor on both engines: a real migrated database for each test.

The house is founded once for each engine, and a story that many tests begin with is told once in
it; a test gets a copy of the database, or one that was put back to it, which is quick.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.floor import Floor
from tests.lending import Shelf, address, drop_database, new_database
from tests.postgres import postgres_server

ENGINES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.second_engine))
"""By day most tests run on SQLite alone; on PostgreSQL too if they have the mark `both_engines`."""
Story = Callable[[Floor], object]
"""What happens in a house before a test begins."""


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of the tests' own."""
    with postgres_server() as url:
        yield url


@pytest.fixture(scope="session")
def shelf(postgres: str) -> Iterator[Shelf]:
    """The databases of that server that tests have used."""
    shelf = Shelf(postgres)
    yield shelf
    shelf.close()


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
    told = _told(engine, request, stories)
    if engine == "sqlite":
        floor = told.on(_new_url(engine, request, folder, told))
        yield floor
        floor.close()
        return
    shelf: Shelf = request.getfixturevalue("shelf")
    copy = shelf.lend(_name(told))
    floor = told.on(copy.url)
    copy.connect(floor.office.database)
    yield floor
    floor.keyed.close()
    shelf.take_back(floor.office.database)


def _told(engine: str, request: pytest.FixtureRequest, stories: tuple[Story, ...]) -> Floor:
    """Return the house in which these stories were told, to which nobody is connected."""
    told: dict[tuple[object, ...], Floor] = request.getfixturevalue("told_so_far")
    if (engine, *stories) not in told:
        home = request.getfixturevalue("tmp_path_factory").mktemp(engine)
        if stories:
            *before, last = stories
            first = _told(engine, request, tuple(before))
            floor = first.on(_new_url(engine, request, home, first))
            last(floor)
        else:
            floor = Floor.opened(_new_url(engine, request, home), home)
        floor.close()
        told[engine, *stories] = floor
    return told[engine, *stories]


def _new_url(
    engine: str, request: pytest.FixtureRequest, folder: Path, like: Floor | None = None
) -> str:
    """Make a new database, like that of another floor or without tables; return its address."""
    if engine == "sqlite":
        if like is not None:
            shutil.copy(_name(like), folder / "keno.db")
        return f"sqlite:///{folder / 'keno.db'}"
    server = str(request.getfixturevalue("postgres"))
    return address(server, new_database(server, None if like is None else _name(like)))


def _name(floor: Floor) -> str:
    return str(floor.office.database.url.database)
