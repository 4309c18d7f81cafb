"""Running by itself: who calls the games, and what boards and stations are told."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from app.store.tables.base import Code, Document, Id, Moment, Name, Number, Table


class Lease(Table):
    """Who does something that only one may do, and how often it has changed hands.

    Whoever has it renews `until`; who waits for it takes over when that has not changed for long.
    """

    __tablename__ = "lease"

    name: Mapped[Code] = mapped_column(primary_key=True)
    holder: Mapped[Name]
    fence: Mapped[Number]
    until: Mapped[Moment]
    clock_since: Mapped[Moment | None]  # from when on the last jump of the clock was measured


class FeedEvent(Table):
    """Something that happened to a game, for whoever watches."""

    __tablename__ = "feed_event"
    append_only = True

    id: Mapped[Id]
    kind: Mapped[Code]
    series: Mapped[Code]
    game: Mapped[Number]
    facts: Mapped[Document]
    happened_at: Mapped[Moment]

    __table_args__ = (
        Index("ix_feed_event_series_game", "series", "game"),
        {"postgresql_partition_by": "RANGE (id)"},
    )
