"""Whether an open game is held, and why: by the caller, or by a supervisor until it is said again.

What the caller says is for everyone. What a supervisor said is for the floor; stations and boards
are told that the game is held, and no more.
"""

import json

from app.audit.tags import Tag
from app.store.queries import Reading, games, life, records
from app.store.queries.games import OpenGame


def is_held(connection: Reading, series: str, game: OpenGame) -> bool:
    """Whether a game does not close before something is mended, or said."""
    if game.held_why is not None:
        return True
    return game.closes_at is None and games.is_held_open(connection, series, game.number)


def why_held(connection: Reading, series: str, game: OpenGame) -> str | None:
    """Return why a game is held, for the floor; none if it is not."""
    if game.held_why is not None or not is_held(connection, series, game):
        return game.held_why
    done = records.entries_numbered(connection, life.game_entries(connection, series, game.number))
    said = [each.body for each in done if each.tag == Tag.OVERRIDE and each.body]
    return json.loads(said[-1])["reason"] if said else "by hand"
