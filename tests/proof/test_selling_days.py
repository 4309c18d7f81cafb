"""Long days of selling, by chance: tickets of every kind, voids, replays, shifts and lockouts.

What was sold, voided and locked is added up here on the way, and must be what the books of the
house come to in the end.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from random import Random

import pytest

from app.flow.access import Credentials
from app.flow.plays import Changes
from app.flow.sell import Sale
from app.keno.refusals import Refused
from app.keno.tender import Tender, TenderKind
from tests.floor import BANK, FIRST_STATION, SECOND_STATION, WALT, WANDA, Floor
from tests.looking import rows
from tests.proof.selling_days import balance, request

pytestmark = pytest.mark.proof

ACTS = 4_000
LOCK_EVERY = 100
CHECK_EVERY = 500
DAYS = 3
CHIP = 500
STATIONS = {WANDA: FIRST_STATION, WALT: SECOND_STATION}


@dataclass(frozen=True)
class Sold:
    """A live ticket, as the day remembers it."""

    series: str
    first_game: int
    last_game: int
    price_cents: int
    writer: str

    @property
    def price_per_game_cents(self) -> int:
        return self.price_cents // (self.last_game - self.first_game + 1)


class Day:
    """A day on the floor, with its own sums."""

    def __init__(self, floor: Floor, seed: int) -> None:
        self.floor = floor
        self.chance = Random(seed)  # noqa: S311  a day that can be had again
        self.staff = {name: floor.signed_in(name, station) for name, station in STATIONS.items()}
        self.drawers = {name: opened(floor, self.staff[name]) for name in STATIONS}
        self.games = {"M": 1, "F": 100}
        self.live: dict[int, Sold] = {}
        self.sums: Counter[str] = Counter()

    def act(self) -> None:
        name = self.chance.choice(sorted(self.staff))
        series = self.chance.choice(sorted(self.games))
        acts = ["sell", "replay", "void", "shift"]
        match self.chance.choices(acts, [60, 20, 18, 2])[0]:
            case "replay" if self.live:
                old, games = self.chance.choice(sorted(self.live)), self.chance.randint(1, 3)
                # Change on chips comes out of the drawer: as many five-dollar chips as it takes.
                chips = -(-games * self.live[old].price_per_game_cents // CHIP) * CHIP
                paid = Tender(TenderKind.CHIPS, chips)
                self.sell(name, Sale(series, Changes(games=games), (paid,), replay_of=old))
            case "void" if self.live:
                self.void(self.chance.choice(sorted(self.live)[-20:]))
            case "shift":
                self.change_shift(name)
            case _:
                paid = Tender(TenderKind.CURRENCY, 100_000)
                self.sell(name, Sale(series, request(self.chance), (paid,)))

    def sell(self, name: str, sale: Sale) -> None:
        answer = self.floor.sell(self.staff[name], sale)
        assert answer["first_game"] == self.games[sale.series]
        games = answer["first_game"], answer["last_game"]
        self.live[answer["number"]] = Sold(sale.series, *games, answer["price_cents"], name)
        self.sums += Counter({"tickets": 1, "sold": answer["price_cents"]})

    def void(self, number: int) -> None:
        self.sums["void tried"] += 1
        with suppress(Refused):
            back = self.floor.void(self.staff[self.live[number].writer], number)
            self.sums += Counter({"voids": 1, "voided": back["back_cents"]})
            del self.live[number]

    def change_shift(self, name: str) -> None:
        answer = self.floor.close_drawer(self.staff[name], self.drawers[name], BANK)
        self.sums["short"] -= answer["over_short_cents"]  # all that was sold stays out of the count
        self.drawers[name] = opened(self.floor, self.staff[name])

    def lock(self, series: str) -> None:
        game = self.games[series]
        assert self.floor.lock(series) == game
        playing = [
            ticket.price_per_game_cents
            for ticket in self.live.values()
            if ticket.series == series and ticket.first_game <= game <= ticket.last_game
        ]
        kept = "SELECT tickets, handle_cents FROM game WHERE series = :series AND number = :game"
        ((tickets, handle),) = rows(self.floor, kept, series=series, game=game)
        assert (tickets, int(handle)) == (len(playing), sum(playing))
        self.sums["write"] += sum(playing)
        self.games[series] += 1


@pytest.mark.rule("X-audit-books", "X-ticket-gapless", "15.5(b)")
@pytest.mark.parametrize("seed", range(DAYS))
def test_a_long_day_of_selling_adds_up(floor: Floor, seed: int) -> None:
    day = Day(floor, seed)
    for number in range(1, ACTS + 1):
        day.act()
        if number % LOCK_EVERY == 0:
            day.lock("M" if number % (2 * LOCK_EVERY) else "F")
        if number % CHECK_EVERY == 0:
            floor.check_books()
    sums = day.sums
    assert sums["voids"] > 100
    assert sums["void tried"] > sums["voids"]
    assert rows(floor, "SELECT max(number), count(*) FROM ticket") == [(sums["tickets"],) * 2]
    assert balance(floor, "write") == -sums["write"]
    assert balance(floor, "prepaid") == sums["voided"] + sums["write"] - sums["sold"]
    assert balance(floor, "over-short") == sums["short"]


def opened(floor: Floor, writer: Credentials) -> int:
    drawer: int = floor.open_drawer(writer)["drawer"]
    return drawer
