"""Archives: files with what is not at hand any more, which stay verifiable (X-retention).

A ZIP file: `manifest.json`; `entries.jsonl`, the entries with salt and body in the form in which
the regulator has them; and a file for each table whose rows went with them. The leaf of each entry
is in the log for ever: what is in an archive either leads to it, or is not what it was.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from app.audit.entry_copies import EntryCopy, NotACopy, entries_in
from app.audit.faults import Fault, Finding
from app.store.queries import Reading, keeping
from app.store.queries.log import EntryRow

LABEL, VERSION, MANIFEST = "keno/archive", 1, "manifest.json"
CHECK = "archives"
CHUNK = 1 << 20
MANIFEST_MAX = 1 << 20


@dataclass(frozen=True)
class ArchiveFile:
    """An archive as a file, and what it says that it is."""

    path: Path
    hash: bytes
    manifest: Mapping[str, Any]


def read_archive(path: Path) -> ArchiveFile:
    """Return an archive.

    Raises:
        NotACopy: it is none.
    """
    try:
        with ZipFile(path) as archive:
            manifest = json.loads(archive.open(MANIFEST).read(MANIFEST_MAX))
        if (manifest["label"], manifest["version"]) != (LABEL, VERSION):
            raise NotACopy(f"{path} is of another form")
        digest = sha256()
        with path.open("rb") as data:
            while chunk := data.read(CHUNK):
                digest.update(chunk)
    except (BadZipFile, OSError, KeyError, RecursionError, TypeError, ValueError) as fault:
        raise NotACopy(f"{path} is no archive: {fault!r}") from None
    return ArchiveFile(path, digest.digest(), manifest)


@dataclass(frozen=True)
class Shelf:
    """Where archives are kept: those that can be read, and what is wrong with the others."""

    files: Sequence[ArchiveFile]
    faults: Sequence[Fault] = ()


NO_ARCHIVES = Shelf(())


def read_shelf(folder: Path) -> Shelf:
    """Return the archives in a folder.

    Names that begin with a dot are of files that are being written, or were when something died.
    """
    files, faults = list[ArchiveFile](), list[Fault]()
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            files.append(read_archive(path))
        except NotACopy as fault:
            faults.append(Fault(CHECK, str(fault)))
    return Shelf(files, faults)


class NotAtHand(Exception):  # noqa: N818  the operator's to bring
    """An archive is not at hand, or is not what it was; the text says which and why."""


class ArchivedBodies:
    """Archives from which entries are read again, place by place, from the first to the last."""

    def __init__(self, connection: Reading, files: Sequence[ArchiveFile]) -> None:
        self._files = {file.hash: file.path for file in files}
        self._archives = keeping.archive_files(connection)
        self._reading: dict[int, Iterator[EntryCopy]] = {}
        self._ahead: dict[int, dict[int, EntryCopy]] = {}

    def opened(self, row: EntryRow) -> EntryRow:
        """Return an entry with its body; they are asked for in the order of their places.

        Raises:
            NotAtHand: its archive is not at hand, or has another entry in its place.
        """
        if row.archived is None or row.position is None:
            return row
        digest = self._archives[row.archived]
        if digest not in self._files:
            raise NotAtHand(f"the archive with the hash {digest.hex()} is not at hand")
        lines = self._reading.setdefault(row.archived, entries_in(self._files[digest]))
        ahead = self._ahead.setdefault(row.archived, {})
        try:
            while row.position not in ahead and (copy := next(lines, None)) is not None:
                if copy.position >= row.position:
                    ahead[copy.position] = copy  # an entry may stand before one of a lower place
        except NotACopy as fault:
            raise NotAtHand(f"the archive with the hash {digest.hex()}: {fault}") from None
        copy = ahead.pop(row.position, None)
        if copy is None or copy.leaf != row.leaf:
            raise NotAtHand(f"the archive with the hash {digest.hex()} has other entries")
        return replace(row, tag=copy.tag or "", salt=copy.salt or b"", body=copy.body or "")


class Archives:
    """The archives that are at hand, by which entries are read as if nothing were archived."""

    def __init__(self, files: Sequence[ArchiveFile] = ()) -> None:
        self._files = {file.hash: file for file in files}
        self._reading: dict[int, Iterator[EntryCopy]] = {}
        self.faults = Finding()

    def begin(self, connection: Reading) -> None:
        """Begin with the first entry of the log: an archive that is not at hand is a fault."""
        for entry, digest in keeping.archive_files(connection).items():
            self.faults.looked_at += 1
            if digest in self._files:
                self._reading[entry] = entries_in(self._files[digest].path)
            else:
                words = f"the archive with the hash {digest.hex()} is not at hand"
                self.faults.add([Fault(CHECK, words)])

    def opened(self, row: EntryRow) -> EntryRow:
        """Return the next entry, in the order of their ids; an archived one with its body.

        An archive has its entries in the same order, so that no more than one of each is ever held;
        what is in it and still at hand is passed over. Of an archive that is not at hand, or has
        other entries, the entries stay without bodies, and that is a fault.
        """
        lines = self._reading.get(row.archived or 0)
        return row if lines is None else self._opened(row, lines)

    def _opened(self, row: EntryRow, lines: Iterator[EntryCopy]) -> EntryRow:
        try:
            wanted = row.position, row.leaf
            copy = next((each for each in lines if (each.position, each.leaf) == wanted), None)
        except NotACopy as fault:
            copy, why = None, str(fault)
        else:
            why = "its entries are not those of the log"
        if copy is None:
            self.faults.add([Fault(CHECK, f"the archive of entry {row.archived}: {why}")])
            self._reading.pop(row.archived or 0, None)
            return row
        return replace(row, tag=copy.tag or "", salt=copy.salt or b"", body=copy.body or "")
