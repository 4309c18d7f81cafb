"""How a ticket stands, from what is known of it: derived here, and nowhere else.

It never says that a ticket won nothing before all of its games are drawn and certified: until then
it is not yet decided (X-not-decided).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.keno.game import OVER, GameState


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


# While a ticket stands so, money can still go out for it.
OWED = frozenset(
    {Stands.OPEN, Stands.IN_PLAY, Stands.NOT_DECIDED, Stands.FROZEN, Stands.WIN, Stands.REFUND}
)


@dataclass(frozen=True)
class Known:
    """What is known of a ticket: facts that are only ever added."""

    games: Sequence[GameState | None]  # that it plays, in order; none: not opened yet
    is_void: bool = False
    has_won: bool = False  # in games that are certified
    is_paid: bool = False
    is_late: bool = False  # its time to be claimed is over
    is_refund_due: bool = False  # for a game that was void


def stands(known: Known) -> Stands:
    """Return how a ticket stands; the first that is so counts."""
    games = known.games
    undecided = any(game not in OVER and game is not GameState.FROZEN for game in games)
    ways = (
        (known.is_void, Stands.VOID),
        (games[0] is GameState.OPEN, Stands.OPEN),
        (any(game in (None, GameState.OPEN) for game in games), Stands.IN_PLAY),
        (undecided, Stands.NOT_DECIDED),
        (GameState.FROZEN in games, Stands.FROZEN),
        (known.is_paid, Stands.PAID),
        (known.has_won and known.is_late, Stands.EXPIRED),
        (known.has_won, Stands.WIN),
        (known.is_refund_due, Stands.REFUND),
        (GameState.CERTIFIED not in games, Stands.REFUNDED),
    )
    return next((how for is_so, how in ways if is_so), Stands.NO_WIN)


def is_held(how: Stands, *, before_loss: bool) -> bool:
    """Whether money goes out for a ticket only with a manager: it may have gone out already.

    Args:
        how: how the ticket stands, as far as the house knows.
        before_loss: it was sold before the house was restored, and what happened to it then may be
            lost (X-recovery).
    """
    return before_loss and how in OWED
