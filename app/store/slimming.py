"""Slim copies of old partitions, which take their place: that is how PostgreSQL gives room back.

A row that is changed in place leaves its old self behind in the partition, and the file never gets
smaller. So a partition that is wholly old is copied without what went into the archive, and the
copy is put in its place: no query has to know of it, and whoever sells waits for milliseconds.

A copy is made in the schema `keno_new`; what it replaced waits in `keno_gone` to be dropped. The
running house can see neither. Whoever reads under a view of the database from before the copy would
find it empty, so they are waited for first. Each function here is a part of one transaction;
`app.flow.give_back` says in which order, and what a crash leads to.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.errors import DatatypeMismatch, DeadlockDetected, LockNotAvailable
from sqlalchemy import (
    ColumnElement,
    FromClause,
    TableClause,
    and_,
    case,
    column,
    func,
    insert,
    not_,
    or_,
    select,
    table,
    text,
)
from sqlalchemy.exc import DBAPIError

from app.store.queries.stretches import entry_before
from app.store.tables import FeedEvent, LogEntry, LogPending, PaperEvent, Table
from app.store.unit import Unit

NEW, GONE = "keno_new", "keno_gone"
# By which number each table is divided; old detail is in no others.
KEYS = {"log_entry": "id", "printed_paper": "entry", "paper_event": "id", "feed_event": "id"}
WORTH = 10  # a copy is made for no less than one row in so many
LOCK_MILLISECONDS = 300  # that a sale waits behind us, at the most
IsOld = Callable[[FromClause], ColumnElement[bool]]


@dataclass(frozen=True)
class Part:
    """A partition: of which table, and its numbers, from the first up to the end."""

    table: str
    name: str
    first: int | None  # none: from the lowest on
    end: int

    def holds(self, key: ColumnElement[int]) -> ColumnElement[bool]:
        """Return what is true of its numbers."""
        return key < self.end if self.first is None else and_(key >= self.first, key < self.end)


def outside(parts: Sequence[Part], key: ColumnElement[int]) -> ColumnElement[bool]:
    """Return what is true of numbers that are in none of some partitions."""
    return not_(or_(False, *(part.holds(key) for part in parts)))


# ---- the copy ------------------------------------------------------------------------------------

_BOUNDS = text("SELECT pg_get_partition_constraintdef(CAST(:name AS regclass))")
_MAY = text(
    "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') "
    "AND has_database_privilege(current_database(), 'CREATE')"
)
_PARTS = text(
    "SELECT relname, substring(bounds FROM $$FROM \\('?(\\d+)$$)::bigint, "
    "substring(bounds FROM $$TO \\('?(\\d+)$$)::bigint FROM (SELECT relname, "
    "pg_get_expr(relpartbound, pg_class.oid) AS bounds FROM pg_inherits "
    "JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = CAST(:name AS regclass)) AS part "
    "WHERE bounds <> 'DEFAULT' ORDER BY 3"
)


def can_replace(unit: Unit) -> bool:
    """Whether we may make copies, and see whom we have to wait for."""
    if unit.connection.dialect.name == "sqlite":
        return False
    return bool(unit.connection.execute(_MAY).scalar_one())


def whole_partitions(unit: Unit, before: Mapping[str, datetime]) -> list[Part]:
    """Return the partitions to which nothing is added any more, all of it being from before.

    Args:
        unit: the unit of work.
        before: up to when each table is looked at.
    """
    whole = []
    for name, moment in before.items():
        begins = _first_after(unit, name, moment)
        parts = unit.connection.execute(_PARTS, {"name": name})
        whole += [Part(name, *each) for each in parts if begins is not None and each[2] <= begins]
    return whole


def _first_after(unit: Unit, name: str, moment: datetime) -> int | None:
    """Return the first number of a table that may be of a moment or later; none: there is none."""
    if name in {"log_entry", "printed_paper"}:  # by acts, whose numbers their heads tell
        last = entry_before(unit.connection, moment)
        later = select(func.min(LogEntry.id)).where(LogEntry.id > last)
        waiting = select(func.min(LogPending.entry))
        begins, waits = (unit.connection.execute(each).scalar() for each in (later, waiting))
        return begins if begins is None or waits is None else min(begins, waits)
    rows = PaperEvent if name == "paper_event" else FeedEvent
    found = select(func.min(rows.id)).where(rows.happened_at >= moment)
    return unit.connection.execute(found).scalar_one()


def is_worth_it(unit: Unit, part: Part, goes: int) -> bool:
    """Whether so many rows of a partition are enough for a copy of the others."""
    return goes > 0 and goes * WORTH >= _count(unit, _like(part, "public"))


def begin_copy(unit: Unit, part: Part) -> tuple[TableClause, TableClause]:
    """Make an empty copy of a partition; return the partition and the copy.

    From now on what is added to the one is added to the other; until the transaction ends nobody
    else adds anything.
    """
    old, new = f"public.{part.name}", f"{NEW}.{part.name}"
    bounds = unit.connection.execute(_BOUNDS, {"name": old}).scalar_one()
    # With its bounds the server believes without looking that all rows are where they belong.
    made = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES INCLUDING STORAGE"
    changed = "BEFORE UPDATE OR DELETE OR TRUNCATE"
    guard = "FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()"
    both = "FOR EACH ROW EXECUTE FUNCTION keno_add_to_both()"
    for statement in (
        f"CREATE SCHEMA IF NOT EXISTS {NEW}",
        f"CREATE TABLE {new} (LIKE {old} {made})",
        f"ALTER TABLE {new} ADD CONSTRAINT keno_bounds CHECK ({bounds})",
        f"CREATE TRIGGER {part.table}_only_added {changed} ON {new} {guard}",
        f"SELECT keno_same_rights('{new}', 'public.{part.table}')",
        f"CREATE OR REPLACE TRIGGER keno_both AFTER INSERT ON {old} {both}",
    ):
        unit.connection.execute(text(statement))
    return _like(part, "public"), _like(part, NEW)


def copy_rows(unit: Unit, part: Part, is_old: IsOld) -> int:
    """Copy the rows of a partition that stay; return how many do not."""
    rows, copy = begin_copy(unit, part)
    stays = select(*rows.columns).where(not_(is_old(rows))).order_by(rows.c[KEYS[part.table]])
    unit.connection.execute(insert(copy).from_select([each.name for each in rows.columns], stays))
    return _count(unit, rows) - _count(unit, copy)


def copy_entries(unit: Unit, part: Part, taken: FromClause, archive: int) -> int:
    """Copy all entries of a partition, those that were taken without bodies; return how many were.

    What its leaf says of such an entry takes the place of its salt.
    """
    rows, copy = begin_copy(unit, part)
    stays = taken.c.id.is_(None)
    changed = {
        "salt": func.coalesce(taken.c.commitment, rows.c.salt),
        "body": case((stays, rows.c.body), else_=""),
        "archived": case((stays, rows.c.archived), else_=archive),
    }
    columns = [changed.get(each.name, each) for each in rows.columns]
    both = rows.outerjoin(taken, taken.c.id == rows.c.id)
    found = select(*columns).select_from(both).order_by(rows.c.id)
    names = [each.name for each in rows.columns]
    unit.connection.execute(insert(copy).from_select(names, found))
    went = select(func.count()).select_from(rows.join(taken, taken.c.id == rows.c.id))
    return unit.connection.execute(went.where(rows.c.archived.is_(None))).scalar_one()


def _count(unit: Unit, rows: FromClause) -> int:
    return unit.connection.execute(select(func.count()).select_from(rows)).scalar_one()


def _like(part: Part, schema: str) -> TableClause:
    """Return a partition, or the copy of it, as what is read and written."""
    columns = Table.metadata.tables[part.table].columns
    return table(part.name, *(column(each.name, each.type) for each in columns), schema=schema)


# ---- in its place --------------------------------------------------------------------------------

_IN_SCHEMA = text(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = to_regnamespace(:schema) "
    "ORDER BY relname"
)
_BELONGS = text(
    "SELECT inhparent::regclass::text, pg_get_expr(relpartbound, pg_class.oid) FROM pg_inherits "
    "JOIN pg_class ON pg_class.oid = inhrelid WHERE inhrelid = CAST(:name AS regclass)"
)
_REFERS = text(
    "SELECT conname, pg_get_constraintdef(oid), confrelid::regclass::text FROM pg_constraint "
    "WHERE conrelid = CAST(:name AS regclass) AND contype = 'f' AND conparentid = 0 "
    "ORDER BY conname"
)
_OLDER = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND backend_type = 'client backend' AND pid <> pg_backend_pid() "
    "AND age(backend_xmin) >= (SELECT age(pg_trigger.xmin) FROM pg_trigger "
    "WHERE tgrelid = CAST(:name AS regclass) AND tgname = 'keno_both')"
)


class Busy(Exception):  # noqa: N818  it can be tried again
    """Somebody holds what is needed, or reads what was before; the text says so."""


def copies_made(unit: Unit) -> list[str]:
    """Return the partitions whose copies are made, and not in their places yet."""
    return list(unit.connection.execute(_IN_SCHEMA, {"schema": NEW}).scalars())


def replaced(unit: Unit) -> list[str]:
    """Return the partitions that were replaced, and are not dropped yet."""
    return list(unit.connection.execute(_IN_SCHEMA, {"schema": GONE}).scalars())


def refer(unit: Unit, name: str) -> None:
    """Have the copy of a partition refer to what the partition refers to; that takes a moment.

    Raises:
        Busy: somebody works with that for longer than a sale may wait.
    """
    there = {row[0] for row in unit.connection.execute(_REFERS, {"name": f"{NEW}.{name}"})}
    for constraint, definition, _ in _refers(unit, name):
        if constraint not in there:
            add = f"ALTER TABLE {NEW}.{name} ADD CONSTRAINT {constraint} {definition} NOT VALID"
            _run(unit, add)
    # And have it said of what found no partition that it does not belong into this one either: else
    # all of that would be read when the copy is put in its place, while sales wait.
    rest, apart = _rest(unit, name)
    bounds = unit.connection.execute(_BOUNDS, {"name": f"public.{name}"}).scalar_one()
    said = f"ADD CONSTRAINT {apart} CHECK (NOT {bounds}) NOT VALID"
    _run(unit, f"ALTER TABLE {rest} DROP CONSTRAINT IF EXISTS {apart}, {said}")


def look_through(unit: Unit, name: str) -> None:
    """Have every row of a copy looked at, once, while everybody works: it is not done again.

    Raises:
        Busy: it cannot be done now.
    """
    for constraint, _, _ in _refers(unit, name):
        _run(unit, f"ALTER TABLE {NEW}.{name} VALIDATE CONSTRAINT {constraint}")
    rest, apart = _rest(unit, name)
    _run(unit, f"ALTER TABLE {rest} VALIDATE CONSTRAINT {apart}", f"ANALYZE {NEW}.{name}")


def check_nobody_reads(unit: Unit, name: str) -> None:
    """Check that nobody reads under a view of the database from before a copy was made.

    They would find it empty. Of when it was made its trigger tells, which came with it.

    Raises:
        Busy: somebody does.
    """
    count = unit.connection.execute(_OLDER, {"name": f"public.{name}"}).scalar_one()
    if count:
        raise Busy(f"{count} still read the house as it was before; ask again when they are done")


def put_in_place(unit: Unit, name: str) -> None:
    """Put the copy of a partition in its place.

    Sales wait for the whole of it, so it does nothing that takes long. The locks are taken in the
    order in which a sale takes them, and as they will be needed: what the rows refer to loses the
    triggers of one of both. A copy that was made before the schema was changed is dropped:
    nothing is lost by it, the partition has everything.

    Raises:
        Busy: somebody works with the tables for longer than a sale may wait.
    """
    whole, bounds = unit.connection.execute(_BELONGS, {"name": f"public.{name}"}).one()
    rest, apart = _rest(unit, name)
    said = f"ALTER TABLE {rest} DROP CONSTRAINT IF EXISTS {apart}"
    statements = [
        *(f"LOCK TABLE {other} IN ACCESS EXCLUSIVE MODE" for *_, other in _refers(unit, name)),
        f"LOCK TABLE ONLY {whole} IN ACCESS EXCLUSIVE MODE",
        f"CREATE SCHEMA IF NOT EXISTS {GONE}",
        f"ALTER TABLE {whole} DETACH PARTITION {name}",
        f"ALTER TABLE public.{name} SET SCHEMA {GONE}",
        f"ALTER TABLE {NEW}.{name} SET SCHEMA public",
        f"ALTER TABLE {whole} ATTACH PARTITION {name} {bounds}",
        f"ALTER TABLE {name} DROP CONSTRAINT keno_bounds",
        said,
    ]
    try:
        with unit.connection.begin_nested():
            _run(unit, *statements)
    except DBAPIError:  # it is of another form than its table has by now
        _run(unit, f"DROP TABLE {NEW}.{name}", f"DROP TRIGGER keno_both ON public.{name}", said)


def drop(unit: Unit, name: str) -> None:
    """Drop a partition that was replaced, and give its room back.

    Raises:
        Busy: somebody reads what it refers to, for longer than a sale may wait.
    """
    _run(unit, f"DROP TABLE {GONE}.{name}")


def wait_a_little() -> None:
    """Let others go on."""
    time.sleep(1)


def _rest(unit: Unit, name: str) -> tuple[str, str]:
    """Return where the table of a partition has what found none, and what is said of that."""
    whole, _ = unit.connection.execute(_BELONGS, {"name": f"public.{name}"}).one()
    return f"public.{whole}_rest", f"keno_apart_{name}"


def _refers(unit: Unit, name: str) -> list[tuple[str, str, str]]:
    """Return name, definition and table of what the table of a partition refers to."""
    whole, _ = unit.connection.execute(_BELONGS, {"name": f"public.{name}"}).one()
    rows = unit.connection.execute(_REFERS, {"name": whole})
    return [(constraint, definition, other) for constraint, definition, other in rows]


def _run(unit: Unit, *statements: str) -> None:
    """Do something that waits for nobody longer than a sale may wait.

    Raises:
        Busy: it cannot be done now; the server says why.
    """
    try:
        unit.connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}"))
        for statement in statements:
            unit.connection.execute(text(statement))
    except DBAPIError as trouble:
        if isinstance(trouble.orig, DatatypeMismatch):
            raise
        if isinstance(trouble.orig, (LockNotAvailable, DeadlockDetected)):
            raise Busy("others work with the tables all the time") from None
        raise Busy(str(trouble.orig).strip().splitlines()[0]) from None
