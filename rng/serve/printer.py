"""The generator's own paper: an independent record of each draw (15.5(a)-record).

A device takes bytes. Which bytes is the slip's business, so a printer that speaks ESC/POS later
needs no change here or in `rng/core`. A device is *ready* or says why not; the generator asks
before the intent, because after it the game has to be finished.
"""

import os
import socket
from pathlib import Path
from typing import Protocol

_TIMEOUT_SECONDS = 5


class NotReady(Exception):  # noqa: N818  the device's trouble, told to the supervisor
    """The paper cannot be printed now."""


class Printer(Protocol):
    """What the generator needs of a printer."""

    def check_ready(self) -> None:
        """Raise NotReady if a slip could not be printed now."""

    def print(self, slip: bytes) -> None:
        """Print a slip, or raise NotReady."""


class FilePrinter:
    """A text file, or a device file, to which slips are added."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check_ready(self) -> None:
        """Raise NotReady if the file cannot be opened for writing."""
        try:
            os.close(self._open())
        except OSError as trouble:
            raise NotReady(str(trouble.strerror)) from trouble

    def print(self, slip: bytes) -> None:
        """Add a slip and see it onto the disk."""
        try:
            descriptor = self._open()
            try:
                while slip:
                    slip = slip[os.write(descriptor, slip) :]
                if self._path.is_file():
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as trouble:
            raise NotReady(str(trouble.strerror)) from trouble

    def _open(self) -> int:
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o640)


class NetworkPrinter:
    """A printer that takes bytes on a TCP port, as receipt printers do on 9100."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)

    def check_ready(self) -> None:
        """Raise NotReady if the printer does not answer."""
        try:
            socket.create_connection(self._address, _TIMEOUT_SECONDS).close()
        except OSError as trouble:
            raise NotReady(f"{self._address[0]}: {trouble}") from trouble

    def print(self, slip: bytes) -> None:
        """Send a slip and close."""
        try:
            with socket.create_connection(self._address, _TIMEOUT_SECONDS) as connection:
                connection.sendall(slip)
                connection.shutdown(socket.SHUT_WR)
        except OSError as trouble:
            raise NotReady(f"{self._address[0]}: {trouble}") from trouble


def printer_at(place: str) -> Printer:
    """Return the printer that a setting names: `file:PATH` or `tcp:HOST:PORT`.

    Raises:
        ValueError: it names none.
    """
    kind, _, where = place.partition(":")
    if kind == "file" and where:
        return FilePrinter(Path(where))
    host, _, port = where.rpartition(":")
    if kind == "tcp" and host and port.isdecimal():
        return NetworkPrinter(host, int(port))
    raise ValueError(f"{place!r} names no printer; write file:PATH or tcp:HOST:PORT")
