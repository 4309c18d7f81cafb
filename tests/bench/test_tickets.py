"""What selling is measured with: the copies, the raw statements, the standby. Nothing is timed."""

from contextlib import closing
from functools import partial

import psycopg
import pytest
from sqlalchemy import and_, exists, select

from app.store.tables import Table
from bench.house import NAMES
from bench.load import SENDERS, WORKERS
from bench.plans import scanned
from bench.presold import COPIED, presell
from bench.raw import Raw
from bench.tickets import _beside_raw, _scanned, _sold
from tests.floor import SECOND_STATION, WALT, Floor
from tests.looking import rows
from tests.postgres import replicated_server


def counted(floor: Floor) -> dict[str, int]:
    """How many rows each table has that is copied."""
    return {table: rows(floor, f"SELECT count(*) FROM {table}")[0][0] for table in COPIED}  # noqa: S608


def lost_references(floor: Floor) -> list[object]:
    """Every row of those tables that names another which is not there."""
    found: list[object] = []
    for table in map(Table.metadata.tables.__getitem__, COPIED):
        for key in table.foreign_key_constraints:
            other = key.referred_table.alias()
            named = and_(*(part.parent.is_not(None) for part in key.elements))
            there = and_(*(other.c[part.column.name] == part.parent for part in key.elements))
            with floor.office.database.reading() as connection:
                found += connection.execute(select(table).where(named, ~exists().where(there)))
    return found


def test_copies_of_a_ticket_are_whole_and_the_house_sells_on_behind_them(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.presold.AT_ONCE", 3)
    wanda, before = floor.writing(), counted(floor)
    floor.sell(wanda)
    first = counted(floor)
    presell(floor.office.database, 7)
    then = counted(floor)
    assert then == {table: first[table] + 7 * (first[table] - before[table]) for table in COPIED}
    assert lost_references(floor) == []
    assert floor.sell(wanda)["number"] == 9


def test_a_sale_reads_no_large_table_from_end_to_end_alone_or_with_others(floor: Floor) -> None:
    wanda, walt = floor.writing(), floor.writing(WALT, SECOND_STATION)
    floor.sell(wanda)
    presell(floor.office.database, 5_000)
    assert _scanned(floor, [wanda, walt]) == 0
    reading = partial(rows, floor, "SELECT ticket FROM tender WHERE cents = 1")
    assert scanned(floor.office.database, reading) == 1


def test_the_raw_statements_of_a_sale_write_what_a_sale_writes(
    floor: Floor, request: pytest.FixtureRequest
) -> None:
    wanda = floor.writing()
    raw = Raw(request.node.callspec.params["floor"], floor, [wanda], partial(_sold, floor))
    before = counted(floor)
    floor.sell(wanda)
    sold = counted(floor)
    with closing(raw.connect()) as connection:
        raw.send(connection, 0)
    sent = counted(floor)
    grown = {table: sold[table] - before[table] for table in COPIED}
    assert {table: sent[table] - sold[table] for table in COPIED} == grown
    assert all(grown.values())
    assert lost_references(floor) == []


def test_a_replicated_server_calls_nothing_done_that_its_standby_does_not_have() -> None:
    with (
        replicated_server() as url,
        psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection,
    ):
        connection.execute("CREATE TABLE sold (number bigint)")  # it waits for the standby
        states = connection.execute("SELECT sync_state FROM pg_stat_replication").fetchall()
        assert states == [("sync",)]
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)


@pytest.mark.parametrize(
    ("engine", "stations", "goal"),
    [("sqlite", 128, None), ("postgresql", 8, None), ("postgresql", 32, 1.5), ("standby", 32, 1.5)],
)
def test_where_many_wait_there_are_more_tickets_than_raw_commits(
    engine: str, stations: int, goal: float | None
) -> None:
    ours, theirs = [[0.01] * 40, [0.02] * 20, [0.03] * 30], [[0.01] * 10] * 3
    found = {result.name: result for result in _beside_raw(engine, stations, "many", ours, theirs)}
    against = found["many: against the raw statements"]
    assert (against.figure, against.goal) == (3.0, goal)
    assert found["many: median wait for a ticket"].figure == pytest.approx(20)
    assert found["many: 99 of 100 waited at most"].figure == pytest.approx(30)


def test_every_engine_is_served_and_sent_to() -> None:
    assert set(NAMES) == set(SENDERS) == set(WORKERS)
