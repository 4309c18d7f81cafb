"""What a patron is told who has a ticket in hand (X-not-decided, X-ticket-validation).

Only the code from the paper opens it. Whoever has none learns nothing: a number that was never sold
and a wrong code are the same answer. It only reads: what anyone can send must not fill the log, so
a wrong code is recorded where somebody acts on a ticket, and not here.
"""

from typing import Any

from app.flow.codes import is_code
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.flow.standing import Standing, standing_of
from app.keno.game import GameState
from app.keno.standing import Stands
from app.logs import Voice
from app.store.queries import tickets
from app.store.queries.tickets import TicketRow
from app.store.unit import Unit

UNDECIDED = frozenset({Stands.OPEN, Stands.IN_PLAY, Stands.NOT_DECIDED, Stands.FROZEN})
_NO_LEAF = bytes(32)
log = Voice("keno.check")


def check_ticket(office: Office, number: int, code: str) -> dict[str, Any]:
    """Return how a ticket stands, for whoever has its paper.

    Refuses: a number and a code that are not of one ticket.
    """
    with office.database.reading() as connection:
        ticket = _with_code(office, tickets.ticket(connection, number), number, code)
        unit = Unit(office.database, connection)
        return _told(ticket, standing_of(office, unit, ticket, unit.now()))


def _with_code(office: Office, ticket: TicketRow | None, number: int, code: str) -> TicketRow:
    """Return a ticket whose code this is; where there is none, saying so takes as long.

    Refuses: no ticket, and a wrong code, in the same words.
    """
    keys = office.keys
    if ticket is None or ticket.code_key not in keys.validation:
        if ticket is not None:
            # The operator's to see to: a patron who is told so would know that it was sold.
            log.error("ticket.key_not_here", key=ticket.code_key)
        is_code(keys, code, keys.newest, number, _NO_LEAF)
    elif is_code(keys, code, ticket.code_key, number, ticket.leaf):
        return ticket
    raise say_no(No.NO_SUCH_TICKET)


def _told(ticket: TicketRow, standing: Standing) -> dict[str, Any]:
    """Return what is told: no staff, no station, and no win that may still turn out otherwise."""
    is_decided = standing.stands not in UNDECIDED
    paid = standing.paid
    return {
        "number": ticket.number,
        "standing": standing.stands.value,
        "is_decided": is_decided,
        "series": ticket.series,
        "first_game": ticket.first_game,
        "last_game": standing.last_game,
        "is_cancelled": standing.is_cancelled,
        "voided_at": ticket.voided_at,
        "win_cents": standing.win_cents,
        "refund_due_cents": standing.refund_due_cents,
        "refunded_cents": sum(game.refunded_cents for game in standing.games),
        "paid_cents": paid and paid.cents,
        "paid_at": paid and paid.paid_at,
        "expires_at": standing.expires_at if is_decided else None,
        "games": [
            {
                "game": f"{ticket.series}-{game.number}",
                "state": game.state.value,
                "numbers": game.numbers,
                "win_cents": game.win_cents if game.state is GameState.CERTIFIED else None,
            }
            for game in standing.games
        ],
    }
