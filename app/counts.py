"""What a process counts while it runs: in memory that the other processes of the machine can read.

Each process has a file of its own in one folder. The file begins with the names of what is counted,
and goes on with a number for each. Whoever tells of the counts reads all the files: so one answer
has the counts of every web worker and of the caller, the spooler, the feed and the reporter.

A process that starts takes over the file of one of its kind that has ended, with its counts: they
never go back, and there are never more files than processes at a time. Which files have somebody is
what the locks on them say, and a lock ends with its process.

They are for watching. No act waits for them, and nothing is lost with them.
"""

import fcntl
import json
import mmap
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from struct import Struct, error

LENGTH = Struct("=Q")  # of the names, in bytes; and each number
LINES, LISTENERS = "lines", "listeners"  # what other processes than the web count
WORKERS_MOST = 256  # of one kind, on one machine


@dataclass(frozen=True)
class Counted:
    """What one process has counted, and whether it runs."""

    process: str
    runs: bool
    counts: Mapping[str, int]


class Counts:
    """The counts of this process."""

    def __init__(self, process: str, names: Sequence[str], folder: Path | None = None) -> None:
        """Begin to count.

        Args:
            process: what kind of process it is.
            names: of everything that it counts.
            folder: where the others find it; none: it counts for itself.
        """
        self.process = process
        self._places = {name: place for place, name in enumerate(names)}
        self._one_at_a_time = threading.Lock()
        head = _head(names)
        size = len(head) + LENGTH.size * len(names)
        if folder is None:
            self._file = None
            self._memory = mmap.mmap(-1, size)
        else:
            self._file, before = _taken(folder, process)
            values = b"".join(LENGTH.pack(before.get(name, 0)) for name in names)
            os.ftruncate(self._file, size)
            os.pwrite(self._file, head + values, 0)
            self._memory = mmap.mmap(self._file, size)
        self._numbers = memoryview(self._memory)[len(head) :].cast("Q")

    def add(self, name: str, many: int = 1) -> None:
        """Count something; what has no name here is not counted."""
        place = self._places.get(name)
        if place is not None:
            with self._one_at_a_time:
                self._numbers[place] += many

    def put(self, name: str, number: int) -> None:
        """Say how many there are now of something that comes and goes."""
        with self._one_at_a_time:
            self._numbers[self._places[name]] = number

    def read(self) -> Counted:
        """Return what was counted so far."""
        with self._one_at_a_time:
            numbers = self._numbers.tolist()
        return Counted(self.process, True, dict(zip(self._places, numbers, strict=True)))

    def close(self) -> None:
        """Count no more; another process may take over."""
        self._numbers.release()
        self._memory.close()
        if self._file is not None:
            os.close(self._file)


def read_counts(folder: Path) -> list[Counted]:
    """Return what all processes have counted that have a file in a folder, in order of name."""
    found = (_read(path) for path in sorted(folder.glob("*.counts")))
    return [each for each in found if each is not None]


def _head(names: Sequence[str]) -> bytes:
    """Return how a file begins: the length of the names, and these, up to a multiple of eight."""
    text = json.dumps(list(names)).encode()
    text += b" " * (-len(text) % LENGTH.size)
    return LENGTH.pack(len(text)) + text


def _taken(folder: Path, process: str) -> tuple[int, Mapping[str, int]]:
    """Take the first file of a kind that nobody has, and return it with what was counted there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, WORKERS_MOST + 1):
        path = folder / f"{process}-{number}.counts"
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o640)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        return file, _numbers(path.read_bytes()) or {}
    raise OSError(f"there are {WORKERS_MOST} processes of the kind {process} already")


def _read(path: Path) -> Counted | None:
    """Return what a process has counted; none if its file is only being made."""
    file = os.open(path, os.O_RDONLY)
    try:
        counts = _numbers(path.read_bytes())
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            runs = False
        except BlockingIOError:
            runs = True
    finally:
        os.close(file)
    return None if counts is None else Counted(path.stem.rpartition("-")[0], runs, counts)


def _numbers(data: bytes) -> dict[str, int] | None:
    try:
        (length,) = LENGTH.unpack_from(data)
        names = json.loads(data[LENGTH.size : LENGTH.size + length])
        numbers = memoryview(data)[LENGTH.size + length :].cast("Q")
        return dict(zip(names, numbers, strict=True))
    except (error, TypeError, ValueError):
        return None
