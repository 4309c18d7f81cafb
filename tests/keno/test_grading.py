"""Catches and wins: exact, rounded once, cut to the limit; and equal to brute force."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.keno.grading import grade
from app.keno.money import Rounding, dollars, rounded_cents
from app.keno.pricing import quote
from app.keno.refusals import Refused
from app.keno.request import Request
from tests.keno import brute_force, forms
from tests.keno.cards import CARD, ROOMY, with_limits
from tests.keno.strategies import draws, requests
from tests.tables import read_table

DRAW = tuple(range(1, 21))


@pytest.mark.rule("15.3(e)")
@pytest.mark.parametrize(
    "row",
    read_table(Path(__file__).parent / "tables" / "grades.md"),
    ids=lambda row: f"{row['groups']} played {row['conditioning']} on {row['drawn']}",
)
def test_a_ticket_wins_what_the_table_says(row: dict[str, str]) -> None:
    marked = forms.groups(row["groups"])
    ticket = quote(Request(marked, row["conditioning"], games=6), CARD)
    (game,) = grade(ticket, [forms.draw_with(forms.numbers(row["drawn"]), marked)], CARD)
    catches = [
        {int(caught): int(ways) for ways, caught in (cell.split("x") for cell in line.split())}
        for line in row["catches"].split(";")
    ]
    assert [line.catches for line in game.lines] == catches
    assert game.win == Fraction(row["win exactly"])
    assert dollars(game.win_cents) == row["paid"]
    assert game.capped == (game.win > 10_000_000)


@pytest.mark.rule("15.2(c)2", "15.2(c)3", "15.2(c)4", "15.2(c)5", "15.3(e)")
@given(requests(), draws, st.sampled_from(Rounding), st.none() | st.integers(1, 10_000))
def test_grading_equals_brute_force(
    request_: Request, draw: tuple[int, ...], rounding: Rounding, limit: int | None
) -> None:
    card = with_limits(ROOMY, rounding=rounding, aggregate_cents=limit)
    ticket = quote(request_, card)
    (game,) = grade(ticket, [draw], card)
    expected = brute_force.grade(request_.groups, ticket.lines, draw, card)
    assert tuple(line.catches for line in game.lines) == expected.catches
    assert tuple(line.win for line in game.lines) == expected.wins
    assert game.win_cents == expected.win_cents


@given(requests(), draws, st.randoms(use_true_random=False))
def test_the_order_of_marks_lines_and_balls_never_changes_a_win(
    request_: Request, draw: tuple[int, ...], random: Random
) -> None:
    assert not isinstance(request_.conditioning, str)
    shuffled = replace(
        request_,
        groups=tuple(tuple(random.sample(group, len(group))) for group in request_.groups),
        conditioning=tuple(random.sample(request_.conditioning, len(request_.conditioning))),
    )
    other_draw = random.sample(draw, len(draw))
    (game,) = grade(quote(request_, ROOMY), [draw], ROOMY)
    (same,) = grade(quote(shuffled, ROOMY), [other_draw], ROOMY)
    assert same.win == game.win
    assert same.win_cents == game.win_cents


@pytest.mark.rule("15.3(e)")
@given(requests(), draws)
def test_a_win_is_proportional_to_the_wager(request_: Request, draw: tuple[int, ...]) -> None:
    assert not isinstance(request_.conditioning, str)
    ticket = quote(request_, ROOMY)
    for factor in (2, 3, 7):
        raised = tuple(replace(line, rate_cents=line.rate_cents * factor) for line in ticket.lines)
        (game,), (more,) = (
            grade(ticket, [draw], ROOMY),
            grade(replace(ticket, lines=raised), [draw], ROOMY),
        )
        assert more.win == factor * game.win
        assert more.win_cents == min(-(-more.win.numerator // more.win.denominator), 10_000_000)


@given(requests(), st.lists(draws, min_size=1, max_size=3))
def test_each_game_of_a_multi_race_ticket_is_graded_by_itself(
    request_: Request, drawn: list[tuple[int, ...]]
) -> None:
    ticket = quote(replace(request_, games=3), ROOMY)
    games = grade(ticket, drawn, ROOMY)
    assert games == tuple(grade(ticket, [draw], ROOMY)[0] for draw in drawn)


@pytest.mark.parametrize(
    ("exact", "up", "down", "half_up"),
    [
        ("0", 0, 0, 0),
        ("7", 7, 7, 7),
        ("1/3", 1, 0, 0),
        ("1/2", 1, 0, 1),
        ("49/100", 1, 0, 0),
        ("7/2", 4, 3, 4),
        ("11/3", 4, 3, 4),
        ("900719925474099/7", 128674275067729, 128674275067728, 128674275067728),
    ],
)
def test_a_win_is_rounded_in_the_stated_direction(
    exact: str, up: int, down: int, half_up: int
) -> None:
    assert rounded_cents(Fraction(exact), Rounding.UP) == up
    assert rounded_cents(Fraction(exact), Rounding.DOWN) == down
    assert rounded_cents(Fraction(exact), Rounding.HALF_UP) == half_up


@given(st.fractions(min_value=0), st.sampled_from(Rounding))
def test_rounding_equals_looking_at_the_two_neighbours(exact: Fraction, rule: Rounding) -> None:
    assert rounded_cents(exact, rule) == brute_force.rounded(exact, rule)


def test_a_win_is_rounded_once_for_the_ticket_and_not_line_by_line() -> None:
    # 2666 2/3 cents on one line and 233 1/3 on the other are 2900, and not 2667 + 234.
    ticket = quote(
        Request(((1, 2, 3, 4), (20, 21, 22, 23)), "2/4 1/8 @ .25 twobits", games=2), CARD
    )
    (game,) = grade(ticket, [DRAW], CARD)
    assert [line.win for line in game.lines] == [Fraction(8000, 3), Fraction(700, 3)]
    assert game.win_cents == 2900


def test_a_win_that_is_rounded_down_was_not_cut() -> None:
    card = with_limits(rounding=Rounding.DOWN)
    ticket = quote(
        Request(((21, 22, 23, 24), (25, 26, 27, 28)), "2/4 @ .25 twobits", games=3), card
    )
    (game,) = grade(ticket, [DRAW], card)
    assert (game.win, game.win_cents, game.capped) == (Fraction(40, 3), 13, False)


@given(requests(), draws, st.randoms(use_true_random=False))
def test_the_order_of_the_groups_changes_their_letters_and_nothing_else(
    request_: Request, draw: tuple[int, ...], random: Random
) -> None:
    assert not isinstance(request_.conditioning, str)
    places = list(range(len(request_.groups)))
    random.shuffle(places)
    moved = replace(
        request_,
        groups=tuple(request_.groups[place] for place in places),
        conditioning=tuple(
            replace(
                line,
                sets=tuple(
                    tuple(sorted(places.index(group) for group in groups)) for groups in line.sets
                ),
            )
            for line in request_.conditioning
        ),
    )
    ticket, same = quote(request_, ROOMY), quote(moved, ROOMY)
    assert (same.type, same.price_cents) == (ticket.type, ticket.price_cents)
    assert grade(same, [draw], ROOMY)[0].win == grade(ticket, [draw], ROOMY)[0].win


class TestRefusals:
    """Grading is an act: it reports the first fault by precedence."""

    TICKET = quote(Request(((1, 2, 3, 4),), "1/4 @ 1", games=2), CARD)

    @pytest.mark.parametrize(
        ("draws", "code"),
        [
            ([], "draw.none"),
            ([DRAW, DRAW, DRAW], "draw.too_many"),
            ([DRAW[:19]], "draw.not_twenty"),
            ([(*DRAW, 21)], "draw.not_twenty"),
            ([(*DRAW[:19], 81)], "draw.off_the_board"),
            ([(0, *DRAW[:19])], "draw.off_the_board"),
            ([(*DRAW[:19], 1)], "draw.number_twice"),
            ([DRAW, (*DRAW[:18], 1, 81)], "draw.off_the_board"),
            ([(*DRAW[:18], 1, 81), DRAW[1:]], "draw.not_twenty"),
        ],
    )
    def test_a_draw_that_is_not_twenty_of_eighty_is_refused(
        self, draws: list[tuple[int, ...]], code: str
    ) -> None:
        with pytest.raises(Refused) as refused:
            grade(self.TICKET, draws, CARD)
        assert [refusal.code for refusal in refused.value.refusals] == [code]

    def test_a_quick_pick_without_numbers_cannot_be_graded(self) -> None:
        ticket = quote(Request((), "1/4 @ 1", quick_pick=4), CARD)
        with pytest.raises(Refused) as refused:
            grade(ticket, [], CARD)
        assert [refusal.code for refusal in refused.value.refusals] == ["draw.not_picked"]
