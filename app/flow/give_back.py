"""Giving back the room of what was archived: slim copies take the places of old partitions.

PostgreSQL only; a SQLite file is made smaller as a whole. The archive is done before this begins
(`app.flow.archive`): its entry is in the log, and its transaction has made the copies. Until they
are in their places the bodies are at hand, as if nothing had been archived.

Write order, each in a transaction of its own, and each by whoever comes next if this one dies:

1. Each copy refers to what its partition refers to, and all its rows are looked through for that.
   *Crash after: it is found to be so.*
2. Whoever reads under a view of the database from before the copies were made is waited for: they
   would find them empty. Nothing is written.
3. Partition by partition, the copy is put in its place. *Crash after: the old one is where nobody
   sees it, and is dropped by whoever comes next.*
4. What was replaced is dropped, and its room given back. *Crash after: it is done.*

Whoever is in the way for too long is left alone, and it is asked for again (`keno archive
--finish`); the next archive begins with it in any case.
"""

from collections.abc import Callable
from functools import partial

from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.store import archiving, slimming
from app.store.archiving import NotOurs
from app.store.database import Database
from app.store.slimming import Busy
from app.store.unit import CommitUnknown, Unit, unit_of

TRIES = 60


def finish_archive(office: Office, way: Database | None) -> str | None:
    """Give back the room of what was archived; return why it could not be, if it could not.

    Refuses: without a way that the running house does not have.
    """
    try:
        archiving.check_way(office.database, way)
        with archiving.alone(office.database, way) as database:
            return give_back(database)
    except NotOurs as why:
        raise say_no(No.NO_WAY, why=str(why)) from None


def give_back(database: Database) -> str | None:
    """Give back the room of what was archived, by whoever archives; return why it could not be."""
    if database.is_sqlite:
        return archiving.give_back(database)
    try:
        _drop_replaced(database)
        copies = _listed(database, slimming.copies_made)
        for name in copies:
            _tried(database, partial(slimming.refer, name=name))
            _tried(database, partial(slimming.look_through, name=name))
            _tried(database, partial(slimming.check_nobody_reads, name=name))
        for name in copies:
            _tried(database, partial(slimming.put_in_place, name=name))
        _drop_replaced(database)
    except (Busy, CommitUnknown) as why:
        return str(why) or "the database did not answer"
    return None


def _drop_replaced(database: Database) -> None:
    for name in _listed(database, slimming.replaced):
        _tried(database, partial(slimming.drop, name=name))


def _listed(database: Database, listed: Callable[[Unit], list[str]]) -> list[str]:
    with unit_of(database) as unit:
        return listed(unit)


def _tried(database: Database, act: Callable[[Unit], None]) -> None:
    """Do something in a transaction, and again if somebody is in the way.

    Raises:
        Busy: it was tried so often, and somebody was always there.
    """
    for _ in range(TRIES - 1):
        try:
            _done(database, act)
        except Busy:
            slimming.wait_a_little()
        else:
            return
    _done(database, act)


def _done(database: Database, act: Callable[[Unit], None]) -> None:
    with unit_of(database) as unit:
        archiving.take_time(unit)
        act(unit)
        unit.commit()
