"""A stretch of a shift: sold, played and paid without a database, and then written at once.

The order of the log is that of time. While the generator draws a game, the tickets of the next one
are made; the entries of the draw have their ids kept for them.
"""

import json
from collections import Counter as Sums
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush
from random import Random
from zoneinfo import ZoneInfo

from app.audit.second_grader import read_card as read_second_card
from app.keno.amounts import Amount, amounts_on
from app.keno.card_file import read_card
from app.store.queries import Reading, drawers, log, payments, tickets
from app.store.queries.books import standing
from app.store.queries.people import Worker
from app.store.tables import BookHead, LiveTicket
from bench.year.desk import Desk, kind_of
from bench.year.games import Drawing, Games
from bench.year.house import YearHouse
from bench.year.live import Live
from bench.year.log import YearLog
from bench.year.plan import FAST, MAIN, STATIONS, ZONE, Close, YearPlan, rate_card
from bench.year.rows import Rows
from bench.year.wishes import Wishes
from bench.year.writing import Writing

ROWS_AT_ONCE = 100_000
ON_MAIN = 2 / 3  # of all tickets
VOIDED, NEVER_BROUGHT = 0.015, 0.04
GAMES_LATER = 5  # is a win brought, on average
_AFTER_LOCK = timedelta(seconds=2)  # at most, until it is drawn


class Stretches:
    """Everything of the year that is kept from one stretch to the next."""

    def __init__(self, house: YearHouse, plan: YearPlan, writing: Writing) -> None:
        self._house, self._plan = house, plan
        self.card = read_card(rate_card())
        self._rows = Rows(writing)
        self._log = YearLog(house, self._rows)
        with house.office.database.reading() as connection:
            said = log.newest_body(connection, "CARD")
        self._card_said = json.loads(said or "{}")
        second = read_second_card(self._card_said)
        self.games = Games(house, self._log, self._rows, self.card, second)
        office = house.office
        self.desk = Desk(self._log, self._rows, office.house.name, office.keys.newest, self.card)
        self.wishes = Wishes(self.card, plan.seed)
        self._closed = 0  # games, so far
        self._due: list[tuple[int, int]] = []  # after how many games a win is brought, and which
        self._won: dict[int, Live] = {}
        self._sealed_number = 0  # the last ticket whose entry is sealed
        self._later = Random(plan.seed)  # noqa: S311  apart: what is sold must not depend on wins
        self.for_flow: list[Live] = []  # wins that the flow itself pays
        self.to_refund: list[Live] = []  # tickets of games that were void

    # ---- between stretches -----------------------------------------------------------------------

    def resume(self, workers: Sequence[Worker]) -> None:
        """Take in what the flow has done since the last stretch; the log is sealed."""
        with self._house.office.database.reading() as connection:
            self._log.resume(connection)
            self.games.resume(connection)
            last = standing.last_ticket_number(connection)
            for number in range(self.desk.number + 1, last + 1):
                self._take_in(connection, number)
            self.desk.number = self._sealed_number = last
            self.desk.contents = {
                who.drawer: Sums({kind_of(kind): 0 for kind in ("currency", "chips", "tokens")})
                for who in workers
            }
            for who in workers:
                inside = drawers.contents(connection, who.drawer or 0)
                for kind, cents in inside.items():
                    self.desk.contents[who.drawer][kind_of(kind.value)] += cents
        self._workers = {
            series: [who for who in workers if series in STATIONS[who.station_code]]
            for series in self.games.open
        }

    def _take_in(self, connection: Reading, number: int) -> None:
        """Take in a ticket that the flow has sold."""
        row = tickets.ticket(connection, number)
        if row is None or row.voided_at is not None:
            return
        tender = tuple(tickets.tender_of(connection, number))
        body = payments.ticket_body(connection, number)
        live = self.desk.take_in(row, tender, body)
        if live.last_game >= self.games.open[row.series].number:
            self.games.live[row.series][number] = live

    def hand_over(self) -> None:
        """Write everything, so that the flow itself can go on."""
        self._log.hand_over()
        rows, is_sqlite = self._rows, self._house.office.database.is_sqlite
        rows.change("UPDATE counter SET value = ? WHERE name = 'ticket'", (self.desk.number,))
        rows.change("DELETE FROM live_ticket")
        rows.change("DELETE FROM book_head")
        book = {"id": 1, "size": self._log.size, "frontier": self._log.frontier}
        locks = {series: game.number - 1 for series, game in self.games.open.items()}
        cards = {self._card_said["card"]: self._card_said}
        rows.add(BookHead, {**book, "locks": locks, "faults": {}, "cards": cards})
        for booked in self._booked():
            rows.add(LiveTicket, booked)
        if not is_sqlite:
            for table, last in (("act", self._log.last), ("attempt", self.games.attempt)):
                sequence = f"pg_get_serial_sequence('{table}', 'id')"
                rows.change(f"SELECT setval({sequence}, {max(last, 1)}, {last > 0})")
        self._write()
        rows.wait()

    def _booked(self) -> Iterator[dict[str, object]]:
        """Yield the second grader's book: the tickets in the sealed log that still play."""
        for series, lives in self.games.live.items():
            for number, live in lives.items():
                if number <= self._sealed_number:
                    row = {"number": number, "series": series, "body": live.body}
                    games = {"first_game": live.row.first_game, "last_game": live.last_game}
                    yield {**row, **games}

    def _write(self) -> None:
        self.games.add_rows()
        self._rows.write()

    # ---- a stretch -------------------------------------------------------------------------------

    def work(self, closes: Sequence[Close], following: Sequence[datetime], *, leave: bool) -> None:
        """Sell for games and play them one after the other, until each close; and write it all.

        Args:
            closes: of the games that are played.
            following: when the next game of the same series closes, for each of them.
            leave: whether the last of them is sold for, but left to the flow to be locked.
        """
        begin, drawing = self._house.clock.moment, None
        for place, close in enumerate(closes):
            # The flow may have had it close at another time.
            closes_at = self.games.open[close.series].closes_at or close.at
            self._sell_until(closes_at, begin, drawing)
            begin, drawing = closes_at, None
            if leave and close is closes[-1]:
                break
            drawing = self.games.lock(close.series, closes_at, following[place])
            self._sealed_number = self.desk.number
            if self._rows.count > ROWS_AT_ONCE:
                self._write()
        if drawing is not None:
            begin += _AFTER_LOCK
            self._finish(drawing, begin)
        self._house.clock.moment = begin + _AFTER_LOCK
        self.hand_over()

    def _sell_until(self, closes_at: datetime, begin: datetime, drawing: Drawing | None) -> None:
        """Do all that is done over the counters until a game closes, and end the one before it."""
        self._closed += 1
        target = self._closed * self._plan.tickets // self._plan.games
        acts: list[Live | None] = [None] * max(0, target - self.desk.number)  # none: a sale
        while self._due and self._due[0][0] <= self._closed:
            acts.append(self._won.pop(heappop(self._due)[1]))
        self._later.shuffle(acts)
        drawn_at = begin + min(_AFTER_LOCK, (closes_at - begin) / 10)
        step = (closes_at - drawn_at) / (len(acts) + 1)
        for place, won in enumerate(acts, 1):
            at = _to_millisecond(drawn_at + step * place)
            if won is None:
                self._sell(at)
            else:
                self._pay(won, at)
        if drawing is not None:
            self._finish(drawing, drawn_at)

    def _sell(self, at: datetime) -> None:
        chance = self.wishes.chance
        series = MAIN if chance.random() < ON_MAIN else FAST
        who = chance.choice(self._workers[series])
        wish = self.wishes.next(self.desk.before)
        live = self.desk.sell(who, self.games.open[series], series, wish, at)
        if chance.random() < VOIDED and self.desk.void(who, live, at):
            return
        self.games.live[series][live.row.number] = live

    def _pay(self, won: Live, at: datetime) -> None:
        """Pay a win, unless it is too late; if the drawer has too little, it is brought again."""
        if won.row.prints_expiry is not None and at > won.row.prints_expiry:
            return
        who = self._later.choice(self._workers[FAST])
        if not self.desk.pay(who, won, at.astimezone(ZoneInfo(ZONE)).date(), at):
            self._comes_for(won)

    def _finish(self, drawing: Drawing, at: datetime) -> None:
        """End a game; whoever won comes for it some games later, or never."""
        at = _to_millisecond(at)
        amounts = amounts_on(at.astimezone(ZoneInfo(ZONE)).date())
        for live in self.games.finish(drawing, at):
            self._ended(live, amounts)

    def _ended(self, live: Live, amounts: Mapping[Amount, int]) -> None:
        """Decide who sees to a ticket that has played its last game."""
        row, drawn = live.row, self.games.drawn[live.row.series]
        if not live.wins:
            played = range(row.first_game, live.last_game + 1)
            if any(drawn[number] is None for number in played):
                self.to_refund.append(live)
            return
        live.games = self.games.played_by(live)
        if live.by_flow or _needs_more(live, amounts):
            self.for_flow.append(live)
        elif self._later.random() >= NEVER_BROUGHT:
            self._comes_for(live)

    # ---- what the flow does to tickets -----------------------------------------------------------

    def void(self, series: str) -> None:
        """Note that the game that was open was locked and voided."""
        number, amounts = self.games.open[series].number, amounts_on(self._plan.first_day)
        playing = self.games.playing(series)
        self.games.remember(series, number, None)
        for live in playing:
            live.by_flow = True
            if live.last_game == number:
                del self.games.live[series][live.row.number]
                self._ended(live, amounts)
        with self._house.office.database.reading() as connection:
            self.games.resume(connection)

    def cancelled(self, live: Live, cancelled_from: int) -> None:
        """Note that the rest of a ticket was cancelled, as far as it was not played."""
        live.by_flow, live.last_game = True, cancelled_from - 1
        del self.games.live[live.row.series][live.row.number]
        if live.wins:
            self.for_flow.append(live)

    # ---- patrons ---------------------------------------------------------------------------------

    def _comes_for(self, live: Live) -> None:
        later = 1 + int(self._later.expovariate(1 / GAMES_LATER))
        self._won[live.row.number] = live
        heappush(self._due, (self._closed + later, live.row.number))


def _needs_more(live: Live, amounts: Mapping[Amount, int]) -> bool:
    """Whether a win needs more than a drawer to be paid: few do."""
    if live.win_cents < min(amounts[Amount.APPROVAL], amounts[Amount.TAX_PAPER]):
        return False
    claim = live.claim(amounts)
    return claim.needs_supervisor or bool(claim.due_papers)


def _to_millisecond(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
