"""The private keys of one role, on disk, under the passphrases of several named holders.

The keys are encrypted under a random master key; the master key is encrypted once for each holder,
under scrypt of that holder's passphrase. Any one holder can open them; none needs another's
passphrase; one can be added or removed without touching the keys. AES-256-GCM throughout, bound to
the role and to the holder's name.

A removed holder who kept a copy of the old file still has the old keys: remove, then rotate.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypedDict, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)

from rng.core.canonical import canonical
from rng.core.entropy import operating_system
from rng.core.records import Name, Role
from rng.core.shapes import Text, Whole, shaped
from rng.serve.journal import replace_file, write_new

PASSPHRASE_MIN = 12
SCRYPT_COST = 2**17  # with r = 8: 128 MiB and about half a second a try
_MASTER_BYTES = 32
_SALT_BYTES = 16
_NONCE_BYTES = 12

_Hex = Annotated[str, Text("(?:[0-9a-f]{2}){16,10000}")]
PrivateKey = Ed25519PrivateKey | RSAPrivateKey


class WrongPassphrase(Exception):  # noqa: N818  a refusal
    """There is no such holder, or this is not the holder's passphrase."""


class WeakPassphrase(Exception):  # noqa: N818  a refusal
    """A passphrase that would not protect the keys."""


class _Box(TypedDict):
    nonce: Annotated[str, Text("[0-9a-f]{24}")]
    sealed: _Hex


class _HolderEntry(TypedDict):
    name: Name
    salt: Annotated[str, Text("[0-9a-f]{32}")]
    cost: Annotated[int, Whole(2, 2**20)]
    master: _Box


class _File(TypedDict):
    label: Literal["keno/keystore"]
    version: Literal[1]
    role: Role
    holders: list[_HolderEntry]
    keys: dict[str, _Box]


@dataclass(frozen=True)
class OpenKeys:
    """The keys, and the master key under which they can be stored again."""

    master: bytes
    keys: dict[str, PrivateKey]

    @property
    def signing(self) -> Ed25519PrivateKey:
        """Return the role's own signing key."""
        return cast("Ed25519PrivateKey", self.keys["signing"])

    @property
    def mark(self) -> RSAPrivateKey:
        """Return the inspector's mark key."""
        return cast("RSAPrivateKey", self.keys["mark"])


class Keystore:
    """The key file of one role."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def holders(self) -> list[str]:
        """Return the names of the holders."""
        return [holder["name"] for holder in self._read()["holders"]]

    def create(
        self,
        role: Role,
        keys: dict[str, PrivateKey],
        passphrases: dict[str, str],
        cost: int = SCRYPT_COST,
    ) -> OpenKeys:
        """Write the file for the first time.

        Raises:
            FileExistsError: there is one already.
            WeakPassphrase: a passphrase is too short, or two holders have the same.
        """
        check_passphrases(list(passphrases.values()))
        opened = OpenKeys(operating_system(_MASTER_BYTES), keys)
        file: _File = {
            "label": "keno/keystore",
            "version": 1,
            "role": role,
            "holders": [
                _holder(role, name, passphrase, opened.master, cost)
                for name, passphrase in passphrases.items()
            ],
            "keys": _boxes(role, opened),
        }
        write_new(self.path, _text(file))
        return opened

    def open(self, holder: str, passphrase: str) -> OpenKeys:
        """Return the keys.

        Raises:
            WrongPassphrase: there is no such holder, or this is not the passphrase.
        """
        file = self._read()
        role = file["role"]
        entry = next((entry for entry in file["holders"] if entry["name"] == holder), None)
        if entry is None:
            raise WrongPassphrase(holder)
        try:
            wrapping = _stretched(passphrase, entry["salt"], entry["cost"])
            master = _unbox(wrapping, entry["master"], f"{role}/holder/{holder}")
        except InvalidTag:
            raise WrongPassphrase(holder) from None
        keys = {
            name: load_der_private_key(_unbox(master, box, f"{role}/key/{name}"), None)
            for name, box in file["keys"].items()
        }
        return OpenKeys(master, cast("dict[str, PrivateKey]", keys))

    def with_keys(self, opened: OpenKeys) -> bytes:
        """Return the file with other keys in it, for the same holders."""
        file = self._read()
        file["keys"] = _boxes(file["role"], opened)
        return _text(file)

    def with_holder(
        self, opened: OpenKeys, name: str, passphrase: str, cost: int = SCRYPT_COST
    ) -> bytes:
        """Return the file with one holder more."""
        check_passphrases([passphrase])
        file = self._read()
        file["holders"].append(_holder(file["role"], name, passphrase, opened.master, cost))
        return _text(file)

    def without_holder(self, name: str) -> bytes:
        """Return the file with one holder less."""
        file = self._read()
        file["holders"] = [entry for entry in file["holders"] if entry["name"] != name]
        return _text(file)

    def replace(self, data: bytes) -> None:
        """Put another file in place of this one, whole or not at all."""
        replace_file(self.path, data)

    def _read(self) -> _File:
        return shaped(_File, json.loads(self.path.read_bytes()))


def check_passphrases(passphrases: list[str]) -> None:
    """Refuse passphrases that are short or shared.

    Raises:
        WeakPassphrase: one is.
    """
    if any(len(passphrase) < PASSPHRASE_MIN for passphrase in passphrases):
        raise WeakPassphrase(f"a passphrase has at least {PASSPHRASE_MIN} characters")
    if len(set(passphrases)) < len(passphrases):
        raise WeakPassphrase("each holder has a passphrase of their own")


def _holder(role: str, name: str, passphrase: str, master: bytes, cost: int) -> _HolderEntry:
    salt = operating_system(_SALT_BYTES).hex()
    box = _box(_stretched(passphrase, salt, cost), master, f"{role}/holder/{name}")
    return {"name": name, "salt": salt, "cost": cost, "master": box}


def _boxes(role: str, opened: OpenKeys) -> dict[str, _Box]:
    return {
        name: _box(
            opened.master,
            key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()),
            f"{role}/key/{name}",
        )
        for name, key in opened.keys.items()
    }


def _stretched(passphrase: str, salt: str, cost: int) -> bytes:
    return Scrypt(bytes.fromhex(salt), length=32, n=cost, r=8, p=1).derive(passphrase.encode())


def _box(key: bytes, secret: bytes, purpose: str) -> _Box:
    nonce = operating_system(_NONCE_BYTES)
    return {
        "nonce": nonce.hex(),
        "sealed": AESGCM(key).encrypt(nonce, secret, purpose.encode()).hex(),
    }


def _unbox(key: bytes, box: _Box, purpose: str) -> bytes:
    nonce, sealed = bytes.fromhex(box["nonce"]), bytes.fromhex(box["sealed"])
    return AESGCM(key).decrypt(nonce, sealed, purpose.encode())


def _text(file: _File) -> bytes:
    return canonical(file) + b"\n"
