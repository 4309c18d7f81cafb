"""Which state of the project evidence is about: a page names its commit, or is not written."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN = ("docs/proof", "docs/soak.md")  # by the evidence itself


def committed() -> str | None:
    """Return the commit that is here; none if more than the evidence's own pages is not in it."""
    if _git("status", "--porcelain", "--", ".", *(f":!{path}" for path in WRITTEN)):
        return None
    return _git("rev-parse", "--short", "HEAD")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(  # noqa: S603  git itself, on this repository
        command, capture_output=True, text=True, check=True
    ).stdout.strip()
