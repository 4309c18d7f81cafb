"""Games, each with everything that belongs to it: its outcome, its wins, the tickets that play it.

They are gone through from the newest back. So every ticket comes along with its last game, by which
it can be found, and is kept until its first one: what is in memory are the tickets in play.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.audit.books.house import House
from app.store.queries.books import played
from app.store.queries.books.played import Games
from app.store.queries.books.rows import StoredEntry, StoredGame, StoredOutcome, StoredTicket
from rng.note import NoteFailed, read_checkpoint


@dataclass(frozen=True)
class Played:
    """A game, and everything that belongs to it."""

    game: StoredGame
    locks: Sequence[StoredEntry]  # every LOCK entry that tells of it
    outcome: StoredOutcome | None
    before: StoredOutcome | None  # the outcome of the game before it
    statement: Any
    head: str | None  # the signed head of the size that the statement names
    live: Sequence[StoredTicket]  # the tickets that play it, by number
    refunded: frozenset[int]  # those of them that it was refunded to
    wins: Mapping[int, tuple[int, int]]  # of its settlement, by ticket: uncut and cut
    shares: Mapping[int, int]

    @property
    def name(self) -> str:
        """As people call it."""
        return f"{self.game.series}-{self.game.number}"


@dataclass
class InPlay:
    """The tickets of a series that play the games which are looked at now."""

    tickets: dict[int, tuple[StoredTicket, int]]  # with the last game that each plays
    refunded: dict[int, set[int]]  # the games that each was refunded for

    def come(self, house: House, run: Games) -> None:
        """Add the tickets whose last game is one of these."""
        for ticket, until in played.last_played_in(house.connection, run):
            self.tickets[ticket.number] = ticket, until
        for number, game in played.refunded_of(house.connection, run):
            self.refunded[number].add(game)

    def go(self, before: int) -> None:
        """Let those go that play no game before this one."""
        for number, (ticket, _) in list(self.tickets.items()):
            if ticket.first_game >= before:
                del self.tickets[number]
                self.refunded.pop(number, None)

    def by_game(self, games: Sequence[StoredGame]) -> dict[int, list[StoredTicket]]:
        """Return the tickets that play each game, by number."""
        playing: dict[int, list[StoredTicket]] = {game.number: [] for game in games}
        first, last = min(playing, default=0), max(playing, default=-1)
        for number in sorted(self.tickets):
            ticket, until = self.tickets[number]
            for game in range(max(ticket.first_game, first), min(until, last) + 1):
                if game in playing:
                    playing[game].append(ticket)
        return playing


def read_games(house: House, count: int, tickets: int) -> Iterator[list[Played]]:
    """Yield all games, so many of them or of their tickets at a time, the newest first."""
    for series in played.series_with_games(house.connection):
        in_play = InPlay({}, defaultdict(set))
        for run in played.runs_of_games(house.connection, series, count, tickets):
            in_play.come(house, run)
            yield _read(house, run, in_play)
            in_play.go(run.first)


def _read(house: House, run: Games, in_play: InPlay) -> list[Played]:
    connection = house.connection
    games = played.games(connection, run)
    with_before = Games(run.series, run.first - 1, run.last)
    outcomes = played.outcomes(connection, with_before)
    statements = played.statements(connection, run)
    sizes = {game: _size(said) for game, said in statements.items()}
    heads = played.heads_of(connection, list(sizes.values()))
    attempts = [game.settled.attempt for game in games if game.settled is not None]
    wins, shares = played.wins(connection, attempts), played.shares(connection, attempts)
    live = in_play.by_game(games)
    return [
        Played(
            game,
            _locks(house, game),
            outcomes.get(game.number),
            outcomes.get(game.number - 1),
            statements.get(game.number),
            heads.get(sizes.get(game.number, -1)),
            live[game.number],
            frozenset(n for n, back in in_play.refunded.items() if game.number in back),
            wins[game.settled.attempt] if game.settled is not None else {},
            shares[game.settled.attempt] if game.settled is not None else {},
        )
        for game in reversed(games)
    ]


def _size(statement: Any) -> int:  # noqa: ANN401  as it was signed
    """Return the size of the log that a statement is about."""
    try:
        return read_checkpoint(statement["body"]["checkpoint"]).size
    except NoteFailed:
        return -1


def _locks(house: House, game: StoredGame) -> list[StoredEntry]:
    own = []
    if game.lock is not None:
        own = [StoredEntry(game.lock, "LOCK", game.lock_told or {})]
    strays = house.stray_locks.get((game.series, game.number), [])
    if strays:
        own += played.locks_named(house.connection, strays)
    return sorted(own, key=lambda entry: entry.id)
