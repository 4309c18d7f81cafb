"""Several servers: nobody waits for one that hangs, once another can be written to."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.store import servers
from app.store.away import is_away
from app.store.database import Database
from app.store.unit import CommitUnknown, unit_of
from tests.postgres import Server, mortal_server

CONNECT_SECONDS = 60  # that one which hangs would be waited for
WHERE = text("SELECT current_setting('unix_socket_directories')")


@pytest.fixture
def both() -> Iterator[tuple[Server, Server]]:
    """Two servers; which of them counts is decided by who answers first."""
    with ExitStack() as stack:
        yield stack.enter_context(mortal_server()), stack.enter_context(mortal_server())


@pytest.fixture
def database(both: tuple[Server, Server]) -> Iterator[Database]:
    hosts = ",".join(str(each.folder) for each in both)
    more = f"&target_session_attrs=read-write&connect_timeout={CONNECT_SECONDS}"
    opened = Database(f"postgresql+psycopg://keno@/postgres?host={hosts}&port=5432,5432{more}")
    yield opened
    opened.close()


def where(database: Database) -> str:
    with database.reading() as connection:
        return str(connection.execute(WHERE).scalar_one())


class Waiting(threading.Thread):
    """Somebody who asks the server for something, and waits."""

    def __init__(self, database: Database, statement: str) -> None:
        super().__init__()
        self.database, self.statement = database, statement
        self.fault: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            with unit_of(self.database) as unit:
                unit.connection.execute(text(self.statement))
                unit.commit()
        except (DBAPIError, CommitUnknown) as fault:
            self.fault = fault


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(servers, "LOOK_SECONDS", 0.1)


@pytest.mark.rule("X-recovery")
@pytest.mark.usefixtures("impatient")
def test_nobody_waits_for_a_server_that_hangs_when_another_can_be_written_to(
    database: Database, both: tuple[Server, Server]
) -> None:
    first, second = both
    assert where(database) == str(first.folder)
    first.tell(signal.SIGSTOP)
    try:
        waiting = Waiting(database, "SELECT 1")
        waiting.join(120)
        assert not waiting.is_alive()
        assert waiting.fault is not None
        assert is_away(waiting.fault)
        assert where(database) == str(second.folder)
        # Whoever connects next is not kept waiting by the one that hangs.
        begun = time.monotonic()
        with database.reading() as one, database.reading() as other:
            assert one.execute(WHERE).scalar_one() == other.execute(WHERE).scalar_one()
        assert time.monotonic() - begun < CONNECT_SECONDS
    finally:
        first.tell(signal.SIGCONT)


@pytest.mark.rule("X-recovery")
@pytest.mark.usefixtures("impatient")
def test_an_act_on_the_server_that_counts_takes_as_long_as_it_takes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It answers who looks, however slow the machine.
    monkeypatch.setattr(servers, "SHORT", {"connect_timeout": CONNECT_SECONDS})
    waiting = Waiting(database, "SELECT pg_sleep(2)")
    waiting.join()
    assert waiting.fault is None


@pytest.mark.rule("X-recovery")
def test_a_connection_that_only_reads_is_let_go_of_with_all_the_others(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE sold (number integer)"))
        connection.commit()
    with database.writing() as connection:
        # As on a server that was demoted under us.
        connection.execute(text("SET TRANSACTION READ ONLY"))
        with pytest.raises(DBAPIError) as caught:
            connection.execute(text("INSERT INTO sold VALUES (1)"))
    assert is_away(caught.value)
    with database.writing() as connection:
        connection.execute(text("INSERT INTO sold VALUES (1)"))
        connection.commit()


@pytest.mark.rule("X-recovery")
def test_a_defect_is_not_a_database_that_is_away(database: Database) -> None:
    with database.reading() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("SELECT * FROM nowhere"))
    assert not is_away(caught.value)
    assert not is_away(RuntimeError("a defect"))
