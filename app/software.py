"""Which software runs here: every file of it with its hash, checkable with sha256sum.

The manifest's own hash is logged when the caller starts, at each lock and once a day: daily that of
what is on the disk by then (X-software-seal). The outcome-critical part has a manifest of its own
(`keno-rng manifest`). A wheel has the same files, and so the same manifest (tests/test_wheel.py).
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parent.parent
PARTS = ("app", "migrations", "printers", "rng")
COMPILED = "__pycache__"  # made from what is hashed, by whoever runs it


def manifest(root: Path = ROOT) -> str:
    """Return the manifest, as `sha256sum --check` reads it."""
    files = [root / "wsgi.py"]
    for part in PARTS:
        files += (path for path in (root / part).rglob("*") if COMPILED not in path.parts)
    named = sorted((path.relative_to(root).as_posix(), path) for path in files if path.is_file())
    return "".join(f"{sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in named)


@cache
def software_hash() -> str:
    """Return the hash of the manifest, read once: every process asks for it when it begins."""
    return software_on_disk()


def software_on_disk() -> str:
    """Return the hash of the manifest as it is now: pages are read from the disk at any time."""
    return sha256(manifest().encode()).hexdigest()
