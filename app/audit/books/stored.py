"""Everything that the checks of the books look at, read once."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from app.keno.card_file import read_card
from app.keno.rate_card import RateCard
from app.store.queries import Reading, books, log
from app.store.queries.books import (
    StoredGame,
    StoredPosting,
    StoredTender,
    StoredTicket,
    StoredVoid,
)

OPEN = "open"


@dataclass
class Stored:
    """Everything that the checks look at, read once."""

    tickets: dict[int, StoredTicket]
    voids: dict[int, StoredVoid]
    games: dict[tuple[str, int], StoredGame]
    postings: dict[int, list[StoredPosting]]
    tender: dict[int, list[StoredTender]]
    coupons: dict[str, int | None]
    cards: dict[int, RateCard]
    card_hashes: dict[int, bytes]
    first_games: dict[str, int]
    closed_drawers: set[int]
    last_number: int
    tags: dict[int, str] = field(default_factory=dict)
    bodies: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def locks(self) -> dict[tuple[str, int], int]:
        """The LOCK entry of each game."""
        return {
            (body["series"], body["game"]): entry
            for entry, body in self.bodies.items()
            if self.tags[entry] == "LOCK"
        }

    def live(self, series: str, number: int) -> list[StoredTicket]:
        """Return the tickets that play a game and are not void."""
        return [
            ticket
            for ticket in self.tickets.values()
            if ticket.series == series
            and ticket.first_game <= number <= ticket.last_game
            and ticket.number not in self.voids
        ]


def read_stored(connection: Reading) -> Stored:
    """Read everything."""
    postings: dict[int, list[StoredPosting]] = defaultdict(list)
    for posting in books.all_postings(connection):
        postings[posting.entry].append(posting)
    tender: dict[int, list[StoredTender]] = defaultdict(list)
    for part in books.all_tender(connection):
        tender[part.ticket].append(part)
    stored = Stored(
        tickets={ticket.number: ticket for ticket in books.all_tickets(connection)},
        voids={void.ticket: void for void in books.all_voids(connection)},
        games={(game.series, game.number): game for game in books.all_games(connection)},
        postings=postings,
        tender=tender,
        coupons=books.coupons(connection),
        cards={
            card: read_card(file.encode()) for card, file in books.card_files(connection).items()
        },
        card_hashes=books.card_hashes(connection),
        first_games=books.first_games(connection),
        closed_drawers=books.closed_drawers(connection),
        last_number=books.last_ticket_number(connection),
    )
    for entry in log.entries(connection):
        stored.tags[entry.id] = entry.tag
        stored.bodies[entry.id] = json.loads(entry.body)
    return stored
