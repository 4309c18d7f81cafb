"""Which software draws: the manifests that a test laboratory seals (X-software-seal).

A manifest lists files as `sha256sum` prints them, so that `sha256sum --check` in the folder that
holds `rng` checks it without us. The outcome-critical one covers `rng/core`; the whole one covers
every module of the package. The hash of the whole one is the software hash of journals and intents.
"""

from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def manifest(package: Path = PACKAGE, part: str = ".") -> str:
    """Return the manifest of a part of the package."""
    files = sorted((package / part).rglob("*.py"), key=lambda path: path.as_posix())
    return "".join(
        f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(package.parent).as_posix()}\n"
        for path in files
    )


def software_hash(package: Path = PACKAGE) -> str:
    """Return the hash of the whole manifest."""
    return sha256(manifest(package).encode()).hexdigest()
