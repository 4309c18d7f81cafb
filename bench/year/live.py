"""Tickets of the year in memory: while they play, and then until somebody comes for the win."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from app.flow.claim import Claim, Gradings
from app.flow.standing import Standing
from app.keno.amounts import Amount
from app.keno.game import GameState
from app.keno.payment import GameWin, due_papers
from app.keno.refund import Back, refund_of
from app.keno.standing import Stands
from app.keno.tender import Tender
from app.store.queries.settling import PlayedRow
from app.store.queries.standing import PlayedGame
from app.store.queries.tickets import TicketRow


class Won(NamedTuple):
    """What a ticket won in a game: before the limit was shared, and as it is paid."""

    cents: int
    paid_cents: int


@dataclass(slots=True)
class Live:
    """A ticket, with what became of it so far."""

    row: TicketRow
    tender: tuple[Tender, ...]
    body: str  # of its entry
    play: tuple[int, int, int] | None  # of a straight ticket, as the bulk grader has it
    last_game: int  # that it plays: its rest may be cancelled
    by_flow: bool = False  # sold, or changed, by the flow itself, which then sees to the rest of it
    wins: dict[int, Won] = field(default_factory=dict)  # by game
    games: list[PlayedGame] = field(default_factory=list)  # known once it has played, if it won

    @property
    def played(self) -> PlayedRow:
        """The ticket, as far as grading needs it."""
        row = self.row
        price = row.price_per_game_cents
        return PlayedRow(row.number, row.type, row.play, row.games, row.card, price)

    @property
    def win_cents(self) -> int:
        """What it has won so far."""
        return sum(won.paid_cents for won in self.wins.values())

    @property
    def gradings(self) -> list[Gradings]:
        """Both gradings of each of its games, which never differ here."""
        return [
            Gradings(game.number, game.won_cents, game.won_cents)
            for game in self.games
            if game.state is GameState.CERTIFIED
        ]

    def claim(self, amounts: Mapping[Amount, int]) -> Claim:
        """Return what it is paid, of a ticket whose games were all certified."""
        row, price = self.row, self.row.price_per_game_cents
        wins = [
            GameWin(
                row.number,
                row.series,
                game.number,
                game.win_cents,
                refund_of(self.tender, price, [game.number - row.first_game]).cash_cents,
            )
            for game in self.games
            if game.win_cents
        ]
        standing = Standing(
            stands=Stands.WIN,
            explanation="",
            games=self.games,
            last_game=self.last_game,
            is_cancelled=False,
            win_cents=self.win_cents,
            refund_due_cents=0,
            paid=None,
            expires_at=None,
            held_since=None,
            claim_ends=None,
            lost=[],
        )
        papers = due_papers(wins, amounts[Amount.TAX_PAPER], set())
        return Claim(row, standing, wins, amounts, 0, papers, [], Back(0, 0), is_reprinted=False)
