"""The shares of the long evidence, as `docs/proof/shares.toml` lists them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.proof.committed import ROOT, changed_since, commit_named

PAGES = ROOT / "docs" / "proof"
FILE = PAGES / "shares.toml"


@dataclass(frozen=True)
class Share:
    """A part of the long evidence that has a page of its own."""

    name: str
    about: str
    covers: tuple[str, ...]
    tests: tuple[str, ...]  # empty: every test that no other share runs
    alone: bool = False
    coverage: bool = False

    @property
    def page(self) -> Path:
        return PAGES / f"{self.name}.md"

    @property
    def is_outdated(self) -> bool:
        """Whether something that it covers changed since the commit on its page."""
        commit = commit_named(self.page)
        return commit is None or changed_since(commit, (*self.covers, *self.tests))


def read_shares(file: Path = FILE) -> dict[str, Share]:
    """Return the shares by name, in the order of the file."""
    listed = tomllib.loads(file.read_text())
    return {
        name: Share(name, **each | {"covers": tuple(each["covers"]), "tests": tuple(each["tests"])})
        for name, each in listed.items()
    }


def chosen(share: Share, shares: dict[str, Share]) -> list[str]:
    """Return the tests of a share as arguments of pytest."""
    if share.tests:
        return list(share.tests)
    return [f"--ignore={path}" for each in shares.values() for path in each.tests]
