"""Tickets, and what became of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, bindparam, false, func, or_, select

from app.keno.tender import Tender, TenderKind
from app.store.tables import Asked, Card, Game, GameState, LogEntry, Staff, Station, Ticket, Void
from app.store.tables import Tender as TenderRow

LOOKED_AT = 2_000
_TICKET = (
    select(
        Ticket.number,
        Ticket.series,
        Ticket.first_game,
        Ticket.last_game,
        Ticket.games,
        Ticket.type,
        Ticket.source,
        Ticket.replay_of,
        Ticket.play,
        Ticket.card,
        Card.hash.label("card_hash"),
        Ticket.price_per_game_cents,
        Ticket.price_cents,
        Ticket.tendered_cents,
        Ticket.station,
        Station.code.label("station_code"),
        Staff.code.label("writer_code"),
        Ticket.sold_at,
        Ticket.prints_expiry,
        Ticket.code_key,
        LogEntry.leaf,
        Game.state.label("first_game_state"),
        Void.voided_at,
    )
    .join(Card, Card.id == Ticket.card)
    .join(Station, Station.id == Ticket.station)
    .join(Staff, Staff.id == Ticket.staff)
    .join(LogEntry, LogEntry.id == Ticket.entry)
    .join(Game, (Game.series == Ticket.series) & (Game.number == Ticket.first_game))
    .outerjoin(Void, Void.ticket == Ticket.number)
    .where(Ticket.number == bindparam("number"))
)

_TENDER = (
    select(TenderRow.kind, TenderRow.cents, TenderRow.serial)
    .where(TenderRow.ticket == bindparam("ticket"))
    .order_by(TenderRow.place)
)

_ANSWERED = select(Asked.staff, Asked.content, Asked.answer).where(
    Asked.station == bindparam("station"), Asked.request == bindparam("request")
)


@dataclass(frozen=True)
class TicketRow:
    """A ticket as it was sold, with its void if it has one."""

    number: int
    series: str
    first_game: int
    last_game: int
    games: int
    type: str
    source: str
    replay_of: int | None
    play: Any
    card: int
    card_hash: bytes
    price_per_game_cents: int
    price_cents: int
    tendered_cents: int
    station: int
    station_code: str
    writer_code: str
    sold_at: datetime
    prints_expiry: datetime | None
    code_key: int
    leaf: bytes
    first_game_state: GameState
    voided_at: datetime | None


@dataclass(frozen=True)
class Answered:
    """What was asked for under a request id, by whom, and what they were answered."""

    staff: int | None  # none: of an act that nobody is ever to do
    content: bytes
    answer: Any


@dataclass(frozen=True)
class VoidRow:
    """One line of the daily list of voided tickets."""

    ticket: int
    issued_at: str
    voided_at_station: str
    voided_by: str
    approver: int | None
    with_code: bool
    reason: str
    price_cents: int
    voided_at: datetime


def ticket(connection: Connection, number: int) -> TicketRow | None:
    """Return a ticket by its number."""
    row = connection.execute(_TICKET, {"number": number}).first()
    if row is None:
        return None
    fields = dict(row._mapping)  # noqa: SLF001  a row's own way to be read
    fields["first_game_state"] = GameState(fields["first_game_state"])
    return TicketRow(**fields)


def newest_at(connection: Connection, station: int, series: str, game: int, most: int) -> list[Any]:
    """Return the newest tickets of a station that begin in a game: number, price, time, void.

    Looked for among the last tickets of the house only, however many there are.
    """
    last = select(func.max(Ticket.number)).scalar_subquery()
    found = (
        select(Ticket.number, Ticket.price_cents, Ticket.sold_at, Void.voided_at)
        .outerjoin(Void, Void.ticket == Ticket.number)
        .where(
            Ticket.number > last - LOOKED_AT,
            Ticket.series == series,
            Ticket.first_game == game,
            Ticket.station == station,
        )
        .order_by(Ticket.number.desc())
        .limit(most)
    )
    return list(connection.execute(found))


def newest_at_station(connection: Connection, station: int, most: int) -> list[Any]:
    """Return the newest tickets of a station, whichever game they begin in.

    Looked for among the last tickets of the house only, however many there are.
    """
    last = select(func.max(Ticket.number)).scalar_subquery()
    found = (
        select(
            Ticket.number,
            Ticket.entry,
            Ticket.series,
            Ticket.first_game,
            Ticket.last_game,
            Ticket.price_cents,
            Ticket.sold_at,
            Void.voided_at,
        )
        .outerjoin(Void, Void.ticket == Ticket.number)
        .where(Ticket.number > last - LOOKED_AT, Ticket.station == station)
        .order_by(Ticket.number.desc())
        .limit(most)
    )
    return list(connection.execute(found))


def tender_of(connection: Connection, number: int) -> list[Tender]:
    """Return what a ticket was paid with."""
    found = connection.execute(_TENDER, {"ticket": number})
    return [Tender(TenderKind(kind), cents, serial) for kind, cents, serial in found]


def answered(connection: Connection, station: int, request: str) -> Answered | None:
    """Return what was asked for at a station under a request id, by whom, and the answer."""
    row = connection.execute(_ANSWERED, {"station": station, "request": request}).first()
    return None if row is None else Answered(row.staff, row.content, row.answer)


def answered_any(connection: Connection, asked: Iterable[tuple[int, str]]) -> set[tuple[int, str]]:
    """Return which of several requests, each by its station and id, were answered before."""
    # One by one, by the key: SQLite would compare a list of pairs with every row there is.
    each = [and_(Asked.station == station, Asked.request == request) for station, request in asked]
    found = select(Asked.station, Asked.request).where(or_(false(), *each))
    return {(row.station, row.request) for row in connection.execute(found)}


def voids_between(connection: Connection, start: datetime, end: datetime) -> list[VoidRow]:
    """Return the tickets voided in a period, under the station that issued them (15.4(e)-list)."""
    issuing, voiding = Station.__table__.alias("issuing"), Station.__table__.alias("voiding")
    found = (
        select(
            Void.ticket,
            issuing.c.code,
            voiding.c.code,
            Staff.code,
            Void.approver,
            Void.with_code,
            Void.reason,
            Ticket.price_cents,
            Void.voided_at,
        )
        .join(Ticket, Ticket.number == Void.ticket)
        .join(issuing, issuing.c.id == Ticket.station)
        .join(voiding, voiding.c.id == Void.station)
        .join(Staff, Staff.id == Void.staff)
        .where(Void.voided_at >= start, Void.voided_at < end)
        .order_by(issuing.c.code, Void.ticket)
    )
    return [VoidRow(*row) for row in connection.execute(found)]
