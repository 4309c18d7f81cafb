"""The rows that the checks of the books look at, as plain values (`app.audit.books`).

Nothing is summed or judged here.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any


@dataclass(frozen=True)
class StoredEntry:
    """An entry of the log, and what it says."""

    id: int
    tag: str
    body: dict[str, Any]


@dataclass(frozen=True)
class StoredCard:
    """A version of the rate card, and the file that its entry has of it."""

    id: int
    hash: bytes
    file: str
    told: str | None  # none if there is no such entry, or it is not at hand


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
class StoredSettlement:
    """What a game was settled for, and what the second grading said of it, if it was made."""

    series: str
    game: int
    attempt: int
    tickets: int
    handle_cents: int
    winners: int
    win_cents: int
    paid_cents: int
    wins_digest: bytes
    verdict: str | None
    judged_at: datetime | None

    @property
    def sums(self) -> tuple[int, int, int, int, int, bytes]:
        """Everything that it comes to."""
        counts = (self.tickets, self.handle_cents, self.winners)
        return (*counts, self.win_cents, self.paid_cents, self.wins_digest)


@dataclass(frozen=True)
class StoredGame:
    """A game's own row, what its LOCK entry says, and its settlements, the newest last."""

    series: str
    number: int
    state: str
    card: int
    opened_at: datetime
    locked_at: datetime | None
    tickets: int | None
    handle_cents: int | None
    lock_entry: int | None
    lock_told: dict[str, Any] | None  # none if there is no such entry, or it is no LOCK
    settlements: tuple[StoredSettlement, ...]

    @property
    def lock(self) -> int | None:
        """The entry that tells of its lock: the one of its row, if it is about this game."""
        told = self.lock_told or {}
        of_this = (told.get("series"), told.get("game")) == (self.series, self.number)
        return self.lock_entry if of_this else None

    @property
    def settled(self) -> StoredSettlement | None:
        """The settlement that counts."""
        return self.settlements[-1] if self.settlements else None


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
    entry: int
    told: dict[str, Any] | None  # what its entry says


@dataclass(frozen=True)
class StoredRefund:
    """What went back for games of a ticket: its rest from a game on, or one game that was void."""

    ticket: int
    cancelled_from: int | None
    void_game: int | None
    cents: int
    drawer: int
    entry: int
    at: datetime


@dataclass(frozen=True)
class StoredPayout:
    """The payment of a ticket."""

    ticket: int
    cents: int
    paid_by: str
    drawer: int | None
    paid_at: datetime
    entry: int


@dataclass(frozen=True)
class StoredLoss:
    """A ticket that was reported lost."""

    ticket: int
    claimed_at: datetime
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
    close_entry: int | None  # of its closing count


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
class StoredCopy:
    """A paper was printed again."""

    paper: int
    copy: int
    entry: int


@dataclass(frozen=True)
class StoredStep:
    """A step of what became of a paper, or of a copy of it."""

    paper: int
    copy: int
    state: str
    kicked: bool


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
