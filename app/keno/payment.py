"""What a winning ticket is paid, why, and what must be done before it is (15.6(a)).

The amount comes from the system, never from the writer's keys (X-pay-system): the sum over the
games of what each was certified to pay, after any sharing of the aggregate limit. It is explained
game by game, line by line, as a writer would explain it to a patron.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from app.keno.grading import GameGrade, LineGrade
from app.keno.money import Rounding, dollars, rounded_cents
from app.keno.rate_card import RateCard

ROUNDED = {
    Rounding.UP: "rounded up to whole cents",
    Rounding.DOWN: "rounded down to whole cents",
    Rounding.HALF_UP: "rounded to whole cents",
}


READ_LEAST = 8  # digits of a code that must be readable, at their places
# Whoever has the ticket can come with it first.
UNREAD_AFTER = timedelta(hours=1)  # from the start of the last game
LOST_AFTER = timedelta(days=7)  # from the claim of a lost ticket
LOST_LONGER = timedelta(days=30)  # behind the claim period a lost ticket is paid


class Shown(StrEnum):
    """What was shown for a payment (X-pay-without-code)."""

    CODE = "code"  # all of it
    DIGITS = "digits"  # enough of it, on paper that is kept
    IDENTITY = "identity"  # fewer digits than that: who the patron is
    CLAIM = "claim"  # no paper: a claim of a lost ticket


def shown_takes_manager(shown: Shown, cents: int, approval_cents: int) -> bool:
    """Whether a manager outside keno approves because of what was shown (X-pay-without-code).

    Args:
        shown: what was shown.
        cents: what an approval is about.
        approval_cents: the amount from which a supervisor approves any payment.
    """
    return shown is Shown.IDENTITY or (shown is Shown.DIGITS and cents >= approval_cents)


@dataclass(frozen=True)
class GameWin:
    """What a ticket is paid for one game, and what of its price was paid in money."""

    ticket: int
    series: str
    game: int
    win_cents: int
    wager_cents: int  # a coupon's part counts as nothing


@dataclass(frozen=True)
class DuePaper:
    """What a paper must say of one game: the wins of a patron that stand on no paper yet."""

    series: str
    game: int
    wins: tuple[GameWin, ...]

    @property
    def win_cents(self) -> int:
        """What was won."""
        return sum(win.win_cents for win in self.wins)

    @property
    def wager_cents(self) -> int:
        """What it was won with."""
        return sum(win.wager_cents for win in self.wins)

    @property
    def net_cents(self) -> int:
        """What is left of the wins when the wagers are taken off (X-pay-tax)."""
        return max(self.win_cents - self.wager_cents, 0)


def due_papers(
    wins: Sequence[GameWin], tax_cents: int, reported: Collection[tuple[int, int]]
) -> list[DuePaper]:
    """Return what must be reported and is not: game by game, all wins together, net of the wagers.

    Args:
        wins: of one ticket, or of all winning tickets of one patron.
        tax_cents: the amount at which a win is reported, on the day of the payment.
        reported: which ticket's win in which game stands on a paper already.
    """
    games: dict[tuple[str, int], list[GameWin]] = {}
    for win in wins:
        games.setdefault((win.series, win.game), []).append(win)
    papers = []
    for which, together in games.items():
        rest = tuple(win for win in together if (win.ticket, win.game) not in reported)
        if rest and DuePaper(*which, tuple(together)).net_cents >= tax_cents:
            papers.append(DuePaper(*which, rest))
    return papers


def expires_at(
    since: datetime, claim_minutes: int, frozen: timedelta, printed: datetime | None
) -> datetime:
    """Return until when a winning ticket is paid (15.6(c)).

    Args:
        since: when the last game that it plays was locked, which is that game's start; or when
            its rest was cancelled, if that came later.
        claim_minutes: what its card says.
        frozen: how long games of it were being looked into, which is not counted.
        printed: what the ticket says; whichever is later holds.
    """
    due = since + timedelta(minutes=claim_minutes) + frozen
    return due if printed is None else max(due, printed)


def held_up(
    frozen: Sequence[tuple[datetime, datetime | None]], since: datetime, now: datetime
) -> timedelta:
    """Return how long, since a moment, a ticket could not be paid because a game was frozen.

    Args:
        frozen: from when until when games of it were frozen; they may overlap, or still be.
        since: from when on it counts, which is the lock of the last game.
        now: until when.
    """
    held, until = timedelta(0), since
    for start, end in sorted(frozen, key=lambda each: each[0]):
        begins, ends = max(start, until), end or now
        if ends > begins:
            held += ends - begins
            until = ends
    return held


def explained(grade: GameGrade, card: RateCard, paid_cents: int) -> Iterator[str]:
    """Say, a sentence at a time, how a game's win comes about.

    Args:
        grade: what the ticket caught in the game.
        card: the card that it was sold on.
        paid_cents: what it is paid for the game, after any sharing.
    """
    for line in grade.lines:
        yield from _line_explained(line, card)
    rounded = rounded_cents(grade.win, card.limits.rounding)
    if grade.win.denominator != 1:
        yield f"Together {dollars(rounded)}, {ROUNDED[card.limits.rounding]}."
    if grade.capped:
        yield f"A ticket is paid at most {dollars(grade.win_cents)} in a game."
    if paid_cents != grade.win_cents:
        yield (
            "All wins of the game together passed its aggregate limit, which was shared: "
            f"{dollars(paid_cents)} is this ticket's part."
        )


def _line_explained(line: LineGrade, card: RateCard) -> Iterator[str]:
    """Say which ways of a line won, and what each is paid."""
    schedule = card.schedules[line.line.schedule]
    spots = "1 spot" if line.line.spots == 1 else f"{line.line.spots} spots"
    for caught, ways in sorted(line.catches.items(), reverse=True):
        win = schedule.win(line.line.spots, {caught: 1}, line.line.rate_cents)
        if not win or not ways:
            continue
        which = "the way" if line.line.ways == 1 else f"{ways} of {line.line.ways} ways"
        each = "" if ways == 1 else " each"
        # An exact amount that is no whole number of cents is shown as the next one below.
        cents = rounded_cents(win, Rounding.DOWN)
        about = "" if win.denominator == 1 else "a little over "
        yield (
            f"{spots}, {caught} caught: {which} of {dollars(line.line.rate_cents)}"
            f" won {about}{dollars(cents)}{each}."
        )
