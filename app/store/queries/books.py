"""Everything that was stored, for whoever works it out again (`app.audit.books`).

Rows are given out one by one and as they are: nothing is summed or judged here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Executable, select
from sqlalchemy.orm import aliased

from app.store.tables import (
    Card,
    Counter,
    Coupon,
    Drawer,
    Game,
    LogHead,
    LogNode,
    LogPending,
    Posting,
    Series,
    Staff,
    Station,
    Tender,
    Ticket,
    Void,
)


@dataclass(frozen=True)
class StoredTicket:
    """A ticket's own row."""

    number: int
    series: str
    first_game: int
    last_game: int
    games: int
    play: Any
    card: int
    price_per_game_cents: int
    price_cents: int
    tendered_cents: int
    drawer: int
    sold_at: datetime
    entry: int
    station_code: str
    writer_code: str


@dataclass(frozen=True)
class StoredVoid:
    """A void's own row."""

    ticket: int
    drawer: int
    voided_at: datetime
    entry: int
    with_code: bool
    reason: str
    station_code: str
    writer_code: str
    approver_code: str | None


@dataclass(frozen=True)
class StoredGame:
    """A game's own row."""

    series: str
    number: int
    state: str
    card: int
    opened_at: datetime
    locked_at: datetime | None
    tickets: int | None
    handle_cents: int | None
    lock_entry: int | None


@dataclass(frozen=True)
class StoredPosting:
    """One leg of what an act moved."""

    entry: int
    account: str
    drawer: int | None
    kind: str | None
    cents: int


@dataclass(frozen=True)
class StoredTender:
    """One part of what a ticket was paid with."""

    ticket: int
    kind: str
    cents: int
    serial: str | None


def all_tickets(connection: Connection) -> Iterator[StoredTicket]:
    """Yield every ticket, by number."""
    found = (
        select(
            Ticket.number,
            Ticket.series,
            Ticket.first_game,
            Ticket.last_game,
            Ticket.games,
            Ticket.play,
            Ticket.card,
            Ticket.price_per_game_cents,
            Ticket.price_cents,
            Ticket.tendered_cents,
            Ticket.drawer,
            Ticket.sold_at,
            Ticket.entry,
            Station.code,
            Staff.code,
        )
        .outerjoin(Station, Station.id == Ticket.station)
        .outerjoin(Staff, Staff.id == Ticket.staff)
        .order_by(Ticket.number)
    )
    yield from (StoredTicket(*row) for row in _rows(connection, found))


def all_voids(connection: Connection) -> Iterator[StoredVoid]:
    """Yield every void, by ticket."""
    approver = aliased(Staff)
    found = (
        select(
            Void.ticket,
            Void.drawer,
            Void.voided_at,
            Void.entry,
            Void.with_code,
            Void.reason,
            Station.code,
            Staff.code,
            approver.code,
        )
        .outerjoin(Station, Station.id == Void.station)
        .outerjoin(Staff, Staff.id == Void.staff)
        .outerjoin(approver, approver.id == Void.approver)
        .order_by(Void.ticket)
    )
    yield from (StoredVoid(*row) for row in _rows(connection, found))


def all_games(connection: Connection) -> Iterator[StoredGame]:
    """Yield every game, by series and number."""
    found = select(
        Game.series,
        Game.number,
        Game.state,
        Game.card,
        Game.opened_at,
        Game.locked_at,
        Game.tickets,
        Game.handle_cents,
        Game.lock_entry,
    ).order_by(Game.series, Game.number)
    yield from (StoredGame(*row) for row in _rows(connection, found))


def all_postings(connection: Connection) -> Iterator[StoredPosting]:
    """Yield every leg, by entry."""
    found = select(
        Posting.entry, Posting.account, Posting.drawer, Posting.kind, Posting.cents
    ).order_by(Posting.entry, Posting.place)
    yield from (StoredPosting(*row) for row in _rows(connection, found))


def all_tender(connection: Connection) -> Iterator[StoredTender]:
    """Yield every part of every tender, by ticket."""
    found = select(Tender.ticket, Tender.kind, Tender.cents, Tender.serial).order_by(
        Tender.ticket, Tender.place
    )
    yield from (StoredTender(*row) for row in _rows(connection, found))


def coupons(connection: Connection) -> dict[str, int | None]:
    """Return which ticket each coupon is spent on."""
    return {row.serial: row.ticket for row in connection.execute(select(Coupon.__table__))}


def card_hashes(connection: Connection) -> dict[int, bytes]:
    """Return the hash of each version of the rate card."""
    return {row.id: row.hash for row in connection.execute(select(Card.id, Card.hash))}


def card_files(connection: Connection) -> dict[int, str]:
    """Return the file of each version of the rate card."""
    return {row.id: row.file for row in connection.execute(select(Card.id, Card.file))}


def first_games(connection: Connection) -> dict[str, int]:
    """Return the number of the first game of each series."""
    found = select(Series.code, Series.first_game)
    return {row.code: row.first_game for row in connection.execute(found)}


def closed_drawers(connection: Connection) -> set[int]:
    """Return the drawers that were closed."""
    found = select(Drawer.id).where(Drawer.closed_at.is_not(None))
    return set(connection.execute(found).scalars())


def last_ticket_number(connection: Connection) -> int:
    """Return the number that was given last."""
    found = select(Counter.value).where(Counter.name == "ticket")
    return connection.execute(found).scalar_one()


def log_nodes(connection: Connection) -> dict[tuple[int, int], bytes]:
    """Return the stored roots of full tiles."""
    found = select(LogNode.level, LogNode.place, LogNode.hash)
    return {(row.level, row.place): row.hash for row in connection.execute(found)}


def pending_entries(connection: Connection) -> set[int]:
    """Return the entries that are noted as having no place yet."""
    return set(connection.execute(select(LogPending.entry)).scalars())


def head_rows(connection: Connection) -> int:
    """Return how many heads there are; there is one."""
    return len(connection.execute(select(LogHead.id)).all())


def _rows(connection: Connection, found: Executable) -> Iterator[Any]:
    yield from connection.execute(found.execution_options(yield_per=1000))
