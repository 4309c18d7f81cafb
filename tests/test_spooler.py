"""The spooler: it prints what waits, each printer by itself, through faults and crashes."""

import socket
import threading
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy.exc import OperationalError

from app import spooler
from app.cli.answers import BadUsage
from app.cli.house import _only_one
from app.flow.lease import LEASED, Held, LeaseLost, Watch, take_lease
from app.flow.reprint import Seen, papers_at, say_printed
from app.flow.spool import interrupted, next_paper, note_ending, printers_with_paper
from app.keno.numbering import printed_number
from app.spooler import NEW_PRINTERS_SECONDS, Spooler
from app.store import schema
from app.store.database import Database
from app.store.unit import CommitUnknown
from printers.devices import Device, Network
from printers.escpos import CLEARED, CUT_OFF
from printers.paper import NARROW
from printers.press import Press
from printers.reader import Printed, Reader
from printers.sending import check_printer
from printers.virtual import Fault
from tests.floor import WALT, WANDA, Floor, dollar
from tests.looking import rows, write
from tests.spooling import AT_ONCE, spooling, virtual, waiting
from tests.waiting import until


@pytest.mark.rule("X-recovery")
def test_what_hangs_in_a_printer_is_cut_off_also_by_a_spooler_that_was_started_since(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    with virtual(tmp_path / "B1") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.sell(wanda, dollar())
        printer.misbehave(Fault.CUT_LINE, 400)
        unknown = "SELECT count(*) FROM queued_paper WHERE state = 'unknown'"
        with spooling(floor):
            until(lambda: rows(floor, unknown) == [(1,)])
        hanging = printer.printed_so_far
        assert hanging
        printer.misbehave(Fault.NONE)
        floor.sell(wanda, dollar())
        with spooling(floor):
            until(lambda: len(printer.papers) >= 2)
        cut_off = printer.papers[0].read_bytes()
        assert cut_off.removeprefix(hanging) == CUT_OFF.removeprefix(CLEARED)


@pytest.mark.rule("X-recovery")
def test_what_hangs_is_cut_off_also_if_the_writer_answered_before_the_spooler_was_started(
    floor: Floor, tmp_path: Path
) -> None:
    """Or the patron gets half a ticket and its copy on one strip."""
    wanda = floor.writing()
    with virtual(tmp_path / "B1") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        with spooling(floor):
            until(lambda: waiting(floor) == 0)
            printer.misbehave(Fault.CUT_LINE, 400)
            floor.sell(wanda, dollar())
            unknown = "SELECT entry FROM queued_paper WHERE state = 'unknown'"
            until(lambda: len(rows(floor, unknown)) == 1)
        ((paper,),) = rows(floor, unknown)
        seen = Seen(int(paper), 0, printed=False)
        say_printed(floor.office, wanda, seen, floor.request_id())
        printer.misbehave(Fault.NONE)
        with spooling(floor):
            until(lambda: len(printer.papers) == 3)
        _, half, copy = (path.read_bytes() for path in printer.papers)
        assert b"COPY" not in half
        assert copy.count(b"\x1dV\x00") == 1
        assert b"COPY 1" in copy


@pytest.mark.rule("X-recovery")
def test_a_printer_that_was_mended_while_nothing_waits_has_no_trouble_any_more(
    floor: Floor, tmp_path: Path
) -> None:
    why = "SELECT why FROM printer_condition"
    with virtual(tmp_path / "B1") as printer, spooling(floor, done_seconds=AT_ONCE):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        wanda = floor.writing()
        until(lambda: waiting(floor) == 0)
        printer.misbehave(Fault.PAPER_OUT, 400)
        floor.sell(wanda, dollar())
        until(lambda: rows(floor, "SELECT state FROM queued_paper") == [("unknown",)])
        assert rows(floor, why) == [("The printer is out of paper.",)]
        (asked,) = papers_at(floor.office, wanda)["papers"]
        seen = Seen(asked["paper"], asked["copy"], printed=True)
        say_printed(floor.office, wanda, seen, floor.request_id())
        assert rows(floor, why) == [("The printer is out of paper.",)]
        printer.misbehave(Fault.NONE)
        until(lambda: rows(floor, why) == [(None,)])
    assert waiting(floor) == 0


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)", "X-recovery")
def test_a_spooler_that_runs_is_seen_and_one_that_has_ended_is_missed_within_ten_seconds(
    floor: Floor, tmp_path: Path
) -> None:
    counted = [0.0]

    def sentence() -> str:
        return str(papers_at(floor.office, wanda)["printing"]["sentence"])

    with virtual(tmp_path / "B1") as printer, virtual(tmp_path / "B2") as other:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.printer_at("B2", f"tcp:127.0.0.1:{other.port}")
        wanda = floor.writing()
        with spooling(floor, counted=lambda: counted[0]):
            until(lambda: waiting(floor) == 0)
            for _ in range(3):  # so often that it is missed late, and never by mistake
                floor.pass_time(seconds=int(spooler.RENEW_SECONDS + NEW_PRINTERS_SECONDS))
                assert sentence() == "Printer P-B1 is ready."
                before = renewed(floor)
                counted[0] += spooler.RENEW_SECONDS + NEW_PRINTERS_SECONDS
                until(partial(are_renewed, floor, before))
        floor.pass_time(seconds=9)
        assert sentence().startswith("No spooler is running for printer P-B1.")


def renewed(floor: Floor) -> list[str]:
    """Until when the leases of the printers hold."""
    found = "SELECT until FROM lease WHERE name LIKE 'printer %' ORDER BY name"
    return [str(until) for (until,) in rows(floor, found)]


def are_renewed(floor: Floor, before: list[str]) -> bool:
    """Whether each of the leases holds for longer than before."""
    return all(was < now for was, now in zip(before, renewed(floor), strict=True))


TROUBLE = "SELECT why FROM printer_condition"


@pytest.mark.both_engines
@pytest.mark.rule("15.4(c)", "X-recovery")
def test_a_printer_whose_station_is_in_use_is_asked_how_it_is_while_nothing_waits(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooler, "CHECK_SECONDS", 0.05)
    with virtual(tmp_path / "B1") as printer, spooling(floor):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        until(lambda: waiting(floor) == 0)
        printer.misbehave(Fault.COVER_OPEN)
        until(lambda: rows(floor, TROUBLE) == [("The cover of the printer is open.",)])
        printer.misbehave(Fault.NONE)
        until(lambda: rows(floor, TROUBLE) == [(None,)])
        printer.stop()  # its plug is pulled
        until(lambda: rows(floor, TROUBLE) == [("The printer cannot be reached.",)])


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_a_printer_at_which_no_drawer_is_open_is_not_asked(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooler, "CHECK_SECONDS", 0.05)
    asked: list[Device] = []

    def check(device: Device) -> str | None:
        asked.append(device)
        return check_printer(device)

    monkeypatch.setattr(spooler, "check_printer", check)
    with virtual(tmp_path / "B1") as printer, virtual(tmp_path / "B2") as other, spooling(floor):
        floor.printer_at("B2", f"tcp:127.0.0.1:{other.port}")
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        until(lambda: len(asked) >= 5)
    assert set(asked) == {Network("127.0.0.1", printer.port)}


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_paper_that_runs_out_in_the_middle_is_noticed_before_the_time_of_the_slip_is_over(
    floor: Floor, tmp_path: Path
) -> None:
    with (
        virtual(tmp_path / "B1") as printer,
        patch("printers.sending.CHECK_SECONDS", 0.05),
        spooling(floor),
    ):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        wanda = floor.writing()
        until(lambda: waiting(floor) == 0)
        printer.misbehave(Fault.PAPER_OUT, 400)
        floor.sell(wanda, dollar())
        until(lambda: rows(floor, TROUBLE) == [("The printer is out of paper.",)])
        # It still has all the time that a slip is given, which is a minute here.
        assert rows(floor, "SELECT state FROM queued_paper") == [("sending",)]
        printer.misbehave(Fault.CUT_LINE)


@pytest.mark.rule("15.4(c)")
def test_everything_is_printed_in_its_order(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as printer, spooling(floor):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")  # added while it runs
        wanda = floor.writing()
        for _ in range(10):
            floor.sell(wanda, dollar())
        until(lambda: waiting(floor) == 0)
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
        with spooling(floor, answer_seconds=3.0):  # as long as the dead one holds its own up
            for _ in range(3):
                floor.sell(wanda, dollar())
                floor.sell(walt, dollar())
            until(lambda: len(alive.papers) == 4)
            assert dead.papers == []
            dead.misbehave(Fault.NONE)
            until(lambda: waiting(floor) == 0)
        assert len(dead.papers) == 4


@pytest.mark.rule("X-recovery")
def test_a_lease_of_which_nobody_knows_whether_it_was_renewed_ends_nothing(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def lose_the_first(*asked: Any) -> Held | None:  # noqa: ANN401  whatever it is asked with
        taken.append(asked)
        if len(taken) == 1:
            raise CommitUnknown
        return take_lease(*asked)

    monkeypatch.setattr(spooler, "take_lease", lose_the_first)
    with virtual(tmp_path / "B1") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        with spooling(floor):
            floor.writing()
            until(lambda: len(printer.papers) == 1)


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_one_that_takes_over_asks_about_what_was_being_sent(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as printer:
        row = floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        with spooling(floor, "first"):
            until(lambda: waiting(floor) == 0)
        floor.sell(floor.signed_in(WANDA), dollar())
        next_paper(floor.office, row, Press())  # the first died on the way
        with spooling(floor, "first"):  # the same one again need not wait for the lease
            found = "SELECT count(*) FROM queued_paper WHERE state = 'unknown'"
            until(lambda: rows(floor, found) == [(1,)])
        assert len(printer.papers) == 1


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The holders whose owners of a printer have tried to print, each time that they did."""
    tried: list[str] = []
    print_next = spooler.Owner._print_next  # noqa: SLF001

    def tried_next(owner: spooler.Owner) -> bool:
        has_printed = print_next(owner)
        tried.append(owner._spooler.holder)  # noqa: SLF001
        return has_printed

    monkeypatch.setattr(spooler.Owner, "_print_next", tried_next)
    return tried


def until_tried(tries: list[str], holder: str) -> None:
    """Wait until a spooler has tried to print three times from now on."""
    before = tries.count(holder)
    until(lambda: tries.count(holder) >= before + 3)


@pytest.mark.both_engines
@pytest.mark.rule("X-recovery")
def test_a_second_spooler_waits_for_the_first_one_to_be_gone(
    floor: Floor, tmp_path: Path, tries: list[str]
) -> None:
    with virtual(tmp_path / "B1") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        with spooling(floor, "first"):
            floor.writing()
            until(lambda: waiting(floor) == 0)
        counted = [0.0]
        with spooling(floor, "second", lambda: counted[0]) as second:
            until(lambda: second._looked == 0.0)  # noqa: SLF001  it has seen whose printer it is
            floor.sell(floor.signed_in(WANDA), dollar())
            until_tried(tries, "second")
            assert waiting(floor) == 1
            counted[0] = 2 * LEASED.total_seconds()
            until(lambda: waiting(floor) == 0)


@pytest.mark.both_engines
@pytest.mark.rule("X-recovery")
def test_a_spooler_prints_nothing_while_the_tables_are_not_its_own(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tries: list[str]
) -> None:
    ours, theirs = schema.newest_revision(), "2099_01_01_other"
    changed = "UPDATE alembic_version SET version_num = :revision"
    with virtual(tmp_path / "B1") as printer:
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        wanda = floor.writing()
        with spooling(floor, "first"):
            until(lambda: waiting(floor) == 0)
            write(floor, changed, revision=theirs)
            floor.sell(wanda, dollar())
            until_tried(tries, "first")
            assert waiting(floor) == 1
            write(floor, changed, revision=ours)  # it goes back
            until(lambda: waiting(floor) == 0)
            write(floor, changed, revision=theirs)
            floor.sell(wanda, dollar())
            until_tried(tries, "first")
            assert waiting(floor) == 1
        monkeypatch.setattr(schema, "newest_revision", lambda: theirs)
        counted = [0.0]
        with spooling(floor, "second", lambda: counted[0]) as second:
            until(lambda: second._looked == 0.0)  # noqa: SLF001  it has seen whose printer it is
            counted[0] = 2 * LEASED.total_seconds()
            until(lambda: waiting(floor) == 0)
        assert len(printer.papers) == 3


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_of_two_spoolers_with_one_name_the_one_that_started_last_owns_the_printers(
    floor: Floor,
) -> None:
    """On two machines, where neither knows of the other: each would send papers of one queue."""
    row = floor.printer_at("B1")
    floor.writing()
    ticks = [0.0]
    older, newer = Watch(lambda: ticks[0]), Watch(lambda: ticks[0])
    name = "printer P-B1"
    first = take_lease(floor.office, name, "here", older)
    assert first == take_lease(floor.office, name, "here", older)  # renewed
    second = take_lease(floor.office, name, "here", newer)  # at once, as after a restart
    assert first is not None
    assert second is not None
    with pytest.raises(LeaseLost):
        next_paper(floor.office, row, Press(), first)
    assert take_lease(floor.office, name, "here", older) is None  # nor does it take it back
    assert next_paper(floor.office, row, Press(), second) is not None
    ticks[0] = 2 * LEASED.total_seconds()
    third = take_lease(floor.office, name, "here", older)  # the newer one is gone
    assert third is not None
    assert third.fence == second.fence + 1 == first.fence + 2


@pytest.mark.rule("X-recovery")
def test_it_goes_on_after_the_database_was_away(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(1_000_000))

    def away_at_first(*given: Any) -> set[int]:  # noqa: ANN401
        if next(times) < 3:
            raise OperationalError("SELECT", {}, Exception("the server closed the connection"))
        return printers_with_paper(*given)

    monkeypatch.setattr(spooler, "printers_with_paper", away_at_first)
    with virtual(tmp_path / "B1", NARROW) as printer, spooling(floor):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        until(lambda: waiting(floor) == 0)


@pytest.mark.rule("X-recovery")
def test_what_else_goes_wrong_ends_it_so_that_it_is_started_again(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the process would go on with owners that nobody wakes, and nothing be printed."""

    def broken(*_: object) -> set[int]:
        raise TypeError("a fault of ours")

    monkeypatch.setattr(spooler, "printers_with_paper", broken)
    floor.printer_at("B1")
    stop = threading.Event()
    made = Spooler(floor.office, "first", 0.5, 0.05)
    with pytest.raises(TypeError):
        made.run(stop)
    assert stop.is_set()
    assert not any(owner.thread.is_alive() for owner in made._owners.values())  # noqa: SLF001  its own


@pytest.mark.rule("X-recovery")
def test_a_paper_whose_ending_could_not_be_noted_is_asked_about(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the spooler goes on: it is not left as being sent for ever."""
    times = iter(range(1_000_000))

    def away_at_first(*given: Any, **more: Any) -> None:  # noqa: ANN401
        if next(times) == 0:
            raise OperationalError("UPDATE", {}, Exception("the server closed the connection"))
        note_ending(*given, **more)

    monkeypatch.setattr(spooler, "note_ending", away_at_first)
    with virtual(tmp_path / "B1") as printer, spooling(floor):
        floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.sell(floor.writing())
        found = "SELECT count(*) FROM queued_paper WHERE state = 'unknown'"
        until(lambda: rows(floor, found) == [(1,)] and waiting(floor) == 1)
        until(lambda: len(printer.papers) == 2)


@pytest.mark.rule("X-recovery")
def test_a_name_that_is_not_known_any_more_takes_no_paper(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.printer_at("B1", "tcp:localhost:9100")
    known = socket.getaddrinfo

    def unknown(host: str, *given: Any, **named: Any) -> Any:  # noqa: ANN401  as it is there
        if host == "localhost":
            raise UnicodeError
        return known(host, *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with spooling(floor):
        floor.writing()
        why = "SELECT why FROM queued_paper WHERE state = 'queued'"
        until(lambda: rows(floor, why) == [("The printer cannot be reached.",)])
        with virtual(tmp_path / "B1") as printer:
            floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
            until(lambda: waiting(floor) == 0)


@pytest.mark.rule("X-ticket-exactly-once")
def test_one_that_lost_its_lease_takes_no_paper(floor: Floor, tmp_path: Path) -> None:
    with virtual(tmp_path / "B1") as printer:
        row = floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        floor.writing()
        lease = Held("printer P-B1", "first", 1)
        with pytest.raises(LeaseLost):
            next_paper(floor.office, row, Press(), lease)
        assert next_paper(floor.office, row, Press()) is not None
        with pytest.raises(LeaseLost):
            interrupted(floor.office, row, lease)
        assert rows(floor, "SELECT state FROM queued_paper") == [("sending",)]


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize("url", ["sqlite:///var/keno.db", "postgresql+psycopg:///keno"])
def test_a_house_has_one_spooler_of_a_name_on_a_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Also houses in two folders whose settings are the same; wherever the second is started."""
    for house in (tmp_path / "one", tmp_path / "other"):
        (house / "var" / "keys").mkdir(parents=True)

    def only_one(house: Path, name: str, *, by_full_path: bool = False) -> ExitStack:
        monkeypatch.chdir(tmp_path if by_full_path else house)
        here = house / "var" if by_full_path else Path("var")
        with ExitStack() as stack:
            database = stack.enter_context(closing(Database(url.replace("var", str(here)))))
            stack.enter_context(_only_one(database, here / "keys", name))
            return stack.pop_all()

    with ExitStack() as running:
        for house in (tmp_path / "one", tmp_path / "other"):
            running.enter_context(only_one(house, "here"))
            running.enter_context(only_one(house, "there"))
            for by_full_path in (False, True):
                with pytest.raises(BadUsage):
                    only_one(house, "here", by_full_path=by_full_path)
    with only_one(tmp_path / "one", "here"):
        pass
