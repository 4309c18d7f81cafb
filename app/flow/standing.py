"""How a ticket stands: derived here, and nowhere else, from facts that are only ever added.

It never says that a ticket won nothing before all of its games are drawn and certified: until then
it is not yet decided (X-not-decided).
"""

from dataclasses import dataclass
from enum import StrEnum

from app.clock import time_text
from app.keno.game import OVER, GameState
from app.keno.money import dollars
from app.keno.refund import refund_of
from app.store.queries import Reading, standing, tickets
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


def standing_of(connection: Reading, ticket: TicketRow) -> Standing:
    """Return how a ticket stands now."""
    cancelled = standing.cancellation(connection, ticket.number)
    last = ticket.last_game if cancelled is None else cancelled.first_cancelled - 1
    games = standing.played_games(connection, ticket.number, ticket.series, ticket.first_game, last)
    win_cents = sum(game.win_cents for game in games if game.state is GameState.CERTIFIED)
    due = [game for game in games if game.state is GameState.VOID and not game.refunded_cents]
    stands, explanation = _told(ticket, games, last, cancelled, win_cents, bool(due))
    tender = tickets.tender_of(connection, ticket.number) if due else []
    places = [game.number - ticket.first_game for game in due]
    refund_due_cents = refund_of(tender, ticket.price_per_game_cents, places).cash_cents
    is_cancelled = cancelled is not None
    return Standing(stands, explanation, games, last, is_cancelled, win_cents, refund_due_cents)


def _told(  # noqa: PLR0913, PLR0917  all that it depends on
    ticket: TicketRow,
    games: list[PlayedGame],
    last: int,
    cancelled: CancellationRow | None,
    win_cents: int,
    refund_due: bool,
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
        (bool(win_cents), Stands.WIN, f"A win of {dollars(win_cents)}."),
        (refund_due, Stands.REFUND, "A game was void; what was paid for it goes back."),
        (not drawn, Stands.REFUNDED, "No game of it was played; its price went back."),
        (True, Stands.NO_WIN, "No win."),
    ]
    stands, words = next((stands, words) for is_so, stands, words in ways if is_so)
    if cancelled is not None:
        words += f" Games from {series}-{cancelled.first_cancelled} on were cancelled."
    return stands, words
