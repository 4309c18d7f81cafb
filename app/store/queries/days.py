"""What belongs to a gaming day: acts by their time, games by their lock."""

import json
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Executable, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute

from app.keno.game import OVER, GameState
from app.store.queries.stretches import entry_before
from app.store.tables import (
    Cancellation,
    DayClose,
    Drawer,
    Expiry,
    Game,
    LogEntry,
    Payout,
    Refund,
    Settlement,
    Staff,
    Ticket,
    Void,
    Win,
)

LAST_CLOSED = select(DayClose.ends_at).order_by(DayClose.day.desc()).limit(1)


@dataclass(frozen=True)
class Acts:
    """What was done in a stretch of time, in cents."""

    sales_cents: int
    voids_cents: int
    refunds_cents: int
    paid_cents: int


def acts_between(connection: Connection, begins: datetime, ends: datetime) -> Acts:
    """Return what was sold, voided, refunded and paid from a moment until another."""
    # By the numbers of their entries, so that nothing before the day is looked at.
    after = entry_before(connection, begins)

    def summed(
        found: Select[Any],
        moment: InstrumentedAttribute[datetime],
        entry: InstrumentedAttribute[int],
    ) -> int:
        return _sum(connection, found.where(entry > after, moment >= begins, moment < ends))

    voided = select(func.sum(Ticket.price_cents)).join(Void, Void.ticket == Ticket.number)
    sold = select(func.sum(Ticket.price_cents))
    cancelled, refunded = select(func.sum(Cancellation.cents)), select(func.sum(Refund.cents))
    return Acts(
        summed(sold, Ticket.sold_at, Ticket.entry),
        summed(voided, Void.voided_at, Void.entry),
        summed(cancelled, Cancellation.cancelled_at, Cancellation.entry)
        + summed(refunded, Refund.refunded_at, Refund.entry),
        summed(select(func.sum(Payout.cents)), Payout.paid_at, Payout.entry),
    )


def write_of(connection: Connection, day: date) -> int:
    """Return what was written for the games of a day."""
    found = select(func.sum(Game.handle_cents)).where(
        Game.gaming_day == day.isoformat(), Game.state != GameState.VOID.value
    )
    return _sum(connection, found)


def owed_for_games_of(connection: Connection, day: date) -> int:
    """Return what was won in the games of a day, as it stands now."""
    games = select(Game.series, Game.number).where(Game.gaming_day == day.isoformat())
    return sum(owed_for(connection, series, number) for series, number in connection.execute(games))


def owed_for(connection: Connection, series: str, number: int) -> int:
    """Return what was won in a game, by its newest settlement."""
    found = (
        select(Settlement.paid_cents)
        .where(Settlement.series == series, Settlement.game == number)
        .order_by(Settlement.run.desc())
        .limit(1)
    )
    return connection.execute(found).scalar_one_or_none() or 0


def games_in(connection: Connection, day: date) -> list[tuple[str, int, GameState]]:
    """Return the games of a day that are not over: they wait, or are being looked into."""
    found = (
        select(Game.series, Game.number, Game.state)
        .where(
            Game.gaming_day == day.isoformat(),
            Game.state.not_in([state.value for state in OVER]),
        )
        .order_by(Game.series, Game.number)
    )
    return [
        (series, number, GameState(state)) for series, number, state in connection.execute(found)
    ]


def open_drawers(connection: Connection, begins: datetime, ends: datetime) -> list[tuple[int, str]]:
    """Return the drawers that were opened in a day and are not closed, and whose they are."""
    found = (
        select(Drawer.id, Staff.code)
        .join(Staff, Staff.id == Drawer.staff)
        .where(Drawer.opened_at >= begins, Drawer.opened_at < ends, Drawer.closed_at.is_(None))
        .order_by(Drawer.id)
    )
    return [(row.id, row.code) for row in connection.execute(found)]


def closed_days(connection: Connection) -> dict[date, tuple[Any, Any]]:
    """Return figures and frozen games of every day that was closed, in order."""
    found = select(DayClose.day, DayClose.figures, DayClose.frozen).order_by(DayClose.day)
    return {day: (figures, frozen) for day, figures, frozen in connection.execute(found)}


def closed_until(connection: Connection) -> datetime | None:
    """Return when the last closed day ended."""
    moment: datetime | None = connection.execute(LAST_CLOSED).scalar_one_or_none()
    return moment


def closed_day(connection: Connection, day: date) -> tuple[Any, Any, Any] | None:
    """Return figures, drawers and frozen games of a day, if it is closed."""
    found = select(DayClose.figures, DayClose.drawers, DayClose.frozen).where(DayClose.day == day)
    row = connection.execute(found).first()
    return None if row is None else (row.figures, row.drawers, row.frozen)


def unclaimed_before(connection: Connection) -> dict[str, int]:
    """Return what was owed at the last close, by the gaming day of the game."""
    found = select(DayClose.unclaimed).order_by(DayClose.day.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none() or {}


def frozen_before(connection: Connection) -> list[dict[str, Any]]:
    """Return the games that were being looked into at the last close, and what was owed then."""
    found = select(DayClose.frozen).order_by(DayClose.day.desc()).limit(1)
    return connection.execute(found).scalar_one_or_none() or []


def taken_off(
    connection: Connection, begins: datetime, ends: datetime
) -> dict[tuple[str, int], int]:
    """Return what of the wins of each game was paid in a day, or has expired since the last one."""
    paid = (
        select(LogEntry.body)
        .join(Payout, Payout.entry == LogEntry.id)
        .where(
            Payout.entry > entry_before(connection, begins),
            Payout.paid_at >= begins,
            Payout.paid_at < ends,
        )
    )
    closed = connection.execute(select(func.max(DayClose.entry))).scalar_one_or_none() or 0
    expired = (
        select(LogEntry.body).join(Expiry, Expiry.entry == LogEntry.id).where(Expiry.entry > closed)
    )
    taken: Counter[tuple[str, int]] = Counter()
    for found in (paid, expired):
        for text in connection.execute(found).scalars():
            body = json.loads(text)
            for win in body["wins"]:
                taken[body["series"], win["game"]] += win["cents"]
    return taken


def day_of_game(connection: Connection, series: str, number: int) -> str:
    """Return the gaming day of a game that is locked."""
    found = select(Game.gaming_day).where(Game.series == series, Game.number == number)
    return str(connection.execute(found).scalar_one())


def perhaps_expired(connection: Connection, now: datetime) -> list[int]:
    """Return the tickets with a win that is neither paid nor expired, past what they print."""
    found = (
        select(Win.ticket)
        .distinct()
        .join(Ticket, Ticket.number == Win.ticket)
        .outerjoin(Payout, Payout.ticket == Win.ticket)
        .outerjoin(Expiry, Expiry.ticket == Win.ticket)
        .where(
            Payout.ticket.is_(None),
            Expiry.ticket.is_(None),
            Ticket.prints_expiry.is_(None) | (Ticket.prints_expiry < now),
        )
        .order_by(Win.ticket)
    )
    return list(connection.execute(found).scalars())


def unpaid_winners(
    connection: Connection, at_least_cents: int, after: int, limit: int
) -> list[int]:
    """Return tickets that won so much in games that are settled, and are neither paid nor void.

    Not every one of these wins counts: a game may be graded again. Whoever asks looks closer.
    """
    found = (
        select(Win.ticket)
        .join(Settlement, Settlement.attempt == Win.attempt)
        .outerjoin(Payout, Payout.ticket == Win.ticket)
        .outerjoin(Expiry, Expiry.ticket == Win.ticket)
        .where(Payout.ticket.is_(None), Expiry.ticket.is_(None), Win.ticket > after)
        .group_by(Win.ticket)
        .having(func.sum(Win.cents) >= at_least_cents)
        .order_by(Win.ticket)
        .limit(limit)
    )
    return list(connection.execute(found).scalars())


def is_expired(connection: Connection, ticket: int) -> bool:
    """Whether the win of a ticket was posted as expired."""
    found = select(Expiry.ticket).where(Expiry.ticket == ticket)
    return connection.execute(found).first() is not None


def expired_in_all(connection: Connection) -> int:
    """Return what has expired ever."""
    return _sum(connection, select(func.sum(Expiry.cents)))


def is_over(connection: Connection, series: str, number: int) -> bool:
    """Whether nothing more can happen to a game."""
    found = select(Game.state).where(Game.series == series, Game.number == number)
    return GameState(connection.execute(found).scalar_one()) in OVER


def _sum(connection: Connection, found: Executable) -> int:
    return int(connection.execute(found).scalar_one_or_none() or 0)
