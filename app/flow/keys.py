"""The keys of the back office: they are files beside the database, and never in it.

- Validation keys, numbered 1 to 99: the newest makes the codes of new tickets, each older one still
  checks those that it made.
- The log's key, which signs its heads.
- The office's key, which signs what the keyed processes are asked to draw or void.
- The patrons' key, under which names and numbers of patrons are sealed.

A process has only those that it needs; one that asks for another ends with `KeysMissing`.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from app.entropy import Entropy

T = TypeVar("T")

KEY_BYTES = 32
LOG_KEY, OFFICE_KEY, PATRON_KEY = "log.key", "office.key", "patron.key"
FRESH = ".new"  # behind the name of a key that is being written
_VALIDATION = re.compile(r"validation-([1-9][0-9]?)\.key")


class KeysMissing(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """The folder of keys is not as it must be."""


class Key(StrEnum):
    """Which keys there are."""

    VALIDATION = "validation"
    LOG = "log"
    OFFICE = "office"
    PATRON = "patron"


_NAMED = {Key.PATRON: PATRON_KEY, Key.LOG: LOG_KEY, Key.OFFICE: OFFICE_KEY}


@dataclass(frozen=True)
class Keys:
    """The keys of the back office, as far as a process has them."""

    validation: Mapping[int, bytes] = field(repr=False)
    log_key: Ed25519PrivateKey | None
    office_key: Ed25519PrivateKey | None
    patron_key: bytes | None = field(repr=False)

    @property
    def newest(self) -> int:
        """The number of the key that makes the codes of new tickets."""
        if not self.validation:
            raise KeysMissing("this process has no validation key")
        return max(self.validation)

    @property
    def log(self) -> Ed25519PrivateKey:
        """The key that signs the heads of the log."""
        return _had(self.log_key, Key.LOG)

    @property
    def office(self) -> Ed25519PrivateKey:
        """The key that signs what the keyed processes are asked."""
        return _had(self.office_key, Key.OFFICE)

    @property
    def patron(self) -> bytes:
        """The key under which patrons are sealed."""
        return _had(self.patron_key, Key.PATRON)


def _had(key: T | None, name: Key) -> T:
    if key is None:
        raise KeysMissing(f"this process has no {name} key")
    return key


def make_keys(folder: Path, entropy: Entropy) -> None:
    """Make the keys of a house that are not there yet.

    Write order of each: a file under another name, which is made durable, then its own name, which
    replaces none. *Crash before: the key is not there, and is made the next time. Crash after: it
    is there, whole, and what is left under the other name is removed the next time.*

    Raises:
        FileExistsError: all are there; they are never replaced.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in folder.glob(f".*.key{FRESH}"):
        left.unlink()
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


def read_keys(folder: Path, wanted: Collection[Key] = tuple(Key)) -> Keys:
    """Read the keys of a house, or those of them that a process needs.

    Raises:
        KeysMissing: one is not there, not ours, not for its owner alone, or not a key. Files that
            are not as they must be are told all at once (X-access).
    """
    numbered = {
        int(found[1]): path
        for path in sorted(folder.glob("validation-*.key"))
        if Key.VALIDATION in wanted and (found := _VALIDATION.fullmatch(path.name))
    }
    if Key.VALIDATION in wanted and not numbered:
        raise KeysMissing(f"{folder} has no validation key; `keno house keys` makes one")
    named = {key: folder / name for key, name in _NAMED.items() if key in wanted}
    paths = (*numbered.values(), *named.values())
    if faults := [fault for path in paths for fault in secret_faults(path)]:
        raise KeysMissing("; ".join(faults))
    try:
        validation = {number: _secret(path) for number, path in numbered.items()}
        patron = _secret(named[Key.PATRON]) if Key.PATRON in named else None
        log, signing = (
            _signing(named[key]) if key in named else None for key in (Key.LOG, Key.OFFICE)
        )
    except ValueError as fault:
        raise KeysMissing(f"a file in {folder} is not a key: {fault}") from None
    return Keys(validation, log, signing, patron)


def _secret(path: Path) -> bytes:
    key = bytes.fromhex(path.read_text())
    if len(key) != KEY_BYTES:
        raise ValueError(f"validation and patron keys have {KEY_BYTES} bytes, in hexadecimal")
    return key


def _signing(path: Path) -> Ed25519PrivateKey:
    return cast("Ed25519PrivateKey", load_pem_private_key(path.read_bytes(), None))


def secret_faults(path: Path) -> Iterator[str]:
    """Say what is wrong with a secret's file: a secret is its owner's, and we are the owner."""
    try:
        status = path.stat()
    except OSError as trouble:
        yield f"{path}: {trouble.strerror}"
        return
    if status.st_uid != os.geteuid():
        yield f"{path} belongs to another user; chown it to the one who runs this"
    if status.st_mode & 0o077:
        yield f"{path} can be read by others; chmod 600 it"


def _write(path: Path, data: bytes) -> None:
    fresh = path.with_name(f".{path.name}{FRESH}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.link(fresh, path)  # where a rename would replace a key that another made meanwhile
    fresh.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
