"""A ticket against a draw: what its ways caught and what they won.

A line's win is the sum over its ways, exactly. The wins of one ticket in one game are added up
and rounded once, by the card's rule, and then cut to the card's maximum for a single wager, which
is the aggregate limit (15.3(e)).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.keno.conditioning import Line
from app.keno.money import rounded_cents
from app.keno.rate_card import RateCard
from app.keno.refusals import Code, Refusal, listed, refusal, refuse_first
from app.keno.spots import DRAWN, mask_of, on_the_ticket
from app.keno.ticket import Ticket
from app.keno.ways import count_catches


@dataclass(frozen=True)
class LineGrade:
    """How many ways of a line caught how many numbers, and what they won together."""

    line: Line
    catches: Mapping[int, int]
    win: Fraction


@dataclass(frozen=True)
class GameGrade:
    """What a ticket won in one game: exactly, and rounded and cut, before any sharing."""

    lines: tuple[LineGrade, ...]
    win: Fraction
    win_cents: int
    capped: bool


def grade(ticket: Ticket, draws: Sequence[Sequence[int]], card: RateCard) -> tuple[GameGrade, ...]:
    """Grade a ticket against the draws of its first game and of those that followed.

    Refuses, the first by precedence: a quick-pick without numbers, too few or too many draws, a
    draw that is not 20 of the 80 numbers.
    """
    refuse_first(check_draws(ticket, draws))
    return tuple(grade_game(ticket, mask_of(draw), card) for draw in draws)


def grade_game(ticket: Ticket, draw: int, card: RateCard) -> GameGrade:
    """Grade a ticket against one draw."""
    lines = tuple(_grade_lines(ticket, draw, card))
    win = sum((line.win for line in lines), Fraction(0))
    uncut_cents = rounded_cents(win, card.limits.rounding)
    win_cents = card.limits.cut_cents(uncut_cents)
    return GameGrade(lines, win, win_cents, capped=win_cents < uncut_cents)


def check_draws(ticket: Ticket, draws: Sequence[Sequence[int]]) -> Iterator[Refusal]:
    """A ticket with numbers is graded against one to `games` draws, each 20 of 80."""
    if not ticket.groups:
        yield refusal(Code.NOT_PICKED, "quick_pick")
    if not draws:
        yield refusal(Code.NO_DRAW, "draws")
    if len(draws) > ticket.games:
        yield refusal(Code.TOO_MANY_DRAWS, "draws", draws=len(draws), games=ticket.games)
        return
    for place, draw in enumerate(draws):
        where, name = f"draws[{place}]", place + 1
        off = [number for number in draw if not on_the_ticket(number)]
        twice = [number for number, times in Counter(draw).items() if times > 1]
        if len(draw) != DRAWN:
            yield refusal(Code.NOT_TWENTY, where, draw=name, count=len(draw))
        if off:
            yield refusal(Code.DRAW_OFF_BOARD, where, draw=name, numbers=listed(off))
        if twice:
            yield refusal(Code.DRAW_TWICE, where, draw=name, numbers=listed(twice))


def _grade_lines(ticket: Ticket, draw: int, card: RateCard) -> Iterator[LineGrade]:
    spots_taken = tuple(line.spots for line in ticket.lines if not line.sets)
    catches_of = count_catches(ticket.groups, draw, spots_taken) if spots_taken else {}
    for line in ticket.lines:
        catches = _listed_catches(line, ticket, draw) if line.sets else catches_of[line.spots]
        win = card.schedules[line.schedule].win(line.spots, catches, line.rate_cents)
        yield LineGrade(line, catches, win)


def _listed_catches(line: Line, ticket: Ticket, draw: int) -> Mapping[int, int]:
    """Grade listed sets one by one; the groups are disjoint, so their catches add up."""
    caught = [(group & draw).bit_count() for group in ticket.groups]
    catches = Counter(sum(caught[group] for group in groups) for groups in line.sets)
    return dict(sorted(catches.items()))
