"""Whole days by themselves: three hundred games of two series, with everything that can happen.

Tickets of every kind, voids, multi-race, cancelled rests, a game that is voided, one whose wins
pass the aggregate limit, a generator that is away for a while. What was sold, given back and won is
added up here, won by listing every way, and must be what the house comes to in the end.
"""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from app.caller import Caller
from app.flow.draw import ask_to_void
from app.flow.override import override_close
from app.flow.refund import Refunding, refund_ticket
from app.flow.schedule import change_schedule
from app.flow.sell import Sale
from app.keno.card_file import read_card
from app.keno.conditioning import Line
from app.keno.conditioning_text import read_set
from app.keno.refusals import Refused
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from tests.floor import CARD, Floor
from tests.keno import brute_force
from tests.looking import rows
from tests.proof.selling_days import balance, request

pytestmark = pytest.mark.proof

GAMES = 300
BILLS = (Tender(TenderKind.CURRENCY, 1_000_000),)
RATE_CARD = read_card(CARD.read_bytes())
LIMIT = RATE_CARD.limits.aggregate_cents or 0
RICH = Request(tuple((number,) for number in range(1, 81)), "80/1 @ 100.00")


@dataclass
class Sold:
    """A ticket, as the day remembers it."""

    series: str
    first_game: int
    last_game: int
    price_per_game_cents: int
    play: dict[str, Any]


class Day:
    """A floor that runs by itself, with its own sums."""

    def __init__(self, floor: Floor, seed: int) -> None:
        self.floor = floor
        self.chance = Random(seed)  # noqa: S311  a day that can be had again
        self.wanda = floor.writing()
        self.sold: dict[int, Sold] = {}
        self.sums: Counter[str] = Counter()
        assert floor.office.keyed is not None
        self.caller = Caller(floor.office, floor.office.keyed, "first", self._counted)
        for series, seconds, first in (("M", 60, 1), ("F", 90, 100)):
            change_schedule(floor.office, floor.sam, series, seconds)
            begin = floor.moment[0] + timedelta(seconds=seconds)
            override_close(floor.office, floor.sam, series, first, begin, "the day begins")

    def _counted(self) -> float:
        return (self.floor.moment[0] - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds()

    def turn(self, act: int) -> None:
        """Let ten seconds pass with whatever they bring."""
        for _ in range(self.chance.choice([0, 1, 1, 2])):
            self.sell(request(self.chance))
        if self.sold and self.chance.random() < 0.2:
            self.give_back(self.chance.choice(sorted(self.sold)[-30:]))
        if act == 200:
            for _ in range(25):  # some of them may be given back
                self.sell(RICH, "M")
        wire = self.floor.keyed.started.to_rng
        if act == 400:
            wire.drop_requests_of.add("draw")
        if act == 430:
            self.void_waiting_games()
        if act == 440:
            wire.drop_requests_of.clear()
        self.floor.pass_time(seconds=10)
        self.caller.turn()
        self.caller.finish_grading()

    def sell(self, asked: Request, series: str | None = None) -> None:
        series = series or self.chance.choice(["M", "F"])
        with suppress(Refused):  # the game has just closed
            answer = self.floor.sell(self.wanda, Sale(series, asked, BILLS))
            number = answer["number"]
            ((play, price),) = rows(
                self.floor,
                "SELECT play, price_per_game_cents FROM ticket WHERE number = :number",
                number=number,
            )
            games = answer["first_game"], answer["last_game"]
            self.sold[number] = Sold(series, *games, int(price), _read(play))
            self.sums += Counter({"tickets": 1, "sold": answer["price_cents"]})

    def give_back(self, number: int) -> None:
        """Void a ticket, or cancel its rest, whichever can be."""
        with suppress(Refused):
            back = self.floor.void(self.wanda, number)
            self.sums += Counter({"voids": 1, "back": back["back_cents"]})
            del self.sold[number]
            return
        refunding = Refunding(number, "going home", self.floor.code(number))
        with suppress(Refused):
            request_id = self.floor.request_id()
            back = refund_ticket(self.floor.office, self.wanda, refunding, request_id)
            self.sums += Counter({"refunds": 1, "back": back["back_cents"]})
            if back["cancelled_from"] is not None:
                self.sold[number].last_game = back["cancelled_from"] - 1

    def void_waiting_games(self) -> None:
        waiting = rows(self.floor, "SELECT series, number FROM game WHERE state = 'locked'")
        for series, number in waiting:
            ask_to_void(self.floor.office, self.floor.sam, series, number, "no generator")
        self.sums["asked to void"] += len(waiting)

    # ---- what it must come to ------------------------------------------------------------------

    def written_and_won(self) -> tuple[int, int]:
        """Add up what the locked games took, and what they pay, way by way."""
        found = (
            "SELECT game.series, game.number, game.state, outcome.numbers FROM game "
            "JOIN outcome ON outcome.series = game.series AND outcome.game = game.number"
        )
        written = won = 0
        for series, number, state, numbers in rows(self.floor, found):
            playing = [
                ticket
                for ticket in self.sold.values()
                if ticket.series == series and ticket.first_game <= number <= ticket.last_game
            ]
            if state == "void":
                continue
            written += sum(ticket.price_per_game_cents for ticket in playing)
            drawn = _read(numbers)
            wins = [self.win(ticket, drawn) for ticket in playing]
            won += min(sum(wins), LIMIT)
            self.sums["shared"] += sum(wins) > LIMIT
        return written, won

    @staticmethod
    def win(ticket: Sold, drawn: list[int]) -> int:
        lines = [
            Line(
                line["spots"],
                line["ways"],
                line["rate_cents"],
                line["schedule"],
                tuple(read_set(name) for name in line.get("sets", ())),
            )
            for line in ticket.play["lines"]
        ]
        if len(ticket.play["groups"]) > 20:  # every number alone: no subsets need to be listed
            caught = len({n for (n,) in ticket.play["groups"]} & set(drawn))
            return caught * 3 * lines[0].rate_cents
        return brute_force.grade(ticket.play["groups"], lines, drawn, RATE_CARD).win_cents


def _read(value: Any) -> Any:  # noqa: ANN401  JSON, as text
    return json.loads(value) if isinstance(value, str) else value


@pytest.mark.rule("X-audit-books", "X-grade-twice", "X-recovery", "15.5(b)", "X-fault-refund")
def test_a_day_of_three_hundred_games_adds_up(floor: Floor) -> None:
    day = Day(floor, 1)
    act = 0
    while rows(floor, "SELECT count(*) FROM game")[0][0] < GAMES + 2:
        act += 1
        day.turn(act)
        assert act < 10_000, "games do not go on"
    day.floor.pass_time(seconds=1)
    states = Counter(state for (state,) in rows(floor, "SELECT state FROM game"))
    assert states["open"] == 2
    assert states["void"] == day.sums["asked to void"] >= 1
    assert set(states) == {"open", "void", "certified"}
    written, won = day.written_and_won()
    assert day.sums["shared"] == 1
    assert day.sums["voids"] > 20
    assert day.sums["refunds"] > 20
    assert balance(floor, "write") == -written
    assert balance(floor, "wins-payable") == -won
    assert balance(floor, "prepaid") == written + day.sums["back"] - day.sums["sold"]
    floor.check_books()
