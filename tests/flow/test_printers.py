"""The printers of a house: where they are, and what they print on."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.flow.access import at_console
from app.flow.alarms import AlarmId
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, end_loans, set_printer, use_other_printer
from app.flow.see_alarms import see_alarms
from app.flow.spool import all_printers, next_paper
from printers.press import Press
from tests.floor import ADA, MAX, SAM, Floor, secret_of
from tests.looking import bodies, refuses, rows
from tests.spooling import spooling, waiting
from tests.waiting import until


def placed(floor: Floor, plan: PrinterPlan) -> str:
    """Have administrator and supervisor place a printer; how wide its paper is."""
    return floor.set_printer(plan)


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("tcp:10.0.0.9:9100", "tcp:10.0.0.9"),
        ("tcp:LocalHost", "tcp:localhost:9100"),
        ("serial:/dev/ttyS0:9600", "serial:/dev/ttyS0:38400:xoff"),
        ("serial:/dev/ttyS0", "usb:/dev/ttyS0"),
        ("file:/var/roll", "file:/var/../var/roll"),
        ("cups:booth", "cups:booth"),
    ],
)
def test_no_two_printers_are_in_one_place_however_it_is_written(
    floor: Floor, first: str, second: str
) -> None:
    """Or two would write to one device, and a ticket would have lines of another in it."""
    floor.printer_at("B1", first)
    with refuses("printer.address_taken"):
        floor.printer_at("B2", second)
    floor.printer_at("B1", second)  # it is its own
    floor.printer_at("B2", "tcp:10.0.0.9:9101")
    assert [body["printer"] for body in bodies(floor, "PRINTER")] == ["P-B1", "P-B1", "P-B2"]


@pytest.mark.rule("X-ticket-exactly-once")
def test_stations_share_a_printer_by_its_code(floor: Floor) -> None:
    floor.printer_at("B1", "tcp:10.0.0.9")
    placed(floor, PrinterPlan("P-B1", "tcp:10.0.0.9", "80mm", ["B2"]))
    assert rows(floor, "SELECT count(DISTINCT printer), count(*) FROM station_printer") == [(1, 2)]


@pytest.mark.rule("15.4(c)")
def test_a_printer_that_is_moved_keeps_the_width_of_its_paper(floor: Floor) -> None:
    """Or a ticket for 80 mm would be cut off at the edge of a narrow roll."""
    assert placed(floor, PrinterPlan("P1", "tcp:10.0.0.9", None)) == "80mm"
    assert placed(floor, PrinterPlan("P1", "tcp:10.0.0.9", "58mm")) == "58mm"
    assert placed(floor, PrinterPlan("P1", "tcp:10.0.0.10", None)) == "58mm"
    assert rows(floor, "SELECT address, roll FROM printer") == [("tcp:10.0.0.10", "58mm")]
    assert [body["roll"] for body in bodies(floor, "PRINTER")] == ["80mm", "58mm", "58mm"]
    with refuses("printer.bad_roll"):
        placed(floor, PrinterPlan("P1", "tcp:10.0.0.9", "57mm"))


@pytest.mark.rule("15.4(c)")
@pytest.mark.parametrize(
    "address",
    [
        "",
        "booth",
        "tcp:",
        "tcp:10.0.0.9:port",
        "usb:lp0",
        "serial:/dev/ttyS0:fast",
        "cups:a queue",
        "http://10.0.0.9",
    ],
)
def test_an_address_at_which_no_printer_can_be_is_refused(floor: Floor, address: str) -> None:
    with refuses("printer.bad_address"):
        placed(floor, PrinterPlan("P1", address, "80mm"))
    assert rows(floor, "SELECT 1 FROM printer") == []


# ---- who may, and where --------------------------------------------------------------------------


@pytest.mark.rule("X-printer-place")
def test_whatever_changes_where_slips_come_out_takes_an_administrator_and_a_supervisor(
    floor: Floor,
) -> None:
    plan = PrinterPlan("P1", "tcp:10.0.0.9", None, ["B1"])
    with refuses("approval.supervisor_needed"):
        floor.set_printer(plan, None)
    with refuses("staff.not_permitted"):
        floor.set_printer(plan, MAX)
    floor.set_printer(plan)
    for other in (replace(plan, address="tcp:10.0.0.10"), replace(plan, stations=["B1", "B2"])):
        with refuses("approval.supervisor_needed"):
            floor.set_printer(other, None)
    # Nothing comes out elsewhere: another width of paper, or the same again.
    floor.set_printer(plan, None)
    floor.set_printer(replace(plan, roll="58mm"), None)
    told = [(body["by"]["staff"], body["supervisor"]) for body in bodies(floor, "PRINTER")]
    assert told == [("ADA", "SAM"), ("ADA", None), ("ADA", None)]
    sam = at_console(floor.office, SAM, secret_of(SAM), Permission.PRINTER_MIND)
    with refuses("staff.not_permitted"):
        set_printer(floor.office, sam, plan, sam)
    floor.check_books()


@pytest.mark.rule("X-printer-place")
def test_a_printer_that_got_another_address_rings_for_an_hour(floor: Floor) -> None:
    floor.printer_at("B1", "tcp:10.0.0.9")
    assert AlarmId.PRINTER_MOVED not in {alarm.id for alarm in see_alarms(floor.office)}
    floor.printer_at("B1", "tcp:10.0.0.10")
    (alarm,) = (each for each in see_alarms(floor.office) if each.id is AlarmId.PRINTER_MOVED)
    assert alarm.what == "ADA and SAM moved printer P-B1 from tcp:10.0.0.9."
    floor.pass_time(hours=1)
    assert AlarmId.PRINTER_MOVED not in {alarm.id for alarm in see_alarms(floor.office)}


@pytest.mark.rule("X-printer-place")
@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("tcp:192.168.0.9", "printer.not_listed"),
        ("tcp:169.254.169.254:80", "printer.not_listed"),
        ("file:/proc/self/mem", "printer.not_listed"),
        ("cups:elsewhere", "printer.not_listed"),
        ("tcp:no-such-host.invalid", "printer.unknown_host"),
        ("tcp:booth..lan", "printer.unknown_host"),
    ],
)
def test_an_address_that_this_machine_does_not_list_is_refused(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, address: str, code: str
) -> None:
    if "invalid" in address:

        def unknown(*_: object, **__: object) -> object:
            raise OSError

        monkeypatch.setattr("socket.getaddrinfo", unknown)  # no test asks a name server
    with refuses(code):
        placed(floor, PrinterPlan("P1", address, "80mm"))
    assert rows(floor, "SELECT 1 FROM printer") == []


# ---- a supervisor, until the day ends ------------------------------------------------------------


@pytest.fixture
def lent(floor: Floor, tmp_path: Path) -> Floor:
    """Two printers of the booth, and one of the bar."""
    for station in ("B1", "B2", "S1"):
        floor.printer_at(station, f"file:{tmp_path / station}")
    return floor


def used(floor: Floor, station: str, printer: str, name: str = SAM) -> datetime | None:
    """Have somebody print elsewhere."""
    who = at_console(floor.office, name, secret_of(name), Permission.PRINTER_MIND)
    return use_other_printer(floor.office, who, station, printer)


def prints_on(floor: Floor, station: str) -> str:
    """The printer of a station."""
    found = (
        "SELECT printer.code FROM station_printer JOIN printer ON printer.id = printer "
        "JOIN station ON station.id = station WHERE station.code = :code"
    )
    ((code,),) = rows(floor, found, code=station)
    return str(code)


@pytest.mark.both_engines
@pytest.mark.rule("X-printer-place")
def test_a_supervisor_has_a_station_print_on_another_printer_until_the_day_ends(
    lent: Floor, tmp_path: Path
) -> None:
    """The slip says so on both; when the day is over the station prints on its own again."""
    floor = lent
    ends = datetime(2026, 11, 17, 11, tzinfo=UTC)
    assert used(floor, "B1", "P-B2") == ends
    assert used(floor, "B1", "P-B2") == ends  # asked again, nothing more is done
    wanda = floor.writing()
    with spooling(floor):
        until(lambda: waiting(floor) == 0)
    slips = {name: (tmp_path / name).read_bytes() for name in ("B1", "B2")}
    for data in slips.values():
        assert data.count(b"PRINTER CHANGE") == 1
        for word in (b"P-B1", b"P-B2", b"SAM", b"2026-11-17 06:00"):
            assert word in data
    assert (b"COUNT" in slips["B1"].upper(), b"COUNT" in slips["B2"].upper()) == (False, True)
    body = bodies(floor, "PRINTER")[-1]
    said = {name: body[name] for name in ("printer", "stations", "instead_of", "until")}
    assert said == {
        "printer": "P-B2",
        "stations": ["B1"],
        "instead_of": "P-B1",
        "until": "2026-11-17T11:00:00.000Z",
    }
    assert body["by"]["staff"] == "SAM"
    floor.check_books()
    floor.sell(wanda)
    floor.moment[0] = ends  # before a spooler looks, nothing comes out there any more
    other = next(each for each in all_printers(floor.office) if each.code == "P-B2")
    assert next_paper(floor.office, other, Press()) is None
    with spooling(floor):
        until(lambda: waiting(floor) == 0)
    assert prints_on(floor, "B1") == "P-B1"
    assert b"KENO TICKET" in (tmp_path / "B1").read_bytes()
    assert bodies(floor, "PRINTER")[-1]["by"]["at"] == "spooler"
    floor.check_books()


@pytest.mark.rule("X-printer-place")
def test_a_station_goes_back_to_its_own_printer_before_the_day_ends(lent: Floor) -> None:
    used(lent, "B1", "P-B2")
    assert used(lent, "B1", "P-B1") is None
    assert prints_on(lent, "B1") == "P-B1"
    assert waiting(lent) == 4  # a slip on both, each time
    lent.pass_time(days=1)
    end_loans(lent.office)
    assert len(bodies(lent, "PRINTER")) == 5
    lent.check_books()


@pytest.mark.rule("X-printer-place", "X-access")
def test_only_printers_of_the_location_are_used_and_only_by_a_supervisor(lent: Floor) -> None:
    with refuses("printer.other_location"):
        used(lent, "B1", "P-S1")
    # A printer that was only lent to the location does not belong to it.
    with refuses("printer.unknown"):
        used(lent, "B1", "P9")
    with refuses("station.unknown"):
        used(lent, "B9", "P-B2")
    with refuses("staff.not_permitted"):
        used(lent, "B1", "P-B2", ADA)
    assert prints_on(lent, "B1") == "P-B1"


@pytest.mark.rule("X-printer-place")
def test_a_station_without_a_printer_has_none_to_leave(floor: Floor) -> None:
    floor.printer_at("B2")
    with refuses("paper.no_printer"):
        used(floor, "B1", "P-B2")
