"""The keys of the back office: they are files beside the database, and never in it.

- Validation keys, numbered 1 to 99: the newest makes the codes of new tickets, each older one still
  checks those that it made.
- The log's key, which signs its heads.
- The office's key, which signs what the keyed processes are asked to draw or void.
- The patrons' key, under which names and numbers of patrons are sealed.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from app.entropy import Entropy

KEY_BYTES = 32
LOG_KEY, OFFICE_KEY, PATRON_KEY = "log.key", "office.key", "patron.key"
_VALIDATION = re.compile(r"validation-([1-9][0-9]?)\.key")


class KeysMissing(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """The folder of keys is not as it must be."""


@dataclass(frozen=True)
class Keys:
    """All keys of the back office."""

    validation: Mapping[int, bytes]
    log: Ed25519PrivateKey
    office: Ed25519PrivateKey
    patron: bytes = field(repr=False)

    @property
    def newest(self) -> int:
        """The number of the key that makes the codes of new tickets."""
        return max(self.validation)


def make_keys(folder: Path, entropy: Entropy) -> None:
    """Make the keys of a house that are not there yet.

    Raises:
        FileExistsError: all are there; they are never replaced.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    signing = [name for name in (LOG_KEY, OFFICE_KEY) if not (folder / name).exists()]
    missing = [] if (folder / PATRON_KEY).exists() else [PATRON_KEY]
    if not any(folder.glob("validation-*.key")):
        missing.append("validation-1.key")
    if not missing and not signing:
        raise FileExistsError(str(folder))
    for name in missing:
        _write(folder / name, entropy(KEY_BYTES).hex().encode())
    for name in signing:
        key = Ed25519PrivateKey.from_private_bytes(entropy(KEY_BYTES))
        _write(folder / name, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def read_keys(folder: Path) -> Keys:
    """Read the keys of a house.

    Raises:
        KeysMissing: one is not there, not for its owner alone, or not a key.
    """
    numbered = {
        int(found[1]): path
        for path in sorted(folder.glob("validation-*.key"))
        if (found := _VALIDATION.fullmatch(path.name))
    }
    if not numbered:
        raise KeysMissing(f"{folder} has no validation key; `keno house keys` makes one")
    try:
        validation = {
            number: bytes.fromhex(_read(path).decode()) for number, path in numbered.items()
        }
        patron = bytes.fromhex(_read(folder / PATRON_KEY).decode())
        log, signing = (
            cast("Ed25519PrivateKey", load_pem_private_key(_read(folder / name), None))
            for name in (LOG_KEY, OFFICE_KEY)
        )
    except ValueError as fault:
        raise KeysMissing(f"a file in {folder} is not a key: {fault}") from None
    if any(len(key) != KEY_BYTES for key in (patron, *validation.values())):
        raise KeysMissing(f"validation and patron keys have {KEY_BYTES} bytes, in hexadecimal")
    return Keys(validation, log, signing, patron)


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_mode & 0o077:
            raise KeysMissing(f"{path} can be read by others; chmod 600 it")
        return path.read_bytes()
    except OSError as trouble:
        raise KeysMissing(f"{path}: {trouble.strerror}") from None


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
