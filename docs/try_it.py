"""Sell, replay, void: a writer's first minutes, through the API of the demonstration house.

    make run                      # in one terminal
    python3 docs/try_it.py        # in another

It needs nothing but Python. What it sells is real for the demonstration house: look at it with
`keno books` and `keno log verify`.
"""

import json
import time
import uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "var" / "demo.json"
NUMBER_DIGITS = 11  # of a scanned ticket; behind them stands the code


class Station:
    """A work station: it enrols once, and gives every act a request id of its own."""

    def __init__(self, house: dict[str, object], code: str, enrolment: str) -> None:
        self._address = f"{house['address']}/api/v1"
        self._headers = {"Content-Type": "application/json"}
        kept = DEMO.parent / f"station-{code}.token"
        if not kept.exists():
            enrolled = self.ask("stations/enrol", {"code": code, "enrolment": enrolment})
            kept.touch(mode=0o600)
            kept.write_text(str(enrolled["station_token"]))
        self._headers["X-Station"] = kept.read_text()

    def sign_in(self, name: str, secret: str) -> None:
        """Sign a person in here."""
        signed_in = self.ask("sign-in", {"name": name, "secret": secret})
        self._headers["Authorization"] = f"Bearer {signed_in['token']}"

    def ask(self, what: str, body: dict[str, object]) -> dict[str, object]:
        """Ask for an act under a new request id, and return the answer."""
        headers = self._headers | {"Idempotency-Key": str(uuid.uuid4())}
        data = json.dumps(body).encode()
        question = Request(f"{self._address}/{what}", data, headers)  # noqa: S310  loopback
        try:
            with urlopen(question) as answer:  # noqa: S310  loopback
                return dict(json.load(answer))
        except HTTPError as refused:
            problem = json.load(refused)
            raise SystemExit(f"{what}: {problem['title']} [{problem['code']}]") from None


def code_on_paper(house: dict[str, object], station: str, number: object) -> str:
    """Read the validation code off the ticket that was printed, as a scanner does."""
    for _ in range(600):
        with urlopen(f"{house['printer']}papers.json") as answer:  # noqa: S310  loopback
            papers = json.load(answer)[station]
        for paper in range(papers, 0, -1):
            with urlopen(f"{house['printer']}{station}/{paper}.json") as answer:  # noqa: S310  loopback
                scan = json.load(answer)["scan"] or ""
            if scan and int(scan[:NUMBER_DIGITS]) == number:
                return str(scan[NUMBER_DIGITS:])
        time.sleep(0.1)
    raise SystemExit(f"ticket {number} was not printed")


def wait_for(house: dict[str, object]) -> None:
    """Wait until the house answers."""
    for _ in range(300):
        try:
            urlopen(f"{house['address']}/readyz").close()  # noqa: S310  loopback
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"nobody answers at {house['address']}; is `make run` running?")


def main() -> None:
    """Open a drawer, sell, replay, void, close the drawer."""
    if not DEMO.exists():
        raise SystemExit("there is no house yet; `make run` starts one")
    house = json.loads(DEMO.read_text())
    wait_for(house)
    station = Station(house, **house["stations"][0])
    secrets = {user["name"]: user["secret"] for user in house["users"]}
    station.sign_in("wanda", secrets["wanda"])
    # Two people count a drawer: five hundreds and eighty quarters.
    verifier = {"name": "sam", "secret": secrets["sam"]}
    bank = {"currency": {"10000": 5}, "coin": {"25": 80}}
    drawer = station.ask("drawers", {"counted": bank, "verifier": verifier})
    print(f"Drawer {drawer['drawer']} is open with {drawer['opening_cents']} cents.")

    request = {"groups": [[4, 8, 15, 16], [23, 42, 7, 9]], "conditioning": "2/4 1/8 @ 1.00"}
    tender = [{"kind": "currency", "cents": 2_000}]
    sale = {"series": "M", "source": "request", "request": request, "tender": tender}
    sold = station.ask("tickets", sale)
    print(f"Ticket {sold['printed_number']}: {sold['conditioning']}, {sold['price_cents']} cents.")

    replay = {"series": "M", "source": {"ticket": sold["number"]}, "request": {"games": 5}}
    again = station.ask("tickets", replay | {"tender": tender})
    games = f"{again['first_game']} to {again['last_game']}"
    print(f"Ticket {again['printed_number']}: the same for games {games}.")

    pick = {"quick_pick": 8, "conditioning": "1/8 @ 1.00"}
    quick = sale | {"source": "quick-pick", "request": pick}
    picked = station.ask("tickets", quick)
    print(f"Ticket {picked['printed_number']}: the computer picked {picked['numbers'][0]}.")

    code = code_on_paper(house, house["stations"][0]["code"], again["number"])
    void = {"code": code, "reason": "the patron changed his mind"}
    back = station.ask(f"tickets/{again['number']}/void", void)
    print(f"Ticket {again['printed_number']} is void: {back['back_cents']} cents go back.")

    counted = 52_000 + int(sold["price_cents"]) + int(picked["price_cents"])
    closing = {"counted": {"currency": counted - 2_000, "coin": 2_000}, "verifier": verifier}
    closed = station.ask(f"drawers/{drawer['drawer']}/close", closing)
    print(f"The drawer is closed; over or short: {closed['over_short_cents']} cents.")


if __name__ == "__main__":
    main()
