"""Who is at the other end of a line between machines: certificates that were handed over.

Each side shows a certificate that signs itself, and accepts those that it was given at the ceremony
and no other. No authority stands above them, so nobody can issue himself the generator's place or
the inspector's. TLS 1.3 and nothing older; both sides show theirs (15.5(a)-dual-key).

A certificate is exchanged while both processes run, in four steps, none of which cuts the line:

1. `renew` makes the next one beside that in use, and puts a copy into the public folder.
2. The others `accept` it: from then on they take the old one and the new.
3. `change` has the process show the new one, from the next connection on.
4. The others `forget` the old one.

*Crash within 3: the next key is in place and its certificate is not. A running process goes on with
what it has read; `change`, asked for again, finishes it.*
"""

import logging
import os
import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from rng.serve.clock import Clock, system_clock
from rng.serve.journal import sync_folder, write_new
from rng.serve.lines import say

CERTIFICATE, KEY, PEERS = "tls.pem", "tls.key", "peers"
NEXT_CERTIFICATE, NEXT_KEY = "tls-next.pem", "tls-next.key"
SIDES = ("office", "rng", "inspector")
PUBLIC_SUFFIX, PEER_SUFFIX = ".tls.pem", ".pem"
CERTIFICATE_DAYS = 3650
WARNING_DAYS = 60
_OTHERS = 0o077


class NotPrivate(ValueError):  # noqa: N818  the operator's to mend, with the text as the remedy
    """A file that only this process may read is not so."""


class NotChanged(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """A certificate could not be exchanged."""


def check_private(path: Path) -> None:
    """Check that a secret is ours and can be read by nobody else.

    Raises:
        NotPrivate: somebody else owns it, or may read or change it.
        OSError: it is not there.
    """
    status = path.stat()
    if status.st_uid != os.geteuid():
        raise NotPrivate(f"{path} belongs to another user; chown it to the one who runs this")
    if status.st_mode & _OTHERS:
        raise NotPrivate(f"{path} can be read by others; chmod 600 it")


# ---- who is accepted -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Peers:
    """The certificates that are accepted: NAME or NAME-2 in a folder, read anew at each look."""

    folder: Path
    names: tuple[str, ...] = SIDES
    suffix: str = PEER_SUFFIX

    def files(self) -> dict[Path, str]:
        """Return the files that are there now, each with the name that it stands for."""
        found = {}
        for path in sorted(self.folder.glob(f"*{self.suffix}")):
            name, _, number = path.name.removesuffix(self.suffix).partition("-")
            if name in self.names and (not number or number.isdecimal()):
                found[path] = name
        return found

    def name_of(self, certificate: bytes | None) -> str | None:
        """Return the name under which a certificate was handed over."""
        for path, name in self.files().items():
            with suppress(OSError, ValueError):  # a file that is no certificate names nobody
                if certificate == _der(path):
                    return name
        return None


@dataclass(frozen=True)
class Credentials:
    """One side of mutual TLS: its own certificate and key, and the certificates it accepts."""

    certificate: Path
    key: Path
    peers: Peers

    def context(self, *, server: bool) -> ssl.SSLContext:
        """Return the settings of TLS: version 1.3, both sides authenticated by what was given.

        Raises:
            NotPrivate: others may read the key.
            OSError: a file is missing, or is not what it should be.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # who it is, the certificate itself says
        context.verify_mode = ssl.CERT_REQUIRED
        self.load_into(context)
        return context

    def load_into(self, context: ssl.SSLContext) -> None:
        """Have a context use the files as they are now, for whoever connects from now on.

        It cannot be made to forget a certificate; whoever shows one that is accepted no more is
        turned away by `Peers.name_of`.

        Raises:
            NotPrivate, OSError: as `context`.
        """
        check_private(self.key)
        context.load_cert_chain(self.certificate, self.key)
        for path in self.peers.files():
            context.load_verify_locations(path)


def credentials_of_office(folder: Path, public: Path, name: str) -> Credentials:
    """Return the back office's side of a line to one of the two, known by the public folder."""
    peers = Peers(public, (name,), PUBLIC_SUFFIX)
    return Credentials(folder / CERTIFICATE, folder / KEY, peers)


class Following:
    """The TLS settings of a process that listens, which follow the files while it runs."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self.context = credentials.context(server=True)
        self._seen = self._look()

    def follow(self) -> None:
        """Use the files as they are now, if they were changed; if they are not in order, wait."""
        seen = self._look()
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._credentials.load_into(self.context)
        except (OSError, ValueError) as trouble:
            say(logging.WARNING, "certificates.not_used", why=str(trouble))
        else:
            say(logging.INFO, "certificates.read")

    def _look(self) -> list[tuple[str, int, int]]:
        files = (self._credentials.certificate, self._credentials.key)
        return [_stamp(path) for path in (*files, *self._credentials.peers.files())]


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        status = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), status.st_mtime_ns, status.st_ino


# ---- certificates --------------------------------------------------------------------------------


def make_tls(
    folder: Path,
    name: str,
    files: tuple[str, str] = (CERTIFICATE, KEY),
    clock: Clock = system_clock,
) -> bytes:
    """Make the key and the certificate by which a process shows who it is, and return the latter.

    The certificate signs itself: the other side accepts it because it was handed over, and no
    other. The key is not under a passphrase, because a sealed process must be reachable; it signs
    no statement, intent or record.

    Raises:
        FileExistsError: there is one already.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    # Of two that are accepted under one name each must be found, so they are not called the same.
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, f"keno {name}"),
            x509.NameAttribute(NameOID.SERIAL_NUMBER, identifier.digest.hex()),
        ]
    )
    now = clock()
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=CERTIFICATE_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, SHA256())
    )
    data = certificate.public_bytes(Encoding.PEM)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_new(folder / files[1], secret)
    write_new(folder / files[0], data)
    return data


@dataclass(frozen=True)
class Shown:
    """A certificate as people compare it: whose, its fingerprint, and when it ends."""

    file: Path
    name: str
    fingerprint: str
    ends: datetime

    def days_left(self, now: datetime) -> int:
        """Return for how many more days it holds."""
        return (self.ends - now).days


def shown(files: Mapping[Path, str]) -> list[Shown]:
    """Return certificates as people compare them.

    Raises:
        OSError, ValueError: one cannot be read.
    """
    return [
        Shown(path, name, fingerprint(path.read_bytes()), _certificate(path).not_valid_after_utc)
        for path, name in files.items()
    ]


def fingerprint(pem: bytes) -> str:
    """Return the SHA-256 of a certificate as `openssl x509 -fingerprint -sha256` prints it."""
    digest = sha256(ssl.PEM_cert_to_DER_cert(pem.decode("ascii"))).hexdigest().upper()
    return ":".join(digest[place : place + 2] for place in range(0, len(digest), 2))


# ---- exchanging them -----------------------------------------------------------------------------


def renew(folder: Path, name: str, public: Path, clock: Clock = system_clock) -> Path:
    """Make the next certificate beside that in use, and return its copy in the public folder.

    Raises:
        NotChanged: one was made already, and waits to be shown.
    """
    if (folder / NEXT_CERTIFICATE).exists() or (folder / NEXT_KEY).exists():
        raise NotChanged(f"{folder} has a next certificate already; show that one first")
    data = make_tls(folder, name, (NEXT_CERTIFICATE, NEXT_KEY), clock)
    return publish(public, name, data)


def publish(public: Path, name: str, data: bytes) -> Path:
    """Put a certificate into the public folder, if it is not there, and return where it is."""
    for path in Peers(public, (name,), PUBLIC_SUFFIX).files():
        if path.read_bytes() == data:
            return path
    place = _free(public, name, PUBLIC_SUFFIX)
    write_new(place, data)
    place.chmod(0o644)
    return place


def change(folder: Path) -> None:
    """Show the next certificate from now on, in the place of that in use.

    Raises:
        NotChanged: there is no next one.
    """
    if not (folder / NEXT_CERTIFICATE).exists():
        raise NotChanged(f"{folder} has no next certificate; make one first")
    if (folder / NEXT_KEY).exists():
        (folder / NEXT_KEY).replace(folder / KEY)
    (folder / NEXT_CERTIFICATE).replace(folder / CERTIFICATE)
    sync_folder(folder)


def accept(peers: Peers, public: Path, own: str) -> list[Path]:
    """Accept what others have put into the public folder since, beside what is accepted now."""
    known = [_der(path) for path in peers.files()]
    taken = []
    for path, name in Peers(public, peers.names, PUBLIC_SUFFIX).files().items():
        if name != own and _der(path) not in known:
            place = _free(peers.folder, name, peers.suffix)
            write_new(place, path.read_bytes())
            taken.append(place)
    return taken


def forget(peers: Peers, name: str) -> list[Path]:
    """Accept only the newest certificate of a name from now on; return what is gone.

    Raises:
        NotChanged: there is only one.
    """
    files = [path for path, whose in peers.files().items() if whose == name]
    newest = max(files, key=_made, default=None)
    old = [path for path in files if path != newest]
    if not old:
        raise NotChanged(f"no other certificate of {name} is accepted that could be forgotten")
    for path in old:
        path.unlink()
    sync_folder(peers.folder)
    return old


def _free(folder: Path, name: str, suffix: str) -> Path:
    """Return where the next certificate of a name goes: NAME, then NAME-2 and so on."""
    place, number = folder / f"{name}{suffix}", 1
    while place.exists():
        number += 1
        place = folder / f"{name}-{number}{suffix}"
    return place


def _made(path: Path) -> datetime:
    return _certificate(path).not_valid_before_utc


def _certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def _der(path: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert(path.read_text())


def ending_soon(certificates: Iterable[Shown], now: datetime) -> list[Shown]:
    """Return those that end within the days in which they should be exchanged."""
    return [each for each in certificates if each.days_left(now) < WARNING_DAYS]
