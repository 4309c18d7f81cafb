"""How the house stands, as far as somebody has to be told of it: read once, for alarms and figures.

Nothing is decided here (`alarms`), and nothing is changed by looking.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from app.audit.tags import Tag
from app.flow.day import day_bounds, gaming_day
from app.flow.entry_time import body_of, moment_in, time_in
from app.flow.lease import CALLER, is_served, printer_lease
from app.flow.missing import Missing, what_is_missing
from app.flow.office import Office
from app.flow.placements import Move, Strayed
from app.flow.see_keys import Process, look_at_processes
from app.flow.unprinted import Unprinted, unprinted
from app.store.queries import (
    Reading,
    cards,
    drawers,
    floor,
    keeping,
    paper,
    payments,
    people,
    running,
    watching,
)
from app.store.queries.cards import Term
from app.store.queries.drawers import DrawerRow
from app.store.queries.floor import Happened
from app.store.queries.payments import PaidInPart
from app.store.queries.people import StaffChangeRow
from app.store.queries.running import BooksRow
from app.store.queries.watching import (
    GameWaits,
    LeaseSeen,
    PrinterWatched,
    Replication,
    Sealing,
)
from app.store.unit import Unit

GAMES_MOST = 50
BACKUPS_MOST = 10
RESTART_TOLD = timedelta(minutes=5)  # a loop ends more often: the longest back-off is 30 s
PAID_TOLD = timedelta(days=1)  # a payment without the whole code
PAID_MOST = 20
STRAYED_MOST = 10


@dataclass(frozen=True)
class Disk:
    """A disk, by a folder on it."""

    folder: str
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class Jump:
    """A jump of the house's clock."""

    at: datetime
    milliseconds: int


@dataclass(frozen=True)
class Ending:
    """A process ended that should run, and was started again."""

    process: str
    at: datetime


@dataclass(frozen=True)
class StrayedBefore:
    """A spooler found that a printer was not where the log says."""

    printer: str
    found: str
    at: datetime


@dataclass(frozen=True)
class Facts:
    """All that alarms are decided by, as of one moment."""

    now: datetime
    today: date
    day_began: datetime
    founded_at: datetime
    time_zone: str
    is_called: bool  # some series is run by the caller, and not by hand
    leases: list[LeaseSeen]
    endings: list[Ending]  # the newest first
    keyed: list[Process]
    keyed_since: Mapping[str, datetime]  # by role, as far as it is noted in the log
    sealing: Sealing
    unsealed_since: datetime | None
    uncosigned_since: datetime | None
    missing: Missing | None
    missing_since: datetime | None
    games: list[GameWaits]
    not_closed: list[GameWaits]
    drawers: list[DrawerRow]
    changes: list[StaffChangeRow]  # people who have to wait before they approve
    printers: list[PrinterWatched]
    printers_in_use: set[str]  # a station that prints on it has a drawer open
    printers_served: set[str]  # by a spooler that is running
    strayed: list[Strayed]  # printers and stations whose rows are not what the log says
    strayed_before: list[StrayedBefore]  # what spoolers found of that lately, the newest first
    moves: Mapping[str, Move]  # printers that got another address, by their codes
    papers: int  # of which nobody knows whether they came out
    papers_since: datetime | None
    unprinted: list[Unprinted]
    reports: int  # that wait
    reports_since: datetime | None
    books: BooksRow | None
    cards_to_come: list[Term]  # published, and not in force yet
    backup_at: datetime | None  # the newest was made that was restored on trial
    jump: Jump | None
    paid_in_part: list[PaidInPart]  # lately, the newest first
    replication: Replication | None
    has_several_servers: bool  # the settings name more than one for the database
    database_bytes: int
    disks: list[Disk]

    @property
    def caller(self) -> LeaseSeen | None:
        """Who calls the games, if anybody ever did."""
        return next((each for each in self.leases if each.name == CALLER), None)


def read_facts(office: Office, folders: Sequence[Path] = ()) -> Facts:
    """Return how the house stands.

    Args:
        office: the office.
        folders: whose disks are looked at, beside that of an SQLite database.
    """
    keyed = look_at_processes(office)  # before the database is asked: it may take its time
    with office.database.reading() as connection:
        return _read(office, connection, keyed, disks_of([*folders, *_database_folder(office)]))


def _read(office: Office, connection: Reading, keyed: list[Process], disks: list[Disk]) -> Facts:
    now, house = Unit(office.database, connection).now(), office.house
    today = gaming_day(now, house.time_zone, house.day_starts_minutes)
    sealing = watching.sealing(connection)
    incomplete = keeping.incomplete(connection)
    leases, printers = watching.leases(connection), watching.printers(connection)
    papers, papers_since = watching.papers_asked_about(connection)
    reports, reports_since = watching.waiting_reports(connection)
    return Facts(
        now=now,
        today=today,
        day_began=day_bounds(today, house.time_zone, house.day_starts_minutes)[0],
        founded_at=house.founded_at,
        time_zone=house.time_zone,
        is_called=any(each.interval_seconds for each in running.all_series(connection)),
        leases=leases,
        endings=_endings(watching.watched_since(connection, Tag.PROCESS, now - RESTART_TOLD)),
        keyed=keyed,
        keyed_since=_keyed_since(watching.newest_watched(connection, Tag.KEYS), keyed),
        sealing=sealing,
        unsealed_since=time_in(sealing.first_unsealed) or sealing.signed_at,
        uncosigned_since=time_in(sealing.first_uncosigned) or sealing.signed_at,
        missing=what_is_missing(connection),
        missing_since=None if incomplete is None else incomplete.noticed_at,
        games=watching.games_that_wait(connection, GAMES_MOST),
        not_closed=watching.games_not_closed(connection, now),
        drawers=drawers.drawers_in_use(connection),
        changes=people.changes_since(connection, now),
        printers=printers,
        printers_in_use=_in_use(connection),
        printers_served=_served(printers, leases, now),
        strayed=office.placements.strayed(connection),
        strayed_before=_strayed_before(
            floor.newest_tagged(connection, [Tag.PRINTER_MOVED.value], STRAYED_MOST)
        ),
        moves=_moves(office),
        papers=papers,
        papers_since=papers_since,
        unprinted=unprinted(connection),
        reports=reports,
        reports_since=reports_since,
        books=running.newest_books(connection),
        cards_to_come=[each for each in cards.terms(connection) if each.effective_at > now],
        backup_at=_newest_made(watching.newest_tried_backups(connection, BACKUPS_MOST)),
        paid_in_part=payments.paid_in_part(connection, now - PAID_TOLD, PAID_MOST),
        jump=_jump(watching.newest_watched(connection, Tag.CLOCK)),
        replication=watching.replication(connection),
        has_several_servers=office.database.has_several_servers,
        database_bytes=watching.database_bytes(connection),
        disks=disks,
    )


def disks_of(folders: Sequence[Path]) -> list[Disk]:
    """Return the disks that folders are on, each once; a folder may still have to be made."""
    found: dict[int, Disk] = {}
    for folder in folders:
        there = folder.absolute()
        while not there.exists():
            there = there.parent
        space = shutil.disk_usage(there)
        found.setdefault(there.stat().st_dev, Disk(str(folder), space.free, space.total))
    return list(found.values())


def _database_folder(office: Office) -> list[Path]:
    database = office.database
    return [Path(database.url.database or "").parent] if database.is_sqlite else []


# ---- what entries say ----------------------------------------------------------------------------


def _newest_made(backups: Sequence[str]) -> datetime | None:
    """Return when the newest of some backups was made: an old one may have been tried last."""
    made = (moment_in(body_of(text), "made_at") for text in backups)
    return max((each for each in made if each is not None), default=None)


def _in_use(connection: Reading) -> set[str]:
    in_use = paper.printers_in_use(connection)
    return {each.code for each in paper.printers(connection) if each.id in in_use}


def _served(
    printers: Sequence[PrinterWatched], leases: Sequence[LeaseSeen], now: datetime
) -> set[str]:
    until = {each.name: each.until for each in leases}
    return {each.code for each in printers if is_served(until.get(printer_lease(each.code)), now)}


def _moves(office: Office) -> dict[str, Move]:
    """Return the printers that got another address; what the log says was just read."""
    placed = office.placements.printers
    return {code: each.move for code, each in placed.items() if each.move is not None}


def _strayed_before(entries: Sequence[Happened]) -> list[StrayedBefore]:
    """Return what spoolers found, by what they wrote of it."""
    found = ((body_of(each.body), time_in(each.body)) for each in entries)
    return [
        StrayedBefore(str(body.get("printer")), str(body.get("found")), at)
        for body, at in found
        if at is not None
    ]


def _endings(entries: Sequence[str]) -> list[Ending]:
    """Return which processes ended, and when, by what was recorded of them."""
    found = ((str(body_of(text).get("what", "")), time_in(text)) for text in entries)
    return [Ending(what.partition(" ")[0], at) for what, at in found if what and at is not None]


def _jump(text: str | None) -> Jump | None:
    at, moved = time_in(text), body_of(text).get("milliseconds")
    return Jump(at, moved) if at is not None and isinstance(moved, int) else None


def _keyed_since(text: str | None, keyed: list[Process]) -> dict[str, datetime]:
    """Return since when each process stands as it does, if that is what the log says of it."""
    at, noted = time_in(text), body_of(text).get("processes")
    if at is None or not isinstance(noted, dict):
        return {}
    conditions = {
        role: said.get("condition") for role, said in noted.items() if isinstance(said, dict)
    }
    return {each.role: at for each in keyed if conditions.get(each.role) == each.condition.value}
