"""The printers of a house: where they are, and what they print on."""

import pytest

from app.flow.access import at_console
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from tests.floor import ADA, Floor, secret_of
from tests.looking import bodies, refuses, rows


def placed(floor: Floor, plan: PrinterPlan) -> str:
    """Have the administrator place a printer; how wide its paper is."""
    ada = at_console(floor.office, ADA, secret_of(ADA), Permission.PRINTER_MANAGE)
    return set_printer(floor.office, ada, plan)


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("tcp:10.0.0.9:9100", "tcp:10.0.0.9"),
        ("tcp:Booth.lan", "tcp:booth.lan:9100"),
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
