"""How the books are read: by indexes, stretch after stretch, at one moment (X-audit-books)."""

import re
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import Connection, event

from app.audit.books import Sizes, check_books
from app.audit.books.numbers import Tickets
from app.flow.contact import Contact
from app.store.database import IDLE_MILLISECONDS
from app.store.queries.books.span import FIRST, LAST, spans
from tests.audit.books import busy
from tests.floor import Floor, dollar
from tests.story.paying import every, pay, sold

pytestmark = pytest.mark.both_engines

# The tables that grow with what is sold.
LARGE = {
    "approval", "asked", "cancellation", "certification", "contact_act", "coupon", "drawer",
    "drawer_count", "drawer_move", "expiry", "game", "lock_statement", "log_checkpoint",
    "log_entry", "log_node", "log_pending", "log_position", "outcome", "override", "paper_event",
    "payout", "posting", "presentation", "print_job", "refund", "reported_win", "reprint",
    "settlement", "share", "tax_paper", "tender", "ticket", "void", "win",
}  # fmt: skip
SMALL = Sizes(5, 1, 3)


def played(floor: Floor) -> None:
    """A house with some games, tickets of several, wins that were paid, and a copy of none."""
    wanda = sold(floor)
    for _ in range(3):
        floor.sell(wanda, dollar(games=4))
        floor.sell(wanda, every())
        floor.play()
    pay(floor, wanda, contact=Contact("c-1"))


@pytest.mark.rule("X-audit-books")
def test_no_stretch_reads_a_large_table_from_end_to_end(floor: Floor) -> None:
    """What is read from end to end is read once, for the whole house."""
    played(floor)
    asked: Counter[str] = Counter()
    scanned: dict[str, set[str]] = {}

    def look(
        connection: Connection, _: object, statement: str, parameters: object, *__: object
    ) -> None:
        if statement.startswith(("SET", "SHOW", "EXPLAIN")):
            return
        plain = re.sub(r"IN \([^)]*\)", "IN (...)", statement)
        asked[plain] += 1
        if plain not in scanned:
            scanned[plain] = set(scans(floor, connection, statement, parameters)) & LARGE

    engine = floor.office.database.engine
    event.listen(engine, "before_cursor_execute", look)
    try:
        with floor.office.database.reading() as connection:
            if not floor.office.database.is_sqlite:
                # Small as these tables are, reading all of one would be quickest.
                connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            found = check_books(connection, *floor.books_keys, sizes=SMALL)
    finally:
        event.remove(engine, "before_cursor_execute", look)
    assert not any(found.values())
    assert len([each for each in asked.values() if each > 5]) > 30  # there were many stretches
    again = {plain: tables for plain, tables in scanned.items() if tables and asked[plain] > 1}
    assert again == {}


def scans(
    floor: Floor, connection: Connection, statement: str, parameters: object
) -> Iterator[str]:
    """The tables that a statement reads without asking an index for the rows that it wants."""
    raw = connection.connection.driver_connection
    assert raw is not None
    cursor = raw.cursor()
    if floor.office.database.is_sqlite:
        for *_, told in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters):
            if told.startswith("SCAN "):
                yield told.split()[1]
        return
    cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
    ((plan,),) = cursor.fetchall()
    nodes = [each["Plan"] for each in plan]
    while nodes:
        node = nodes.pop()
        nodes += node.get("Plans", [])
        if "Relation Name" in node and not {"Index Cond", "Recheck Cond"} & set(node):
            yield node["Relation Name"]


@pytest.mark.rule("X-audit-books")
def test_stretches_leave_nothing_out_and_take_nothing_twice(floor: Floor) -> None:
    busy(floor)
    with floor.office.database.reading() as connection:
        for entries in (1, 2, 3, 7, 1_000):
            found = list(spans(connection, entries))
            assert (found[0].after, found[-1].until) == (FIRST, LAST)
            assert [each.until for each in found[:-1]] == [each.after for each in found[1:]]


@pytest.mark.rule("X-ticket-gapless")
@pytest.mark.parametrize(
    "numbers", [[1, 2, 2, 3], [1, 2, 4], [2, 3], [1, 2, 3, 3], [0, 1, 2, 3], [], [1, 3, 2, 3]]
)
def test_a_number_that_is_missing_or_there_twice_is_found(numbers: list[int]) -> None:
    """Also where the database was made to take a number twice."""
    house: Any = SimpleNamespace(last_number=3, left_out={})
    tickets = Tickets()
    found = {fault for number in numbers for fault in tickets.follow(number, house)}
    found |= set(tickets.check_last(None, house))
    assert {fault.message for fault in found} == {"the tickets are not 1 to 3, each once"}


@pytest.mark.rule("X-ticket-gapless", "X-recovery")
@pytest.mark.parametrize(
    ("numbers", "clean"),
    [
        ([1, 2, 13, 14], True),
        ([1, 2, 3, 13, 14], False),  # what was left out is on no ticket
        ([1, 2, 12, 13, 14], False),
        ([1, 2, 14], False),
        ([1, 13, 14], False),
    ],
)
def test_numbers_that_a_restored_house_left_out_are_no_gap(numbers: list[int], clean: bool) -> None:
    house: Any = SimpleNamespace(last_number=14 + 3, left_out={2: 4, 6: 6, 14: 3})
    tickets = Tickets()
    found = [fault for number in numbers for fault in tickets.follow(number, house)]
    assert (found + list(tickets.check_last(None, house)) == []) is clean


@pytest.mark.rule("X-audit-books")
def test_what_happens_meanwhile_belongs_to_the_next_run(floor: Floor) -> None:
    """All is read at one moment; else a sale between two stretches would be half a sale."""
    busy(floor)
    wanda = floor.writing()
    told: list[str] = []

    def sell(what: str, done: int, total: int) -> None:
        if what not in told:
            floor.sell(wanda)
            floor.lock("F") if what == "games" else None
        told.append(f"{what} {done} {total}")
        told.append(what)

    with floor.office.database.reading(at_length=True) as connection:
        found = check_books(connection, *floor.books_keys, sizes=SMALL, progress=sell)
    assert not any(found.values())
    assert {"entries", "games", "log"} <= set(told)
    floor.check_books()


@pytest.mark.rule("X-audit-books")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_postgresql_does_not_let_go_of_whoever_reads_at_length(floor: Floor) -> None:
    """SQLite lets go of nobody."""
    limits = []
    for at_length in (False, True):
        with floor.office.database.reading(at_length=at_length) as connection:
            shown = connection.exec_driver_sql("SHOW idle_in_transaction_session_timeout")
            limits.append(shown.scalar_one())
            how = connection.exec_driver_sql("SHOW transaction_isolation").scalar_one()
            assert how == "repeatable read"
    assert limits == [f"{IDLE_MILLISECONDS // 1000}s", "0"]
