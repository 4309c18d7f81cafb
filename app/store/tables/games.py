"""Games: a row from opening on; games still to come are only numbers."""

from sqlalchemy import CheckConstraint, ForeignKey, ForeignKeyConstraint, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.keno.game import GameState
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


class Game(Table):
    """One game of a series, on the card that was in force when it opened."""

    __tablename__ = "game"

    series: Mapped[Code] = mapped_column(ForeignKey("series.code"), primary_key=True)
    number: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    state: Mapped[Code]
    card: Mapped[Ref] = mapped_column(ForeignKey("card.id"))
    opened_at: Mapped[Moment]
    closes_at: Mapped[Moment | None]
    locked_at: Mapped[Moment | None]
    tickets: Mapped[int | None]  # as they were at the lock
    handle_cents: Mapped[Amount | None]
    lock_entry: Mapped[Ref | None] = mapped_column(ForeignKey("act.id"), unique=True)
    gaming_day: Mapped[Code | None]  # of its lock
    held_why: Mapped[Words | None]  # why it could not be drawn now, if it could not
    held_until: Mapped[Moment | None]  # how long it is sold for in spite of that

    __table_args__ = (
        CheckConstraint(one_of("state", GameState), "state"),
        CheckConstraint("number >= 1", "number"),
        Index("ix_game_gaming_day", "gaming_day"),
        CheckConstraint("(state = 'open') = (locked_at IS NULL)", "locked_at"),
        CheckConstraint("(state = 'open') = (tickets IS NULL)", "tickets"),
        CheckConstraint("(state = 'open') = (handle_cents IS NULL)", "handle"),
        CheckConstraint("(state = 'open') = (lock_entry IS NULL)", "lock_entry"),
        Index(
            "uq_game_one_open",
            "series",
            unique=True,
            sqlite_where=text("state = 'open'"),
            postgresql_where=text("state = 'open'"),
        ),
    )


class Override(Table):
    """A supervisor changed when an open game closes, and why (15.5(e))."""

    __tablename__ = "override"
    append_only = True

    id: Mapped[Id]
    series: Mapped[Code]
    game: Mapped[Number]
    closed_before: Mapped[Moment | None]
    closes_now: Mapped[Moment | None]
    reason: Mapped[Words]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (ForeignKeyConstraint(["series", "game"], ["game.series", "game.number"]),)


class LockStatement(Table):
    """What the keyed processes are asked to draw: built once, and always sent again as it is."""

    __tablename__ = "lock_statement"
    append_only = True

    series: Mapped[Code] = mapped_column(primary_key=True)
    game: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    request: Mapped[Document]  # the statement, signed, and the seal of its game

    __table_args__ = (ForeignKeyConstraint(["series", "game"], ["game.series", "game.number"]),)


class VoidStatement(Table):
    """What the keyed processes are asked to void, and who asks why; sent again as it is."""

    __tablename__ = "void_statement"
    append_only = True

    series: Mapped[Code] = mapped_column(primary_key=True)
    game: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    statement: Mapped[Document]
    staff: Mapped[Ref] = mapped_column(ForeignKey("staff.id"))
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (ForeignKeyConstraint(["series", "game"], ["game.series", "game.number"]),)


class Outcome(Table):
    """What became of a locked game: the signed record of its draw, or of its void (X-draw-once)."""

    __tablename__ = "outcome"
    append_only = True

    series: Mapped[Code] = mapped_column(primary_key=True)
    game: Mapped[Number] = mapped_column(primary_key=True, autoincrement=False)
    numbers: Mapped[Document | None]  # in the order drawn; none if it is void
    document: Mapped[Document]  # everything that a check of it needs beside public keys
    record: Mapped[Digest]  # the hash of the record, on which the next game of the series builds
    ended_at: Mapped[Moment]
    entry: Mapped[Ref] = mapped_column(ForeignKey("act.id"), unique=True)

    __table_args__ = (ForeignKeyConstraint(["series", "game"], ["game.series", "game.number"]),)
