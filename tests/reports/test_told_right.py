"""What reports tell of things that are easily told wrongly, twice or not at all."""

import json
from datetime import timedelta
from typing import Any

import pytest

from app.flow.access import Approval, at_console
from app.flow.actor import Sitting
from app.flow.close_day import close_day
from app.flow.contact import Contact
from app.flow.lockout import lock_at_station
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan
from app.flow.report import Asked, log_report, make_report
from app.flow.report_jobs import choose_report
from app.flow.reprint import Again, reprint
from app.flow.retention import set_retention
from app.flow.sell import Sale
from app.flow.spool import next_paper, note_ending
from app.keno.numbering import printed_number
from app.keno.request import Request
from app.keno.retention import RecordKind
from app.reports.catalogue import Format
from printers.press import Press
from tests.floor import CARD, FIRST_STATION, MAX, SAM, Floor, secret_of
from tests.looking import rows
from tests.proof.paying_days import BILLS, EVERY, FIRST_DAY
from tests.story.days import closed_drawer


def told(floor: Floor, report: str) -> Any:  # noqa: ANN401
    """The sections of a report of the first day, as JSON has them."""
    asked = Asked(report, FIRST_DAY, FIRST_DAY, Format.JSON)
    return json.loads(make_report(floor.office, asked).json())["sections"]


@pytest.mark.rule("X-pay-cash-log")
def test_cash_before_a_player_card_was_shown_is_told_once(floor: Floor) -> None:
    wanda = floor.writing()
    for card in (None, "P-77"):
        floor.sell(
            wanda, Sale("M", Request(EVERY, "80/1 @ 40.00"), BILLS, None, None, Contact("C1", card))
        )
    (row,) = told(floor, "worksheets")["currency"]["rows"]
    assert (row["known_by"], row["cash_in_cents"]) == ("player card", 2 * 80 * 4_000)


@pytest.mark.rule("15.5(d)", "15.5(e)")
def test_whoever_approved_that_a_writer_locks_a_game_is_told(floor: Floor) -> None:
    wanda = floor.writing()
    approval = Approval(SAM, secret_of(SAM))
    lock_at_station(floor.office, wanda, "M", 1, approval, "a bus is leaving")
    (row,) = told(floor, "overrides")["overrides"]["rows"]
    assert (row["what"], row["who"]) == ("locked by hand", "WANDA, SAM")


@pytest.mark.rule("X-drawer")
def test_what_was_counted_and_moved_is_not_added_up(floor: Floor) -> None:
    floor.writing()
    assert "sums" not in told(floor, "drawers")["moves"]


@pytest.mark.rule("X-audit-log", "X-retention")
def test_retention_and_chosen_reports_are_among_the_changes(floor: Floor) -> None:
    manager = at_console(floor.office, MAX, secret_of(MAX), Permission.HOUSE_KEEP)
    set_retention(floor.office, floor.sam, manager, RecordKind.TICKETS, 4_000)
    choose_report(floor.office, floor.sam, "voids", Format.PDF, chosen=True)
    kept, chosen = told(floor, "settings")["changes"]["rows"][-2:]
    assert (kept["after"], kept["who"]) == ("4000", "SAM, MAX")
    assert kept["what"] == "days for which tickets is kept"
    assert (chosen["before"], chosen["after"]) == ("not made", "made")


@pytest.mark.rule("X-audit-log")
def test_a_paper_that_nobody_answered_for_is_among_the_exceptions(floor: Floor) -> None:
    floor.sell(floor.writing())
    printer = floor.printer_at(FIRST_STATION)
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        note_ending(floor.office, sending, "unknown", "it went away")
    floor.lock()
    floor.draw()
    floor.grade(1)
    ((held,),) = rows(floor, "SELECT sum(cents) FROM posting WHERE drawer = 1")
    closed_drawer(floor, int(held))
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    kinds = {row["what"]: row["times"] for row in told(floor, "exceptions")["kinds"]["rows"]}
    assert kinds["paper not answered for"] >= 1


@pytest.mark.rule("X-audit-log", "8.3")
def test_a_printer_that_moves_and_a_card_that_follows_are_told_with_what_was_before(
    floor: Floor,
) -> None:
    printer = floor.printer_at(FIRST_STATION)
    floor.set_printer(PrinterPlan(printer.code, "tcp:10.0.0.9", None, []))
    floor.put_in_force(CARD.read_bytes() + b"# the next one\n", timedelta(minutes=35))
    changes = told(floor, "settings")["changes"]["rows"]
    of_printer = [row for row in changes if row["what"] == f"printer {printer.code}"]
    assert [row["before"].split(",")[0] for row in of_printer] == ["", printer.address]
    first, second = (row for row in changes if row["after"].startswith("in force from"))
    assert (first["before"], second["before"]) == ("", first["what"].removeprefix("rate "))


@pytest.mark.rule("X-audit-log")
def test_a_copy_is_told_with_the_number_of_its_ticket_and_not_with_that_of_the_paper(
    floor: Floor,
) -> None:
    wanda = floor.writing()
    number = floor.sell(wanda)["number"]
    printer = floor.printer_at(FIRST_STATION)
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        note_ending(floor.office, sending, "confirmed", None)
    reprint(floor.office, wanda, Again("it was torn", ticket=number), floor.request_id())
    (row,) = told(floor, "exceptions")["exceptions"]["rows"]
    assert (row["what"], row["about"]) == ("copy", f"ticket {printed_number(number)}, copy 1")


@pytest.mark.rule("X-access")
def test_whoever_pulled_a_report_at_the_console_is_told_as_the_machine_knew_them(
    floor: Floor,
) -> None:
    asked = Asked("win", FIRST_DAY, FIRST_DAY, Format.JSON)
    document = make_report(floor.office, asked)
    before: dict[str, object] = {"at": "console"}  # as it stands in entries from before
    for by in (before, Sitting("ada").document()):
        log_report(floor.office, asked, document, by)
    pulled = [row for row in told(floor, "access")["access"]["rows"] if row["what"] == "report"]
    shown = [(row["who"], row["at"]) for row in pulled]
    assert shown == [("", "console"), ("user ada", "console")]
    floor.check_books()
