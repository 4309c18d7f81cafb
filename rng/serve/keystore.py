"""The private keys of one role, on disk, under the passphrases of several named holders.

Each holder has an X25519 key pair, whose private half is encrypted under scrypt of the holder's
passphrase. The role's keys are encrypted under a master key, and the master key is encrypted to
each holder's public half. So any one holder can open them, none needs another's passphrase, and
every change of the file makes a new master key: one who was removed, and kept the old file and the
old master key, can open nothing that was made later. AES-256-GCM throughout, bound to role,
name and the list of holders.

A removed holder still has the keys as they were: remove, then rotate.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, TypedDict, cast

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
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
from rng.core.shapes import Text, Whole, WrongShape, shaped
from rng.serve.journal import replace_file, write_new

PASSPHRASE_MIN = 12
SCRYPT_COST = 2**17  # with r = 8: 128 MiB and about half a second a try
_MASTER_BYTES = 32
_SALT_BYTES = 16
_NONCE_BYTES = 12

_Hex = Annotated[str, Text("(?:[0-9a-f]{2}){16,10000}")]
_Hex32 = Annotated[str, Text("[0-9a-f]{64}")]
PrivateKey = Ed25519PrivateKey | RSAPrivateKey


class WrongPassphrase(Exception):  # noqa: N818  a refusal
    """There is no such holder, or this is not the holder's passphrase."""


class WeakPassphrase(Exception):  # noqa: N818  a refusal
    """A passphrase that would not protect the keys."""


class DamagedKeys(Exception):  # noqa: N818  a finding
    """The key file is not what was written."""


class _Box(TypedDict):
    nonce: Annotated[str, Text("[0-9a-f]{24}")]
    sealed: _Hex


class _Envelope(TypedDict):
    """The master key, encrypted to a holder: a fresh public half, and the box."""

    public: _Hex32
    box: _Box


class _HolderEntry(TypedDict):
    name: Name
    salt: Annotated[str, Text("[0-9a-f]{32}")]
    cost: Annotated[int, Whole(2, 2**20)]
    public: _Hex32
    private: _Box
    master: _Envelope


class _File(TypedDict):
    label: Literal["keno/keystore"]
    version: Literal[1]
    role: Role
    holders: list[_HolderEntry]
    keys: dict[str, _Box]


@dataclass(frozen=True)
class OpenKeys:
    """The private keys of a role, by their names in the file."""

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
        opened: OpenKeys,
        passphrases: dict[str, str],
        cost: int = SCRYPT_COST,
    ) -> None:
        """Write the file for the first time.

        Raises:
            FileExistsError: there is one already.
            WeakPassphrase: a passphrase is too short, or two holders have the same.
        """
        check_passphrases(list(passphrases.values()))
        holders = [
            _new_holder(role, name, passphrase, cost) for name, passphrase in passphrases.items()
        ]
        write_new(self.path, _sealed(role, holders, opened))

    def open(self, holder: str, passphrase: str) -> OpenKeys:
        """Return the keys.

        Raises:
            WrongPassphrase: there is no such holder, or this is not the passphrase.
            DamagedKeys: the file is not what was written.
        """
        file = self._read()
        role = file["role"]
        entry = next((entry for entry in file["holders"] if entry["name"] == holder), None)
        if entry is None:
            raise WrongPassphrase(holder)
        try:
            key = _stretched(passphrase, entry["salt"], entry["cost"])
            private = _unbox(key, entry["private"], f"{role}/holder/{holder}")
        except InvalidTag:
            raise WrongPassphrase(holder) from None
        except ValueError:
            raise DamagedKeys("the cost of the passphrase is none") from None
        try:
            shared = _shared(
                X25519PrivateKey.from_private_bytes(private), entry["master"]["public"]
            )
            master = _unbox(shared, entry["master"]["box"], f"{role}/master/{holder}")
            purpose = _purpose(role, file["holders"])
            keys = {
                name: load_der_private_key(_unbox(master, box, f"{purpose}/{name}"), None)
                for name, box in file["keys"].items()
            }
        except (InvalidTag, ValueError):
            raise DamagedKeys("the key file was changed") from None
        return OpenKeys(cast("dict[str, PrivateKey]", keys))

    def with_keys(self, opened: OpenKeys) -> bytes:
        """Return the file with other keys in it, for the same holders."""
        file = self._read()
        return _sealed(file["role"], file["holders"], opened)

    def with_holder(
        self, opened: OpenKeys, name: str, passphrase: str, cost: int = SCRYPT_COST
    ) -> bytes:
        """Return the file with one holder more.

        Raises:
            WeakPassphrase: the passphrase is too short.
        """
        check_passphrases([passphrase])
        file = self._read()
        holder = _new_holder(file["role"], name, passphrase, cost)
        return _sealed(file["role"], [*file["holders"], holder], opened)

    def without_holder(self, opened: OpenKeys, name: str) -> bytes:
        """Return the file with one holder less."""
        file = self._read()
        holders = [entry for entry in file["holders"] if entry["name"] != name]
        return _sealed(file["role"], holders, opened)

    def replace(self, data: bytes) -> None:
        """Put another file in place of this one, whole or not at all."""
        replace_file(self.path, data)

    def _read(self) -> _File:
        try:
            return shaped(_File, json.loads(self.path.read_bytes()))
        except (OSError, ValueError, WrongShape, RecursionError) as fault:
            raise DamagedKeys(f"the key file cannot be read: {fault}") from None


def check_passphrases(passphrases: list[str]) -> None:
    """Refuse passphrases that are short or shared.

    Raises:
        WeakPassphrase: one is.
    """
    if any(len(passphrase) < PASSPHRASE_MIN for passphrase in passphrases):
        raise WeakPassphrase(f"a passphrase has at least {PASSPHRASE_MIN} characters")
    if len(set(passphrases)) < len(passphrases):
        raise WeakPassphrase("each holder has a passphrase of their own")


def _new_holder(role: str, name: str, passphrase: str, cost: int) -> _HolderEntry:
    """Return a holder's entry; the master key is put into it when the file is sealed."""
    private = X25519PrivateKey.generate()
    salt = operating_system(_SALT_BYTES).hex()
    secret = private.private_bytes_raw()
    nothing: _Envelope = {"public": "", "box": {"nonce": "", "sealed": ""}}
    return {
        "name": name,
        "salt": salt,
        "cost": cost,
        "public": private.public_key().public_bytes_raw().hex(),
        "private": _box(_stretched(passphrase, salt, cost), secret, f"{role}/holder/{name}"),
        "master": nothing,
    }


def _sealed(role: Role, holders: list[_HolderEntry], opened: OpenKeys) -> bytes:
    """Return the file: the keys under a new master key, and that under every holder's key."""
    master = operating_system(_MASTER_BYTES)
    file: _File = {
        "label": "keno/keystore",
        "version": 1,
        "role": role,
        "holders": [{**entry, "master": _enveloped(role, entry, master)} for entry in holders],
        "keys": {
            name: _box(
                master,
                key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()),
                f"{_purpose(role, holders)}/{name}",
            )
            for name, key in opened.keys.items()
        },
    }
    return canonical(shaped(_File, file)) + b"\n"


def _purpose(role: str, holders: list[_HolderEntry]) -> str:
    """Return what the keys are bound to: the role, and everyone who holds them.

    A holder's public half is not secret, and whoever can write the file could put another in its
    place, to be given the next master key. But then the keys do not open any more.
    """
    everyone = sha256(canonical([[entry["name"], entry["public"]] for entry in holders]))
    return f"{role}/{everyone.hexdigest()}"


def _enveloped(role: str, entry: _HolderEntry, master: bytes) -> _Envelope:
    fresh = X25519PrivateKey.generate()
    shared = _shared(fresh, entry["public"])
    public = fresh.public_key().public_bytes_raw().hex()
    return {"public": public, "box": _box(shared, master, f"{role}/master/{entry['name']}")}


def _shared(private: X25519PrivateKey, public: str) -> bytes:
    secret = private.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(public)))
    return HKDF(SHA256(), 32, salt=None, info=b"keno/keystore/1").derive(secret)


def _stretched(passphrase: str, salt: str, cost: int) -> bytes:
    return Scrypt(bytes.fromhex(salt), length=32, n=cost, r=8, p=1).derive(passphrase.encode())


def _box(key: bytes, secret: bytes, purpose: str) -> _Box:
    nonce = operating_system(_NONCE_BYTES)
    sealed = AESGCM(key).encrypt(nonce, secret, purpose.encode())
    return {"nonce": nonce.hex(), "sealed": sealed.hex()}


def _unbox(key: bytes, box: _Box, purpose: str) -> bytes:
    nonce, sealed = bytes.fromhex(box["nonce"]), bytes.fromhex(box["sealed"])
    return AESGCM(key).decrypt(nonce, sealed, purpose.encode())
