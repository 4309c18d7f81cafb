"""A lock on a file. It ends with the process that holds it, however that process ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock of a file, which is created if needed, and yield the file's descriptor.

    Child processes do not inherit the descriptor, so none of them holds the lock.

    Raises:
        BlockingIOError: another process holds the lock.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)
