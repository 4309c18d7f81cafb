"""Programs of the system that tests of the installation need, found or installed."""

import shutil
from functools import partial

from tests.debian import found_or_installed


def program(name: str, *packages: str) -> str:
    """Return where a program is, having installed its packages if it was not there.

    Raises:
        RuntimeError: it is not there and cannot be had; the text is the remedy.
    """
    found = found_or_installed(partial(shutil.which, name), *packages)
    if found is not None:
        return found
    raise RuntimeError(
        f"{name} is needed. On Debian and Ubuntu: apt-get install {' '.join(packages)}"
    )
