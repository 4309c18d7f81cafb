"""What a ticket is, and how it stands: derived from facts, never stored (X-not-decided)."""

from typing import Any

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.plays import request_of
from app.flow.refusals import No, say_no
from app.flow.standing import Standing, standing_of
from app.keno.game import GameState
from app.keno.numbering import printed_number
from app.keno.spoken import line_of
from app.store.queries import tickets as queries
from app.store.queries.tickets import TicketRow
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
            "spoken": line_of(request_of(ticket.play, ticket.games)),
            "price_per_game_cents": ticket.price_per_game_cents,
            "price_cents": ticket.price_cents,
            "rate_card": ticket.card_hash.hex(),
            "station": ticket.station_code,
            "writer": ticket.writer_code,
            "sold_at": time_text(ticket.sold_at),
            **_told(ticket, standing_of(office, unit, ticket, unit.now())),
        }


def _told(ticket: TicketRow, standing: Standing) -> dict[str, Any]:
    return {
        "standing": standing.stands.value,
        "explanation": standing.explanation,
        "plays_until": standing.last_game,
        "win_cents": standing.win_cents,
        "refund_due_cents": standing.refund_due_cents,
        "expires_at": standing.expires_at and time_text(standing.expires_at),
        "games": [
            {
                "game": f"{ticket.series}-{game.number}",
                "state": game.state.value,
                "numbers": game.numbers,
                # What is not certified is not told: it may still turn out otherwise.
                "win_cents": game.win_cents if game.state is GameState.CERTIFIED else None,
                "refunded_cents": game.refunded_cents,
            }
            for game in standing.games
        ],
    }
