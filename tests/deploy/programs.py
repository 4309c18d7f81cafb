"""Programs of the system that tests of the installation need, found or installed."""

import shutil

from tests.debian import install


def program(name: str, package: str) -> str:
    """Return where a program is, having installed its package if it was not there.

    Raises:
        RuntimeError: it is not there and cannot be had; the text is the remedy.
    """
    if (found := shutil.which(name)) is not None:
        return found
    install(package)
    if (found := shutil.which(name)) is not None:
        return found
    raise RuntimeError(f"{name} is needed. On Debian and Ubuntu: apt-get install {package}")
