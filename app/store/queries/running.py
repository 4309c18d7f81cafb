"""What the caller looks at: series with their schedules, and games that are on their way."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from app.keno.game import OVER, GameState
from app.store.tables import BooksRun, FeedEvent, Game, Lease, Series


@dataclass(frozen=True)
class SeriesRow:
    """A series with the times at which its games close."""

    code: str
    first_game: int
    interval_seconds: int | None  # none: by hand
    opens_minutes: int
    closes_minutes: int


@dataclass(frozen=True)
class LeaseRow:
    """Who does something that only one may do."""

    holder: str
    fence: int
    until: datetime
    clock_since: datetime | None


@dataclass(frozen=True)
class EventRow:
    """Something that happened to a game."""

    id: int
    kind: str
    series: str
    game: int
    facts: dict[str, object]
    happened_at: datetime


@dataclass(frozen=True)
class BooksRow:
    """The books were worked out: on which day, and how many faults were found."""

    gaming_day: str
    faults: int
    began_at: datetime


def newest_books(connection: Connection) -> BooksRow | None:
    """Return how the books were when they were last worked out."""
    found = select(BooksRun.gaming_day, BooksRun.faults, BooksRun.began_at)
    row = connection.execute(found.order_by(BooksRun.entry.desc()).limit(1)).first()
    return None if row is None else BooksRow(*row)


def all_series(connection: Connection) -> list[SeriesRow]:
    """Return every series of the house."""
    found = select(
        Series.code,
        Series.first_game,
        Series.interval_seconds,
        Series.opens_minutes,
        Series.closes_minutes,
    ).order_by(Series.code)
    return [SeriesRow(*row) for row in connection.execute(found)]


def series_coded(connection: Connection, code: str) -> SeriesRow | None:
    """Return a series by its code."""
    return next((each for each in all_series(connection) if each.code == code), None)


def unfinished(connection: Connection, series: str) -> list[tuple[int, GameState]]:
    """Return the locked games of a series that wait for a further step, the oldest first."""
    done = [state.value for state in (*OVER, GameState.OPEN, GameState.FROZEN)]
    found = (
        select(Game.number, Game.state)
        .where(Game.series == series, Game.state.not_in(done))
        .order_by(Game.number)
    )
    return [(row.number, GameState(row.state)) for row in connection.execute(found)]


def lease(connection: Connection, name: str, *, held: bool = False) -> LeaseRow | None:
    """Return who has a lease; held, nobody else takes it until this transaction ends."""
    found = select(Lease.holder, Lease.fence, Lease.until, Lease.clock_since).where(
        Lease.name == name
    )
    row = connection.execute(found.with_for_update() if held else found).first()
    return None if row is None else LeaseRow(*row)


def was_told(
    connection: Connection, kind: str, series: str, game: int, facts: dict[str, str]
) -> bool:
    """Whether something was told of a game already, in just these words."""
    found = select(FeedEvent.facts).where(
        FeedEvent.series == series, FeedEvent.game == game, FeedEvent.kind == kind
    )
    return any(row.facts == facts for row in connection.execute(found))


def newest_event(connection: Connection) -> int:
    """Return the id of what happened last."""
    return connection.execute(select(func.max(FeedEvent.id))).scalar_one() or 0


def events_after(connection: Connection, last: int, most: int = 500) -> list[EventRow]:
    """Return what happened after an event, the oldest first."""
    found = (
        select(
            FeedEvent.id,
            FeedEvent.kind,
            FeedEvent.series,
            FeedEvent.game,
            FeedEvent.facts,
            FeedEvent.happened_at,
        )
        .where(FeedEvent.id > last)
        .order_by(FeedEvent.id)
        .limit(most)
    )
    return [EventRow(*row) for row in connection.execute(found)]
