"""Faults are planted behind the back of the house, and what the books find of them.

By somebody who has the database in their hands and has taken the guards away first.
"""

from collections.abc import Callable

from sqlalchemy import text

from app.audit.books import AT_ONCE, CHECKS, Sizes, check_books
from app.audit.faults import Fault
from tests.depth import IS_PROOF
from tests.floor import Floor
from tests.looking import rows, write

ALL = ["archives", *CHECKS, "log"]
After = Callable[..., Floor]
"""Gives out an unguarded house in which some stories happened; see the fixture `after`."""


def unguarded(floor: Floor) -> Floor:
    """Take away whatever the database itself refuses: triggers, keys, constraints."""
    drops = ["DROP INDEX uq_game_one_open"]
    if floor.office.database.is_sqlite:
        triggers = rows(floor, "SELECT name FROM sqlite_master WHERE type = 'trigger'")
        write(floor, *drops, *(f"DROP TRIGGER {name}" for (name,) in triggers))
        return floor
    found = (
        "SELECT tgname, tgrelid::regclass FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0"
    )
    drops += [f"DROP TRIGGER {name} ON {table}" for name, table in rows(floor, found)]
    # Foreign keys first, because other constraints stand under them; and tables before their
    # partitions, whose constraints go with theirs or are their own then.
    found = (
        "SELECT conrelid::regclass, conname"
        " FROM pg_constraint JOIN pg_class ON conrelid = pg_class.oid"
        " WHERE contype IN ('f', 'c') AND conparentid = 0 AND connamespace = 'public'::regnamespace"
        " ORDER BY contype DESC, relispartition"
    )
    drops += [
        f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}"
        for table, name in rows(floor, found)
    ]
    write(floor, *drops)
    return floor


def plant(floor: Floor, *statements: str, **values: object) -> None:
    """Change what was stored in an unguarded house, without a constraint."""
    with floor.office.database.writing() as connection:
        if floor.office.database.is_sqlite:
            connection.commit()  # a pragma counts only between transactions
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute("PRAGMA foreign_keys=OFF")
            raw.execute("PRAGMA ignore_check_constraints=ON")
        for statement in statements:
            wanted = {name: value for name, value in values.items() if f":{name}" in statement}
            done = connection.execute(text(statement), wanted)
            assert done.rowcount >= 1, statement
        connection.commit()
    if floor.office.database.is_sqlite:
        floor.close()  # no connection without constraints is given out again


def found_in(floor: Floor) -> dict[str, list[str]]:
    """What each check finds, without those that find nothing.

    It does not matter how much is read at once: a fault that lies in two spans is found too. By day
    the books are read in a few spans; in the long evidence at once, and in many short spans.
    """
    if not IS_PROOF:
        return _found(floor, Sizes(11, 1, 3))
    whole = _found(floor, AT_ONCE)
    assert _found(floor, Sizes(3, 1, 3)) == whole
    return whole


def _found(floor: Floor, sizes: Sizes) -> dict[str, list[str]]:
    with floor.office.database.reading() as connection:
        found = check_books(connection, *floor.books_keys, sizes=sizes)
    assert list(found) == ALL
    assert all(isinstance(fault, Fault) for faults in found.values() for fault in faults)
    assert all(fault.check == name for name, faults in found.items() for fault in faults)
    return {name: [fault.message for fault in faults] for name, faults in found.items() if faults}
