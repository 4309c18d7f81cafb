"""Draws as they are kept, with all that a check of them needs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, select
from sqlalchemy.orm import aliased

from app.keno.game import GameState
from app.store.tables import FeedEvent, Game, LockStatement, LogEntry, Outcome

_Before = aliased(Outcome)


@dataclass(frozen=True)
class DrawRow:
    """What became of a locked game, as it is kept in each place that tells of it."""

    series: str
    game: int
    state: GameState
    locked_at: datetime | None
    ended_at: datetime
    numbers: list[int] | None  # in the order drawn; none if it is void
    document: Any
    record: bytes
    entry: int
    body: str  # of its entry in the log
    request: Any | None  # what the generator was asked with
    before: bytes | None  # the record of the game before it

    @property
    def name(self) -> str:
        """The game as people write it."""
        return f"{self.series}-{self.game}"


def draw(connection: Connection, series: str, game: int) -> DrawRow | None:
    """Return what became of a game; none if nothing did yet."""
    found = _draws().where(Outcome.series == series, Outcome.game == game)
    return next(iter(_read(connection, found)), None)


def newest_draws(
    connection: Connection, count: int, series: str | None = None, before: int | None = None
) -> list[DrawRow]:
    """Return what became of the games that ended last, the newest first.

    Args:
        connection: where it is read.
        count: of so many.
        series: of this series only.
        before: with a series: of games before this one only.
    """
    found = _draws().order_by(Outcome.entry.desc()).limit(count)
    if series is not None:
        found = _draws().where(Outcome.series == series).order_by(Outcome.game.desc()).limit(count)
        found = found if before is None else found.where(Outcome.game < before)
    return _read(connection, found)


def numbers_drawn(connection: Connection, series: str, most: int) -> list[list[int]]:
    """Return the numbers of the last draws of a series, in the order of the games."""
    found = (
        select(Outcome.numbers)
        .where(Outcome.series == series)
        .order_by(Outcome.game.desc())
        .limit(most)
    )
    drawn = [numbers for numbers in connection.execute(found).scalars() if numbers is not None]
    return drawn[::-1]


def holds(connection: Connection, window: int, most: int) -> list[tuple[str, int, str, datetime]]:
    """Return the games that could not be drawn of late, and why: of so many events at most."""
    newest = connection.execute(select(FeedEvent.id).order_by(FeedEvent.id.desc()).limit(1))
    found = (
        select(FeedEvent.series, FeedEvent.game, FeedEvent.facts, FeedEvent.happened_at)
        .where(FeedEvent.id > (newest.scalar_one_or_none() or 0) - window, FeedEvent.kind == "held")
        .order_by(FeedEvent.id.desc())
        .limit(most)
    )
    return [
        (series, game, str(facts.get("why")), at)
        for series, game, facts, at in connection.execute(found)
    ]


def last_lock(connection: Connection) -> str | None:
    """Return what the log says of the game that was locked last."""
    found = (
        select(LogEntry.body)
        .join(Game, Game.lock_entry == LogEntry.id)
        .order_by(Game.lock_entry.desc())
        .limit(1)
    )
    return connection.execute(found).scalar_one_or_none()


def _draws() -> Select[*tuple[Any, ...]]:
    return (
        select(
            Outcome.series,
            Outcome.game,
            Game.state,
            Game.locked_at,
            Outcome.ended_at,
            Outcome.numbers,
            Outcome.document,
            Outcome.record,
            Outcome.entry,
            LogEntry.body,
            LockStatement.request,
            _Before.record.label("before"),
        )
        .join(Game, (Game.series == Outcome.series) & (Game.number == Outcome.game))
        .join(LogEntry, LogEntry.id == Outcome.entry)
        .outerjoin(
            LockStatement,
            (LockStatement.series == Outcome.series) & (LockStatement.game == Outcome.game),
        )
        .outerjoin(_Before, (_Before.series == Outcome.series) & (_Before.game == Outcome.game - 1))
    )


def _read(connection: Connection, found: Select[*tuple[Any, ...]]) -> list[DrawRow]:
    return [
        DrawRow(row[0], row[1], GameState(row[2]), *row[3:]) for row in connection.execute(found)
    ]
