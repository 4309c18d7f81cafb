"""What anyone may know of the games: results with their proofs, and what happens now.

Winning numbers stay here for as long as the house keeps them, at least a year (15.5(h)): the page
leads back to the first game, and finds each by its number.
"""

from hashlib import sha256
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from app.clock import time_text
from app.flow.held import is_held
from app.flow.open_game import NUMBER_DIGITS, read_game
from app.flow.refusals import No, say_no
from app.keno.game import GameState
from app.keno.refusals import quoted
from app.store.queries import Reading, games, house, outcomes, running
from app.store.queries.outcomes import ListedGame, ResultRow
from app.web.routes import ANYONE, needs, office

routes = Blueprint("results", __name__)

NEWEST = 100
OF_ALL, OF_ONE = 6, 20  # games on the page, of every series and of one
SOUGHT_MAX = 20
WORDS: dict[GameState, str] = {
    GameState.OPEN: "Open",
    GameState.LOCKED: "Closed, to be drawn",
    GameState.DRAWN: "Drawn",
    GameState.SETTLED: "Drawn",
    GameState.CERTIFIED: "Official",
    GameState.VOID: "Void: what was paid for it goes back",
    GameState.FROZEN: "Drawn; payment waits while it is looked into",
}


@routes.get("/results")
@needs(ANYONE)
def results_page() -> str | tuple[str, int]:
    """Show the newest games of each series, the older ones of one, or a game that is sought."""
    sought = request.args.get("game", "").strip()
    with office().database.reading() as connection:
        names = house.series_names(connection)
        if sought:
            parts = [
                _part(connection, code, number + 1, 1, number)
                for code, number in _named(sought, names)
            ]
        else:
            one = request.args.get("series", "")
            codes, count = ([one], OF_ONE) if one in names else (list(names), OF_ALL)
            before = _number(request.args.get("before", ""))
            parts = [_part(connection, code, before, count) for code in codes]
    found = [part for part in parts if part["is_there"]]
    page = render_template(
        "results.html", names=names, parts=found, sought=sought[:SOUGHT_MAX], words=WORDS
    )
    return page if found or not sought else (page, 404)


@routes.get("/results/<series>/<number>.json")
@needs(ANYONE)
def record(series: str, number: str) -> Response:
    """Return one game with its whole signed record, however old it is (X-draw-public)."""
    game = read_game(series, number)
    with office().database.reading() as connection:
        found = games.game(connection, series, game)
        ended = outcomes.outcome(connection, series, game)
    if found is None:
        raise say_no(No.NO_SUCH_GAME, game=quoted(f"{series}-{number}"))
    numbers, document, at = (ended.numbers, ended.document, ended.ended_at) if ended else [None] * 3
    return jsonify(
        _document(ResultRow(series, game, found.state, found.locked_at, numbers, document, at))
    )


@routes.get("/results.json")
@needs(ANYONE)
def results() -> Response:
    """Return the newest games with their numbers and the whole signed record of each."""
    with office().database.reading() as connection:
        found = outcomes.newest_results(connection, NEWEST)
    return _tagged(jsonify(games=[_document(game) for game in found]))


@routes.get("/feed.json")
@needs(ANYONE)
def feed() -> Response:
    """Return what happened after an event, for whoever cannot listen to the live feed."""
    after = request.args.get("after", "0")
    last = int(after) if after.isdecimal() and len(after) < 18 else 0
    with office().database.reading() as connection:
        events = running.events_after(connection, last)
    listed = [
        {
            "id": event.id,
            "kind": event.kind,
            "series": event.series,
            "game": event.game,
            "at": time_text(event.happened_at),
            "facts": event.facts,
        }
        for event in events
    ]
    return _tagged(jsonify(events=listed))


def _document(game: ResultRow) -> dict[str, Any]:
    return {
        "series": game.series,
        "game": game.game,
        "state": game.state.value,
        "numbers": game.numbers,
        "locked_at": game.locked_at and time_text(game.locked_at),
        "drawn_at": game.ended_at and time_text(game.ended_at),
        "record": game.document,
    }


def _part(
    connection: Reading, code: str, before: int | None, count: int, only: int | None = None
) -> dict[str, Any]:
    """Return what is shown of a series: its open game, and games before one, or one only."""
    is_open = games.open_game(connection, code)
    if only is not None and (is_open is None or is_open.number != only):
        is_open = None
    found = outcomes.series_results(connection, code, before, count)
    listed: list[ListedGame] = [game for game in found if only in {None, game.game}]
    return {
        "code": code,
        "is_there": bool(listed or is_open or only is None),
        "open": is_open if before is None or only is not None else None,
        "held": is_open is not None and is_held(connection, code, is_open),
        "games": listed,
        "older": listed[-1].game if only is None and len(listed) == count else None,
    }


def _named(text: str, names: dict[str, str]) -> list[tuple[str, int]]:
    """Return the games that somebody may mean: M-123, m 123, or 123 of every series."""
    upper = text.upper()
    meant = []
    for code in names:
        number = _number(upper.removeprefix(code).strip(" -"))
        if number is not None:
            meant.append((code, number))
    return meant


def _number(text: str) -> int | None:
    """Return a game's number; none if it is none."""
    is_one = text.isascii() and text.isdecimal() and len(text) <= NUMBER_DIGITS
    return int(text) if is_one else None


def _tagged(answer: Response) -> Response:
    """Tell whoever asks again that nothing has changed, if nothing has."""
    answer.set_etag(sha256(answer.get_data()).hexdigest()[:32])
    return answer.make_conditional(request)  # type: ignore[return-value]
