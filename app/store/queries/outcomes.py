"""Locked games on their way: what was asked of the keyed processes, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, exists, select

from app.keno.game import GameState
from app.store.tables import Cosigned, Game, LockStatement, LogEntry, LogPosition, Outcome
from app.store.tables import VoidStatement as VoidStatementRow


@dataclass(frozen=True)
class OutcomeRow:
    """What became of a locked game."""

    series: str
    game: int
    numbers: list[int] | None  # in the order drawn; none if it is void
    document: Any
    record: bytes
    ended_at: datetime


@dataclass(frozen=True)
class ResultRow:
    """A locked game, and what became of it."""

    series: str
    game: int
    state: GameState
    locked_at: datetime | None
    numbers: list[int] | None
    document: Any | None
    ended_at: datetime | None


@dataclass(frozen=True)
class ListedGame:
    """A locked game with its numbers, as it is listed; its signed record is asked for by itself."""

    series: str
    game: int
    state: GameState
    locked_at: datetime | None
    numbers: list[int] | None
    ended_at: datetime | None


@dataclass(frozen=True)
class SealedLock:
    """The LOCK entry of a game in the sealed log."""

    index: int
    leaf: bytes


def waiting_games(connection: Connection) -> list[tuple[str, int]]:
    """Return the locked games for which nothing was asked yet, as far as is known here."""
    asked = exists().where(LockStatement.series == Game.series, LockStatement.game == Game.number)
    found = (
        select(Game.series, Game.number)
        .where(Game.state == GameState.LOCKED.value, ~asked)
        .order_by(Game.series, Game.number)
    )
    return [(row.series, row.number) for row in connection.execute(found)]


def lock_request(connection: Connection, series: str, game: int) -> Any | None:  # noqa: ANN401
    """Return what the generator was asked to draw a game with, if that was built."""
    found = select(LockStatement.request).where(
        LockStatement.series == series, LockStatement.game == game
    )
    return connection.execute(found).scalar_one_or_none()


def void_statement(connection: Connection, series: str, game: int) -> Any | None:  # noqa: ANN401
    """Return what the generator was asked to void, if anybody did ask."""
    found = select(VoidStatementRow.statement).where(
        VoidStatementRow.series == series, VoidStatementRow.game == game
    )
    return connection.execute(found).scalar_one_or_none()


def outcome(connection: Connection, series: str, game: int) -> OutcomeRow | None:
    """Return what became of a game; none if nothing did yet."""
    found = select(
        Outcome.series,
        Outcome.game,
        Outcome.numbers,
        Outcome.document,
        Outcome.record,
        Outcome.ended_at,
    ).where(Outcome.series == series, Outcome.game == game)
    row = connection.execute(found).first()
    return None if row is None else OutcomeRow(*row)


def newest_results(connection: Connection, count: int) -> list[ResultRow]:
    """Return the games that were locked last, with what became of them, the newest first."""
    found = (
        select(
            Game.series,
            Game.number,
            Game.state,
            Game.locked_at,
            Outcome.numbers,
            Outcome.document,
            Outcome.ended_at,
        )
        .outerjoin(Outcome, (Outcome.series == Game.series) & (Outcome.game == Game.number))
        .where(Game.state != GameState.OPEN.value)
        .order_by(Game.locked_at.desc(), Game.series)
        .limit(count)
    )
    return [
        ResultRow(row[0], row[1], GameState(row[2]), *row[3:]) for row in connection.execute(found)
    ]


def series_results(
    connection: Connection, series: str, before: int | None, count: int
) -> list[ListedGame]:
    """Return locked games of a series, the newest first, of those before one or of all.

    They are found by their number, however many there are (15.5(h)).
    """
    found = (
        select(
            Game.series,
            Game.number,
            Game.state,
            Game.locked_at,
            Outcome.numbers,
            Outcome.ended_at,
        )
        .outerjoin(Outcome, (Outcome.series == Game.series) & (Outcome.game == Game.number))
        .where(Game.series == series, Game.state != GameState.OPEN.value)
        .order_by(Game.number.desc())
        .limit(count)
    )
    if before is not None:
        found = found.where(Game.number < before)
    return [
        ListedGame(row[0], row[1], GameState(row[2]), *row[3:]) for row in connection.execute(found)
    ]


def sealed_lock(connection: Connection, series: str, game: int) -> SealedLock | None:
    """Return the place and the leaf of a game's LOCK entry; none while it has no place."""
    found = (
        select(LogPosition.position, LogEntry.leaf)
        .join(Game, Game.lock_entry == LogPosition.entry)
        .join(LogEntry, LogEntry.id == LogPosition.entry)
        .where(Game.series == series, Game.number == game)
    )
    row = connection.execute(found).first()
    return None if row is None else SealedLock(row.position, row.leaf)


def newest_cosigned(connection: Connection) -> str | None:
    """Return the note of the largest head that the inspector has cosigned."""
    found = select(Cosigned.note).order_by(Cosigned.size.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none()
