"""A real browser: the Chromium that is installed, else Debian's package, which is then installed.

Without one the run fails and says how to get it: nothing is skipped.
"""

import shutil
from functools import cache

from tests.debian import found_or_installed

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDY = (
    "The pages are tested in a real browser, and no Chromium could be found or installed. "
    "On Debian and Ubuntu: apt-get install chromium fonts-liberation"
)
ARGUMENTS = [
    "--no-sandbox",  # tests may run as root, in a container
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@cache
def chromium() -> str:
    """Return where the browser is."""
    return found_or_installed(_found, "chromium", "fonts-liberation") or _missing()


def _found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _missing() -> str:
    raise RuntimeError(REMEDY)
