"""Folders that all processes of one run share: whatever takes long to make is made once.

The process that begins the run makes the shared folder, tells its workers where it is by an
environment variable, and removes it at the end.
"""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

WHERE = "TESTS_SHARED_FOLDER"


def begin() -> bool:
    """Make the shared folder; False if the run that this process belongs to has one already."""
    if WHERE in os.environ:
        return False
    os.environ[WHERE] = mkdtemp(prefix="keno-shared-")
    return True


def end() -> None:
    """Remove the shared folder."""
    shutil.rmtree(os.environ.pop(WHERE), ignore_errors=True)


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return the folder of a name; the first process that needs it makes it, the others wait."""
    shared = Path(os.environ[WHERE])
    made = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            unfinished = Path(mkdtemp(dir=shared))
            make(unfinished)
            unfinished.rename(made)
    return made
