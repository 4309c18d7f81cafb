"""What an act has the database read from end to end, by the database's own plans."""

from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import event

from app.store.database import Database
from bench.presold import COPIED

SCANS = ("SCAN {}", "Seq Scan on {}")


def scanned(database: Database, act: Callable[[], object], large: Collection[str] = COPIED) -> int:
    """Have something done; return how many large tables were read from end to end for it."""
    sent: list[tuple[str, Any]] = []

    def record(  # what SQLAlchemy tells of each statement
        _connection: object,
        _cursor: object,
        sql: str,
        given: Any,  # noqa: ANN401  what the driver takes
        context: Any,  # noqa: ANN401  SQLAlchemy's own
        _many: bool,
    ) -> None:
        if context is not None and context.compiled is not None:
            sent.append((sql, given[0] if isinstance(given, list) else given))

    event.listen(database.engine, "before_cursor_execute", record)
    act()
    event.remove(database.engine, "before_cursor_execute", record)
    asks = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    with database.reading() as connection:
        plans = [str(connection.exec_driver_sql(asks + sql, given).all()) for sql, given in sent]
    # Several partitions of a table are one table; their names begin with its own.
    return sum(
        any(scan.format(table) in plan for scan in SCANS) for plan in plans for table in large
    )
