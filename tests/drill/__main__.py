"""`make drill`: a whole house is broken in every way there is, while 32 stations sell.

What every station was told is compared with what the database holds, after each fault. It ends with
a table, on the screen and, if all faults were run, in docs/drill.md; and with 1 if anything was
lost, happened twice, or did not come back.
"""

import argparse
import shutil
import sys
import threading
import time
from pathlib import Path
from tempfile import mkdtemp

from tests.drill.checking import check_papers, check_records, compare
from tests.drill.faults import FAULTS, Blind, NoSales, Scene
from tests.drill.house import DESK, MAX, PORT, SAM, STATIONS, House, secret_of, set_up
from tests.drill.machines import Network
from tests.drill.packages import CannotDrill, have_packages
from tests.drill.paper import Tray
from tests.drill.stations import Crew, Floor, Screens, Station
from tests.drill.table import HEAD, Row, down_seconds, write_page

WARM_SECONDS = 4.0
DRAIN_SECONDS = 120.0
READY_SECONDS = 180.0
PROXY_SECONDS = 3.0  # until HAProxy has seen what we see
SHOWN = 10  # faults on the screen, of each row


def main() -> int:
    """Hold the drill."""
    parser = argparse.ArgumentParser(prog="python -m tests.drill", description=__doc__)
    parser.add_argument("fault", nargs="*", help=f"one of {', '.join(FAULTS)}; none: all of them")
    parser.add_argument("--keep", action="store_true", help="keep its folder, with every log")
    options = parser.parse_args()
    unknown = [name for name in options.fault if name not in FAULTS]
    if unknown:
        parser.error(f"there is no fault {unknown[0]}; there are {', '.join(FAULTS)}")
    try:
        have_packages()
        network = Network()
    except CannotDrill as remedy:
        sys.stderr.write(f"{remedy}\n")
        return 2
    folder = Path(mkdtemp(prefix="keno-drill-"))
    folder.chmod(0o755)
    sound = False
    try:
        rows, wrong = hold(network, folder, options.fault or list(FAULTS))
        sound = not wrong and not any(row.found.faults for row in rows)
    finally:
        network.remove()
        if sound and not options.keep:
            shutil.rmtree(folder)
        else:
            say(f"Its logs are in {folder}.")
    if not options.fault:
        write_page(rows, wrong)
    return 0 if sound else 1


def hold(network: Network, folder: Path, names: list[str]) -> tuple[list[Row], list[str]]:
    """Break the house in the ways that are named; return the rows, and what is wrong at the end."""
    machine = network.add("floor", "10.91.0.31")
    network.move_to(machine)
    say("Two databases, etcd, web nodes and all the rest are started ...")
    house = set_up(network, machine, folder)
    crew = open_stations(house)
    screens = Screens(crew.floor, DESK, house.enrolments[DESK], SAM, secret_of(SAM))
    crew.start()
    rows: list[Row] = []
    say(" | ".join(HEAD))
    for name in names:
        known = {fault for row in rows for fault in row.found.faults}
        row = one_fault(Scene(house, crew.floor, screens), crew, name, known)
        rows.append(row)
        say(" | ".join(row.cells()), *row.found.faults[:SHOWN])
    crew.end()
    say("Books, log and draws are checked ...")
    wrong = [*check_records(house, say), *check_papers(crew.floor.tray)]
    say(*(wrong[:SHOWN] or ["Books, log, draws and paper are sound."]))
    return rows, wrong


def open_stations(house: House) -> Crew:
    """Enrol all stations, and open a drawer at each."""
    (house.folder / "journals").mkdir()
    tray = Tray(house.rolls)
    floor = Floor((house.floor.address, PORT), tray, house.folder / "journals")
    threading.Thread(target=tray.run, args=(floor.ended,), daemon=True).start()
    wait_until_ready(house)
    stations = [Station(floor, code, seed) for seed, code in enumerate(STATIONS)]
    verifier = {"name": MAX, "secret": secret_of(MAX)}
    for station in stations:
        writer = f"Writer {station.code}"
        station.open(house.enrolments[station.code], writer, secret_of(writer), verifier)
    return Crew(floor, stations)


def one_fault(scene: Scene, crew: Crew, name: str, known: set[str]) -> Row:
    """Sell, break something, see how long it takes, and compare; what was known is not news."""
    fault, house, floor = FAULTS[name], scene.house, scene.floor
    before = len(floor.acts)
    wrong = []
    wait_until_ready(house)
    crew.sell()
    time.sleep(WARM_SECONDS)
    broken_at = time.monotonic()
    try:
        fault(scene)
        house.cluster.wait_until_whole()
    except (Blind, NoSales, RuntimeError, LookupError) as trouble:
        wrong.append(f"{name}: {trouble}")
    time.sleep(WARM_SECONDS)
    until = time.monotonic()
    if not crew.pause(DRAIN_SECONDS):
        wrong.append(f"{name}: a station got no answer")
    acts = floor.acts[before:]
    found = compare(house, floor.acts).without(known)
    found.wrong.extend(wrong)
    what = (fault.__doc__ or "").splitlines()[0].rstrip(".")
    return Row(name, what, down_seconds(acts, broken_at, until), acts, found)


def wait_until_ready(house: House) -> None:
    """Wait until all of the house works."""
    end = time.monotonic() + READY_SECONDS
    while not house.is_ready():
        if time.monotonic() > end:
            raise RuntimeError("the house did not come up")
        time.sleep(0.5)
    time.sleep(PROXY_SECONDS)


def say(*lines: str) -> None:
    """Say something on the screen."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
