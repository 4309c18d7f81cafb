"""Payments: what keeps two of them apart."""

from sqlalchemy import select

from app.store.tables import Ticket
from app.store.unit import Unit


def hold_ticket(unit: Unit, number: int) -> None:
    """Keep everyone else from paying, refunding or expiring a ticket until this transaction ends.

    The row itself never changes; on SQLite there is one writer at a time anyway.
    """
    held = select(Ticket.number).where(Ticket.number == number)
    unit.connection.execute(held.with_for_update(key_share=True))
