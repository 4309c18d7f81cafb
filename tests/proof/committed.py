"""Which state of the project evidence is about: a page names its commit, or is not written."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN = ("docs/proof/*.md", "docs/soak.md")  # by the evidence itself
OTHERS = (".", *(f":!{path}" for path in WRITTEN))
NAMED = re.compile(r"\bcommit(?: \|)? ([0-9a-f]{7,40})\b", re.IGNORECASE)


def committed(root: Path = ROOT) -> str | None:
    """Return the newest commit with more than the evidence's own pages; None if files differ."""
    if _git(root, "status", "--porcelain", "--", *OTHERS):
        return None
    return _git(root, "log", "-1", "--format=%h", "--", *OTHERS)


def commit_named(page: Path) -> str | None:
    """Return the commit that a page is about; None if there is no page or no commit on it."""
    named = NAMED.search(page.read_text()) if page.exists() else None
    return None if named is None else named[1]


def not_in_history(pages: Iterable[Path], root: Path = ROOT) -> Mapping[Path, str]:
    """Return the pages whose commit is not in this history, with that commit."""
    named = {page: commit for page in pages if (commit := commit_named(page)) is not None}
    return {page: commit for page, commit in named.items() if not _is_ancestor(root, commit)}


def changed_since(commit: str, paths: Iterable[str], root: Path = ROOT) -> bool:
    """Whether a file below the paths is another one than at a commit."""
    return bool(_git(root, "diff", "--name-only", commit, "HEAD", "--", *paths))


def _is_ancestor(root: Path, commit: str) -> bool:
    command = ["git", "-C", str(root), "merge-base", "--is-ancestor", commit, "HEAD"]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603  git itself
    return done.returncode == 0


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(  # noqa: S603  git itself, on this repository
        command, capture_output=True, text=True, check=True
    ).stdout.strip()
