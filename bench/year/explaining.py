"""How wins come about, in words: the same words for all straight tickets that are alike.

What the flow says of a straight play depends on its line, on how many it caught, and on what it is
paid, and on nothing else; so it is asked once for each of these.
"""

from collections.abc import Mapping

from app.flow.claim import Claim, explanation
from app.keno.game import GameState
from app.keno.rate_card import RateCard
from app.keno.ticket import TicketType

Told = Mapping[str, object]


class Explaining:
    """Explanations of wins on a card."""

    def __init__(self, card: RateCard) -> None:
        self._card = card
        self._words: dict[tuple[object, ...], object] = {}

    def of(self, claim: Claim) -> list[Told]:
        """Return how the amount of a claim comes about, game by game, as the flow says it."""
        ticket = claim.ticket
        if ticket.type != TicketType.STRAIGHT:
            return list(explanation(self._card, claim))
        (group,), (line,) = ticket.play["groups"], ticket.play["lines"]
        games = [game for game in claim.standing.games if game.state is GameState.CERTIFIED]
        spots = frozenset(group)
        alike = [
            (*line.values(), len(spots.intersection(game.numbers or ())), game.win_cents)
            for game in games
        ]
        if not self._words.keys() >= set(alike):
            told: list[Told] = list(explanation(self._card, claim))
            for which, each in zip(alike, told, strict=True):
                self._words[which] = each["explanation"]
            return told
        return [
            {
                "game": f"{ticket.series}-{game.number}",
                "numbers": game.numbers,
                "win_cents": game.win_cents,
                "explanation": self._words[which],
            }
            for game, which in zip(games, alike, strict=True)
        ]
