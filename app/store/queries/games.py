"""Games, and the tickets that play them."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select

from app.store.tables import Card, Game, GameState, LogCheckpoint, Ticket, Void

_OPEN = (
    select(
        Game.number,
        Game.card,
        Card.hash.label("card_hash"),
        Game.closes_at,
        Game.opened_at,
        select(LogCheckpoint.note)
        .where(LogCheckpoint.game.is_not(None))
        .order_by(LogCheckpoint.size.desc())
        .limit(1)
        .scalar_subquery()
        .label("seal"),
        select(LogCheckpoint.game)
        .where(LogCheckpoint.game.is_not(None))
        .order_by(LogCheckpoint.size.desc())
        .limit(1)
        .scalar_subquery()
        .label("sealed_game"),
    )
    .join(Card, Card.id == Game.card)
    .where(Game.series == bindparam("series"), Game.state == GameState.OPEN.value)
)


@dataclass(frozen=True)
class OpenGame:
    """The open game of a series, with the newest seal that is known."""

    number: int
    card: int
    card_hash: bytes
    opened_at: datetime
    closes_at: datetime | None
    seal: str | None
    sealed_game: str | None


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


@dataclass(frozen=True)
class SoldFile:
    """What was sold for a game: the live tickets, their price for it, and the cards they are on."""

    tickets: int
    handle_cents: int
    card_hashes: list[bytes]


def open_game(connection: Connection, series: str) -> OpenGame | None:
    """Return the open game of a series."""
    row = connection.execute(_OPEN, {"series": series}).first()
    if row is None:
        return None
    return OpenGame(
        number=row.number,
        card=row.card,
        card_hash=row.card_hash,
        opened_at=row.opened_at,
        closes_at=row.closes_at,
        seal=row.seal,
        sealed_game=row.sealed_game,
    )


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


def sold_file(connection: Connection, series: str, number: int) -> SoldFile:
    """Return what was sold for a game: of every ticket that plays it and is not void."""
    live = (
        Ticket.series == series,
        Ticket.last_game >= number,
        Ticket.first_game <= number,
        ~select(Void.ticket).where(Void.ticket == Ticket.number).exists(),
    )
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
