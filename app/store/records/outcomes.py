"""Locked games on their way to an outcome."""

from datetime import datetime

from sqlalchemy import update

from app.keno.game import GameState
from app.store.records.tickets import insert_or_find
from app.store.records.together import Row
from app.store.tables import Cosigned, FeedEvent, Game, LockStatement
from app.store.unit import Unit


class GameMoved(Exception):  # noqa: N818  not a fault: what was to be done is done
    """The game is no longer in the state in which this can be done to it."""


def add_cosigned(unit: Unit, size: int, note: str) -> None:
    """Keep a cosigned head; of each size the first one counts."""
    kept = insert_or_find(unit, Cosigned).values(size=size, note=note)
    unit.connection.execute(kept.on_conflict_do_nothing())


def add_lock_request(unit: Unit, series: str, game: int, request: object) -> None:
    """Keep what the generator will be asked with; the first one that is kept counts."""
    values = {"series": series, "game": game, "request": request}
    kept = insert_or_find(unit, LockStatement).values(values)
    unit.connection.execute(kept.on_conflict_do_nothing())


def move_game(unit: Unit, series: str, number: int, before: GameState, after: GameState) -> None:
    """Move a game from one state to the next.

    Raises:
        GameMoved: it is not in the first any more.
    """
    moved = unit.connection.execute(
        update(Game)
        .where(Game.series == series, Game.number == number, Game.state == before.value)
        .values(state=after.value)
    )
    if not moved.rowcount:
        raise GameMoved


def event_row(unit: Unit, kind: str, series: str, game: int, facts: object, at: datetime) -> Row:
    """Return the row that tells whoever watches what happened to a game.

    It takes the last lock of all: whoever calls it writes no row after it that others wait for.
    """
    unit.lock_feed()
    return feed_row(kind, series, game, facts, at)


def feed_row(kind: str, series: str, game: int, facts: object, at: datetime) -> Row:
    """Return the row of an event, for whoever tells events one after the other."""
    values = {"kind": kind, "series": series, "game": game, "facts": facts, "happened_at": at}
    return FeedEvent, values
