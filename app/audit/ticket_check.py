"""A ticket as it is stored, held against its entry in the log, which counts (X-audit-log)."""

import json

from app.store.queries.tickets import TicketRow


def told_otherwise(ticket: TicketRow, body: str) -> list[str]:
    """Return what of a ticket the log tells otherwise, by the names that the log has for it.

    What is archived is checked with the archive at hand, by the books.
    """
    if not body:
        return []
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        return ["everything"]
    stored = {
        "number": ticket.number,
        "series": ticket.series,
        "first_game": ticket.first_game,
        "games": ticket.games,
        "type": ticket.type,
        "groups": ticket.play.get("groups"),
        "lines": ticket.play.get("lines"),
        "card": ticket.card_hash.hex(),
        "price_per_game_cents": ticket.price_per_game_cents,
        "price_cents": ticket.price_cents,
        "source": ticket.source,
        "replay_of": ticket.replay_of,
        "station": ticket.station_code,
        "writer": ticket.writer_code,
    }
    return [name for name, value in stored.items() if told.get(name) != value]
