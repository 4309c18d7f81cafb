"""What whoever watches the house looks at: queues, leases, the seal, copies, sizes, sales.

Each is found without reading what a year has left behind; a day's sales are added up by the entries
of that day.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import Connection, func, select, text

from app.store.queries.stretches import entry_before
from app.store.tables import (
    Certification,
    Cosigned,
    Counter,
    Game,
    GameState,
    JobState,
    Lease,
    LogCheckpoint,
    LogEntry,
    LogHead,
    LogPending,
    LogPosition,
    Outcome,
    PaperEvent,
    PaperState,
    Payout,
    Printer,
    PrinterCondition,
    QueuedPaper,
    Release,
    ReportJob,
    Settlement,
    StationPrinter,
    Ticket,
    Verdict,
    Void,
)
from app.store.tables.log import IS_WATCHED


@dataclass(frozen=True)
class LeaseSeen:
    """Who does something that only one may do, and until when that holds if it is not renewed."""

    name: str
    holder: str
    fence: int
    until: datetime


@dataclass(frozen=True)
class Sealing:
    """How far the log is sealed and witnessed, and the first entry of each that is not."""

    size: int  # of the log as it is sealed
    unsealed: int
    uncosigned: int  # sealed or not
    first_unsealed: str | None  # its body
    first_uncosigned: str | None
    signed_at: datetime | None  # of the newest head


@dataclass(frozen=True)
class PrinterWatched:
    """A printer: what waits for it, what is the matter with it, and since when."""

    code: str
    waiting: int
    near_end: bool
    why: str | None
    since: datetime | None


@dataclass(frozen=True)
class GameWaits:
    """A game that waits for something."""

    series: str
    number: int
    state: GameState
    since: datetime  # it was to close; was locked; or drawn, or frozen, if it is


@dataclass(frozen=True)
class Standby:
    """A copy of the database that follows it: how far behind it is."""

    name: str
    state: str
    lag_bytes: int | None  # none if whoever asks may not see it
    is_waited_for: bool  # it follows, and no commit is called done before it has it


@dataclass(frozen=True)
class Replication:
    """The copies that follow a database, and those that should and do not."""

    standbys: list[Standby]
    absent: list[str]

    @property
    def is_alone(self) -> bool:
        """Whether what is committed is on one disk alone."""
        return not any(each.is_waited_for for each in self.standbys)


@dataclass(frozen=True)
class Sold:
    """What was sold, taken back and paid since a moment."""

    tickets: int
    cents: int
    voids: int
    payouts: int
    paid_cents: int


def leases(connection: Connection) -> list[LeaseSeen]:
    """Return every lease of the house."""
    found = select(Lease.name, Lease.holder, Lease.fence, Lease.until).order_by(Lease.name)
    return [LeaseSeen(*row) for row in connection.execute(found)]


def sealing(connection: Connection) -> Sealing:
    """Return how far the log is sealed, and how far the inspector has cosigned it."""
    size = connection.execute(select(LogHead.size)).scalar_one_or_none() or 0
    unsealed, first = connection.execute(
        select(func.count(LogPending.entry), func.min(LogPending.entry))
    ).one()
    cosigned = connection.execute(select(func.max(Cosigned.size))).scalar_one_or_none() or 0
    signed_at = connection.execute(
        select(LogCheckpoint.signed_at).order_by(LogCheckpoint.size.desc()).limit(1)
    ).scalar_one_or_none()
    place = select(LogPosition.entry).where(LogPosition.position == cosigned)
    first_sealed = connection.execute(place).scalar_one_or_none()
    return Sealing(
        size=size,
        unsealed=unsealed,
        uncosigned=size - cosigned + unsealed,
        first_unsealed=_body(connection, first),
        first_uncosigned=_body(connection, first if first_sealed is None else first_sealed),
        signed_at=signed_at,
    )


def _body(connection: Connection, entry: int | None) -> str | None:
    if entry is None:
        return None
    found = select(LogEntry.body).where(LogEntry.id == entry)
    return connection.execute(found).scalar_one_or_none()


@dataclass(frozen=True)
class EntrySeen:
    """An entry of the log, as far as it is shown."""

    id: int
    body: str


def newest_of(connection: Connection, tag: str, most: int) -> list[EntrySeen]:
    """Return the newest entries of a watched tag that are at hand, the newest first."""
    found = (
        select(LogEntry.id, LogEntry.body)
        .where(IS_WATCHED, LogEntry.tag == tag, LogEntry.body != "")
        .order_by(LogEntry.id.desc())
        .limit(most)
    )
    return [EntrySeen(*row) for row in connection.execute(found)]


def newest_watched(connection: Connection, tag: str) -> str | None:
    """Return the body of the newest BACKUP, CLOCK or KEYS entry that is at hand."""
    found = (
        select(LogEntry.body)
        .where(IS_WATCHED, LogEntry.tag == tag, LogEntry.body != "")
        .order_by(LogEntry.id.desc())
        .limit(1)
    )
    return connection.execute(found).scalar_one_or_none()


def watched_since(connection: Connection, tag: str, moment: datetime) -> list[str]:
    """Return the bodies of all entries of a watched tag since a moment, the newest first.

    Some may be older: those that no head signed before the moment holds.
    """
    found = (
        select(LogEntry.body)
        .where(
            IS_WATCHED,
            LogEntry.tag == tag,
            LogEntry.id > entry_before(connection, moment),
            LogEntry.body != "",
        )
        .order_by(LogEntry.id.desc())
    )
    return list(connection.execute(found).scalars())


def newest_tried_backups(connection: Connection, most: int) -> list[str]:
    """Return the bodies of the newest BACKUP entries that tell of a restore on trial."""
    found = (
        select(LogEntry.body)
        .where(IS_WATCHED, LogEntry.tag == "BACKUP", LogEntry.body.contains('"checked":true'))
        .order_by(LogEntry.id.desc())
        .limit(most)
    )
    return list(connection.execute(found).scalars())


def printers(connection: Connection) -> list[PrinterWatched]:
    """Return every printer."""
    waiting = (
        select(func.count())
        .select_from(QueuedPaper)
        .outerjoin(StationPrinter, StationPrinter.station == QueuedPaper.station)
        .where(func.coalesce(QueuedPaper.bound, StationPrinter.printer) == Printer.id)
        .scalar_subquery()
    )
    found = (
        select(
            Printer.code,
            waiting,
            func.coalesce(PrinterCondition.near_end, False),
            PrinterCondition.why,
            PrinterCondition.since,
        )
        .outerjoin(PrinterCondition, PrinterCondition.printer == Printer.id)
        .order_by(Printer.code)
    )
    return [PrinterWatched(*row) for row in connection.execute(found)]


def papers_asked_about(connection: Connection) -> tuple[int, datetime | None]:
    """Return how many papers a person must look at, and since when the first of them waits."""
    asks = QueuedPaper.state.in_([PaperState.UNKNOWN.value, PaperState.ASIDE.value])
    found = select(func.count(), func.min(QueuedPaper.entry)).where(asks)
    many, first = connection.execute(found).one()
    since = select(func.max(PaperEvent.happened_at)).where(PaperEvent.entry == first)
    return many, connection.execute(since).scalar_one_or_none() if many else None


def waiting_reports(connection: Connection) -> tuple[int, datetime | None]:
    """Return how many reports wait to be made or are being made, and since when the first does."""
    at_work = [JobState.QUEUED.value, JobState.RUNNING.value]
    found = select(func.count(), func.min(ReportJob.asked_at)).where(ReportJob.state.in_(at_work))
    many, since = connection.execute(found).one()
    return many, since


def games_not_closed(connection: Connection, now: datetime) -> list[GameWaits]:
    """Return the open games whose time is over, and which nobody holds."""
    found = (
        select(Game.series, Game.number, Game.closes_at)
        .where(Game.state == GameState.OPEN.value, Game.closes_at < now, Game.held_why.is_(None))
        .order_by(Game.closes_at)
    )
    return [
        GameWaits(row.series, row.number, GameState.OPEN, row.closes_at)
        for row in connection.execute(found)
    ]


def games_that_wait(connection: Connection, most: int) -> list[GameWaits]:
    """Return the games that wait for draw or grading, and those that are frozen, oldest first."""
    frozen_at = (
        select(func.max(Certification.certified_at))
        .join(Settlement, Settlement.attempt == Certification.attempt)
        .where(
            Settlement.series == Game.series,
            Settlement.game == Game.number,
            Certification.verdict == Verdict.FROZEN.value,
        )
        .scalar_subquery()
    )
    waits = [GameState.LOCKED, GameState.DRAWN, GameState.SETTLED, GameState.FROZEN]
    released_at = (
        select(func.max(Release.released_at))
        .join(Settlement, Settlement.attempt == Release.attempt)
        .where(Settlement.series == Game.series, Settlement.game == Game.number)
        .scalar_subquery()
    )
    found = (
        select(
            Game.series,
            Game.number,
            Game.state,
            Game.locked_at,
            frozen_at.label("frozen_at"),
            released_at.label("released_at"),
            Outcome.ended_at,
        )
        .outerjoin(Outcome, (Outcome.series == Game.series) & (Outcome.game == Game.number))
        .where(Game.state.in_([each.value for each in waits]))
        .order_by(Game.locked_at)
        .limit(most)
    )
    waiting = []
    for row in connection.execute(found):
        state = GameState(row.state)
        graded_from = {GameState.LOCKED: None, GameState.FROZEN: row.frozen_at}
        since = graded_from.get(state, row.released_at or row.ended_at) or row.locked_at
        waiting.append(GameWaits(row.series, row.number, state, cast("datetime", since)))
    return waiting


def tickets_sold(connection: Connection) -> int:
    """Return how many tickets the house has ever sold: they are numbered without a gap."""
    found = select(func.max(Counter.value)).where(Counter.name == "ticket")
    return connection.execute(found).scalar_one_or_none() or 0


def sold_since(connection: Connection, moment: datetime) -> Sold:
    """Return what was sold, voided and paid since a moment."""
    before = entry_before(connection, moment)
    tickets = select(func.count(), func.sum(Ticket.price_cents)).where(
        Ticket.entry > before, Ticket.sold_at >= moment
    )
    voids = select(func.count()).select_from(Void).where(Void.voided_at >= moment)
    payouts = select(func.count(), func.sum(Payout.cents)).where(
        Payout.entry > before, Payout.paid_at >= moment
    )
    sold, cents = connection.execute(tickets).one()
    paid, paid_cents = connection.execute(payouts).one()
    many: int = connection.execute(voids).scalar_one()
    return Sold(sold, int(cents or 0), many, paid, int(paid_cents or 0))


# ---- the database itself -------------------------------------------------------------------------


def database_bytes(connection: Connection) -> int:
    """Return how large the database is."""
    if connection.dialect.name == "sqlite":
        found = text("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    else:
        found = text("SELECT pg_database_size(current_database())")
    many: int = connection.execute(found).scalar_one()
    return many


def replication(connection: Connection) -> Replication | None:
    """Return the copies that follow the database; none where it has no such thing.

    A copy should be there if commits wait for one, or if a slot is kept for it. Who may not see how
    far the copies are is told of none that is behind: give the role `pg_monitor`.
    """
    if connection.dialect.name == "sqlite":
        return None
    standbys = [
        Standby(
            row.name,
            row.state,
            None if row.lag_bytes is None else int(row.lag_bytes),
            row.is_waited_for,
        )
        for row in connection.execute(_STANDBYS)
    ]
    absent = list(connection.execute(_EMPTY_SLOTS).scalars())
    named = connection.execute(text("SHOW synchronous_standby_names")).scalar_one()
    if named and not standbys:
        absent.append(named)
    return Replication(standbys, absent)


_STANDBYS = text(
    "SELECT coalesce(application_name, '') AS name, coalesce(state, '') AS state, "
    "CASE WHEN NOT pg_is_in_recovery() THEN "
    "pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, flush_lsn)) END AS lag_bytes, "
    "coalesce(state = 'streaming' AND sync_state IN ('sync', 'quorum'), false) AS is_waited_for "
    "FROM pg_stat_replication "
    "WHERE state IS DISTINCT FROM 'backup' ORDER BY 1"
)
_EMPTY_SLOTS = text(
    "SELECT slot_name FROM pg_replication_slots "
    "WHERE slot_type = 'physical' AND NOT active AND NOT temporary ORDER BY 1"
)
_READ_ONLY = text("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'")


def is_read_only(connection: Connection) -> bool:
    """Whether a PostgreSQL takes no writes: it is a copy, or was told not to."""
    read_only: bool = connection.execute(_READ_ONLY).scalar_one()
    return read_only


def unwitnessed_for(connection: Connection, now: datetime) -> timedelta | None:
    """Return how old the newest cosigned head is while there is more to cosign; none if not."""
    size = connection.execute(select(LogHead.size)).scalar_one_or_none() or 0
    newest = (
        select(LogCheckpoint.size, LogCheckpoint.signed_at)
        .join(Cosigned, Cosigned.size == LogCheckpoint.size)
        .order_by(Cosigned.size.desc())
        .limit(1)
    )
    row = connection.execute(newest).first()
    waits = connection.execute(select(LogPending.entry).limit(1)).first() is not None
    if row is None:
        return timedelta.max if waits or size else None
    return now - row.signed_at if waits or size > row.size else None
