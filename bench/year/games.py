"""Games of the year: locked, sealed, drawn by both processes, settled, and certified."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select

from app.audit.second_grader import Card, price_of, read_draw, read_ticket, win_of
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.certify import Second, verdict_body, verdict_row
from app.flow.day import gaming_day
from app.flow.draw import draw_said, outcome_body, outcome_row
from app.flow.lockout import lock_body, written
from app.flow.open_game import AUTOMATIC, Opening, game_body
from app.flow.settle import CardGrader, Settled, win_line
from app.keno.aggregate import game_limits, prorate
from app.keno.bulk import Grader, Plays
from app.keno.game import GameState
from app.keno.rate_card import RateCard
from app.keno.spots import mask_of
from app.rng_client import Ended, Locked
from app.store.queries import Reading, games
from app.store.queries.games import OpenGame, SoldFile
from app.store.queries.standing import PlayedGame
from app.store.records.outcomes import feed_row
from app.store.tables import Attempt, Game, LockStatement, Share, Verdict, Win
from bench.year.desk import schedule_places
from bench.year.house import YearHouse
from bench.year.live import Live, Won
from bench.year.log import YearLog
from bench.year.plan import FIRST_GAMES
from bench.year.rows import Rows
from rng.core.signing import document_hash

# Games whose draw is checked, and whose tickets are graded a second time: the books, which are
# worked out of all that comes of it, do both for every one of them.
CHECKED_EVERY = 20
REMEMBERED = 50  # games of a series, more than any ticket plays
_MOMENT = timedelta(milliseconds=1)
_LOCKED = ("state", "locked_at", "gaming_day", "tickets", "handle_cents", "lock_entry")


@dataclass
class Drawing:
    """A locked game that the generator was asked to draw; the entries to come have their ids."""

    series: str
    number: int
    request: dict[str, Any]
    playing: list[Live]
    entries: list[int]


class Games:
    """The games of both series, and the tickets that play them."""

    def __init__(
        self, house: YearHouse, log: YearLog, rows: Rows, card: RateCard, second: Card
    ) -> None:
        self._house, self._log, self._rows = house, log, rows
        self._card, self._second = card, second
        self._grader = CardGrader(card)
        self._bulk = Grader(card, list(schedule_places(card)))
        self._name = house.office.house.name
        self._stored: set[tuple[str, int]] = set()  # the games that are in the database
        self._changed: dict[tuple[str, int], dict[str, Any]] = {}
        self._attempt = 0
        self._previous: dict[str, str] = {}
        self.open: dict[str, OpenGame] = {}
        self.live: dict[str, dict[int, Live]] = {series: {} for series in FIRST_GAMES}
        # What was drawn lately; nothing, for a game that was void.
        self.drawn: dict[str, dict[int, list[int] | None]] = {series: {} for series in FIRST_GAMES}

    @property
    def attempt(self) -> int:
        """The last id of a grading."""
        return self._attempt

    def resume(self, connection: Reading) -> None:
        """Go on with the games that the flow has left open."""
        attempt = connection.execute(select(func.max(Attempt.id))).scalar_one()
        self._attempt = int(attempt or 0)
        for series in FIRST_GAMES:
            game = games.open_game(connection, series)
            if game is None:
                raise LookupError(f"no game of {series} is open")
            self.open[series] = game
            self._stored.add((series, game.number))
            self._previous[series] = self._house.keyed.standing(series).previous

    def playing(self, series: str) -> list[Live]:
        """Return the tickets that play the open game of a series, in the order of their numbers."""
        number = self.open[series].number
        return [live for live in self.live[series].values() if live.last_game >= number]

    # ---- lockout ---------------------------------------------------------------------------------

    def lock(self, series: str, at: datetime, next_closes_at: datetime | None) -> Drawing:
        """Lock the open game of a series, open the next, seal the log, and have it drawn."""
        self._house.clock.moment = at  # by which the inspector cosigns
        game, playing = self.open[series], self.playing(series)
        handle_cents = sum(live.row.price_per_game_cents for live in playing)
        hashes = sorted({live.row.card_hash for live in playing})
        sold = SoldFile(len(playing), handle_cents, hashes)
        house = self._house.office.house
        day = gaming_day(at, house.time_zone, house.day_starts_minutes).isoformat()
        body = lock_body(self._name, series, game, sold, at, day, AUTOMATIC)
        told = feed_row("locked", series, game.number, {"tickets": sold.tickets}, at)
        entry, made = self._log.add(Tag.LOCK, body, [*written(sold), told], at)
        state = GameState.LOCKED.value
        values = (state, at, day, sold.tickets, sold.handle_cents, entry)
        self._change(series, game.number, **dict(zip(_LOCKED, values, strict=True)))
        self._open_next(series, game, at, next_closes_at)
        sealed = self._log.seal(at)
        index, proof = self._log.inclusion(1)  # behind it stands only the game that was opened
        locked = Locked(
            jurisdiction=house.jurisdiction,
            house=self._name,
            log_origin=house.log_origin,
            series=series,
            game=game.number,
            note=sealed.cosigned,
            lock_index=index,
            lock_leaf=made.leaf,
            proof=proof,
            previous=self._previous[series],
            closes_at=time_text(game.closes_at or at),
            locked_at=time_text(at),
        )
        request = self._house.keyed.lock_request(locked, self._house.office.keys.office)
        kept = {"series": series, "game": game.number, "request": request}
        self._rows.add(LockStatement, kept)
        self._house.pair.post("rng", "draw", request)
        for code, other in self.open.items():
            newest = f"{series}-{game.number}"
            self.open[code] = replace(other, seal=sealed.note, sealed_game=newest)
        return Drawing(series, game.number, request, playing, self._log.reserve(3))

    def _open_next(
        self, series: str, game: OpenGame, at: datetime, closes_at: datetime | None
    ) -> None:
        number = game.number + 1
        opening = Opening(series, number, closes_at, AUTOMATIC)
        body = game_body(self._name, opening, game.card_hash, at)
        told = feed_row("opened", series, number, {"closes_at": body["closes_at"]}, at)
        self._log.add(Tag.GAME, body, [told], at)
        self.open[series] = replace(game, number=number, opened_at=at, closes_at=closes_at)
        values = {"state": GameState.OPEN.value, "card": game.card, "opened_at": at}
        self._change(series, number, **values, closes_at=closes_at)

    # ---- what became of it -----------------------------------------------------------------------

    def finish(self, drawing: Drawing, at: datetime) -> list[Live]:
        """Take the draw, settle and certify it; return the tickets whose last game it was."""
        series, number = drawing.series, drawing.number
        answer: Any = self._house.pair.collect()
        ended = self._ended(answer["drawn"], drawing)
        self._previous[series] = ended.record.hex()
        numbers = ended.numbers or []
        body = outcome_body(self._name, series, number, ended, draw_said(ended), at)
        told = feed_row("drawn", series, number, {"numbers": numbers}, at)
        drawn = [outcome_row(series, number, ended, at), told]
        draw, wins, verdict = drawing.entries
        self._log.add(Tag.DRAW, body, drawn, at, draw)
        shares = self._settle(drawing, numbers, wins, at + _MOMENT)
        self._certify(drawing, numbers, verdict, at + 2 * _MOMENT)
        if shares:
            for live in drawing.playing:
                live.by_flow = True
        return [live for live in drawing.playing if live.last_game == number]

    def _ended(self, document: dict[str, Any], drawing: Drawing) -> Ended:
        """Return what was drawn; now and then it is checked as the office always does."""
        if not drawing.number % CHECKED_EVERY:
            return self._house.keyed.checked_draw(document, drawing.request["statement"])
        record = document["record"]["body"]
        return Ended(document, bytes.fromhex(document_hash(record)), record["numbers"])

    def _settle(
        self, drawing: Drawing, numbers: list[int], entry: int, at: datetime
    ) -> dict[int, int]:
        """Settle a game; return what winners are paid if its limit is shared."""
        series, number, playing = drawing.series, drawing.number, drawing.playing
        won = sorted(self._wins(playing, mask_of(numbers)))
        win_cents = sum(cents for _, _, cents in won)
        limit_cents, in_full_cents = game_limits([self._card.limits] if playing else [])
        shares: dict[int, int] = {}
        if limit_cents is not None and win_cents > limit_cents:
            cut, uncut = [cents for _, _, cents in won], [uncut for _, uncut, _ in won]
            shares = dict(
                zip(
                    [ticket for ticket, _, _ in won],
                    prorate(cut, limit_cents, in_full_cents, uncut),
                    strict=True,
                )
            )
        self._attempt += 1
        begun = {"id": self._attempt, "series": series, "game": number, "begun_at": at}
        self._rows.add(Attempt, begun)
        digest, of_attempt = sha256(), {"attempt": self._attempt}
        lives = self.live[series]
        paid_cents_in_all = 0
        for ticket, uncut_cents, cents in won:
            paid_cents = shares.get(ticket, cents)
            digest.update(win_line(ticket, uncut_cents, cents, paid_cents))
            values = {"ticket": ticket, "uncut_cents": uncut_cents, "cents": cents}
            self._rows.add(Win, {**of_attempt, **values})
            lives[ticket].wins[number] = Won(cents, paid_cents)
            paid_cents_in_all += paid_cents
        for ticket, cents in shares.items():
            self._rows.add(Share, {**of_attempt, "ticket": ticket, "cents": cents})
        figures = {
            "tickets": len(playing),
            "handle_cents": sum(live.row.price_per_game_cents for live in playing),
            "winners": len(won),
            "win_cents": win_cents,
            "paid_cents": paid_cents_in_all,
            "limit_cents": limit_cents,
            "in_full_below_cents": in_full_cents,
        }
        settled = Settled(series, number, 1, self._attempt, figures, digest.digest())
        paid = figures["paid_cents"] or 0
        told = feed_row("settled", series, number, {"winners": len(won), "paid_cents": paid}, at)
        rows = [*settled.rows(paid, at), told]
        self._log.add(Tag.WINS, settled.body(self._name, at), rows, at, entry)
        self.remember(series, number, numbers)
        return shares

    def _wins(self, playing: list[Live], draw: int) -> Iterator[tuple[int, int, int]]:
        """Yield each ticket that won, how much, and that cut to the limit of its card."""
        straight = [live for live in playing if live.play is not None]
        others = [live.played for live in playing if live.play is None]
        plays = Plays.of(live.play for live in straight if live.play is not None)
        cents_won = self._bulk.wins_cents(plays, draw)
        for place in cents_won.nonzero()[0].tolist():
            live, cents = straight[place], int(cents_won[place])
            if cents == self._card.limits.aggregate_cents:  # it may have been cut
                others.append(live.played)
            else:
                yield live.row.number, cents, cents
        yield from self._grader.wins(others, draw)

    def remember(self, series: str, number: int, numbers: list[int] | None) -> None:
        """Remember what was drawn, for as long as tickets play on."""
        self.drawn[series][number] = numbers
        self.drawn[series].pop(number - REMEMBERED, None)

    def played_by(self, live: Live) -> list[PlayedGame]:
        """Return the games that a ticket has played, with what it won in each."""
        found, drawn = [], self.drawn[live.row.series]
        for number in range(live.row.first_game, live.last_game + 1):
            cents, paid_cents = live.wins.get(number, (0, 0))
            numbers = drawn[number]
            state = GameState.VOID if numbers is None else GameState.CERTIFIED
            found.append(PlayedGame(number, state, numbers, paid_cents, 0, cents))
        return found

    def _certify(self, drawing: Drawing, numbers: list[int], entry: int, at: datetime) -> None:
        """Certify a game; the tickets of some are graded a second time, from what the log says."""
        series, number, playing = drawing.series, drawing.number, drawing.playing
        second = Second()
        second.tickets = len(playing)
        second.handle_cents = sum(live.row.price_per_game_cents for live in playing)
        second.winners = sum(number in live.wins for live in playing)
        if not number % CHECKED_EVERY:
            self._grade_again(number, playing, read_draw(numbers))
        body = verdict_body(self._name, series, number, 1, second, [], at)
        told = feed_row("certified", series, number, {}, at)
        row = verdict_row(self._attempt, Verdict.CERTIFIED, second, [], at)
        self._log.add(Tag.CERTIFIED, body, [row, told], at, entry)
        self._change(series, number, state=GameState.CERTIFIED.value)
        for live in playing:
            if live.last_game <= number:
                del self.live[series][live.row.number]

    def _grade_again(self, number: int, playing: list[Live], drawn: frozenset[int]) -> None:
        for live in playing:
            ticket = read_ticket(json.loads(live.body))
            cents, price_cents = live.wins.get(number, (0, 0))[0], live.row.price_per_game_cents
            if win_of(ticket, self._second, drawn).cents != cents:
                raise RuntimeError(f"the graders differ about ticket {live.row.number}")
            if price_of(ticket, self._second) != price_cents:
                raise RuntimeError(f"the graders differ about the price of {live.row.number}")

    # ---- rows ------------------------------------------------------------------------------------

    def _change(self, series: str, number: int, **values: object) -> None:
        self._changed.setdefault((series, number), {}).update(values)

    def add_rows(self) -> None:
        """Have the games written as they are now."""
        for (series, number), values in self._changed.items():
            if (series, number) not in self._stored:
                nothing = dict.fromkeys(_LOCKED)
                self._rows.add(Game, {"series": series, "number": number, **nothing, **values})
                self._stored.add((series, number))
                continue
            named = ", ".join(f"{name} = ?" for name in values)
            changed = f"UPDATE game SET {named} WHERE series = ? AND number = ?"  # noqa: S608
            self._rows.change(changed, (*values.values(), series, number))
        self._changed.clear()
