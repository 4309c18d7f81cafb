"""Plants in the file itself and in the keys: what no signature of the house covers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast
from zipfile import ZIP_STORED, ZipFile

from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPublicKey,
    RSAPublicNumbers,
    generate_private_key,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
)

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
    """The largest factor that is refused: the exponent itself, times a number of 3056 bits."""
    modulus = 65537 * ((1 << 3071) // 65537 + 2 | 1)
    keys["mark"] = der(RSAPublicNumbers(65537, modulus).public_key()).hex()


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


def keys_of_another_log(house: ExportedHouse, folder: Path) -> Report:
    """The regulator has the keys of the house, published for another log."""
    published = json.loads(Forgery.of(house).files["keys.json"])
    published["log_origin"] = "keno.example/other"
    (folder / "keys.json").write_text(json.dumps(published))
    return verify(house.bundle("last"), folder)


BROKEN: dict[str, tuple[Plant, str]] = {
    "a file that is no zip file": (not_a_zip_file, "bundle.not_zip"),
    "a file outside of the folder": (outside_of_its_folder, "bundle.hostile"),
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
    "a key of no role": (own_keys(lambda keys: keys.update(janitor="00")), "keys.malformed"),
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
