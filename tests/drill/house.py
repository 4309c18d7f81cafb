"""The house of the drill: 32 stations, and two of everything that can be two."""

import re
import sys
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psycopg
from argon2 import PasswordHasher

from app.entropy import system_entropy
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.found_house import HousePlan, LocationPlan, SeriesPlan, StaffPlan, found_house
from app.flow.keys import make_keys
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.schedule import change_schedule, next_close
from app.house import open_office
from app.rng_client import make_certificate, publish_certificate, publish_terms
from app.settings import read_settings
from app.store import schema
from app.store.database import Database
from app.store.queries import running
from app.store.tables import LocationKind, Role
from rng.core.records import Role as KeyRole
from rng.lab import rehearsal
from rng.serve.ceremony import Part, make_journal
from rng.serve.ceremony import make_keys as make_role_keys
from tests.drill.cluster import DEPLOY, OWNER, Cluster
from tests.drill.machines import Machine, Network, Program

ROOT = Path(__file__).parents[2]
CARD = ROOT / "app" / "rate_cards" / "house-card-1.toml"
SERIES = "M"
INTERVAL_SECONDS = 30
STATIONS = [f"B{number}" for number in range(1, 33)]
DESK = "S1"  # of the supervisors
PRINTERS = 4
PORT = 8000
SAM, MAX, ADA = "Sam Super", "Max Manager", "Ada Admin"
STAFF = (
    StaffPlan("SAM", SAM, Role.SUPERVISOR, "the secret of Sam Super"),
    StaffPlan("MAX", MAX, Role.OUTSIDE_MANAGER, "the secret of Max Manager"),
    StaffPlan("ADA", ADA, Role.ADMINISTRATOR, "the secret of Ada Admin"),
    *(
        StaffPlan(f"W{code}", f"Writer {code}", Role.WRITER, f"the secret of Writer {code}")
        for code in STATIONS
    ),
)
PLAN = HousePlan(
    name="Drill House",
    jurisdiction="DRILL",
    log_origin="drill.example/keno",
    series=(SeriesPlan(SERIES, "main"),),
    locations=(LocationPlan("booth", LocationKind.BOOTH, "Booth", (SERIES,), (*STATIONS, DESK)),),
    staff=STAFF,
)
KEY_ROLES: tuple[KeyRole, ...] = ("inspector", "rng")
KEYED = {"inspector": "10.91.0.42", "rng": "10.91.0.41"}  # machines of their own
KEYED_PORT = 7001


def secret_of(name: str) -> str:
    """Return the secret of one of the staff, which is none."""
    return next(person.secret for person in STAFF if person.name == name)


@dataclass
class House:
    """The house and its processes."""

    network: Network
    floor: Machine  # where the stations are, and the drill itself
    folder: Path
    cluster: Cluster
    webs: list[Program]
    callers: list[Program]
    spoolers: list[Program]
    keyed: dict[KeyRole, Program]
    proxy: Program
    enrolments: dict[str, str]

    @property
    def rolls(self) -> list[Path]:
        """The paper of every printer."""
        return [_roll(self.folder, number) for number in range(1, PRINTERS + 1)]

    @property
    def programs(self) -> Iterator[Program]:
        """Everything that runs beside the databases."""
        yield from (*self.keyed.values(), *self.webs, *self.callers, *self.spoolers, self.proxy)

    @property
    def environment(self) -> dict[str, str]:
        """The settings of a process of the house."""
        return _environment(self.folder, self.cluster)

    def holder(self, lease: str, programs: list[Program]) -> Program:
        """Return the one of two that works, because it has a lease; the other waits."""
        with psycopg.connect(self.cluster.url.replace("+psycopg", "")) as connection:
            query = "SELECT holder FROM lease WHERE name = %s"
            found = connection.execute(query, (lease,)).fetchone()
        assert found is not None
        return next(each for each in programs if each.machine.name == found[0])

    def is_ready(self) -> bool:
        """Whether every web node can work; one that was just started may need some seconds."""
        return all(_is_ready(web.machine) for web in self.webs)

    def start_keyed(self, role: KeyRole) -> None:
        """Start a keyed process, and unlock it as its holder would."""
        self.keyed[role].start()
        rehearsal.unlock(self.folder, role)


def set_up(network: Network, floor: Machine, folder: Path) -> House:
    """Bring everything up, found the house, hold the ceremony and open the first game."""
    cluster = Cluster(network, folder)
    cluster.make()
    environment = _environment(folder, cluster)
    (folder / "rolls").mkdir()
    make_keys(folder / "keys", system_entropy)
    # The keyed processes can be spoken to after the ceremony.
    office = _office(environment, without=("KENO_RNG", "KENO_INSPECTOR"))
    with closing(Database(cluster.address(OWNER))) as owned:
        schema.upgrade(owned)
    enrolments = found_house(office, PLAN)
    put_card_in_force(office)
    _set_printers(office, folder)
    hold_ceremony(office, folder, {SERIES: 1})
    homes = [network.add("web1", "10.91.0.21"), network.add("web2", "10.91.0.22")]
    keno = [sys.executable, "-m", "app.cli"]
    house = House(
        network,
        floor,
        folder,
        cluster,
        webs=[Program(f"web-{at.name}", at, _web(at), folder, environment) for at in homes],
        callers=[
            Program(
                f"caller-{at.name}", at, [*keno, "caller", "--name", at.name], folder, environment
            )
            for at in homes
        ],
        spoolers=[
            Program(
                f"spooler-{at.name}", at, [*keno, "spooler", "--name", at.name], folder, environment
            )
            for at in homes
        ],
        keyed={
            role: Program(
                role, network.add(role, KEYED[role]), _keyed(folder, role), folder, environment
            )
            for role in KEY_ROLES
        },
        proxy=_proxy(floor, homes, folder),
        enrolments=enrolments,
    )
    office.close()
    for role in KEY_ROLES:
        house.start_keyed(role)
    with closing(_office(environment)) as office:
        _open(office)
    for program in (*house.webs, *house.callers, *house.spoolers, house.proxy):
        program.start()
    return house


def _office(environment: dict[str, str], without: Collection[str] = ()) -> Office:
    known = {k: v for k, v in environment.items() if k.startswith("KENO") and k not in without}
    office = open_office(read_settings(known))
    office.hasher = PasswordHasher(1, 8, 1)  # the secrets of a drill are none
    return office


def _environment(folder: Path, cluster: Cluster) -> dict[str, str]:
    return {
        "KENO_DATABASE": cluster.url,
        "KENO_KEYS": str(folder / "keys"),
        "KENO_PUBLIC": str(folder / "public"),
        "KENO_PRINTER_DEVICES": f"{folder}/rolls/",
        "KENO_REPORTS": str(folder / "reports"),
        "KENO_RNG": _line("rng"),
        "KENO_INSPECTOR": _line("inspector"),
        "PYTHONPATH": str(ROOT),
    }


def _web(at: Machine) -> list[str]:
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
    command += ["--host", at.address, "--port", str(PORT), "--workers", "1"]
    command += ["--blocking-threads", "16", "--backpressure", "64", "--log-level", "warning"]
    return [*command, "wsgi:app"]


def _is_ready(at: Machine) -> bool:
    with closing(HTTPConnection(at.address, PORT, timeout=3)) as line:
        try:
            line.request("GET", "/readyz")
            return line.getresponse().status == HTTPStatus.OK
        except (OSError, HTTPException):
            return False


def _line(role: KeyRole) -> str:
    return f"tls:{KEYED[role]}:{KEYED_PORT}"


def _keyed(folder: Path, role: KeyRole) -> list[str]:
    command = [sys.executable, "-m", "rng", role, "serve", "--dir", str(folder / role)]
    command += ["--listen", _line(role)]
    if role == "rng":
        command += ["--inspector", _line("inspector")]
        command += ["--printer", f"file:{folder / 'rolls' / 'rng.txt'}"]
    return command


def _proxy(floor: Machine, homes: list[Machine], folder: Path) -> Program:
    """Return HAProxy as it is installed, but for addresses; stations of a drill do without TLS."""
    as_installed = (DEPLOY / "haproxy" / "haproxy.cfg").read_text()
    addresses = dict(zip(("10.0.0.11", "10.0.0.12"), (at.address for at in homes), strict=True))
    text = re.sub(r"10\.0\.0\.1[12]", lambda found: addresses[found[0]], as_installed)
    text = re.sub(r" ssl verify required .*| verifyhost .*", "", text)
    text = re.sub(
        r"^ *(ssl-|log |option httplog|http-request redirect|bind :80$).*\n",
        "",
        text,
        flags=re.MULTILINE,
    )
    text = text.replace("maxconn 20000", "maxconn 2000")  # a small machine lets nobody have more
    text = re.sub(r"bind :443 .*", f"bind {floor.address}:{PORT}", text)
    # How the processes are doing is what the drill waits for, from inside.
    text = re.sub(r"^ *http-request deny .*\n", "", text, flags=re.MULTILINE)
    (folder / "haproxy.cfg").write_text(text)
    return Program("haproxy", floor, ["haproxy", "-db", "-f", str(folder / "haproxy.cfg")], folder)


# ---- founding ------------------------------------------------------------------------------------


def actor_at_console(office: Office, name: str, permission: Permission) -> Actor:
    """Return one of the staff at the console."""
    return at_console(office, name, secret_of(name), permission)


def put_card_in_force(office: Office) -> None:
    """Have the house's card accepted by both who must, and put it into force."""
    sam = actor_at_console(office, SAM, Permission.CARD_ACCEPT)
    digest = sha256(CARD.read_bytes()).digest()
    bring_card(office, sam, CARD.read_bytes())
    accept_card(office, sam, digest)
    accept_card(office, actor_at_console(office, MAX, Permission.CARD_ACCEPT), digest)
    put_in_force(office, sam, digest)


def _set_printers(office: Office, folder: Path) -> None:
    """Have every so many stations share a printer, whose paper is kept in a file."""
    ada = actor_at_console(office, ADA, Permission.PRINTER_MANAGE)
    sam = actor_at_console(office, SAM, Permission.PRINTER_MIND)
    for number in range(1, PRINTERS + 1):
        address = f"file:{_roll(folder, number)}"
        stations = STATIONS[number - 1 :: PRINTERS]
        set_printer(office, ada, PrinterPlan(f"P{number}", address, "80mm", stations), sam)


def _roll(folder: Path, number: int) -> Path:
    return folder / "rolls" / f"P{number}.bin"


def hold_ceremony(office: Office, folder: Path, series: dict[str, int]) -> None:
    """Make the keys and journals of both keyed processes, for the first game of each series."""
    house = office.house
    keys = {"office": office.keys.office, "log": office.keys.log}
    terms = (house.name, house.jurisdiction, house.log_origin)
    publish_terms(folder / "public", *terms, series, keys)
    make_certificate(folder / "keys")
    publish_certificate(folder / "keys", folder / "public")
    parts = [Part(role, folder / role, folder / "public") for role in KEY_ROLES]
    for part in parts:
        make_role_keys(part, rehearsal.passphrases(part.role))
    for part in parts:
        first = rehearsal.HOLDERS[part.role][0]
        make_journal(part, first, rehearsal.passphrases(part.role)[first])


def _open(office: Office) -> None:
    sam = actor_at_console(office, SAM, Permission.GAME_RUN)
    change_schedule(office, sam, SERIES, INTERVAL_SECONDS)
    with office.database.reading() as connection:
        (series,) = running.all_series(connection)
    closes_at = next_close(series, office.house.time_zone, office.now(), None)
    open_first_game(office, sam, SERIES, closes_at)
