"""How the processes talk: a request and its answer, each one JSON document in a frame.

A frame is its length in four bytes, the high byte first, and then the document. A request is
`{"act": NAME, ...}`; the answer is `{"answer": {...}}` or `{"refused": {"code", "message",
"evidence"}}`. No act is done twice because it is asked for twice, so a lost answer is no harm: the
client connects anew and asks once more.

On one machine over a Unix socket, whose file mode says who may connect; between machines over TLS
(`rng.serve.tls`).
"""

import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic
from typing import cast

from rng.core.canonical import NotCanonical, read_json
from rng.serve.refusals import Refused
from rng.serve.tls import Credentials

__all__ = ["Address", "Client", "Refused", "Unreachable"]

FRAME_BYTES_MAX = 1 << 18
LENGTH = struct.Struct(">I")
CALL_SECONDS = 10

# What is hashed or signed is put into canonical form where that is done, so the line need not be.
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Unreachable(Exception):  # noqa: N818  the other side's absence, not an error of ours
    """The other process did not answer."""


@dataclass(frozen=True)
class Address:
    """Where a process listens: `unix:PATH` or `tls:HOST:PORT`."""

    path: str | None = None
    host: str = ""
    port: int = 0

    @classmethod
    def read(cls, text: str) -> "Address":
        """Return the address that a text names.

        Raises:
            ValueError: it names none.
        """
        kind, _, rest = text.partition(":")
        host, _, port = rest.rpartition(":")
        if kind == "unix" and rest:
            return cls(path=rest)
        if kind == "tls" and host and port.isdecimal():
            return cls(host=host.strip("[]"), port=int(port))
        raise ValueError(f"{text!r} is no address; write unix:PATH or tls:HOST:PORT")


class Client:
    """A connection to one process, made when it is first needed and again when it broke."""

    def __init__(
        self,
        address: Address,
        credentials: Credentials | None = None,
        seconds: int = CALL_SECONDS,
    ) -> None:
        if address.path is None and credentials is None:
            raise ValueError("an address over TLS needs certificates")
        self._address = address
        self._credentials = credentials
        self._seconds = seconds
        self._connection: socket.socket | None = None
        self._owed = 0
        self._failures: list[Refused | Unreachable] = []
        self._answers: list[dict[str, object]] = []

    def post(self, act: str, fields: Mapping[str, object]) -> None:
        """Ask for an act without waiting; `collect` says what became of it.

        Raises:
            Unreachable: it could not even be sent.
        """
        self._send(to_frame({**fields, "act": act}))
        self._owed += 1

    def collect(self) -> list[dict[str, object]]:
        """Return the answers to what was posted, or tell of the first that was not a yes.

        Raises:
            Refused: the process said no.
            Unreachable: it did not answer in time, or not in its form.
        """
        self._drain()
        failures, self._failures = self._failures, []
        answers, self._answers = self._answers, []
        if failures:
            raise failures[0]
        return answers

    def call(self, act: str, fields: Mapping[str, object] | None = None) -> dict[str, object]:
        """Ask for an act and return its answer.

        Raises:
            Refused: the process said no.
            Unreachable: it did not answer in time, or not in its form.
        """
        frame = to_frame({**(fields or {}), "act": act})
        self._drain()
        reused = self._connection is not None
        try:
            self._send(frame)
            reply = self._receive()
        except Unreachable:
            if not reused:
                raise
            self._send(frame)  # the connection was stale; every act can be repeated
            reply = self._receive()
        return read_reply(reply)

    def close(self) -> None:
        """Close the connection; the next call makes a new one."""
        if self._owed:
            self._failures.append(Unreachable("the connection was closed before the answer"))
            self._owed = 0
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _drain(self) -> None:
        """Take in the answers to what was posted, and keep them for `collect`."""
        while self._owed:
            try:
                reply = self._receive()
            except Unreachable:
                return  # closing has noted it
            self._owed -= 1
            try:
                self._answers.append(read_reply(reply))
            except (Refused, Unreachable) as failure:
                self._failures.append(failure)

    def _send(self, frame: bytes) -> None:
        try:
            if self._connection is None:
                self._connection = self._connect()
            self._connection.settimeout(self._seconds)
            self._connection.sendall(frame)
        except (OSError, ValueError) as trouble:
            raise self._lost(trouble) from trouble

    def _receive(self) -> bytes:
        try:
            return _read_frame(self._connection, monotonic() + self._seconds)
        except (OSError, EOFError, ValueError) as trouble:
            raise self._lost(trouble) from trouble

    def _lost(self, trouble: Exception) -> Unreachable:
        self.close()
        if isinstance(trouble, (FileNotFoundError, ConnectionRefusedError)):
            return Unreachable("it is not running")
        said = trouble.strerror if isinstance(trouble, OSError) else str(trouble)
        return Unreachable(said or str(trouble) or type(trouble).__name__)

    def _connect(self) -> socket.socket:
        if self._address.path is not None:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(self._seconds)
            try:
                connection.connect(self._address.path)
            except OSError:
                connection.close()
                raise
            return connection
        credentials = cast("Credentials", self._credentials)
        plain = socket.create_connection((self._address.host, self._address.port), self._seconds)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            secured = credentials.context(server=False).wrap_socket(plain)
        except (OSError, ValueError):
            plain.close()
            raise
        if credentials.peers.name_of(secured.getpeercert(binary_form=True)) is None:
            secured.close()
            raise ValueError("the other side's certificate is not one that was given")
        return secured


def to_frame(document: object) -> bytes:
    """Return a document as it goes over the wire.

    Raises:
        ValueError: it is too long.
    """
    data = _WRITER.encode(document).encode()
    if len(data) > FRAME_BYTES_MAX:
        raise ValueError("the document is too long to be sent")
    return LENGTH.pack(len(data)) + data


def read_reply(data: bytes) -> dict[str, object]:
    """Return the answer of a reply.

    Raises:
        Refused: it is a refusal.
        Unreachable: it is neither.
    """
    try:
        reply = read_json(data)
    except NotCanonical as fault:
        raise Unreachable(f"the answer cannot be read: {fault}") from None
    match reply:
        case {"answer": dict(answer)}:
            return cast("dict[str, object]", answer)
        case {"refused": {"code": str(code), "message": str(message), "evidence": dict(evidence)}}:
            raise Refused(code, message, cast("dict[str, object]", evidence))
    raise Unreachable("the answer is not of its form")


def _read_frame(connection: socket.socket | None, deadline: float) -> bytes:
    if connection is None:
        raise EOFError("the connection was closed")
    (length,) = LENGTH.unpack(_exactly(connection, LENGTH.size, deadline))
    if length > FRAME_BYTES_MAX:
        raise ValueError("the answer is too long")
    return _exactly(connection, length, deadline)


def _exactly(connection: socket.socket, count: int, deadline: float) -> bytes:
    """Return so many bytes; a peer that sends them drop by drop gains no time by it."""
    parts = bytearray()
    while len(parts) < count:
        left = deadline - monotonic()
        if left <= 0:
            raise TimeoutError("it took too long")
        connection.settimeout(left)
        part = connection.recv(count - len(parts))
        if not part:
            raise EOFError("the connection was closed")
        parts += part
    return bytes(parts)
