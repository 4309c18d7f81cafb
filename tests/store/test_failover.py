"""Several servers: nobody waits for one that hangs, once another can be written to."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.store import servers
from app.store.away import is_away
from app.store.database import Database
from app.store.unit import CommitUnknown, unit_of
from tests.ports import free_port
from tests.postgres import Server, mortal_server
from tests.waiting import until

pytestmark = pytest.mark.both_engines

CONNECT_SECONDS = 60  # that one which hangs would be waited for
WHERE = text("SELECT current_setting('unix_socket_directories')")


@pytest.fixture
def both() -> Iterator[tuple[Server, Server]]:
    """Two servers; which of them counts is decided by who answers first."""
    with ExitStack() as stack:
        yield stack.enter_context(mortal_server()), stack.enter_context(mortal_server())


@pytest.fixture
def database(both: tuple[Server, Server]) -> Iterator[Database]:
    opened = Database(address(both))
    yield opened
    opened.close()


def address(both: tuple[Server, Server], role: str = "keno") -> str:
    hosts = ",".join(str(each.folder) for each in both)
    ports = ",".join(str(each.port) for each in both)
    more = f"&target_session_attrs=read-write&connect_timeout={CONNECT_SECONDS}"
    return f"postgresql+psycopg://{role}@/postgres?host={hosts}&port={ports}{more}"


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
    database: Database, both: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    # It answers who looks, however slow the machine.
    monkeypatch.setattr(servers, "SHORT", {"connect_timeout": CONNECT_SECONDS})
    monkeypatch.setattr(servers, "ASK_SECONDS", CONNECT_SECONDS)
    looked: list[str] = []
    asked = servers.Servers._asked  # noqa: SLF001

    def noted(self: servers.Servers, host: str, port: int) -> object:
        looked.append(host)
        return asked(self, host, port)

    monkeypatch.setattr(servers.Servers, "_asked", noted)
    with ExitStack() as held:
        for server in both:
            held.enter_context(closing(server.connect())).execute("SELECT pg_advisory_lock(7)")
        waiting = Waiting(database, "SELECT pg_advisory_xact_lock(7)")
        # Whoever looks for the second time has decided what to do of the first.
        until(lambda: min(looked.count(str(server.folder)) for server in both) >= 2)
        assert waiting.is_alive()
    waiting.join()
    assert waiting.fault is None


@pytest.fixture
def pair() -> Iterator[tuple[Server, Server]]:
    """A primary, whose every commit waits for its standby; and that standby."""
    waits = {"listen_addresses": "127.0.0.1", "synchronous_standby_names": "*"}
    with mortal_server(waits, port=free_port()) as primary, mortal_server(copy_of=primary) as copy:
        yield primary, copy


@pytest.fixture
def promoted(pair: tuple[Server, Server]) -> Iterator[tuple[Server, Server, Database]]:
    """As when Patroni dies and its PostgreSQL lives: the standby takes over beside the primary.

    The house was at work on the old one, under a role that may do little.
    """
    old, new = pair
    with old.connect() as connection:
        connection.execute("CREATE ROLE house LOGIN")
        connection.execute("GRANT pg_read_all_settings TO house")  # for where it is, here
        connection.execute("CREATE TABLE sold (number integer)")
        connection.execute("GRANT INSERT, SELECT ON sold TO house")
    with closing(Database(address(pair, "house"))) as database:
        with database.reading(), database.reading():  # which go back into the pool, with the third
            assert where(database) == str(old.folder)
        with new.connect() as connection:
            connection.execute("SELECT pg_promote()")
        yield old, new, database


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
@pytest.mark.usefixtures("impatient")
def test_where_two_can_be_written_to_the_one_that_was_promoted_last_counts(
    promoted: tuple[Server, Server, Database],
) -> None:
    old, new, database = promoted
    waiting = Waiting(database, "INSERT INTO sold VALUES (1)")
    waiting.join(60)
    assert isinstance(waiting.fault, CommitUnknown)
    # Whatever connects next is led to it, and so is what was connected before.
    with database.reading() as one, database.reading() as other, database.reading() as third:
        found = {each.execute(WHERE).scalar_one() for each in (one, other, third)}
    assert found == {str(new.folder)}
    again = Waiting(database, "INSERT INTO sold VALUES (2)")
    again.join(60)
    assert again.fault is None
    with old.connect() as stale, new.connect() as right:
        assert stale.execute("SELECT number FROM sold").fetchall() == []
        assert right.execute("SELECT number FROM sold").fetchall() == [(2,)]


@pytest.mark.rule("X-recovery")
@pytest.mark.usefixtures("impatient")
def test_nobody_goes_back_to_a_server_that_was_taken_over_from(
    promoted: tuple[Server, Server, Database],
) -> None:
    """It lacks what was sold since, and can be read and written to all the same."""
    _, new, database = promoted
    waiting = Waiting(database, "INSERT INTO sold VALUES (1)")
    waiting.join(60)
    assert where(database) == str(new.folder)
    new.kill()
    for _ in range(3):
        with pytest.raises(DBAPIError) as caught:
            where(database)
        assert is_away(caught.value)
    new.start()
    assert where(database) == str(new.folder)


@pytest.mark.rule("X-recovery")
@pytest.mark.usefixtures("impatient")
def test_a_process_that_starts_finds_out_as_soon_as_somebody_waits(
    promoted: tuple[Server, Server, Database], pair: tuple[Server, Server]
) -> None:
    old, new, _ = promoted
    with closing(Database(address(pair, "house"))) as started:
        assert where(started) == str(old.folder)  # which answers, and is named first
        waiting = Waiting(started, "INSERT INTO sold VALUES (1)")
        waiting.join(60)
        assert isinstance(waiting.fault, CommitUnknown)
        assert where(started) == str(new.folder)


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
def test_whoever_looks_after_those_who_wait_goes_on_whatever_happens_to_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[float] = []
    looked = threading.Event()

    def out_of_files(_: object) -> None:
        looks.append(time.monotonic())
        if len(looks) > 1:
            looked.set()
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(servers.Servers, "look", out_of_files)
    monkeypatch.setattr(servers, "LOOK_SECONDS", 0.01)
    where(database)  # whoever is the first to ask is looked after from then on
    assert looked.wait(60)


@pytest.mark.rule("X-recovery")
def test_a_defect_is_not_a_database_that_is_away(database: Database) -> None:
    with database.reading() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("SELECT * FROM nowhere"))
    assert not is_away(caught.value)
    assert not is_away(RuntimeError("a defect"))
