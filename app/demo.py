"""The demonstration house: `make run` founds it, starts it, and stops it on Ctrl-C.

It is the product with seeded people and keys that are no secret; nothing but that differs. Run
again, it goes on where it was. Its games are locked at an interval, and its paper is a folder of
text files, codes included, so that a whole shift can be tried by script.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

from app.entropy import system_entropy
from app.flow.access import at_console, renew_enrolment
from app.flow.actor import Actor
from app.flow.codes import validation_code
from app.flow.found_house import (
    HousePlan,
    LocationPlan,
    SeriesPlan,
    StaffPlan,
    found_house,
)
from app.flow.keys import make_keys, read_keys
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.keno.numbering import printed_number
from app.settings import read_settings
from app.store import schema
from app.store.database import Database
from app.store.queries import Reading, cards, games, paper, tickets
from app.store.tables import Consent, LocationKind, Role, Slip

VAR = Path("var")
CARD = Path(__file__).parent / "rate_cards" / "house-card-1.toml"
SERIES = "M"
WEB_THREADS = 4
STOP_SECONDS = 10
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
    jurisdiction="US-NJ",
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
    settings = read_settings(os.environ)
    VAR.mkdir(mode=0o700, exist_ok=True)
    if not settings.keys.exists():
        make_keys(settings.keys, system_entropy)
    office = Office(Database(settings.database), read_keys(settings.keys))
    schema.upgrade(office.database)
    enrolments = _founded(office)
    address = f"http://127.0.0.1:{options.port}"
    _announce(address, enrolments)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    web = _start_web(options.port, office.database.is_sqlite)
    workers = [
        threading.Thread(target=_print_paper, args=(office, stop)),
        threading.Thread(target=_lock_games, args=(office, stop, options.interval)),
    ]
    for worker in workers:
        worker.start()
    while web.poll() is None and not stop.wait(0.2):
        pass
    ended_by_itself = web.poll() is not None
    stop.set()
    _stop_web(web)
    for worker in workers:
        worker.join()
    office.database.close()
    return 1 if ended_by_itself else 0


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
        is_open = games.open_game(connection, SERIES) is not None
    if card is None:
        bring_card(office, sam, CARD.read_bytes())
    if Consent.SUPERVISOR not in accepted:
        accept_card(office, sam, digest)
    if Consent.MANAGER not in accepted:
        accept_card(office, _at_console(office, "max"), digest)
    if not holds:
        put_in_force(office, sam, digest)
    if not is_open:
        open_first_game(office, sam, SERIES)
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


def _announce(address: str, enrolments: dict[str, str]) -> None:
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
        "paper": str(VAR / "paper"),
    }
    path, fresh = VAR / "demo.json", VAR / "demo.json.new"
    fresh.touch(mode=0o600)
    fresh.write_text(json.dumps(told, indent=2) + "\n")
    fresh.replace(path)
    print(f"The demonstration house is at {address}", flush=True)
    for person in STAFF:
        print(f"  {person.name:<6} {person.role.value:<16} {person.secret}", flush=True)
    print(f"Stations, their enrolment codes and all of this: {path}. Ctrl-C stops it.", flush=True)


def _start_web(port: int, is_sqlite: bool) -> "subprocess.Popen[bytes]":
    """Start the web server: one process on SQLite, whose writers stand in one queue."""
    workers = 1 if is_sqlite else 2
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--workers", str(workers)]
    command += ["--blocking-threads", str(WEB_THREADS), "--log-level", "warning", "wsgi:app"]
    # In a session of its own: a Ctrl-C at the terminal would reach its workers beside our own
    # word to stop, and they do not bear being told twice.
    return subprocess.Popen(command, start_new_session=True)  # noqa: S603  our own server


def _stop_web(web: "subprocess.Popen[bytes]") -> None:
    """Have the web server finish what it is doing, and end it if it does not."""
    web.terminate()
    try:
        web.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(web.pid, signal.SIGKILL)
        web.wait()


def _lock_games(office: Office, stop: threading.Event, interval: int) -> None:
    """Lock the open game at each interval; the next one opens with it."""
    while not stop.wait(interval):
        lock_game(office, _at_console(office, "sam"), SERIES)


def _print_paper(office: Office, stop: threading.Event) -> None:
    """Put every slip into a folder, with its code: the paper of a house without printers."""
    folder = VAR / "paper"
    folder.mkdir(mode=0o700, exist_ok=True)
    last = max((int(path.stem.split("-")[0]) for path in folder.glob("*.txt")), default=0)
    while not stop.wait(0.05):
        with office.database.reading() as connection:
            for job in paper.jobs_after(connection, last):
                text = _slip(office, connection, job)
                (folder / f"{job.id}-{job.slip.value}-{job.payload['ticket']}.txt").write_text(text)
                last = job.id


def _slip(office: Office, connection: Reading, job: paper.Job) -> str:
    number = job.payload["ticket"]
    ticket = tickets.ticket(connection, number)
    if ticket is None:
        raise LookupError(f"a slip of ticket {number}, which is not there")
    lines = [job.slip.value.upper(), f"number {printed_number(number)}", f"station {job.station}"]
    if job.slip is Slip.TICKET:
        lines.append(f"code {validation_code(office.keys, ticket.code_key, number, ticket.leaf)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
