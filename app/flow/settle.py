"""Settlement: what every live ticket of a drawn game won (15.5(d), 15.3(e)).

Graded outside of any write lock, a batch at a time: straight plays a column at a time (`bulk`), all
others by counting ways. Only wins are stored.

Write order:

1. An attempt is begun. *Crash: the next one begins another; wins of an attempt that no settlement
   names count for nothing.*
2. Wins are added in batches, each in a short transaction of its own, so that sales go on.
3. Where the wins come to more than the game's aggregate limit, the shares are worked out and added:
   the sheet that exists before the first payment (X-aggregate-sheet).
4. One short transaction: the settlement names the attempt, with count, handle, sums and the digest
   of all wins; the money is owed; the WINS entry; the game is settled. *Crash before: begun anew.
   Two who settle at once: one of them moves the game, the other finds it moved.*
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.office import Office
from app.flow.plays import ticket_of
from app.keno.aggregate import game_limits, prorate
from app.keno.bulk import Grader, Plays
from app.keno.game import GameState
from app.keno.grading import grade_game
from app.keno.money import rounded_cents
from app.keno.rate_card import RateCard
from app.keno.spots import mask_of
from app.keno.ticket import TicketType
from app.store.queries import games, outcomes
from app.store.queries import settling as queries
from app.store.queries.games import GameRow
from app.store.queries.settling import PlayedRow
from app.store.records import outcomes as game_records
from app.store.records import settling as records
from app.store.records.money import Leg, posting_rows
from app.store.records.together import Row
from app.store.tables import Account, Settlement
from app.store.unit import Unit

if TYPE_CHECKING:
    from hashlib import _Hash

Won = tuple[int, int, int]
"""A ticket, what it won rounded, and that cut to its card's limit."""

Progress = Callable[[int], None]
"""Is told how many tickets are graded so far."""


@dataclass
class Totals:
    """What a grading comes to, added up on the way."""

    tickets: int = 0
    handle_cents: int = 0
    winners: int = 0
    win_cents: int = 0
    cards: set[int] = field(default_factory=set)
    digest: "_Hash" = field(default_factory=sha256)


def settle_game(
    office: Office, series: str, number: int, progress: Progress = lambda _: None
) -> None:
    """Grade every live ticket of a drawn game, and settle it."""
    with office.database.reading() as connection:
        game = games.game(connection, series, number)
        drawn = outcomes.outcome(connection, series, number)
    if game is None or game.state is not GameState.DRAWN or drawn is None or drawn.numbers is None:
        return
    with office.unit() as unit:
        attempt = records.begin_attempt(unit, series, number)
        unit.commit()
    totals = Totals()
    with closing(_graded(office, series, number, mask_of(drawn.numbers), totals)) as graded:
        for batch, won in graded:
            with office.unit() as unit:
                records.add_wins(unit, attempt, won)
                unit.commit()
            totals.tickets += len(batch)
            totals.handle_cents += sum(row.price_per_game_cents for row in batch)
            totals.winners += len(won)
            totals.win_cents += sum(cents for _, _, cents in won)
            for ticket, uncut, cents in won:
                totals.digest.update(win_line(ticket, uncut, cents, cents))
            progress(totals.tickets)
    _settle(office, game, attempt, totals)


def win_line(ticket: int, uncut_cents: int, cents: int, paid_cents: int) -> bytes:
    """Return a win as it goes into the digest of all wins of a game."""
    return f"{ticket} {uncut_cents} {cents} {paid_cents}\n".encode()


@dataclass(frozen=True)
class Graded:
    """What a grading comes to as a whole: every win, and what each winner gets of a limit."""

    wins: list[Won]
    shares: list[tuple[int, int]]
    digest: str


def grade_within(
    office: Office, unit: Unit, series: str, number: int, numbers: Sequence[int]
) -> Graded:
    """Grade a game within a unit of work, as it was graded before; nothing is written."""
    totals, wins = Totals(), list[Won]()
    with closing(_graded_in(office, unit, series, number, mask_of(numbers), totals)) as graded:
        for _, won in graded:
            wins += won
    cards = [office.card(unit, card) for card in sorted(totals.cards)]
    limit_cents, in_full_cents = game_limits(card.limits for card in cards)
    paid, digest = [cents for _, _, cents in wins], sha256()
    bites = limit_cents is not None and sum(paid) > limit_cents
    if limit_cents is not None and bites:
        paid = list(prorate(paid, limit_cents, in_full_cents, [uncut for _, uncut, _ in wins]))
    for (ticket, uncut, cents), share in zip(wins, paid, strict=True):
        digest.update(win_line(ticket, uncut, cents, share))
    shares = [(won[0], share) for won, share in zip(wins, paid, strict=True)] if bites else []
    return Graded(wins, shares, digest.hexdigest())


# ---- grading -------------------------------------------------------------------------------------


def _graded(
    office: Office, series: str, number: int, draw: int, totals: Totals
) -> Generator[tuple[list[PlayedRow], list[Won]], None, None]:
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        yield from _graded_in(office, unit, series, number, draw, totals)


def _graded_in(  # noqa: PLR0913, PLR0917  what is graded against what, and where it is read
    office: Office, unit: Unit, series: str, number: int, draw: int, totals: Totals
) -> Generator[tuple[list[PlayedRow], list[Won]], None, None]:
    graders: dict[int, CardGrader] = {}
    with closing(queries.played(unit.connection, series, number)) as batches:
        for batch in batches:
            for card in {row.card for row in batch} - graders.keys():
                graders[card] = CardGrader(office.card(unit, card))
            won: list[Won] = []
            for card, grader in graders.items():
                won += grader.wins([row for row in batch if row.card == card], draw)
            totals.cards = set(graders)
            yield batch, sorted(won)


class CardGrader:
    """Grades tickets of one card."""

    def __init__(self, card: RateCard) -> None:
        self._card = card
        self._schedules = {name: place for place, name in enumerate(sorted(card.schedules))}
        self._bulk = Grader(card, sorted(card.schedules))

    def wins(self, rows: Sequence[PlayedRow], draw: int) -> Iterator[Won]:
        """Yield what tickets of this card won; those that won nothing are left out."""
        straight = [row for row in rows if row.type == TicketType.STRAIGHT]
        plays = Plays.of(self._play(row) for row in straight)
        won = self._bulk.wins_cents(plays, draw)
        limit = self._card.limits.aggregate_cents
        for place in won.nonzero()[0]:
            row, cents = straight[place], int(won[place])
            # Where it may have been cut, how much it was before is worked out for it alone.
            uncut = self._uncut(row, draw)[0] if cents == limit else cents
            yield row.number, uncut, cents
        for row in rows:
            if row.type != TicketType.STRAIGHT:
                uncut, cents = self._uncut(row, draw)
                if cents:
                    yield row.number, uncut, cents

    def _play(self, row: PlayedRow) -> tuple[int, int, int]:
        (line,), (group,) = row.play["lines"], row.play["groups"]
        return mask_of(group), line["rate_cents"], self._schedules[line["schedule"]]

    def _uncut(self, row: PlayedRow, draw: int) -> tuple[int, int]:
        graded = grade_game(ticket_of(row.type, row.play, row.games), draw, self._card)
        return rounded_cents(graded.win, self._card.limits.rounding), graded.win_cents


# ---- the settlement ------------------------------------------------------------------------------


def _settle(office: Office, game: GameRow, attempt: int, totals: Totals) -> None:
    with office.database.reading() as connection:
        unit = Unit(office.database, connection)
        cards = [office.card(unit, card) for card in sorted(totals.cards)]
        before = queries.settlement(connection, game.series, game.number)
    limit_cents, in_full_cents = game_limits(card.limits for card in cards)
    paid_cents, digest = totals.win_cents, totals.digest
    if limit_cents is not None and totals.win_cents > limit_cents:
        paid_cents, digest = _share(office, attempt, limit_cents, in_full_cents)
    figures = {
        "tickets": totals.tickets,
        "handle_cents": totals.handle_cents,
        "winners": totals.winners,
        "win_cents": totals.win_cents,
        "paid_cents": paid_cents,
        "limit_cents": limit_cents,
        "in_full_below_cents": in_full_cents,
    }
    run = 1 if before is None else before.run + 1
    owed_cents = paid_cents - (0 if before is None else before.paid_cents)
    try:
        with office.unit() as unit:
            unit.share_series(game.series)  # a day that is being closed tells of what was owed
            now = unit.now()
            settled = Settled(game.series, game.number, run, attempt, figures, digest.digest())
            facts = {"winners": totals.winners, "paid_cents": paid_cents}
            states = GameState.DRAWN, GameState.SETTLED
            game_records.move_game(unit, game.series, game.number, *states)
            told = game_records.event_row(unit, "settled", game.series, game.number, facts, now)
            body, rows = settled.body(office.house.name, now), settled.rows(owed_cents, now)
            office.log_with(unit, Tag.WINS, body, [*rows, told])
            unit.commit()
    except game_records.GameMoved:
        return


@dataclass(frozen=True)
class Settled:
    """What a game is settled for; what that leaves behind follows from it alone."""

    series: str
    game: int
    run: int
    attempt: int
    figures: Mapping[str, int | None]
    digest: bytes

    def body(self, house_name: str, now: datetime) -> dict[str, object]:
        """Return what the WINS entry says."""
        return {
            "house": house_name,
            "series": self.series,
            "game": self.game,
            "run": self.run,
            **self.figures,
            "digest": self.digest.hex(),
            "time": time_text(now),
        }

    def rows(self, owed_cents: int, now: datetime) -> list[Row]:
        """Return the settlement, and the money that is owed more than before."""
        settlement: Row = (
            Settlement,
            {
                "attempt": self.attempt,
                "series": self.series,
                "game": self.game,
                "run": self.run,
                **self.figures,
                "wins_digest": self.digest,
                "settled_at": now,
            },
        )
        owed = [Leg(Account.WINS, owed_cents), Leg(Account.WINS_PAYABLE, -owed_cents)]
        return [settlement, *posting_rows(owed)]


def _share(
    office: Office, attempt: int, limit_cents: int, in_full_cents: int
) -> "tuple[int, _Hash]":
    """Share the limit among the winners, keep the sheet; return what is paid, and the digest."""
    with office.database.reading() as connection:
        won = list(queries.wins_of(connection, attempt))
    wins, uncut = [each.cents for each in won], [each.uncut_cents for each in won]
    paid = prorate(wins, limit_cents, in_full_cents, uncut)
    digest = sha256()
    for each, cents in zip(won, paid, strict=True):
        digest.update(win_line(each.ticket, each.uncut_cents, each.cents, cents))
    shares = [(each.ticket, cents) for each, cents in zip(won, paid, strict=True)]
    for start in range(0, len(shares), queries.BATCH):
        with office.unit() as unit:
            records.add_shares(unit, attempt, shares[start : start + queries.BATCH])
            unit.commit()
    return sum(paid), digest
