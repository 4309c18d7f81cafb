"""Slips as values: everything that a paper says, and nothing about how it looks.

Amounts are whole cents. Times are given in the time zone of the house, because that is what the
paper shows. The validation code of a ticket is not here: it is put into the bytes when they are
sent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True)
class Group:
    """Numbers that are played together; a king is one by itself that goes with any group."""

    letter: str
    numbers: Sequence[int]
    is_king: bool = False


@dataclass(frozen=True)
class Wager:
    """A line of the conditioning: so many ways of so many spots, at a rate for each way."""

    ways: int
    spots: int
    rate_cents: int
    schedule: str = "regular"

    @property
    def price_cents(self) -> int:
        """What it costs in a game."""
        return self.ways * self.rate_cents


@dataclass(frozen=True)
class Limit:
    """All that is paid for one game, and how it is shared when more was won (15.4(c)11)."""

    aggregate_cents: int
    in_full_below_cents: int


@dataclass(frozen=True)
class Seal:
    """The newest seal known when a ticket was sold: of which game, and its short form."""

    game: str
    text: str


@dataclass(frozen=True)
class TicketSlip:
    """A ticket, with the thirteen items of 15.4(c) and all else that it must show."""

    house: str
    number: str  # with its check digit
    sold_at: datetime  # 1
    station: str  # 2
    groups: Sequence[Group]  # 3
    games: int  # 4
    first_game: str  # 5
    last_game: str
    conditioning: str  # 6
    wagers: Sequence[Wager]  # 7 and 8
    price_cents: int  # 9
    writer: str  # 10
    limit: Limit | None  # 11
    expires_at: datetime  # 13; 12 is a sentence
    claim_minutes: int
    quick_pick: bool
    rate_card: str
    previous_seal: Seal | None
    replay_of: str | None = None
    is_practice: bool = False  # it is no ticket, and has no code


@dataclass(frozen=True)
class Done:
    """By whom, where and when something was done, and on whose word."""

    house: str
    at: datetime
    station: str
    writer: str
    approver: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Part:
    """An amount with its name: a kind of money, a denomination, a game."""

    name: str
    cents: int


@dataclass(frozen=True)
class VoidSlip:
    """A ticket is void, and this went back for it (X-void-slip)."""

    done: Done
    number: str
    issued_at: str
    back: Sequence[Part]


@dataclass(frozen=True)
class RefundSlip:
    """Games of a ticket that were not played, and what went back for them (15.4(d)-refund)."""

    done: Done
    number: str
    cancelled: str | None  # from which game until which
    void_games: Sequence[str]
    back: Sequence[Part]
    coupon_cents: int


@dataclass(frozen=True)
class PayoutSlip:
    """A ticket is paid: for which games, how much, how, and who signs (15.6(a), 15.6(b))."""

    done: Done
    number: str
    wins: Sequence[Part]
    refund_cents: int
    paid_by: str
    manager: str | None
    with_code: bool
    signature: bool
    # Where digits of its code could be read; of a ticket that goes into an envelope.
    places: str | None = None

    @property
    def total_cents(self) -> int:
        """What is handed over."""
        return sum(win.cents for win in self.wins) + self.refund_cents


@dataclass(frozen=True)
class Shared:
    """What a winning ticket won in a game, and what of it is paid."""

    number: str
    won_cents: int
    paid_cents: int


@dataclass(frozen=True)
class AggregateSheet:
    """A game whose wins passed its limit, and how the limit was shared (X-aggregate-sheet)."""

    house: str
    game: str
    at: datetime
    limit: Limit
    won_cents: int
    paid_cents: int
    shares: Sequence[Shared]
    part: int = 1
    parts: int = 1


@dataclass(frozen=True)
class MovementSlip:
    """Money that went from the bank into a drawer, or back."""

    done: Done
    drawer: int
    is_fill: bool
    parts: Sequence[Part]


@dataclass(frozen=True)
class CountSlip:
    """What two people counted in a drawer; at its close, also what should have been there."""

    done: Done
    drawer: int
    keeper: str
    verifier: str
    parts: Sequence[Part]
    expected_cents: int | None  # none at the opening
    tickets_missing: Sequence[str] = ()

    @property
    def counted_cents(self) -> int:
        """What was counted."""
        return sum(part.cents for part in self.parts)


@dataclass(frozen=True)
class ShiftReport:
    """A shift in figures."""

    done: Done
    drawer: int
    opened_at: datetime
    figures: Sequence[Part]
    hold: str | None


@dataclass(frozen=True)
class DrawRecord:
    """The twenty numbers of a game, with what proves them (15.5(a)-record)."""

    house: str
    game: str
    day: date
    drawn_at: datetime
    numbers: Sequence[int]  # in the order in which they were drawn
    record: str
    seal: str


@dataclass(frozen=True)
class TestPage:
    """Everything that a printer must be able to do, on one page."""

    house: str
    printer: str
    at: datetime


@dataclass(frozen=True)
class PrinterChange:
    """A station prints on another printer of its location, or on its own again."""

    house: str
    at: datetime
    station: str
    before: str
    after: str
    by: str
    until: datetime | None  # none: it is its own


Slip = (
    TicketSlip
    | VoidSlip
    | RefundSlip
    | PayoutSlip
    | AggregateSheet
    | MovementSlip
    | CountSlip
    | ShiftReport
    | DrawRecord
    | TestPage
    | PrinterChange
)
