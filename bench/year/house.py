"""The house of the year: its office, its clock, its keyed processes, and who works where."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from argon2 import PasswordHasher

from app.demo import HOLDERS
from app.entropy import system_entropy
from app.flow.access import Approval, Credentials, at_console, at_work, enrol_station, sign_in
from app.flow.actor import Actor
from app.flow.codes import validation_code
from app.flow.found_house import found_house
from app.flow.house_amounts import set_amount
from app.flow.keys import make_keys, read_keys
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.schedule import change_schedule
from app.flow.spool import all_printers, next_paper, note_ending
from app.keno.amounts import Amount, Dated
from app.rng_client import KeyedProcesses
from app.store import schema
from app.store.database import Database
from app.store.queries import tickets
from app.store.queries.people import Worker
from app.store.tables import PaperState
from app.store.unit import Unit
from bench.year.keyed import KeyedPair, SetClock, hold_ceremony
from bench.year.plan import (
    ADA,
    CLOSES,
    MAX,
    OPEN_MINUTES,
    OPENS_MINUTES,
    SAM,
    STATIONS,
    YearPlan,
    at_wall,
    closes_on,
    house_plan,
    rate_card,
    secret_of,
)
from printers.allowed import Allowed
from printers.press import Press

TOLD = "year.json"
CHEAP = PasswordHasher(1, 8, 1)
PRINTER = "file:/nowhere"  # nothing is ever sent to it
PRINTING = Allowed.of([], ["/nowhere/"])
_START = timedelta(hours=-2)  # before the floor first opens


@dataclass
class YearHouse:
    """A house on a clock that is set; whoever has it closes it."""

    office: Office
    clock: SetClock
    pair: KeyedPair
    tokens: dict[str, str]  # of its stations
    _ids: "count[int]" = field(default_factory=lambda: count(1))

    # ---- beginning and going on ------------------------------------------------------------------

    @classmethod
    def founded(cls, url: str, folder: Path, plan: YearPlan) -> "YearHouse":
        """Found the house, hold its ceremony, put its card into force, and open its games."""
        first = closes_on(plan, 0)
        clock = SetClock(at_wall(plan.day(0), CLOSES) - timedelta(minutes=OPEN_MINUTES) + _START)
        make_keys(folder / "keys", system_entropy)
        hold_ceremony(folder, read_keys(folder / "keys"), clock.moment)
        house = cls._on(url, folder, clock, {})
        schema.upgrade(house.office.database)
        enrolments = found_house(house.office, house_plan())
        for code, enrolment in enrolments.items():
            house.tokens[code] = enrol_station(house.office, code, enrolment)
        ada = house.at_console(ADA, Permission.PRINTER_MANAGE)
        for code in STATIONS:
            plan_ = PrinterPlan(f"P-{code}", f"{PRINTER}/{code}", "80mm", [code])
            set_printer(house.office, ada, plan_, house.sam)
        house.put_card_in_force()
        manager = house.at_console(MAX, Permission.AMOUNT_SET)
        set_amount(
            house.office, house.sam, manager, Dated(Amount.SECOND_TIER, plan.day(1), 500_000)
        )
        for series in ("M", "F"):
            hours = OPENS_MINUTES, OPENS_MINUTES + OPEN_MINUTES
            change_schedule(house.office, house.sam, series, plan.interval_seconds(series), *hours)
            closes_at = next(close.at for close in first if close.series == series)
            open_first_game(house.office, house.sam, series, closes_at)
        return house

    @classmethod
    def opened(cls, url: str, folder: Path) -> "YearHouse":
        """Go on with a house that was made, from the moment at which it was left."""
        told = json.loads((folder / TOLD).read_text())
        tokens = {station["code"]: station["token"] for station in told["stations"]}
        return cls._on(url, folder, SetClock(datetime.fromisoformat(told["until"])), tokens)

    @classmethod
    def _on(cls, url: str, folder: Path, clock: SetClock, tokens: dict[str, str]) -> "YearHouse":
        pair = KeyedPair(folder, clock)
        keyed = KeyedProcesses(pair.peer("rng"), pair.peer("inspector"), folder / "public")
        keys = read_keys(folder / "keys")
        office = Office(Database(url, clock), keys, keyed, hasher=CHEAP, allowed=PRINTING)
        return cls(office, clock, pair, tokens)

    def put_card_in_force(self) -> None:
        """Bring the card, have it accepted by both, and put it into force."""
        digest = bring_card(self.office, self.sam, rate_card())
        accept_card(self.office, self.sam, digest)
        accept_card(self.office, self.at_console(MAX, Permission.CARD_ACCEPT), digest)
        put_in_force(self.office, self.sam, digest)

    def leave(self, url: str, folder: Path, plan: YearPlan, seconds: float) -> None:
        """Write down how others find the house, and who works there."""
        told = {
            "DEMONSTRATION": "This house is simulated. None of its tickets was ever sold.",
            "database": url,
            "tickets": plan.tickets,
            "games": plan.games,
            "days": plan.days,
            "seed": plan.seed,
            "made_in_seconds": seconds,
            "until": self.clock.moment.isoformat(),
            "users": [
                {"name": person.name, "role": person.role.value, "secret": person.secret}
                for person in house_plan().staff
            ],
            "stations": [{"code": code, "token": token} for code, token in self.tokens.items()],
            "holders": HOLDERS,
        }
        (folder / TOLD).write_text(json.dumps(told, indent=2) + "\n")

    def close(self) -> None:
        """Stop the keyed processes, and close every connection."""
        self.pair.close()
        self.office.database.close()

    # ---- people ----------------------------------------------------------------------------------

    @property
    def sam(self) -> Actor:
        """The supervisor."""
        return self.at_console(SAM, Permission.GAME_RUN)

    @property
    def keyed(self) -> KeyedProcesses:
        """The generator and the inspector."""
        assert self.office.keyed is not None  # noqa: S101  it was given at the start
        return self.office.keyed

    def at_console(self, name: str, permission: Permission) -> Actor:
        """Return somebody at the console."""
        return at_console(self.office, name, secret_of(name), permission)

    def signed_in(self, name: str, station: str) -> Credentials:
        """Sign somebody in."""
        token = self.tokens[station]
        return Credentials(token, sign_in(self.office, token, name, secret_of(name)))

    def worker(self, credentials: Credentials) -> Worker:
        """Return somebody who is signed in, with their drawer."""
        with self.office.database.reading() as connection:
            find = at_work(credentials, Permission.TICKET_LOOK_UP)
            return find(Unit(self.office.database, connection))

    def approval(self, name: str) -> Approval:
        """Return somebody's word."""
        return Approval(name, secret_of(name))

    def request_id(self) -> str:
        """Return a request id that was not used before."""
        return f"act-{self.clock.moment:%y%m%d%H%M}-{next(self._ids)}"

    # ---- tickets and paper -----------------------------------------------------------------------

    def code(self, number: int) -> str:
        """Return the code on the paper of a ticket."""
        with self.office.database.reading() as connection:
            ticket = tickets.ticket(connection, number)
        if ticket is None:
            raise LookupError(f"there is no ticket {number}")
        return validation_code(self.office.keys, ticket.code_key, number, ticket.leaf)

    def print_papers(self) -> None:
        """Print whatever waits, as a spooler would; its bytes are kept."""
        press = Press()
        for printer in all_printers(self.office):
            while (sending := next_paper(self.office, printer, press)) is not None:
                note_ending(self.office, sending, PaperState.CONFIRMED.value, None)
