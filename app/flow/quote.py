"""What a request costs on the card that is sold on, or every fault at once (15.4(a))."""

from app.flow.access import Credentials, at_work
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.stop_sales import check_sold
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.request import Request
from app.keno.ticket import Ticket
from app.store.queries import cards, games
from app.store.queries.people import Worker
from app.store.unit import Unit


def quote_request(office: Office, credentials: Credentials, request: Request) -> Ticket:
    """Return the ticket that a request makes on the card that is sold on here.

    That is the card of the location's open game, of several the newest; where none is open, the
    card that is in force.

    Refuses: whoever is not at work, a house without a card, every fault of the request, and a
    schedule or spot count that a supervisor has stopped.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, Permission.TICKET_QUOTE)(unit)
        ticket = quote(request, card_here(office, unit, who))
        check_sold(unit, None, ticket.lines)
        return ticket


def card_here(office: Office, unit: Unit, who: Worker) -> RateCard:
    """Return the card that is sold on where somebody works.

    Refuses: a house without a card.
    """
    card = games.card_sold_on(unit.connection, who.location)
    card = card or cards.card_in_force(unit.connection, unit.now())
    if card is None:
        raise say_no(No.NO_CARD)
    return office.card(unit, card)
