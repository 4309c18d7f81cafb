"""What a winning ticket is paid, until when, and how it is explained."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.grading import grade_game
from app.keno.money import Rounding
from app.keno.payment import DuePaper, GameWin, due_papers, expires_at, explained, held_up
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.request import Request
from app.keno.spots import mask_of
from tests.keno.cards import CARD, with_limits, with_schedule

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.mark.rule("X-pay-tax")
@pytest.mark.parametrize(
    ("win_cents", "wager_cents", "due"),
    [
        (200_099, 100, False),
        (200_100, 100, True),
        (200_000, 0, True),  # paid for with a coupon, which counts as nothing
        (199_999, 0, False),
        (100, 200_000, False),
    ],
)
def test_a_win_is_reported_net_of_the_wager_of_its_game(
    win_cents: int, wager_cents: int, due: bool
) -> None:
    found = due_papers([GameWin(1, "M", 7, win_cents, wager_cents)], 200_000, ())
    assert bool(found) is due


@pytest.mark.rule("X-pay-tax")
def test_wins_of_one_game_are_added_and_those_of_two_are_not() -> None:
    half, other = (GameWin(number, "M", 7, 100_100, 100) for number in (1, 2))
    assert due_papers([half, GameWin(2, "M", 8, 100_100, 100)], 200_000, ()) == []
    assert due_papers([half, GameWin(2, "S", 7, 100_100, 100)], 200_000, ()) == []
    (paper,) = due_papers([half, other], 200_000, ())
    assert (paper.win_cents, paper.wager_cents, paper.net_cents) == (200_200, 200, 200_000)


@pytest.mark.rule("X-pay-tax")
@given(
    st.lists(
        st.builds(
            GameWin,
            st.integers(1, 9),
            st.sampled_from("MS"),
            st.integers(1, 3),
            st.integers(1, 10**7),
            st.integers(0, 10**5),
        )
    )
)
def test_what_is_reported_does_not_depend_on_the_order(wins: list[GameWin]) -> None:
    def figures(papers: list[DuePaper]) -> set[tuple[str, int, int]]:
        return {(paper.series, paper.game, paper.net_cents) for paper in papers}

    backwards = due_papers(wins[::-1], 200_000, ())
    assert figures(due_papers(wins, 200_000, ())) == figures(backwards)


@pytest.mark.rule("15.6(c)")
def test_a_ticket_expires_after_its_last_game_whatever_is_printed_earlier() -> None:
    due = NOON + timedelta(minutes=5)
    hour = timedelta(hours=1)
    assert expires_at(NOON, 5, timedelta(0), None) == due
    assert expires_at(NOON, 5, timedelta(0), due - hour) == due
    assert expires_at(NOON, 5, timedelta(0), due + hour) == due + hour
    assert expires_at(NOON, 5, 2 * hour, due + hour) == due + 2 * hour


def told(
    request: Request, numbers: range, card: RateCard = CARD, paid_cents: int | None = None
) -> list[str]:
    ticket = quote(request, card)
    grade = grade_game(ticket, mask_of(numbers), card)
    return list(explained(grade, card, grade.win_cents if paid_cents is None else paid_cents))


@pytest.mark.rule("X-pay-system", "15.6(a)")
def test_a_straight_win_is_explained_in_a_sentence() -> None:
    request = Request(((1, 2, 3, 4),), "1/4 @ 2.00")
    assert told(request, range(1, 21)) == ["4 spots, 4 caught: the way of $2.00 won $230.00."]


@pytest.mark.rule("X-pay-system", "15.2(c)3")
def test_of_a_way_ticket_the_ways_that_won_are_told() -> None:
    request = Request(((1, 2), (3, 4), (21, 22)), "3/4 @ 1.00")
    assert told(request, range(1, 21)) == [
        "4 spots, 4 caught: 1 of 3 ways of $1.00 won $115.00.",
        "4 spots, 2 caught: 2 of 3 ways of $1.00 won $1.00 each.",
    ]
    assert told(Request(((61, 62, 63, 64),), "1/4 @ 1.00"), range(1, 21)) == []


@pytest.mark.rule("X-aggregate-sheet", "15.3(e)")
def test_a_win_that_was_cut_or_shared_says_so() -> None:
    small = with_limits(aggregate_cents=10_000)
    request = Request(((1, 2, 3, 4),), "1/4 @ 2.00")
    assert told(request, range(1, 21), small)[1:] == ["A ticket is paid at most $100.00 in a game."]
    (shared,) = told(request, range(1, 21), CARD, 20_000)[1:]
    assert shared.startswith("All wins of the game together passed its aggregate limit")
    assert shared.endswith("$200.00 is this ticket's part.")


@pytest.mark.rule("X-pay-system", "15.3(e)")
@pytest.mark.parametrize(
    ("rounding", "words"),
    [
        (Rounding.UP, "Together $0.04, rounded up to whole cents."),
        (Rounding.DOWN, "Together $0.03, rounded down to whole cents."),
        (Rounding.HALF_UP, "Together $0.03, rounded to whole cents."),
    ],
)
def test_a_win_that_is_no_whole_number_of_cents_says_how_it_was_rounded(
    rounding: Rounding, words: str
) -> None:
    thirds = with_schedule("regular", with_limits(rounding=rounding), base_cents=9_000)
    assert told(Request(((1,),), "1/1 @ 1.00"), range(1, 21), thirds) == [
        "1 spot, 1 caught: the way of $1.00 won a little over $0.03.",
        words,
    ]


@pytest.mark.rule("15.6(c)")
@pytest.mark.parametrize(
    ("frozen", "hours"),
    [
        ([], 0),
        ([(1, 3)], 2),
        ([(-5, -1)], 0),  # before its last game was locked
        ([(-5, 2)], 2),
        ([(1, 4), (2, 3)], 3),  # one within another
        ([(1, 3), (2, 5)], 4),
        ([(3, 4), (1, 2)], 2),
        ([(8, None)], 2),  # it still is
    ],
)
def test_the_time_for_which_games_are_frozen_is_counted_once(
    frozen: list[tuple[int, int | None]], hours: int
) -> None:
    spans = [
        (NOON + timedelta(hours=begins), None if ends is None else NOON + timedelta(hours=ends))
        for begins, ends in frozen
    ]
    now = NOON + timedelta(hours=10)
    assert held_up(spans, NOON, now) == timedelta(hours=hours)


@pytest.mark.rule("X-pay-tax")
def test_what_stands_on_a_paper_is_not_reported_again() -> None:
    first, second = (GameWin(number, "M", 1, 150_000, 1_000) for number in (1, 2))
    alone = GameWin(1, "M", 2, 250_000, 500)
    both = DuePaper("M", 1, (first, second))
    wins = [first, second, alone]
    assert due_papers(wins, 200_000, ()) == [both, DuePaper("M", 2, (alone,))]
    # A paper for some of them leaves the others to be reported, though they are less alone.
    rest = DuePaper("M", 1, (second,))
    assert due_papers(wins, 200_000, {(1, 1), (1, 2)}) == [rest]
    assert due_papers(wins, 200_000, {(1, 1), (2, 1), (1, 2)}) == []
