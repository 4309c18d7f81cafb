"""How a ticket stands: derived here, and nowhere else, from facts that are only ever added.

It never says that a ticket won nothing before all of its games are drawn and certified: until then
it is not yet decided (X-not-decided).
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.clock import time_text
from app.keno.game import OVER, GameState
from app.keno.money import dollars
from app.keno.payment import expires_at, held_up
from app.keno.refund import refund_of
from app.store.queries import Reading, payments, standing, tickets
from app.store.queries.payments import PayoutRow
from app.store.queries.standing import CancellationRow, PlayedGame
from app.store.queries.tickets import TicketRow


class Stands(StrEnum):
    """Every way in which a ticket can stand."""

    OPEN = "open"
    VOID = "void"
    IN_PLAY = "in-play"
    NOT_DECIDED = "not-decided"
    FROZEN = "frozen"
    NO_WIN = "no-win"
    WIN = "win"
    PAID = "paid"
    EXPIRED = "expired"
    REFUND = "refund"
    REFUNDED = "refunded"


@dataclass(frozen=True)
class Standing:
    """How a ticket stands, in words, and by its games."""

    stands: Stands
    explanation: str
    games: list[PlayedGame]
    last_game: int  # that it plays: its rest may be cancelled
    is_cancelled: bool
    win_cents: int
    refund_due_cents: int  # in money, for games that are void
    paid: PayoutRow | None
    expires_at: datetime | None  # none before its last game is locked


def standing_of(
    connection: Reading, ticket: TicketRow, claim_minutes: int, now: datetime
) -> Standing:
    """Return how a ticket stands now.

    Args:
        connection: where everything is read.
        ticket: the ticket.
        claim_minutes: how long a win is paid, as its card says.
        now: the time.
    """
    cancelled = standing.cancellation(connection, ticket.number)
    last = ticket.last_game if cancelled is None else cancelled.first_cancelled - 1
    games = standing.played_games(connection, ticket.number, ticket.series, ticket.first_game, last)
    win_cents = sum(game.win_cents for game in games if game.state is GameState.CERTIFIED)
    due = [game for game in games if game.state is GameState.VOID and not game.refunded_cents]
    paid = payments.payout(connection, ticket.number)
    expires = _expires_at(connection, ticket, last, claim_minutes, now)
    late = None
    if expires is not None and now > expires:
        late = None if _came_in_time(connection, ticket.number, expires) else expires
    stands, explanation = _told(ticket, games, last, cancelled, win_cents, bool(due), paid, late)
    tender = tickets.tender_of(connection, ticket.number) if due else []
    places = [game.number - ticket.first_game for game in due]
    refund_due_cents = refund_of(tender, ticket.price_per_game_cents, places).cash_cents
    is_cancelled = cancelled is not None
    return Standing(
        stands,
        explanation,
        games,
        last,
        is_cancelled,
        win_cents,
        refund_due_cents,
        paid,
        expires,
    )


def _expires_at(
    connection: Reading, ticket: TicketRow, last: int, claim_minutes: int, now: datetime
) -> datetime | None:
    """Return until when a ticket can be claimed: counted from the lock of its last game (15.6(c)).

    The time for which a game of it is frozen does not count.
    """
    locked_at = payments.locked_at(connection, ticket.series, last)
    if locked_at is None:
        return None
    frozen = payments.freezes(connection, ticket.series, ticket.first_game, last)
    held = held_up(frozen, locked_at, now)
    return expires_at(locked_at, claim_minutes, held, ticket.prints_expiry)


def _came_in_time(connection: Reading, number: int, expires: datetime) -> bool:
    """Whether a ticket was brought in time, and could not be paid then."""
    presented_at = payments.presented_at(connection, number)
    return presented_at is not None and presented_at <= expires


def _told(  # noqa: PLR0913, PLR0917  all that it depends on
    ticket: TicketRow,
    games: list[PlayedGame],
    last: int,
    cancelled: CancellationRow | None,
    win_cents: int,
    refund_due: bool,
    paid: PayoutRow | None,
    late: datetime | None,
) -> tuple[Stands, str]:
    """Return how the ticket stands, and say it; the first that is true counts."""
    series = ticket.series
    states = [game.state for game in games]
    frozen = [f"{series}-{game.number}" for game in games if game.state is GameState.FROZEN]
    voided_at = ticket.voided_at
    undecided = any(state not in OVER and state is not GameState.FROZEN for state in states)
    to_come = len(games) < last - ticket.first_game + 1 or GameState.OPEN in states
    drawn = GameState.CERTIFIED in states
    first = f"{series}-{ticket.first_game}"
    held = f"Not yet decided: game {', '.join(frozen)} is being looked into."
    ways: list[tuple[bool, Stands, str]] = [
        (voided_at is not None, Stands.VOID, f"Voided at {voided_at and time_text(voided_at)}."),
        (states[:1] == [GameState.OPEN], Stands.OPEN, f"Game {first} is not locked yet."),
        (to_come, Stands.IN_PLAY, f"The ticket plays until game {series}-{last}."),
        (undecided, Stands.NOT_DECIDED, "Not yet decided."),
        (bool(frozen), Stands.FROZEN, held),
        (paid is not None, Stands.PAID, _paid_words(paid)),
        (
            bool(win_cents) and late is not None,
            Stands.EXPIRED,
            f"A win of {dollars(win_cents)}, which expired at {late and time_text(late)}.",
        ),
        (bool(win_cents), Stands.WIN, f"A win of {dollars(win_cents)}."),
        (refund_due, Stands.REFUND, "A game was void; what was paid for it goes back."),
        (not drawn, Stands.REFUNDED, "No game of it was played; its price went back."),
        (True, Stands.NO_WIN, "No win."),
    ]
    stands, words = next((stands, words) for is_so, stands, words in ways if is_so)
    if cancelled is not None:
        words += f" Games from {series}-{cancelled.first_cancelled} on were cancelled."
    return stands, words


def _paid_words(paid: PayoutRow | None) -> str:
    if paid is None:
        return ""
    at = time_text(paid.paid_at)
    return f"Paid {dollars(paid.cents)} at {at}, at {paid.station_code}, by {paid.writer_code}."
