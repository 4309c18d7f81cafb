"""A small authority of the house's own: certificates for database, web processes and proxy.

It is used between machines of the house and by the browsers of its stations. The two keyed
processes do not ask it: they know each other by what was handed over at the ceremony
(`rng.serve.tls`), so that whoever has this authority still cannot take the place of either.

- The authority's key is under a passphrase, in a folder of its own, best on a medium that is put
  away. `authorities.pem` has the certificates of all its keys: this is what others trust.
- A new authority is announced before it is used: it stands in `authorities.pem` beside the old one,
  which is taken out when everything was renewed.
- Certificates hold a year and a month. None is ever revoked: one that is lost is renewed, and its
  authority replaced.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

AUTHORITY_DAYS, DAYS = 3650, 397
WARNING_DAYS = 30
PASSPHRASE_MIN = 12
AUTHORITIES = "authorities.pem"
_AUTHORITY = re.compile(r"authority-([1-9][0-9]?)\.pem")
_NAME = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?")


class NotIssued(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """A certificate could not be made; the text says why."""


class Use(Enum):
    """What a certificate is shown for."""

    SERVER = "server"
    CLIENT = "client"


PURPOSES = {
    Use.SERVER: ExtendedKeyUsageOID.SERVER_AUTH,
    Use.CLIENT: ExtendedKeyUsageOID.CLIENT_AUTH,
}


@dataclass(frozen=True)
class Wanted:
    """What a certificate is to say: who, under which further names and addresses, and for what."""

    name: str
    further: tuple[str, ...]
    uses: tuple[Use, ...]


@dataclass(frozen=True)
class Held:
    """A certificate that is in a file."""

    file: Path
    name: str
    names: tuple[str, ...]
    ends: datetime

    def days_left(self, now: datetime) -> int:
        """Return for how many more days it holds."""
        return (self.ends - now).days


# ---- the authority -------------------------------------------------------------------------------


def make_authority(folder: Path, name: str, passphrase: str, now: datetime) -> Path:
    """Make the next key of an authority, and have it trusted beside those before.

    Raises:
        NotIssued: the passphrase is too short.
    """
    if len(passphrase) < PASSPHRASE_MIN:
        raise NotIssued(f"a passphrase has at least {PASSPHRASE_MIN} characters")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    number = max(_authorities(folder), default=0) + 1
    key = ec.generate_private_key(ec.SECP384R1())
    subject = _subject(f"{name} {number}")
    certificate = (
        _begun(subject, subject, key, now, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .sign(key, SHA256())
    )
    sealed = BestAvailableEncryption(passphrase.encode())
    place = folder / f"authority-{number}.pem"
    _write(place.with_suffix(".key"), _private(key, sealed), 0o600)
    _write(place, certificate.public_bytes(Encoding.PEM), 0o644)
    _trust(folder)
    return place


def retire_authorities(folder: Path) -> list[str]:
    """Trust only the newest authority from now on; return those that are trusted no more.

    Raises:
        NotIssued: there is only one.
    """
    numbers = _authorities(folder)
    if len(numbers) < 2:
        raise NotIssued(f"{folder} has no older authority")
    retired = []
    for number in sorted(numbers)[:-1]:
        place = folder / f"authority-{number}.pem"
        place.rename(place.with_suffix(".retired"))
        retired.append(place.name)
    _trust(folder)
    return retired


def _authorities(folder: Path) -> dict[int, Path]:
    found = ((_AUTHORITY.fullmatch(path.name), path) for path in folder.glob("authority-*.pem"))
    return {int(match[1]): path for match, path in found if match}


def _trust(folder: Path) -> None:
    """Write down which authorities are trusted, the newest first."""
    trusted = sorted(_authorities(folder).items(), reverse=True)
    _write(folder / AUTHORITIES, b"".join(path.read_bytes() for _, path in trusted), 0o644)


# ---- certificates --------------------------------------------------------------------------------


def issue(authority: Path, passphrase: str, wanted: Wanted, out: Path, now: datetime) -> Path:
    """Write a new key and its certificate, NAME.key and NAME.pem, in the place of older ones.

    *Crash between the two: they do not fit, whoever reads them refuses them and goes on with what
    it has; it is issued again.*

    Args:
        authority: its folder.
        passphrase: of its newest key.
        wanted: what it is to say.
        out: the folder that the files go to.
        now: when this is.

    Raises:
        NotIssued: there is no authority, that is not its passphrase, or a name cannot be used.
    """
    names = (wanted.name, *wanted.further)
    if odd := [name for name in names if not _is_ip(name) and not _NAME.fullmatch(name)]:
        raise NotIssued(f"{', '.join(odd)}: no name of a machine, and no address")
    if not wanted.uses:
        raise NotIssued("say what it is for")
    issuer, signing = _newest(authority, passphrase)
    key = ec.generate_private_key(ec.SECP256R1())
    purposes = x509.ExtendedKeyUsage([PURPOSES[use] for use in wanted.uses])
    alternatives = x509.SubjectAlternativeName([_alternative(each) for each in names])
    certificate = (
        _begun(_subject(wanted.name), issuer.subject, key, now, DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(purposes, critical=False)
        .add_extension(alternatives, critical=False)
        .add_extension(_issued_by(issuer), critical=False)
        .sign(signing, SHA256())
    )
    out.mkdir(mode=0o700, parents=True, exist_ok=True)
    place = out / f"{wanted.name}.pem"
    _write(place.with_suffix(".key"), _private(key, NoEncryption()), 0o600)
    _write(place, certificate.public_bytes(Encoding.PEM), 0o644)
    return place


def read_wanted(file: Path) -> Wanted:
    """Return what a certificate says, so that the next one says the same.

    Raises:
        NotIssued: it is not a certificate of this authority's.
    """
    try:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        extensions = certificate.extensions
        usage = extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        names = _names(certificate)
    except (OSError, ValueError, x509.ExtensionNotFound) as fault:
        raise NotIssued(f"{file}: {fault}") from None
    uses = tuple(use for use, purpose in PURPOSES.items() if purpose in usage)
    return Wanted(names[0], names[1:], uses)


def look_at(files: Iterable[Path]) -> list[Held]:
    """Return the certificates in files, and in the `.pem` files of folders, each with its end.

    Raises:
        NotIssued: one cannot be read.
    """
    held = []
    for given in files:
        for file in sorted(given.glob("*.pem")) if given.is_dir() else [given]:
            try:
                for certificate in x509.load_pem_x509_certificates(file.read_bytes()):
                    name = _common_name(certificate)
                    ends = certificate.not_valid_after_utc
                    held.append(Held(file, name, _names(certificate), ends))
            except (OSError, ValueError) as fault:
                if b"PUBLIC KEY" not in _bytes(file):  # which has no end
                    raise NotIssued(f"{file}: {fault}") from None
    return held


def ending_soon(held: Sequence[Held], now: datetime, days: int = WARNING_DAYS) -> list[Held]:
    """Return those that end within so many days."""
    return [each for each in held if each.days_left(now) < days]


# ---- forms ---------------------------------------------------------------------------------------


def _newest(folder: Path, passphrase: str) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    numbers = _authorities(folder)
    if not numbers:
        raise NotIssued(f"{folder} has no authority; `keno certificates authority` makes one")
    place = numbers[max(numbers)]
    try:
        data = place.with_suffix(".key").read_bytes()
        key = load_pem_private_key(data, passphrase.encode())
    except (OSError, ValueError) as fault:
        raise NotIssued(f"the authority's key cannot be opened: {fault}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise NotIssued(f"{place.with_suffix('.key')} is no key of an authority")
    return x509.load_pem_x509_certificate(place.read_bytes()), key


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime,
    days: int,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))  # clocks differ
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _issued_by(issuer: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    identifier = issuer.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _common_name(certificate: x509.Certificate) -> str:
    return str(certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value)


def _alternative(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(name)) if _is_ip(name) else x509.DNSName(name)


def _names(certificate: x509.Certificate) -> tuple[str, ...]:
    """Return all names of a certificate, that of its subject first."""
    first = _common_name(certificate)
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return (first,)
    names = (str(each.value) for each in found)
    return (first, *(name for name in names if name != first))


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _private(
    key: ec.EllipticCurvePrivateKey, sealed: BestAvailableEncryption | NoEncryption
) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, sealed)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _write(path: Path, data: bytes, mode: int) -> None:
    """Put a file in its place, whole: whoever reads it meanwhile reads the old one."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
