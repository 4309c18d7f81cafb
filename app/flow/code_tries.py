"""How often wrong codes may be tried for one ticket, at all stations together.

A ticket's code is 23 digits that nobody guesses; what is kept slow is somebody at a station, or at
several, who tries on. Behind so many wrong ones only a supervisor has a code compared, until tries
come back with time. The ticket is never closed: its owner, whose code is right, is paid with a
supervisor at once, or a while later without one (X-ticket-validation). What is tried on the public
check page does not count here, or anyone at home could send patrons to a supervisor.

A payment takes a part of the code too. Whoever guesses one may choose its places, so a ticket has a
few tries of a part, then one an hour.
"""

from datetime import timedelta

from app.flow.access import refused
from app.flow.codes import digits_in, is_code, is_part_of_code, part_of_code
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.keno.numbering import printed_number
from app.keno.refusals import Refused
from app.store.queries import payments
from app.store.queries.people import Worker
from app.store.queries.tickets import TicketRow
from app.store.records import tries
from app.store.records.payments import hold_ticket, note_code_try
from app.store.unit import Unit

CODE_TRIES, ONE_CODE_IN = 5, timedelta(minutes=10)
PART_TRIES, ONE_PART_IN = 5, timedelta(hours=1)
WHY_TRIED = "too many wrong codes were tried for this ticket"


def may_try_code(unit: Unit, number: int) -> bool:
    """Whether a code may be compared for a ticket without a supervisor.

    The ticket is held from here on, so that tries at the same moment are made one after the other.
    """
    hold_ticket(unit, number)
    return tries.has_try(unit, _tries_of(number), CODE_TRIES, ONE_CODE_IN)


def check_code(  # noqa: PLR0913  who brings which code for which ticket, and with whom
    office: Office,
    unit: Unit,
    who: Worker,
    ticket: TicketRow,
    code: str,
    *,
    alone: bool,
    in_part: bool = False,
) -> None:
    """Check the code of a ticket that a writer brings, or where it will do the part that is read.

    Of a part the ticket is held by the caller: of two tries at once the second is counted too.
    *Crash before a wrong one is counted: it was not answered either.*

    Args:
        office: the office.
        unit: the unit of work.
        who: the writer.
        ticket: the ticket.
        code: what was scanned or typed.
        alone: whether no supervisor has approved.
        in_part: whether a part of the code will do.

    Refuses: a wrong code, which is counted and logged, whoever approves; any code where too many
    were wrong, if the writer is alone; a part where too many were wrong.
    """
    part = part_of_code(code) if in_part else None
    if part is not None:
        _check_part(office, unit, who, ticket, part)
        return
    if alone and not may_try_code(unit, ticket.number):
        raise say_no(No.APPROVAL_NEEDED, why=WHY_TRIED)
    if not is_code(office.keys, code, ticket.code_key, ticket.number, ticket.leaf):
        tries.take_try(unit, _tries_of(ticket.number), CODE_TRIES, ONE_CODE_IN)
        raise _wrong_code(office, unit, who, ticket)


def _check_part(office: Office, unit: Unit, who: Worker, ticket: TicketRow, part: str) -> None:
    now, whole = unit.now(), PART_TRIES * ONE_PART_IN
    full_at = payments.code_full_at(unit.connection, ticket.number)
    # Where the clock was set back, nobody waits for that long.
    missing = timedelta(0) if full_at is None else min(max(full_at - now, timedelta(0)), whole)
    if missing > whole - ONE_PART_IN:
        until = office.moment(now + missing - (whole - ONE_PART_IN))
        raise say_no(No.CODE_TRIES, number=printed_number(ticket.number), until=until)
    if not is_part_of_code(office.keys, part, ticket.code_key, ticket.number, ticket.leaf):
        note_code_try(unit, ticket.number, now + missing + ONE_PART_IN)
        raise _wrong_code(office, unit, who, ticket, digits=digits_in(part))


def _wrong_code(
    office: Office, unit: Unit, who: Worker, ticket: TicketRow, **more: object
) -> Refused:
    """Return the refusal of a wrong code, which is logged; never with what was tried."""
    no = say_no(No.WRONG_CODE, "code", number=ticket.number)
    facts = {"ticket": ticket.number, "station": who.station_code, "staff": who.code, **more}
    return refused(office, unit, no, **facts)


def _tries_of(number: int) -> bytes:
    return tries.bucket("ticket", number)
