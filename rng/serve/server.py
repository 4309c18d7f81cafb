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
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from rng.core.canonical import NotCanonical, read_json
from rng.serve.protocol import (
    FRAME_BYTES_MAX,
    LENGTH,
    Address,
    Credentials,
    to_frame,
)
from rng.serve.refusals import Code, Refused, refused

LOCAL = "local"  # a peer on a Unix socket: whoever its file mode lets in
FRAME_SECONDS = 5.0  # from the first byte of a request to its last
IDLE_SECONDS = 3600.0
CONNECTIONS_MAX = 64
CYCLE_SECONDS = 0.25

Dispatch = Callable[[str, Mapping[str, object]], Mapping[str, object]]

log = logging.getLogger("keno.rng")


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

    def say(self, text: str) -> None:
        """Log a line, unless there were too many in this minute."""
        now = monotonic()
        if now - self._since >= 60:
            if self._count > self._limit:
                log.warning("%d further lines were left out", self._count - self._limit)
            self._since, self._count = now, 0
        self._count += 1
        if self._count <= self._limit:
            log.warning("%s", text)


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
        self._after = after
        self._idle = idle
        self._noise = Noise()
        self._connections = 0

    def run(self, ready: Callable[[], None]) -> None:
        """Listen until the process is told to end; `ready` is called once it listens."""
        asyncio.run(self._run(ready))

    async def _run(self, ready: Callable[[], None]) -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ended.set)
        servers = [await self._listen(listener) for listener in self._listeners]
        ready()
        while not ended.is_set():
            self._idle()
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), CYCLE_SECONDS)
        for server in servers:
            server.close()

    async def _listen(self, listener: Listener) -> asyncio.Server:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._connected(listener, reader, writer)

        address, limit = listener.address, FRAME_BYTES_MAX
        if address.path is not None:
            _remove_socket(address.path)
            mask = os.umask(0o777 & ~listener.mode)
            try:
                return await asyncio.start_unix_server(serve, address.path, limit=limit)
            finally:
                os.umask(mask)
        if listener.credentials is None:
            raise ValueError("an address over TLS needs certificates")
        return await asyncio.start_server(
            serve,
            address.host,
            address.port,
            limit=limit,
            ssl=listener.credentials.context(server=True),
            ssl_handshake_timeout=FRAME_SECONDS,
        )

    async def _connected(
        self, listener: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._connections += 1
        try:
            peer = _peer(listener, writer)
            if self._connections > CONNECTIONS_MAX or peer is None:
                self._noise.say("a connection was refused")
                return
            while await self._answer_one(listener, peer, reader, writer):
                self._after()
        except (OSError, EOFError, TimeoutError, ValueError) as trouble:
            self._noise.say(f"a peer was dropped: {str(trouble) or type(trouble).__name__}")
        finally:
            self._connections -= 1
            writer.close()
            with suppress(OSError, ssl.SSLError):
                await writer.wait_closed()

    async def _answer_one(
        self,
        listener: Listener,
        peer: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Answer the next request; return False when the peer has gone."""
        async with asyncio.timeout(IDLE_SECONDS):
            start = await reader.read(1)
        if not start:
            return False
        async with asyncio.timeout(FRAME_SECONDS):
            (length,) = LENGTH.unpack(start + await reader.readexactly(LENGTH.size - 1))
            if length > FRAME_BYTES_MAX:
                raise ValueError("a request is too long")
            data = await reader.readexactly(length)
        writer.write(self._reply(listener, peer, data))
        async with asyncio.timeout(FRAME_SECONDS):
            await writer.drain()
        return True

    def _reply(self, listener: Listener, peer: str, data: bytes) -> bytes:
        try:
            request = read_json(data)
        except NotCanonical as fault:
            raise ValueError(f"not a request: {fault}") from None
        if not isinstance(request, dict):
            raise ValueError("not a request")  # noqa: TRY004  the peer's bytes, not our types
        try:
            answer = listener.dispatch(peer, request)
            return to_frame({"answer": answer})
        except Refused as refusal:
            return to_frame({"refused": refusal.document()})
        except Exception:
            # A defect of ours. The peer learns that, the log learns what, and the journal decides
            # what was done: nothing that is not in it has happened.
            log.exception("a request failed")
            broken = refused(Code.FAILED, role="process", detail="a fault of ours; see its log")
            return to_frame({"refused": broken.document()})


def _remove_socket(path: str) -> None:
    """Remove what a killed process left; the journal's lock keeps two from serving at once."""
    Path(path).unlink(missing_ok=True)


def _peer(listener: Listener, writer: asyncio.StreamWriter) -> str | None:
    if listener.credentials is None:
        return LOCAL
    secured = writer.get_extra_info("ssl_object")
    return listener.credentials.peer_name(secured.getpeercert(binary_form=True))
