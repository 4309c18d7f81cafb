"""Sell, replay, void: a writer's first minutes, through the API of the demonstration house.

    make run                      # in one terminal
    python3 docs/try_it.py        # in another

It needs nothing but Python. What it sells is real for the demonstration house: look at it with
`keno books` and `keno log verify`. It works at a station that no browser has enrolled, as a writer
who has no drawer open elsewhere; it tries the last station first and leaves B1 to you.
"""

import json
import sys
import time
import uuid
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "var" / "demo.json"
NUMBER_DIGITS = 11  # of a scanned ticket; behind them stands the code
WRITERS = ("walt", "wanda", "sue")  # a keno manager may sell as well
COUNTS_TOO = "sam"  # two people count a drawer
BANK = {"currency": {"10000": 5}, "coin": {"25": 80}}  # five hundreds and eighty quarters
BANK_CENTS, COIN_CENTS = 52_000, 2_000
TOO_LATE = ("ticket.game_locked", "game.closed")  # to void: its first game is locked
WAIT_SECONDS, WAIT_TRIES = 0.2, 300
TENDER = [{"kind": "currency", "cents": 2_000}]
REQUEST = {"groups": [[4, 8, 15, 16], [23, 42, 7, 9]], "conditioning": "2/4 1/8 @ 1.00"}
open_address = build_opener(ProxyHandler({})).open  # never by a proxy: the house is on this machine


class RefusedError(Exception):
    """The house refused an act."""

    def __init__(self, path: str, problem: dict[str, Any]) -> None:
        super().__init__(f"{path}: {problem['title']} [{problem['code']}]")
        self.code = problem["code"]


class Station:
    """A work station: it enrols once, and gives every act a request id of its own."""

    def __init__(self, house: dict[str, Any], code: str, enrolment: str) -> None:
        self._address = f"{house['address']}/api/v1"
        self._headers = {"Content-Type": "application/json"}
        self._enrolment = {"code": code, "enrolment": enrolment}
        self._token = DEMO.parent / f"station-{code}.token"
        self.code = code

    def enrol(self) -> None:
        """Enrol with the one-time code, if this script has not enrolled it before."""
        if not self._token.exists():
            enrolled = self.ask("stations/enrol", self._enrolment)
            self._token.touch(mode=0o600)
            self._token.write_text(enrolled["station_token"])
        self._headers["X-Station"] = self._token.read_text()

    def forget(self) -> None:
        """Forget the token: the station was enrolled again elsewhere."""
        self._token.unlink()
        del self._headers["X-Station"]

    def sign_in(self, name: str, secret: str) -> None:
        """Sign a person in here."""
        self._headers.pop("Authorization", None)
        signed_in = self.ask("sign-in", {"name": name, "secret": secret})
        self._headers["Authorization"] = f"Bearer {signed_in['token']}"

    def ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask for an act under a new request id, or read if there is no body."""
        headers = self._headers | {"Idempotency-Key": str(uuid.uuid4())}
        data = None if body is None else json.dumps(body).encode()
        try:
            with open_address(Request(f"{self._address}/{path}", data, headers)) as answer:  # noqa: S310  loopback
                return dict(json.load(answer))
        except HTTPError as refused:
            raise RefusedError(path, json.load(refused)) from None


def find_station(house: dict[str, Any], secrets: dict[str, str]) -> Station:
    """Return a station that this script has enrolled before, or can enrol; the last one first."""
    for place in reversed(house["stations"]):
        station = Station(house, **place)
        for _ in range(2):
            try:
                station.enrol()
                station.sign_in(COUNTS_TOO, secrets[COUNTS_TOO])
            except RefusedError as refused:
                if refused.code != "station.not_enrolled":
                    break
                station.forget()
            else:
                return station
    raise SystemExit(
        "Browsers have enrolled every station. Sign in as ada in one of them, have S1 enrolled "
        "again under People, and give this script its new code: docs/try_it.py S1 CODE"
    )


def open_drawer(station: Station, secrets: dict[str, str]) -> int:
    """Sign a writer in who has no drawer open elsewhere, and open one; return its number."""
    for name in WRITERS:
        try:
            station.sign_in(name, secrets[name])
            left_behind = station.ask("desk")["drawer"]
            if left_behind is not None:
                close_left_behind(station, left_behind, secrets)
            opened = station.ask("drawers", {"counted": BANK, "verifier": second(secrets)})
        except RefusedError as refused:
            print(f"{name} cannot open a drawer at {station.code}: {refused}")
        else:
            cents = opened["opening_cents"]
            print(
                f"Drawer {opened['drawer']} of {name} is open at {station.code} with {cents} cents."
            )
            return int(opened["drawer"])
    raise SystemExit(f"No writer can open a drawer at {station.code}; close those that are open.")


def close_left_behind(station: Station, drawer: int, secrets: dict[str, str]) -> None:
    """Close the drawer of an earlier run of this script that was interrupted, and explain it."""
    counted = {"counted": BANK, "verifier": second(secrets)}
    closed = station.ask(f"drawers/{drawer}/close", counted)
    if closed["over_short_cents"]:
        words = {"words": "an interrupted run of docs/try_it.py, whose cash no one counted"}
        station.ask(f"drawers/{drawer}/explain", words)
    print(f"Drawer {drawer}, left open by an earlier run, is closed.")


def second(secrets: dict[str, str]) -> dict[str, str]:
    """Return the name and password of the second person who counts."""
    return {"name": COUNTS_TOO, "secret": secrets[COUNTS_TOO]}


def sell(station: Station, source: object, request: dict[str, Any]) -> dict[str, Any]:
    """Sell a ticket for the open game; wait for the next game if this one closes meanwhile."""
    sale = {"series": "M", "source": source, "request": request, "tender": TENDER}
    for _ in range(WAIT_TRIES):
        try:
            return station.ask("tickets", sale)
        except RefusedError as refused:
            if not refused.code.startswith("game."):
                raise
            time.sleep(WAIT_SECONDS)
    raise SystemExit("No game opened; is the caller running?")


def replay_and_void(house: dict[str, Any], station: Station, number: int) -> int:
    """Replay a ticket, void the replay, and return the cents that stay in the drawer.

    A game that closes between the two keeps its ticket: then another replay is sold and voided.
    """
    stays = 0
    while True:
        again = sell(station, {"ticket": number}, {"games": 5})
        games = f"{again['first_game']} to {again['last_game']}"
        print(f"Ticket {again['printed_number']}: the same for games {games}.")
        code = code_on_paper(house, station.code, again["number"])
        void = {"code": code, "reason": "the patron changed his mind"}
        try:
            back = station.ask(f"tickets/{again['number']}/void", void)
        except RefusedError as refused:
            if refused.code not in TOO_LATE:
                raise
            print(f"Its game closed meanwhile: {refused}")
            stays += int(again["price_cents"])
        else:
            print(f"Ticket {again['printed_number']} is void: {back['back_cents']} cents go back.")
            return stays


def code_on_paper(house: dict[str, Any], station: str, number: int) -> str:
    """Read the validation code off the ticket that was printed, as a scanner does."""
    for _ in range(WAIT_TRIES):
        papers = read(f"{house['printer']}papers.json")[station]
        for paper in range(papers, 0, -1):
            scan = read(f"{house['printer']}{station}/{paper}.json")["scan"] or ""
            if scan and int(scan[:NUMBER_DIGITS]) == number:
                return str(scan[NUMBER_DIGITS:])
        time.sleep(WAIT_SECONDS)
    raise SystemExit(f"ticket {number} was not printed")


def read(address: str) -> dict[str, Any]:
    """Return the JSON document at an address."""
    with open_address(address) as answer:
        return dict(json.load(answer))


def wait_for(house: dict[str, Any]) -> None:
    """Wait until the house answers."""
    for _ in range(WAIT_TRIES):
        try:
            open_address(f"{house['address']}/readyz").close()
        except (OSError, HTTPException):
            time.sleep(WAIT_SECONDS)
        else:
            return
    raise SystemExit(f"nothing answers at {house['address']}; is `make run` running?")


def main() -> None:
    """Open a drawer, sell, replay, void, close the drawer."""
    if not DEMO.exists():
        raise SystemExit("there is no house yet; `make run` starts one")
    house = json.loads(DEMO.read_text())
    if len(sys.argv) == len(("script", "station", "code")):
        house["stations"] = [{"code": sys.argv[1], "enrolment": sys.argv[2]}]
    wait_for(house)
    secrets = {user["name"]: user["secret"] for user in house["users"]}
    station = find_station(house, secrets)
    drawer = open_drawer(station, secrets)
    sold = sell(station, "request", REQUEST)
    print(f"Ticket {sold['printed_number']}: {sold['conditioning']}, {sold['price_cents']} cents.")
    stays = replay_and_void(house, station, sold["number"])
    picked = sell(station, "quick-pick", {"quick_pick": 8, "conditioning": "1/8 @ 1.00"})
    print(f"Ticket {picked['printed_number']}: the computer picked {picked['numbers'][0]}.")
    cents = BANK_CENTS + stays + int(sold["price_cents"]) + int(picked["price_cents"])
    counted = {"currency": cents - COIN_CENTS, "coin": COIN_CENTS}
    closing = {"counted": counted, "verifier": second(secrets)}
    closed = station.ask(f"drawers/{drawer}/close", closing)
    print(f"The drawer is closed; over or short: {closed['over_short_cents']} cents.")


if __name__ == "__main__":
    try:
        main()
    except RefusedError as refused:
        raise SystemExit(str(refused)) from None
