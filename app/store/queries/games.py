"""Games, and the tickets that play them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, select, true

from app.keno.game import OVER
from app.store.columns import Utc
from app.store.tables import (
    Cancellation,
    Card,
    Game,
    GameState,
    LocationSeries,
    LogCheckpoint,
    LogPosition,
    Override,
    Series,
    Ticket,
    Void,
)

# The first signed head that covers a place of the log.
_FIRST_HEAD = (
    select(LogCheckpoint.note)
    .where(LogCheckpoint.size > LogPosition.position)
    .order_by(LogCheckpoint.size)
    .limit(1)
    .scalar_subquery()
)
# Of all locked games that are sealed, the one that was locked last.
_SEALED = (
    select(Game.series, Game.number, _FIRST_HEAD.label("seal"))
    .join(LogPosition, LogPosition.entry == Game.lock_entry)
    .where(_FIRST_HEAD.is_not(None))
    .order_by(Game.lock_entry.desc())
    .limit(1)
    .subquery()
)
_OPEN = (
    select(
        Game.number,
        Game.card,
        Card.hash.label("card_hash"),
        Game.closes_at,
        Game.opened_at,
        Game.held_why,
        Game.held_until,
        Series.interval_seconds,
        func.clock_timestamp(type_=Utc()).label("read_at"),
        _SEALED.c.seal,
        _SEALED.c.series.label("sealed_series"),
        _SEALED.c.number.label("sealed_number"),
    )
    .join(Card, Card.id == Game.card)
    .join(Series, Series.code == Game.series)
    .outerjoin(_SEALED, true())
    .where(Game.series == bindparam("series"), Game.state == GameState.OPEN.value)
)
_OPEN_AT = _OPEN.join(
    LocationSeries,
    and_(LocationSeries.series == Game.series, LocationSeries.location == bindparam("location")),
)


@dataclass(frozen=True)
class OpenGame:
    """The open game of a series, with the newest seal that is known."""

    number: int
    card: int
    card_hash: bytes
    opened_at: datetime
    closes_at: datetime | None
    held_why: str | None
    held_until: datetime | None
    interval_seconds: int | None
    seal: str | None
    sealed_game: str | None
    read_at: datetime  # by the clock of the database

    @property
    def sells_until(self) -> datetime | None:
        """Until when it is sold: until it closes, or, held, for as long as the house settled."""
        return self.closes_at if self.held_why is None else self.held_until


@dataclass(frozen=True)
class GameRow:
    """A game that was opened."""

    series: str
    number: int
    state: GameState
    card: int
    opened_at: datetime
    closes_at: datetime | None
    locked_at: datetime | None
    tickets: int | None
    handle_cents: int | None
    lock_entry: int | None
    gaming_day: str | None
    held_why: str | None
    held_until: datetime | None


@dataclass(frozen=True)
class SoldFile:
    """What was sold for a game: the live tickets, their price for it, and the cards they are on."""

    tickets: int
    handle_cents: int
    card_hashes: list[bytes]


def open_game(connection: Connection, series: str) -> OpenGame | None:
    """Return the open game of a series."""
    return _open_game(connection.execute(_OPEN, {"series": series}).first())


def open_game_at(connection: Connection, location: str, series: str) -> OpenGame | None:
    """Return the open game of a series, if a location sells for it."""
    named = {"series": series, "location": location}
    return _open_game(connection.execute(_OPEN_AT, named).first())


def _open_game(row: Any) -> OpenGame | None:  # noqa: ANN401  a row of one of the two
    if row is None:
        return None
    return OpenGame(
        number=row.number,
        card=row.card,
        card_hash=row.card_hash,
        opened_at=row.opened_at,
        closes_at=row.closes_at,
        held_why=row.held_why,
        held_until=row.held_until,
        interval_seconds=row.interval_seconds,
        seal=row.seal,
        sealed_game=row.seal and f"{row.sealed_series}-{row.sealed_number}",
        read_at=row.read_at,
    )


def is_held_open(connection: Connection, series: str, number: int) -> bool:
    """Whether somebody said that a game does not close before it is said again."""
    found = (
        select(Override.closes_now)
        .where(Override.series == series, Override.game == number)
        .order_by(Override.entry.desc())
        .limit(1)
    )
    row = connection.execute(found).first()
    return row is not None and row.closes_now is None


def game(connection: Connection, series: str, number: int) -> GameRow | None:
    """Return a game; none if it was not opened yet."""
    found = select(Game.__table__).where(Game.series == series, Game.number == number)
    row = connection.execute(found).first()
    return None if row is None else _game(row)


def last_game(connection: Connection, series: str) -> GameRow | None:
    """Return the game of a series that was opened last."""
    found = (
        select(Game.__table__).where(Game.series == series).order_by(Game.number.desc()).limit(1)
    )
    row = connection.execute(found).first()
    return None if row is None else _game(row)


def newest_games(connection: Connection, count: int) -> list[GameRow]:
    """Return the games that were opened last, of all series."""
    found = select(Game.__table__).order_by(Game.opened_at.desc(), Game.series).limit(count)
    return [_game(row) for row in connection.execute(found)]


def card_sold_on(connection: Connection, location: str) -> int | None:
    """Return the card of the open game that a location sells for; of several, the newest."""
    found = (
        select(Game.card)
        .join(LocationSeries, LocationSeries.series == Game.series)
        .where(LocationSeries.location == location, Game.state == GameState.OPEN.value)
        .order_by(Game.opened_at.desc())
        .limit(1)
    )
    return connection.execute(found).scalar_one_or_none()


def oldest_undecided(connection: Connection, series: str) -> int:
    """Return the oldest game of a series whose tickets may still get something else for it."""
    found = select(func.min(Game.number)).where(
        Game.series == series, Game.state.not_in([state.value for state in OVER])
    )
    return connection.execute(found).scalar_one() or 0


def playing(series: str, number: int) -> tuple[ColumnElement[bool], ...]:
    """Return what is true of the tickets that play a game: not void, and not cancelled by then."""
    return (
        Ticket.series == series,
        Ticket.last_game >= number,
        Ticket.first_game <= number,
        ~select(Void.ticket).where(Void.ticket == Ticket.number).exists(),
        ~select(Cancellation.ticket)
        .where(Cancellation.ticket == Ticket.number, Cancellation.first_cancelled <= number)
        .exists(),
    )


def sold_file(connection: Connection, series: str, number: int) -> SoldFile:
    """Return what was sold for a game: of every ticket that plays it and is not void."""
    live = playing(series, number)
    count, handle = connection.execute(
        select(func.count(), func.coalesce(func.sum(Ticket.price_per_game_cents), 0)).where(*live)
    ).one()
    hashes = connection.execute(
        select(Card.hash)
        .where(Card.id.in_(select(Ticket.card).where(*live).distinct()))
        .order_by(Card.hash)
    ).scalars()
    return SoldFile(count, int(handle), list(hashes))


def _game(row: object) -> GameRow:
    fields = row._mapping  # type: ignore[attr-defined]  # noqa: SLF001  a row's own way to be read
    return GameRow(**{**fields, "state": GameState(fields["state"])})
