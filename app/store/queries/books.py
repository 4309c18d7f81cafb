"""Everything that was stored, for whoever works it out again (`app.audit.books`).

Rows are given out one by one and as they are: nothing is summed or judged here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Executable, select
from sqlalchemy.orm import aliased

from app.store.tables import (
    Approval,
    Cancellation,
    Card,
    Certification,
    ContactAct,
    Counter,
    Coupon,
    Drawer,
    DrawerCount,
    Expiry,
    Game,
    LockStatement,
    LogHead,
    LogNode,
    LogPending,
    Outcome,
    Payout,
    Posting,
    Presentation,
    Refund,
    ReportedWin,
    Series,
    Settlement,
    Share,
    Staff,
    Station,
    Tender,
    Ticket,
    Void,
    Win,
)


@dataclass(frozen=True)
class StoredTicket:
    """A ticket's own row."""

    number: int
    series: str
    first_game: int
    last_game: int
    games: int
    play: Any
    card: int
    price_per_game_cents: int
    price_cents: int
    tendered_cents: int
    drawer: int
    sold_at: datetime
    entry: int
    station_code: str
    writer_code: str
    prints_expiry: datetime | None


@dataclass(frozen=True)
class StoredVoid:
    """A void's own row."""

    ticket: int
    drawer: int
    voided_at: datetime
    entry: int
    with_code: bool
    reason: str
    station_code: str
    writer_code: str
    approver_code: str | None


@dataclass(frozen=True)
class StoredGame:
    """A game's own row."""

    series: str
    number: int
    state: str
    card: int
    opened_at: datetime
    locked_at: datetime | None
    tickets: int | None
    handle_cents: int | None
    lock_entry: int | None


@dataclass(frozen=True)
class StoredPosting:
    """One leg of what an act moved."""

    entry: int
    account: str
    drawer: int | None
    kind: str | None
    cents: int


@dataclass(frozen=True)
class StoredTender:
    """One part of what a ticket was paid with."""

    ticket: int
    kind: str
    cents: int
    serial: str | None


@dataclass(frozen=True)
class StoredOutcome:
    """What became of a locked game."""

    series: str
    game: int
    numbers: list[int] | None
    document: Any
    record: bytes
    ended_at: datetime
    entry: int


@dataclass(frozen=True)
class StoredSettlement:
    """What a game was settled for; the newest counts."""

    series: str
    game: int
    attempt: int
    tickets: int
    handle_cents: int
    winners: int
    win_cents: int
    paid_cents: int
    wins_digest: bytes

    @property
    def sums(self) -> tuple[int, int, int, int, int, bytes]:
        """Everything that it comes to."""
        counts = (self.tickets, self.handle_cents, self.winners)
        return (*counts, self.win_cents, self.paid_cents, self.wins_digest)


@dataclass(frozen=True)
class StoredRefund:
    """What went back for games of a ticket: its rest from a game on, or one game that was void."""

    ticket: int
    cancelled_from: int | None
    void_game: int | None
    cents: int
    drawer: int
    entry: int


@dataclass(frozen=True)
class StoredPayout:
    """The payment of a ticket."""

    ticket: int
    cents: int
    paid_by: str
    drawer: int
    staff: int
    approver: int | None
    manager: int | None
    paid_at: datetime
    entry: int


@dataclass(frozen=True)
class StoredExpiry:
    """A win that nobody came for in time."""

    ticket: int
    cents: int
    expired_at: datetime
    entry: int


@dataclass(frozen=True)
class StoredCount:
    """What was counted in a drawer."""

    drawer: int
    closing: bool
    cents: int
    entry: int


@dataclass(frozen=True)
class StoredDrawer:
    """A drawer's own row."""

    id: int
    station_code: str
    writer_code: str
    opened_at: datetime
    closed_at: datetime | None
    entry: int


@dataclass(frozen=True)
class StoredApproval:
    """Somebody approved that a ticket is paid so much."""

    ticket: int
    tier: str
    staff_code: str
    cents: int
    entry: int


@dataclass(frozen=True)
class StoredPaper:
    """What a paper says of a ticket in one game: what it won, with how much of a wager."""

    ticket: int
    game: int
    win_cents: int
    wager_cents: int
    entry: int


@dataclass(frozen=True)
class StoredContact:
    """An act within a patron contact."""

    entry: int
    station_code: str
    contact: str
    player_card: str | None
    gaming_day: date
    ticket: int
    in_cents: int
    out_cents: int
    cash_in_cents: int
    cash_out_cents: int


def all_outcomes(connection: Connection) -> Iterator[StoredOutcome]:
    """Yield what became of every game."""
    found = select(
        Outcome.series,
        Outcome.game,
        Outcome.numbers,
        Outcome.document,
        Outcome.record,
        Outcome.ended_at,
        Outcome.entry,
    )
    yield from (StoredOutcome(*row) for row in _rows(connection, found))


def statements(connection: Connection) -> dict[tuple[str, int], Any]:
    """Return the lock statement of each game, as it was signed."""
    found = select(LockStatement.series, LockStatement.game, LockStatement.request)
    return {(row.series, row.game): row.request["statement"] for row in connection.execute(found)}


def newest_settlements(connection: Connection) -> Iterator[StoredSettlement]:
    """Yield the settlements, a later one of the same game after an earlier one."""
    found = select(
        Settlement.series,
        Settlement.game,
        Settlement.attempt,
        Settlement.tickets,
        Settlement.handle_cents,
        Settlement.winners,
        Settlement.win_cents,
        Settlement.paid_cents,
        Settlement.wins_digest,
    ).order_by(Settlement.series, Settlement.game, Settlement.run)
    yield from (StoredSettlement(*row) for row in _rows(connection, found))


def all_wins(connection: Connection) -> Iterator[tuple[int, int, int, int]]:
    """Yield attempt, ticket, uncut and cut of every win, by ticket."""
    found = select(Win.attempt, Win.ticket, Win.uncut_cents, Win.cents).order_by(
        Win.attempt, Win.ticket
    )
    yield from (tuple(row) for row in _rows(connection, found))


def all_shares(connection: Connection) -> Iterator[tuple[int, int, int]]:
    """Yield attempt, ticket and payment where an aggregate limit was shared."""
    found = select(Share.attempt, Share.ticket, Share.cents).order_by(Share.attempt, Share.ticket)
    yield from (tuple(row) for row in _rows(connection, found))


def verdicts(connection: Connection) -> dict[int, str]:
    """Return what the second grading of each attempt came to."""
    found = select(Certification.attempt, Certification.verdict)
    return {row.attempt: row.verdict for row in connection.execute(found)}


def all_refunds(connection: Connection) -> Iterator[StoredRefund]:
    """Yield everything that went back for games that were not played."""
    cancelled = select(
        Cancellation.ticket,
        Cancellation.first_cancelled,
        Cancellation.cents,
        Cancellation.drawer,
        Cancellation.entry,
    )
    for ticket, first, cents, drawer, entry in _rows(connection, cancelled):
        yield StoredRefund(ticket, first, None, cents, drawer, entry)
    void = select(Refund.ticket, Refund.game, Refund.cents, Refund.drawer, Refund.entry)
    for ticket, game, cents, drawer, entry in _rows(connection, void):
        yield StoredRefund(ticket, None, game, cents, drawer, entry)


def all_payouts(connection: Connection) -> Iterator[StoredPayout]:
    """Yield every payment, by ticket."""
    found = select(
        Payout.ticket,
        Payout.cents,
        Payout.paid_by,
        Payout.drawer,
        Payout.staff,
        Payout.approver,
        Payout.manager,
        Payout.paid_at,
        Payout.entry,
    ).order_by(Payout.ticket)
    yield from (StoredPayout(*row) for row in _rows(connection, found))


def all_expiries(connection: Connection) -> dict[int, StoredExpiry]:
    """Return what of each ticket expired."""
    found = select(Expiry.ticket, Expiry.cents, Expiry.expired_at, Expiry.entry)
    return {row.ticket: StoredExpiry(*row) for row in connection.execute(found)}


def all_presented(connection: Connection) -> dict[int, datetime]:
    """Return when each ticket was presented that could not be paid then."""
    found = select(Presentation.ticket, Presentation.presented_at)
    return {row.ticket: row.presented_at for row in connection.execute(found)}


def all_contacts(connection: Connection) -> Iterator[StoredContact]:
    """Yield every act within a contact, in the order of their entries."""
    found = (
        select(
            ContactAct.entry,
            Station.code,
            ContactAct.contact,
            ContactAct.player_card,
            ContactAct.gaming_day,
            ContactAct.ticket,
            ContactAct.in_cents,
            ContactAct.out_cents,
            ContactAct.cash_in_cents,
            ContactAct.cash_out_cents,
        )
        .join(Station, Station.id == ContactAct.station)
        .order_by(ContactAct.entry)
    )
    yield from (StoredContact(*row) for row in _rows(connection, found))


def all_approvals(connection: Connection) -> Iterator[StoredApproval]:
    """Yield every approval of a payment."""
    found = select(Approval.ticket, Approval.tier, Staff.code, Approval.cents, Approval.entry).join(
        Staff, Staff.id == Approval.staff
    )
    yield from (StoredApproval(*row) for row in _rows(connection, found))


def all_papers(connection: Connection) -> Iterator[StoredPaper]:
    """Yield every win that stands on a paper."""
    found = select(
        ReportedWin.ticket,
        ReportedWin.game,
        ReportedWin.win_cents,
        ReportedWin.wager_cents,
        ReportedWin.entry,
    )
    yield from (StoredPaper(*row) for row in _rows(connection, found))


def all_drawers(connection: Connection) -> Iterator[StoredDrawer]:
    """Yield every drawer."""
    found = (
        select(
            Drawer.id, Station.code, Staff.code, Drawer.opened_at, Drawer.closed_at, Drawer.entry
        )
        .join(Station, Station.id == Drawer.station)
        .join(Staff, Staff.id == Drawer.staff)
        .order_by(Drawer.id)
    )
    yield from (StoredDrawer(*row) for row in _rows(connection, found))


def all_counts(connection: Connection) -> Iterator[StoredCount]:
    """Yield every count of a drawer."""
    found = select(DrawerCount.drawer, DrawerCount.closing, DrawerCount.cents, DrawerCount.entry)
    yield from (StoredCount(*row) for row in _rows(connection, found))


def all_tickets(connection: Connection) -> Iterator[StoredTicket]:
    """Yield every ticket, by number."""
    found = (
        select(
            Ticket.number,
            Ticket.series,
            Ticket.first_game,
            Ticket.last_game,
            Ticket.games,
            Ticket.play,
            Ticket.card,
            Ticket.price_per_game_cents,
            Ticket.price_cents,
            Ticket.tendered_cents,
            Ticket.drawer,
            Ticket.sold_at,
            Ticket.entry,
            Station.code,
            Staff.code,
            Ticket.prints_expiry,
        )
        .outerjoin(Station, Station.id == Ticket.station)
        .outerjoin(Staff, Staff.id == Ticket.staff)
        .order_by(Ticket.number)
    )
    yield from (StoredTicket(*row) for row in _rows(connection, found))


def all_voids(connection: Connection) -> Iterator[StoredVoid]:
    """Yield every void, by ticket."""
    approver = aliased(Staff)
    found = (
        select(
            Void.ticket,
            Void.drawer,
            Void.voided_at,
            Void.entry,
            Void.with_code,
            Void.reason,
            Station.code,
            Staff.code,
            approver.code,
        )
        .outerjoin(Station, Station.id == Void.station)
        .outerjoin(Staff, Staff.id == Void.staff)
        .outerjoin(approver, approver.id == Void.approver)
        .order_by(Void.ticket)
    )
    yield from (StoredVoid(*row) for row in _rows(connection, found))


def all_games(connection: Connection) -> Iterator[StoredGame]:
    """Yield every game, by series and number."""
    found = select(
        Game.series,
        Game.number,
        Game.state,
        Game.card,
        Game.opened_at,
        Game.locked_at,
        Game.tickets,
        Game.handle_cents,
        Game.lock_entry,
    ).order_by(Game.series, Game.number)
    yield from (StoredGame(*row) for row in _rows(connection, found))


def all_postings(connection: Connection) -> Iterator[StoredPosting]:
    """Yield every leg, by entry."""
    found = select(
        Posting.entry, Posting.account, Posting.drawer, Posting.kind, Posting.cents
    ).order_by(Posting.entry, Posting.place)
    yield from (StoredPosting(*row) for row in _rows(connection, found))


def all_tender(connection: Connection) -> Iterator[StoredTender]:
    """Yield every part of every tender, by ticket."""
    found = select(Tender.ticket, Tender.kind, Tender.cents, Tender.serial).order_by(
        Tender.ticket, Tender.place
    )
    yield from (StoredTender(*row) for row in _rows(connection, found))


def coupons(connection: Connection) -> dict[str, int | None]:
    """Return which ticket each coupon is spent on."""
    return {row.serial: row.ticket for row in connection.execute(select(Coupon.__table__))}


def card_hashes(connection: Connection) -> dict[int, bytes]:
    """Return the hash of each version of the rate card."""
    return {row.id: row.hash for row in connection.execute(select(Card.id, Card.hash))}


def card_files(connection: Connection) -> dict[int, str]:
    """Return the file of each version of the rate card."""
    return {row.id: row.file for row in connection.execute(select(Card.id, Card.file))}


def first_games(connection: Connection) -> dict[str, int]:
    """Return the number of the first game of each series."""
    found = select(Series.code, Series.first_game)
    return {row.code: row.first_game for row in connection.execute(found)}


def last_ticket_number(connection: Connection) -> int:
    """Return the number that was given last."""
    found = select(Counter.value).where(Counter.name == "ticket")
    return connection.execute(found).scalar_one()


def log_nodes(connection: Connection) -> dict[tuple[int, int], bytes]:
    """Return the stored roots of full tiles."""
    found = select(LogNode.level, LogNode.place, LogNode.hash)
    return {(row.level, row.place): row.hash for row in connection.execute(found)}


def pending_entries(connection: Connection) -> set[int]:
    """Return the entries that are noted as having no place yet."""
    return set(connection.execute(select(LogPending.entry)).scalars())


def head_rows(connection: Connection) -> int:
    """Return how many heads there are; there is one."""
    return len(connection.execute(select(LogHead.id)).all())


def _rows(connection: Connection, found: Executable) -> Iterator[Any]:
    with connection.execute(found.execution_options(yield_per=1000)) as rows:
        yield from rows
