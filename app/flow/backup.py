"""Backing a house up, and restoring it: one file, whole, checked, and never with a key in it.

A backup is a ZIP file: `manifest.json`, which says what it is of, and `database`, which is SQLite's
file or the dump of PostgreSQL. Keys are files beside the database, and never in it: they are kept
apart, or whoever finds a backup could make tickets.

Write order of a backup:

1. The log is sealed. *Crash: sealed again.*
2. The database is copied as of one moment into a file that has another name, then packed with its
   manifest into a second one. *Crash: two files with odd names are left, and nothing else; the next
   backup does not mind them.*
3. That file is made durable and gets its name, which is taken by an empty file first. *Crash
   before: as above. Crash between: the empty file has the name, and is no backup. Crash after:
   there is a backup, and the log does not tell of it.*
4. The BACKUP entry, with the hash of the file.

A backup counts as one when it was restored on trial: that is another BACKUP entry (`checked`).

Write order of a restore: `app.store.copies.copy_in`, then the migrations that the backup lacks, of
which each is a transaction. *Crash: `keno database upgrade` goes on.* What is missing is looked for
afterwards (`missing`), because until then nothing happens in a restored house.
"""

import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from app.audit.checkpoints import checkpoint_of
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.flow.seal import seal_log
from app.store import copies, schema
from app.store.copies import CannotCopy, Progress
from app.store.database import Database
from app.store.queries import house, log, outcomes
from app.store.unit import Unit

LABEL, VERSION = "keno/backup", 1
MANIFEST, PAYLOAD = "manifest.json", "database"
CHUNK = 1 << 20
MANIFEST_MAX = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """What a backup is of."""

    engine: str
    revision: str
    house: str
    log_origin: str
    log_size: int
    log_root: str
    cosigned: str | None  # the newest head that the inspector has cosigned, as a note
    made_at: str
    bytes: int
    sha256: str  # of the database in it

    def document(self) -> dict[str, object]:
        """Return it as it stands in the file."""
        return {"label": LABEL, "version": VERSION, **asdict(self)}


def back_up(office: Office, file: Path, progress: Progress = lambda _: None) -> Manifest:
    """Write a backup of the house into a new file; sales go on meanwhile.

    Refuses: a file that is there already; what could not be copied, with the reason.
    """
    if file.exists():
        raise say_no(No.FILE_THERE, file=file)
    seal_log(office)
    part = file.with_name(f".{file.name}.{uuid4().hex}")
    copied, packed = part.with_suffix(".database"), part.with_suffix(".zip")
    try:
        manifest = _copied(office, copied, progress)
        _pack(manifest, copied, packed)
        _give_name(packed, file)
    except FileExistsError:
        raise say_no(No.FILE_THERE, file=file) from None
    except CannotCopy as fault:
        raise say_no(No.NOT_COPIED, why=str(fault)) from None
    finally:
        for each in (copied, packed):
            each.unlink(missing_ok=True)
    with office.unit() as unit:
        told = {"file": file.name, "file_sha256": hash_of(file), "time": time_text(unit.now())}
        body = {**asdict(manifest), **told}
        office.log(unit, Tag.BACKUP, body)
        unit.commit()
    return manifest


def note_checked(office: Office, file: Path, manifest: Manifest) -> None:
    """Have in the log that a backup of this house was restored on trial, and nothing was wrong.

    Refuses: one of another house.
    """
    if (manifest.house, manifest.log_origin) != (office.house.name, office.house.log_origin):
        raise say_no(No.NOT_A_BACKUP, why="it is of another house")
    with office.unit() as unit:
        told = {"file": file.name, "file_sha256": hash_of(file), "made_at": manifest.made_at}
        office.log(unit, Tag.BACKUP, {**told, "checked": True, "time": time_text(unit.now())})
        unit.commit()


def _copied(office: Office, file: Path, progress: Progress) -> Manifest:
    """Copy the database into a file, and return what it is of: both of the very same moment."""
    revision = schema.revision_of(office.database)
    with office.database.reading(at_length=True) as connection:
        head = log.head(connection)
        cosigned = outcomes.newest_cosigned(connection)
        now = Unit(office.database, connection).now()
        if head is None or revision is None:
            raise LookupError("the house was not founded yet")
        copies.copy_out(connection, file, progress)
    return Manifest(
        engine="sqlite" if office.database.is_sqlite else "postgresql",
        revision=revision,
        house=office.house.name,
        log_origin=office.house.log_origin,
        log_size=head.size,
        log_root=head.root.hex(),
        cosigned=cosigned,
        made_at=time_text(now),
        bytes=file.stat().st_size,
        sha256=hash_of(file),
    )


def _pack(manifest: Manifest, copied: Path, packed: Path) -> None:
    descriptor = os.open(packed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w+b") as out:
        with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(MANIFEST, json.dumps(manifest.document(), indent=2) + "\n")
            with (
                copied.open("rb") as data,
                archive.open(PAYLOAD, "w", force_zip64=True) as member,
            ):
                shutil.copyfileobj(data, member, CHUNK)
        out.flush()
        os.fsync(out.fileno())


def _give_name(packed: Path, file: Path) -> None:
    """Give a backup its name; the name is taken first, or another's file could be written over."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    packed.replace(file)
    _sync(file.parent)


# ---- reading one ---------------------------------------------------------------------------------


def read_manifest(file: Path) -> Manifest:
    """Return what a backup says that it is of.

    Refuses: what is no backup of ours.
    """
    try:
        with ZipFile(file) as archive:
            document = json.loads(archive.open(MANIFEST).read(MANIFEST_MAX))
        return _manifest(document)
    except (BadZipFile, OSError, KeyError, RecursionError, TypeError, ValueError) as fault:
        raise say_no(No.NOT_A_BACKUP, why=str(fault) or type(fault).__name__) from None


def _manifest(document: Mapping[str, Any]) -> Manifest:
    if (document["label"], document["version"]) != (LABEL, VERSION):
        raise ValueError("it is of another form")
    fields = {name: document[name] for name in Manifest.__dataclass_fields__}
    if fields["engine"] not in copies.ENGINES:
        raise ValueError("it is of an engine that is none")
    return Manifest(**fields)


@contextmanager
def unpacked(file: Path, manifest: Manifest) -> Iterator[Path]:
    """Give out the database of a backup as a file of its own, checked against its hash.

    Refuses: one that is not what the manifest says.
    """
    with TemporaryDirectory(prefix="keno-backup-") as folder:
        copied = Path(folder) / "copy"
        try:
            with ZipFile(file) as archive, archive.open(PAYLOAD) as member:
                descriptor = os.open(copied, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as out:
                    shutil.copyfileobj(member, out, CHUNK)
        except (BadZipFile, KeyError, EOFError, zlib.error) as fault:
            raise say_no(No.NOT_A_BACKUP, why=str(fault)) from None
        if hash_of(copied) != manifest.sha256:
            raise say_no(No.NOT_A_BACKUP, why="the database in it has another hash")
        yield copied


def restore(database: Database, file: Path, now: datetime) -> Manifest:
    """Fill an empty database from a backup, and bring it to this software's revision.

    Nothing happens in the house before somebody has looked for what is missing (`missing`).

    Refuses: a database that is not empty, or of another engine; what is no backup, or a damaged
    one; a backup of newer software.
    """
    manifest = read_manifest(file)
    if manifest.engine != ("sqlite" if database.is_sqlite else "postgresql"):
        raise say_no(No.OTHER_ENGINE, engine=manifest.engine)
    if not schema.is_known(manifest.revision):
        raise say_no(No.NEWER_BACKUP, revision=manifest.revision)
    beside = copies.files_of_another(database)
    if beside:
        raise say_no(No.OLD_FILES, files=", ".join(beside))
    if not copies.is_empty(database):
        raise say_no(No.NOT_EMPTY)
    with unpacked(file, manifest) as copied:
        database.close()
        try:
            copies.copy_in(database, copied, manifest.log_size, now)
        except CannotCopy as fault:  # of which whoever tries it asks whether it was disturbed
            raise say_no(No.NOT_COPIED, why=str(fault)) from fault
    schema.upgrade(database)
    _check_same(database, manifest)
    return manifest


def _check_same(database: Database, manifest: Manifest) -> None:
    """Check that what came out is what the manifest says.

    Refuses: if it is not; nothing happens in that database either.
    """
    with database.reading() as connection:
        head, found = log.head(connection), house.house(connection)
    if head is None or found is None:
        raise say_no(No.NOT_A_BACKUP, why="there is no house in it")
    stored = (found.name, found.log_origin, head.size, head.root.hex())
    if stored != (manifest.house, manifest.log_origin, manifest.log_size, manifest.log_root):
        raise say_no(No.NOT_A_BACKUP, why="the house in it is not the one that it names")
    if manifest.cosigned is not None and checkpoint_of(manifest.cosigned).size > head.size:
        raise say_no(No.NOT_A_BACKUP, why="it names a head that is not in it")


def hash_of(file: Path) -> str:
    """Return the hash of a file, in hexadecimal."""
    with file.open("rb") as data:
        digest = sha256()
        while chunk := data.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
