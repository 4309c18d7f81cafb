"""The whole database as one file, and back: consistent while the house sells.

SQLite has a way of its own to copy a database that is in use. PostgreSQL has `pg_dump` and
`pg_restore`, which come with the server; both see the very moment that the caller's transaction
sees. Passwords go to them in their environment, where other users of the machine do not see them.
"""

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from app.store import slimming
from app.store.away import lacks_room
from app.store.columns import utc_text
from app.store.database import Database

Progress = Callable[[int], None]
"""Is told how many bytes are copied so far."""

PAGES = 2_000  # copied at a time
LOOK_SECONDS = 0.2
ENGINES = ("sqlite", "postgresql")
PLAIN_WORDS = {"LC_ALL": "C.UTF-8"}
_LISTED_LAST = "alembic_version"


class CannotCopy(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """The database could not be copied; the text says why."""


class Disturbed(CannotCopy):
    """What it takes was not there: room, memory or the server. Nothing is known of the copy."""


# What PostgreSQL says then (classes 53, 57 and 58, and lines that are cut): its programs tell the
# words of a fault and not its code. Servers of ours speak like this; programs are told to.
_DISTURBANCES = (
    "No space left on device",
    "Disk quota exceeded",
    "Check free disk space",
    "temp_file_limit",
    "Input/output error",
    "out of memory",
    "out of shared memory",
    "too many clients",
    "connection slots are reserved",
    "canceling statement",
    "terminating connection",
    "the database system is",
    "connection to server",
    "server closed the connection",
    "could not receive data from server",
    "could not send data to server",
    "SSL SYSCALL error",
    "read-only transaction",
)


def is_empty(database: Database) -> bool:
    """Whether there is nothing in a database at all: not a table."""
    if database.is_sqlite and not Path(database.url.database or "").exists():
        return True
    with database.reading() as connection:
        return not inspect(connection).get_table_names()


def files_of_another(database: Database) -> list[str]:
    """Return files beside a SQLite database that belong to one which is gone, and would spoil it.

    What stands in an old write-ahead log would be taken for the newest of the restored database.
    """
    if not database.is_sqlite:
        return []
    path = Path(database.url.database or "")
    beside = [path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")]
    return [] if path.exists() else [str(each) for each in beside if each.exists()]


# ---- out -----------------------------------------------------------------------------------------


def copy_out(connection: Connection, file: Path, progress: Progress) -> None:
    """Copy what a reading transaction sees into a new file, for its owner alone.

    Raises:
        CannotCopy: it could not be.
    """
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    if connection.dialect.name == "sqlite":
        _copy_out_sqlite(connection, file, progress)
    else:
        _dump(connection, file, progress)


def _copy_out_sqlite(connection: Connection, file: Path, progress: Progress) -> None:
    # Something is read first, so that all of it is copied as of this moment: writers go on in the
    # write-ahead log, and nothing is begun again because of them.
    connection.execute(text("SELECT 1 FROM sqlite_master LIMIT 1"))
    source = connection.connection.driver_connection
    if not isinstance(source, sqlite3.Connection):
        raise CannotCopy("this is not SQLite's own driver")
    size = source.execute("PRAGMA page_size").fetchone()[0]

    def told(_status: int, remaining: int, total: int) -> None:
        progress((total - remaining) * size)

    with closing(sqlite3.connect(file)) as target:
        source.backup(target, pages=PAGES, progress=told, sleep=0)
        # One file, with nothing beside it.
        target.execute("PRAGMA journal_mode=DELETE")


def _dump(connection: Connection, file: Path, progress: Progress) -> None:
    snapshot = connection.execute(text("SELECT pg_export_snapshot()")).scalar_one()
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={snapshot}"]
    # What an archive is about to put in its place, or has replaced, is no part of the house.
    options += [f"--exclude-schema={schema}" for schema in (slimming.NEW, slimming.GONE)]
    with file.open("wb") as out:
        dumping = _started("pg_dump", connection, options, stdout=out)
        while dumping.poll() is None:
            progress(file.stat().st_size)
            time.sleep(LOOK_SECONDS)
        _check_done(dumping)
    progress(file.stat().st_size)


# ---- in ------------------------------------------------------------------------------------------


def copy_in(database: Database, file: Path, size: int, now: datetime) -> None:
    """Fill an empty database from a copy, so that it is known at once as a restored one.

    Write order: everything comes to be at once, with the row that says that this is a restored
    database (`Restoration`). *Crash before: the database is as empty as before, or, on PostgreSQL,
    has no revision, and nothing starts on it; it is dropped and the restore asked for again. Crash
    after: it is restored, and nothing is sold before it was looked at.*

    Args:
        database: which; the caller has seen that it is empty.
        file: the copy, which is used up on SQLite.
        size: how many entries its log has.
        now: when this is.

    Raises:
        CannotCopy: it could not be.
        Disturbed: what it takes was not there.
    """
    if database.is_sqlite:
        _copy_in_sqlite(Path(database.url.database or ""), file, size, now)
        return
    with database.writing() as connection:
        _load(connection, file)
        connection.execute(_RESTORED, {"size": size, "now": now})
        connection.commit()


_RESTORED = text("INSERT INTO restoration (size, noticed_at) VALUES (:size, :now)")


def _copy_in_sqlite(path: Path, file: Path, size: int, now: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    placed = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        os.close(os.open(placed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        shutil.copyfile(file, placed)
        placed.chmod(0o600)
        with closing(sqlite3.connect(placed)) as connection:
            connection.execute(str(_RESTORED), {"size": size, "now": utc_text(now)})
            connection.commit()
        _sync(placed)
        placed.replace(path)
        _sync(path.parent)
    except sqlite3.Error as fault:
        if lacks_room(fault):
            raise Disturbed(str(fault)) from None
        raise CannotCopy(f"the copy cannot be used: {fault}") from None
    finally:
        placed.unlink(missing_ok=True)


def _load(connection: Connection, file: Path) -> None:
    """Load a dump; the revision comes last, in the transaction of the caller.

    Without it no process of ours starts on the database.
    """
    listed = _run("pg_restore", ["--list", str(file)])
    kept = [line for line in listed.splitlines() if not _is_revision(line)]
    contents = file.with_suffix(".list")
    contents.write_text("\n".join(kept) + "\n")
    try:
        options = ["--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"]
        options += [f"--use-list={contents}", str(file)]
        _check_done(_started("pg_restore", connection, options, stdout=subprocess.DEVNULL))
    finally:
        contents.unlink(missing_ok=True)
    # Its own data alone: `--data-only` of one table is a line that can be read.
    shown = _run("pg_restore", ["--data-only", f"--table={_LISTED_LAST}", "--file=-", str(file)])
    lines = shown.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("COPY "))
    revision = lines[start + 1].strip()
    connection.execute(
        text(f"INSERT INTO {_LISTED_LAST} (version_num) VALUES (:revision)"),  # noqa: S608  our own
        {"revision": revision},
    )


def _is_revision(line: str) -> bool:
    return f"TABLE DATA public {_LISTED_LAST} " in line


# ---- a database to try a copy in -----------------------------------------------------------------


@contextmanager
def scratch_database(like: Database, folder: Path) -> Iterator[str]:
    """Give out the address of an empty database, which is gone afterwards.

    Args:
        like: the database whose engine and server it has.
        folder: where it is, on SQLite.

    Raises:
        CannotCopy: none could be made.
    """
    if like.is_sqlite:
        yield f"sqlite:///{folder / 'scratch.db'}"
        return
    server = create_engine(like.url, isolation_level="AUTOCOMMIT")
    try:
        try:
            with server.connect() as connection:
                _drop_forgotten(connection)
                today = connection.execute(text(_TODAY)).scalar_one()
                name = f"keno_check_{today}_{uuid4().hex[:12]}"
                connection.execute(text(f"CREATE DATABASE {name}"))
        except DBAPIError as fault:
            raise CannotCopy(f"no database could be made to try it in: {fault.orig}") from None
        try:
            yield like.url.set(database=name).render_as_string(hide_password=False)
        finally:
            with server.connect() as connection:
                connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
    finally:
        server.dispose()


def serving_since(database: Database) -> object:
    """Return since when the server serves; another one, or one that was started again, differs."""
    if database.is_sqlite:
        return None
    with database.reading() as connection:
        return connection.execute(text("SELECT pg_postmaster_start_time()")).scalar_one()


_TODAY = "SELECT to_char(clock_timestamp(), 'YYYYMMDD')"
_FORGOTTEN = """
SELECT datname FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba
WHERE rolname = current_user AND datname ~ '^keno_check_[0-9]{8}_[0-9a-f]{12}$'
AND substr(datname, 12, 8) < to_char(clock_timestamp() - interval '1 day', 'YYYYMMDD')
"""


def _drop_forgotten(connection: Connection) -> None:
    """Drop what trials of days ago left that were killed: each is the whole house once more."""
    for name in connection.execute(text(_FORGOTTEN)).scalars():
        connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))


# ---- PostgreSQL's own programs -------------------------------------------------------------------


def _started(
    program: str, connection: Connection, options: list[str], stdout: int | BinaryIO
) -> "subprocess.Popen[bytes]":
    url = connection.engine.url
    address = url.set(drivername="postgresql", password=None).render_as_string()
    secret = {} if url.password is None else {"PGPASSWORD": str(url.password)}
    return subprocess.Popen(  # noqa: S603  PostgreSQL's own program
        [_found(program), f"--dbname={address}", *options],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | PLAIN_WORDS | secret,
    )


def _check_done(process: "subprocess.Popen[bytes]") -> None:
    _, said = process.communicate()
    if process.returncode != 0:
        lines = said.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        # Where it was in its work it may say first.
        told = next((line for line in lines if "error:" in line), lines[0])
        is_disturbed = any(words in line for line in lines for words in _DISTURBANCES)
        raise Disturbed(told) if is_disturbed else CannotCopy(told)


def _run(program: str, options: list[str]) -> str:
    done = subprocess.run(  # noqa: S603  PostgreSQL's own program
        [_found(program), *options], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CannotCopy(done.stderr.strip() or f"{program} failed")
    return done.stdout


def _found(program: str) -> str:
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"), reverse=True)
    found = shutil.which(program) or next(map(str, places), None)
    if found is None:
        raise CannotCopy(f"{program} is not installed; it comes with PostgreSQL's client programs")
    return found


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
