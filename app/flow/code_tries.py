"""How often wrong codes may be tried for one ticket, at all stations together.

A ticket's code is 23 digits that nobody guesses; what is kept slow is somebody at a station, or at
several, who tries on. Behind so many wrong ones only a supervisor has a code compared, until tries
come back with time. The ticket is never closed: its owner, whose code is right, is paid with a
supervisor at once, or a while later without one (X-ticket-validation). What is tried on the public
check page does not count here, or anyone at home could send patrons to a supervisor.
"""

from datetime import timedelta

from app.flow.access import refused
from app.flow.codes import is_code
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.store.queries.people import Worker
from app.store.queries.tickets import TicketRow
from app.store.records import tries
from app.store.records.payments import hold_ticket
from app.store.unit import Unit

CODE_TRIES, ONE_CODE_IN = 5, timedelta(minutes=10)
WHY_TRIED = "too many wrong codes were tried for this ticket"


def may_try_code(unit: Unit, number: int) -> bool:
    """Whether a code may be compared for a ticket without a supervisor.

    The ticket is held from here on, so that tries at the same moment are made one after the other.
    """
    hold_ticket(unit, number)
    return tries.has_try(unit, _tries_of(number), CODE_TRIES, ONE_CODE_IN)


def check_code(  # noqa: PLR0913  who brings which code for which ticket, and with whom
    office: Office, unit: Unit, who: Worker, ticket: TicketRow, code: str, *, alone: bool
) -> None:
    """Check the code of a ticket that a writer brings, alone or with a supervisor's approval.

    *Crash before a wrong one is counted: it was not answered either.*

    Refuses: a wrong code, which is counted and logged, whoever approves; any code where too many
    were wrong, if the writer is alone.
    """
    if alone and not may_try_code(unit, ticket.number):
        raise say_no(No.APPROVAL_NEEDED, why=WHY_TRIED)
    if is_code(office.keys, code, ticket.code_key, ticket.number, ticket.leaf):
        return
    tries.take_try(unit, _tries_of(ticket.number), CODE_TRIES, ONE_CODE_IN)
    no = say_no(No.WRONG_CODE, "code", number=ticket.number)
    facts = {"ticket": ticket.number, "station": who.station_code, "staff": who.code}
    raise refused(office, unit, no, **facts)


def _tries_of(number: int) -> bytes:
    return tries.bucket("ticket", number)
