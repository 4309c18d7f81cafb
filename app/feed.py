"""The live feed for boards and stations: server-sent events, from a small process of its own.

A WSGI server's threads must not be held by listeners, so this process does nothing else: it looks
into the database a few times a second and tells everyone who listens. Every event has an id; who
was away names the last one it saw, and gets what it missed. A drawn game is told number by number,
as they were selected (15.5(f)).
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from app.clock import time_text
from app.flow.held import is_held
from app.flow.office import Office
from app.logs import Voice
from app.store.queries import games, house, running
from app.store.queries.running import EventRow

log = Voice("keno.feed")

LOOK_SECONDS = 0.2
NOT_LOOKED_SECONDS = 5.0  # without the database, after which another feed is to be asked
REQUEST_SECONDS = 10
REQUEST_BYTES = 8192
BEHIND_MOST = 1000  # events that a listener may be behind before it is let go, to come again
LISTENERS_MOST = 2000
ID_DIGITS = 18
EVENTS, READY = "/events", "/ready"
HEAD = (
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
    "Access-Control-Allow-Origin: *\r\nX-Content-Type-Options: nosniff\r\n"
    "Connection: close\r\n\r\nretry: 2000\n\n"
)


Told = tuple[str, str]
"""An id, empty where there is none, and the text that goes out under it."""


def event_texts(event: EventRow) -> Iterator[Told]:
    """Yield an event as it goes out: a drawn game as its numbers, one by one, and then itself."""
    about = {
        "series": event.series,
        "game": event.game,
        "at": time_text(event.happened_at),
        **event.facts,
    }
    numbers = event.facts.get("numbers")
    if isinstance(numbers, list):
        for place, number in enumerate(numbers, start=1):
            ball = {"series": event.series, "game": event.game, "place": place}
            name = f"{event.id}.{place}"
            yield name, _text(name, "number", {**ball, "number": number})
    yield str(event.id), _text(str(event.id), event.kind, about)


def _order(name: str) -> tuple[int, int]:
    """Return where an id stands; a game's own event comes after all of its numbers."""
    number, _, place = name.partition(".")
    if not number.isdecimal() or (place and not place.isdecimal()) or len(name) > ID_DIGITS:
        return 0, 0
    return int(number), int(place) if place else 10**6


def _text(name: str | None, kind: str, facts: dict[str, object]) -> str:
    data = json.dumps(facts, separators=(",", ":"), sort_keys=True)
    return (f"id: {name}\n" if name else "") + f"event: {kind}\ndata: {data}\n\n"


@dataclass
class Feed:
    """One feed: what was read last, and who listens."""

    office: Office
    last: int = 0
    told: Callable[[int], None] = lambda _listeners: None  # how many listen now
    _listeners: set["asyncio.Queue[Told | None]"] = field(default_factory=set)
    _looked: float = 0.0  # when it last saw the database, by the clock of its loop

    async def serve(
        self, host: str, port: int, stop: asyncio.Event, tls: ssl.SSLContext | None = None
    ) -> None:
        """Listen and tell until told to stop; over TLS, if whoever asks is on another machine."""
        self.last = await asyncio.to_thread(self._newest)
        self._looked = asyncio.get_running_loop().time()
        server = await asyncio.start_server(self._answer, host, port, limit=REQUEST_BYTES, ssl=tls)
        looking = asyncio.create_task(self._look())
        async with server:
            await stop.wait()
            looking.cancel()
            for listener in self._listeners:
                listener.put_nowait(None)

    # ---- looking ---------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Look for what is new, and tell it; once a second also how long the open games are.

        In a thread of its own: many who catch up with what they missed hold up nobody else.
        """
        loop, second = asyncio.get_running_loop(), 0.0
        own = ThreadPoolExecutor(1)
        try:
            while True:
                try:
                    news = await loop.run_in_executor(own, self._new_texts)
                    if loop.time() - second >= 1:
                        second = loop.time()
                        news += await loop.run_in_executor(own, self._seconds_left)
                    self._looked = loop.time()
                except Exception:
                    # The database is away: whoever listens waits, and nothing is missed by it.
                    log.exception("feed.not_looked")
                    news = []
                for told in news:
                    for listener in list(self._listeners):
                        self._tell(listener, told)
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            own.shutdown(wait=False)

    def _tell(self, listener: "asyncio.Queue[Told | None]", told: Told) -> None:
        if listener.qsize() < BEHIND_MOST:
            listener.put_nowait(told)
            return
        # It is let go behind what it has: it comes again, and names the last that it saw.
        self._listeners.discard(listener)
        listener.put_nowait(None)

    def _new_texts(self) -> list[Told]:
        with self.office.database.reading() as connection:
            new = running.events_after(connection, self.last)
        if new:
            self.last = new[-1].id
        return [told for event in new for told in event_texts(event)]

    def _missed(self, seen: str) -> list[Told]:
        # From the event itself on: of a drawn game only a part may have been seen.
        with self.office.database.reading() as connection:
            missed = running.events_after(connection, max(_order(seen)[0] - 1, 0), BEHIND_MOST)
        told = (told for event in missed for told in event_texts(event))
        return [(name, text) for name, text in told if _order(name) > _order(seen)]

    def _newest(self) -> int:
        with self.office.database.reading() as connection:
            return running.newest_event(connection)

    def _seconds_left(self) -> list[Told]:
        """Say how long each open game is still sold for (15.5(c))."""
        now = self.office.now()
        texts = []
        with self.office.database.reading() as connection:
            for code in house.series_codes(connection):
                game = games.open_game(connection, code)
                if game is None:
                    continue
                left = None
                if game.sells_until is not None:
                    left = max(0, int((game.sells_until - now).total_seconds()))
                facts = {"series": code, "game": game.number, "seconds": left}
                held = {"held": is_held(connection, code, game), "held_why": game.held_why}
                texts.append(("", _text(None, "left", {**facts, **held})))
        return texts

    # ---- listeners -------------------------------------------------------------------------------

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status = self._status(head)
            if status is not HTTPStatus.OK or _path(head) == READY:
                writer.write(_only(status))
            else:
                async for text in self._told(_last_seen(head)):
                    writer.write(text.encode())
                    await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # whoever it was has gone, or never was a listener
        finally:
            writer.close()

    def _status(self, head: str) -> HTTPStatus:
        line = head.split("\r\n", 1)[0].split(" ")
        if len(line) != 3 or line[0] != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED
        if _path(head) == READY:
            return HTTPStatus.OK if self._is_ready() else HTTPStatus.SERVICE_UNAVAILABLE
        if _path(head) != EVENTS:
            return HTTPStatus.NOT_FOUND
        if len(self._listeners) >= LISTENERS_MOST:
            return HTTPStatus.SERVICE_UNAVAILABLE
        return HTTPStatus.OK

    def _is_ready(self) -> bool:
        """Whether it sees what happens; one that hangs in a look does not."""
        return asyncio.get_running_loop().time() - self._looked < NOT_LOOKED_SECONDS

    async def _told(self, seen: str) -> AsyncIterator[str]:
        listener: asyncio.Queue[Told | None] = asyncio.Queue()
        self._listeners.add(listener)
        self.told(len(self._listeners))
        try:
            yield HEAD
            if seen:
                while missed := await asyncio.to_thread(self._missed, seen):
                    for name, text in missed:
                        yield text
                        seen = name
            while (told := await listener.get()) is not None:
                # What came meanwhile may have been among what was missed.
                if not told[0] or _order(told[0]) > _order(seen):
                    yield told[1]
        finally:
            self._listeners.discard(listener)
            self.told(len(self._listeners))


def _path(head: str) -> str:
    """Return what is asked for, without what stands behind it."""
    line = head.split("\r\n", 1)[0].split(" ")
    return line[1].split("?", 1)[0]


def _last_seen(head: str) -> str:
    """Return the id that a listener names, in its header or, the first time, in its address."""
    for line in head.split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.lower() == "last-event-id":
            return value.strip()
    _, _, query = head.split(" ", 2)[1].partition("?")
    wanted = [part.removeprefix("after=") for part in query.split("&") if part.startswith("after=")]
    return wanted[0] if wanted else ""


def _only(status: HTTPStatus) -> bytes:
    """Return an answer that is a status and nothing else."""
    body = json.dumps({"title": status.phrase, "status": status.value}).encode()
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/problem+json\r\n"
    return f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body


def exchange_certificate(
    context: ssl.SSLContext, file: Path, authorities: Path | None = None
) -> None:
    """Read a certificate and its key anew; if they cannot be used, those that there are stay.

    New authorities count from now on; one that was retired does until the process is started again.
    """
    names = file, file.with_suffix(".key")
    trial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    for each in (trial, context):
        try:
            each.load_cert_chain(*names)
            if authorities is not None:
                each.load_verify_locations(authorities)
        except OSError as trouble:
            log.warning("certificate.not_used", why=str(trouble))
            return
