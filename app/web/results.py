"""What anyone may know of the games: the newest results with their proofs, and what happens now."""

from hashlib import sha256

from flask import Blueprint, Response, jsonify, request

from app.clock import time_text
from app.store.queries import outcomes, running
from app.web.routes import ANYONE, needs, office

routes = Blueprint("results", __name__)

NEWEST = 100


@routes.get("/results.json")
@needs(ANYONE)
def results() -> Response:
    """Return the newest games with their numbers and the whole signed record of each."""
    with office().database.reading() as connection:
        found = outcomes.newest_results(connection, NEWEST)
    listed = [
        {
            "series": game.series,
            "game": game.game,
            "state": game.state.value,
            "numbers": game.numbers,
            "locked_at": game.locked_at and time_text(game.locked_at),
            "drawn_at": game.ended_at and time_text(game.ended_at),
            "record": game.document,
        }
        for game in found
    ]
    return _tagged(jsonify(games=listed))


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


def _tagged(answer: Response) -> Response:
    """Tell whoever asks again that nothing has changed, if nothing has."""
    answer.set_etag(sha256(answer.get_data()).hexdigest()[:32])
    return answer.make_conditional(request)  # type: ignore[return-value]
