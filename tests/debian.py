"""Debian's packages, for tests that need a program of the system which is not there.

Shares of the tests run beside each other, and apt and dpkg refuse whoever comes second: here one
waits for the other. Nor does anybody look for a program that another is just installing, of which a
part is there already.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")


def found_or_installed(look: Callable[[], Found | None], *packages: str) -> Found | None:
    """Look for a program, and once more with its packages installed, if that can be done here."""
    apt = shutil.which("apt-get")
    if os.geteuid() != 0 or apt is None:
        return look()
    with Path(apt).open("rb") as turn:  # the one file that all of them have in common
        fcntl.flock(turn, fcntl.LOCK_EX)
        if (found := look()) is not None:
            return found
        sys.stdout.write(f"Installing Debian's packages: {' '.join(packages)} ...\n")
        sys.stdout.flush()
        wanted = ["install", "--yes", "--no-install-recommends", *packages]
        for words in (["update"], wanted):
            subprocess.run(  # noqa: S603  the system's own package manager
                # Another program's turn is waited for as well.
                [apt, "-q", "-o", "DPkg::Lock::Timeout=300", *words],
                check=False,
                env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        return look()


def install_missing(missing: Callable[[], list[str]]) -> str | None:
    """Install packages that are missing; return what to type, if some are missing even then."""
    if wanted := missing():
        found_or_installed(lambda: None if missing() else True, *wanted)
    if wanted := missing():
        typed = f"apt-get install --no-install-recommends {' '.join(wanted)}"
        return f"On Debian 12 type: {typed}"
    return None
