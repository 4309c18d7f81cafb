"""Everything that the checks of the books look at, read once."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from app.keno.amounts import Dated
from app.keno.card_file import read_card
from app.keno.rate_card import RateCard
from app.store.queries import Reading, books, log, payments
from app.store.queries.books import (
    StoredApproval,
    StoredContact,
    StoredCount,
    StoredDrawer,
    StoredExpiry,
    StoredGame,
    StoredOutcome,
    StoredPaper,
    StoredPayout,
    StoredPosting,
    StoredRefund,
    StoredSettlement,
    StoredTender,
    StoredTicket,
    StoredVoid,
)
from app.store.queries.facts import Fact, all_facts

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
    drawers: dict[int, StoredDrawer]
    last_number: int
    outcomes: dict[tuple[str, int], StoredOutcome]
    statements: dict[tuple[str, int], Any]
    settlements: dict[tuple[str, int], StoredSettlement]
    wins: dict[int, dict[int, tuple[int, int]]]
    shares: dict[int, dict[int, int]]
    verdicts: dict[int, str]
    refunds: list[StoredRefund]
    payouts: dict[int, StoredPayout]
    expiries: dict[int, StoredExpiry]
    presented: dict[int, datetime]
    amounts: list[Dated]
    contacts: dict[int, StoredContact]
    approvals: list[StoredApproval]
    papers: list[StoredPaper]
    drawer_counts: list[StoredCount]
    facts: list[Fact]
    draw_keys: Mapping[str, str]
    tags: dict[int, str] = field(default_factory=dict)
    bodies: dict[int, dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def founding(self) -> dict[str, Any]:
        """The terms on which the house was founded."""
        return self.bodies[self.tagged("HOUSE")[0]]

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone of the house."""
        return ZoneInfo(self.founding["time_zone"])

    def time_of(self, entry: int) -> str:
        """Return when an act happened, as its entry says."""
        body = self.bodies[entry]
        named = {"TICKET": "sold_at", "VOID": "voided_at"}
        moment: str = body[named.get(self.tags[entry], "time")]
        return moment

    def tagged(self, *tags: str) -> list[int]:
        """Return the entries with any of these tags, in their order."""
        return sorted(entry for entry, tag in self.tags.items() if tag in tags)

    def day_of(self, moment: datetime) -> str:
        """Return the gaming day of a moment: the newest that had begun by then.

        Counted from when days begin, so that it does not matter what is done to the clock on the
        wall meanwhile.
        """
        starts = timedelta(minutes=self.founding["day_starts_minutes"])
        day = moment.astimezone(self.zone).date() + timedelta(days=1)
        while datetime.combine(day, time(), self.zone) + starts > moment:
            day -= timedelta(days=1)
        return day.isoformat()

    @cached_property
    def locks(self) -> dict[tuple[str, int], int]:
        """The LOCK entry of each game."""
        return {
            (body["series"], body["game"]): entry
            for entry, body in self.bodies.items()
            if self.tags[entry] == "LOCK"
        }

    def live(self, series: str, number: int) -> list[StoredTicket]:
        """Return the tickets that play a game and are not void."""
        return self._playing.get((series, number), [])

    @cached_property
    def _playing(self) -> dict[tuple[str, int], list[StoredTicket]]:
        """The tickets of each game that are not void, in the order of their numbers."""
        playing: dict[tuple[str, int], list[StoredTicket]] = defaultdict(list)
        for ticket in self.tickets.values():
            if ticket.number not in self.voids:
                for number in range(ticket.first_game, self.plays_until(ticket) + 1):
                    playing[ticket.series, number].append(ticket)
        return playing

    @cached_property
    def freezes(self) -> dict[tuple[str, int], list[tuple[datetime, datetime | None]]]:
        """From when until when each game was frozen; one that still is has no end."""
        found: dict[tuple[str, int], list[tuple[datetime, datetime | None]]] = defaultdict(list)
        for entry in self.tagged("FROZEN", "CERTIFIED"):
            body = self.bodies[entry]
            at, spells = datetime.fromisoformat(body["time"]), found[body["series"], body["game"]]
            still = bool(spells) and spells[-1][1] is None
            if self.tags[entry] == "FROZEN" and not still:
                spells.append((at, None))
            elif self.tags[entry] == "CERTIFIED" and still:
                spells[-1] = (spells[-1][0], at)
        return found

    def plays_until(self, ticket: StoredTicket) -> int:
        """Return the last game that a ticket plays: its rest may be cancelled."""
        return self.cancelled.get(ticket.number, ticket.last_game + 1) - 1

    @cached_property
    def cancelled(self) -> dict[int, int]:
        """From which game on each ticket is cancelled."""
        return {
            each.ticket: each.cancelled_from
            for each in self.refunds
            if each.cancelled_from is not None
        }

    @cached_property
    def cancelled_at(self) -> dict[int, datetime]:
        """When the rest of each ticket was cancelled."""
        return {
            self.bodies[entry]["ticket"]: datetime.fromisoformat(self.time_of(entry))
            for entry in self.tagged("CANCEL")
        }

    def is_given_back(self, number: int) -> bool:
        """Whether all that a ticket cost went back: it is void, or all of its games were."""
        ticket = self.tickets[number]
        games = set(range(ticket.first_game, ticket.last_game + 1))
        return number in self.voids or self._refunded[number] >= games

    @cached_property
    def _refunded(self) -> dict[int, set[int | None]]:
        """For which void games each ticket was refunded."""
        refunded: dict[int, set[int | None]] = defaultdict(set)
        for each in self.refunds:
            refunded[each.ticket].add(each.void_game)
        return refunded


def said(moment: datetime) -> str:
    """Return a moment as entries write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_stored(connection: Reading, draw_keys: Mapping[str, str]) -> Stored:
    """Read everything.

    Args:
        connection: where it is read.
        draw_keys: the public keys of the draw, by role.
    """
    wins: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for attempt, ticket, uncut, cents in books.all_wins(connection):
        wins[attempt][ticket] = (uncut, cents)
    shares: dict[int, dict[int, int]] = defaultdict(dict)
    for attempt, ticket, cents in books.all_shares(connection):
        shares[attempt][ticket] = cents
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
        drawers={each.id: each for each in books.all_drawers(connection)},
        last_number=books.last_ticket_number(connection),
        outcomes={(each.series, each.game): each for each in books.all_outcomes(connection)},
        statements=books.statements(connection),
        settlements={
            (each.series, each.game): each for each in books.newest_settlements(connection)
        },
        wins=wins,
        shares=shares,
        verdicts=books.verdicts(connection),
        refunds=list(books.all_refunds(connection)),
        payouts={each.ticket: each for each in books.all_payouts(connection)},
        expiries=books.all_expiries(connection),
        presented=books.all_presented(connection),
        amounts=payments.house_amounts(connection),
        contacts={each.entry: each for each in books.all_contacts(connection)},
        approvals=list(books.all_approvals(connection)),
        papers=list(books.all_papers(connection)),
        drawer_counts=list(books.all_counts(connection)),
        facts=list(all_facts(connection)),
        draw_keys=draw_keys,
    )
    for entry in log.entries(connection):
        stored.tags[entry.id] = entry.tag
        stored.bodies[entry.id] = json.loads(entry.body)
    return stored
