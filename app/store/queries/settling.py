"""Wins: the tickets that are graded, what they won, and how a settlement stands."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from app.store.queries.games import playing
from app.store.queries.log import ENTRY_COLUMNS, EntryRow
from app.store.tables import (
    Attempt,
    BookHead,
    Card,
    Certification,
    Game,
    LiveTicket,
    LogEntry,
    LogPosition,
    Settlement,
    Share,
    Ticket,
)
from app.store.tables import Win as WinRow

BATCH = 10_000  # rows at a time: what grading holds in memory, however much was sold


@dataclass(frozen=True)
class PlayedRow:
    """A live ticket of a game, as far as grading needs it."""

    number: int
    type: str
    play: Any
    games: int
    card: int
    price_per_game_cents: int


@dataclass(frozen=True)
class SettlementRow:
    """What a game was settled for."""

    attempt: int
    run: int
    tickets: int
    handle_cents: int
    winners: int
    win_cents: int
    paid_cents: int
    limit_cents: int | None
    in_full_below_cents: int


@dataclass(frozen=True)
class WonRow:
    """What a ticket won, and what it is paid after the aggregate limit."""

    ticket: int
    uncut_cents: int
    cents: int
    paid_cents: int


@dataclass(frozen=True)
class LiveRow:
    """A ticket of the second grader's book."""

    number: int
    body: str

    @property
    def body_document(self) -> dict[str, Any]:
        """The body as it was logged."""
        document: dict[str, Any] = json.loads(self.body)
        return document


@dataclass(frozen=True)
class BookHeadRow:
    """How far the second grader has read."""

    size: int
    frontier: list[str]
    locks: dict[str, int]
    faults: dict[str, list[str]]
    cards: dict[str, Any]


def played(
    connection: Connection, series: str, number: int
) -> Generator[list[PlayedRow], None, None]:
    """Yield the live tickets of a game, in the order of their numbers, a batch at a time."""
    found = (
        select(
            Ticket.number,
            Ticket.type,
            Ticket.play,
            Ticket.games,
            Ticket.card,
            Ticket.price_per_game_cents,
        )
        .where(*playing(series, number))
        .order_by(Ticket.number)
        .execution_options(yield_per=BATCH)
    )
    with connection.execute(found) as tickets:
        for rows in tickets.partitions():
            yield [PlayedRow(*row) for row in rows]


def settlement(connection: Connection, series: str, number: int) -> SettlementRow | None:
    """Return the settlement of a game that counts, which is the newest."""
    found = (
        select(
            Settlement.attempt,
            Settlement.run,
            Settlement.tickets,
            Settlement.handle_cents,
            Settlement.winners,
            Settlement.win_cents,
            Settlement.paid_cents,
            Settlement.limit_cents,
            Settlement.in_full_below_cents,
        )
        .where(Settlement.series == series, Settlement.game == number)
        .order_by(Settlement.run.desc())
        .limit(1)
    )
    row = connection.execute(found).first()
    return None if row is None else SettlementRow(*row)


def wins_of(connection: Connection, attempt: int) -> Generator[WonRow, None, None]:
    """Yield what each winner of an attempt won and is paid, in the order of ticket numbers."""
    found = (
        select(
            WinRow.ticket,
            WinRow.uncut_cents,
            WinRow.cents,
            func.coalesce(Share.cents, WinRow.cents),
        )
        .outerjoin(Share, (Share.attempt == WinRow.attempt) & (Share.ticket == WinRow.ticket))
        .where(WinRow.attempt == attempt)
        .order_by(WinRow.ticket)
        .execution_options(yield_per=BATCH)
    )
    with connection.execute(found) as wins:
        for row in wins:
            yield WonRow(*row)


def progress(connection: Connection, series: str, number: int) -> int:
    """Return how many winners the newest grading of a game has found so far."""
    newest = (
        select(func.max(Attempt.id)).where(Attempt.series == series, Attempt.game == number)
    ).scalar_subquery()
    found = select(func.count()).select_from(WinRow).where(WinRow.attempt == newest)
    return connection.execute(found).scalar_one()


def certification(connection: Connection, attempt: int) -> tuple[str, list[str]] | None:
    """Return the verdict on a settlement and the differences that it names."""
    found = select(Certification.verdict, Certification.differences).where(
        Certification.attempt == attempt
    )
    row = connection.execute(found).first()
    return None if row is None else (row.verdict, row.differences)


# ---- the second grader's book --------------------------------------------------------------------


def book_head(connection: Connection) -> BookHeadRow | None:
    """Return how far the second grader has read; none before it began."""
    row = connection.execute(select(BookHead.__table__)).first()
    if row is None:
        return None
    return BookHeadRow(row.size, row.frontier, row.locks, row.faults, row.cards)


def card_entries(connection: Connection) -> list[EntryRow]:
    """Return the CARD entries that have their place."""
    found = (
        select(*ENTRY_COLUMNS)
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .join(Card, Card.entry == LogEntry.id)
        .order_by(LogPosition.position)
    )
    return [EntryRow(*row) for row in connection.execute(found)]


def lock_up_to(connection: Connection, series: str, number: int) -> EntryRow | None:
    """Return the LOCK entry of a game, or of the last one before it that was locked."""
    found = (
        select(*ENTRY_COLUMNS)
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .join(Game, Game.lock_entry == LogEntry.id)
        .where(Game.series == series, Game.number <= number)
        .order_by(Game.number.desc())
        .limit(1)
    )
    row = connection.execute(found).first()
    return None if row is None else EntryRow(*row)


def live_tickets(
    connection: Connection, series: str, number: int
) -> Generator[LiveRow, None, None]:
    """Yield the tickets of the second grader's book that play a game, in order."""
    found = (
        select(LiveTicket.number, LiveTicket.body)
        .where(
            LiveTicket.series == series,
            LiveTicket.first_game <= number,
            LiveTicket.last_game >= number,
        )
        .order_by(LiveTicket.number)
        .execution_options(yield_per=BATCH)
    )
    with connection.execute(found) as tickets:
        for row in tickets:
            yield LiveRow(*row)
