"""Wins: graded in attempts, made valid by one row, certified or frozen (X-grade-twice)."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import (
    Amount,
    Code,
    Digest,
    Document,
    Id,
    Moment,
    Number,
    Ref,
    Table,
    Words,
    one_of,
)


class Attempt(Table):
    """A grading that was begun; its wins count only if a settlement names it."""

    __tablename__ = "attempt"
    append_only = True

    id: Mapped[Id]
    series: Mapped[Code]
    game: Mapped[Number]
    begun_at: Mapped[Moment]

    __table_args__ = (ForeignKeyConstraint(["series", "game"], ["game.series", "game.number"]),)


class Win(Table):
    """What a ticket won in a game; tickets that won nothing have no row."""

    __tablename__ = "win"
    append_only = True

    attempt: Mapped[Ref] = mapped_column(ForeignKey("attempt.id"), primary_key=True)
    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    uncut_cents: Mapped[Amount]  # rounded once
    cents: Mapped[Amount]  # and cut to the card's limit

    __table_args__ = (
        CheckConstraint("cents > 0 AND cents <= uncut_cents", "cents"),
        {"postgresql_partition_by": "RANGE (attempt)"},
    )


class Settlement(Table):
    """A game is settled: this attempt counts, and this is what it comes to.

    One for each grading: a game that was released from a freeze is settled again.
    """

    __tablename__ = "settlement"
    append_only = True

    attempt: Mapped[Ref] = mapped_column(ForeignKey("attempt.id"), primary_key=True)
    series: Mapped[Code]
    game: Mapped[Number]
    run: Mapped[int]
    tickets: Mapped[int]
    handle_cents: Mapped[Amount]
    winners: Mapped[int]
    win_cents: Mapped[Amount]
    paid_cents: Mapped[Amount]  # what the winners get, after the aggregate limit
    limit_cents: Mapped[Amount | None]
    in_full_below_cents: Mapped[Amount]
    wins_digest: Mapped[Digest]
    settled_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (
        UniqueConstraint("series", "game", "run"),
        ForeignKeyConstraint(["series", "game"], ["game.series", "game.number"]),
        CheckConstraint("paid_cents <= win_cents", "paid"),
    )


class Share(Table):
    """What a winner gets where the aggregate limit bites: the sheet of X-aggregate-sheet."""

    __tablename__ = "share"
    append_only = True

    attempt: Mapped[Ref] = mapped_column(ForeignKey("attempt.id"), primary_key=True)
    ticket: Mapped[Number] = mapped_column(ForeignKey("ticket.number"), primary_key=True)
    cents: Mapped[Amount]


class Verdict(StrEnum):
    """What the second grading came to."""

    CERTIFIED = "certified"
    FROZEN = "frozen"


class Certification(Table):
    """The second grader's word on a settlement, with every difference that it found."""

    __tablename__ = "certification"
    append_only = True

    attempt: Mapped[Ref] = mapped_column(ForeignKey("settlement.attempt"), primary_key=True)
    verdict: Mapped[Code]
    tickets: Mapped[int]
    handle_cents: Mapped[Amount]
    winners: Mapped[int]
    differences: Mapped[Document]
    certified_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (CheckConstraint(one_of("verdict", Verdict), "verdict"),)


class Release(Table):
    """A frozen game is graded again: approved by a supervisor and a manager outside keno."""

    __tablename__ = "release"
    append_only = True

    attempt: Mapped[Ref] = mapped_column(ForeignKey("certification.attempt"), primary_key=True)
    supervisor: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    manager: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    reason: Mapped[Words]
    released_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (CheckConstraint("supervisor <> manager", "two_people"),)


class LiveTicket(Table):
    """The second grader's own book: tickets of the sealed log that still have games to play.

    Made from opened leaves alone. Nothing else reads it, and it can be made again from the log.
    """

    __tablename__ = "live_ticket"

    number: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    series: Mapped[Code] = mapped_column(index=True)
    first_game: Mapped[Number]
    last_game: Mapped[Number]
    body: Mapped[Words]


class BookHead(Table):
    """How far the second grader has read the log, and the hashes by which it knows the root."""

    __tablename__ = "book_head"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    size: Mapped[Number]
    frontier: Mapped[Document]
    locks: Mapped[Document]  # the newest locked game of each series
    faults: Mapped[Document]  # leaves that stand behind the lock of their game, by game
    cards: Mapped[Document]  # the body of each rate card, by its hash

    __table_args__ = (CheckConstraint("id = 1", "one"),)
