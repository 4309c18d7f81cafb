"""The generator's own paper: an independent record of each draw (15.5(a)-record).

A device takes the slip's text. A printer that speaks ESC/POS is told to begin anew before it and to
cut behind it, and is asked whether it is done; nothing else of that language is used. A device is
*ready* or says why not; the generator asks before the intent, because after it the game has to be
finished.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import ClassVar, Protocol

_TIMEOUT_SECONDS = 5
_STALE_BYTES = 4096


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


class EscposPrinter:
    """A receipt printer on a TCP port that answers how it is, and when it is done."""

    # Say nothing unasked; forget what was set; code page 437, of which plain letters are used.
    BEGIN = b"\x1da\x00\x1b@\x1bt\x00"
    CUT = b"\n\x1bd\x06\x1dV\x00"
    DONE = b"\x1dr\x01"  # answered behind everything that was sent before it
    NOT_DONE, PAPER_END = 0x90, 0x0C  # bits that its answer never has, and those of no paper
    # What is asked at once, and the bits of the answer that are trouble.
    QUESTIONS: ClassVar = {
        1: (0x08, "it is offline"),
        2: (0x44, "its cover is open, or it reports a fault"),
        4: (0x60, "it is out of paper"),
    }

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)

    def check_ready(self) -> None:
        """Raise NotReady if the printer does not answer, or cannot print."""
        try:
            with socket.create_connection(self._address, _TIMEOUT_SECONDS) as line:
                self._check(line)
        except OSError as trouble:
            raise NotReady(f"{self._address[0]}: {trouble}") from trouble

    def print(self, slip: bytes) -> None:
        """Print a slip; raise NotReady if the printer does not say that it is done."""
        # What is no plain letter is shown by its number, never as something else.
        plain = slip.decode().encode("ascii", "backslashreplace")
        try:
            with socket.create_connection(self._address, _TIMEOUT_SECONDS) as line:
                self._check(line)
                line.sendall(self.BEGIN + plain + self.CUT + self.DONE)
                self._wait_until_done(line)
                self._check(line)
        except OSError as trouble:
            raise NotReady(f"{self._address[0]}: {trouble}") from trouble

    def _wait_until_done(self, line: socket.socket) -> None:
        """Wait for the answer behind the slip; what else a printer says is none.

        One that never stops talking is not waited for longer than one that says nothing.
        """
        deadline = monotonic() + _TIMEOUT_SECONDS
        while (left := deadline - monotonic()) > 0:
            line.settimeout(left)
            said = line.recv(1)
            if not said:
                raise NotReady(f"{self._address[0]}: it hung up before it was done")
            if said[0] & self.NOT_DONE:
                continue
            if said[0] & self.PAPER_END:
                raise NotReady(f"{self._address[0]}: it is out of paper")
            return
        raise NotReady(f"{self._address[0]}: it did not say that it was done")

    def _check(self, line: socket.socket) -> None:
        line.setblocking(False)
        with suppress(BlockingIOError):
            line.recv(_STALE_BYTES)  # what was said before it was asked is no answer
        line.settimeout(_TIMEOUT_SECONDS)
        for question, (bits, words) in self.QUESTIONS.items():
            line.sendall(bytes([0x10, 0x04, question]))
            answer = line.recv(1)
            if not answer or answer[0] & 0x93 != 0x12:  # by which an answer is known to be one
                raise NotReady(f"{self._address[0]}: it does not answer as a printer does")
            if answer[0] & bits:
                raise NotReady(f"{self._address[0]}: {words}")


def printer_at(place: str) -> Printer:
    """Return the printer of a setting: `file:PATH`, `tcp:HOST:PORT` or `escpos:HOST:PORT`.

    Raises:
        ValueError: it names none.
    """
    kind, _, where = place.partition(":")
    if kind == "file" and where:
        return FilePrinter(Path(where))
    host, _, port = where.rpartition(":")
    if kind in ("tcp", "escpos") and host and port.isdecimal():
        speaks = EscposPrinter if kind == "escpos" else NetworkPrinter
        return speaks(host, int(port))
    raise ValueError(
        f"{place!r} names no printer; write file:PATH, tcp:HOST:PORT or escpos:HOST:PORT"
    )
