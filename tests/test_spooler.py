"""The spooler: it prints what waits, each printer by itself, through faults and crashes."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from app import spooler
from app.flow.lease import LEASED
from app.flow.spool import has_paper, next_paper
from app.keno.numbering import printed_number
from app.spooler import Spooler
from printers.paper import NARROW, WIDE, Roll
from printers.press import Press
from printers.reader import Printed, Reader
from printers.virtual import Fault, VirtualPrinter
from tests.floor import WALT, WANDA, Floor, dollar
from tests.looking import rows

PATIENCE = 20.0


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


@contextmanager
def spooling(
    floor: Floor, holder: str = "first", counted: Callable[[], float] = time.monotonic
) -> Iterator[Spooler]:
    """A spooler at work, in threads of its own."""
    stop = threading.Event()
    made = Spooler(floor.office, holder, 0.5, 0.05, counted)
    running = threading.Thread(target=made.run, args=(stop,))
    running.start()
    try:
        yield made
    finally:
        stop.set()
        running.join(PATIENCE)


@contextmanager
def virtual(folder: Path, roll: Roll = WIDE) -> Iterator[VirtualPrinter]:
    made = VirtualPrinter(folder.name, roll, folder)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def waiting(floor: Floor) -> int:
    return int(rows(floor, "SELECT count(*) FROM queued_paper")[0][0])


@pytest.mark.rule("15.4(c)")
def test_everything_is_printed_in_its_order(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as printer, spooling(floor):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")  # added while it runs
        wanda = floor.writing()
        for _ in range(10):
            floor.sell(wanda, dollar())
        wait_for(lambda: waiting(floor) == 0)
        numbers = [numbered(path) for path in printer.papers[1:]]
    assert numbers == [printed_number(number) for number in range(1, 11)]
    ((confirmed,),) = rows(floor, "SELECT count(*) FROM paper_event WHERE state = 'confirmed'")
    assert confirmed == 11


def numbered(paper: Path) -> str:
    """The number of a ticket, in large letters below its house."""
    lines = [event for event in Reader().read(paper.read_bytes()) if isinstance(event, Printed)]
    large = [line.text for line in lines if line.runs and line.runs[0].style.size == 2]
    return large[-1]


@pytest.mark.rule("X-recovery")
def test_a_dead_printer_delays_only_its_own_paper(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as dead, virtual(tmp_path / "B2") as alive:
        floor.printer_at("B1", f"tcp:127.0.0.1:{dead.port}")
        floor.printer_at("B2", f"tcp:127.0.0.1:{alive.port}")
        dead.misbehave(Fault.SILENT)
        wanda, walt = floor.writing(), floor.writing(WALT, "B2")
        with spooling(floor):
            for _ in range(3):
                floor.sell(wanda, dollar())
                floor.sell(walt, dollar())
            wait_for(lambda: len(alive.papers) == 4)
            assert dead.papers == []
            dead.misbehave(Fault.NONE)
            wait_for(lambda: waiting(floor) == 0)
        assert len(dead.papers) == 4


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_one_that_takes_over_asks_about_what_was_being_sent(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as printer:
        row = floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        with spooling(floor, "first"):
            wait_for(lambda: waiting(floor) == 0)
        floor.sell(floor.signed_in(WANDA), dollar())
        next_paper(floor.office, row, Press())  # the first died on the way
        with spooling(floor, "first"):  # the same one again need not wait for the lease
            found = "SELECT count(*) FROM queued_paper WHERE state = 'unknown'"
            wait_for(lambda: rows(floor, found) == [(1,)])
        assert len(printer.papers) == 1


@pytest.mark.rule("X-recovery")
def test_a_second_spooler_waits_for_the_first_one_to_be_gone(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        with spooling(floor, "first"):
            floor.writing()
            wait_for(lambda: waiting(floor) == 0)
        counted = [0.0]
        with spooling(floor, "second", lambda: counted[0]):
            floor.sell(floor.signed_in(WANDA), dollar())
            time.sleep(0.5)
            assert waiting(floor) == 1
            counted[0] = 2 * LEASED.total_seconds()
            wait_for(lambda: waiting(floor) == 0)


@pytest.mark.rule("X-recovery")
def test_it_goes_on_after_the_database_was_away(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(1_000_000))

    def away_at_first(*given: Any) -> bool:  # noqa: ANN401
        if next(times) < 3:
            raise OperationalError("SELECT", {}, Exception("the server closed the connection"))
        return has_paper(*given)

    monkeypatch.setattr(spooler, "has_paper", away_at_first)
    with virtual(tmp_path / "B1", NARROW) as printer, spooling(floor):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        wait_for(lambda: waiting(floor) == 0)
