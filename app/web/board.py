"""The board of a series, on a screen that is read across a lounge (15.5(c), 15.5(f), 15.5(g)).

The page is empty; its script asks for what stands here, whenever the live feed says that something
happened, and now and then. Each answer is the whole board, so that a screen which was away for
hours is right again with the first one. Numbers come from kept outcomes only, and nothing is kept
that was not verified (`app.flow.draw`).
"""

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from app.audit.checkpoints import short_seal
from app.flow.held import is_held
from app.flow.refusals import No, say_no
from app.keno.refusals import quoted
from app.store.queries import Reading, cards, games, house, outcomes
from app.store.queries.games import OpenGame
from app.store.queries.outcomes import ListedGame
from app.web.pages import moment
from app.web.results import WORDS
from app.web.routes import ANYONE, needs, office

routes = Blueprint("board", __name__)
LAST = 8  # games beside the newest


@routes.get("/board/<series>")
@needs(ANYONE)
def board(series: str) -> str:
    """Show the board of a series."""
    with office().database.reading() as connection:
        name = _name(connection, series)
    return render_template("board.html", series=series, name=name, last=LAST)


@routes.get("/board/<series>/now.json")
@needs(ANYONE)
def now(series: str) -> Response:
    """Return everything that the board shows now."""
    at = office().now()
    with office().database.reading() as connection:
        _name(connection, series)
        is_open = games.open_game(connection, series)
        found = outcomes.series_results(connection, series, None, LAST + 1)
        return jsonify(
            open=is_open and _open(connection, series, is_open, at),
            games=[_shown(game, at) for game in found],
            seal=_seal(connection, found[0], is_open) if found else None,
            cards=_to_come(connection, at),
        )


def _name(connection: Reading, series: str) -> str:
    names = house.series_names(connection)
    if series not in names:
        raise say_no(No.NO_SUCH_SERIES, series=quoted(series))
    return names[series]


def _open(connection: Reading, series: str, game: OpenGame, at: datetime) -> dict[str, Any]:
    """Return the open game, and for how many seconds it is sold: no screen's clock is asked."""
    until = game.sells_until
    return {
        "game": f"{series}-{game.number}",
        "number": game.number,
        "seconds": until and max(0, round((until - at).total_seconds(), 3)),
        "held": is_held(connection, series, game),
        "held_why": game.held_why,
    }


def _shown(game: ListedGame, at: datetime) -> dict[str, Any]:
    return {
        "game": f"{game.series}-{game.game}",
        "number": game.game,
        "state": game.state.value,
        "words": WORDS[game.state],
        "numbers": game.numbers,
        "ended_seconds": game.ended_at and max(0, round((at - game.ended_at).total_seconds(), 3)),
    }


def _seal(connection: Reading, game: ListedGame, is_open: OpenGame | None) -> str | None:
    """Return the seal of the newest game: that of its draw, or before it the one on new tickets."""
    ended = outcomes.outcome(connection, game.series, game.game)
    if ended is not None:
        return short_seal(ended.document["seal"]["note"]) if "seal" in ended.document else None
    is_sealed = is_open is not None and is_open.sealed_game == f"{game.series}-{game.game}"
    return short_seal(is_open.seal) if is_open and is_sealed and is_open.seal else None


def _to_come(connection: Reading, at: datetime) -> list[dict[str, str]]:
    """Return the rate cards that are published and do not hold yet, the next first (8.3)."""
    return [
        {"name": term.name, "from": moment(term.effective_at)}
        for term in reversed(cards.terms(connection))
        if term.effective_at > at
    ]
