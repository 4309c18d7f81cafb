"""The house of the week: every process that a house has, and a clock that nights can pass on.

All of them run for the whole week as they run in production, on one machine. A day cannot be waited
for, so the clock of the house is set forward by one whenever its games are over: that of the
database on PostgreSQL, and that which every process reads on SQLite and in the two keyed processes.
What only counts goes on as it is: the caller finds that the clock has jumped, as it should.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher

from app.entropy import system_entropy
from app.flow.day import gaming_day
from app.flow.found_house import LocationPlan, SeriesPlan, found_house
from app.flow.keys import make_keys
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from app.flow.report_jobs import choose_report
from app.house import open_office
from app.reports.catalogue import Format
from app.settings import read_settings
from app.store import schema
from app.store.tables import LocationKind
from rng.lab import rehearsal
from tests.drill.house import (
    ADA,
    KEY_ROLES,
    PLAN,
    SAM,
    STATIONS,
    actor_at_console,
    hold_ceremony,
    put_card_in_force,
)
from tests.drill.stations import Line

ROOT = Path(__file__).parents[2]
SERIES = {"M": 1, "F": 1}
DESK = "K1"  # where the supervisor is
WEEK = replace(
    PLAN,
    name="Week House",
    jurisdiction="SOAK",
    log_origin="soak.example/keno",
    series=(SeriesPlan("M", "main"), SeriesPlan("F", "fast")),
    locations=(
        LocationPlan("booth", LocationKind.BOOTH, "Booth", tuple(SERIES), (*STATIONS, DESK)),
    ),
)
PRINTERS = [f"P{number}" for number in range(1, 9)]
OWN_PRINTER = "RNG"  # the generator's
DAILY = ("voids", "winning-numbers", "game-recap", "drawers", "unclaimed", "win", "exceptions")
START_SECONDS = 60
STOP_SECONDS = 30
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
TICK_MS = 1000 // os.sysconf("SC_CLK_TCK")

# Found before the server's own of that name; everything else is where it was.
MOVED_CLOCK = """
CREATE SCHEMA moved;
CREATE TABLE moved.nights (days integer NOT NULL);
INSERT INTO moved.nights VALUES (0);
CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
$$ SELECT pg_catalog.clock_timestamp() + days * interval '1 day' FROM moved.nights $$;
"""


@dataclass(frozen=True)
class Measured:
    """What a process holds, and what it has used."""

    memory_kib: int
    handles: int  # files, lines and sockets
    processor_ms: int


@dataclass
class Program:
    """One process of the house, which must run until it is told to stop."""

    name: str
    command: list[str]
    folder: Path
    environment: dict[str, str]
    _process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it."""
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603  our own processes
                self.command,
                cwd=ROOT,
                env=os.environ | self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def ended_with(self) -> int | None:
        """How it ended, if it has."""
        return None if self._process is None else self._process.poll()

    def stop(self) -> int:
        """Have it end, and return how it did."""
        assert self._process is not None
        self._process.terminate()
        try:
            return self._process.wait(STOP_SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    @property
    def pids(self) -> list[int]:
        """Its processes: workers of the web server are its own.

        The one that works the books out, which the caller starts and which ends by itself, is not.
        """
        assert self._process is not None
        pids = [self._process.pid]
        if self.name == "web":
            children = Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text()
            pids += map(int, children.split())
        return pids

    def measured(self) -> Measured:
        """Return what it holds now, and what it has used so far."""
        pages = handles = ticks = 0
        for process in (Path(f"/proc/{pid}") for pid in self.pids):
            pages += int((process / "statm").read_text().split()[1])
            handles += len(list((process / "fd").iterdir()))
            # Behind the name, which may have spaces in it: in its own code, and in the system's.
            ticks += sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:13]))
        return Measured(pages * PAGE_KIB, handles, ticks * TICK_MS)


@dataclass
class House:
    """The house, and where it is."""

    folder: Path
    office: Office
    environment: dict[str, str]
    web: tuple[str, int]
    feed: tuple[str, int]
    programs: list[Program]
    enrolments: dict[str, str]
    nights: int = field(default=0)

    @property
    def papers(self) -> list[Path]:
        """Where each printer of the stations keeps its paper."""
        return [self.folder / "papers" / name for name in PRINTERS]

    @property
    def first_day(self) -> date:
        """The gaming day in which the house was founded."""
        house = self.office.house
        return gaming_day(house.founded_at, house.time_zone, house.day_starts_minutes)

    def pass_night(self) -> None:
        """Set the clock of the house forward by a day."""
        self.nights += 1
        _set_clock(self.office, self.folder, self.nights)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return what a query finds."""
        with self.office.database.reading() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(statement)]


@contextmanager
def house_of(url: str, folder: Path) -> Iterator[House]:
    """Found a house, start all of its processes, and end whatever is left of them."""
    for name in ("papers", "metrics"):
        (folder / name).mkdir()
    environment = _environment(url, folder)
    make_keys(folder / "keys", system_entropy)
    settings = {name: text for name, text in environment.items() if name.startswith("KENO_")}
    office = open_office(read_settings(settings))
    office.hasher = PasswordHasher(1, 8, 1)  # the secrets of a soak are none
    with ExitStack() as stack:
        stack.callback(office.close)
        # Before the clock is moved: where that is found, a type of ours named `void` is too.
        schema.upgrade(office.database)
        _make_clock(office, folder)
        enrolments = found_house(office, WEEK)
        put_card_in_force(office)
        hold_ceremony(office, folder, SERIES)
        ports = dict(
            zip((*PRINTERS, OWN_PRINTER, "pictures", "web", "feed"), _ports(), strict=False)
        )
        _set_up(office, ports)
        programs = [
            Program(name, command, folder, environment)
            for name, command in _commands(folder, ports, office.database.is_sqlite).items()
        ]
        house = House(
            folder,
            office,
            environment,
            ("127.0.0.1", ports["web"]),
            ("127.0.0.1", ports["feed"]),
            programs,
            enrolments,
        )
        for program in programs:
            program.start()
            stack.callback(_kill, program)
            if program.name in KEY_ROLES:
                rehearsal.unlock(folder, program.name)
        _wait_until_ready(house)
        yield house


def _kill(program: Program) -> None:
    if program.ended_with is None:
        program.stop()


# ---- its clock -----------------------------------------------------------------------------------


def _make_clock(office: Office, folder: Path) -> None:
    (folder / "days").write_text("0")
    if office.database.is_sqlite:
        return
    with office.database.writing() as connection:
        connection.exec_driver_sql(MOVED_CLOCK)
        name = office.database.url.database
        first = "public, moved, pg_catalog"
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET search_path = {first}")
        connection.commit()
    office.database.engine.dispose()  # who connects now has it


def _set_clock(office: Office, folder: Path, nights: int) -> None:
    fresh = folder / "days.new"
    fresh.write_text(str(nights))
    fresh.replace(folder / "days")
    if not office.database.is_sqlite:
        with office.database.writing() as connection:
            connection.exec_driver_sql("UPDATE moved.nights SET days = %s", (nights,))
            connection.commit()


# ---- its processes -------------------------------------------------------------------------------


def _environment(url: str, folder: Path) -> dict[str, str]:
    return {
        "KENO_DATABASE": url,
        "KENO_KEYS": str(folder / "keys"),
        "KENO_PUBLIC": str(folder / "public"),
        "KENO_REPORTS": str(folder / "reports"),
        "KENO_METRICS": str(folder / "metrics"),
        "KENO_RNG": f"unix:{folder / 'rng' / 'service.sock'}",
        "KENO_INSPECTOR": f"unix:{folder / 'inspector' / 'service.sock'}",
        "SOAK_DAYS": str(folder / "days"),
        "PYTHONPATH": f"{Path(__file__).parent / 'moved_clock'}:{ROOT}",
    }


def _ports() -> Iterator[int]:
    """Yield ports that nobody has now."""
    with ExitStack() as stack:
        for _ in range(len(PRINTERS) + 4):
            free = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            yield int(free.getsockname()[1])


def _commands(folder: Path, ports: dict[str, int], is_sqlite: bool) -> dict[str, list[str]]:
    """Return how each process is started, in this order; the web server as its unit does."""
    python, keno = [sys.executable, "-m"], [sys.executable, "-m", "app.cli"]
    unit = (ROOT / "deploy" / "systemd" / "keno-web.service").read_text()
    as_installed = re.search(r"^ExecStart=\S+ (granian .*)$", unit, re.MULTILINE)
    assert as_installed is not None
    workers = "1" if is_sqlite else "2"
    place = ["--host", "127.0.0.1", "--port", str(ports["web"]), "--workers", workers]
    granian, *options = as_installed[1].split()
    service = f"unix:{folder / 'inspector' / 'service.sock'}"
    printer = f"escpos:127.0.0.1:{ports[OWN_PRINTER]}"
    listed = [f"{name}={ports[name]}" for name in (*PRINTERS, OWN_PRINTER)]
    pictures = ["--folder", str(folder / "papers"), "--pictures", str(ports["pictures"])]
    keyed: dict[str, list[str]] = {
        role: [*python, "rng", role, "serve", "--dir", str(folder / role)] for role in KEY_ROLES
    }
    keyed["rng"] += ["--inspector", service, "--printer", printer]
    return {
        "printers": [*python, "printers.gallery", *pictures, *listed],
        **keyed,
        "web": [*python, granian, *place, *options],
        "caller": [*keno, "caller", "--name", "soak"],
        "feed": [*keno, "feed", "--port", str(ports["feed"])],
        "spooler": [*keno, "spooler", "--name", "soak"],
        "reporter": [*keno, "reporter"],
    }


def _set_up(office: Office, ports: dict[str, int]) -> None:
    """Give stations printers, have reports made at each close, and open the first games."""
    ada = actor_at_console(office, ADA, Permission.PRINTER_MANAGE)
    sam = actor_at_console(office, SAM, Permission.GAME_RUN)
    for number, code in enumerate(PRINTERS):
        stations = STATIONS[number :: len(PRINTERS)]
        plan = PrinterPlan(code, f"tcp:127.0.0.1:{ports[code]}", "80mm", stations)
        set_printer(office, ada, plan, sam)
    for report in DAILY:
        choose_report(office, sam, report, Format.PDF, chosen=True)


def _wait_until_ready(house: House) -> None:
    """Wait until the web server answers and can do all that it is there for."""
    end = time.monotonic() + START_SECONDS
    sam = actor_at_console(house.office, SAM, Permission.GAME_RUN)
    for series in SERIES:
        open_first_game(house.office, sam, series)
    line = Line(house.web)
    with closing(line):
        while True:
            with suppress(OSError, HTTPException, ValueError):
                if line.ask("GET", "/readyz")[0] == HTTPStatus.OK:
                    return
            assert time.monotonic() < end, "the house did not come up"
            time.sleep(0.1)
