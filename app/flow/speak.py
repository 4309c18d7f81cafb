"""A line as a writer types it: what it means, what it costs, and what the patron is told.

It is read at every key, so what is wrong with it is told beside what was understood, and nothing
is refused but whoever is not at work.
"""

from app.flow.access import Credentials, at_work
from app.flow.asking import Answer
from app.flow.day import gaming_day
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.quote import card_here
from app.keno.amounts import Amount, amounts_on
from app.keno.documents import quote_document, refusals_document, request_document
from app.keno.pricing import quote
from app.keno.refusals import Refusal, Refused
from app.keno.request import Request
from app.keno.spoken import read_line, read_tender
from app.keno.tender import Tender, TenderKind, check_tender, tendered_cents
from app.keno.ticket import Ticket
from app.keno.words import double_meanings, in_words
from app.store.queries import payments
from app.store.unit import Unit


def hear(office: Office, credentials: Credentials, line: str, tender: str) -> Answer:
    """Return what a line and its tender mean, what they come to, and everything that is wrong.

    Refuses: whoever is not at work; a house without a card.
    """
    request = read_line(line)
    money, faults = read_tender(tender)
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, Permission.TICKET_QUOTE)(unit)
        card = card_here(office, unit, who)
        house_amounts = payments.house_amounts(connection)
        day = gaming_day(unit.now(), office.house.time_zone, office.house.day_starts_minutes)
    amounts = amounts_on(day, house_amounts)
    told: Answer = {
        "groups": [list(group) for group in request.groups],
        "request": request_document(request),
        "quote": None,
        "words": None,
        "warnings": [],
        "tender": [],
        "change_cents": None,
        "confirm": 0,
    }
    if line.strip():
        try:
            ticket = quote(request, card)
        except Refused as no:
            return told | {"faults": refusals_document([*no.refusals, *faults])}
        told |= _priced(request, ticket, money, faults)
        levels = (Amount.CONFIRM, Amount.CONFIRM_LARGE)
        told["confirm"] = sum(ticket.price_cents >= amounts[level] for level in levels)
    return {"faults": refusals_document(faults)} | told


def _priced(
    request: Request, ticket: Ticket, money: tuple[Tender, ...], faults: tuple[Refusal, ...]
) -> Answer:
    """Return what is told of a ticket with a price; without tender, it is paid to the cent."""
    tender = money or (Tender(TenderKind.CURRENCY, ticket.price_cents),)
    short = [*faults, *check_tender(tender, ticket.price_cents)]
    return {
        "quote": quote_document(ticket),
        "words": in_words(ticket),
        "warnings": list(double_meanings(request.sizes, ticket.lines)),
        "tender": [
            {"kind": part.kind.value, "cents": part.cents}
            | ({} if part.serial is None else {"serial": part.serial})
            for part in tender
        ],
        "change_cents": None if short else tendered_cents(tender) - ticket.price_cents,
        "faults": refusals_document(short),
    }
