"""Practice: a writer learns the keys, and nothing happens (X-practice).

No ticket is made: it has no number, no code and no entry of the log, so nothing of it can ever
verify as real. Its picture says so across its head, and has no code that could be scanned.
"""

from dataclasses import replace
from datetime import timedelta

from app.entropy import quick_pick
from app.flow.access import Credentials, at_work
from app.flow.asking import Answer
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.quote import card_here
from app.flow.slips import practice_slip
from app.keno.documents import quote_document
from app.keno.pricing import quote
from app.keno.refusals import refuse_all
from app.keno.request import Request
from app.keno.tender import Tender, check_tender, tendered_cents
from app.store.unit import Unit
from printers.slips import TicketSlip


def practise(
    office: Office, credentials: Credentials, request: Request, tender: tuple[Tender, ...]
) -> tuple[Answer, TicketSlip]:
    """Return what selling a ticket would have come to, and the ticket as it would have looked.

    Refuses: whoever is not at work, and everything that a sale would be refused for.
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        who = at_work(credentials, Permission.TICKET_PRACTISE)(unit)
        card = card_here(office, unit, who)
        if request.quick_pick is not None and not request.groups:
            request = replace(request, groups=(quick_pick(request.quick_pick),))
        ticket = quote(request, card)
        refuse_all(list(check_tender(tender, ticket.price_cents)))
        now = unit.now()
        until = now + timedelta(minutes=card.limits.claim_minutes)
        answer: Answer = {
            "practice": True,
            "number": None,
            "price_cents": ticket.price_cents,
            "change_cents": tendered_cents(tender) - ticket.price_cents,
            "quote": quote_document(ticket),
        }
        return answer, practice_slip(office, who, ticket, card, now, until)
