"""Numbers without a gap (X-ticket-gapless)."""

from collections.abc import Iterator

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.played import Played
from app.audit.faults import Fault


def numbers() -> list[Look]:
    """Ticket and game numbers have no gap and no repeat (X-ticket-gapless)."""
    tickets, games = Tickets(), Games()
    return [
        Look(Thing.NUMBER, tickets.follow),
        Look(Thing.END, tickets.check_last),
        Look(Thing.GAME, games.follow),
        Look(Thing.END, games.check_first),
    ]


class Tickets:
    """Ticket numbers as they come: each is one more than the last.

    A restored house leaves numbers out, and its log tells behind which one, and how many.
    """

    def __init__(self) -> None:
        self._last = 0

    def follow(self, number: int, house: House) -> Iterator[Fault]:
        """Take the next number."""
        if number != self._given(house) + 1:
            yield self._fault(house)
        self._last = number

    def check_last(self, _: object, house: House) -> Iterator[Fault]:
        """The last one is the one that was given last."""
        if self._given(house) != house.last_number:
            yield self._fault(house)

    def _given(self, house: House) -> int:
        """Return the last number that cannot be given any more."""
        last = self._last
        while last in house.left_out:
            last += house.left_out[last]
        return last

    @staticmethod
    def _fault(house: House) -> Fault:
        return Fault("numbers", f"the tickets are not 1 to {house.last_number}, each once")


class Games:
    """Game numbers of each series as they come, the newest first: each is one less."""

    def __init__(self) -> None:
        self._lowest: dict[str, int] = {}

    def follow(self, played: Played, house: House) -> Iterator[Fault]:
        """Take the next game."""
        series, number = played.game.series, played.game.number
        if number != self._lowest.get(series, number + 1) - 1:
            yield from self._faults(series, house)
        self._lowest[series] = number

    def check_first(self, _: object, house: House) -> Iterator[Fault]:
        """The first one is where the series begins."""
        for series, lowest in self._lowest.items():
            if lowest != house.first_games.get(series):
                yield from self._faults(series, house)

    @staticmethod
    def _faults(series: str, house: House) -> Iterator[Fault]:
        first = house.first_games.get(series)
        yield Fault("numbers", f"the games of series {series} are not {first} and on, each once")
