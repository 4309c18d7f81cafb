"""Games, and the tickets that play them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from app.store.queries.books.acts import BODY, TICKETS
from app.store.queries.books.rows import (
    StoredEntry,
    StoredGame,
    StoredOutcome,
    StoredSettlement,
    StoredTicket,
)
from app.store.queries.books.span import rows_of
from app.store.tables import (
    Cancellation,
    Certification,
    Game,
    LockStatement,
    LogCheckpoint,
    LogEntry,
    Outcome,
    Refund,
    Settlement,
    Share,
    Ticket,
    Void,
    Win,
)


@dataclass(frozen=True)
class Games:
    """Games of a series that follow on each other: from one number to another, both included."""

    series: str
    first: int
    last: int


def series_with_games(connection: Connection) -> list[str]:
    """Return every series that has a game, whether it is known as one or not."""
    found: list[str] = []
    while True:
        more = select(func.min(Game.series))
        if found:
            more = more.where(Game.series > found[-1])
        series: str | None = connection.execute(more).scalar_one()
        if series is None:
            return found
        found.append(series)


def runs_of_games(connection: Connection, series: str, count: int, tickets: int) -> Iterator[Games]:
    """Yield runs of games of a series, the newest first; they follow on each other.

    Each has so many games at most, and ends with the game with which it has so many tickets.
    """
    before = 2**62
    while True:
        found = (
            select(Game.number, Game.tickets)
            .where(Game.series == series, Game.number < before)
            .order_by(Game.number.desc())
            .limit(count)
        )
        first, played, left = -(2**62), 0, count
        for number, sold in connection.execute(found):
            played, left = played + (sold or 0), left - 1
            if played >= tickets or not left:
                first = number
                break
        yield Games(series, first, before - 1)
        if first == -(2**62):
            return
        before = first


def games(connection: Connection, run: Games) -> list[StoredGame]:
    """Return games, by number."""
    settled: dict[int, list[StoredSettlement]] = defaultdict(list)
    for each in _settlements(connection, run):
        settled[each.game].append(each)
    found = (
        select(
            Game.series,
            Game.number,
            Game.state,
            Game.card,
            Game.opened_at,
            Game.locked_at,
            Game.tickets,
            Game.handle_cents,
            Game.lock_entry,
            BODY,
        )
        .outerjoin(LogEntry, (LogEntry.id == Game.lock_entry) & (LogEntry.tag == "LOCK"))
        .where(Game.series == run.series, Game.number.between(run.first, run.last))
        .order_by(Game.number)
    )
    return [StoredGame(*[*row, tuple(settled[row.number])]) for row in rows_of(connection, found)]


def _settlements(connection: Connection, run: Games) -> Iterator[StoredSettlement]:
    """Yield the settlements of games, a later one of the same game after an earlier one."""
    found = (
        select(
            Settlement.series,
            Settlement.game,
            Settlement.attempt,
            Settlement.tickets,
            Settlement.handle_cents,
            Settlement.winners,
            Settlement.win_cents,
            Settlement.paid_cents,
            Settlement.wins_digest,
            Certification.verdict,
            Certification.certified_at,
        )
        .outerjoin(Certification, Certification.attempt == Settlement.attempt)
        .where(Settlement.series == run.series, Settlement.game.between(run.first, run.last))
        .order_by(Settlement.game, Settlement.run)
    )
    yield from (StoredSettlement(*row) for row in connection.execute(found))


def outcomes(connection: Connection, run: Games) -> dict[int, StoredOutcome]:
    """Return what became of games, and what their entries say of it."""
    found = (
        select(
            Outcome.series,
            Outcome.game,
            Outcome.numbers,
            Outcome.document,
            Outcome.record,
            Outcome.entry,
            BODY,
        )
        .outerjoin(LogEntry, LogEntry.id == Outcome.entry)
        .where(Outcome.series == run.series, Outcome.game.between(run.first, run.last))
    )
    return {row.game: StoredOutcome(*row) for row in rows_of(connection, found)}


def outcomes_in_all(connection: Connection) -> int:
    """Return how many outcomes there are."""
    count: int = connection.execute(select(func.count()).select_from(Outcome)).scalar_one()
    return count


def statements(connection: Connection, run: Games) -> dict[int, Any]:
    """Return the lock statement of each game, as it was signed."""
    found = select(LockStatement.game, LockStatement.request).where(
        LockStatement.series == run.series, LockStatement.game.between(run.first, run.last)
    )
    return {game: request["statement"] for game, request in connection.execute(found)}


def heads_of(connection: Connection, sizes: Sequence[int]) -> dict[int, str]:
    """Return the notes of signed heads, by size."""
    found = select(LogCheckpoint.size, LogCheckpoint.note).where(LogCheckpoint.size.in_(sizes))
    return {row.size: row.note for row in connection.execute(found)}


def last_played_in(connection: Connection, run: Games) -> Iterator[tuple[StoredTicket, int]]:
    """Yield the tickets whose last game is one of these, and until which one each plays.

    Void ones are left out: they play nothing.
    """
    found = (
        TICKETS.add_columns(func.coalesce(Cancellation.first_cancelled - 1, Ticket.last_game))
        .outerjoin(Cancellation, Cancellation.ticket == Ticket.number)
        .outerjoin(Void, Void.ticket == Ticket.number)
        .where(
            Ticket.series == run.series,
            Ticket.last_game.between(run.first, run.last),
            Void.ticket.is_(None),
        )
    )
    for *row, until in rows_of(connection, found):
        yield StoredTicket(*row), until


def refunded_of(connection: Connection, run: Games) -> Iterator[tuple[int, int]]:
    """Yield ticket and game of every refund of the tickets whose last game is one of these."""
    found = (
        select(Refund.ticket, Refund.game)
        .join(Ticket, Ticket.number == Refund.ticket)
        .where(Ticket.series == run.series, Ticket.last_game.between(run.first, run.last))
    )
    yield from ((row.ticket, row.game) for row in connection.execute(found))


def wins(connection: Connection, attempts: Sequence[int]) -> dict[int, dict[int, tuple[int, int]]]:
    """Return uncut and cut of every win, by attempt and ticket, in the order of the tickets."""
    found: dict[int, dict[int, tuple[int, int]]] = {attempt: {} for attempt in attempts}
    rows = (
        select(Win.attempt, Win.ticket, Win.uncut_cents, Win.cents)
        .where(Win.attempt.in_(attempts))
        .order_by(Win.attempt, Win.ticket)
    )
    for attempt, ticket, uncut, cents in connection.execute(rows):
        found[attempt][ticket] = (uncut, cents)
    return found


def shares(connection: Connection, attempts: Sequence[int]) -> dict[int, dict[int, int]]:
    """Return what each winner gets where an aggregate limit was shared, by attempt and ticket."""
    found: dict[int, dict[int, int]] = {attempt: {} for attempt in attempts}
    rows = select(Share.attempt, Share.ticket, Share.cents).where(Share.attempt.in_(attempts))
    for attempt, ticket, cents in connection.execute(rows):
        found[attempt][ticket] = cents
    return found


def locks_named(connection: Connection, entries: Sequence[int]) -> list[StoredEntry]:
    """Return LOCK entries by their ids."""
    found = select(LogEntry.id, LogEntry.tag, BODY).where(LogEntry.id.in_(entries))
    return [StoredEntry(*row) for row in connection.execute(found)]
