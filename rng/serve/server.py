"""Listening: frames in, answers out, one request at a time.

Peers wait for each other only while a request is being answered, never while one is slow to ask:
reading is done for all of them side by side, with a limit on length, on time and on how many there
are. What is not a request is dropped into a log that cannot be flooded; it never stops the process
and never locks anything out.
"""

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import cast

from rng.core.canonical import NotCanonical, read_json
from rng.serve.lines import say
from rng.serve.protocol import (
    FRAME_BYTES_MAX,
    LENGTH,
    Address,
    to_frame,
)
from rng.serve.refusals import Code, Refused, refused
from rng.serve.tls import Credentials, Following

LOCAL = "local"  # a peer on a Unix socket: whoever its file mode lets in
FRAME_SECONDS = 5  # from the first byte of a request to its last
IDLE_SECONDS = 3600
CONNECTIONS_MAX = 64
CYCLE_SECONDS = 1

Dispatch = Callable[[str, Mapping[str, object]], Mapping[str, object]]


@dataclass(frozen=True)
class Listener:
    """A place to listen at, and what is answered there: the peer and its request in, answer out."""

    address: Address
    dispatch: Dispatch
    mode: int = 0o600
    credentials: Credentials | None = None


class Noise:
    """A log for what strangers send: at most so many lines a minute, then only their number."""

    def __init__(self, lines_a_minute: int = 20) -> None:
        self._limit = lines_a_minute
        self._since = monotonic()
        self._count = 0

    def say(self, why: str) -> None:
        """Say that a peer was dropped, unless there were too many in this minute."""
        now = monotonic()
        if now - self._since >= 60:
            if self._count > self._limit:
                say(logging.WARNING, "peers.dropped", further=self._count - self._limit)
            self._since, self._count = now, 0
        self._count += 1
        if self._count <= self._limit:
            say(logging.WARNING, "peer.dropped", why=why)


class Server:
    """The listeners of one process, and what it does when nobody asks for anything."""

    def __init__(
        self, listeners: list[Listener], after: Callable[[], None], idle: Callable[[], None]
    ) -> None:
        """Prepare to listen.

        Args:
            listeners: where, and what is answered there.
            after: called after each answer has been sent.
            idle: called over and over between requests.
        """
        self._listeners = listeners
        self._idle = idle
        self.after = after
        self.noise = Noise()
        self._certificates: list[Following] = []
        self.connections: set[_Connection] = set()

    def run(self, ready: Callable[[], None]) -> None:
        """Listen until the process is told to end; `ready` is called once it listens."""
        asyncio.run(self._run(ready))

    def crowd(self, listener: Listener) -> int:
        """Return how many peers a listener has; the holders' is not crowded out by the others."""
        return sum(connection.listener is listener for connection in self.connections)

    async def _run(self, ready: Callable[[], None]) -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        # The programs end quietly when who reads their output has had enough; a server does not.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        servers = [await self._listen(listener) for listener in self._listeners]
        ready()
        while not ended.is_set():
            self._idle()
            for certificates in self._certificates:
                certificates.follow()
            for connection in list(self.connections):
                connection.drop_if_late()
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), CYCLE_SECONDS)
        for server in servers:
            server.close()
        for connection in list(self.connections):
            connection.close()

    async def _listen(self, listener: Listener) -> asyncio.Server:
        def connected() -> _Connection:
            return _Connection(self, listener)

        loop, address = asyncio.get_running_loop(), listener.address
        if address.path is not None:
            _remove_socket(address.path)
            mask = os.umask(0o777 & ~listener.mode)
            try:
                return await loop.create_unix_server(connected, address.path)
            finally:
                os.umask(mask)
        if listener.credentials is None:
            raise ValueError("an address over TLS needs certificates")
        certificates = Following(listener.credentials)
        self._certificates.append(certificates)
        return await loop.create_server(
            connected,
            address.host,
            address.port,
            ssl=certificates.context,
            ssl_handshake_timeout=FRAME_SECONDS,
        )


class _Connection(asyncio.Protocol):
    """One peer: its bytes are gathered into requests, and each is answered when it is whole."""

    def __init__(self, server: Server, listener: Listener) -> None:
        self._server = server
        self.listener = listener
        self._received = bytearray()
        self._deadline = monotonic()
        self._is_full = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Find out who it is, and refuse strangers and crowds."""
        self._transport = cast("asyncio.Transport", transport)
        self._peer = _peer(self.listener, transport)
        self._server.connections.add(self)
        self._wait(IDLE_SECONDS)
        if self._peer is None:
            self.drop("its certificate is not one that was given")
        elif self._server.crowd(self.listener) > CONNECTIONS_MAX:
            self.drop("there are too many")

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  asyncio's form
        """Forget it."""
        self._server.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        """Gather bytes; answer every request that is whole."""
        if not self._received:
            self._wait(FRAME_SECONDS)
        self._received += data
        self._answer_all()

    def pause_writing(self) -> None:
        """Give a peer that does not take its answers only so much time."""
        self._is_full = True
        self._transport.pause_reading()
        self._wait(FRAME_SECONDS)

    def resume_writing(self) -> None:
        """Go on with a peer that takes its answers again."""
        self._is_full = False
        self._transport.resume_reading()
        self._answer_all()

    def drop_if_late(self) -> None:
        """Drop a peer that took too long."""
        if monotonic() > self._deadline:
            self.drop("it took too long")

    def drop(self, reason: str) -> None:
        """Close the connection at once, and say why: something is amiss with the peer."""
        self._server.noise.say(reason)
        self.close()

    def close(self) -> None:
        """Close the connection at once."""
        self._received.clear()
        self._transport.abort()

    def _answer_all(self) -> None:
        """Answer every request that is whole, as long as the answers are taken."""
        try:
            while not self._is_full and (request := self._next_request()) is not None:
                self._wait(FRAME_SECONDS)
                self._transport.write(self._reply(request))
                self._server.after()
        except ValueError as fault:
            self.drop(str(fault))
        if not self._is_full and not self._received:
            self._wait(IDLE_SECONDS)

    def _wait(self, seconds: int) -> None:
        self._deadline = monotonic() + seconds

    def _next_request(self) -> bytes | None:
        if len(self._received) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(self._received)
        if length > FRAME_BYTES_MAX:
            raise ValueError("a request is too long")
        end = LENGTH.size + length
        if len(self._received) < end:
            return None
        request = bytes(self._received[LENGTH.size : end])
        del self._received[:end]
        return request

    def _reply(self, data: bytes) -> bytes:
        try:
            request = read_json(data)
        except NotCanonical as fault:
            raise ValueError(f"not a request: {fault}") from None
        if not isinstance(request, dict):
            raise ValueError("not a request")  # noqa: TRY004  the peer's bytes, not our types
        try:
            return to_frame({"answer": self.listener.dispatch(cast("str", self._peer), request)})
        except Refused as refusal:
            return to_frame({"refused": refusal.document()})
        except Exception as fault:  # noqa: BLE001  whatever it is
            # A defect of ours. The peer learns that, the log learns what, and the journal decides
            # what was done: nothing that is not in it has happened.
            say(logging.ERROR, "request.failed", fault=fault)
            return to_frame({"refused": refused(Code.FAULT).document()})


def _remove_socket(path: str) -> None:
    """Remove what a killed process left; the journal's lock keeps two from serving at once."""
    Path(path).unlink(missing_ok=True)


def _peer(listener: Listener, transport: asyncio.BaseTransport) -> str | None:
    if listener.credentials is None:
        return LOCAL
    secured = transport.get_extra_info("ssl_object")
    return listener.credentials.peers.name_of(secured.getpeercert(binary_form=True))
