"""What was before a day costs its reports nothing: no table of history is read from end to end.

Shown by SQLite, which plans a statement without knowing how large its tables are. PostgreSQL knows,
and reads the tables of a small house whole because they are small; how it does in a large one is
measured (`bench/records.py`).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from app.flow.day import day_bounds
from app.flow.report import Asked, make_report
from app.reports.catalogue import CATALOGUE, Format
from app.store.queries import days, shifts
from tests.reports.conftest import Worked

pytestmark = pytest.mark.both_engines

HISTORY = {
    "asked", "attempt", "certification", "cosigned", "feed_event", "game", "lock_statement",
    "log_checkpoint", "log_entry", "log_node", "log_position", "outcome", "paper_event", "payout",
    "posting", "print_job", "settlement", "tender", "ticket", "void", "win",
}  # fmt: skip
# Which hold only few of the entries.
FEW = ("ix_log_entry_standing", "ix_log_entry_watched")
ON_SQLITE = pytest.mark.parametrize("worked", ["sqlite"], indirect=True, scope="session")
Statements = dict[str, tuple[object, ...]]


@contextmanager
def heard(worked: Worked) -> Iterator[Statements]:
    """The statements that read, while this lasts, each with what it was last asked with."""
    engine, statements = worked.floor.office.database.engine, Statements()

    def hear(*told: object) -> None:
        _, _, statement, parameters, *_ = told
        assert isinstance(statement, str)
        if statement.startswith(("SELECT", "WITH")):
            assert isinstance(parameters, tuple)
            statements[statement] = parameters

    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", hear)


def read_whole(worked: Worked, statements: Statements) -> Iterator[tuple[str, str]]:
    """The tables of history that are read from end to end, and by which statement."""
    with worked.floor.office.database.reading() as connection:
        for statement, parameters in statements.items():
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            for step in plan.scalars(3):
                what, *more = step.split()
                if what == "SCAN" and more[0] in HISTORY and more[-1] not in FEW:
                    yield more[0], statement


@ON_SQLITE
@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("report", CATALOGUE)
def test_a_report_of_a_day_reads_no_table_of_history_from_end_to_end(
    worked: Worked, report: str
) -> None:
    day = worked.first
    with heard(worked) as statements:
        make_report(worked.floor.office, Asked(report, day, day, Format.CSV))
    assert statements
    assert list(read_whole(worked, statements)) == []


@ON_SQLITE
@pytest.mark.rule("X-drawer")
def test_the_shifts_of_a_day_are_added_up_without_the_days_before_it(worked: Worked) -> None:
    house = worked.floor.office.house
    bounds = day_bounds(worked.first, house.time_zone, house.day_starts_minutes)
    with heard(worked) as statements, worked.floor.office.database.reading() as connection:
        found = shifts.shifts_of(connection, *bounds)
        alone = [shifts.shift_of(connection, each.drawer) for each in found]
        shifts.over_counters(connection, *bounds)
        days.acts_between(connection, *bounds)
    assert found
    assert alone == found
    assert list(read_whole(worked, statements)) == []
