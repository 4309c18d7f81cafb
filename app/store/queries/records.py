"""The records of the house, for whoever watches: entries of the log by number, and backwards.

The log of a year has millions of entries. Nothing here reads more of it than it is told to: by the
number of an entry, or back from one over so many and no more.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, or_, select

from app.keno.game import GameState
from app.store.queries.log import ENTRY_COLUMNS, EntryRow
from app.store.tables import Game, LogCheckpoint, LogEntry, LogPosition, Staff, Station

ESCAPE = "\\"
_ENTRY = select(*ENTRY_COLUMNS).outerjoin(LogPosition, LogPosition.entry == LogEntry.id)


@dataclass(frozen=True)
class Stretch:
    """Entries found on the way back from one to another, the newest first."""

    entries: list[EntryRow]
    looked_until: int | None  # the oldest entry that was looked at; none: there are no older ones


@dataclass(frozen=True)
class PersonRow:
    """One of the staff, as everybody may know them."""

    code: str
    name: str
    role: str
    disabled: bool


@dataclass(frozen=True)
class StationRow:
    """A work station, as everybody may know it."""

    code: str
    location: str
    enrolled: bool
    disabled: bool


# ---- entries -------------------------------------------------------------------------------------


def entry(connection: Connection, number: int) -> EntryRow | None:
    """Return an entry by its number."""
    return next(iter(entries_numbered(connection, [number])), None)


def entries_numbered(connection: Connection, numbers: Collection[int]) -> list[EntryRow]:
    """Return entries by their numbers, in their order."""
    found = _ENTRY.where(LogEntry.id.in_(numbers)).order_by(LogEntry.id)
    return [EntryRow(*row) for row in connection.execute(found)]


def newest_number(connection: Connection) -> int:
    """Return the number of the newest entry; 0 before there is one."""
    return connection.execute(select(func.max(LogEntry.id))).scalar_one() or 0


def entries_back(connection: Connection, before: int, most: int, oldest: int = 1) -> Stretch:
    """Return the entries before one, so many at most, back to another."""
    found = _ENTRY.where(LogEntry.id < before, LogEntry.id >= oldest)
    stretch = _stretch(connection, found, most, oldest)
    return stretch if len(stretch.entries) == most else Stretch(stretch.entries, None)


def entries_naming(
    connection: Connection, words: Sequence[str], before: int, window: int, most: int
) -> Stretch:
    """Return the entries before one whose bodies have one of these words as a value.

    There is no index over bodies: so many entries are looked at and no more, and whoever asks goes
    on from there.
    """
    oldest = max(before - window, 1)
    named = or_(*(LogEntry.body.like(_like(word), escape=ESCAPE) for word in words))
    found = _ENTRY.where(LogEntry.id >= oldest, LogEntry.id < before, named)
    return _stretch(connection, found, most, oldest)


def entries_of_paper(connection: Connection, paper: int, window: int) -> list[EntryRow]:
    """Return the entries that tell what people said of a paper, of so many after it."""
    found = _ENTRY.where(
        LogEntry.id > paper,
        LogEntry.id <= paper + window,
        LogEntry.tag.in_(("ON-PAPER", "RETRIED")),
        LogEntry.body.like(f'%"paper":{paper},%'),
    )
    return [EntryRow(*row) for row in connection.execute(found.order_by(LogEntry.id))]


def _stretch(
    connection: Connection, found: Select[*tuple[Any, ...]], most: int, oldest: int
) -> Stretch:
    rows = connection.execute(found.order_by(LogEntry.id.desc()).limit(most)).all()
    entries = [EntryRow(*row) for row in rows]
    until = entries[-1].id if len(entries) == most else oldest
    return Stretch(entries, until if until > 1 else None)


def _like(word: str) -> str:
    """Return the pattern of a value in a body, which is canonical JSON."""
    text = json.dumps(word, ensure_ascii=False)
    for special in (ESCAPE, "%", "_"):
        text = text.replace(special, ESCAPE + special)
    return f"%{text}%"


def head_signed_at(connection: Connection, size: int) -> datetime | None:
    """Return when the head of a size was signed."""
    found = select(LogCheckpoint.signed_at).where(LogCheckpoint.size == size)
    return connection.execute(found).scalar_one_or_none()


# ---- days ----------------------------------------------------------------------------------------


def entries_around(connection: Connection, day: str) -> tuple[int, int]:
    """Return between which entries those of a gaming day stand: the locks of the days around it."""
    locks = select(Game.lock_entry).where(Game.lock_entry.is_not(None)).limit(1)
    before = locks.where(Game.gaming_day < day).order_by(Game.lock_entry.desc())
    after = locks.where(Game.gaming_day > day).order_by(Game.lock_entry)
    first = connection.execute(before).scalar_one_or_none() or 0
    last = connection.execute(after).scalar_one_or_none()
    return first, newest_number(connection) + 1 if last is None else last


def games_of_day(connection: Connection, day: str) -> list[tuple[str, int, GameState]]:
    """Return the games that were locked in a gaming day, the newest first."""
    found = (
        select(Game.series, Game.number, Game.state)
        .where(Game.gaming_day == day)
        .order_by(Game.lock_entry.desc())
    )
    return [(series, game, GameState(state)) for series, game, state in connection.execute(found)]


# ---- people and stations -------------------------------------------------------------------------


def people(connection: Connection) -> list[PersonRow]:
    """Return everybody who works here or did."""
    found = select(Staff.code, Staff.name, Staff.role, Staff.disabled_at).order_by(Staff.code)
    return [
        PersonRow(code, name, role, disabled is not None)
        for code, name, role, disabled in connection.execute(found)
    ]


def stations(connection: Connection) -> list[StationRow]:
    """Return every work station."""
    found = select(Station.code, Station.location, Station.token, Station.disabled_at)
    return [
        StationRow(code, location, token is not None, disabled is not None)
        for code, location, token, disabled in connection.execute(found.order_by(Station.code))
    ]
