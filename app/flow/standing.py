"""How a ticket stands, with everything that this depends on, and in words."""

from dataclasses import dataclass
from datetime import datetime

from app.flow.office import Office
from app.keno.game import GameState
from app.keno.money import dollars
from app.keno.payment import LOST_LONGER, expires_at, held_up
from app.keno.refund import refund_of
from app.keno.standing import Known, Stands, is_held, stands
from app.moments import moment_words
from app.store.queries import Reading, days, keeping, payments, standing, tickets
from app.store.queries.payments import LostRow, PayoutRow
from app.store.queries.standing import PlayedGame
from app.store.queries.tickets import TicketRow
from app.store.unit import Unit


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
    held_since: int | None  # the entry of a restore: what was lost may have settled it
    claim_ends: datetime | None  # without what is added for a lost ticket
    lost: list[LostRow]  # when it was reported lost

    @property
    def without_amount(self) -> str:
        """How it stands in words, for whoever is not told how much it won."""
        return self.explanation.replace(_won_words(self.win_cents), "A win")

    @property
    def is_held(self) -> bool:
        """Whether a manager must approve money over it."""
        return self.held_since is not None


def standing_of(office: Office, unit: Unit, ticket: TicketRow, now: datetime) -> Standing:
    """Return how a ticket stands at a time."""
    connection = unit.connection
    claim_minutes = office.card(unit, ticket.card).limits.claim_minutes
    cancelled = standing.cancellation(connection, ticket.number)
    last = ticket.last_game if cancelled is None else cancelled.first_cancelled - 1
    games = standing.played_games(connection, ticket.number, ticket.series, ticket.first_game, last)
    win_cents = sum(game.win_cents for game in games if game.state is GameState.CERTIFIED)
    due = [game for game in games if game.state is GameState.VOID and not game.refunded_cents]
    paid = payments.payout(connection, ticket.number)
    since = None if cancelled is None else cancelled.cancelled_at
    expires = claim_ends = _expires_at(connection, ticket, last, claim_minutes, now, since)
    lost = payments.reported_lost(connection, ticket.number)
    if expires is not None and lost and lost[0].claimed_at <= expires:
        expires += LOST_LONGER
    late = None
    if expires is not None and now > expires:
        late = None if _came_in_time(connection, ticket.number, expires) else expires
    opened = [game.state for game in games]
    to_come = last - ticket.first_game + 1 - len(games)
    how = stands(
        Known(
            games=[*opened, *[None] * to_come],
            is_void=ticket.voided_at is not None,
            has_won=bool(win_cents),
            is_paid=paid is not None,
            is_late=late is not None or _is_posted(connection, ticket.number, win_cents),
            is_refund_due=bool(due),
        )
    )
    words = _words(how, ticket, games, last, win_cents, paid, late, office.house.time_zone)
    if cancelled is not None:
        words += f" Games from {ticket.series}-{cancelled.first_cancelled} on were cancelled."
    since_entry = keeping.held_since(connection, ticket.number)
    held = since_entry if is_held(how, before_loss=since_entry is not None) else None
    if held is not None:
        words += " Held: entries of the log were lost, and a manager outside keno approves."
    tender = tickets.tender_of(connection, ticket.number) if due else []
    places = [game.number - ticket.first_game for game in due]
    refund_due_cents = refund_of(tender, ticket.price_per_game_cents, places).cash_cents
    is_cancelled = cancelled is not None
    return Standing(
        how,
        words,
        games,
        last,
        is_cancelled,
        win_cents,
        refund_due_cents,
        paid,
        expires,
        held,
        claim_ends,
        lost,
    )


def _expires_at(  # noqa: PLR0913, PLR0917  all that decides about it
    connection: Reading,
    ticket: TicketRow,
    last: int,
    claim_minutes: int,
    now: datetime,
    cancelled_at: datetime | None,
) -> datetime | None:
    """Return until when a ticket can be claimed: counted from the lock of its last game (15.6(c)).

    Or from when its rest was cancelled, because it could not be claimed before. The time for which
    a game of it is frozen does not count.
    """
    locked_at = payments.locked_at(connection, ticket.series, last)
    if locked_at is None:
        return None
    since = locked_at if cancelled_at is None else max(locked_at, cancelled_at)
    frozen = payments.freezes(connection, ticket.series, ticket.first_game, last)
    held = held_up(frozen, since, now)
    return expires_at(since, claim_minutes, held, ticket.prints_expiry)


def _is_posted(connection: Reading, number: int, win_cents: int) -> bool:
    """Whether a win was posted as expired, whatever the clock says now."""
    return bool(win_cents) and days.is_expired(connection, number)


def _came_in_time(connection: Reading, number: int, expires: datetime) -> bool:
    """Whether a ticket was brought in time, and could not be paid then."""
    presented_at = payments.presented_at(connection, number)
    return presented_at is not None and presented_at <= expires


def _words(  # noqa: PLR0913, PLR0917  all that is told
    how: Stands,
    ticket: TicketRow,
    games: list[PlayedGame],
    last: int,
    win_cents: int,
    paid: PayoutRow | None,
    late: datetime | None,
    zone: str,
) -> str:
    """Return how a ticket stands, as a writer reads it out."""
    series = ticket.series
    frozen = [f"{series}-{game.number}" for game in games if game.state is GameState.FROZEN]
    voided_at, won = ticket.voided_at, _won_words(win_cents)
    told = {
        Stands.VOID: f"Voided at {voided_at and moment_words(voided_at, zone)}.",
        Stands.OPEN: f"Game {series}-{ticket.first_game} is not locked yet.",
        Stands.IN_PLAY: f"The ticket plays until game {series}-{last}.",
        Stands.NOT_DECIDED: "Not yet decided.",
        Stands.FROZEN: f"Not yet decided: game {', '.join(frozen)} is being looked into.",
        Stands.PAID: _paid_words(paid, zone),
        Stands.EXPIRED: f"{won}, which expired at {late and moment_words(late, zone)}.",
        Stands.WIN: f"{won}.",
        Stands.REFUND: "A game was void; what was paid for it goes back.",
        Stands.REFUNDED: "No game of it was played; its price went back.",
        Stands.NO_WIN: "No win.",
    }
    return told[how]


def _won_words(win_cents: int) -> str:
    return f"A win of {dollars(win_cents)}"


def _paid_words(paid: PayoutRow | None, zone: str) -> str:
    if paid is None:
        return ""
    at = moment_words(paid.paid_at, zone)
    return f"Paid {dollars(paid.cents)} at {at}, at {paid.station_code}, by {paid.writer_code}."
