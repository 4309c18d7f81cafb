"""Archiving: old detail goes into a file that stays verifiable, and leaves the live database.

Of days that are closed, past the period of their kind and wholly settled: salts and bodies of
entries, the bytes of papers and what became of them, and the events that boards were told. Leaves,
winning numbers, draw records, rate cards, tickets, money and closes of days stay (X-retention).

It takes two people, and a way into the database that the running house does not have
(`app.store.archiving`).

Write order:

1. The file is written under another name, made durable and read again. *Crash after: a file with
   an odd name is left, which nobody reads.*
2. In the transaction in which all of it was read: the ARCHIVED entry names the file by its hash,
   and the detail is removed. *Crash after: as before; nothing of this was seen by anybody.*
3. The file gets its name, in which nothing was before. *Crash after: there is a file that no entry
   tells of; nothing was removed, and the next archive is another file.*
4. The transaction is committed. *Crash after: it is archived, and takes as much room as before
   until somebody finishes it (`app.flow.give_back`).* Whether a commit came about that the
   database does not answer for is told by the log; the file has its name in either case.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from app.audit.archives import CHUNK, LABEL, MANIFEST, VERSION, read_archive
from app.audit.entries import commitment_of
from app.audit.entry_copies import ENTRIES, EntryCopy, NotACopy, entries_in, entry_line
from app.audit.kinds import KIND_OF, time_said
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.day import day_bounds, gaming_day
from app.flow.give_back import give_back
from app.flow.house_amounts import check_two_sides
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.retention import RecordKind
from app.store import archiving
from app.store.archiving import NotOurs
from app.store.database import Database
from app.store.queries import days, keeping, outcomes
from app.store.queries.house import HouseRow
from app.store.queries.log import EntryRow
from app.store.tables import Archive
from app.store.unit import Unit

SHOWN = 5
# The kind by whose period the rows of a table go.
KIND_OF_DETAIL = {
    "printed_paper": RecordKind.PAPER,
    "paper_event": RecordKind.PAPER,
    "feed_event": RecordKind.RUNNING,
}


@dataclass(frozen=True)
class Archived:
    """What went into an archive."""

    file: Path
    sha256: str
    entries: int
    first: int | None  # place in the log
    last: int | None
    rows: dict[str, int]  # by table
    room_kept: str | None = None  # why its room is not given back yet


@dataclass(frozen=True)
class Written:
    """What was written into an archive, and the hash of each part of it."""

    entries: int
    first: int | None  # place in the log
    last: int | None
    rows: dict[str, int]  # by table
    hashes: dict[str, bytes]  # by part


def archive_before(  # noqa: PLR0913, PLR0917  who moves what where, and by which way
    office: Office,
    way: Database | None,
    supervisor: Actor,
    manager: Actor,
    before: date,
    file: Path,
) -> Archived:
    """Move the detail of all days before a day into a new file, as far as its period is over.

    Args:
        office: the office, as the house works.
        way: the database by the way that the running house does not have; none on SQLite.
        supervisor: who archives.
        manager: who does so with them.
        before: the first gaming day that stays.
        file: where it goes.

    Refuses: whoever may not; a day that is not closed; tickets that are not settled; where nothing
    is old enough; without such a way; a file that is there already.
    """
    check_two_sides(supervisor, manager)
    for actor in (supervisor, manager):
        permit(actor.role, Permission.HOUSE_KEEP)
    if file.exists():
        raise say_no(No.FILE_THERE, file=file)
    try:
        archiving.check_way(office.database, way)
        with archiving.alone(office.database, way) as database:
            there = Office(database, office.keys, office.keyed, office.entropy, office.hasher)
            house = there.house  # read now: later on there is one connection, and it is in use
            if not database.is_sqlite:
                _finish_the_last(database)
            done = _archive(there, house, supervisor, manager, before, file)
            return replace(done, room_kept=give_back(database))
    except NotOurs as why:
        raise say_no(No.NO_WAY, why=str(why)) from None


def _finish_the_last(database: Database) -> None:
    """Give back the room of an archive before this one, if something was in the way of that.

    Refuses: if it still is.
    """
    why = give_back(database)
    if why is not None:
        raise say_no(No.NO_WAY, why=f"the archive before is not finished: {why}")


def _archive(  # noqa: PLR0913, PLR0917  who moves what where
    office: Office,
    house: HouseRow,
    supervisor: Actor,
    manager: Actor,
    before: date,
    file: Path,
) -> Archived:
    with office.unit() as unit:
        archiving.take_time(unit)
        cuts = _cuts(house, unit, before)
        _check_settled(house, unit, before, cuts)
        part = file.with_name(f".{file.name}.{uuid4().hex}")
        try:
            written = _write(house, unit, part, cuts, before)
            if not written.entries and not any(written.rows.values()):
                raise say_no(No.NOTHING_OLD, day=before.isoformat())
            done = Archived(
                file,
                _checked(part, written).hex(),
                written.entries,
                written.first,
                written.last,
                written.rows,
            )
            _remove(office, unit, supervisor, manager, before, done, cuts)
            # Last of all: it takes long, and whoever is held here can approve nothing meanwhile.
            still_acting(unit, supervisor, manager, what=Permission.HOUSE_KEEP)
            _give_name(part, file)
            unit.commit()
        finally:
            part.unlink(missing_ok=True)
    return done


def _cuts(house: HouseRow, unit: Unit, before: date) -> dict[RecordKind, datetime]:
    """Return up to when each kind goes: its period is over, and the day is asked for."""
    now = unit.now()
    today = gaming_day(now, house.time_zone, house.day_starts_minutes)
    cuts = {}
    for kind in RecordKind:
        kept_from = today - timedelta(days=keeping.retention(unit.connection, kind))
        first, _ = day_bounds(min(before, kept_from), house.time_zone, house.day_starts_minutes)
        cuts[kind] = first
    return cuts


def _check_settled(
    house: HouseRow, unit: Unit, before: date, cuts: dict[RecordKind, datetime]
) -> None:
    """Check that the days are closed, and that nothing of their tickets is still to be done."""
    begins, _ = day_bounds(before, house.time_zone, house.day_starts_minutes)
    closed = days.closed_until(unit.connection)
    if closed is None or closed < min(begins, max(cuts.values())):
        raise say_no(No.DAY_NOT_CLOSED, day=(before - timedelta(days=1)).isoformat())
    waiting = keeping.unsettled_tickets(unit.connection, cuts[RecordKind.TICKETS], SHOWN)
    if waiting:
        raise say_no(No.NOT_SETTLED, tickets=", ".join(map(str, waiting)))


def _old_entries(unit: Unit, cuts: dict[RecordKind, datetime]) -> Iterator[EntryRow]:
    """Yield the entries that go, in the order of their ids."""
    for entry in archiving.old_entries(unit, KIND_OF.keys(), max(cuts.values())):
        at = datetime.fromisoformat(time_said(entry.tag, json.loads(entry.body)))
        if at < cuts[KIND_OF[entry.tag]]:
            yield entry


# ---- the file ------------------------------------------------------------------------------------


def _write(
    house: HouseRow, unit: Unit, part: Path, cuts: dict[RecordKind, datetime], before: date
) -> Written:
    """Write the archive, and note which entries are in it; nothing of it is held in memory."""
    counts, hashes = dict[str, int](), dict[str, bytes]()
    descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o640)
    with os.fdopen(descriptor, "w+b") as out:
        with ZipFile(out, "w", ZIP_DEFLATED) as archive:
            with _part_of(archive, ENTRIES, hashes) as put:
                places = _write_entries(unit, cuts, put)
            for table, kind in KIND_OF_DETAIL.items():
                counts[table] = 0
                with _part_of(archive, f"{table}.jsonl", hashes) as put:
                    for row in archiving.detail_rows(unit, table, cuts[kind]):
                        put(json.dumps(row, default=_plain, sort_keys=True) + "\n")
                        counts[table] += 1
            manifest = {
                "label": LABEL,
                "version": VERSION,
                "house": house.name,
                "log_origin": house.log_origin,
                "before": before.isoformat(),
                "kinds": {kind.value: time_text(at) for kind, at in cuts.items()},
                "entries": places.count,
                "rows": counts,
                "cosigned": outcomes.newest_cosigned(unit.connection),
                "made_at": time_text(unit.now()),
            }
            archive.writestr(MANIFEST, json.dumps(manifest, indent=2) + "\n")
        out.flush()
        os.fsync(out.fileno())
    return Written(places.count, places.first, places.last, counts, hashes)


Put = Callable[[str], None]


@contextmanager
def _part_of(archive: ZipFile, name: str, hashes: dict[str, bytes]) -> Iterator[Put]:
    """Write a part of an archive line by line, and keep its hash."""
    digest = sha256()
    with archive.open(name, "w", force_zip64=True) as out:

        def put(line: str) -> None:
            out.write(line.encode())
            digest.update(line.encode())

        yield put
    hashes[name] = digest.digest()


@dataclass
class _Places:
    """How many entries were written, and the first and the last of their places."""

    count: int = 0
    first: int | None = None
    last: int | None = None

    def add(self, place: int) -> None:
        self.count += 1
        self.first = place if self.first is None else min(self.first, place)
        self.last = place if self.last is None else max(self.last, place)


def _write_entries(unit: Unit, cuts: dict[RecordKind, datetime], put: Put) -> _Places:
    """Write the entries that go, and note them in the database, so many at a time."""
    places, taken = _Places(), list[tuple[int, bytes]]()
    archiving.begin_taking(unit)
    for each in _old_entries(unit, cuts):
        place = each.position or 0
        put(entry_line(EntryCopy(place, each.leaf, each.tag, each.salt, each.body)))
        places.add(place)
        taken.append((each.id, commitment_of(each.salt, each.body.encode())))
        if len(taken) == archiving.BATCH:
            archiving.note_taken(unit, taken)
            taken.clear()
    archiving.note_taken(unit, taken)
    return places


def _checked(part: Path, written: Written) -> bytes:
    """Read an archive again as anybody would, before anything is removed; return its hash.

    Each entry must lead to its leaf, and each part be what was written.
    """
    try:
        entries = sum(1 for _ in entries_in(part))
        with ZipFile(part) as archive:
            hashes = {name: _hash_of(archive, name) for name in written.hashes}
        digest = read_archive(part).hash
    except (BadZipFile, NotACopy, OSError, zlib.error) as fault:
        raise say_no(No.NOT_COPIED, why=str(fault)) from None
    if entries != written.entries or hashes != written.hashes:
        raise say_no(No.NOT_COPIED, why="the archive is not what was written")
    return digest


def _hash_of(archive: ZipFile, name: str) -> bytes:
    digest = sha256()
    with archive.open(name) as data:
        while chunk := data.read(CHUNK):
            digest.update(chunk)
    return digest.digest()


def _give_name(part: Path, file: Path) -> None:
    """Give an archive its name; the name is taken first, or another's file could be written over.

    Refuses: a file that is there already.
    """
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640))
    except FileExistsError:
        raise say_no(No.FILE_THERE, file=file) from None
    part.replace(file)
    _sync(file.parent)


def _plain(value: Any) -> str:  # noqa: ANN401  what JSON does not have
    return value.hex() if isinstance(value, bytes) else time_text(value)


# ---- the live database ---------------------------------------------------------------------------


def _remove(  # noqa: PLR0913, PLR0917  what goes, by whom, and how it is told
    office: Office,
    unit: Unit,
    supervisor: Actor,
    manager: Actor,
    before: date,
    done: Archived,
    cuts: dict[RecordKind, datetime],
) -> None:
    now = unit.now()
    row = {
        "before": before,
        "entries": done.entries,
        "file": bytes.fromhex(done.sha256),
        "staff": supervisor.staff,
        "manager": manager.staff,
        "archived_at": now,
    }
    body = {
        "before": before.isoformat(),
        "kinds": {kind.value: time_text(at) for kind, at in cuts.items()},
        "entries": done.entries,
        "first": done.first,
        "last": done.last,
        "rows": done.rows,
        "file": done.file.name,
        "sha256": done.sha256,
        "supervisor": supervisor.code,
        "manager": manager.code,
        "at": supervisor.place,
        "time": time_text(now),
    }
    entry = office.log_with(unit, Tag.ARCHIVED, body, [(Archive, row)])
    before_each = {table: cuts[kind] for table, kind in KIND_OF_DETAIL.items()}
    before_each["log_entry"] = max(cuts.values())
    if archiving.take_out(unit, entry.id, before_each) != done.rows:
        raise NotOurs("papers were answered for meanwhile; ask again")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
