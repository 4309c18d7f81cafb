"""A stretch of the log: what was done in it, and what became of the tickets that it was done to."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from app.audit.books.house import House
from app.audit.books.looks import Thing
from app.store.queries.books import acts, lives
from app.store.queries.books.facts import Fact, facts_in
from app.store.queries.books.rows import (
    StoredApproval,
    StoredContact,
    StoredCopy,
    StoredCount,
    StoredDrawer,
    StoredEntry,
    StoredExpiry,
    StoredLoss,
    StoredPayout,
    StoredPosting,
    StoredRefund,
    StoredStep,
    StoredTender,
    StoredTicket,
    StoredVoid,
)
from app.store.queries.books.span import Span, spans

ABOUT_TICKETS = ("VOID", "CANCEL", "REFUND", "PAID")
NAMED = {"TICKET": "sold_at", "VOID": "voided_at"}  # where an entry says when it happened

Row = TypeVar("Row")


@dataclass(frozen=True)
class Paper:
    """A paper, all that became of it, and its copies in their order."""

    entry: int
    steps: Sequence[StoredStep]
    copies: Sequence[StoredCopy]


@dataclass(frozen=True)
class Move:
    """All that one entry moved between accounts."""

    entry: int
    legs: Sequence[StoredPosting]


@dataclass(frozen=True)
class Stretch:
    """A stretch of the log, and everything that belongs to it."""

    house: House
    # What was done: the rows whose entries are in the stretch.
    entries: Mapping[int, StoredEntry]
    postings: Mapping[int, Sequence[StoredPosting]]  # by entry
    sold: Sequence[StoredTicket]
    voided: Sequence[StoredVoid]
    refunded: Sequence[StoredRefund]
    paid: Sequence[StoredPayout]
    expired: Sequence[StoredExpiry]
    contacts: Mapping[int, StoredContact]  # by entry
    drawers: Sequence[StoredDrawer]  # that were opened
    counts: Sequence[StoredCount]
    print_jobs: Mapping[int, tuple[str, Any]]  # by entry: which slip, and what it is about
    facts: Sequence[Fact]
    copies: Sequence[StoredCopy]  # that were made
    # What became of it, whenever that was.
    papers: Sequence[Paper]
    # All that there is of the tickets that something was done to, by their numbers.
    tickets: Mapping[int, StoredTicket]
    tender: Mapping[int, Sequence[StoredTender]]
    coupons: Mapping[str, int | None]  # which ticket each is spent on
    voids: Mapping[int, StoredVoid]
    refunds: Mapping[int, Sequence[StoredRefund]]
    payouts: Mapping[int, StoredPayout]
    expiries: Mapping[int, StoredExpiry]
    presented: Mapping[int, datetime]
    approvals: Mapping[int, Sequence[StoredApproval]]
    first_copies: Mapping[int, int]  # their entries
    late_copies: Mapping[int, int]  # of those made when the first game had ended
    shown: Mapping[int, str]  # of those that were paid without their whole code
    lost: Mapping[int, Sequence[StoredLoss]]
    won: Mapping[tuple[int, int], int]  # by attempt and ticket

    @property
    def things(self) -> dict[Thing, Sequence[Any]]:
        """What there is to look at, in the order in which it is looked at."""
        return {
            Thing.ENTRY: list(self.entries.values()),
            Thing.MOVE: [Move(entry, legs) for entry, legs in self.postings.items()],
            Thing.DRAWER: self.drawers,
            Thing.COUNT: self.counts,
            Thing.TICKET: self.sold,
            Thing.VOID: self.voided,
            Thing.REFUND: self.refunded,
            Thing.CONTACT: list(self.contacts.values()),
            Thing.PAYOUT: self.paid,
            Thing.EXPIRY: self.expired,
            Thing.PAPER: self.papers,
            Thing.COPY: self.copies,
            Thing.FACT: self.facts,
        }

    @cached_property
    def sold_at(self) -> dict[int, StoredTicket]:
        """The tickets that were sold, by entry."""
        return {each.entry: each for each in self.sold}

    @cached_property
    def drawer_at(self) -> dict[int, StoredDrawer]:
        """The drawers that were opened, by entry."""
        return {each.entry: each for each in self.drawers}

    @cached_property
    def void_at(self) -> dict[int, StoredVoid]:
        """The voids, by entry."""
        return {each.entry: each for each in self.voided}

    @cached_property
    def refunds_at(self) -> dict[int, list[StoredRefund]]:
        """What went back, by entry."""
        return _by(self.refunded, "entry")

    @cached_property
    def payout_at(self) -> dict[int, StoredPayout]:
        """The payments, by entry."""
        return {each.entry: each for each in self.paid}

    @cached_property
    def count_at(self) -> dict[int, StoredCount]:
        """What was counted in drawers, by entry."""
        return {each.entry: each for each in self.counts}

    @cached_property
    def known_facts(self) -> set[tuple[int, str]]:
        """Every fact by its entry, and the tag of entries that tell of such a fact before all."""
        return {(fact.entry, fact.tags[0]) for fact in self.facts}

    def body(self, entry: int) -> dict[str, Any]:
        """Return what an entry of the stretch says; nothing if it is not there."""
        found = self.entries.get(entry)
        return {} if found is None else found.body

    def tag(self, entry: int) -> str | None:
        """Return the tag of an entry of the stretch; none if it is not there."""
        found = self.entries.get(entry)
        return None if found is None else found.tag

    def legs(self, entry: int) -> Sequence[StoredPosting]:
        """Return what an act moved."""
        return self.postings.get(entry, ())

    def day_of(self, entry: int) -> str | None:
        """Return the gaming day of an act, as its entry says; none if it does not say."""
        at = self.body(entry).get(NAMED.get(self.tag(entry) or "", "time"))
        return None if at is None else self.house.day_of(datetime.fromisoformat(at))

    def plays_until(self, ticket: StoredTicket) -> int:
        """Return the last game that a ticket plays: its rest may be cancelled."""
        cancelled = self.cancellation(ticket)
        return ticket.last_game if cancelled is None else (cancelled.cancelled_from or 0) - 1

    def cancellation(self, ticket: StoredTicket) -> StoredRefund | None:
        """Return the cancellation of a ticket's rest, if there is one."""
        of_ticket = self.refunds.get(ticket.number, ())
        return next((each for each in of_ticket if each.cancelled_from is not None), None)

    def games_of(self, ticket: StoredTicket) -> range:
        """Return the games that a ticket plays."""
        return range(ticket.first_game, self.plays_until(ticket) + 1)

    def won_in(self, ticket: StoredTicket, number: int) -> int:
        """Return what a ticket won in one of its games, after any sharing."""
        game = self.house.games.get((ticket.series, number))
        if game is None or game.settled is None:
            return 0
        return self.won.get((game.settled.attempt, ticket.number), 0)

    def is_given_back(self, ticket: StoredTicket) -> bool:
        """Whether all that a ticket cost went back: it is void, or all of its games were."""
        games = set(range(ticket.first_game, ticket.last_game + 1))
        back = {each.void_game for each in self.refunds.get(ticket.number, ())}
        return ticket.number in self.voids or back >= games


def read_stretches(house: House, entries: int) -> Iterator[Stretch]:
    """Yield the log in stretches of so many entries, from its beginning to its end."""
    for span in spans(house.connection, entries):
        stretch = _read(house, span)
        _note_stray_locks(stretch)
        yield stretch


def _note_stray_locks(stretch: Stretch) -> None:
    """Note every LOCK entry that is not that of its game."""
    for entry in stretch.entries.values():
        if entry.tag == "LOCK":
            which = entry.body["series"], entry.body["game"]
            game = stretch.house.games.get(which)
            if game is None or game.lock_entry != entry.id:
                stretch.house.stray_locks[which].append(entry.id)


def _read(house: House, span: Span) -> Stretch:
    connection = house.connection
    entries = {each.id: each for each in _entries(house, span)}
    sold = acts.sold(connection, span)
    voided, refunded = acts.voided(connection, span), acts.refunded(connection, span)
    paid, expired = acts.paid(connection, span), acts.expired(connection, span)
    done_to = {each.ticket for rows in (voided, refunded, paid, expired) for each in rows}
    done_to |= {each.body["ticket"] for each in entries.values() if each.tag in ABOUT_TICKETS}
    tickets = {each.number: each for each in sold}
    others = sorted(done_to - set(tickets))
    tickets |= {each.number: each for each in lives.tickets(connection, others)}
    tender = _by(lives.tender(connection, list(tickets)), "ticket")
    serials = {each.serial for parts in tender.values() for each in parts if each.serial}
    with_coupon = {number for number, parts in tender.items() if any(p.serial for p in parts)}
    lived = sorted(done_to | with_coupon)
    won_by = [each.ticket for rows in (paid, expired) for each in rows]
    return Stretch(
        house,
        entries=entries,
        postings=_by(acts.postings(connection, span), "entry"),
        sold=sold,
        voided=voided,
        refunded=refunded,
        paid=paid,
        expired=expired,
        contacts={each.entry: each for each in acts.contact_acts(connection, span)},
        drawers=acts.opened_drawers(connection, span),
        counts=acts.counted(connection, span),
        print_jobs=acts.print_jobs(connection, span),
        facts=list(facts_in(connection, span)),
        copies=acts.copied(connection, span),
        papers=_papers(house, span),
        tickets=tickets,
        tender=tender,
        coupons=lives.coupons(connection, sorted(serials)),
        voids={each.ticket: each for each in lives.voids(connection, lived)},
        refunds=_by(lives.refunds(connection, lived), "ticket"),
        payouts={each.ticket: each for each in lives.payouts(connection, lived)},
        expiries={each.ticket: each for each in lives.expiries(connection, lived)},
        presented=lives.presented(connection, lived),
        approvals=_by(lives.approvals(connection, lived), "ticket"),
        first_copies=lives.first_copies(connection, lived),
        late_copies=lives.late_copies(connection, lived),
        shown=lives.shown(connection, lived),
        lost=_by(lives.lost(connection, lived), "ticket"),
        won=lives.won(connection, won_by),
    )


def _entries(house: House, span: Span) -> Iterator[StoredEntry]:
    """Yield the entries of a stretch, archived ones from their archives.

    Those that are not at hand are left out: `log_check` sees that this is noted.
    """
    for row in acts.entries(house.connection, span):
        entry = house.archives.opened(row)
        if entry.body:
            yield StoredEntry(entry.id, entry.tag, json.loads(entry.body))


def _papers(house: House, span: Span) -> list[Paper]:
    steps = _by(acts.steps(house.connection, span), "paper")
    copies = _by(acts.copies(house.connection, span), "paper")
    return [Paper(each, steps.get(each, ()), copies.get(each, ())) for each in {**steps, **copies}]


def _by(rows: Iterable[Row], name: str) -> dict[int, list[Row]]:
    """Return rows by one of their columns, in their order."""
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found
