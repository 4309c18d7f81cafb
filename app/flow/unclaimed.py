"""Wins that nobody has come for yet: by age, and the large ones at once (15.6(c), X-pay-refusals).

A multi-race ticket is listed with what it has won so far, though it is paid only after its last
game. Supervisors and whoever is above them see the list, and who looked at it is recorded.
"""

from app.clock import time_text
from app.flow.access import Credentials, at_work
from app.flow.claim import claim_of, ticket_numbered
from app.flow.note_look_up import LISTED, note_look_up
from app.flow.office import Office
from app.flow.permissions import Permission
from app.store.queries import days, payments
from app.store.unit import Unit

AT_ONCE = 500  # of a year of a large house there are tens of thousands


def unclaimed_wins(
    office: Office, credentials: Credentials, at_least_cents: int = 1, after: int = 0
) -> tuple[list[dict[str, object]], int | None]:
    """Return the wins that are not paid, the oldest first; and behind which number there are more.

    Args:
        office: the office.
        credentials: whose, who must be allowed to see what is unclaimed.
        at_least_cents: how large a win must be to be listed.
        after: the number behind which to begin.

    Write order: there is one commit, of who looked. *Crash before: nothing is told.*
    """
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        at_work(credentials, Permission.UNCLAIMED_SEE)(unit)
        now = unit.now()
        listed: list[dict[str, object]] = []
        numbers = days.unpaid_winners(connection, at_least_cents, after, AT_ONCE)
        for number in numbers:
            claim = claim_of(office, unit, ticket_numbered(unit, number), [], now)
            standing = claim.standing
            if standing.stands not in LISTED or claim.cents < at_least_cents:
                continue
            presented = payments.presented_at(connection, number)
            listed.append(
                {
                    "number": number,
                    "standing": standing.stands.value,
                    "win_cents": claim.cents,
                    "days": (now - claim.ticket.sold_at).days,
                    "expires_at": standing.expires_at and time_text(standing.expires_at),
                    "presented_at": presented and time_text(presented),
                }
            )
    if numbers:
        with office.unit() as unit:
            who = at_work(credentials, Permission.UNCLAIMED_SEE)(unit)
            note_look_up(office, unit, who, after + 1, numbers[-1], len(listed))
    return listed, numbers[-1] if len(numbers) == AT_ONCE else None
