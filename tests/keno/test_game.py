"""The states of a game as a table: every state times every act."""

import pytest

from app.keno.game import DECIDED, OVER, GameAct, GameState, next_state

# Rows are states, columns are acts; a dot says that it cannot be done.
ACTS = (
    "sell, void a ticket, override the close, lock, draw, void the game, settle, certify, freeze, "
    "release"
)
TABLE = {
    "open": "open open open locked . . . . . .",
    "locked": ". . . . drawn void . . . .",
    "drawn": ". . . . . . settled . . .",
    "settled": ". . . . . . . certified frozen .",
    "certified": ". . . . . . . . . .",
    "void": ". . . . . . . . . .",
    "frozen": ". . . . . . . . . drawn",
}


def test_the_table_has_every_state_and_every_act() -> None:
    assert list(TABLE) == [state.value for state in GameState]
    assert ACTS.split(", ") == [act.value for act in GameAct]


@pytest.mark.rule("15.3(c)", "X-lock-server", "X-draw-once")
@pytest.mark.parametrize("state", GameState)
def test_an_act_leads_where_the_table_says_and_nowhere_else(state: GameState) -> None:
    for act, expected in zip(GameAct, TABLE[state].split(), strict=True):
        found = next_state(state, act)
        assert ("." if found is None else found.value) == expected


@pytest.mark.rule("15.3(c)")
def test_nothing_leads_back_to_an_open_game() -> None:
    for state in set(GameState) - {GameState.OPEN}:
        assert GameState.OPEN not in {next_state(state, act) for act in GameAct}


def test_a_game_is_over_when_nothing_can_be_done_any_more() -> None:
    stuck = {state for state in GameState if not any(next_state(state, act) for act in GameAct)}
    assert stuck == OVER
    assert set(GameState) - {GameState.OPEN, GameState.LOCKED} == DECIDED
