"""What is looked at before a gaming day is closed: voids, look-ups, copies, entries of a kind."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select

from app.store.queries.stretches import entry_before
from app.store.queries.watching import EntrySeen
from app.store.tables import LogEntry, LookUp, Reprint, Staff, Station, Ticket, Void


def sold_and_void(
    connection: Connection, begins: datetime, ends: datetime
) -> list[tuple[str, int, int]]:
    """Return, by the code of each writer who voided a ticket, how many they sold and voided."""
    after = entry_before(connection, begins)
    voided = (
        select(Void.staff, func.count().label("many"))
        .where(Void.entry > after, Void.voided_at >= begins, Void.voided_at < ends)
        .group_by(Void.staff)
        .subquery()
    )
    sold = (
        select(Ticket.staff, func.count().label("many"))
        .where(Ticket.entry > after, Ticket.sold_at >= begins, Ticket.sold_at < ends)
        .group_by(Ticket.staff)
        .subquery()
    )
    found = (
        select(Staff.code, func.coalesce(sold.c.many, 0), voided.c.many)
        .join(voided, voided.c.staff == Staff.id)
        .outerjoin(sold, sold.c.staff == Staff.id)
        .order_by(Staff.code)
    )
    return [(code, int(sales), int(voids)) for code, sales, voids in connection.execute(found)]


def copies_of(
    connection: Connection, begins: datetime, ends: datetime
) -> list[tuple[str, str, int]]:
    """Return how many copies each person had printed at each station."""
    after = entry_before(connection, begins)
    found = (
        select(Staff.code, Station.code, func.count())
        .select_from(Reprint)
        .join(Staff, Staff.id == Reprint.staff)
        .join(Station, Station.id == Reprint.station)
        .where(Reprint.entry > after, Reprint.asked_at >= begins, Reprint.asked_at < ends)
        .group_by(Staff.code, Station.code)
        .order_by(Staff.code, Station.code)
    )
    return [(person, station, int(many)) for person, station, many in connection.execute(found)]


def look_ups_of(
    connection: Connection, begins: datetime, ends: datetime
) -> list[tuple[str, str, int]]:
    """Return how often each person looked up unclaimed wins at each station."""
    after = entry_before(connection, begins)
    found = (
        select(Staff.code, Station.code, func.count())
        .select_from(LookUp)
        .join(Staff, Staff.id == LookUp.staff)
        .join(Station, Station.id == LookUp.station)
        .where(LookUp.entry > after, LookUp.looked_at >= begins, LookUp.looked_at < ends)
        .group_by(Staff.code, Station.code)
        .order_by(Staff.code, Station.code)
    )
    return [(person, station, int(many)) for person, station, many in connection.execute(found)]


def entries_since(connection: Connection, tags: Sequence[str], since: datetime) -> list[EntrySeen]:
    """Return the entries with some tags that may be of a moment or later, in their order."""
    found = (
        select(LogEntry.id, LogEntry.body)
        .where(LogEntry.id > entry_before(connection, since), LogEntry.tag.in_(tags))
        .order_by(LogEntry.id)
    )
    return [EntrySeen(*row) for row in connection.execute(found)]
