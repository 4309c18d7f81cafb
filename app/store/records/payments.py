"""Payments: what keeps two of them apart, and slows down who guesses a part of a code."""

from datetime import datetime

from sqlalchemy import select

from app.store.records.tickets import insert_or_find
from app.store.tables import CodeTries, Ticket
from app.store.unit import Unit


def hold_ticket(unit: Unit, number: int) -> None:
    """Keep everyone else from paying, refunding or expiring a ticket until this transaction ends.

    The row itself never changes; on SQLite there is one writer at a time anyway.
    """
    held = select(Ticket.number).where(Ticket.number == number)
    unit.connection.execute(held.with_for_update(key_share=True))


def note_code_try(unit: Unit, number: int, full_at: datetime) -> None:
    """Note when a ticket, which is held, will have all tries of a part of its code again."""
    tried = insert_or_find(unit, CodeTries).values(ticket=number, full_at=full_at)
    unit.connection.execute(
        tried.on_conflict_do_update(
            index_elements=[CodeTries.ticket], set_={"full_at": tried.excluded.full_at}
        )
    )
