"""Which software draws: the manifests that a test laboratory seals (X-software-seal).

A manifest lists files as `sha256sum` prints them, so that `sha256sum --check` in the folder that
holds `rng` checks it without us. The outcome-critical one covers `rng/core`; the whole one covers
every file of the package but compiled copies. The hash of the whole one is the software hash of
journals and intents.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from time import monotonic

PACKAGE = Path(__file__).parents[1]


def manifest(package: Path = PACKAGE, part: str = ".") -> str:
    """Return the manifest of a part of the package."""
    files = sorted(
        (
            path
            for path in (package / part).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        ),
        key=lambda path: path.as_posix(),
    )
    return "".join(
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(package.parent).as_posix()}\n"
        for path in files
    )


def software_hash(package: Path = PACKAGE) -> str:
    """Return the hash of the whole manifest."""
    return sha256(manifest(package).encode()).hexdigest()


class SoftwareWatch:
    """The software hash at every draw: worked out anew when a file was touched in any way.

    The files are looked at again when the last look is a second old: draws are further apart.
    """

    def __init__(self, package: Path = PACKAGE) -> None:
        self._package = package
        self._seen: object = None
        self._hash = ""
        self._look_again = monotonic()

    def __call__(self) -> str:
        """Return the hash of the software as it is on the disk."""
        now = monotonic()
        if now >= self._look_again:
            self._look()
            self._look_again = now + 1
        return self._hash

    def _look(self) -> None:
        seen = [
            (path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)
            for path, status in _modules(str(self._package))
        ]
        if seen != self._seen:
            self._seen, self._hash = seen, software_hash(self._package)


def _modules(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name == "__pycache__":
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _modules(entry.path)
            else:
                yield entry.path, entry.stat()
