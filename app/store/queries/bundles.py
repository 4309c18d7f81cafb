"""What a bundle for the regulator is made of: a stretch of the log, and what it rests on.

Everything is asked for by places of the log, so that the same stretch finds the same rows however
much the house has done since (X-audit-log).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select, union
from sqlalchemy.orm import InstrumentedAttribute, aliased

from app.store.queries.house import series_codes
from app.store.queries.log import EntryRow
from app.store.queries.stretches import size_before
from app.store.tables import (
    Cancellation,
    Card,
    Certification,
    Cosigned,
    DayClose,
    Expiry,
    Game,
    HoldEnd,
    LogCheckpoint,
    LogEntry,
    LogOrigin,
    LogPosition,
    LostTicket,
    Outcome,
    Payout,
    Presentation,
    Refund,
    Release,
    Reprint,
    Resumption,
    Settlement,
    Ticket,
    Void,
)
from app.store.tables.log import IS_STANDING

BATCH = 500  # places that are asked for in one question


@dataclass(frozen=True)
class ClosedDay:
    """A day that was closed, and where in the log that stands; none: it has no place yet."""

    place: int | None


@dataclass(frozen=True)
class CarriedTicket:
    """A ticket that was sold before a stretch of the log, and the games that it plays."""

    number: int
    place: int
    series: str
    first_game: int
    last_game: int


@dataclass(frozen=True)
class UsedCard:
    """A rate card that tickets are on, and where in the log it was brought."""

    hash: bytes
    file: str
    place: int | None


# ---- the stretch ---------------------------------------------------------------------------------


def closed_day(connection: Connection, day: date) -> ClosedDay | None:
    """Return the close of a day; none if it is not closed."""
    found = (
        select(DayClose.day, LogPosition.position)
        .outerjoin(LogPosition, LogPosition.entry == DayClose.entry)
        .where(DayClose.day == day)
    )
    row = connection.execute(found).first()
    return None if row is None else ClosedDay(row.position)


def first_place(connection: Connection, begins: datetime) -> int:
    """Return where the log stood when a moment came: nothing before it happened later.

    The size of the last signed head before the first one that was signed at that moment or later.
    """
    later = select(func.min(LogCheckpoint.size)).where(LogCheckpoint.signed_at >= begins)
    before = select(func.max(LogCheckpoint.size)).where(
        LogCheckpoint.size < later.scalar_subquery()
    )
    return connection.execute(before).scalar_one_or_none() or 0


def resumption_places(connection: Connection, first: int) -> list[int]:
    """Return where before a place a restored house went on, and where holds of it ended."""
    # From the few that there are: by places SQLite would look at the whole log. So below, too.
    acts = union(select(Resumption.entry), select(HoldEnd.entry))
    found = select(LogPosition.position).where(
        LogPosition.entry.in_(acts), LogPosition.position < first
    )
    return list(connection.execute(found).scalars())


def origin_bodies(connection: Connection, size: int) -> list[str]:
    """Return what the entries below a size say by which the log got another name, in order."""
    found = (
        select(LogPosition.position, LogEntry.body)
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .where(LogEntry.id.in_(select(LogOrigin.entry)), LogPosition.position < size)
    )
    return [row.body for row in sorted(connection.execute(found), key=lambda row: row.position)]


def head_over(connection: Connection, place: int) -> tuple[int, str] | None:
    """Return size and note of the smallest cosigned head that has a place in it."""
    found = (
        select(Cosigned.size, Cosigned.note)
        .where(Cosigned.size > place)
        .order_by(Cosigned.size)
        .limit(1)
    )
    row = connection.execute(found).first()
    return None if row is None else (row.size, row.note)


def heads_between(
    connection: Connection, first: int, size: int
) -> Iterator[tuple[int, str, str | None]]:
    """Yield size, note and cosigned note of every signed head from one size to another."""
    found = (
        select(LogCheckpoint.size, LogCheckpoint.note, Cosigned.note)
        .outerjoin(Cosigned, Cosigned.size == LogCheckpoint.size)
        .where(LogCheckpoint.size >= first, LogCheckpoint.size <= size)
        .order_by(LogCheckpoint.size)
        .execution_options(yield_per=BATCH)
    )
    with connection.execute(found) as heads:
        for row in heads:
            yield row[0], row[1], row[2]


def entries_at(connection: Connection, places: Sequence[int]) -> list[EntryRow]:
    """Return the entries at some places, in the order of their places."""
    found = (
        select(
            LogEntry.id,
            LogEntry.tag,
            LogEntry.salt,
            LogEntry.body,
            LogEntry.leaf,
            LogPosition.position,
            LogEntry.archived,
        )
        .join(LogPosition, LogPosition.entry == LogEntry.id)
        .where(LogPosition.position.in_(places))
        .order_by(LogPosition.position)
    )
    return [EntryRow(*row) for row in connection.execute(found)]


# ---- its games -----------------------------------------------------------------------------------


def games_between(connection: Connection, first: int, size: int) -> list[tuple[str, int]]:
    """Return the games that were locked, decided, graded or released in a stretch of the log."""
    within = and_(LogPosition.position >= first, LogPosition.position < size)

    def placed(of: Select[str, int], entry: InstrumentedAttribute[Any]) -> Select[str, int]:
        return of.join(LogPosition, LogPosition.entry == entry).where(within)

    graded = select(Settlement.series, Settlement.game)
    judged = graded.join(Certification, Certification.attempt == Settlement.attempt)
    released = graded.join(Release, Release.attempt == Settlement.attempt)
    found = union(
        placed(select(Game.series, Game.number), Game.lock_entry),
        placed(select(Outcome.series, Outcome.game), Outcome.entry),
        placed(graded, Settlement.entry),
        placed(judged, Certification.entry),
        placed(released, Release.entry),
    )
    return sorted((series, game) for series, game in connection.execute(found))


def ended_between(connection: Connection, first: int, size: int) -> list[tuple[str, int]]:
    """Return the games that were drawn or voided in a stretch of the log."""
    found = (
        select(Outcome.series, Outcome.game)
        .join(LogPosition, LogPosition.entry == Outcome.entry)
        .where(LogPosition.position >= first, LogPosition.position < size)
        .order_by(Outcome.series, Outcome.game)
    )
    return [(series, game) for series, game in connection.execute(found)]


def ended_before(
    connection: Connection, series: str, low: int, high: int, first: int
) -> list[tuple[str, int]]:
    """Return the games of a run that were drawn or voided before a place of the log."""
    found = (
        select(Outcome.series, Outcome.game)
        .join(LogPosition, LogPosition.entry == Outcome.entry)
        .where(
            Outcome.series == series,
            Outcome.game >= low,
            Outcome.game <= high,
            LogPosition.position < first,
        )
    )
    return [(series, game) for series, game in connection.execute(found)]


def lock_place(connection: Connection, series: str, game: int) -> int | None:
    """Return where in the log a game was locked."""
    found = (
        select(LogPosition.position)
        .join(Game, Game.lock_entry == LogPosition.entry)
        .where(Game.series == series, Game.number == game)
    )
    return connection.execute(found).scalar_one_or_none()


def grading_places(connection: Connection, series: str, game: int, first: int) -> list[int]:
    """Return where before a place of the log a game was graded, judged and released.

    Every time: for how long it was frozen is counted from the first.
    """
    of_game = (Settlement.series == series, Settlement.game == game, LogPosition.position < first)
    place = select(LogPosition.position)
    found = union(
        place.join(Settlement, Settlement.entry == LogPosition.entry).where(*of_game),
        place.join(Certification, Certification.entry == LogPosition.entry)
        .join(Settlement, Settlement.attempt == Certification.attempt)
        .where(*of_game),
        place.join(Release, Release.entry == LogPosition.entry)
        .join(Settlement, Settlement.attempt == Release.attempt)
        .where(*of_game),
    )
    return list(connection.execute(found).scalars())


def opening_places(connection: Connection, first: int) -> list[int]:
    """Return where the games were opened that were open when a place of the log came."""
    opened = (_open_at(connection, series, first) for series in series_codes(connection))
    found = (
        _opening_place(connection, game.series, game.number, game.opened_at, first)
        for game in opened
        if game is not None
    )
    return [place for place in found if place is not None]


def _open_at(connection: Connection, series: str, first: int) -> Row[str, int, datetime] | None:
    """Return the game of a series that comes behind the last one that was locked before a place."""
    # From the newest game back, so that only those are looked at which came later.
    is_locked = select(LogPosition.entry).where(
        LogPosition.entry == Game.lock_entry, LogPosition.position < first
    )
    locked = (
        select(Game.number)
        .where(Game.series == series, is_locked.exists())
        .order_by(Game.number.desc())
        .limit(1)
    )
    last = connection.execute(locked).scalar_one_or_none() or 0
    found = (
        select(Game.series, Game.number, Game.opened_at)
        .where(Game.series == series, Game.number > last)
        .order_by(Game.number)
        .limit(1)
    )
    return connection.execute(found).first()


def _opening_place(
    connection: Connection, series: str, number: int, opened_at: datetime, first: int
) -> int | None:
    """Return where before a place a game was opened; games of other series open about then too."""
    found = (
        select(LogPosition.position, LogEntry.body)
        .join(LogEntry, LogEntry.id == LogPosition.entry)
        .where(
            LogPosition.position >= size_before(connection, opened_at),
            LogPosition.position < first,
            LogEntry.tag == "GAME",
        )
        .order_by(LogPosition.position)
    )
    with connection.execute(found.execution_options(yield_per=BATCH)) as entries:
        for place, text in entries:
            said = json.loads(text)
            if (said["series"], said["game"]) == (series, number):
                return int(place)
    return None


# ---- its tickets ---------------------------------------------------------------------------------

_Sold, _Voided, _Cancelled = aliased(LogPosition), aliased(LogPosition), aliased(LogPosition)


def playing_before(
    connection: Connection, series: str, low: int, high: int, first: int
) -> Iterator[CarriedTicket]:
    """Yield the tickets sold before a place that are still in a run of games at that place."""
    found = _carried(first).where(
        Ticket.series == series,
        Ticket.last_game >= low,
        Ticket.first_game <= high,
        or_(_Cancelled.position.is_(None), Cancellation.first_cancelled > low),
    )
    yield from _tickets(connection, found)


def acted_on_between(connection: Connection, first: int, size: int) -> Iterator[CarriedTicket]:
    """Yield the tickets sold before a stretch that were paid, expired or given back in it."""
    within = and_(LogPosition.position >= first, LogPosition.position < size)

    def acts(
        of: type[Void | Cancellation | Refund | Payout | Expiry],
    ) -> Select[int]:
        return select(of.ticket).join(LogPosition, LogPosition.entry == of.entry).where(within)

    named = union(*(acts(of) for of in (Void, Cancellation, Refund, Payout, Expiry)))
    yield from _tickets(connection, _carried(first).where(Ticket.number.in_(named)))


def _carried(first: int) -> Select[*tuple[Any, ...]]:
    """Return the question for tickets sold before a place, and not voided before it."""

    def before(placed: Any) -> ColumnElement[bool]:  # noqa: ANN401  an alias
        return placed.position < first  # type: ignore[no-any-return]

    return (
        select(
            Ticket.number,
            _Sold.position,
            Ticket.series,
            Ticket.first_game,
            func.coalesce(Cancellation.first_cancelled - 1, Ticket.last_game),
        )
        .join(_Sold, _Sold.entry == Ticket.entry)
        .outerjoin(Void, Void.ticket == Ticket.number)
        .outerjoin(_Voided, and_(_Voided.entry == Void.entry, before(_Voided)))
        .outerjoin(Cancellation, Cancellation.ticket == Ticket.number)
        .outerjoin(_Cancelled, and_(_Cancelled.entry == Cancellation.entry, before(_Cancelled)))
        .where(before(_Sold), _Voided.position.is_(None))
        .order_by(Ticket.number)
        .execution_options(yield_per=1000)
    )


def _tickets(connection: Connection, found: Select[*tuple[Any, ...]]) -> Iterator[CarriedTicket]:
    with connection.execute(found) as tickets:
        for row in tickets:
            yield CarriedTicket(*row)


def places_of_acts(connection: Connection, numbers: Sequence[int], first: int) -> list[int]:
    """Return where before a place tickets were voided, cancelled, refunded, copied or brought."""
    papers = select(Ticket.entry).where(Ticket.number.in_(numbers))
    found = union(
        select(LogPosition.position)
        .join(Void, Void.entry == LogPosition.entry)
        .where(Void.ticket.in_(numbers), LogPosition.position < first),
        select(LogPosition.position)
        .join(Cancellation, Cancellation.entry == LogPosition.entry)
        .where(Cancellation.ticket.in_(numbers), LogPosition.position < first),
        select(LogPosition.position)
        .join(Refund, Refund.entry == LogPosition.entry)
        .where(Refund.ticket.in_(numbers), LogPosition.position < first),
        select(LogPosition.position)
        .join(Presentation, Presentation.entry == LogPosition.entry)
        .where(Presentation.ticket.in_(numbers), LogPosition.position < first),
        select(LogPosition.position)
        .join(LostTicket, LostTicket.entry == LogPosition.entry)
        .where(LostTicket.ticket.in_(numbers), LogPosition.position < first),
        select(LogPosition.position)
        .join(Reprint, Reprint.entry == LogPosition.entry)
        .where(Reprint.job.in_(papers), LogPosition.position < first),
    )
    return list(connection.execute(found).scalars())


def last_ticket_before(connection: Connection, first: int) -> tuple[int, int] | None:
    """Return number and place of the last ticket that was sold before a place of the log."""
    found = (
        select(Ticket.number, LogPosition.position)
        .join(Ticket, Ticket.entry == LogPosition.entry)
        .where(LogPosition.position < first)
        .order_by(LogPosition.position.desc())
        .limit(1)
    )
    row = connection.execute(found).first()
    return None if row is None else (row.number, row.position)


def standing_places(connection: Connection, tags: Iterable[str], first: int) -> list[int]:
    """Return where before a place entries are that stay true until it is said otherwise."""
    # The same words as those of the index: that is how it is found to hold all of them.
    told = select(LogEntry.id).where(IS_STANDING, LogEntry.tag.in_(list(tags)))
    found = select(LogPosition.position).where(
        LogPosition.entry.in_(told), LogPosition.position < first
    )
    return list(connection.execute(found).scalars())


def cards_sold_on(connection: Connection, first: int, size: int) -> set[int]:
    """Return the cards of the tickets that were sold in a stretch of the log."""
    found = (
        select(Ticket.card)
        .distinct()
        .join(LogPosition, LogPosition.entry == Ticket.entry)
        .where(LogPosition.position >= first, LogPosition.position < size)
    )
    return set(connection.execute(found).scalars())


def cards_of(connection: Connection, numbers: Sequence[int]) -> set[int]:
    """Return the cards of some tickets."""
    found = select(Ticket.card).distinct().where(Ticket.number.in_(numbers))
    return set(connection.execute(found).scalars())


def used_cards(connection: Connection, cards: Iterable[int]) -> list[UsedCard]:
    """Return some rate cards, in the order of their hashes."""
    found = (
        select(Card.hash, Card.file, LogPosition.position)
        .outerjoin(LogPosition, LogPosition.entry == Card.entry)
        .where(Card.id.in_(sorted(cards)))
    )
    return sorted((UsedCard(*row) for row in connection.execute(found)), key=lambda card: card.hash)
