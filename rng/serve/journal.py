"""The journal: one canonical record a line, each naming the hash of the line before, never changed.

Write order of one append: the line with its newline in one write, fsync of the file and of its
folder, and only then does the caller go on. So whatever left the process is on the disk, newline
and all, under its name (X-recovery).

- Died before the fsync returned: the file may end in a part of a line, without its newline. Such a
  line never left the process; opening cuts it off and records that (`REPAIRED`).
- Any other damage, a broken chain or a line that is not canonical, is not repaired: `Damaged`.
- The fsync failed: nobody knows what the disk holds. The journal takes no further line, and a
  marker beside it makes the next start a lockout.

A journal that was cut at the end of a line, or replaced by an older copy, is sound by itself. It is
found out by the other process, whose journal names what is missing.
"""

import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import cast

from rng.core.canonical import NotCanonical, canonical, read_canonical
from rng.core.records import Line
from rng.core.shapes import WrongShape, shaped

LINE_BYTES_MAX = 1 << 20
FIRST_PREVIOUS = "0" * 64
MARKER_SUFFIX = ".failed"


class Damaged(Exception):  # noqa: N818  a finding, which locks the process out
    """The journal is not what was written; the text says where."""


class WriteFailed(Exception):  # noqa: N818  the disk's failure, which locks the process out
    """A line may or may not be on the disk; nothing may follow it."""


class InUse(Exception):  # noqa: N818  a refusal to start
    """Another process holds the journal."""


@dataclass(frozen=True)
class Entry:
    """A line as it was read or written: itself, its hash, and where it stands in the file."""

    line: Line
    hash: str
    offset: int


class Disk:
    """The system calls that make a line durable; tests put a failing one in its place."""

    def write(self, descriptor: int, data: bytes) -> None:
        """Write all of it."""
        while data:
            data = data[os.write(descriptor, data) :]

    def sync(self, descriptor: int) -> None:
        """Return only when everything written is on the disk."""
        os.fsync(descriptor)


class Journal:
    """An open journal, locked against every other process."""

    def __init__(self, path: Path, disk: Disk) -> None:
        """Open a journal that the ceremony made, and lock it.

        Raises:
            FileNotFoundError: there is none; only the ceremony creates one.
            InUse: another process has it.
        """
        self.path = path
        self._disk = disk
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise InUse(f"{path} is held by another process") from None
        self._folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._failed = False
        self.is_closed = False
        self._end = 0
        self.next_index = 0
        self.last_hash = FIRST_PREVIOUS
        self.torn = b""

    @property
    def failed_before(self) -> bool:
        """Whether a write failed in an earlier life of this journal."""
        return self._marker.exists()

    def entries(self) -> Iterator[Entry]:
        """Read every line once, checking the chain, and cut off a torn last one; before any write.

        Raises:
            Damaged: a line is not what was written.
        """
        with self.path.open("rb") as file:
            while data := file.readline(LINE_BYTES_MAX + 1):
                if not data.endswith(b"\n"):
                    self.torn = data
                    break
                yield self._read(data)
        if len(self.torn) > LINE_BYTES_MAX:
            raise Damaged(f"line {self.next_index + 1} is longer than any that was written")
        if not self.next_index:
            raise Damaged("the journal is empty")
        if self.torn:
            os.ftruncate(self._file, self._end)
            self._disk.sync(self._file)

    def append(self, kind: str, document: object, at: str) -> Entry:
        """Write a line; when this returns it is on the disk.

        Raises:
            WriteFailed: it may or may not be; no line is taken after that.
        """
        if self._failed:
            raise WriteFailed("an earlier line could not be written")
        line = journal_line(self.next_index, self.last_hash, kind, document, at)
        data = canonical(line) + b"\n"
        if len(data) > LINE_BYTES_MAX:  # no document of ours comes near; nothing is written
            raise ValueError("the line is too long")
        try:
            self._disk.write(self._file, data)
            self._disk.sync(self._file)
            self._disk.sync(self._folder)
        except OSError as trouble:
            self._failed = True
            self._leave_marker(str(trouble))
            raise WriteFailed(f"the journal could not be written: {trouble}") from trouble
        return self._advance(line, data)

    def document_at(self, offset: int) -> dict[str, object]:
        """Read the document of a line again, from where the line starts."""
        with self.path.open("rb") as file:
            file.seek(offset)
            line = cast("Line", read_canonical(file.readline(LINE_BYTES_MAX)[:-1]))
        return line["document"]

    def forget_failure(self) -> None:
        """Remove the marker, once the lockout that it stands for is itself in the journal."""
        self._marker.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file and give up the lock; once is enough."""
        if self.is_closed:
            return
        self.is_closed = True
        os.close(self._folder)
        os.close(self._file)

    @property
    def _marker(self) -> Path:
        return self.path.with_name(self.path.name + MARKER_SUFFIX)

    def _leave_marker(self, reason: str) -> None:
        """Leave word for the next start, as well as a failing disk allows."""
        try:
            write_new(self._marker, reason.encode())
        except OSError:
            return

    def _read(self, data: bytes) -> Entry:
        number = self.next_index + 1
        try:
            line = shaped(Line, read_canonical(data[:-1]))
        except (NotCanonical, WrongShape) as fault:
            raise Damaged(f"line {number} of the journal is damaged: {fault}") from None
        if line["index"] != self.next_index or line["previous"] != self.last_hash:
            raise Damaged(f"line {number} of the journal does not follow the line before it")
        return self._advance(line, data)

    def _advance(self, line: Line, data: bytes) -> Entry:
        entry = Entry(line, sha256(data[:-1]).hexdigest(), self._end)
        self._end += len(data)
        self.next_index += 1
        self.last_hash = entry.hash
        return entry


def journal_line(index: int, previous: str, kind: str, document: object, at: str) -> Line:
    """Return a line; its canonical form and a newline are what stands in the file."""
    return {
        "label": "keno/journal-line",
        "version": 1,
        "index": index,
        "previous": previous,
        "at": at,
        "kind": kind,
        "document": cast("dict[str, object]", document),
    }


def create_journal(path: Path, genesis: object, at: str) -> None:
    """Create a journal with its first line; the ceremony's act, never that of `serve`.

    Raises:
        FileExistsError: there is one already.
    """
    write_new(path, canonical(journal_line(0, FIRST_PREVIOUS, "GENESIS", genesis, at)) + b"\n")


def write_new(path: Path, data: bytes) -> None:
    """Create a file that was not there, for its owner alone, and make it and its name durable.

    Raises:
        FileExistsError: there is one already.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        disk = Disk()
        disk.write(descriptor, data)
        disk.sync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(path.parent)


def replace_file(path: Path, data: bytes) -> None:
    """Put new contents in the place of a file: afterwards there is the old or the new, whole."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    write_new(fresh, data)
    fresh.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
