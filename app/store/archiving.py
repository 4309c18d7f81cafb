"""The one way by which facts leave the live database, which the running house does not have.

PostgreSQL: the tables belong to a role of their own, and the house works under another. The owner
is let by for one transaction, for which nobody waits: it changes rows that nobody else does, or
copies whole partitions of them (`app.store.slimming`), and whoever reads sees everything as it was
until it ends. Whoever archives holds a lock of their own from
the first look to the end, so that no two ever take the same.

SQLite: the file is taken as a whole, while nothing else has it open, and the guards are lifted and
put back within the one transaction that removes anything, so that nobody ever sees a database
without them (X-retention, X-audit-log).
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, FromClause, delete, exists, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import aliased

from app.store import slimming
from app.store.database import Database
from app.store.queries.log import ENTRY_COLUMNS, EntryRow
from app.store.queries.stretches import entry_behind
from app.store.slimming import Part
from app.store.tables import LogEntry, LogPosition, PaperEvent, QueuedPaper, Table
from app.store.unit import Unit, lock_number

BATCH = 500
# The entries that go into an archive, each with what its leaf says of them: as long as it is made.
TAKEN = sa.Table(
    "keno_taken",
    sa.MetaData(),
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("commitment", sa.LargeBinary, nullable=False),
    prefixes=["TEMPORARY"],
    postgresql_on_commit="DROP",
)
_ARCHIVING = {"number": lock_number("keno/archive")}
_TRY = text("SELECT pg_try_advisory_lock(:number)")
_TRY_ONCE = text("SELECT pg_try_advisory_xact_lock(:number)")
_LET_GO = text("SELECT pg_advisory_unlock(:number)")

# Tables whose old rows go with the entries, and the column that says when each was.
DETAIL = {
    "printed_paper": "made_at",
    "paper_event": "happened_at",
    "feed_event": "happened_at",
}
GUARDED = ("log_entry", *DETAIL)


class NotOurs(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """Facts cannot be removed by this way; the text says why."""


def check_way(house: Database, way: Database | None) -> None:
    """Check that there is a way which the running house does not have.

    Args:
        house: the database as the house reaches it.
        way: the same, as whoever archives reaches it; on SQLite it is the same file.

    Raises:
        NotOurs: there is none.
    """
    if house.is_sqlite:
        return
    if way is None:
        raise NotOurs("KENO_ARCHIVE_DATABASE is not set: a role that owns the tables")
    if _owns(house, "MEMBER"):  # one that could become the owner is as good as the owner
        raise NotOurs("the role that the house works under owns the tables; give them to another")
    if not _owns(way, "USAGE"):
        raise NotOurs("the role in KENO_ARCHIVE_DATABASE does not own the tables")


def _owns(database: Database, how: str) -> bool:
    """Whether whoever is connected could lift the guards, or become somebody who can."""
    with database.reading() as connection:
        found = text(
            "SELECT pg_has_role(current_user, relowner, :how) FROM pg_class "
            "WHERE oid = 'log_entry'::regclass"
        )
        return bool(connection.execute(found, {"how": how}).scalar_one())


@contextmanager
def alone(house: Database, way: Database | None) -> Iterator[Database]:
    """Be the only one who archives until this ends; on SQLite the only one who does anything.

    Gives out the database by the way of whoever archives.

    Raises:
        NotOurs: somebody else archives, or has the SQLite database open; or the way leads to
            another database than that of the house.
    """
    if house.is_sqlite:
        house.close()  # nobody has it open but whoever archives
        with _alone_in_file(house):
            yield house
        return
    way = way or house
    with _alone_at_server(way):
        # Such a lock is of one database of one server: who does not find it there is elsewhere.
        with house.reading() as connection:
            if connection.execute(_TRY_ONCE, _ARCHIVING).scalar_one():
                raise NotOurs("KENO_DATABASE and KENO_ARCHIVE_DATABASE are not the same database")
        yield way


@contextmanager
def _alone_at_server(database: Database) -> Iterator[None]:
    """Hold a lock that is of no transaction: it is let go of with the connection."""
    with database.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        if not connection.execute(_TRY, _ARCHIVING).scalar_one():
            raise NotOurs("somebody else archives just now")
        try:
            yield
        finally:
            with suppress(DBAPIError):  # a connection that was lost holds nothing any more
                connection.execute(_LET_GO, _ARCHIVING)


@contextmanager
def _alone_in_file(database: Database) -> Iterator[None]:
    raw = database.engine.raw_connection()
    try:
        connection: Any = raw.driver_connection
        connection.execute("PRAGMA busy_timeout=0")
        try:
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            # Nobody leaves the write-ahead log while somebody else has the database open.
            (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            mode = "wal"
    finally:
        raw.close()  # back to the pool, with what was set
    try:
        if mode != "delete":
            raise NotOurs("something else has the database open: stop the house first")
        yield
    finally:
        database.close()


def take_time(unit: Unit) -> None:
    """Let a transaction take the time that writing a file takes; nobody waits for it meanwhile."""
    if unit.connection.dialect.name == "postgresql":
        unit.connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))


def old_entries(unit: Unit, tags: Collection[str], last: datetime) -> Iterator[EntryRow]:
    """Yield the entries that may be old, in the order of their ids: at hand, and of some tags.

    What waits to be printed is made from its entry, and stays.

    Args:
        unit: the unit of work.
        tags: of those that go at all.
        last: nothing of this moment or later need be looked at.
    """
    found = (
        select(*ENTRY_COLUMNS)
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .where(LogEntry.tag.in_(tags), LogEntry.archived.is_(None), LogEntry.body != "")
        .where(~exists().where(QueuedPaper.entry == LogEntry.id))
        .order_by(LogEntry.id)
        .execution_options(yield_per=BATCH)
    )
    until = entry_behind(unit.connection, last)
    if until is not None:
        found = found.where(LogEntry.id <= until)
    with unit.connection.execute(found) as rows:
        for row in rows:
            yield EntryRow(*row)


def begin_taking(unit: Unit) -> None:
    """Prepare to note which entries go into an archive; forgotten when the transaction ends."""
    TAKEN.create(unit.connection)


def note_taken(unit: Unit, entries: Sequence[tuple[int, bytes]]) -> None:
    """Note that entries go into an archive, each with what its leaf says of them."""
    rows = [{"id": entry, "commitment": commitment} for entry, commitment in entries]
    if rows:
        unit.connection.execute(TAKEN.insert(), rows)


def detail_rows(unit: Unit, name: str, before: datetime) -> Iterator[dict[str, Any]]:
    """Yield the old rows of a table, as they are."""
    rows = Table.metadata.tables[name]
    found = select(rows).where(_is_old(rows, name, before)).order_by(rows.c[DETAIL[name]])
    with unit.connection.execute(found.execution_options(yield_per=BATCH)) as old:
        for row in old:
            yield dict(row._mapping)  # noqa: SLF001  a row's own way to be read


def take_out(unit: Unit, archive: int, before: Mapping[str, datetime]) -> dict[str, int]:
    """Remove what went into an archive; return how many rows of each table.

    Salts and bodies of the entries that were noted go; what its leaf says of each takes the place
    of its salt. Of partitions that are wholly old slim copies are made, which take their places
    afterwards (`app.store.slimming`); all else is done where it stands.

    Args:
        unit: the transaction in which it was read.
        archive: the entry that tells of the archive.
        before: up to when the rows of each table go; of the log, up to when anything may.

    Raises:
        NotOurs: it is not ours to remove, or in use by others.
    """
    try:
        is_postgresql = unit.connection.dialect.name == "postgresql"
        parts = _worth_copying(unit, before) if slimming.can_replace(unit) else []
        with _let_by(unit) if is_postgresql else _guards_lifted(unit):
            _take_bodies(unit, archive, [each for each in parts if each.table == "log_entry"])
            return {
                name: _remove_rows(
                    unit, name, before[name], [each for each in parts if each.table == name]
                )
                for name in DETAIL
            }
    except DBAPIError as refused:
        raise NotOurs(str(refused.orig).strip().splitlines()[0]) from None


def _worth_copying(unit: Unit, before: Mapping[str, datetime]) -> list[Part]:
    """Return the partitions that are wholly old, and of which enough goes."""
    worth = []
    for part in slimming.whole_partitions(unit, before):
        if part.table == "log_entry":
            goes = select(sa.func.count()).select_from(TAKEN).where(part.holds(TAKEN.c.id))
        else:
            rows = Table.metadata.tables[part.table]
            of_part = part.holds(rows.c[slimming.KEYS[part.table]])
            old = _is_old(rows, part.table, before[part.table])
            goes = select(sa.func.count()).select_from(rows).where(of_part, old)
        if slimming.is_worth_it(unit, part, unit.connection.execute(goes).scalar_one()):
            worth.append(part)
    return worth


def _is_old(rows: FromClause, name: str, before: datetime) -> ColumnElement[bool]:
    """Return what is true of old rows.

    Of a paper everything stays as long as it waits to be printed, or anything became of it later:
    what is left of its history would not follow from what went before.
    """
    old = rows.c[DETAIL[name]] < before
    if "entry" not in rows.c:
        return old
    later = aliased(PaperEvent)
    goes_on = exists().where(later.entry == rows.c.entry, later.happened_at >= before)
    return old & ~exists().where(QueuedPaper.entry == rows.c.entry) & ~goes_on


@contextmanager
def _let_by(unit: Unit) -> Iterator[None]:
    """Have the guards of PostgreSQL let the owner by, in this transaction."""
    unit.connection.execute(text("SET LOCAL keno.archiving = 'on'"))
    yield
    unit.connection.execute(text("SET LOCAL keno.archiving = 'off'"))


# ---- SQLite --------------------------------------------------------------------------------------


@contextmanager
def _guards_lifted(unit: Unit) -> Iterator[None]:
    """Lift the guards of what is archived, and put them back, within one transaction.

    Raises:
        NotOurs: one of them is missing.
    """
    connection = unit.connection
    names = [f"{table}_no_{act}" for table in GUARDED for act in ("update", "delete")]
    found = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    guards = {name: sql for name, sql in connection.execute(found) if name in names}
    if len(guards) != len(names):
        raise NotOurs("a guard of the tables is missing")
    for name in names:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for name in names:
        connection.exec_driver_sql(guards[name])


def _take_bodies(unit: Unit, archive: int, parts: Sequence[Part]) -> None:
    """Leave of entries only what their leaves say of them: the commitment, in place of the salt.

    Raises:
        NotOurs: some of them are in another archive already.
    """
    taken = sum(slimming.copy_entries(unit, part, TAKEN, archive) for part in parts)
    commitment = select(TAKEN.c.commitment).where(TAKEN.c.id == LogEntry.id).scalar_subquery()
    in_place = (
        update(LogEntry)
        .where(LogEntry.id.in_(select(TAKEN.c.id)), LogEntry.archived.is_(None))
        .where(slimming.outside(parts, LogEntry.__table__.c.id))
        .values(salt=commitment, body="", archived=archive)
    )
    taken += unit.connection.execute(in_place).rowcount
    if taken != unit.connection.execute(select(sa.func.count()).select_from(TAKEN)).scalar_one():
        raise NotOurs("some of it went into another archive meanwhile; ask again")


def _remove_rows(unit: Unit, name: str, before: datetime, parts: Sequence[Part]) -> int:
    """Remove the old rows of a table, and return how many."""
    rows = Table.metadata.tables[name]
    copied = (
        slimming.copy_rows(unit, part, partial(_is_old, name=name, before=before)) for part in parts
    )
    elsewhere = slimming.outside(parts, rows.c[slimming.KEYS[name]])
    in_place = delete(rows).where(_is_old(rows, name, before), elsewhere)
    return sum(copied) + unit.connection.execute(in_place).rowcount


def give_back(database: Database) -> str | None:
    """Have a SQLite file, which is ours alone, give its room back; return why it could not.

    Nothing but its size is changed: whatever happens on the way, it is as it was before.
    """
    raw = database.engine.raw_connection()
    try:
        connection: Any = raw.driver_connection
        connection.execute("VACUUM")
    except sqlite3.Error as trouble:
        return str(trouble)
    finally:
        raw.close()
    return None
