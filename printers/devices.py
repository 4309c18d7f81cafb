"""The ways to a printer: network, USB, serial line, file and CUPS. Each takes bytes.

A device that can answer is asked how it is; a file and a print queue cannot. Everything has a short
time limit: a printer that hangs holds up its own paper, and nobody else's.

None is opened that the list of this machine does not have (`allowed`).
"""

import os
import select
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import serial

from printers.allowed import NOWHERE, Allowed, NotAllowed

ANSWER_SECONDS = 1.0
SEND_SECONDS = 5.0
PIECE = 1_024
RAW_PORT = 9100
NOT_LISTED = "The address of the printer is not on the list of this machine."


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


@contextmanager
def _listed() -> Iterator[None]:
    """Say of an address that is not on the list that the printer is not reached."""
    try:
        yield
    except NotAllowed:
        raise Unreachable(NOT_LISTED) from None


# ---- the network ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """A printer that listens on a port, mostly 9100."""

    host: str
    port: int = RAW_PORT
    allowed: Allowed = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Connect to the very address that was checked; its name is not resolved again."""
        try:
            with _listed():
                line = _first_connected(self.allowed.hosts(self.host, self.port), self.port)
        except (OSError, UnicodeError) as trouble:  # a name that cannot be one
            raise Unreachable("The printer cannot be reached.") from trouble
        with line:
            yield _Socket(line)


def _first_connected(hosts: list[str], port: int) -> socket.socket:
    """Connect to the first of some addresses that answers.

    Raises:
        OSError: none does.
    """
    for host in hosts[:-1]:
        with suppress(OSError):
            return socket.create_connection((host, port), ANSWER_SECONDS)
    return socket.create_connection((hosts[-1], port), ANSWER_SECONDS)


@dataclass(frozen=True)
class _Socket:
    line: socket.socket
    answers = True

    def send(self, data: bytes) -> None:
        self.line.settimeout(SEND_SECONDS)
        try:
            for first in range(0, len(data), PIECE):  # each piece has its own time
                self.line.sendall(data[first : first + PIECE])
        except OSError as trouble:
            raise Broken("The line to the printer broke.") from trouble

    def receive(self, seconds: float) -> int | None:
        self.line.settimeout(seconds)  # none at all: what is there, or nothing
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
    allowed: Allowed = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the device; a disk or a file is none."""
        flags = os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW
        try:
            with _listed():
                handle = os.open(self.allowed.real_path(str(self.path)), flags)
        except OSError as trouble:
            raise Unreachable("The printer is not connected.") from trouble
        try:
            if not stat.S_ISCHR(os.fstat(handle).st_mode):
                raise Unreachable("This is not the device of a printer.")
            yield _Handle(handle)
        finally:
            os.close(handle)


@dataclass(frozen=True)
class _Handle:
    handle: int
    answers = True

    def send(self, data: bytes) -> None:
        while data:  # each piece has its own time
            _, ready, _ = select.select([], [self.handle], [], SEND_SECONDS)
            if not ready:
                raise Broken("The printer takes no more.")
            try:
                data = data[os.write(self.handle, data[:PIECE]) :]
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
    """A printer on a serial line, which says when it takes no more: by a wire, or by XOFF.

    A line on which it could not say so would lose what does not fit into the printer.
    """

    path: str
    baud: int = 38_400
    by_xoff: bool = False
    allowed: Allowed = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the line; what is no terminal is refused by what opens it."""
        try:
            with _listed():
                line = serial.Serial(
                    self.allowed.real_path(self.path),
                    self.baud,
                    write_timeout=SEND_SECONDS,
                    xonxoff=self.by_xoff,
                    rtscts=not self.by_xoff,
                    exclusive=True,  # whoever else has it open would print between our lines
                )
        except (serial.SerialException, OSError, ValueError, OverflowError) as trouble:
            raise Unreachable("The printer is not connected.") from trouble
        with line:
            yield _SerialLine(line)


@dataclass(frozen=True)
class _SerialLine:
    line: serial.Serial
    answers = True

    def send(self, data: bytes) -> None:
        try:
            for first in range(0, len(data), PIECE):  # each piece has its own time
                self.line.write(data[first : first + PIECE])
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
    allowed: Allowed = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Open the file, behind all that is in it."""
        # Its owner alone reads it: the codes of the tickets are in it.
        # A pipe that nobody reads is not waited for.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW
        try:
            with _listed():
                handle = os.open(self.allowed.real_path(str(self.path)), flags, 0o600)
        except OSError as trouble:
            raise Unreachable("The file of the printer cannot be written.") from trouble
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unreachable("This is no file but a device: use usb: or serial: for it.")
            yield _Sink(lambda data: _write_through(handle, data))
        finally:
            os.close(handle)


@dataclass(frozen=True)
class Cups:
    """A queue of CUPS that takes bytes as they are."""

    queue: str
    allowed: Allowed = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """There is nothing to open: each paper is a job of the queue."""
        with _listed():
            self.allowed.queue(self.queue)
        if shutil.which("lp") is None:
            raise Unreachable("There is no CUPS on this machine: lp is missing.")
        yield _Sink(self._submit)

    def _submit(self, data: bytes) -> None:
        command = ["lp", "-d", self.queue, "-o", "raw", "--", "-"]
        try:
            done = subprocess.run(  # noqa: S603  our own words; the queue's name is one of them
                command, input=data, capture_output=True, timeout=SEND_SECONDS, check=False
            )
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


def device_at(address: str, allowed: Allowed) -> Device:
    """Return the device at an address: tcp:HOST:PORT, usb:PATH, serial:PATH:BAUD, file: or cups:.

    A serial line whose printer says XOFF ends with :xoff; else it is held up by a wire (RTS/CTS).

    Args:
        address: of the printer.
        allowed: the list of this machine, against which it is checked when it is opened.

    Raises:
        ValueError: it is no address of a printer.
    """
    kind, _, rest = address.partition(":")
    if not rest:
        raise ValueError(f"{address} is no address of a printer")
    match kind:
        case "tcp":
            host, _, port = rest.rpartition(":")
            return Network(host or rest, int(port) if host else RAW_PORT, allowed=allowed)
        case "usb":
            return Usb(Path(rest), allowed=allowed)
        case "serial":
            path, *more = rest.split(":")
            baud = int(more[0]) if more else Serial.baud
            return Serial(path, baud, by_xoff=more[1:] == ["xoff"], allowed=allowed)
        case "file":
            return File(Path(rest), allowed=allowed)
        case "cups":
            return Cups(rest, allowed=allowed)
    raise ValueError(f"{address} is no address of a printer")
