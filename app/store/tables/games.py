"""Games: a row from opening on; games still to come are only numbers."""

from enum import StrEnum

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Amount, Code, Moment, Number, Ref, Table, one_of


class GameState(StrEnum):
    """The states of a game. Only an open one is sold for, and a locked one never opens again."""

    OPEN = "open"
    LOCKED = "locked"
    DRAWN = "drawn"
    SETTLED = "settled"
    CERTIFIED = "certified"
    VOID = "void"
    FROZEN = "frozen"


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
    lock_entry: Mapped[Ref | None] = mapped_column(ForeignKey("log_entry.id"), unique=True)

    __table_args__ = (
        CheckConstraint(one_of("state", GameState), "state"),
        CheckConstraint("number >= 1", "number"),
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
