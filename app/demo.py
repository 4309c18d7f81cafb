"""The demonstration house: `make run` founds it, starts all of its processes, stops on Ctrl-C.

It is the product with seeded people and keys that are no secret; nothing but that differs. Run
again, it goes on where it was. Its generator and inspector are unlocked without anyone being asked,
which works only because their keys were made as a demonstration: that word is the jurisdiction in
every record they sign. Its printers are virtual, and show their paper as pictures, codes included,
so that a whole shift can be tried by script.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from app.audit.tags import Tag
from app.clock import time_text
from app.entropy import system_entropy
from app.flow.access import at_console, renew_enrolment
from app.flow.actor import Actor
from app.flow.emergency import set_standby
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
from app.settings import BadSettings, Settings, read_settings
from app.store import schema
from app.store.queries import cards, games, paper, people, running
from app.store.tables import Consent, LocationKind, Role
from app.store.unit import CommitUnknown
from app.supervise import Process, stop_all
from printers.paper import WIDE
from rng.core.records import Role as Role_
from rng.serve.ceremony import ROOTS, Part, make_journal
from rng.serve.ceremony import make_keys as make_role_keys
from rng.serve.commands import CONTROL_SOCKET
from rng.serve.places import SERVICE_SOCKET
from rng.serve.protocol import Address, Client, Refused, Unreachable
from rng.serve.tls import PUBLIC_SUFFIX

VAR = Path("var")
DEMO = VAR / "demo.json"
CARD = Path(__file__).parent / "rate_cards" / "house-card-1.toml"
LOG_CONFIG = Path(__file__).parent / "web" / "granian.json"
# What the demonstration house has made at each close of day.
DAILY = ("voids", "winning-numbers", "game-recap", "drawers", "unclaimed", "win", "exceptions")
SERIES = "M"
WEB_THREADS = 16
START_SECONDS = 90
ANSWER_SECONDS = 1
OWN_PRINTER = "RNG"  # the generator's
DEMONSTRATION = "DEMONSTRATION"
PUBLIC_FILES: dict[Role_, tuple[str, ...]] = {
    "inspector": ("inspector.pem", "mark.pem", ROOTS),
    "rng": ("rng.pem",),
}
BASE = ("printers", "inspector", "rng")  # the processes that the others need to finish their work
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
    StaffPlan("VERA", "vera", Role.SURVEILLANCE, "vera watches the floor"),
    StaffPlan("CARL", "carl", Role.CAGE, "carl counts in the cage"),
    StaffPlan("CLEO", "cleo", Role.COMPLIANCE, "cleo keeps to the rules"),
)
STANDBY = "vera"
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


Ports = Mapping[str, int]
"""The port of each listener: web, feed, pictures, and the printers by name."""


def run(ports: Ports, interval: int, stopped: Callable[[], bool]) -> int:
    """Run the demonstration house until it is stopped, and return the exit code.

    Args:
        ports: which it listens on.
        interval: seconds between games.
        stopped: whether it is to stop; looked at between any two steps.
    """
    # Lines for people; a house in production has JSON lines (docs/running.md).
    os.environ.setdefault("KENO_LOG", "words")
    os.environ.setdefault("KENO_METRICS", str(VAR / "metrics"))
    os.environ.setdefault("KENO_FEED", _feed_address(ports))  # for the pages
    try:
        settings = read_settings(os.environ)
    except BadSettings as faults:
        sys.stderr.write(f"{faults}\n")
        return 1
    begin_process("demonstration", settings)
    with suppress(FileExistsError):
        make_keys(settings.keys, system_entropy)
    with closing(open_office(settings)) as office:
        return _start(office, settings, ports, interval, stopped)


def _start(
    office: Office, settings: Settings, ports: Ports, interval: int, stopped: Callable[[], bool]
) -> int:
    """Take each step of the start that an earlier start has not taken; then run."""
    if stopped():
        return 0
    _say("Preparing the database ...")
    schema.upgrade(office.database)
    if office.find_house() is not None and office.house.jurisdiction != DEMONSTRATION:
        sys.stderr.write(f"{settings.database} is not a demonstration house; it is not run so\n")
        return 1
    parts = [Part(role, VAR / role, settings.public) for role in HOLDERS]
    steps = (
        partial(_found, office, ports),
        partial(_bring_terms, office, settings.public),
        *(partial(_make_keys, part) for part in parts),
        *(partial(_make_journal, part) for part in parts),
        partial(_set_games, office, ports, interval),
    )
    for step in steps:
        if stopped():
            return 0
        step()
    _run(office, ports, stopped)
    return 0


def _run(office: Office, ports: Ports, stopped: Callable[[], bool]) -> None:
    """Start every process, say where the house is once it answers, and run it until stopped."""
    processes = _processes(office, ports, stopped)
    is_announced = False
    try:
        for process in processes:
            if stopped():
                break
            if process.name == "web":  # the keyed processes run, and no one can buy a ticket yet
                _open_first(office)
            _say(f"Starting {process.name} ...")
            process.start()
        while not stopped():
            for process in processes:
                process.mind()
            if not is_announced and _answers(ports["web"]):
                is_announced = True
                _announce(ports)
            time.sleep(0.2)
    finally:
        _say("Stopping ...")
        # Printers and keys last: a printer finishes its slip, and a draw its record.
        base = [process for process in processes if process.name in BASE]
        stop_all([process for process in processes if process not in base])
        stop_all(base)


def _say(words: str) -> None:
    print(words, flush=True)


# ---- its processes -------------------------------------------------------------------------------


def _processes(office: Office, ports: Ports, stopped: Callable[[], bool]) -> list[Process]:
    """Return every process of the house, in the order in which they start."""
    record = partial(_record, office)
    keyed = [
        Process(role, _keyed_command(role, ports), partial(_unlock, role, stopped), record)
        for role in HOLDERS
    ]
    # Under one name, whichever process it is: one that is started again need not wait.
    caller = [sys.executable, "-m", "app.cli", "caller", "--name", "demonstration"]
    feed = [sys.executable, "-m", "app.cli", "feed", "--port", str(ports["feed"])]
    spooler = [sys.executable, "-m", "app.cli", "spooler", "--name", "demonstration"]
    return [
        Process("printers", _printers_command(ports), record=record),
        *keyed,
        Process("web", _web_command(ports["web"], office.database.is_sqlite), record=record),
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


def _keyed_command(role: str, ports: Ports) -> list[str]:
    command = [sys.executable, "-m", "rng", role, "serve", "--dir", str(VAR / role)]
    if role == "rng":
        command += ["--inspector", f"unix:{VAR / 'inspector' / SERVICE_SOCKET}"]
        command += ["--printer", f"escpos:127.0.0.1:{ports[OWN_PRINTER]}"]
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


def _printers_command(ports: Ports) -> list[str]:
    """Return how the virtual printers are started; their pictures show validation codes."""
    command = [sys.executable, "-m", "printers.gallery", "--folder", str(VAR / "printers")]
    command += ["--pictures", str(ports["pictures"])]
    return [*command, *(f"{name}={ports[name]}" for name in (*_stations(), OWN_PRINTER))]


def _set_printers(office: Office, ports: Ports) -> None:
    """Have each station print on a virtual printer of its own."""
    by = _at_console(office, "ada", Permission.PRINTER_MANAGE)
    supervisor = _at_console(office, "sam", Permission.PRINTER_MIND)
    with office.database.reading() as connection:
        known = {each.code: each.address for each in paper.printers(connection)}
    stations = _stations()
    if int(known.get(stations[0], ":0").rpartition(":")[2]) < ports[stations[0]]:
        stations.reverse()  # all move up: the last one first, so that no two are ever in one place
    for code in stations:
        address = f"tcp:127.0.0.1:{ports[code]}"
        if known.get(code) != address:
            set_printer(office, by, PrinterPlan(code, address, WIDE.name, [code]), supervisor)


# ---- the keys of a demonstration -----------------------------------------------------------------


def _bring_terms(office: Office, public: Path) -> None:
    """Bring the terms of the house and the office's public keys to the ceremony."""
    if not all((public / f"{role}.pem").exists() for role in HOLDERS):
        house = office.house
        terms = (house.name, house.jurisdiction, house.log_origin)
        keys = {"office": office.keys.office, "log": office.keys.log}
        publish_terms(public, *terms, {each.code: each.first_game for each in PLAN.series}, keys)


def _make_keys(part: Part) -> None:
    """Make the keys of a role, again if an earlier run was killed while it made them."""
    finished = part.public / f"{part.role}{PUBLIC_SUFFIX}"  # what is written last
    if part.has_journal or finished.exists():
        return
    _say(f"Holding the key ceremony: the keys of {part.role} ...")
    shutil.rmtree(part.folder, ignore_errors=True)
    for name in PUBLIC_FILES[part.role]:
        (part.public / name).unlink(missing_ok=True)
    make_role_keys(part, HOLDERS[part.role])


def _make_journal(part: Part) -> None:
    """Make the journal of a role."""
    if not part.has_journal:
        _say(f"Holding the key ceremony: the journal of {part.role} ...")
        holder, passphrase = next(iter(HOLDERS[part.role].items()))
        make_journal(part, holder, passphrase)


def _unlock(role: Role_, stopped: Callable[[], bool]) -> None:
    """Unlock a keyed process as its first holder, as soon as it listens."""
    holder, passphrase = next(iter(HOLDERS[role].items()))
    control = Client(Address(path=str(VAR / role / CONTROL_SOCKET)))
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and not stopped():
        with suppress(Unreachable, Refused):  # a process that refuses now is asked again
            control.call("unlock", {"holder": holder, "passphrase": passphrase})
            break
        time.sleep(0.05)
    control.close()


def _set_games(office: Office, ports: Ports, interval: int) -> None:
    """Set the interval of the games and where each station prints."""
    _say("Setting games and printers ...")
    _set_interval(office, interval)
    _set_printers(office, ports)


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


def _found(office: Office, ports: Ports) -> None:
    """Found the house as far as it is not there, and write var/demo.json.

    Each step can be the last before a power cut: the next run goes on from there.
    """
    _write_down(ports, _enrolments(office))
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
    _set_standby(office)
    if not holds:
        for report in DAILY:
            choose_report(office, sam, report, Format.PDF, chosen=True)
        put_in_force(office, sam, digest)


def _set_standby(office: Office) -> None:
    """Have one person on the standby list, for when no supervisor is there."""
    with office.unit() as unit:
        person = people.person_named(unit.connection, STANDBY)
        if person is None or people.is_on_standby(unit.connection, person.id, unit.now()):
            return
    ada = _at_console(office, "ada", Permission.STAFF_MANAGE)
    set_standby(office, ada, _at_console(office, "sue"), STANDBY, listed=True)


def _enrolments(office: Office) -> dict[str, str]:
    """Return the enrolment codes: of a new house, as they were told, or new if that is lost."""
    if office.find_house() is None:
        _say("Founding the demonstration house ...")
        return found_house(office, PLAN)
    if DEMO.exists():
        told = json.loads(DEMO.read_text())
        return {station["code"]: station["enrolment"] for station in told["stations"]}
    ada = _at_console(office, "ada", Permission.STATION_MANAGE)
    return {station: renew_enrolment(office, ada, station) for station in _stations()}


def _at_console(
    office: Office, name: str, permission: Permission = Permission.CARD_ACCEPT
) -> Actor:
    (person,) = (person for person in STAFF if person.name == name)
    return at_console(office, name, person.secret, permission)


# ---- where it is ---------------------------------------------------------------------------------


def _address(ports: Ports) -> str:
    return f"http://localhost:{ports['web']}"


def _feed_address(ports: Ports) -> str:
    return f"http://localhost:{ports['feed']}/events"


def _pictures_address(ports: Ports) -> str:
    return f"http://localhost:{ports['pictures']}/"


def _write_down(ports: Ports, enrolments: Mapping[str, str]) -> None:
    """Write where the house is and who works there to var/demo.json."""
    document = {
        "address": _address(ports),
        "users": [
            {"name": person.name, "role": person.role.value, "secret": person.secret}
            for person in STAFF
        ],
        "stations": [
            {"code": code, "enrolment": enrolment} for code, enrolment in enrolments.items()
        ],
        "printer": _pictures_address(ports),
        "feed": _feed_address(ports),
    }
    fresh = DEMO.with_suffix(".json.new")
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(document, indent=2) + "\n")
    fresh.replace(DEMO)


def _answers(port: int) -> bool:
    """Whether the web server answers that it is ready."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)) as line:
        try:
            line.request("GET", "/readyz")
            return line.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False


def _announce(ports: Ports) -> None:
    """Print where the house is and who works there."""
    document = json.loads(DEMO.read_text())
    printers = ", ".join(f"{ports[name]} ({name})" for name in (*_stations(), OWN_PRINTER))
    _say(f"\nThe demonstration house is at {document['address']}")
    _say(f"  pictures of what it prints  {document['printer']}")
    _say(f"  live feed                   {document['feed']}")
    _say(f"  printers                    ports {printers}")
    _say("Sign in as:")
    for user in document["users"]:
        _say(f"  {user['name']:<6} {user['role']:<16} {user['secret']}")
    _say("Enrol a browser as a work station, once each, with its code:")
    for station in document["stations"]:
        _say(f"  {station['code']:<6} {station['enrolment']}")
    _say(f"All of this is in {DEMO} as well. Ctrl-C stops the house.")
