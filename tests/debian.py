"""Debian's packages, for tests that need a program of the system which is not there.

Shares of the tests run beside each other, and apt and dpkg refuse whoever comes second: here one
waits for the other.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path


def install(*packages: str) -> None:
    """Install packages, if that can be done here; whoever asked looks whether it was."""
    apt = shutil.which("apt-get")
    if os.geteuid() != 0 or apt is None:
        return
    with Path(apt).open("rb") as turn:  # the one file that all of them have in common
        fcntl.flock(turn, fcntl.LOCK_EX)
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
