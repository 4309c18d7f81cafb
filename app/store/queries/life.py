"""The whole life of a ticket and of a game: every act about them, by the entry that tells of it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import CompoundSelect, Connection, select, union

from app.store.queries.paper import EVENT, Event
from app.store.tables import (
    Approval,
    Cancellation,
    Certification,
    Expiry,
    FeedEvent,
    Game,
    LookUp,
    LostTicket,
    Outcome,
    Override,
    PaperEvent,
    PaperState,
    Payout,
    Presentation,
    PrintedPaper,
    PrintJob,
    Refund,
    Release,
    ReportedWin,
    Reprint,
    Settlement,
    Slip,
    Station,
    TaxPaper,
    Ticket,
    Void,
    VoidStatement,
)


@dataclass(frozen=True)
class PaperRow:
    """A paper, and what became of it."""

    entry: int
    slip: Slip
    station_code: str
    is_kept: bool  # what was on it
    events: list[Event]

    @property
    def pictures(self) -> list[tuple[int, str | None]]:
        """What there is to look at: each copy, by the width on which it was printed, if known."""
        sent = [event for event in self.events if event.state == PaperState.SENDING.value]
        return list(dict.fromkeys((event.copy, event.roll) for event in sent))


@dataclass(frozen=True)
class SettlementRow:
    """A grading of a game that counted, with the second grader's word on it."""

    run: int
    tickets: int
    handle_cents: int
    winners: int
    win_cents: int
    paid_cents: int
    limit_cents: int | None
    settled_at: datetime
    verdict: str | None
    certified_at: datetime | None
    differences: list[str] | None

    @property
    def is_shared(self) -> bool:
        """Whether the aggregate limit bit (X-aggregate-sheet)."""
        return self.limit_cents is not None and self.win_cents > self.limit_cents


# ---- tickets -------------------------------------------------------------------------------------


def ticket_entries(connection: Connection, number: int) -> set[int]:
    """Return the entries of everything that was done about a ticket, each found by its number."""
    first = (
        select(table.entry).where(table.ticket == number)
        for table in (
            Void, Cancellation, Refund, Presentation, Approval, ReportedWin, TaxPaper, Payout,
            Expiry, LostTicket,
        )
    )  # fmt: skip
    looked = select(LookUp.entry).where(LookUp.first == number, LookUp.last == number)
    sold = select(Ticket.entry).where(Ticket.number == number)
    entries = set(connection.execute(union(sold, looked, *first)).scalars())
    copies = select(Reprint.entry).where(Reprint.job.in_(entries))
    return entries | set(connection.execute(copies).scalars())


def papers_of(connection: Connection, entries: Collection[int]) -> list[PaperRow]:
    """Return the papers that were made for these acts, in order."""
    jobs = (
        select(PrintJob.entry, PrintJob.slip, Station.code)
        .join(Station, Station.id == PrintJob.station)
        .where(PrintJob.entry.in_(entries))
        .order_by(PrintJob.entry)
    )
    steps = (
        select(PaperEvent.entry, *EVENT)
        .where(PaperEvent.entry.in_(entries))
        .order_by(PaperEvent.id)
    )
    found = connection.execute(jobs).all()
    events: dict[int, list[Event]] = {}
    for row in connection.execute(steps):
        events.setdefault(row.entry, []).append(Event(*row[1:]))
    made = select(PrintedPaper.entry).where(PrintedPaper.entry.in_(entries))
    kept = set(connection.execute(made).scalars())
    return [
        PaperRow(entry, Slip(slip), code, entry in kept, events.get(entry, []))
        for entry, slip, code in found
    ]


# ---- games ---------------------------------------------------------------------------------------


def game_entries(connection: Connection, series: str, game: int) -> set[int]:
    """Return the entries of what was done about a game, but for its tickets."""
    attempts = select(Settlement.attempt).where(
        Settlement.series == series, Settlement.game == game
    )
    found: CompoundSelect[*tuple[Any, ...]] = union(
        select(Game.lock_entry).where(
            Game.series == series, Game.number == game, Game.lock_entry.is_not(None)
        ),
        *(
            select(table.entry).where(table.series == series, table.game == game)
            for table in (Override, VoidStatement, Outcome, Settlement)
        ),
        *(
            select(table.entry).where(table.attempt.in_(attempts))
            for table in (Certification, Release)
        ),
    )
    return set(connection.execute(found).scalars())


def game_events(connection: Connection, series: str, game: int) -> list[tuple[str, Any, datetime]]:
    """Return what boards and stations were told of a game: kind, facts and time, in order."""
    found = (
        select(FeedEvent.kind, FeedEvent.facts, FeedEvent.happened_at)
        .where(FeedEvent.series == series, FeedEvent.game == game)
        .order_by(FeedEvent.id)
    )
    return [(kind, facts, at) for kind, facts, at in connection.execute(found)]


def settlements(connection: Connection, series: str, game: int) -> list[SettlementRow]:
    """Return every settlement of a game, with what the second grader said of it."""
    found = (
        select(
            Settlement.run,
            Settlement.tickets,
            Settlement.handle_cents,
            Settlement.winners,
            Settlement.win_cents,
            Settlement.paid_cents,
            Settlement.limit_cents,
            Settlement.settled_at,
            Certification.verdict,
            Certification.certified_at,
            Certification.differences,
        )
        .outerjoin(Certification, Certification.attempt == Settlement.attempt)
        .where(Settlement.series == series, Settlement.game == game)
        .order_by(Settlement.run)
    )
    return [SettlementRow(*row) for row in connection.execute(found)]
