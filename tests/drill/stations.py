"""Stations that sell, void and pay through HTTP, and write down all that they ask and are told.

A station whose act gets no answer, or none that says what became of it, asks again with the same
request id until it is told. It never gives up, and never makes a second act of it. If it is refused
behind an answer that was lost, it has the id settled: what it asked first may still be on its way.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

from tests.drill.house import SERIES
from tests.drill.paper import Tray

PATIENCE_SECONDS = 15.0  # of the writer's page
AGAIN_SECONDS = 0.5
THINK_SECONDS = (0.3, 0.9)
KEPT = 40  # tickets that a station remembers, to void or pay them
VOID_SHARE, SECOND_GAME_SHARE = 0.15, 0.1
SPOTS = 80
SCREENS = 40  # more than the threads of both web nodes together
SCREEN_SECONDS = 10.0  # a page asks more often by itself; this machine is small

Document = dict[str, Any]


@dataclass
class Act:
    """One act: what was asked, and what was told."""

    station: str
    request: str
    kind: str
    path: str
    body: Document
    asked_at: float
    tries: int = 0
    status: int | None = None  # of the answer that says what became of it
    answer: Document | None = None
    told_at: float | None = None
    no_answer: list[str] = field(default_factory=list)  # what came in place of one

    @property
    def is_done(self) -> bool:
        """Whether the station was told that it was done."""
        return self.status is not None and self.status < 400

    @property
    def was_unknown(self) -> bool:
        """Whether there was a time when the station did not know."""
        return bool(self.no_answer)


@dataclass
class Floor:
    """What all stations share: the paper, the results, when they work."""

    address: tuple[str, int]
    tray: Tray
    journals: Path
    selling: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    results: dict[int, frozenset[int]] = field(default_factory=dict)  # of games that are payable
    acts: list[Act] = field(default_factory=list)

    def watch_results(self) -> None:
        """Read which games are payable, as a board does."""
        while not self.ended.wait(1.0):
            with suppress(OSError, HTTPException, ValueError):
                status, told = Line(self.address).ask("GET", "/results.json")
                for game in told["games"] if status == 200 else ():
                    if game["state"] == "certified":
                        self.results[int(game["game"])] = frozenset(game["numbers"])


class Line:
    """A connection to the house, made anew after each failure."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._address = address
        self.headers = {"Content-Type": "application/json"}
        self._connection: HTTPConnection | None = None

    def ask(
        self, method: str, path: str, body: Document | None = None, request: str | None = None
    ) -> tuple[int, Document]:
        """Ask once.

        Raises:
            OSError, HTTPException, ValueError: there was no answer, or not one of the house.
        """
        headers = self.headers | ({"Idempotency-Key": request} if request else {})
        status, answer = self._sent(
            method, path, None if body is None else json.dumps(body), headers
        )
        try:
            return status, json.loads(answer)
        except ValueError:
            self.close()
            raise

    def look(self, path: str) -> int:
        """Look at a page; return its status.

        Raises:
            OSError, HTTPException: there was no answer.
        """
        return self._sent("GET", path, None, self.headers)[0]

    def _sent(
        self, method: str, path: str, data: str | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = HTTPConnection(*self._address, timeout=PATIENCE_SECONDS)
        try:
            self._connection.request(method, path, data, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, HTTPException):
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@dataclass
class Held:
    """A ticket that a patron of this station holds."""

    number: int
    first_game: int
    last_game: int
    spot: int


class Station:
    """One station and its writer."""

    def __init__(self, floor: Floor, code: str, seed: int) -> None:
        self.code = code
        self.is_idle = threading.Event()
        self.is_idle.set()
        self._floor = floor
        self._line = Line(floor.address)
        self._chance = Random(seed)  # noqa: S311  the same acts in each drill
        self._count = 0
        self._held: list[Held] = []
        self._journal = (floor.journals / f"{code}.jsonl").open("a")

    def open(self, enrolment: str, name: str, secret: str, verifier: Document) -> None:
        """Enrol, sign the writer in, and open a drawer."""
        told = self._sure("/stations/enrol", {"code": self.code, "enrolment": enrolment})
        self._line.headers["X-Station"] = told["station_token"]
        told = self._sure("/sign-in", {"name": name, "secret": secret})
        self._line.headers["Authorization"] = f"Bearer {told['token']}"
        bank = {"currency": {"10000": 50}, "coin": {"25": 80}}
        self._ask("drawer", "/drawers", {"counted": bank, "verifier": verifier})

    def _sure(self, path: str, body: Document) -> Document:
        status, told = self._line.ask("POST", f"/api/v1{path}", body)
        if status >= 400:
            raise RuntimeError(f"{self.code}: {path} was answered {told}")
        return told

    def run(self) -> None:
        """Work whenever the house sells, until the drill ends."""
        while not self._floor.ended.is_set():
            if not self._floor.selling.wait(0.2):
                continue
            self.is_idle.clear()
            while self._floor.selling.is_set():
                self._next()
                time.sleep(self._chance.uniform(*THINK_SECONDS))
            self.is_idle.set()
        self._journal.close()
        self._line.close()

    def _next(self) -> None:
        """Do one act: pay who has won, void now and then, else sell."""
        for ticket in list(self._held):
            numbers = self._floor.results.get(ticket.last_game)
            if numbers is not None:
                self._held.remove(ticket)
                code = self._floor.tray.codes.get(ticket.number)
                games = range(ticket.first_game, ticket.last_game + 1)
                won = any(ticket.spot in self._floor.results.get(each, ()) for each in games)
                if won and code is not None:
                    self._ask("pay", f"/tickets/{ticket.number}/pay", {"code": code})
                    return
        if self._held and self._chance.random() < VOID_SHARE:
            ticket = self._held[-1]
            code = self._floor.tray.codes.get(ticket.number)
            if code is not None:
                self._held.remove(ticket)
                body = {"code": code, "reason": "changed mind"}
                self._ask("void", f"/tickets/{ticket.number}/void", body)
                return
        self._sell()

    def _sell(self) -> None:
        spot = self._chance.randint(1, SPOTS)
        request: Document = {"groups": [[spot]], "conditioning": "1/1 @ 1.00"}
        if self._chance.random() < SECOND_GAME_SHARE:
            request["games"] = 2
        tender = [{"kind": "currency", "cents": 500}]
        body = {"series": SERIES, "source": "request", "request": request, "tender": tender}
        act = self._ask("sell", "/tickets", body)
        if act.is_done and act.answer is not None:
            told = act.answer
            self._held.append(
                Held(told["number"], told["first_game"], told["last_game"], spot),
            )
            del self._held[:-KEPT]

    def _ask(self, kind: str, path: str, body: Document) -> Act:
        """Ask for an act, and again in the same way, until it is told what became of it."""
        self._count += 1
        request = f"{self.code}-{kind}-{self._count:06}"
        act = Act(self.code, request, kind, path, body, time.monotonic())
        self._floor.acts.append(act)
        self._note({"asked": request, "path": path, "body": body})
        while act.told_at is None:
            act.tries += 1
            try:
                status, told = self._line.ask("POST", f"/api/v1{path}", body, request)
            except (OSError, HTTPException, ValueError) as trouble:
                act.no_answer.append(type(trouble).__name__)
            else:
                if status < 500 and act.was_unknown and status >= 400:
                    status, told = self._settled(act, status, told)
                if status < 500:
                    act.status, act.answer, act.told_at = status, told, time.monotonic()
                    break
                act.no_answer.append(f"{status} {told.get('code')}")
            time.sleep(AGAIN_SECONDS * self._chance.uniform(0.5, 1.5))
        self._note({"told": request, "status": act.status, "answer": act.answer})
        return act

    def _settled(self, act: Act, status: int, told: Document) -> tuple[int, Document]:
        """Return what an act came to that was refused behind a lost answer."""
        try:
            sure, settled = self._line.ask("POST", "/api/v1/acts/settle", {}, act.request)
        except (OSError, HTTPException, ValueError):
            return 503, {}  # asked for again
        if sure >= 400:
            return 503, settled
        return (200, settled["answer"]) if settled["done"] else (status, told)

    def _note(self, line: Document) -> None:
        self._journal.write(json.dumps({"at": time.time(), **line}) + "\n")
        self._journal.flush()


class Screens:
    """Screens on which supervisors have the floor in view: their page asks by itself."""

    def __init__(self, floor: Floor, code: str, enrolment: str, name: str, secret: str) -> None:
        """Sign a supervisor in, at a station that is for nothing else."""
        self._floor = floor
        self.seen: list[str] = []  # whenever somebody looked: the status, or what came in its place
        line = Line(floor.address)
        for path, body, header, kept in (
            (
                "stations/enrol",
                {"code": code, "enrolment": enrolment},
                "X-Station",
                "station_token",
            ),
            ("sign-in", {"name": name, "secret": secret}, "Authorization", "token"),
        ):
            status, told = line.ask("POST", f"/api/v1/{path}", body)
            if status >= 400:
                raise RuntimeError(f"{code}: {path} was answered {told}")
            line.headers[header] = f"Bearer {told[kept]}" if kept == "token" else told[kept]
        line.close()
        self._headers = line.headers

    @contextmanager
    def on(self) -> Iterator[None]:
        """Have them on."""
        off = threading.Event()
        waits = (SCREEN_SECONDS * place / SCREENS for place in range(SCREENS))  # not all at once
        screens = [threading.Thread(target=self._watch, args=(off, wait)) for wait in waits]
        for screen in screens:
            screen.start()
        try:
            yield
        finally:
            off.set()
            for screen in screens:
                screen.join()

    def _watch(self, off: threading.Event, wait: float) -> None:
        line = Line(self._floor.address)
        line.headers = self._headers
        off.wait(wait)
        while not off.wait(SCREEN_SECONDS):
            try:
                self.seen.append(str(line.look("/supervisor/now")))
            except (OSError, HTTPException) as trouble:
                self.seen.append(type(trouble).__name__)
        line.close()


@dataclass
class Crew:
    """All stations, as threads."""

    floor: Floor
    stations: list[Station]
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Have them at their places."""
        works: Iterator[Callable[[], None]] = iter(
            [*(station.run for station in self.stations), self.floor.watch_results]
        )
        for work in works:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)

    def sell(self) -> None:
        """Begin to sell."""
        self.floor.selling.set()

    def pause(self, seconds: float) -> bool:
        """Sell no more, and wait until every station knows what became of its last act."""
        self.floor.selling.clear()
        end = time.monotonic() + seconds
        return all(each.is_idle.wait(max(0.0, end - time.monotonic())) for each in self.stations)

    def end(self) -> None:
        """Send everybody home."""
        self.floor.selling.clear()
        self.floor.ended.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS * 2)
