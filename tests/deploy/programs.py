"""Programs of the system that tests of the installation need, found or installed."""

import shutil
from functools import partial

from tests.debian import found_or_installed


def program(name: str, package: str) -> str:
    """Return where a program is, having installed its package if it was not there.

    Raises:
        RuntimeError: it is not there and cannot be had; the text is the remedy.
    """
    found = found_or_installed(partial(shutil.which, name), package)
    if found is not None:
        return found
    raise RuntimeError(f"{name} is needed. On Debian and Ubuntu: apt-get install {package}")
