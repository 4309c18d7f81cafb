"""The wheel: it has every file of the software, and a house outside the repository runs on it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from uuid import uuid4
from zipfile import ZipFile

import pytest

from app.reports.compliance import compliance_matrix
from app.software import manifest, software_hash
from app.web.runbooks import PAGE, read_runbooks
from rng.serve import software as rng_software
from tests.doc_blocks import HOLDERS
from tests.ports import free_port
from tests.web.server import Client

ROOT = Path(__file__).parent.parent
# What a wheel is built from. The software's own folders are those of its manifest.
BUILT_FROM = ("app", "docs", "migrations", "printers", "rng")
BUILT_BY = ("README.md", "pyproject.toml", "setup.cfg", "wsgi.py")
START_SECONDS = 120


def run(command: list[str], folder: Path, typed: str = "") -> str:
    """Run a command outside the repository, without the settings of this process."""
    done = subprocess.run(  # noqa: S603  our own programs
        command,
        cwd=folder,
        env=environment(),
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def environment() -> dict[str, str]:
    ours = ("KENO_", "GRANIAN_", "PYTHON")
    return {name: text for name, text in os.environ.items() if not name.startswith(ours)}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from an sdist as `python -m build` does; the repository stays as it is."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    for part in BUILT_FROM:
        shutil.copytree(ROOT / part, source / part)
    for file in BUILT_BY:
        shutil.copy(ROOT / file, source)
    build = "import sys; from setuptools import build_meta; build_meta.build_{}(sys.argv[1])"
    run([sys.executable, "-c", build.format("sdist"), str(built)], source)
    (packed,) = built.glob("*.tar.gz")
    run(["tar", "-xf", str(packed)], built)
    (unpacked,) = (path for path in built.iterdir() if path.is_dir())
    run([sys.executable, "-c", build.format("wheel"), str(built)], unpacked)
    (made,) = built.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the wheel.

    It borrows the third-party packages from the environment of the tests. Our own package is not
    borrowed with them: a `.pth` file that is found by way of another one is not read.
    """
    place = tmp_path_factory.mktemp("installed")
    run([sys.executable, "-m", "venv", "--without-pip", "."], place)
    (packages_of(place / "bin") / "third-party.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python")]
    run([*pip, "install", "--no-deps", "--no-index", str(wheel)], place)
    return place / "bin"


@pytest.mark.rule("X-software-seal")
def test_the_wheel_has_every_file_of_the_software_and_no_other(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as packed:
        packed.extractall(tmp_path)
    files = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    (about,) = (path.name for path in tmp_path.glob("*.dist-info"))
    runbooks = about.replace(".dist-info", ".data/data/share/keno/runbooks.md")
    software = {line.split("  ", 1)[1] for line in manifest().splitlines()}
    assert {name for name in files if not name.startswith(about)} == software | {runbooks}
    assert manifest(tmp_path) == manifest()  # the same hash that was approved
    assert (tmp_path / runbooks).read_bytes() == PAGE.read_bytes()


# ---- a house -------------------------------------------------------------------------------------

SAM, MAX, WANDA, RITA = "Sam", "Max", "Wanda", "Rita"
ROLES = {SAM: "supervisor", MAX: "outside-manager", WANDA: "writer", RITA: "regulator"}
GIVEN, CHOSEN = "as the plan has it", "as it was chosen"
PLAN = """
name = "Wheel House"
jurisdiction = "US-NJ"
log_origin = "keno.example/wheel"
time_zone = "America/New_York"
day_starts_minutes = 360
[[series]]
code = "M"
name = "main"
[[locations]]
code = "booth"
kind = "booth"
name = "Main booth"
series = ["M"]
stations = ["B1"]
""" + "".join(
    f'[[staff]]\ncode = "{name.upper()}"\nname = "{name}"\nrole = "{role}"\nsecret = "{GIVEN}"\n'
    for name, role in ROLES.items()
)
BANK = {"currency": {"10000": 5}, "coin": {"25": 80}}
SALE = {
    "series": "M",
    "source": "request",
    "request": {"groups": [[4, 8, 15, 16], [23, 42, 7, 9]], "conditioning": "2/4 1/8 @ 1.00"},
    "tender": [{"kind": "currency", "cents": 2_000}],
}


class House:
    """A house in an empty folder, by the programs of the wheel."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder, self.port = programs, folder, free_port()
        self.headers: dict[str, dict[str, str]] = {}

    def run(self, command: str, *typed: str) -> str:
        """Run a program, with what is typed when it asks, line by line."""
        program, *words = shlex.split(command)
        lines = "".join(f"{line}\n" for line in typed)
        return run([str(self.programs / program), *words], self.folder, lines)

    @contextmanager
    def running(self, command: str) -> Iterator["subprocess.Popen[str]"]:
        """Run a program until the test is done with it."""
        program, *words = shlex.split(command)
        process = subprocess.Popen(  # noqa: S603  our own program
            [str(self.programs / program), *words],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        with process:
            try:
                yield process
            finally:
                process.terminate()

    def post(self, act: str, body: object, headers: dict[str, str]) -> dict[str, Any]:
        """Request an act through the API."""
        with closing(Client(self.port, headers)) as client:
            status, answer = client.ask("POST", f"/api/v1/{act}", body, str(uuid4()))
        assert status in {200, 201}, answer
        return answer

    def get(self, path: str, name: str | None = None) -> bytes:
        """Return the body of a page, as somebody who is signed in or as anyone."""
        headers = self.headers[name] if name else {}
        address = f"http://127.0.0.1:{self.port}{path}"
        with urlopen(Request(address, headers=headers)) as answer:
            assert answer.url == address  # a page that needs a sign-in would redirect to it
            return bytes(answer.read())


@pytest.fixture(scope="module")
def house(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house that runs in a folder outside the repository, with an open game."""
    house = House(programs, tmp_path_factory.mktemp("house"))
    with ExitStack() as stack:
        station = found(house)
        run_keyed_processes(house, stack)
        run_web(house, stack)
        sign_everybody_in(house, station)
        put_card_in_force(house)
        house.run("keno game open M --as Sam", CHOSEN)
        yield house


def packages_of(programs: Path) -> Path:
    """Return the folder that holds the packages of an environment."""
    place = str(programs.parent)
    return Path(sysconfig.get_path("purelib", "venv", {"base": place, "platbase": place}))


def found(house: House) -> dict[str, str]:
    """Create the tables, the keys and the house; return its station with its enrolment code."""
    (house.folder / "plan.toml").write_text(PLAN)
    (house.folder / "var").mkdir(mode=0o700)
    house.run("keno database upgrade")
    house.run("keno house keys")
    founded = json.loads(house.run("keno house found plan.toml --json"))
    house.run("keno house terms")
    return dict(founded["stations"][0])


def run_keyed_processes(house: House, stack: ExitStack) -> None:
    """Hold the key ceremony, start both keyed processes and unlock them."""
    for role, holders in (("rng", ("Sam", "Sue")), ("inspector", ("Ida", "Ivan"))):
        keygen = f"keno-{role} keygen --dir var/{role} --public var/public"
        names = " ".join(f"--holder {name}" for name in holders)
        house.run(f"{keygen} {names}", *(HOLDERS[name] for name in holders))
    house.run("keno-rng keygen --dir var/rng --public var/public --holder Sam", HOLDERS["Sam"])
    rng = "keno-rng serve --dir var/rng --printer file:var/paper.txt"
    inspector = "--inspector unix:var/inspector/service.sock"
    for command in ("keno-inspector serve --dir var/inspector", f"{rng} {inspector}"):
        lines = stack.enter_context(house.running(command)).stdout
        assert lines is not None
        assert "listens at" in lines.readline()
    house.run("keno-rng unlock --dir var/rng --holder Sam", HOLDERS["Sam"])
    house.run("keno-inspector unlock --dir var/inspector --holder Ida", HOLDERS["Ida"])


def run_web(house: House, stack: ExitStack) -> None:
    """Start the web process, and wait until it answers."""
    lines = packages_of(house.programs) / "app" / "web" / "granian.json"
    web = f"python -m granian --interface wsgi --no-ws --host 127.0.0.1 --port {house.port}"
    process = stack.enter_context(house.running(f"{web} --log-config {lines} wsgi:app"))
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            with closing(Client(house.port)) as client:
                assert client.ask("GET", "/readyz")[0] == 200
        except (OSError, HTTPException):
            assert process.poll() is None, "the web process has ended"
            assert time.monotonic() < end, "the web process did not come up"
            time.sleep(0.05)
        else:
            return


def sign_everybody_in(house: House, station: dict[str, str]) -> None:
    """Enrol the station; each person chooses a password of their own and signs in."""
    token = house.post("stations/enrol", station, {})["station_token"]
    for name in ROLES:
        at_station = {"X-Station": str(token)}
        house.post("secret", {"name": name, "secret": GIVEN, "new_secret": CHOSEN}, at_station)
        session = house.post("sign-in", {"name": name, "secret": CHOSEN}, at_station)
        house.headers[name] = at_station | {"Authorization": f"Bearer {session['token']}"}


def put_card_in_force(house: House) -> None:
    """Submit the rate card of the demonstration, have it accepted by two and activate it."""
    file = packages_of(house.programs) / "app" / "rate_cards" / "house-card-1.toml"
    card = house.post("cards", {"file": file.read_text()}, house.headers[SAM])["card"]
    for name in (SAM, MAX):
        house.post(f"cards/{card}/accept", {}, house.headers[name])
    house.post(f"cards/{card}/force", {}, house.headers[SAM])


FIND = """
from importlib.util import find_spec
for name in ("app", "migrations", "printers", "rng", "wsgi"):
    spec = find_spec(name)
    print(spec.origin or spec.submodule_search_locations[0])
"""


@pytest.mark.rule("X-software-seal")
def test_the_software_that_runs_is_that_of_the_wheel(house: House) -> None:
    packages = packages_of(house.programs)
    assert not packages.is_relative_to(ROOT)
    found = house.run(f"python -c {shlex.quote(FIND)}").splitlines()
    assert [Path(place).relative_to(packages).parts[0] for place in found] == [
        "app",
        "migrations",
        "printers",
        "rng",
        "wsgi.py",
    ]
    assert software_hash() in house.get("/regulator/compliance", RITA).decode()
    assert house.run("keno-rng manifest --core") == rng_software.manifest(part="core")
    assert house.run("keno-inspector manifest") == rng_software.manifest()


@pytest.mark.rule("15.4(c)")
def test_a_ticket_is_sold_over_http(house: House) -> None:
    sam = {"name": SAM, "secret": CHOSEN}
    house.post("drawers", {"counted": BANK, "verifier": sam}, house.headers[WANDA])
    sold = house.post("tickets", SALE, house.headers[WANDA])
    assert (sold["number"], sold["price_cents"]) == (1, 300)
    drawn = house.get("/api/v1/tickets/1/picture", WANDA)  # in the letters of printers/fonts
    assert drawn.startswith(b"\x89PNG")


def test_the_pages_have_their_files(house: House) -> None:
    static = ROOT / "app" / "web" / "static"
    for file in static.rglob("*"):
        if file.is_file():
            assert house.get(f"/static/{file.relative_to(static)}") == file.read_bytes()
    for path in ("/", "/results", "/board/M", "/check"):
        assert b"Wheel House" in house.get(path)
    for path in ("/request-form.pdf", "/rate-card.pdf"):
        assert house.get(path).startswith(b"%PDF")
    assert house.get("/verifier.py") == (ROOT / "app" / "audit" / "verifier.py").read_bytes()
    runbooks = house.get("/supervisor/runbooks", SAM).decode()
    assert [each.id for each in read_runbooks() if f'id="{each.id}"' not in runbooks] == []
    compliance = house.get("/regulator/compliance", RITA).decode()
    assert [each.id for each in compliance_matrix() if each.id not in compliance] == []
