"""What a process is started with: its folder, where it listens, whom it reaches.

All of it is looked at before anything is opened, and everything that is wrong is told at once: the
folder and its secrets are the process's own and nobody else's (X-access), addresses can be read,
and whoever listens or calls over TLS has a certificate and those of the others.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rng.serve.keyed import JOURNAL, KEYS
from rng.serve.printer import Printer, printer_at
from rng.serve.protocol import Address
from rng.serve.tls import CERTIFICATE, KEY, PEERS, SIDES, Credentials, Peers, check_private

SERVICE_SOCKET = "service.sock"
T = TypeVar("T")


class BadPlaces(Exception):  # noqa: N818  the operator's to mend, with the text as the remedy
    """A process cannot be started so; the text says all that is wrong."""


@dataclass(frozen=True)
class Asked:
    """What the command line says, unread."""

    role: str
    folder: Path
    socket: Path | None
    listen: str
    inspector: str
    printer: str


@dataclass(frozen=True)
class Places:
    """Where a process listens, and whom the generator reaches."""

    socket: Path
    listen: Address | None
    inspector: Address | None
    printer: Printer | None


def read_places(asked: Asked) -> Places:
    """Return where a process listens and whom it reaches.

    Raises:
        BadPlaces: every fault.
    """
    faults = list(_folder_faults(asked.folder))
    listen = _read(Address.read, asked.listen, "--listen", faults)
    inspector = _read(Address.read, asked.inspector, "--inspector", faults)
    printer = _read(printer_at, asked.printer, "--printer", faults)
    if listen is not None and listen.path is not None:
        faults.append("--listen takes tls:HOST:PORT; another socket is named with --socket")
        listen = None
    if asked.role == "rng":
        faults += ["--inspector is missing"] if not asked.inspector else []
        faults += ["--printer is missing"] if not asked.printer else []
    wanted = {"office"} if listen else set()
    if listen and asked.role == "inspector":
        wanted.add("rng")
    if inspector is not None and inspector.path is None:
        wanted.add("inspector")
    faults += _tls_faults(asked.folder, wanted) if wanted else []
    if faults:
        raise BadPlaces("; ".join(faults))
    return Places(asked.socket or asked.folder / SERVICE_SOCKET, listen, inspector, printer)


def credentials(folder: Path, names: tuple[str, ...] = SIDES) -> Credentials:
    """Return the TLS identity of a folder, and whom of those that it was given it speaks to."""
    return Credentials(folder / CERTIFICATE, folder / KEY, Peers(folder / PEERS, names))


def _read(read: Callable[[str], T], text: str, option: str, faults: list[str]) -> T | None:
    """Return what a text names; nothing, and a fault, if it cannot be read."""
    if not text:
        return None
    try:
        return read(text)
    except ValueError as fault:
        faults.append(f"{option}: {fault}")
        return None


def _folder_faults(folder: Path) -> Iterator[str]:
    for name in (JOURNAL, KEYS):
        path = folder / name
        if not path.exists():
            yield f"{path} is missing; only the key ceremony makes one"
        else:
            yield from _private_faults(path)
    if folder.is_dir():
        status = folder.stat()
        if status.st_uid != os.geteuid():
            yield f"{folder} belongs to another user; chown it to the one who runs this"
        if status.st_mode & 0o022:
            yield f"{folder} can be changed by others; chmod 700 it"


def _tls_faults(folder: Path, wanted: set[str]) -> Iterator[str]:
    for name in (CERTIFICATE, KEY):
        if not (folder / name).exists():
            yield f"{folder / name} is missing, and an address over TLS needs it"
    if (folder / KEY).exists():
        yield from _private_faults(folder / KEY)
    accepted = set(Peers(folder / PEERS).files().values())
    for name in sorted(wanted - accepted):
        yield f"{folder / PEERS} has no certificate of {name}; accept it from the public folder"


def _private_faults(path: Path) -> Iterator[str]:
    try:
        check_private(path)
    except (OSError, ValueError) as fault:
        yield str(fault)
