"""The demonstration house: `make run` founds it, starts every process of it, and stops on Ctrl-C.

It is the product with seeded people and keys that are no secret; nothing but that differs. Run
again, it goes on where it was. Its generator and inspector are unlocked without anyone being asked,
which works only because their keys were made as a demonstration: that word is the jurisdiction in
every record they sign. Its printers are virtual, and show their paper as pictures, codes included,
so that a whole shift can be tried by script.
"""

import argparse
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from app.audit.tags import Tag
from app.clock import time_text
from app.entropy import system_entropy
from app.flow.access import at_console, renew_enrolment
from app.flow.actor import Actor
from app.flow.found_house import (
    HousePlan,
    LocationPlan,
    SeriesPlan,
    StaffPlan,
    found_house,
)
from app.flow.keys import make_keys
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.report_jobs import choose_report
from app.flow.schedule import change_schedule, next_close
from app.house import open_office
from app.processes import begin_process
from app.reports.catalogue import Format
from app.rng_client import publish_terms
from app.settings import BadSettings, read_settings
from app.store import schema
from app.store.queries import cards, games, paper, running
from app.store.tables import Consent, LocationKind, Role
from app.store.unit import CommitUnknown
from app.supervise import Process
from printers.paper import WIDE
from rng.core.records import Role as Role_
from rng.serve.ceremony import Part, make_journal
from rng.serve.ceremony import make_keys as make_role_keys
from rng.serve.commands import CONTROL_SOCKET
from rng.serve.places import SERVICE_SOCKET
from rng.serve.protocol import Address, Client, Refused, Unreachable

VAR = Path("var")
CARD = Path(__file__).parent / "rate_cards" / "house-card-1.toml"
LOG_CONFIG = Path(__file__).parent / "web" / "granian.json"
# What the demonstration house has made at each close of day.
DAILY = ("voids", "winning-numbers", "game-recap", "drawers", "unclaimed", "win", "exceptions")
SERIES = "M"
WEB_THREADS = 16
START_SECONDS = 90
OWN_PRINTER = "RNG"  # the generator's
FIRST_PRINTER = 3  # ports behind the first: web, feed, pictures, and a printer for each station
DEMONSTRATION = "DEMONSTRATION"
HOLDERS: dict[Role_, dict[str, str]] = {
    "inspector": {"Ida": "ida holds a demonstration key", "Ivan": "ivan holds one as well"},
    "rng": {"Sam": "sam holds a demonstration key", "Sue": "sue holds one as well"},
}
STAFF = (
    StaffPlan("WANDA", "wanda", Role.WRITER, "wanda writes tickets"),
    StaffPlan("WALT", "walt", Role.WRITER, "walt writes tickets"),
    StaffPlan("SAM", "sam", Role.SUPERVISOR, "sam supervises keno"),
    StaffPlan("SUE", "sue", Role.KENO_MANAGER, "sue manages keno"),
    StaffPlan("MAX", "max", Role.OUTSIDE_MANAGER, "max manages elsewhere"),
    StaffPlan("IDA", "ida", Role.INSPECTOR, "ida inspects keno"),
    StaffPlan("RITA", "rita", Role.REGULATOR, "rita reads the books"),
    StaffPlan("ADA", "ada", Role.ADMINISTRATOR, "ada administers"),
)
PLAN = HousePlan(
    name="Demonstration House",
    jurisdiction=DEMONSTRATION,
    log_origin="demonstration.example/keno",
    series=(SeriesPlan(SERIES, "main"),),
    locations=(
        LocationPlan("booth", LocationKind.BOOTH, "Main booth", (SERIES,), ("B1", "B2", "B3")),
        LocationPlan("bar", LocationKind.SATELLITE, "Bar", (SERIES,), ("S1",)),
    ),
    staff=STAFF,
    demonstration=True,
)


def main() -> int:
    """Run the demonstration house until it is told to stop."""
    parser = argparse.ArgumentParser(prog="python -m app.demo", description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--interval", type=int, default=240, help="seconds between games")
    options = parser.parse_args()
    # For whoever looks on; a house of one's own has JSON lines (docs/running.md).
    os.environ.setdefault("KENO_LOG", "words")
    os.environ.setdefault("KENO_METRICS", str(VAR / "metrics"))
    try:
        settings = read_settings(os.environ)
    except BadSettings as faults:
        sys.stderr.write(f"{faults}\n")
        return 1
    VAR.mkdir(mode=0o700, exist_ok=True)
    begin_process("demonstration", settings)
    with suppress(FileExistsError):
        make_keys(settings.keys, system_entropy)
    office = open_office(settings)
    schema.upgrade(office.database)
    enrolments = _founded(office)
    if office.house.jurisdiction != DEMONSTRATION:
        sys.stderr.write(f"{settings.database} is not a demonstration house; it is not run so\n")
        return 1
    _hold_ceremony(office, settings.public)
    _set_interval(office, options.interval)
    _set_printers(office, options.port)
    address = f"http://127.0.0.1:{options.port}"
    pictures = f"http://127.0.0.1:{options.port + 2}/"
    feed = f"http://127.0.0.1:{options.port + 1}/events"
    os.environ.setdefault("KENO_FEED", feed)  # for the pages
    _announce(address, feed, pictures, enrolments)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    processes = _processes(office, options.port)
    for process in processes:
        if process.name == "web":
            _open_first(office)
        process.start()
    try:
        while not stop.wait(0.2):
            for process in processes:
                process.mind()
    finally:
        stop.set()
        for process in reversed(processes):
            process.stop()
        office.close()
    return 0


# ---- its processes -------------------------------------------------------------------------------


def _processes(office: Office, port: int) -> list[Process]:
    """Return every process of the house, in the order in which they start."""
    record = partial(_record, office)
    keyed = [
        Process(role, _keyed_command(role, port), partial(_unlock, role), record)
        for role in HOLDERS
    ]
    # Under one name, whichever process it is: one that is started again need not wait.
    caller = [sys.executable, "-m", "app.cli", "caller", "--name", "demonstration"]
    feed = [sys.executable, "-m", "app.cli", "feed", "--port", str(port + 1)]
    spooler = [sys.executable, "-m", "app.cli", "spooler", "--name", "demonstration"]
    return [
        Process("printers", _printers_command(port), record=record),
        *keyed,
        Process("web", _web_command(port, office.database.is_sqlite), record=record),
        Process("caller", caller, record=record),
        Process("feed", feed, record=record),
        Process("spooler", spooler, record=record),
        Process("reporter", [sys.executable, "-m", "app.cli", "reporter"], record=record),
    ]


def _record(office: Office, why: str) -> None:
    """Have it in the log that a process died."""
    # If even the database is away, it is on the screen.
    with suppress(SQLAlchemyError, CommitUnknown), office.unit() as unit:
        office.log(unit, Tag.PROCESS, {"what": why, "time": time_text(unit.now())})
        unit.commit()


def _keyed_command(role: str, port: int) -> list[str]:
    command = [sys.executable, "-m", "rng", role, "serve", "--dir", str(VAR / role)]
    if role == "rng":
        command += ["--inspector", f"unix:{VAR / 'inspector' / SERVICE_SOCKET}"]
        command += ["--printer", f"escpos:127.0.0.1:{_printer_ports(port)[OWN_PRINTER]}"]
    return command


def _web_command(port: int, is_sqlite: bool) -> list[str]:
    """Return how the web server is started: one process on SQLite, whose writers have one queue."""
    workers = 1 if is_sqlite else 2
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--workers", str(workers)]
    command += ["--log-config", str(LOG_CONFIG), "--log-level", "warning"]
    return [*command, "--blocking-threads", str(WEB_THREADS), "wsgi:app"]


# ---- its printers --------------------------------------------------------------------------------


def _stations() -> list[str]:
    return [station for place in PLAN.locations for station in place.stations]


def _printer_ports(port: int) -> dict[str, int]:
    """Return on which port each printer listens: one for each station, and the generator's own."""
    names = [*_stations(), OWN_PRINTER]
    return {name: port + FIRST_PRINTER + n for n, name in enumerate(names)}


def _printers_command(port: int) -> list[str]:
    """Return how the virtual printers are started; their pictures show validation codes."""
    command = [sys.executable, "-m", "printers.gallery", "--folder", str(VAR / "printers")]
    command += ["--pictures", str(port + 2)]
    return [*command, *(f"{code}={each}" for code, each in _printer_ports(port).items())]


def _set_printers(office: Office, port: int) -> None:
    """Have each station print on a virtual printer of its own."""
    by = _at_console(office, "ada", Permission.PRINTER_MANAGE)
    with office.database.reading() as connection:
        known = {each.code: each.address for each in paper.printers(connection)}
    ports = _printer_ports(port)
    stations = _stations()
    if int(known.get(stations[0], ":0").rpartition(":")[2]) < ports[stations[0]]:
        stations.reverse()  # all move up: the last one first, so that no two are ever in one place
    for code in stations:
        address = f"tcp:127.0.0.1:{ports[code]}"
        if known.get(code) != address:
            set_printer(office, by, PrinterPlan(code, address, WIDE.name, [code]))


# ---- the keys of a demonstration -----------------------------------------------------------------


def _hold_ceremony(office: Office, public: Path) -> None:
    """Make the demonstration's keys and journals, as far as they are not there."""
    if not (public / "terms.json").exists():
        house = office.house
        terms = (house.name, house.jurisdiction, house.log_origin)
        keys = {"office": office.keys.office, "log": office.keys.log}
        publish_terms(public, *terms, {each.code: each.first_game for each in PLAN.series}, keys)
    parts = [Part(role, VAR / role, public) for role in HOLDERS]
    for part in parts:
        if not part.has_keys:
            make_role_keys(part, HOLDERS[part.role])
    for part in parts:
        if not part.has_journal:
            holder, passphrase = next(iter(HOLDERS[part.role].items()))
            make_journal(part, holder, passphrase)


def _unlock(role: Role_) -> None:
    """Unlock a keyed process as its first holder, as soon as it listens."""
    holder, passphrase = next(iter(HOLDERS[role].items()))
    control = Client(Address(path=str(VAR / role / CONTROL_SOCKET)))
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with suppress(Unreachable, Refused):  # a process that refuses now is asked again
            control.call("unlock", {"holder": holder, "passphrase": passphrase})
            break
        time.sleep(0.05)
    control.close()


def _open_first(office: Office) -> None:
    """Open the first game before anybody can come to buy a ticket for it."""
    with office.database.reading() as connection:
        if games.open_game(connection, SERIES) is not None:
            return
        (series,) = running.all_series(connection)
    closes_at = next_close(series, office.house.time_zone, office.now(), None)
    sam = _at_console(office, "sam", Permission.GAME_RUN)
    open_first_game(office, sam, SERIES, closes_at)


def _set_interval(office: Office, seconds: int) -> None:
    with office.database.reading() as connection:
        (series,) = running.all_series(connection)
    if series.interval_seconds != seconds:
        change_schedule(office, _at_console(office, "sam", Permission.GAME_RUN), SERIES, seconds)


# ---- founding ------------------------------------------------------------------------------------


def _founded(office: Office) -> dict[str, str]:
    """Found the house as far as it is not there, and return its stations' enrolment codes.

    Each step can be the last before a power cut: the next run goes on from there.
    """
    enrolments = _enrolments(office)
    sam, digest = _at_console(office, "sam"), sha256(CARD.read_bytes()).digest()
    with office.database.reading() as connection:
        card = cards.card_hashed(connection, digest)
        accepted = set() if card is None else set(cards.acceptances(connection, card.id))
        holds = bool(cards.terms(connection))
    if card is None:
        bring_card(office, sam, CARD.read_bytes())
    if Consent.SUPERVISOR not in accepted:
        accept_card(office, sam, digest)
    if Consent.MANAGER not in accepted:
        accept_card(office, _at_console(office, "max"), digest)
    if not holds:
        put_in_force(office, sam, digest)
        for report in DAILY:
            choose_report(office, sam, report, Format.PDF, chosen=True)
    return enrolments


def _enrolments(office: Office) -> dict[str, str]:
    """Return the enrolment codes: of a new house, as they were told, or new if that is lost."""
    if office.find_house() is None:
        return found_house(office, PLAN)
    if (VAR / "demo.json").exists():
        told = json.loads((VAR / "demo.json").read_text())
        return {station["code"]: station["enrolment"] for station in told["stations"]}
    ada = _at_console(office, "ada", Permission.STATION_MANAGE)
    stations = [station for place in PLAN.locations for station in place.stations]
    return {station: renew_enrolment(office, ada, station) for station in stations}


def _at_console(
    office: Office, name: str, permission: Permission = Permission.CARD_ACCEPT
) -> Actor:
    (person,) = (person for person in STAFF if person.name == name)
    return at_console(office, name, person.secret, permission)


def _announce(address: str, feed: str, pictures: str, enrolments: dict[str, str]) -> None:
    """Say where the house is and who works there, on the screen and in var/demo.json."""
    told = {
        "address": address,
        "users": [
            {"name": person.name, "role": person.role.value, "secret": person.secret}
            for person in STAFF
        ],
        "stations": [
            {"code": code, "enrolment": enrolment} for code, enrolment in enrolments.items()
        ],
        "printer": pictures,
        "feed": feed,
    }
    path, fresh = VAR / "demo.json", VAR / "demo.json.new"
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(told, indent=2) + "\n")
    fresh.replace(path)
    print(f"The demonstration house is at {address}", flush=True)
    print(f"Its paper can be seen at {pictures}", flush=True)
    for person in STAFF:
        print(f"  {person.name:<6} {person.role.value:<16} {person.secret}", flush=True)
    print(f"Stations, their enrolment codes and all of this: {path}. Ctrl-C stops it.", flush=True)


if __name__ == "__main__":
    sys.exit(main())
