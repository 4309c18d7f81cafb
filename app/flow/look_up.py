"""What a ticket is, and how it stands: derived from facts, never stored (X-not-decided).

A writer without the ticket's code is told how it stands and what is printed on it, and not what it
won: the paper is with whoever may know that. Who looks a win up that is not paid yet is recorded.
"""

from typing import Any

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.code_tries import check_code
from app.flow.note_look_up import is_unclaimed, note_look_up
from app.flow.office import Office
from app.flow.permissions import FOR, Permission
from app.flow.plays import request_of
from app.flow.refusals import No, say_no
from app.flow.standing import Standing, standing_of
from app.keno.game import GameState
from app.keno.numbering import printed_number
from app.keno.spoken import line_of
from app.store.queries import tickets as queries
from app.store.queries.tickets import TicketRow
from app.store.records.payments import hold_ticket
from app.store.unit import Unit

MASKED = "*" * 25  # the code is on the paper only


def look_up(office: Office, credentials: Credentials, number: int) -> dict[str, Any]:
    """Return a ticket and how it stands; who looks up what is won and not paid is recorded.

    Write order: there is one commit, if it is recorded. *Crash before: nothing is told.*

    Refuses: whoever is not at work, and a ticket that is not there.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, Permission.TICKET_LOOK_UP)(unit)
        ticket = _ticket(unit, number)
        standing = standing_of(office, unit, ticket, unit.now())
    if is_unclaimed(standing):
        with office.unit() as unit:
            who = at_work(credentials, Permission.TICKET_LOOK_UP)(unit)
            note_look_up(office, unit, who, number, number, 1)
    return _document(ticket, standing, amounts=who.role in FOR[Permission.WIN_SEE])


def look_up_with_code(
    office: Office, credentials: Credentials, number: int, code: str
) -> dict[str, Any]:
    """Return a ticket that somebody has in hand, or can read enough of, and how it stands.

    Refuses: as `look_up`; a wrong code.
    """
    with office.unit() as unit:
        who = at_work(credentials, Permission.TICKET_LOOK_UP)(unit)
        hold_ticket(unit, number)
        ticket = _ticket(unit, number)
        check_code(office, unit, who, ticket, code, alone=True, in_part=True)
        return _document(ticket, standing_of(office, unit, ticket, unit.now()), amounts=True)


def _ticket(unit: Unit, number: int) -> TicketRow:
    ticket = queries.ticket(unit.connection, number)
    if ticket is None:
        raise say_no(No.UNKNOWN_TICKET, number=number)
    return ticket


def _document(ticket: TicketRow, standing: Standing, *, amounts: bool) -> dict[str, Any]:
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
        **_told(ticket, standing, amounts=amounts or not is_unclaimed(standing)),
    }


def _told(ticket: TicketRow, standing: Standing, *, amounts: bool) -> dict[str, Any]:
    return {
        "standing": standing.stands.value,
        "explanation": standing.explanation if amounts else standing.without_amount,
        "plays_until": standing.last_game,
        "win_cents": standing.win_cents if amounts else None,
        "refund_due_cents": standing.refund_due_cents,
        "expires_at": standing.expires_at and time_text(standing.expires_at),
        "games": [
            {
                "game": f"{ticket.series}-{game.number}",
                "state": game.state.value,
                "numbers": game.numbers,
                # What is not certified is not told: it may still turn out otherwise.
                "win_cents": game.win_cents
                if amounts and game.state is GameState.CERTIFIED
                else None,
                "refunded_cents": game.refunded_cents,
            }
            for game in standing.games
        ],
    }
