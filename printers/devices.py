"""The ways to a printer: network, USB, serial line, file and CUPS. Each takes bytes.

A device that can answer is asked how it is; a file and a print queue cannot. Everything has a short
time limit: a printer that hangs holds up its own paper, and nobody else's.
"""

import os
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import serial

ANSWER_SECONDS = 1.0
SEND_SECONDS = 5.0
RAW_PORT = 9100


class Unreachable(Exception):  # noqa: N818  the way to the printer is closed
    """Nothing was sent: the printer was not reached."""


class Broken(Exception):  # noqa: N818  the way to the printer closed
    """The line broke while bytes were on their way: what arrived, nobody knows."""


class Connection(Protocol):
    """An open way to a printer."""

    @property
    def answers(self) -> bool:
        """Whether it can be asked anything."""

    def send(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            Broken: not all of them, as far as is known.
        """

    def receive(self, seconds: float) -> int | None:
        """Return the next byte that the printer says; none if none comes in time."""


class Device(Protocol):
    """A way to a printer."""

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the way, and close it afterwards.

        Raises:
            Unreachable: it cannot be opened.
        """


# ---- the network ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """A printer that listens on a port, mostly 9100."""

    host: str
    port: int = RAW_PORT

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Connect to it."""
        try:
            line = socket.create_connection((self.host, self.port), ANSWER_SECONDS)
        except OSError as trouble:
            raise Unreachable("The printer cannot be reached.") from trouble
        with line:
            yield _Socket(line)


@dataclass(frozen=True)
class _Socket:
    line: socket.socket
    answers = True

    def send(self, data: bytes) -> None:
        self.line.settimeout(SEND_SECONDS)
        try:
            self.line.sendall(data)
        except OSError as trouble:
            raise Broken("The line to the printer broke.") from trouble

    def receive(self, seconds: float) -> int | None:
        self.line.settimeout(seconds)
        try:
            got = self.line.recv(1)
        except OSError:
            return None
        return got[0] if got else None


# ---- USB, as the kernel shows it -----------------------------------------------------------------


@dataclass(frozen=True)
class Usb:
    """A printer at the kernel's own device, such as /dev/usb/lp0."""

    path: Path

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the device."""
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        except OSError as trouble:
            raise Unreachable("The printer is not connected.") from trouble
        try:
            opened = _Handle(handle)
            while opened.receive(0) is not None:
                pass  # what it said to an earlier question
            yield opened
        finally:
            os.close(handle)


@dataclass(frozen=True)
class _Handle:
    handle: int
    answers = True

    def send(self, data: bytes) -> None:
        deadline = time.monotonic() + SEND_SECONDS
        while data:
            left = deadline - time.monotonic()
            _, ready, _ = select.select([], [self.handle], [], max(left, 0))
            if not ready:
                raise Broken("The printer takes no more.")
            try:
                data = data[os.write(self.handle, data) :]
            except OSError as trouble:
                raise Broken("The line to the printer broke.") from trouble

    def receive(self, seconds: float) -> int | None:
        ready, _, _ = select.select([self.handle], [], [], seconds)
        try:
            got = os.read(self.handle, 1) if ready else b""
        except OSError:
            return None
        return got[0] if got else None


# ---- a serial line -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Serial:
    """A printer on a serial line."""

    path: str
    baud: int = 38_400

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the line."""
        try:
            line = serial.Serial(self.path, self.baud, write_timeout=SEND_SECONDS, dsrdtr=False)
        except (serial.SerialException, OSError, ValueError) as trouble:
            raise Unreachable("The printer is not connected.") from trouble
        with line:
            line.reset_input_buffer()  # what it said to an earlier question
            yield _SerialLine(line)


@dataclass(frozen=True)
class _SerialLine:
    line: serial.Serial
    answers = True

    def send(self, data: bytes) -> None:
        try:
            self.line.write(data)
            self.line.flush()
        except (serial.SerialException, OSError) as trouble:
            raise Broken("The line to the printer broke.") from trouble

    def receive(self, seconds: float) -> int | None:
        self.line.timeout = seconds
        try:
            got = self.line.read(1)
        except (serial.SerialException, OSError):
            return None
        return got[0] if got else None


# ---- devices that cannot answer ------------------------------------------------------------------


@dataclass(frozen=True)
class File:
    """A file to which all paper is added: for a house that keeps its paper elsewhere."""

    path: Path

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the file, behind all that is in it."""
        try:
            file = self.path.open("ab")
        except OSError as trouble:
            raise Unreachable("The file of the printer cannot be written.") from trouble
        with file:
            yield _Sink(lambda data: _write_through(file.fileno(), data))


@dataclass(frozen=True)
class Cups:
    """A queue of CUPS that takes bytes as they are."""

    queue: str

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """There is nothing to open: each paper is a job of the queue."""
        yield _Sink(self._submit)

    def _submit(self, data: bytes) -> None:
        command = ["lp", "-d", self.queue, "-o", "raw", "--", "-"]
        try:
            done = subprocess.run(  # noqa: S603  our own words; the queue's name is one of them
                command, input=data, capture_output=True, timeout=SEND_SECONDS, check=False
            )
        except FileNotFoundError as trouble:
            raise Unreachable("There is no CUPS on this machine: lp is missing.") from trouble
        except subprocess.TimeoutExpired as trouble:
            raise Broken("The print queue did not answer.") from trouble
        if done.returncode != 0:
            raise Unreachable("The print queue does not take the paper.")


@dataclass(frozen=True)
class _Sink:
    write: Callable[[bytes], None]
    answers = False

    def send(self, data: bytes) -> None:
        try:
            self.write(data)
        except OSError as trouble:
            raise Broken("The paper could not be written whole.") from trouble

    def receive(self, _seconds: float) -> int | None:
        return None


def _write_through(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]
    os.fsync(handle)


def device_at(address: str) -> Device:
    """Return the device at an address: tcp:HOST:PORT, usb:PATH, serial:PATH:BAUD, file: or cups:.

    Raises:
        ValueError: it is no address of a printer.
    """
    kind, _, rest = address.partition(":")
    if not rest:
        raise ValueError(f"{address} is no address of a printer")
    match kind:
        case "tcp":
            host, _, port = rest.rpartition(":")
            return Network(host, int(port)) if host else Network(rest)
        case "usb":
            return Usb(Path(rest))
        case "serial":
            path, _, baud = rest.rpartition(":")
            return Serial(path, int(baud)) if path else Serial(rest)
        case "file":
            return File(Path(rest))
        case "cups":
            return Cups(rest)
    raise ValueError(f"{address} is no address of a printer")
