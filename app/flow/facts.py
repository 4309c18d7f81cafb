"""How the house stands, as far as somebody has to be told of it: read once, for alarms and figures.

Nothing is decided here (`alarms`), and nothing is changed by looking.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from app.audit.tags import Tag
from app.flow.day import day_bounds, gaming_day
from app.flow.lease import CALLER
from app.flow.missing import Missing, what_is_missing
from app.flow.office import Office
from app.flow.see_keys import Process, look_at_processes
from app.store.queries import Reading, drawers, keeping, running, watching
from app.store.queries.drawers import DrawerRow
from app.store.queries.running import BooksRow
from app.store.queries.watching import (
    GameWaits,
    LeaseSeen,
    PaperWaits,
    PrinterWatched,
    Replication,
    Sealing,
)
from app.store.unit import Unit

GAMES_MOST = 50
BACKUPS_MOST = 10
# Under which of these an act has its time, in its entry.
TIMES = ("time", "sold_at", "voided_at", "locked_at", "opened_at", "at")


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
class Facts:
    """All that alarms are decided by, as of one moment."""

    now: datetime
    today: date
    day_began: datetime
    founded_at: datetime
    is_called: bool  # some series is run by the caller, and not by hand
    leases: list[LeaseSeen]
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
    printers: list[PrinterWatched]
    papers: int  # of which nobody knows whether they came out
    papers_since: datetime | None
    unprinted: Mapping[str, datetime]  # since when paper waits, by printers with nothing amiss
    reports: int  # that wait
    reports_since: datetime | None
    books: BooksRow | None
    backup_at: datetime | None  # the newest was made that was restored on trial
    jump: Jump | None
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
    papers, papers_since = watching.papers_asked_about(connection)
    reports, reports_since = watching.waiting_reports(connection)
    return Facts(
        now=now,
        today=today,
        day_began=day_bounds(today, house.time_zone, house.day_starts_minutes)[0],
        founded_at=house.founded_at,
        is_called=any(each.interval_seconds for each in running.all_series(connection)),
        leases=watching.leases(connection),
        keyed=keyed,
        keyed_since=_keyed_since(watching.newest_watched(connection, Tag.KEYS), keyed),
        sealing=sealing,
        unsealed_since=_time_in(sealing.first_unsealed) or sealing.signed_at,
        uncosigned_since=_time_in(sealing.first_uncosigned) or sealing.signed_at,
        missing=what_is_missing(connection),
        missing_since=None if incomplete is None else incomplete.noticed_at,
        games=watching.games_that_wait(connection, GAMES_MOST),
        not_closed=watching.games_not_closed(connection, now),
        drawers=drawers.drawers_in_use(connection),
        printers=watching.printers(connection),
        papers=papers,
        papers_since=papers_since,
        unprinted=_unprinted(watching.oldest_papers(connection)),
        reports=reports,
        reports_since=reports_since,
        books=running.newest_books(connection),
        backup_at=_newest_made(watching.newest_tried_backups(connection, BACKUPS_MOST)),
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


def _body(text: str | None) -> dict[str, object]:
    try:
        body = json.loads(text or "{}")
    except ValueError:  # it was tampered with: the books say so
        return {}
    return body if isinstance(body, dict) else {}


def _time_in(text: str | None) -> datetime | None:
    body = _body(text)
    found = (_moment(body, name) for name in TIMES)
    return next((each for each in found if each is not None), None)


def _moment(body: dict[str, object], name: str) -> datetime | None:
    try:
        return datetime.fromisoformat(str(body[name]))
    except (KeyError, ValueError):
        return None


def _newest_made(backups: Sequence[str]) -> datetime | None:
    """Return when the newest of some backups was made: an old one may have been tried last."""
    made = (_moment(_body(text), "made_at") for text in backups)
    return max((each for each in made if each is not None), default=None)


def _unprinted(papers: Sequence[PaperWaits]) -> dict[str, datetime]:
    """Return since when each printer has paper that waits."""
    since: dict[str, datetime] = {}
    for paper in papers:
        at = paper.copy_asked_at or _time_in(paper.body)
        if at is not None:
            since[paper.printer] = min(at, since.get(paper.printer, at))
    return since


def _jump(text: str | None) -> Jump | None:
    at, moved = _time_in(text), _body(text).get("milliseconds")
    return Jump(at, moved) if at is not None and isinstance(moved, int) else None


def _keyed_since(text: str | None, keyed: list[Process]) -> dict[str, datetime]:
    """Return since when each process stands as it does, if that is what the log says of it."""
    at, noted = _time_in(text), _body(text).get("processes")
    if at is None or not isinstance(noted, dict):
        return {}
    conditions = {
        role: said.get("condition") for role, said in noted.items() if isinstance(said, dict)
    }
    return {each.role: at for each in keyed if conditions.get(each.role) == each.condition.value}
