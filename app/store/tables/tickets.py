"""Tickets, what was paid for them, their voids, and the requests that made either."""

from enum import StrEnum

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.tender import TenderKind
from app.keno.ticket import TicketType
from app.store.tables.base import (
    Amount,
    Code,
    Digest,
    Document,
    Moment,
    Number,
    Ref,
    Table,
    Words,
    one_of,
)


class Source(StrEnum):
    """What a sale rests on; a spoken wish is none of them (15.3(b))."""

    REQUEST = "request"
    QUICK_PICK = "quick-pick"
    TICKET = "ticket"


class Asked(Table):
    """What a person asked for at a station under its request id, and what they were answered."""

    __tablename__ = "asked"
    append_only = True

    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"), primary_key=True)
    request: Mapped[Code] = mapped_column(primary_key=True)
    content: Mapped[Digest]
    answer: Mapped[Document]
    # Whose answer it is; none if it answers nothing. What the act left behind refers to them.
    staff: Mapped[Ref | None]


class Counter(Table):
    """The last number that was given, of tickets and of drawers: a queue in which all stand."""

    __tablename__ = "counter"

    name: Mapped[Code] = mapped_column(primary_key=True)
    value: Mapped[Number]


class Ticket(Table):
    """A ticket as it was sold; what became of it stands in other tables."""

    __tablename__ = "ticket"
    append_only = True

    number: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    series: Mapped[Code]
    first_game: Mapped[Number]
    last_game: Mapped[Number]
    games: Mapped[int]
    type: Mapped[Code]
    source: Mapped[Code]
    replay_of: Mapped[Number | None] = mapped_column(ForeignKey("ticket.number"))
    play: Mapped[Document]  # groups and lines, explicit
    card: Mapped[Ref] = mapped_column(ForeignKey("card.id"))
    price_per_game_cents: Mapped[Amount]
    price_cents: Mapped[Amount]
    tendered_cents: Mapped[Amount]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"))
    sold_at: Mapped[Moment]
    code_key: Mapped[int]
    request: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"))
    prints_expiry: Mapped[Moment | None]  # until when it can be claimed, as far as is known then

    __table_args__ = (
        ForeignKeyConstraint(["series", "first_game"], ["game.series", "game.number"]),
        ForeignKeyConstraint(["station", "request"], ["asked.station", "asked.request"]),
        CheckConstraint(one_of("type", TicketType), "type"),
        CheckConstraint(one_of("source", Source), "source"),
        CheckConstraint("(source = 'ticket') = (replay_of IS NOT NULL)", "replay_of"),
        CheckConstraint("number >= 1", "number"),
        CheckConstraint("games >= 1 AND last_game = first_game + games - 1", "games"),
        CheckConstraint("price_per_game_cents > 0", "price_per_game"),
        CheckConstraint("price_cents = price_per_game_cents * games", "price"),
        CheckConstraint("tendered_cents >= price_cents", "tendered"),
        # Which tickets play a game: those whose last game is not before it.
        Index("ix_ticket_series_last_game", "series", "last_game"),
        # On PostgreSQL every partition has such an index of its own.
        UniqueConstraint("entry").ddl_if(dialect="sqlite"),
        {"postgresql_partition_by": "RANGE (number)"},
    )


class Tender(Table):
    """One part of what a ticket was paid with."""

    __tablename__ = "tender"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[Code]
    cents: Mapped[Amount]
    serial: Mapped[Code | None]

    __table_args__ = (
        CheckConstraint(one_of("kind", TenderKind), "kind"),
        CheckConstraint("cents > 0", "cents"),
        CheckConstraint("(kind = 'coupon') = (serial IS NOT NULL)", "serial"),
        {"postgresql_partition_by": "RANGE (ticket)"},
    )


class Coupon(Table):
    """Which ticket a coupon is spent on: one at a time, and none once that ticket is void."""

    __tablename__ = "coupon"

    serial: Mapped[Code] = mapped_column(primary_key=True)
    ticket: Mapped[Number | None] = mapped_column(ForeignKey("ticket.number"), unique=False)


class Void(Table):
    """A ticket taken back before its game was locked (15.4(e)-void)."""

    __tablename__ = "void"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    drawer: Mapped[Ref] = mapped_column(ForeignKey("drawer.id"))
    approver: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    with_code: Mapped[bool]
    reason: Mapped[Words]
    voided_at: Mapped[Moment] = mapped_column(index=True)
    request: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        ForeignKeyConstraint(["station", "request"], ["asked.station", "asked.request"]),
        # Decision of the house: without the paper's code a supervisor approves.
        CheckConstraint("with_code OR approver IS NOT NULL", "approved"),
        CheckConstraint("approver IS NULL OR approver <> staff", "two_people"),
    )
