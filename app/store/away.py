"""Whether a fault is the database's, which is away for now, or ours."""

import sqlite3

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree

from app.store.unit import CommitUnknown


def is_not_allowed(fault: DBAPIError) -> bool:
    """Whether the role that asked lacks a right in the database."""
    return isinstance(fault.orig, psycopg.errors.InsufficientPrivilege)


def is_away(fault: BaseException) -> bool:
    """Whether the database is what failed: it went, it changes, or it cannot be reached now.

    What was to be done may be done or not; whoever asks again in the same way is told.
    """
    if isinstance(fault, CommitUnknown | NoneFree):
        return True
    if not isinstance(fault, DBAPIError):
        return False
    gone = psycopg.OperationalError | psycopg.InterfaceError
    cannot_open = _code_of(fault) == sqlite3.SQLITE_CANTOPEN
    return fault.connection_invalidated or isinstance(fault.orig, gone) or cannot_open


def lacks_room(fault: BaseException) -> bool:
    """Whether SQLite had no room, no memory, or a disk that it cannot read or write."""
    return _code_of(fault) in _NO_ROOM


def _code_of(fault: BaseException) -> int | None:
    """Return which fault of SQLite's it is; none, if it is none of its own."""
    orig = fault.orig if isinstance(fault, DBAPIError) else fault
    code = getattr(orig, "sqlite_errorcode", None)
    # The last eight bits say what it is, those before them of what kind.
    return None if code is None else code & 0xFF


_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM)
