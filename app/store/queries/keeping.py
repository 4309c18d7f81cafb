"""Restored databases and what they lack; how long records are kept; archives."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, exists, func, select
from sqlalchemy.orm import aliased

from app.keno.game import OVER
from app.keno.retention import PERIODS, RecordKind
from app.store.tables import (
    Archive,
    Cancellation,
    Expiry,
    Game,
    HoldEnd,
    LogEntry,
    LogOrigin,
    LogPosition,
    LostAct,
    Payout,
    Restoration,
    RestorationEnd,
    Resumption,
    Retention,
    Settlement,
    Ticket,
    Void,
    Win,
)


@dataclass(frozen=True)
class Incomplete:
    """The database is an earlier one, and nobody has put that right yet."""

    id: int
    size: int
    known: str | None  # the cosigned head that says what is missing
    noticed_at: datetime


@dataclass(frozen=True)
class LostRow:
    """An entry of whose act something is lost."""

    entry: int
    position: int | None
    tag: str
    why: str


def incomplete(connection: Connection) -> Incomplete | None:
    """Return what was noticed and is not put right yet; none if all is well."""
    ended = exists().where(RestorationEnd.restoration == Restoration.id)
    found = select(Restoration.__table__).where(~ended).order_by(Restoration.id.desc()).limit(1)
    row = connection.execute(found).first()
    return None if row is None else Incomplete(row.id, row.size, row.known, row.noticed_at)


def known_heads(connection: Connection) -> list[str]:
    """Return every cosigned head that says what is missing, and is not put right yet."""
    ended = exists().where(RestorationEnd.restoration == Restoration.id)
    found = select(Restoration.known).where(~ended, Restoration.known.is_not(None))
    return [note or "" for note in connection.execute(found.order_by(Restoration.id)).scalars()]


def held_since(connection: Connection, ticket: int) -> int | None:
    """Return the entry by which a restored house went on that knew a ticket, and holds it since.

    What was lost may have paid, voided or refunded it. None: nobody holds it.
    """
    ended = exists().where(HoldEnd.resumption == Resumption.entry)
    found = select(func.max(Resumption.entry)).where(Resumption.last_number >= ticket, ~ended)
    return connection.execute(found).scalar_one_or_none()


def holds(connection: Connection) -> dict[int, int]:
    """Return the holds that stand: up to which ticket, by the entry since which they do."""
    ended = exists().where(HoldEnd.resumption == Resumption.entry)
    found = select(Resumption.entry, Resumption.last_number).where(~ended)
    rows = connection.execute(found.order_by(Resumption.entry))
    return {row.entry: row.last_number for row in rows}


def lost_acts(connection: Connection) -> list[LostRow]:
    """Return every entry of whose act something is lost, in the order of their places."""
    found = (
        select(LostAct.entry, LogPosition.position, LogEntry.tag, LostAct.why)
        .join(LogEntry, LogEntry.id == LostAct.entry)
        .outerjoin(LogPosition, LogPosition.entry == LostAct.entry)
        .order_by(LogPosition.position)
    )
    return [LostRow(*row) for row in connection.execute(found)]


def earlier_origins(connection: Connection) -> list[tuple[str, int]]:
    """Return the names that the log had, each with the size up to which it had it."""
    found = select(LogOrigin.origin, LogOrigin.size).order_by(LogOrigin.size, LogOrigin.entry)
    return [(row.origin, row.size) for row in connection.execute(found)]


def archives(connection: Connection) -> set[int]:
    """Return the entries that tell of archives."""
    return set(connection.execute(select(Archive.entry)).scalars())


def archive_files(connection: Connection) -> dict[int, bytes]:
    """Return the hash of the file of each archive, by the entry that tells of it."""
    found = select(Archive.entry, Archive.file).order_by(Archive.entry)
    return {row.entry: row.file for row in connection.execute(found)}


def unsettled_tickets(connection: Connection, before: datetime, most: int) -> list[int]:
    """Return tickets sold before a moment that still play, or won and are neither paid nor expired.

    A ticket plays until each of its games is over that was not cancelled: an earlier one may be
    frozen when the last one is over. A win counts if no later grading of its game took its place.
    """
    last = func.coalesce(
        select(Cancellation.first_cancelled - 1)
        .where(Cancellation.ticket == Ticket.number)
        .scalar_subquery(),
        Ticket.last_game,
    )
    of_series = Game.series == Ticket.series
    to_come = ~exists().where(of_series, Game.number == last)
    undecided = exists().where(
        of_series,
        Game.number >= Ticket.first_game,
        Game.number <= last,
        Game.state.not_in([state.value for state in OVER]),
    )
    void = exists().where(Void.ticket == Ticket.number)
    later = aliased(Settlement)
    replaced = exists().where(
        later.series == Settlement.series,
        later.game == Settlement.game,
        later.run > Settlement.run,
    )
    won = (
        exists()
        .where(Win.ticket == Ticket.number)
        .where(Win.attempt == Settlement.attempt)
        .where(~replaced)
    )
    done = exists().where(Payout.ticket == Ticket.number) | exists().where(
        Expiry.ticket == Ticket.number
    )
    found = (
        select(Ticket.number)
        .where(Ticket.sold_at < before, ~void, to_come | undecided | (won & ~done))
        .order_by(Ticket.number)
        .limit(most)
    )
    return list(connection.execute(found).scalars())


def retention(connection: Connection, kind: RecordKind) -> int:
    """Return for how many days a kind of record is kept at hand."""
    found = (
        select(Retention.days)
        .where(Retention.kind == kind.value)
        .order_by(Retention.entry.desc())
        .limit(1)
    )
    days = connection.execute(found).scalar_one_or_none()
    return PERIODS[kind].at_first if days is None else days
