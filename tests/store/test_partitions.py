"""Partitions on PostgreSQL: made ahead of time, guarded like the whole, and pruned by who reads."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.caller import Caller
from app.flow.contact import Contact
from app.flow.room import make_room
from app.flow.seal import seal_log
from app.flow.spool import next_paper, note_ending
from app.store.database import Database
from app.store.partitions import partition_names
from app.store.tables import Table
from printers.press import Press
from tests.floor import WANDA, Floor
from tests.looking import rows, write
from tests.store.partitions import TICKETS, numbered, parts
from tests.story.paying import RICH, every, pay

POSTGRESQL = pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
GROWS = (
    "log_entry", "ticket", "tender", "posting", "win", "printed_paper", "paper_event", "feed_event",
)  # fmt: skip
# What grows as well and is not divided: the page says of each why.
WHOLE = ("act", "asked", "contact_act", "log_position", "payout", "print_job", "void")
SCALE = Path(__file__).parents[2] / "docs" / "scale.md"


@pytest.fixture
def sold(floor: Floor) -> Floor:
    """A floor with a ticket."""
    floor.sell(floor.writing())
    return floor


@pytest.mark.rule("X-retention")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_sqlite_has_no_partitions_and_needs_no_room(floor: Floor) -> None:
    with floor.office.database.reading() as connection:
        assert partition_names(connection) == set()
    assert make_room(floor.office) == 0


@POSTGRESQL
def test_what_grows_with_every_ticket_is_partitioned_and_nothing_else(floor: Floor) -> None:
    with floor.office.database.reading() as connection:
        names = partition_names(connection)
    assert {name.rpartition("_")[0] for name in names} == set(GROWS)
    for table in GROWS:
        assert parts(floor, table) == [f"{table}_0", f"{table}_1", f"{table}_rest"]
        options = Table.metadata.tables[table].dialect_options["postgresql"]
        assert options["partition_by"].startswith("RANGE (")


def counts(floor: Floor) -> dict[str, int]:
    return {
        name: rows(floor, f'SELECT count(*) FROM "{name}"')[0][0]  # noqa: S608  our own tables
        for name in Table.metadata.tables
    }


def ends_of_tickets(floor: Floor, tickets: int) -> None:
    """Have tickets go all of their ways: half are voided; the others are drawn, win and are paid.

    Each has a patron whom the station knows, and its papers are printed.
    """
    wanda, printer = floor.signed_in(WANDA), floor.printer_at("B1")
    for number in range(2 * tickets):
        patron = Contact(f"patron-{floor.request_id()}")
        sold = floor.sell(wanda, replace(every(), contact=patron))["number"]
        if number % 2:
            floor.void(wanda, sold)
    first = sold - 2 * tickets + 1
    floor.play()
    for number in range(first, sold, 2):
        pay(floor, wanda, number, contact=Contact(f"patron-{floor.request_id()}"))
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        note_ending(floor.office, sending, "confirmed", None)
    seal_log(floor.office)


@POSTGRESQL
def test_what_grows_with_every_ticket_and_is_not_divided_is_named_with_the_reason(
    floor: Floor,
) -> None:
    """What grows is found by looking on, so that no table is forgotten."""
    floor.open_drawer(floor.signed_in(WANDA), RICH)
    ends_of_tickets(floor, 1)  # what there is once, or once a game
    before, tickets = counts(floor), 6
    ends_of_tickets(floor, tickets)
    after = counts(floor)
    grown = {name for name, count in after.items() if count - before[name] >= tickets}
    # Which grows with each game.
    assert grown | {"feed_event"} == {*GROWS, *WHOLE}
    (named,) = re.findall(r"### What is not divided\n.*?(?=\n## )", SCALE.read_text(), re.DOTALL)
    for table in (*WHOLE, "log_node"):  # which has a row for 256 entries
        assert f"`{table}`" in named, table


@POSTGRESQL
@pytest.mark.rule("X-ticket-gapless", "X-recovery")
def test_the_next_partition_is_made_before_it_is_needed(sold: Floor) -> None:
    assert make_room(sold.office) == 0  # there is room enough
    numbered(sold, TICKETS - 1)
    wanda = sold.writing("Walt Writer", "B2")
    assert sold.sell(wanda)["number"] == TICKETS
    assert make_room(sold.office) == 2  # for tickets and for their tender
    assert parts(sold, "ticket") == ["ticket_0", "ticket_1", "ticket_2", "ticket_rest"]
    assert rows(sold, "SELECT number FROM ticket_1") == [(TICKETS,)]
    assert rows(sold, "SELECT number FROM ticket_rest") == []
    assert make_room(sold.office) == 0


@POSTGRESQL
@pytest.mark.rule("X-ticket-exactly-once", "X-recovery")
def test_a_sale_never_fails_for_want_of_a_partition(sold: Floor) -> None:
    """It goes where everything goes that found no room, and room is made behind it."""
    numbered(sold, 2 * TICKETS)
    wanda = sold.writing("Walt Writer", "B2")
    far = sold.sell(wanda)["number"]
    assert rows(sold, "SELECT number FROM ticket_rest") == [(far,)]
    assert make_room(sold.office) == 2
    assert parts(sold, "ticket") == ["ticket_0", "ticket_1", "ticket_3", "ticket_rest"]
    numbered(sold, 3 * TICKETS)
    sold.sell(wanda)
    assert rows(sold, "SELECT number FROM ticket_3") == [(3 * TICKETS + 1,)]
    sold.void(wanda, far)
    assert rows(sold, "SELECT ticket FROM void") == [(far,)]


ACTS = 4_000_000  # in a partition


@POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_what_is_written_late_finds_room_all_the_same(sold: Floor) -> None:
    """A house that prints its first paper years after it was founded has had acts all along."""
    write(sold, f"SELECT setval(pg_get_serial_sequence('act', 'id'), {2 * ACTS + 7})")
    wanda = sold.writing("Walt Writer", "B2")
    sold.sell(wanda)
    make_room(sold.office)
    for table in ("log_entry", "posting", "printed_paper"):
        assert f"{table}_3" in parts(sold, table)
    assert "printed_paper_2" in parts(sold, "printed_paper")  # nothing of it is elsewhere
    printer = sold.printer_at("B2")
    while (sending := next_paper(sold.office, printer, Press())) is not None:
        note_ending(sold.office, sending, "confirmed", None)
    # The drawer's opening and the ticket; what was printed before is in the first.
    assert rows(sold, "SELECT count(*) FROM printed_paper_2") == [(2,)]
    assert rows(sold, "SELECT count(*) FROM printed_paper_rest") == [(0,)]


@POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_where_the_first_partition_is_as_large_as_several_the_others_are_made_all_the_same(
    sold: Floor,
) -> None:
    """So it is in a house that was large before it had partitions."""
    write(
        sold,
        "ALTER TABLE feed_event DETACH PARTITION feed_event_0",
        "ALTER TABLE feed_event DETACH PARTITION feed_event_1",
        "ALTER TABLE feed_event ATTACH PARTITION feed_event_0"
        " FOR VALUES FROM (MINVALUE) TO (300000)",
        "DROP TABLE feed_event_1",
        "SELECT setval(pg_get_serial_sequence('feed_event', 'id'), 250000)",
    )
    sold.play()
    numbered(sold, TICKETS - 1)
    sold.sell(sold.writing("Walt Writer", "B2"))
    assert make_room(sold.office) == 3
    assert parts(sold, "feed_event") == ["feed_event_0", "feed_event_3", "feed_event_rest"]
    assert "ticket_2" in parts(sold, "ticket")


@POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_a_partition_is_attached_without_a_look_at_what_found_none(sold: Floor) -> None:
    """The server says itself that it knows without looking: sales would wait for it meanwhile."""
    numbered(sold, 2 * TICKETS)
    sold.sell(sold.writing("Walt Writer", "B2"))
    said: list[str] = []
    database = sold.office.database

    @event.listens_for(database.engine, "checkout")
    def listen(line: Any, _record: object, _proxy: object) -> None:  # noqa: ANN401  the driver's
        line.add_notice_handler(lambda notice: said.append(notice.message_primary or ""))
        line.execute("SET client_min_messages = debug1")
        line.commit()

    database.engine.dispose()
    assert make_room(sold.office) == 2
    for table in ("ticket", "tender"):
        known = f'updated partition constraint for default partition "{table}_rest" is implied'
        assert any(each.startswith(known) for each in said)
    left = "SELECT count(*) FROM pg_constraint WHERE conname LIKE 'keno%apart%'"
    assert rows(sold, left) == [(0,)]


@POSTGRESQL
@pytest.mark.rule("X-ticket-exactly-once")
def test_where_numbers_come_close_no_sale_is_refused_for_a_partition(sold: Floor) -> None:
    numbered(sold, 3 * TICKETS - 10)
    wanda = sold.writing("Walt Writer", "B2")
    for _ in range(20):
        sold.sell(wanda)
        make_room(sold.office)
    assert rows(sold, "SELECT count(*) FROM ticket") == [(21,)]
    assert "ticket_4" in parts(sold, "ticket")


@POSTGRESQL
@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("part", ["0", "1", "rest"])
def test_a_partition_by_itself_is_guarded_like_the_whole(floor: Floor, part: str) -> None:
    for table in GROWS:
        for act in (
            "DELETE FROM {}",
            "TRUNCATE {} CASCADE",
            f"UPDATE {{}} SET {_column(table)} = NULL",  # noqa: S608  our own names
        ):
            guarded = pytest.raises(DBAPIError, match="facts are only ever added")
            with floor.office.database.writing() as connection, guarded:
                connection.execute(text(act.format(f"{table}_{part}")))


def _column(table: str) -> str:
    return next(iter(Table.metadata.tables[table].columns)).name


@POSTGRESQL
@pytest.mark.rule("X-ticket-gapless")
def test_two_tickets_of_a_partition_do_not_share_an_entry(sold: Floor) -> None:
    names = [each.name for each in Table.metadata.tables["ticket"].columns]
    copied = ", ".join("2" if name == "number" else name for name in names)
    with (
        sold.office.database.writing() as connection,
        pytest.raises(IntegrityError, match="uq_ticket_0"),
    ):
        connection.execute(
            text(f"INSERT INTO ticket ({', '.join(names)}) SELECT {copied} FROM ticket")  # noqa: S608
        )


@POSTGRESQL
@pytest.mark.rule("X-retention", "X-access")
def test_the_running_house_can_have_room_made_and_nothing_else(sold: Floor) -> None:
    """Its role owns nothing: only the function of whoever owns the tables makes partitions."""
    with as_the_house(sold) as house:
        for statement in (
            "CREATE TABLE ticket_9 PARTITION OF ticket FOR VALUES FROM (9000000) TO (9900000)",
            "ALTER TABLE ticket DETACH PARTITION ticket_1",
            "DROP TABLE ticket_1",
        ):
            with house.writing() as connection, pytest.raises(DBAPIError):
                connection.execute(text(statement))
        numbered(sold, TICKETS - 1)
        sold.sell(sold.writing("Walt Writer", "B2"))
        with house.writing() as connection:
            assert connection.execute(text("SELECT keno_make_room()")).scalar_one() == 2
            connection.commit()
    assert "ticket_2" in parts(sold, "ticket")


@contextmanager
def as_the_house(floor: Floor) -> Iterator[Database]:
    """The database as a role that may add and read, and owns nothing."""
    role = (
        "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'keno_house') "
        "THEN CREATE ROLE keno_house LOGIN; END IF; END $$"
    )
    rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO keno_house"
    write(floor, role, *(rights.format(table) for table in Table.metadata.tables))
    database = Database(floor.office.database.url.set(username="keno_house").render_as_string())
    try:
        yield database
    finally:
        database.close()


@POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_room_is_not_made_while_it_would_keep_sales_waiting(sold: Floor) -> None:
    """Somebody holds what it needs: it gives up, and asks again."""
    numbered(sold, TICKETS - 1)
    sold.sell(sold.writing("Walt Writer", "B2"))
    with sold.office.database.writing() as connection:
        connection.execute(text("LOCK TABLE asked IN SHARE ROW EXCLUSIVE MODE"))
        assert make_room(sold.office) == 0
    assert make_room(sold.office) == 2


@POSTGRESQL
@pytest.mark.rule("X-recovery")
def test_the_caller_has_room_made(sold: Floor) -> None:
    numbered(sold, TICKETS - 1)
    sold.sell(sold.writing("Walt Writer", "B2"))
    caller = Caller(sold.office, sold.two_keys, "caller")
    caller.turn()
    assert "ticket_2" in parts(sold, "ticket")


# ---- who reads -----------------------------------------------------------------------------------


def plan(floor: Floor, statement: str) -> Iterator[str]:
    """The partitions that the plan of a statement touches."""
    for (line,) in rows(floor, f"EXPLAIN {statement}"):
        if " on " in line:
            yield line.split(" on ")[1].split()[0]


@POSTGRESQL
@pytest.mark.parametrize(
    ("statement", "touched"),
    [
        ("SELECT * FROM ticket WHERE number = 7", {"ticket_0"}),
        ("SELECT * FROM tender WHERE ticket = 1500000", {"tender_1"}),
        ("SELECT * FROM log_entry WHERE id BETWEEN 4000001 AND 4000100", {"log_entry_1"}),
        ("SELECT * FROM posting WHERE entry > 100 AND entry < 300", {"posting_0"}),
        ("SELECT * FROM win WHERE attempt = 20000", {"win_1"}),
        ("SELECT * FROM printed_paper WHERE entry = 12", {"printed_paper_0"}),
    ],
)
def test_whoever_reads_by_number_touches_one_partition(
    floor: Floor, statement: str, touched: set[str]
) -> None:
    found = {name for name in plan(floor, statement) if not name.startswith("pk_")}
    assert {name for name in found if name.rpartition("_")[0] in GROWS} == touched
