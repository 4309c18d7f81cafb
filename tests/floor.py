"""A keno floor for tests: a real migrated database, a named cast, a clock that tests move.

The cast: Wanda and Walt write tickets, Sam supervises, Max manages outside keno, Ada administers,
Rita regulates, and Ike is an intruder who has no business here.
"""

import shutil
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Lock
from zoneinfo import ZoneInfo

from argon2 import PasswordHasher
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.audit.books import check_books
from app.audit.faults import Fault
from app.clock import system_clock
from app.entropy import system_entropy
from app.flow.access import Approval, Credentials, at_console, enrol_station, sign_in
from app.flow.actor import Actor
from app.flow.asking import Answer
from app.flow.certify import certify_game
from app.flow.codes import validation_code
from app.flow.day_review import sign_review
from app.flow.draw import end_game
from app.flow.drawer import Closing, close_drawer, open_drawer
from app.flow.found_house import (
    HousePlan,
    LocationPlan,
    SeriesPlan,
    StaffPlan,
    found_house,
)
from app.flow.house_settings import change_setting
from app.flow.keys import make_keys, read_keys
from app.flow.lease import CALLER, Held, Watch, take_lease
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.override import hold_game, let_go
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.sell import Sale, sell_ticket
from app.flow.settle import settle_game
from app.flow.void import Voiding, void_ticket
from app.keno.card_changes import large_changes
from app.keno.card_file import read_card
from app.keno.drawer import Count
from app.keno.house_settings import Setting
from app.keno.request import Request
from app.keno.tender import Tender, TenderKind
from app.rng_client import KeyedProcesses
from app.store import schema
from app.store.database import Database
from app.store.queries import cards, games, paper, tickets
from app.store.queries.paper import PrinterRow
from app.store.tables import LocationKind, Role
from tests.keyed import KeyedHouse, hold_ceremony
from tests.printing import PRINTING
from tests.sharing import made_once

CARD = Path(__file__).parent / "keno" / "card.toml"
NOON = datetime(2026, 11, 16, 17, 0, tzinfo=UTC)
BANK = Count({TenderKind.CURRENCY: 50_000, TenderKind.COIN: 5_000})

WANDA, WALT, SAM, SUE, MAX = "Wanda Writer", "Walt Writer", "Sam Super", "Sue Super", "Max Manager"
ADA, RITA, IKE = "Ada Admin", "Rita Regulator", "Ike Intruder"
ROLES = {
    WANDA: Role.WRITER,
    WALT: Role.WRITER,
    SAM: Role.SUPERVISOR,
    SUE: Role.SUPERVISOR,
    MAX: Role.OUTSIDE_MANAGER,
    ADA: Role.ADMINISTRATOR,
    RITA: Role.REGULATOR,
}
_CLOCK = Lock()
FIRST_STATION, SECOND_STATION, SATELLITE = "B1", "B2", "S1"


def secret_of(name: str) -> str:
    """The secret of one of the cast, which is none."""
    return f"the secret of {name}"


def plan() -> HousePlan:
    """The house of the tests: two series, a booth with two stations, a satellite with one."""
    return HousePlan(
        name="Test House",
        jurisdiction="US-NJ",
        log_origin="keno.example/test",
        series=(SeriesPlan("M", "main"), SeriesPlan("F", "fast", 100)),
        locations=(
            LocationPlan(
                "booth",
                LocationKind.BOOTH,
                "Main booth",
                ("M", "F"),
                (FIRST_STATION, SECOND_STATION),
            ),
            LocationPlan("bar", LocationKind.SATELLITE, "Bar", ("F",), (SATELLITE,)),
        ),
        staff=tuple(
            StaffPlan(name.split()[0].upper(), name, role, secret_of(name))
            for name, role in ROLES.items()
        ),
    )


def plan_for_now() -> HousePlan:
    """The house by the clock of this machine: its next gaming day begins in half a day.

    Else whatever is of one day would be of two in a test that runs when the next one begins.
    """
    now = system_clock().astimezone(ZoneInfo(HousePlan.time_zone))
    return replace(plan(), day_starts_minutes=(now.hour * 60 + now.minute + 720) % 1440)


def knowing_statements_of(first: Database, second: Database) -> None:
    """Let a database know the statements that another has compiled already.

    A test does little and compiles much: it would be the larger part of most.
    """
    second.engine.dialect = first.engine.dialect
    second.engine._compiled_cache = first.engine._compiled_cache  # noqa: SLF001  there is no other


def tick(moment: list[datetime]) -> datetime:
    """Read a clock that moves on by a millisecond whenever it is read, by whichever thread."""
    with _CLOCK:
        moment[0] += timedelta(milliseconds=1)
        return moment[0]


def keys_and_ceremony() -> Path:
    """The keys of the house and what its ceremony left, which takes seconds: once in a run."""
    return made_once("ceremony", _hold_ceremony)


def _hold_ceremony(folder: Path) -> None:
    make_keys(folder / "keys", system_entropy)
    series = {one.code: one.first_game for one in plan().series}
    hold_ceremony(folder / "ceremony", read_keys(folder / "keys"), series)


@dataclass
class Floor:
    """A house whose game M-1 is open, with Wanda at the first station and Walt at the second."""

    office: Office
    enrolments: dict[str, str]
    moment: list[datetime]
    ceremony: Path
    keyed: KeyedHouse
    stations: dict[str, str] = field(default_factory=dict)
    _ids: "count[int]" = field(default_factory=lambda: count(1))

    @classmethod
    def opened(cls, url: str, folder: Path, *, real_clock: bool = False) -> "Floor":
        """Found a house on a migrated database, put its card into force, and open its games."""
        moment = [NOON]
        database = Database(url, None if real_clock else lambda: tick(moment))
        schema.upgrade(database)
        shutil.copytree(keys_and_ceremony(), folder, dirs_exist_ok=True)
        keys = read_keys(folder / "keys")
        clock = system_clock if real_clock else lambda: moment[0]
        keyed = KeyedHouse(folder / "ceremony", clock=clock)
        office = Office(
            database, keys, keyed.processes(), hasher=PasswordHasher(1, 8, 1), allowed=PRINTING
        )
        founded = found_house(office, plan_for_now() if real_clock else plan())
        floor = cls(office, founded, moment, folder / "ceremony", keyed)
        floor.put_in_force(CARD.read_bytes())
        for series in ("M", "F"):
            open_first_game(office, floor.sam, series)
        return floor

    def on(self, url: str, keyed_at: Path | None = None, *, real_clock: bool = False) -> "Floor":
        """The same floor on a copy of its database, or in another process."""
        moment = [self.moment[0]]
        database = Database(url, None if real_clock else lambda: tick(moment))
        knowing_statements_of(self.office.database, database)
        clock = system_clock if real_clock else lambda: moment[0]
        keyed = KeyedHouse(self.ceremony, keyed_at, clock)
        keys, hasher = self.office.keys, self.office.hasher
        office = Office(database, keys, keyed.processes(), hasher=hasher, allowed=PRINTING)
        return Floor(office, self.enrolments, moment, self.ceremony, keyed)

    # ---- people --------------------------------------------------------------------------------

    @property
    def sam(self) -> Actor:
        return at_console(self.office, SAM, secret_of(SAM), Permission.GAME_RUN)

    @property
    def sue(self) -> Actor:
        """The second of two who do something with a person."""
        return at_console(self.office, SUE, secret_of(SUE), Permission.STAFF_CONFIRM)

    def station(self, code: str) -> str:
        """The token of a station, which enrols when it is first asked for."""
        if code not in self.stations:
            self.stations[code] = enrol_station(self.office, code, self.enrolments[code])
        return self.stations[code]

    def open_drawer(
        self, credentials: Credentials, count: Count = BANK, request: str | None = None
    ) -> Answer:
        """Open a drawer whose bank Max has counted too."""
        verifier = Approval(MAX, secret_of(MAX))
        asked = request or self.request_id()
        return open_drawer(self.office, credentials, count, asked, verifier)

    def close_drawer(
        self, credentials: Credentials, drawer: int, count: Count, request: str | None = None
    ) -> Answer:
        """Close a drawer that Max has counted too."""
        verifier, closing = Approval(MAX, secret_of(MAX)), Closing(drawer, count)
        asked = request or self.request_id()
        return close_drawer(self.office, credentials, closing, asked, verifier)

    def signed_in(self, name: str, station: str = FIRST_STATION) -> Credentials:
        """Sign somebody in."""
        token = self.station(station)
        return Credentials(token, sign_in(self.office, token, name, secret_of(name)))

    def writing(self, name: str = WANDA, station: str = FIRST_STATION) -> Credentials:
        """Sign a writer in and open a drawer."""
        credentials = self.signed_in(name, station)
        self.open_drawer(credentials)
        return credentials

    def request_id(self) -> str:
        """A request id that no station has used."""
        return f"request-{next(self._ids)}"

    # ---- acts ----------------------------------------------------------------------------------

    def put_in_force(self, file: bytes, after: timedelta | None = None) -> bytes:
        """Bring a card, have it accepted by Sam and Max, and put it into force.

        It holds when this returns, unless it is said how much later it is to hold.
        """
        digest, typed = bring_card(self.office, self.sam, file), self.typed_changes(file)
        max_ = at_console(self.office, MAX, secret_of(MAX), Permission.CARD_ACCEPT)
        for acceptor in (self.sam, max_):
            accept_card(self.office, acceptor, digest, typed)
        with self.office.database.reading() as connection:
            is_first = not cards.terms(connection)
        if not is_first:
            self.publish_cards_half_an_hour_ahead()
        # A second more than it has to be, because the clock moves on while it is asked for.
        since = None if after is None else self.moment[0] + after + timedelta(seconds=1)
        put_in_force(self.office, self.sam, digest, since)
        self.pass_time(seconds=2 if is_first or after is not None else 1_802)
        return digest

    def typed_changes(self, file: bytes) -> str:
        """What is typed of a card's large changes against the one in force."""
        with self.office.database.reading() as connection:
            holds = cards.card_in_force(connection, self.office.now())
            before = None if holds is None else cards.card_with(connection, holds).file.encode()
        changes = large_changes(read_card(file), None if before is None else read_card(before))
        return "\n".join(change.typed for change in changes)

    def publish_cards_half_an_hour_ahead(self) -> None:
        """Have the house publish cards half an hour ahead, the least that a house can."""
        max_ = at_console(self.office, MAX, secret_of(MAX), Permission.AMOUNT_SET)
        change_setting(self.office, self.sam, max_, Setting.CARD_NOTICE_MINUTES, 30)

    def sell(
        self, credentials: Credentials, sale: Sale | None = None, request: str | None = None
    ) -> Answer:
        """Sell a ticket; a dollar on four numbers unless it is said otherwise."""
        return sell_ticket(self.office, credentials, sale or dollar(), request or self.request_id())

    def void(
        self,
        credentials: Credentials,
        number: int,
        code: str | None = None,
        request: str | None = None,
    ) -> Answer:
        """Void a ticket with the code from its paper."""
        voiding = Voiding(number, "changed mind", code or self.code(number))
        return void_ticket(self.office, credentials, voiding, request or self.request_id())

    def code(self, number: int) -> str:
        """The code on the paper of a ticket."""
        with self.office.database.reading() as connection:
            ticket = tickets.ticket(connection, number)
        assert ticket is not None
        return validation_code(self.office.keys, ticket.code_key, number, ticket.leaf)

    def printer_at(
        self, station: str, address: str | None = None, roll: str = "80mm"
    ) -> PrinterRow:
        """Have a station print on a printer of its own, and return that."""
        address = address or f"file:/nowhere/{station}"
        self.set_printer(PrinterPlan(f"P-{station}", address, roll, [station]))
        with self.office.database.reading() as connection:
            return next(p for p in paper.printers(connection) if p.code == f"P-{station}")

    def set_printer(self, plan: PrinterPlan, supervisor: str | None = SAM) -> str:
        """Have Ada set a printer, with Sam unless it is said otherwise; how wide its paper is."""
        ada = at_console(self.office, ADA, secret_of(ADA), Permission.PRINTER_MANAGE)
        sam = None
        if supervisor is not None:
            secret = secret_of(supervisor)
            sam = at_console(self.office, supervisor, secret, Permission.PRINTER_MIND)
        return set_printer(self.office, ada, plan, sam)

    def lock(self, series: str = "M") -> int:
        """Lock the open game of a series; the one before it is drawn first, or it could not be."""
        self.draw(series)
        with self.office.database.reading() as connection:
            game = games.open_game(connection, series)
        is_timed = game is not None and game.closes_at is not None
        return lock_game(self.office, self.sam, series, reason="by hand" if is_timed else None)

    def hold(self, why: str) -> None:
        """Have the open game of series M held, as a caller does that finds it cannot be drawn."""
        hold_game(self.office, self._calling(), "M", self._open_number(), why)

    def let_go(self) -> None:
        """Have the game that was held go on, as the caller does."""
        let_go(self.office, self._calling(), "M", self._open_number())

    def _calling(self) -> Held:
        lease = take_lease(self.office, CALLER, "floor", Watch(lambda: 0.0))
        assert lease is not None
        return lease

    def _open_number(self) -> int:
        with self.office.database.reading() as connection:
            game = games.open_game(connection, "M")
        assert game is not None
        return game.number

    def draw(self, series: str = "M") -> None:
        """Draw the game of a series that waits for it, if there is one."""
        assert self.office.keyed is not None
        with self.office.database.reading() as connection:
            game = games.open_game(connection, series)
        if game is not None:
            end_game(self.office, self.office.keyed, series, game.number - 1)

    def grade(self, number: int, series: str = "M") -> str:
        """Settle and certify a drawn game, and return the state that it is in then."""
        assert self.office.keyed is not None
        settle_game(self.office, series, number)
        certify_game(self.office, self.office.keyed, series, number)
        return self.state(number, series)

    def play(self, series: str = "M") -> int:
        """Lock, draw, settle and certify the open game of a series; return its number."""
        number = self.lock(series)
        self.draw(series)
        assert self.grade(number, series) == "certified"
        return number

    def state(self, number: int, series: str = "M") -> str:
        """The state of a game."""
        with self.office.database.reading() as connection:
            game = games.game(connection, series, number)
        assert game is not None
        return game.state.value

    def sign_day(self, day: date) -> None:
        """Have Max sign what was unusual on a gaming day, so that it can be closed."""
        max_ = at_console(self.office, MAX, secret_of(MAX), Permission.DAY_REVIEW)
        sign_review(self.office, max_, day)

    def pass_time(self, **time: int) -> None:
        """Let time pass."""
        self.moment[0] += timedelta(**time)

    @property
    def two_keys(self) -> KeyedProcesses:
        """The generator and the inspector."""
        assert self.office.keyed is not None
        return self.office.keyed

    @property
    def books_keys(self) -> tuple[str, Ed25519PublicKey, dict[str, str]]:
        """What a check of the books needs to know beside the database."""
        assert self.office.keyed is not None
        log = self.office.keys.log.public_key()
        return self.office.house.log_origin, log, self.office.keyed.public_keys()

    def check_books(self) -> None:
        """Have the books worked out again: whatever a test did, they must agree."""
        told = [str(fault) for fault in self.books_faults()]
        assert told == [], told

    def books_faults(self) -> list[Fault]:
        """What the books find when they are worked out again."""
        signed = self.books_keys
        with self.office.database.reading(at_length=True) as connection:
            found = check_books(connection, *signed)
        return [fault for faults in found.values() for fault in faults]

    def close(self) -> None:
        self.keyed.close()
        self.office.database.close()


def dollar(series: str = "M", games: int = 1) -> Sale:
    """A straight four-spot for a dollar, paid with a five-dollar bill."""
    request = Request(groups=((4, 8, 15, 16),), conditioning="1/4 @ 1.00", games=games)
    return Sale(series, request, (Tender(TenderKind.CURRENCY, 500),))
