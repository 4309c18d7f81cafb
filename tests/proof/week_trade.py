"""The trade of the week: writers who do all that writers do, boards that listen, one who watches.

Writers are stations of the drill: what they ask and are told is written down, and compared with the
database in the end. They know their drawer as a writer does, by what they took and gave; every
count must be right to the cent.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

from printers.reader import Reader
from tests.drill.house import MAX, SAM, secret_of
from tests.drill.paper import Tray
from tests.drill.stations import Document, Floor, Line, Station
from tests.proof.selling_days import request
from tests.proof.week_house import SERIES

NAME_DIGITS = 6  # of a paper's file
BANK_CENTS = 1_000_000
TENDERED_CENTS = 20_000  # more than any ticket of the week costs
KEPT = 30  # tickets that a station remembers, to void, refund, play again or pay them
BRING, VOID, REFUND, REPLAY, WRONG, TURN = 0.5, 0.1, 0.1, 0.15, 0.04, 0.005  # how often
ANYWHERE_SECONDS = 30
WATCHED = ("/readyz", "/metrics", "/results.json", "/board/M", "/board/F/now.json", "/results")
WATCH_SECONDS = 2.0
LOCKING = {"reason": "the next one"}
# What no house does: each is refused, and leaves nothing behind.
WRONGS: tuple[tuple[str, Any], ...] = (
    ("/tickets", "no document"),
    ("/tickets", {"series": "M"}),
    ("/tickets", {"series": "Z", "source": "request", "request": {}, "tender": []}),
    ("/tickets/1/pay", {"code": "0" * 25}),
    ("/tickets/999999999/void", {"code": "0" * 25, "reason": "none"}),
    ("/drawers/1/close", {"counted": {"currency": -1}}),
)


@dataclass
class Papers(Tray):
    """The tray of printers that keep every paper as a file of its own."""

    _next: "Counter[Path]" = field(default_factory=Counter)

    def look(self) -> None:
        """Read what came since."""
        for roll in self.rolls:
            while (paper := roll / f"{self._next[roll] + 1:0{NAME_DIGITS}}.bin").exists():
                self._cut(list(Reader().read(paper.read_bytes())))
                self._next[roll] += 1


@dataclass
class WeekFloor(Floor):
    """What all stations share, for games of several series."""

    drawn: set[tuple[str, int]] = field(default_factory=set)
    official: set[tuple[str, int]] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)  # whatever should not have been
    boards: list["Board"] = field(default_factory=list)

    def watch_results(self) -> None:
        """Ask for what browsers and whoever watches the machines ask for, as long as it goes on."""
        while not self.ended.wait(WATCH_SECONDS):
            with closing(HTTPConnection(*self.address, timeout=ANYWHERE_SECONDS)) as line:
                for path in WATCHED:
                    line.request("GET", path)
                    answer = line.getresponse()
                    answer.read()
                    if answer.status != HTTPStatus.OK:
                        self.wrong.append(f"{path} was answered {answer.status}")


@dataclass(frozen=True)
class Ticket:
    """A ticket that a patron of this station holds."""

    number: int
    series: str
    first_game: int
    last_game: int


class Writer(Station):
    """A writer at a station, with a drawer."""

    def __init__(self, floor: WeekFloor, code: str, seed: int) -> None:
        super().__init__(floor, code, seed)
        self._week = floor
        self._tickets: list[Ticket] = []
        self._drawer = 0
        self._cash_cents = 0

    def enrol(self, enrolment: str) -> None:
        """Make the station known to the house."""
        told = self._sure("/stations/enrol", {"code": self.code, "enrolment": enrolment})
        self._line.headers["X-Station"] = told["station_token"]

    def come(self) -> None:
        """Sign in, and open a drawer."""
        self._line.close()  # nobody keeps a line for whole nights
        self._line.headers.pop("Authorization", None)
        name = f"Writer {self.code}"
        told = self._sure("/sign-in", {"name": name, "secret": secret_of(name)})
        self._line.headers["Authorization"] = f"Bearer {told['token']}"
        self._open_drawer()

    def go(self) -> None:
        """Close the drawer, and sign out."""
        self._close_drawer()
        self._sure("/sign-out", {})

    def _open_drawer(self) -> None:
        count = {"counted": {"currency": BANK_CENTS}, "verifier": _person(MAX)}
        opened = self._ask("open", "/drawers", count)
        if opened.is_done and opened.answer is not None:
            self._drawer, self._cash_cents = opened.answer["drawer"], BANK_CENTS
        else:
            self._week.wrong.append(f"{self.code} has no drawer: {opened.answer}")

    def _close_drawer(self) -> None:
        count = {"counted": {"currency": self._cash_cents}, "verifier": _person(MAX)}
        closed = self._ask("close", f"/drawers/{self._drawer}/close", count)
        if closed.answer is None or closed.answer.get("over_short_cents") != 0:
            self._week.wrong.append(f"the drawer of {self.code} was closed with {closed.answer}")

    # ---- acts ------------------------------------------------------------------------------------

    def _next(self) -> None:
        """Do one act: what a patron brings, or a sale."""
        chance = self._chance.random
        if chance() < TURN:
            self._close_drawer()
            self._open_drawer()
        elif chance() < WRONG:
            self._do_wrong()
        elif chance() < BRING and (ticket := self._decided()) is not None:
            self._bring(ticket)
        elif chance() < REFUND and (ticket := self._half_played()) is not None:
            self._give_back(ticket, "refund")
        else:
            self._sell()

    def _sell(self) -> None:
        series = self._chance.choice(list(SERIES))
        body: Document = {
            "series": series,
            "tender": [{"kind": "currency", "cents": TENDERED_CENTS}],
        }
        if self._tickets and self._chance.random() < REPLAY:
            body["source"] = {"ticket": self._chance.choice(self._tickets).number}
        else:
            body |= _request(self._chance)
        act = self._ask("sell", "/tickets", body)
        if act.is_done and act.answer is not None:
            told = act.answer
            self._cash_cents += told["price_cents"]
            ticket = Ticket(told["number"], series, told["first_game"], told["last_game"])
            self._tickets.append(ticket)
            del self._tickets[:-KEPT]
            if self._chance.random() < VOID:
                self._give_back(ticket, "void")
        else:
            self._week.wrong.append(f"a sale was answered {act.answer}")

    def _half_played(self) -> Ticket | None:
        """Return a ticket that has been played in part, and whose paper is in hand."""
        for ticket in self._tickets:
            began = (ticket.series, ticket.first_game) in self._week.drawn
            ended = (ticket.series, ticket.last_game) in self._week.drawn
            if began and not ended and ticket.number in self._floor.tray.codes:
                return ticket
        return None

    def _decided(self) -> Ticket | None:
        """Return a ticket whose games are all official, and whose paper is in hand."""
        for ticket in self._tickets:
            is_over = (ticket.series, ticket.last_game) in self._week.official
            if is_over and ticket.number in self._floor.tray.codes:
                return ticket
        return None

    def _bring(self, ticket: Ticket) -> None:
        """Have a ticket looked at, and paid if it has won anything."""
        self._tickets.remove(ticket)
        code = {"code": self._floor.tray.codes[ticket.number]}
        place = f"/tickets/{ticket.number}"
        try:
            status, shown = self._line.ask("POST", f"/api/v1{place}/present", code)
        except (OSError, HTTPException):
            self._tickets.append(ticket)  # the line was let go of; the patron waits
            return
        if status != HTTPStatus.OK:
            if shown.get("code") != "ticket.no_win":
                self._week.wrong.append(f"ticket {ticket.number} was presented: {shown}")
            return
        for paper in shown["papers"]:
            patron = {"name": "Pat Patron", "taxpayer_number": "000-00-0000"}
            self._ask("tax", f"{place}/tax-paper", {"game": paper["game"], **patron, **code})
        needs = [need["code"] for need in shown["needs"]]
        people = {"approval.needed": ("approval", SAM), "approval.manager_needed": ("manager", MAX)}
        given = {field: _person(name) for need, (field, name) in people.items() if need in needs}
        paid = self._ask("pay", f"{place}/pay", {**code, **given})
        if paid.answer is not None and paid.answer.get("code") == "drawer.not_enough_cash":
            check = {"number": f"WEEK-{ticket.number}", "payee": "Pat Patron"}
            paid = self._ask("pay", f"{place}/pay", {**code, **given, "check": check})
        if paid.is_done and paid.answer is not None:
            in_cash = paid.answer["win_cents"] if paid.answer["paid_by"] == "cash" else 0
            self._cash_cents -= in_cash + paid.answer["refund_cents"]
        else:
            self._week.wrong.append(f"a payment was answered {paid.answer}")

    def _give_back(self, ticket: Ticket, kind: str) -> None:
        """Void a ticket before its first game is locked, or refund the rest of a longer one.

        Games are short here: whose paper is still in the printer has a supervisor approve.
        """
        code = self._floor.tray.codes.get(ticket.number)
        body = {"reason": "changed mind"} | (
            {"approval": _person(SAM)} if code is None else {"code": code}
        )
        act = self._ask(kind, f"/tickets/{ticket.number}/{kind}", body)
        if act.is_done and act.answer is not None:  # else the game was locked meanwhile
            self._cash_cents -= act.answer["back_cents"]
            self._tickets.remove(ticket)

    def _do_wrong(self) -> None:
        """Ask for what is refused."""
        path, body = self._chance.choice(WRONGS)
        act = self._ask("wrong", path, body)
        if act.is_done:
            self._week.wrong.append(f"{path} with {body} was done")


def _request(chance: Random) -> Document:
    """Return a sale of some kind, of one game or more."""
    asked = request(chance)
    told: Document = {"conditioning": asked.conditioning, "games": asked.games}
    if asked.quick_pick is not None:
        return {"source": "quick-pick", "request": {**told, "quick_pick": asked.quick_pick}}
    return {"source": "request", "request": {**told, "groups": asked.groups}}


def _person(name: str) -> Document:
    return {"name": name, "secret": secret_of(name)}


class Board(threading.Thread):
    """A board that listens to the feed; one that comes and goes names the last that it heard."""

    def __init__(self, floor: WeekFloor, feed: tuple[str, int], stays: int | None) -> None:
        super().__init__(daemon=True)
        self.heard: dict[str, list[tuple[str, int]]] = {"drawn": [], "certified": []}
        self._floor = floor
        self._feed = feed
        self._stays = stays  # for how many games, before it comes again
        self._last = ""

    def run(self) -> None:
        """Listen until the week is over."""
        while not self._floor.ended.is_set():
            with suppress(OSError, HTTPException):
                self._listen()

    def _listen(self) -> None:
        games = 0
        line = HTTPConnection(*self._feed, timeout=ANYWHERE_SECONDS)
        headers = {"Last-Event-ID": self._last} if self._last else {}
        with closing(line):
            line.request("GET", "/events", headers=headers)
            for kind, name, facts in _events(iter(line.getresponse())):
                self._last = name or self._last
                if kind in self.heard:
                    self._hear(kind, (facts["series"], facts["game"]))
                    games += kind == "certified"
                if self._floor.ended.is_set() or games == self._stays:
                    return

    def _hear(self, kind: str, game: tuple[str, int]) -> None:
        self.heard[kind].append(game)
        (self._floor.drawn if kind == "drawn" else self._floor.official).add(game)


def _events(lines: Iterator[bytes]) -> Iterator[tuple[str, str, Document]]:
    """Yield kind, id and facts of every event of a feed."""
    event: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            event[name] = value
        elif "data" in event:
            yield event["event"], event.get("id", ""), json.loads(event["data"])
            event = {}


@dataclass(frozen=True)
class Closing:
    """What became of the close of a day."""

    is_closed: bool
    code: str | None  # of the refusal


class Supervisor:
    """The supervisor at the desk: has games locked, one after the other, and closes days."""

    def __init__(self, floor: WeekFloor, enrolment: str, desk: str) -> None:
        self._floor = floor
        self._headers: dict[str, str] = {}
        told = self._sure("/stations/enrol", {"code": desk, "enrolment": enrolment})
        self._headers = {"X-Station": told["station_token"]}

    def come(self, name: str = SAM) -> None:
        """Sign in."""
        self._headers.pop("Authorization", None)
        told = self._sure("/sign-in", {"name": name, "secret": secret_of(name)})
        self._headers["Authorization"] = f"Bearer {told['token']}"

    def play(self, series: str, first: int, last: int) -> None:
        """Have games locked, each as soon as the one before it is drawn."""
        with closing(self._line()) as line:
            for game in range(first, last + 1):
                while (series, game - 1) not in self._floor.drawn and game > SERIES[series]:
                    time.sleep(0.01)
                status, told = line.ask("POST", f"/api/v1/games/{series}/{game}/lock", LOCKING)
                if status != HTTPStatus.OK:
                    self._floor.wrong.append(f"{series}-{game} was not locked: {told}")
                    return

    def close_day(self, day: str) -> Closing:
        """Close a gaming day, whose list a manager signs first if it is not empty."""
        status, told = self._closed(day)
        if told.get("code") == "day.not_reviewed":
            self.come(MAX)
            self._sure(f"/days/{day}/review", {})
            self.come()
            status, told = self._closed(day)
        return Closing(status == HTTPStatus.OK, told.get("code"))

    def _closed(self, day: str) -> tuple[int, Document]:
        with closing(self._line()) as line:
            return line.ask("POST", f"/api/v1/days/{day}/close", {})

    def _line(self) -> Line:
        line = Line(self._floor.address)
        line.headers |= self._headers
        return line

    def _sure(self, path: str, body: Document) -> Document:
        with closing(self._line()) as line:
            status, told = line.ask("POST", f"/api/v1{path}", body)
        assert status == HTTPStatus.OK, told
        return told
