"""A real browser: the system's Chromium, else Debian's package, else Playwright's own.

Debian's package is installed as root only; Playwright's own browser is downloaded by any user.
Without any of them the run fails and says how to get one: nothing is skipped.
"""

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.debian import found_or_installed

# The shell is the same browser without the windows that a headless one draws in vain.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
REMEDY = (
    "The pages are tested in a real browser, and no Chromium could be found or installed. "
    "On Debian: apt-get install chromium-headless-shell fonts-liberation. "
    "On Ubuntu: .venv/bin/playwright install --with-deps chromium"
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
    """Return where the browser is.

    Raises:
        RuntimeError: there is none and none can be had; the text is the remedy.
    """
    for find in (_of_the_system, _of_playwright, _downloaded):
        if (path := find()) is not None:
            return path
    raise RuntimeError(REMEDY)


def _of_the_system() -> str | None:
    return found_or_installed(_installed, "chromium-headless-shell", "fonts-liberation")


def _installed() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name)) and _starts(path)), None)


def _starts(path: str) -> bool:
    """Whether it is a browser: Ubuntu's package is a stub that only asks for a snap."""
    command = [path, "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603  a browser


def _of_playwright() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() and _starts(path) else None


def _downloaded() -> str | None:
    sys.stdout.write("Downloading Playwright's Chromium ...\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    if subprocess.run(command, check=False).returncode != 0:  # noqa: S603  Playwright's own program
        return None
    return _of_playwright()
