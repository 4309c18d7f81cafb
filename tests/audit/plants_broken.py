"""Plants in the file itself and in the keys: what no signature of the house covers."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import cast
from unittest.mock import patch
from zipfile import ZIP_BZIP2, ZIP_STORED, ZipFile

from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPublicKey,
    RSAPublicNumbers,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
)

from app.audit import verifier
from app.audit.verifier import Report, verify
from rng.core.canonical import canonical
from tests.audit.exporting import ExportedHouse, Forgery
from tests.audit.plants_signed import Change

Plant = Callable[[ExportedHouse, Path], Report]
"""Writes a bundle into a folder, and returns what the verifier reports about it."""


def unsigned(change: Change) -> Plant:
    """Change files of a bundle, and leave its manifest as it is."""

    def make(house: ExportedHouse, folder: Path) -> Report:
        forgery = Forgery.of(house)
        change(forgery)
        return forgery.verified(folder / "forged.zip")

    return make


def own_keys(change: Callable[[dict[str, str]], object]) -> Plant:
    """Change the keys of a bundle that is checked with nothing but its own keys."""

    def make(house: ExportedHouse, folder: Path) -> Report:
        forgery = Forgery.of(house)
        published = json.loads(forgery.files["keys.json"])
        change(published)
        forgery.files["keys.json"] = canonical(published) + b"\n"
        forgery.sign()
        return verify(forgery.write(folder / "forged.zip"))

    return make


def der(public: RSAPublicKey) -> bytes:
    return public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def mark_key_too_short(keys: dict[str, str]) -> None:
    keys["mark"] = der(generate_private_key(65537, 2048).public_key()).hex()


def mark_key_with_exponent_3(keys: dict[str, str]) -> None:
    public = cast("RSAPublicKey", load_der_public_key(bytes.fromhex(keys["mark"])))
    keys["mark"] = der(RSAPublicNumbers(3, public.public_numbers().n).public_key()).hex()


def mark_key_with_small_factor(keys: dict[str, str]) -> None:
    """The largest factor that is refused is the exponent itself; there is no other small one."""
    rest = generate_private_key(65537, 3056).public_key().public_numbers().n
    keys["mark"] = der(RSAPublicNumbers(65537, 65537 * rest).public_key()).hex()


def x25519_key(keys: dict[str, str]) -> None:
    public = X25519PrivateKey.generate().public_key()
    keys["log"] = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo).hex()


def no_keys(forgery: Forgery) -> None:
    forgery.files["keys.json"] = b"[]\n"


def listed_twice(forgery: Forgery) -> None:
    forgery.body["files"].append(forgery.body["files"][0])


def not_a_zip_file(_: ExportedHouse, folder: Path) -> Report:
    (folder / "forged.zip").write_bytes(b"no zip file at all")
    return verify(folder / "forged.zip")


def outside_of_its_folder(_: ExportedHouse, folder: Path) -> Report:
    with ZipFile(folder / "forged.zip", "w") as archive:
        archive.writestr("../manifest.json", b"{}")
    return verify(folder / "forged.zip")


def damaged(house: ExportedHouse, folder: Path) -> Report:
    """Change a file that is not compressed, and leave its CRC-32 as it is."""
    path = folder / "forged.zip"
    with ZipFile(house.bundle("last")) as real, ZipFile(path, "w", ZIP_STORED) as archive:
        for name in real.namelist():
            archive.writestr(name, real.read(name))
        header, text = b"reports/about.txt", real.read("reports/about.txt")
    data = path.read_bytes()
    assert data.count(header + text) == 1
    path.write_bytes(data.replace(header + text, header + text[::-1]))
    return verify(path, house.keys)


def packed_with_bzip2(house: ExportedHouse, folder: Path) -> Report:
    path = folder / "forged.zip"
    with ZipFile(house.bundle("last")) as real, ZipFile(path, "w", ZIP_BZIP2) as archive:
        for name in real.namelist():
            archive.writestr(name, real.read(name))
    return verify(path, house.keys)


def larger_than_its_bundle(house: ExportedHouse, folder: Path) -> Report:
    """Have the zip file's directory say that the last file goes on behind its end."""
    path, data = folder / "forged.zip", bytearray(house.bundle("last").read_bytes())
    struct.pack_into("<L", data, data.rindex(b"PK\x01\x02") + 20, len(data))  # compressed size
    path.write_bytes(data)
    return verify(path, house.keys)


def in_front(house: ExportedHouse, folder: Path) -> Report:
    path = folder / "forged.zip"
    path.write_bytes(house.bundle("second").read_bytes() + house.bundle("last").read_bytes())
    return verify(path, house.keys)


def beyond(limit: str, most: int) -> Plant:
    """Check a sound bundle as if the verifier had a lower limit."""

    def make(house: ExportedHouse, _: Path) -> Report:
        with patch.object(verifier, limit, most):
            return verify(house.bundle("last"), house.keys)

    return make


def keys_of_another_log(house: ExportedHouse, folder: Path) -> Report:
    """The regulator has the keys of the house, published for another log."""
    published = json.loads(Forgery.of(house).files["keys.json"])
    published["log_origin"] = "keno.example/other"
    (folder / "keys.json").write_text(json.dumps(published))
    return verify(house.bundle("last"), folder)


BROKEN: dict[str, tuple[Plant, str]] = {
    "a file that is no zip file": (not_a_zip_file, "bundle.not_zip"),
    "a file outside of the folder": (outside_of_its_folder, "bundle.hostile"),
    "a false bundle in front of the true one": (in_front, "bundle.ambiguous"),
    "a file that is packed in another way": (packed_with_bzip2, "bundle.hostile"),
    "a file that is larger than its bundle": (larger_than_its_bundle, "bundle.hostile"),
    "more files than a bundle has": (beyond("FILES_MAX", 3), "bundle.hostile"),
    "a manifest of more bytes than it has": (beyond("DOCUMENT_MAX", 100), "bundle.hostile"),
    "a damaged file": (damaged, "file.unreadable"),
    "a changed file": (
        unsigned(lambda forgery: forgery.files.update({"README.txt": b"Read me.\n"})),
        "file.changed",
    ),
    "an added file": (
        unsigned(lambda forgery: forgery.files.update({"reports/added.csv": b"day\n"})),
        "file.unlisted",
    ),
    "no key of the inspector": (own_keys(lambda keys: keys.pop("inspector")), "keys.missing"),
    "a key of no role": (
        own_keys(lambda keys: keys.update(janitor=keys["log"])),
        "keys.malformed",
    ),
    "a log key of an unknown kind": (own_keys(x25519_key), "keys.malformed"),
    "keys that are no list": (unsigned(no_keys), "keys.malformed"),
    "a file that is listed twice": (unsigned(listed_twice), "manifest.malformed"),
    "a key that is not one": (own_keys(lambda keys: keys.update(log="00")), "keys.malformed"),
    "a log key of the wrong kind": (
        own_keys(lambda keys: keys.update(log=keys["mark"])),
        "keys.malformed",
    ),
    "a mark key that is too short": (own_keys(mark_key_too_short), "keys.malformed"),
    "a mark key with exponent 3": (own_keys(mark_key_with_exponent_3), "keys.malformed"),
    "a mark key with a small factor": (own_keys(mark_key_with_small_factor), "keys.malformed"),
    "the keys of another log": (keys_of_another_log, "manifest.origin"),
}
