"""What a ticket is, and how it stands: derived from facts, never stored (X-not-decided)."""

from typing import Any

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.numbering import printed_number
from app.store.queries import games
from app.store.queries import tickets as queries
from app.store.queries.tickets import TicketRow
from app.store.tables import GameState
from app.store.unit import Unit

MASKED = "*" * 25  # the code is on the paper only


def look_up(office: Office, credentials: Credentials, number: int) -> dict[str, Any]:
    """Return a ticket and how it stands.

    Refuses: whoever is not at work, and a ticket that is not there.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        at_work(credentials, Permission.TICKET_LOOK_UP)(unit)
        ticket = queries.ticket(connection, number)
        if ticket is None:
            raise say_no(No.UNKNOWN_TICKET, number=number)
        return {
            "number": ticket.number,
            "printed_number": printed_number(ticket.number),
            "code": MASKED,
            "series": ticket.series,
            "first_game": ticket.first_game,
            "last_game": ticket.last_game,
            "type": ticket.type,
            "source": ticket.source,
            "replay_of": ticket.replay_of,
            "groups": ticket.play["groups"],
            "lines": ticket.play["lines"],
            "price_per_game_cents": ticket.price_per_game_cents,
            "price_cents": ticket.price_cents,
            "rate_card": ticket.card_hash.hex(),
            "station": ticket.station_code,
            "writer": ticket.writer_code,
            "sold_at": time_text(ticket.sold_at),
            **_standing(unit, ticket),
        }


def _standing(unit: Unit, ticket: TicketRow) -> dict[str, str]:
    if ticket.voided_at is not None:
        return {"standing": "void", "explanation": f"Voided at {time_text(ticket.voided_at)}."}
    name = f"{ticket.series}-{ticket.first_game}"
    if ticket.first_game_state is GameState.OPEN:
        return {"standing": "open", "explanation": f"Game {name} is not locked yet."}
    last = games.game(unit.connection, ticket.series, ticket.last_game)
    if last is None or last.state is GameState.OPEN:
        ends = f"{ticket.series}-{ticket.last_game}"
        return {"standing": "in-play", "explanation": f"The ticket plays until game {ends}."}
    return {"standing": "not-decided", "explanation": "Not yet decided."}
