"""How a ticket stands: every state of its games, and every fact that is known of it."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.game import GameState
from app.keno.standing import Known, Stands, is_held, stands

OPEN, LOCKED, DRAWN, SETTLED = (
    GameState.OPEN,
    GameState.LOCKED,
    GameState.DRAWN,
    GameState.SETTLED,
)
CERTIFIED, FROZEN, VOID = GameState.CERTIFIED, GameState.FROZEN, GameState.VOID

# A ticket of one game that is neither void nor paid: by the state of its game, and whether it won.
ONE_GAME = {
    #            no win            a win        a win, too late
    OPEN: (Stands.OPEN, Stands.OPEN, Stands.OPEN),
    LOCKED: (Stands.NOT_DECIDED, Stands.NOT_DECIDED, Stands.NOT_DECIDED),
    DRAWN: (Stands.NOT_DECIDED, Stands.NOT_DECIDED, Stands.NOT_DECIDED),
    SETTLED: (Stands.NOT_DECIDED, Stands.NOT_DECIDED, Stands.NOT_DECIDED),
    CERTIFIED: (Stands.NO_WIN, Stands.WIN, Stands.EXPIRED),
    FROZEN: (Stands.FROZEN, Stands.FROZEN, Stands.FROZEN),
    VOID: (Stands.REFUNDED, Stands.WIN, Stands.EXPIRED),
}
# A ticket of two games that has won nothing so far: by the state of the first and of the second.
TWO_GAMES = {
    #           not opened        open            locked              certified           frozen
    LOCKED: ("in-play", "in-play", "not-decided", "not-decided", "not-decided"),
    CERTIFIED: ("in-play", "in-play", "not-decided", "no-win", "frozen"),
    FROZEN: ("in-play", "in-play", "not-decided", "frozen", "frozen"),
    VOID: ("in-play", "in-play", "not-decided", "no-win", "frozen"),
}
SECOND = (None, OPEN, LOCKED, CERTIFIED, FROZEN)
UNDECIDED = (None, OPEN, LOCKED, DRAWN, SETTLED, FROZEN)

games = st.lists(st.sampled_from([None, *GameState]), min_size=1, max_size=4)
facts = st.builds(
    Known, games, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.booleans()
)


@pytest.mark.rule("X-not-decided", "X-pay-refusals")
@pytest.mark.parametrize("state", GameState)
def test_a_ticket_of_one_game_in_every_state_of_it(state: GameState) -> None:
    found = (
        stands(Known([state])),
        stands(Known([state], has_won=True)),
        stands(Known([state], has_won=True, is_late=True)),
    )
    assert found == ONE_GAME[state]


@pytest.mark.rule("X-not-decided", "X-pay-refusals")
@pytest.mark.parametrize("first", TWO_GAMES)
def test_a_ticket_of_two_games_in_every_state_of_them(first: GameState) -> None:
    found = tuple(stands(Known([first, second])).value for second in SECOND)
    assert found == TWO_GAMES[first]


@pytest.mark.rule("15.4(e)-void", "15.6(a)", "X-fault-refund")
def test_void_comes_before_all_and_paid_before_whatever_else_is_decided() -> None:
    for flags in product([False, True], repeat=4):
        assert stands(Known([CERTIFIED], True, *flags)) is Stands.VOID
    for won, late, due in product([False, True], repeat=3):
        paid = Known([CERTIFIED], has_won=won, is_paid=True, is_late=late, is_refund_due=due)
        assert stands(paid) is Stands.PAID
    assert stands(Known([VOID], is_refund_due=True)) is Stands.REFUND
    assert stands(Known([VOID, CERTIFIED], has_won=True, is_refund_due=True)) is Stands.WIN


@pytest.mark.rule("X-not-decided")
@given(facts)
def test_nothing_is_said_of_a_win_while_a_game_is_undecided(known: Known) -> None:
    decided = {Stands.NO_WIN, Stands.WIN, Stands.PAID, Stands.EXPIRED, Stands.REFUNDED}
    if any(game in UNDECIDED for game in known.games):
        assert stands(known) not in decided
    elif not known.is_void:
        assert stands(known) in decided | {Stands.REFUND}


@pytest.mark.rule("X-recovery")
def test_what_may_have_been_paid_before_a_loss_is_held_and_nothing_else() -> None:
    held = {how for how in Stands if is_held(how, before_loss=True)}
    assert {Stands.WIN, Stands.REFUND, Stands.OPEN} <= held
    assert not held & {Stands.PAID, Stands.VOID, Stands.NO_WIN, Stands.EXPIRED}
    assert not any(is_held(how, before_loss=False) for how in Stands)
