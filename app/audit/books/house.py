"""What stands for the whole house while its books are worked out, and what is asked for by name.

It does not grow with what is sold: cards, series, settings, closed days; and games and drawers, of
which only those are kept that were asked for last.
"""

from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Generic, TypeVar
from zoneinfo import ZoneInfo

from app.audit.archives import Archives
from app.keno.amounts import Amount, Dated, amounts_on
from app.keno.card_file import read_card
from app.keno.rate_card import RateCard
from app.keno.refusals import Refused
from app.store.queries import Reading, payments
from app.store.queries.books import acts, lives, played, standing
from app.store.queries.books.played import Games
from app.store.queries.books.rows import StoredCard, StoredDrawer, StoredGame, StoredPaper

OPEN = "open"
BLOCK = 128  # games or drawers that are read together
KEPT = 64  # blocks

Key = TypeVar("Key")
Row = TypeVar("Row")
Which = tuple[str, int]  # a game: its series and its number


class Blocks(Generic[Key, Row]):
    """Rows by their keys, read in blocks when they are asked for; the blocks used last are kept."""

    def __init__(
        self, block_of: Callable[[Key], Hashable], read: Callable[[Key], Mapping[Key, Row]]
    ) -> None:
        self._block_of, self._read = block_of, read
        self._kept: OrderedDict[Hashable, Mapping[Key, Row]] = OrderedDict()

    def get(self, key: Key) -> Row | None:
        """Return a row, if it is there."""
        block = self._block_of(key)
        if block not in self._kept:
            self._kept[block] = self._read(key)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(block)
        return self._kept[block].get(key)


class Calendar:
    """The gaming days of the house, as it was founded."""

    def __init__(self, zone: ZoneInfo, starts_minutes: int) -> None:
        self.zone = zone
        self._starts = timedelta(minutes=starts_minutes)
        self._newest: tuple[datetime, datetime, str] | None = None  # the day that was asked for

    def day_of(self, moment: datetime) -> str:
        """Return the gaming day of a moment: the newest that had begun by then.

        Counted from when days begin, so that it does not matter what is done to the clock on the
        wall meanwhile.
        """
        if self._newest is None or not self._newest[0] <= moment < self._newest[1]:
            day = moment.astimezone(self.zone).date() + timedelta(days=1)
            while self._begin(day) > moment:
                day -= timedelta(days=1)
            ends = self._begin(day + timedelta(days=1))
            self._newest = self._begin(day), ends, day.isoformat()
        return self._newest[2]

    def _begin(self, day: date) -> datetime:
        return (datetime.combine(day, time(), self.zone) + self._starts).astimezone(UTC)


@dataclass(frozen=True)
class Hold:
    """Since an entry, and until another, tickets up to a number went only with a manager."""

    last_number: int
    since: int
    until: int | None


@dataclass
class House:
    """The house, as far as it stands."""

    connection: Reading
    cards: dict[int, RateCard]
    card_hashes: dict[int, bytes]
    card_files: dict[int, str]
    first_games: dict[str, int]
    last_number: int
    left_out: dict[int, int]  # how many numbers were left out behind which
    holds: list[Hold]
    calendar: "Calendar"
    set_amounts: list[Dated]
    settings: list[tuple[int, dict[str, Any]]]
    closed_days: list[tuple[int, date]]
    draw_keys: Mapping[str, str]
    archives: Archives
    # LOCK entries that are not those of their games: there are none if all is well.
    stray_locks: dict[Which, list[int]] = field(default_factory=lambda: defaultdict(list))
    _amounts: dict[date, Mapping[Amount, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin to keep games and drawers."""
        self.games: Blocks[Which, StoredGame] = Blocks(
            lambda which: (which[0], which[1] // BLOCK), self._read_games
        )
        self.drawers: Blocks[int, StoredDrawer] = Blocks(
            lambda drawer: drawer // BLOCK, self._read_drawers
        )

    def _read_games(self, which: Which) -> dict[Which, StoredGame]:
        series, first = which[0], which[1] // BLOCK * BLOCK
        found = played.games(self.connection, Games(series, first, first + BLOCK - 1))
        return {(game.series, game.number): game for game in found}

    def _read_drawers(self, drawer: int) -> dict[int, StoredDrawer]:
        first = drawer // BLOCK * BLOCK
        found = acts.drawers_between(self.connection, first, first + BLOCK - 1)
        return {each.id: each for each in found}

    def state_of(self, which: Which) -> str | None:
        """Return the state of a game, if it was ever opened."""
        game = self.games.get(which)
        return None if game is None else game.state

    def lock_of(self, which: Which) -> int | None:
        """Return the newest LOCK entry that tells of a game, among those that were read."""
        if which in self.stray_locks:
            return self.stray_locks[which][-1]
        game = self.games.get(which)
        return None if game is None else game.lock

    def papers_of(self, tickets: Sequence[int]) -> dict[tuple[int, int], StoredPaper]:
        """Return the wins of tickets that stand on papers, by ticket and game."""
        return lives.reported(self.connection, tickets)

    def is_held(self, ticket: int, entry: int) -> bool:
        """Whether money over a ticket took a manager when an entry was written (X-recovery)."""
        return any(
            ticket <= hold.last_number
            and hold.since < entry
            and (hold.until is None or entry < hold.until)
            for hold in self.holds
        )

    # ---- days ------------------------------------------------------------------------------------

    def amounts_on(self, day: date) -> Mapping[Amount, int]:
        """Return every amount as it is on a day."""
        if day not in self._amounts:
            self._amounts[day] = amounts_on(day, self.set_amounts)
        return self._amounts[day]

    def day_of(self, moment: datetime) -> str:
        """Return the gaming day of a moment."""
        return self.calendar.day_of(moment)

    def closed_after(self, entry: int) -> str | None:
        """Return the day whose close was the next one after an entry, if there was one."""
        place = bisect_right([closing for closing, _ in self.closed_days], entry)
        return self.closed_days[place][1].isoformat() if place < len(self.closed_days) else None


def read_house(connection: Reading, draw_keys: Mapping[str, str], archives: Archives) -> House:
    """Read what stands.

    Args:
        connection: where it is read.
        draw_keys: the public keys of the draw, by role.
        archives: those at hand, which have the bodies of old entries.
    """
    cards, founding = standing.cards(connection), standing.founding(connection)
    resumed = standing.resumptions(connection)
    return House(
        connection,
        cards={card.id: _read(card) for card in cards},
        card_hashes={card.id: card.hash for card in cards},
        card_files={card.id: card.file for card in cards},
        first_games=standing.first_games(connection),
        last_number=standing.last_ticket_number(connection),
        left_out={told["last_number"]: told["numbers_left_out"] for _, told, _ in resumed},
        holds=[Hold(told["last_number"], since, until) for since, told, until in resumed],
        calendar=Calendar(ZoneInfo(founding["time_zone"]), founding["day_starts_minutes"]),
        set_amounts=payments.house_amounts(connection),
        settings=standing.settings(connection),
        closed_days=standing.closed_days(connection),
        draw_keys=draw_keys,
        archives=archives,
    )


def _read(card: StoredCard) -> RateCard:
    """Return a card; from its entry, if what was made of its file is no card."""
    try:
        return read_card(card.file.encode())
    except Refused:
        return read_card((card.told or "").encode())


def said(moment: datetime) -> str:
    """Return a moment as entries write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
