"""A house that is lost, and restored: on a database of its own, with the same two processes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from app.clock import system_clock
from app.flow.backup import restore
from app.flow.office import Office
from app.store.database import Database
from tests.floor import Floor, knowing_statements_of, tick
from tests.lending import drop_database, new_database

# Behind the back of the house: in a restored one nobody can be disabled until it goes on.
DISABLED = "UPDATE staff SET disabled_at = '2026-11-16T17:00:00.000000Z' WHERE name = :name"


@contextmanager
def empty_url(floor: Floor) -> Iterator[str]:
    """The address of an empty database, of the floor's engine."""
    url = floor.office.database.url
    if floor.office.database.is_sqlite:
        with TemporaryDirectory(prefix="keno-restored-") as folder:
            yield f"sqlite:///{Path(folder) / 'keno.db'}"
        return
    server = url.set(database="postgres").render_as_string(hide_password=False)
    name = new_database(server)
    yield url.set(database=name).render_as_string(hide_password=False)
    drop_database(server, name)


@contextmanager
def empty_database(floor: Floor) -> Iterator[Database]:
    """An empty database, of the floor's engine."""
    with empty_url(floor) as url:
        database = Database(url)
        yield database
        database.close()


@contextmanager
def restored(floor: Floor, file: Path) -> Iterator[Floor]:
    """The floor as it is when its database is lost and a backup is restored.

    The keyed processes and the stations are the same, and have gone on meanwhile.
    """
    with empty_url(floor) as url:
        database = Database(url, lambda: tick(floor.moment))
        knowing_statements_of(floor.office.database, database)
        restore(database, file, system_clock())
        knowing_statements_of(floor.office.database, database)
        old = floor.office
        office = Office(database, old.keys, old.keyed, hasher=old.hasher)
        again = Floor(office, dict(floor.enrolments), floor.moment, floor.ceremony, floor.keyed)
        again.stations.update(floor.stations)
        again._ids = floor._ids  # noqa: SLF001  the stations go on counting
        yield again
        database.close()
