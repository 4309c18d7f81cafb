"""Money out for winning tickets, and everything that must be there before it goes (15.6(b))."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.amounts import Amount as AmountName
from app.store.tables.base import (
    Amount,
    Code,
    Day,
    Digest,
    Document,
    Moment,
    Number,
    Ref,
    Table,
    Words,
    one_of,
)


class PaidBy(StrEnum):
    """How a win is paid (15.6(a))."""

    CASH = "cash"
    CHECK = "check"


class Tier(StrEnum):
    """Who approves: a supervisor of keno, and above another amount a manager outside keno."""

    SUPERVISOR = "supervisor"
    MANAGER = "manager"


class HouseAmount(Table):
    """An amount that the house has set for itself, from a day on."""

    __tablename__ = "house_amount"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    name: Mapped[Code]
    from_day: Mapped[Day]
    cents: Mapped[Amount]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))

    __table_args__ = (
        CheckConstraint(one_of("name", AmountName), "name"),
        CheckConstraint("cents > 0", "cents"),
        CheckConstraint("manager <> staff", "two_people"),
    )


class Presentation(Table):
    """A ticket was brought in time, and could not be paid yet: it stays payable."""

    __tablename__ = "presentation"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    why: Mapped[Code]
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    presented_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)


class Approval(Table):
    """Somebody approved that a ticket is paid so much, having seen these facts (15.6(b))."""

    __tablename__ = "approval"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), index=True)
    tier: Mapped[Code] = mapped_column(primary_key=True)
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    cents: Mapped[Amount]
    seen: Mapped[Document]  # the two gradings, side by side
    given_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)

    __table_args__ = (CheckConstraint(one_of("tier", Tier), "tier"),)


class TaxPaper(Table):
    """The paper for a game's wins that must be reported is filled in; who it is for is sealed."""

    __tablename__ = "tax_paper"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), index=True)
    game: Mapped[Number]
    win_cents: Mapped[Amount]
    wager_cents: Mapped[Amount]
    due_at_cents: Mapped[Amount]  # the amount at which it is due, on that day
    sealed: Mapped[bytes] = mapped_column(LargeBinary)  # name and number, encrypted
    salted: Mapped[Digest]  # what the log has of them
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    done_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)


class ReportedWin(Table):
    """A ticket's win in one game stands on a paper: on one at most."""

    __tablename__ = "reported_win"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    game: Mapped[Number] = mapped_column(primary_key=True)
    win_cents: Mapped[Amount]
    wager_cents: Mapped[Amount]
    entry: Mapped[Ref] = mapped_column(ForeignKey("tax_paper.entry"), index=True)

    __table_args__ = (CheckConstraint("win_cents > 0 AND wager_cents >= 0", "cents"),)


class Payout(Table):
    """A winning ticket was paid: once."""

    __tablename__ = "payout"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    cents: Mapped[Amount]
    paid_by: Mapped[Code]
    check_number: Mapped[Code | None] = mapped_column(unique=True)
    payee: Mapped[bytes | None] = mapped_column(LargeBinary)  # encrypted
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    # None: a claim of a lost ticket, which is paid at no window.
    drawer: Mapped[Ref | None] = mapped_column(ForeignKey("drawer.id"), index=True)
    approver: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref | None] = mapped_column(ForeignKey("staff.id"))
    with_code: Mapped[bool]
    reason: Mapped[Words | None]  # of a payment without the code
    paid_at: Mapped[Moment]
    request: Mapped[Code]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        ForeignKeyConstraint(["station", "request"], ["asked.station", "asked.request"]),
        CheckConstraint("cents > 0", "cents"),
        CheckConstraint(one_of("paid_by", PaidBy), "paid_by"),
        CheckConstraint("(paid_by = 'check') = (check_number IS NOT NULL)", "check_number"),
        CheckConstraint("(paid_by = 'check') = (payee IS NOT NULL)", "payee"),
        CheckConstraint("with_code OR (approver IS NOT NULL AND reason IS NOT NULL)", "approved"),
        CheckConstraint("approver IS NULL OR approver <> staff", "two_people"),
        CheckConstraint("manager IS NULL OR manager <> staff", "two_people_more"),
        CheckConstraint("drawer IS NOT NULL OR paid_by = 'check'", "drawer"),
    )


class LookUp(Table):
    """A win that is not paid yet was looked up without its ticket's code: one, or a list."""

    __tablename__ = "look_up"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    # Of a list: all numbers behind the first, up to the last.
    first: Mapped[Number]
    last: Mapped[Number]
    wins: Mapped[int]  # how many were shown
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    looked_at: Mapped[Moment]

    __table_args__ = (
        Index("ix_look_up_staff_last", "staff", "last"),
        CheckConstraint("first <= last AND wins >= 0", "numbers"),
    )


class LostTicket(Table):
    """Somebody says that they lost a ticket; who it is, is sealed."""

    __tablename__ = "lost_ticket"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), index=True)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)  # name and identity document, encrypted
    salted: Mapped[Digest]  # what the log has of them
    bought: Mapped[Words]  # where and when, as the patron says
    surveillance: Mapped[Words]  # the reference of the recording
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    claimed_at: Mapped[Moment]


class ShownInPart(Table):
    """What was shown for a payment without the whole code."""

    __tablename__ = "shown_in_part"
    append_only = True

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    how: Mapped[Code]
    places: Mapped[Code | None]  # where digits could be read
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)  # who the patron is, encrypted
    salted: Mapped[Digest | None]
    claim: Mapped[Ref | None] = mapped_column(ForeignKey("lost_ticket.entry"))
    procedure: Mapped[Words | None]  # of the house, by which a claim was paid before its time
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        CheckConstraint("how IN ('digits', 'identity', 'claim')", "how"),
        CheckConstraint("(how = 'digits') = (places IS NOT NULL)", "places"),
        CheckConstraint(
            "(how = 'identity') = (sealed IS NOT NULL) AND (sealed IS NULL) = (salted IS NULL)",
            "identity",
        ),
        CheckConstraint("(how = 'claim') = (claim IS NOT NULL)", "claim"),
        CheckConstraint("procedure IS NULL OR how = 'claim'", "procedure"),
    )


class CodeTries(Table):
    """Tries of a part of a ticket's code: when the ticket will have all of its tries again."""

    __tablename__ = "code_tries"

    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    full_at: Mapped[Moment]


class ContactAct(Table):
    """An act within a patron contact, and the cash that went in and out by it (X-pay-cash-log)."""

    __tablename__ = "contact_act"
    append_only = True

    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), primary_key=True)
    station: Mapped[Ref] = mapped_column(ForeignKey("station.id"))
    contact: Mapped[Code]
    player_card: Mapped[Code | None]
    gaming_day: Mapped[Day]
    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"))
    in_cents: Mapped[Amount]  # all that the patron gave, in whatever kind
    out_cents: Mapped[Amount]
    cash_in_cents: Mapped[Amount]  # of it currency and coin
    cash_out_cents: Mapped[Amount]

    __table_args__ = (
        Index("ix_contact_act_contact", "gaming_day", "station", "contact"),
        Index("ix_contact_act_player_card", "gaming_day", "player_card"),
        CheckConstraint("in_cents >= 0 AND out_cents >= 0", "cents"),
    )
