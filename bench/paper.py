"""Paper: slips made, papers through the spooler to twenty printers, and from a sale to its paper.

The floor of a slip is the library alone, writing the same text and codes without our layout. The
floor of the spooler is the same bytes sent to the same printers by a thread each, with nothing
queued, kept or noted.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from escpos.printer import Dummy
from sqlalchemy import text

from app.flow.access import Credentials
from app.flow.spool import all_printers, next_paper, note_ending
from app.spooler import Spooler
from bench.house import NAMES, crowded_house, on_both_engines
from bench.measure import Result, compare
from printers.devices import Network
from printers.escpos import PROFILES
from printers.paper import ROLLS, WIDE
from printers.press import Press
from printers.reader import Bars, Printed, Qr, Reader
from printers.sending import Ending, send_paper
from printers.virtual import VirtualPrinter
from tests.floor import Floor
from tests.printers.golden import paper
from tests.printing import PRINTING

PRINTERS = 20
PAPERS = 25  # for each printer
SALES = 100


def measure() -> Iterator[Result]:
    """Measure slips, then the spooler on both engines."""
    yield from _slips()
    yield from on_both_engines(_engine)


# ---- slips ---------------------------------------------------------------------------------------


def _slips() -> Iterator[Result]:
    for name in ("ticket", "payout", "shift"):
        for roll in ROLLS:
            events = list(Reader().read(paper(name, roll)))
            found = compare(partial(paper, name, roll), partial(_library_alone, events, roll))
            what = f"{name} slip on {roll}"
            yield Result(f"{what}: made", 1 / found.seconds, "a second")
            yield Result(f"{what}: against the library alone", found.times_faster, "of the floor")


def _library_alone(events: list[Any], roll: str) -> bytes:
    """Write the same text and codes as the library's own examples do."""
    printer = Dummy(profile=PROFILES[roll])
    for event in events:
        match event:
            case Printed():
                printer._raw(event.text.encode("ascii") + b"\n")  # noqa: SLF001
            case Bars():
                printer._raw(b"\x1dkI" + event.digits.encode())  # noqa: SLF001
            case Qr():
                printer.qr(event.text, native=True, size=6)
    printer.cut()
    return bytes(printer.output)


# ---- the spooler ---------------------------------------------------------------------------------


def _engine(engine: str, root: Path, new_url: Callable[[str], str]) -> Iterator[Result]:
    house, people = crowded_house(new_url("paper"), root / "paper", PRINTERS)
    with _printers(PRINTERS) as (ports, folder):
        for place, port in enumerate(ports, 1):
            house.printer_at(f"B{place}", f"tcp:127.0.0.1:{port}")
        _drain(house)
        for person in people:
            for _ in range(PAPERS):
                house.sell(person)
        papers = _true_papers(house)
        start = time.perf_counter()
        with _spooling(house):
            while _waiting(house):
                time.sleep(0.01)
            seconds = time.perf_counter() - start
            name = f"{NAMES[engine]}: {PRINTERS} printers"
            rate = PRINTERS * PAPERS / seconds
            yield Result(f"{name}: papers through the spooler", rate, "a second")
            raw = PRINTERS * PAPERS / _sent_raw(ports, papers)
            yield Result(f"{name}: the same bytes sent raw", raw, "a second")
            yield Result(f"{name}: spooler against raw", rate / raw, "of the floor")
            waits = _from_sale_to_paper(house, people[0], folder / "1")
        name = f"{NAMES[engine]}: from a sale to the last byte of its paper"
        yield Result(f"{name}, median", 1000 * median(waits), "milliseconds")
        yield Result(f"{name}, 99 of 100", 1000 * quantiles(waits, n=100)[98], "milliseconds")
    house.close()


@contextmanager
def _printers(count: int) -> Iterator[tuple[list[int], Path]]:
    """Virtual printers in a process of their own, so that they cost the spooler nothing."""
    with TemporaryDirectory(prefix="keno-") as folder:
        ours, theirs = get_context("fork").Pipe()

        def run() -> None:
            made = [
                VirtualPrinter(str(n), WIDE, Path(folder) / str(n)) for n in range(1, count + 1)
            ]
            for each in made:
                each.start()
            theirs.send([each.port for each in made])
            theirs.recv()
            os._exit(0)

        process = get_context("fork").Process(target=run)
        process.start()
        try:
            yield ours.recv(), Path(folder)
        finally:
            ours.send("stop")
            process.join()


@contextmanager
def _spooling(house: Floor) -> Iterator[None]:
    stop = threading.Event()
    running = threading.Thread(target=Spooler(house.office, "bench").run, args=(stop,))
    running.start()
    try:
        yield
    finally:
        stop.set()
        running.join()


def _drain(house: Floor) -> None:
    """Be done with the counts of the drawers, without printing them."""
    with house.office.database.writing() as connection:
        connection.execute(text("DELETE FROM queued_paper"))
        connection.commit()


def _waiting(house: Floor) -> int:
    with house.office.database.reading() as connection:
        count: int = connection.execute(text("SELECT count(*) FROM queued_paper")).scalar_one()
    return count


def _true_papers(house: Floor) -> list[bytes]:
    """The bytes of one ticket, as often as each printer gets one."""
    sending = next_paper(house.office, all_printers(house.office)[0], Press())
    if sending is None:
        raise RuntimeError("no paper waits")
    note_ending(house.office, sending, Ending.CONFIRMED.value, None)
    return [sending.data] * PAPERS


def _sent_raw(ports: list[int], papers: list[bytes]) -> float:
    """Send the same papers to every printer at once; return how long it took."""

    def send(port: int) -> None:
        for data in papers:
            outcome = send_paper(Network("127.0.0.1", port, allowed=PRINTING), partial(bytes, data))
            if outcome is None or outcome.ending is not Ending.CONFIRMED:
                raise RuntimeError("a paper did not come out")

    threads = [threading.Thread(target=send, args=(port,)) for port in ports]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def _from_sale_to_paper(house: Floor, person: Credentials, folder: Path) -> list[float]:
    """Sell, and wait for each paper to be cut; return how long it took from the commit on."""
    waits = []
    for _ in range(SALES):
        wanted = len(list(folder.glob("*.bin"))) + 1
        house.sell(person)
        start = time.perf_counter()
        while len(list(folder.glob("*.bin"))) < wanted:
            time.sleep(0.001)
        waits.append(time.perf_counter() - start)
    return waits
