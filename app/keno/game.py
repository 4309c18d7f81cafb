"""A game from opening to payable: its states, and what can be done in each (15.3(c), 15.5(d)).

A locked game never opens again. A game that was locked ends drawn and certified, or void; one whose
two gradings differ is frozen until it was graded again under supervision.
"""

from enum import StrEnum


class GameState(StrEnum):
    """The states of a game that was opened; games still to come are only numbers."""

    OPEN = "open"
    LOCKED = "locked"
    DRAWN = "drawn"
    SETTLED = "settled"
    CERTIFIED = "certified"
    VOID = "void"
    FROZEN = "frozen"


class GameAct(StrEnum):
    """What is done to a game, or to its tickets while it is in a state."""

    SELL = "sell"
    VOID_TICKET = "void a ticket"
    OVERRIDE = "override the close"
    LOCK = "lock"
    DRAW = "draw"
    VOID_GAME = "void the game"
    SETTLE = "settle"
    CERTIFY = "certify"
    FREEZE = "freeze"
    RELEASE = "release"


_TABLE: dict[tuple[GameState, GameAct], GameState] = {
    (GameState.OPEN, GameAct.SELL): GameState.OPEN,
    (GameState.OPEN, GameAct.VOID_TICKET): GameState.OPEN,
    (GameState.OPEN, GameAct.OVERRIDE): GameState.OPEN,
    (GameState.OPEN, GameAct.LOCK): GameState.LOCKED,
    (GameState.LOCKED, GameAct.DRAW): GameState.DRAWN,
    (GameState.LOCKED, GameAct.VOID_GAME): GameState.VOID,
    (GameState.DRAWN, GameAct.SETTLE): GameState.SETTLED,
    (GameState.SETTLED, GameAct.CERTIFY): GameState.CERTIFIED,
    (GameState.SETTLED, GameAct.FREEZE): GameState.FROZEN,
    (GameState.FROZEN, GameAct.RELEASE): GameState.DRAWN,
}


def next_state(state: GameState, act: GameAct) -> GameState | None:
    """Return the state that an act leads to; none if it cannot be done in this state."""
    return _TABLE.get((state, act))


# A game is over when nothing can change what its tickets get any more.
OVER = frozenset({GameState.CERTIFIED, GameState.VOID})
# The numbers of a game are known, or never will be: the next one of its series may be locked.
DECIDED = frozenset(GameState) - {GameState.OPEN, GameState.LOCKED}
