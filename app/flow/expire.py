"""Wins that nobody came for in time: they are no longer owed (15.6(c)).

Posted at the close of a day, ticket by ticket, each in a transaction of its own. *Crash: the next
close goes on with the next ticket; what expired stays so.*
"""

from datetime import datetime

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.claim import claim_of, ticket_numbered
from app.flow.office import Office
from app.keno.standing import Stands
from app.store.queries import days
from app.store.records import payments as records
from app.store.records.money import Leg, posting_rows
from app.store.tables import Account, Expiry


def expire_wins(office: Office, until: datetime) -> None:
    """Post every win as expired that had to be claimed before a moment, and was not."""
    with office.database.reading() as connection:
        numbers = days.perhaps_expired(connection, until)
    for number in numbers:
        _expire(office, number, until)


def _expire(office: Office, number: int, until: datetime) -> None:
    with office.unit() as unit:
        unit.share_days()  # somebody else may be closing the day, with what has expired by now
        records.hold_ticket(unit, number)
        claim = claim_of(office, unit, ticket_numbered(unit, number), [], unit.now())
        expired_at = claim.standing.expires_at
        if claim.standing.stands is not Stands.EXPIRED or expired_at is None:
            return
        if expired_at >= until or days.is_expired(unit.connection, number):
            return
        row = {"ticket": number, "cents": claim.cents, "expired_at": expired_at}
        body = {
            "house": office.house.name,
            "ticket": number,
            "ticket_leaf": claim.ticket.leaf.hex(),
            "series": claim.ticket.series,
            "wins": [{"game": win.game, "cents": win.win_cents} for win in claim.wins],
            "cents": claim.cents,
            "time": time_text(expired_at),
        }
        legs = [Leg(Account.WINS_PAYABLE, claim.cents), Leg(Account.EXPIRED, -claim.cents)]
        office.log_with(unit, Tag.EXPIRED, body, [(Expiry, row), *posting_rows(legs)])
        unit.commit()
