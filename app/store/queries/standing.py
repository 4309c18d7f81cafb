"""What became of a ticket: the facts from which its standing is derived."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, select

from app.keno.game import GameState
from app.store.tables import Cancellation, Game, Outcome, Refund, Settlement, Share, Win


@dataclass(frozen=True)
class PlayedGame:
    """A game that a ticket plays or played, as far as it was opened."""

    number: int
    state: GameState
    numbers: list[int] | None
    win_cents: int  # what the ticket is paid for it, after the aggregate limit
    refunded_cents: int
    won_cents: int = 0  # before the limit was shared


@dataclass(frozen=True)
class CancellationRow:
    """The rest of a ticket was cancelled."""

    first_cancelled: int
    cents: int
    cancelled_at: datetime


def cancellation(connection: Connection, ticket: int) -> CancellationRow | None:
    """Return the cancellation of a ticket's rest, if there is one."""
    found = select(
        Cancellation.first_cancelled, Cancellation.cents, Cancellation.cancelled_at
    ).where(Cancellation.ticket == ticket)
    row = connection.execute(found).first()
    return None if row is None else CancellationRow(*row)


def played_games(
    connection: Connection, ticket: int, series: str, first: int, last: int
) -> list[PlayedGame]:
    """Return the games of a ticket that were opened, with what it won in each."""
    of = {"ticket": ticket, "series": series, "first": first, "last": last}
    return [_played(row) for row in connection.execute(_PLAYED, of)]


def _played_statement() -> Select[Any]:
    """Return the statement; it is large, and written once rather than for each ticket."""
    ticket: BindParameter[int] = bindparam("ticket")
    series: BindParameter[str] = bindparam("series")
    first: BindParameter[int] = bindparam("first")
    last: BindParameter[int] = bindparam("last")
    newest = (
        select(Settlement.game, func.max(Settlement.run).label("run"))
        .where(Settlement.series == series, Settlement.game.between(first, last))
        .group_by(Settlement.game)
        .subquery()
    )
    won = (
        select(
            newest.c.game,
            func.coalesce(Share.cents, Win.cents).label("cents"),
            Win.cents.label("won_cents"),
        )
        .join(
            Settlement,
            (Settlement.series == series)
            & (Settlement.game == newest.c.game)
            & (Settlement.run == newest.c.run),
        )
        .join(Win, (Win.attempt == Settlement.attempt) & (Win.ticket == ticket))
        .outerjoin(
            Share,
            (Share.attempt == Win.attempt)
            & (Share.ticket == Win.ticket)
            # Where the limit did not bite, nothing was shared, whatever rows there are.
            & (Settlement.win_cents > Settlement.limit_cents),
        )
        .subquery()
    )
    return (
        select(
            Game.number,
            Game.state,
            Outcome.numbers,
            won.c.cents,
            Refund.cents,
            won.c.won_cents,
        )
        .outerjoin(Outcome, (Outcome.series == Game.series) & (Outcome.game == Game.number))
        .outerjoin(won, won.c.game == Game.number)
        .outerjoin(Refund, (Refund.ticket == ticket) & (Refund.game == Game.number))
        .where(Game.series == series, Game.number.between(first, last))
        .order_by(Game.number)
    )


_PLAYED = _played_statement()


def _played(row: Any) -> PlayedGame:  # noqa: ANN401  a row of the query above
    number, state, numbers, win_cents, refunded_cents, won_cents = row
    return PlayedGame(
        number, GameState(state), numbers, win_cents or 0, refunded_cents or 0, won_cents or 0
    )
