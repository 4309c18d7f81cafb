"""A drawer: every state and act, counting it, and the acts that explain what is over or short."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.drawer import (
    BILLS_CENTS,
    Count,
    DrawerAct,
    DrawerState,
    Moved,
    cents_of_kind,
    counted_cents,
    explaining,
    is_denomination,
    next_state,
)
from app.keno.money import dollars
from app.keno.tender import TenderKind

CURRENCY, COIN, CHIPS = TenderKind.CURRENCY, TenderKind.COIN, TenderKind.CHIPS

OPEN, SUSPENDED, CLOSED = DrawerState.OPEN, DrawerState.SUSPENDED, DrawerState.CLOSED
TABLE = {
    #                  open       suspended  closed
    DrawerAct.USE: (OPEN, None, None),
    DrawerAct.FILL: (OPEN, None, None),
    DrawerAct.BLEED: (OPEN, None, None),
    DrawerAct.SUSPEND: (SUSPENDED, None, None),
    DrawerAct.RESUME: (None, OPEN, None),
    DrawerAct.MOVE: (OPEN, SUSPENDED, None),
    DrawerAct.CLOSE: (CLOSED, CLOSED, None),
    DrawerAct.EXPLAIN: (None, None, CLOSED),
}


@pytest.mark.rule("X-drawer")
@pytest.mark.parametrize("act", DrawerAct)
def test_every_act_in_every_state(act: DrawerAct) -> None:
    assert tuple(next_state(state, act) for state in (OPEN, SUSPENDED, CLOSED)) == TABLE[act]


@pytest.mark.rule("X-drawer")
def test_a_count_by_denomination_comes_to_its_amount() -> None:
    assert counted_cents({10_000: 2, 2_000: 3, 1: 7}) == 26_007
    assert counted_cents({}) == 0
    assert len(set(BILLS_CENTS)) == len(BILLS_CENTS)


@pytest.mark.rule("X-drawer")
def test_a_count_as_it_is_kept_comes_to_its_amount_in_all_or_by_denomination() -> None:
    assert cents_of_kind(26_007) == 26_007
    assert cents_of_kind({"10000": 2, "2000": 3, "1": 7}) == 26_007
    assert cents_of_kind({}) == 0


@pytest.mark.rule("X-drawer")
def test_twenty_dollars_short_are_found_as_one_act_or_as_two() -> None:
    acts = [Moved("sold 1", 500), Moved("paid 2", -2_000), Moved("sold 3", 1_500)]
    assert list(explaining(acts, -2_000)) == [(acts[1],), (acts[0], acts[2])]
    assert list(explaining(acts, 0)) == []
    assert list(explaining(acts, 99)) == []


@pytest.mark.rule("X-drawer")
@given(
    cents=st.lists(st.integers(-20, 20).filter(bool), max_size=12),
    over=st.integers(-30, 30),
)
def test_the_finder_finds_every_act_and_pair_and_nothing_else(cents: list[int], over: int) -> None:
    acts = [Moved(str(place), each) for place, each in enumerate(cents)]
    found = list(explaining(acts, over))
    wanted = {
        group
        for size in (1, 2)
        for group in combinations(acts, size)
        if over and abs(sum(act.cents for act in group)) == abs(over)
    }
    assert set(found) == wanted
    assert len(found) == len(wanted)


@pytest.mark.rule("X-drawer")
def test_a_count_is_kept_by_denomination_where_it_was_counted_so() -> None:
    counted = Count(
        {CURRENCY: 7_000, COIN: 75, CHIPS: 500}, {CURRENCY: {2_000: 3, 1_000: 1}, COIN: {}}
    )
    assert counted.total_cents == 7_575
    assert counted.document() == {
        "chips": 500,
        "coin": 75,
        "currency": {"1000": 1, "2000": 3},
    }
    assert sum(map(cents_of_kind, counted.document().values())) == counted.total_cents
    assert Count({}).total_cents == 0


@pytest.mark.rule("X-drawer")
@pytest.mark.parametrize(
    ("kind", "cents", "there_is"),
    [
        (CURRENCY, 2_000, True),
        (CURRENCY, 2_001, False),
        (COIN, 25, True),
        (COIN, 3, False),
        (CHIPS, 1_250, True),  # a house has its own
        (CHIPS, 0, False),
    ],
)
def test_there_are_pieces_of_some_values_only(kind: TenderKind, cents: int, there_is: bool) -> None:
    assert is_denomination(kind, cents) is there_is


def test_what_is_short_is_read_out_to_the_cent() -> None:
    amounts = {125_000: "$1,250.00", 5: "$0.05", -5: "-$0.05", -6_050: "-$60.50"}
    assert {cents: dollars(cents) for cents in amounts} == amounts
