"""What a writer and a supervisor read of a printer that is taken away and comes back."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from printers.virtual import Fault
from tests.browser.conftest import House, told
from tests.floor import SAM
from tests.spooling import AT_ONCE, spooling, virtual

# Where things are on the page: whatever printing does, none of it moves.
PLACES = """() => ["#line", "#pad", "#told", "#just-sold", "#just-sold li:last-child", "#printer"]
  .map((name) => JSON.stringify(document.querySelector(name).getBoundingClientRect()))"""


def sell(page: Page, number: str) -> None:
    page.keyboard.type("4 8 15 16 @1")
    page.keyboard.press("Enter")
    told(page, f"Ticket {number}")


def mark(page: Page, number: str, word: str) -> None:
    """A ticket has a mark in the list, in words that a screen reader reads too."""
    row = page.get_by_role("listitem").filter(has_text=f"{number} M-1 $1.00")
    expect(row).to_have_text(f"{number} M-1 $1.00 {word}")


@pytest.mark.rule("15.4(c)", "X-recovery")
def test_a_printer_that_is_taken_away_and_comes_back_is_reported_to_writer_and_floor(
    house: House, desk: Page, tmp_path: Path, accessible: Callable[[Page], None]
) -> None:
    line = desk.get_by_role("status").filter(has_text="Printer P-B1")
    with virtual(tmp_path / "B1") as printer:
        house.floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
        with spooling(house.floor, answer_seconds=AT_ONCE):
            expect(line).to_have_text("Printer P-B1 is ready.")
            sell(desk, "1-3")
            mark(desk, "1-3", "printed")
            before = desk.evaluate(PLACES)

            printer.misbehave(Fault.PAPER_OUT)
            expect(line).to_have_text("Printer P-B1 is out of paper. No slip waits.")
            assert desk.evaluate(PLACES) == before
            sell(desk, "2-1")
            mark(desk, "2-1", "paper out")
            mark(desk, "1-3", "printed")
            expect(line).to_have_text(
                "Printer P-B1 is out of paper. 1 slip waits and prints automatically when it is "
                "refilled."
            )
            accessible(desk)
            sam = house.station(SAM, "B2")
            sam.goto("/supervisor")
            alarm = "Printer P-B1: The printer is out of paper. 1 slip waits."
            expect(sam.get_by_label("Alarms")).to_contain_text(alarm)
            accessible(sam)

            before = desk.evaluate(PLACES)
            printer.misbehave(Fault.NONE)
            mark(desk, "2-1", "printed")
            expect(line).to_have_text("Printer P-B1 is ready.")
            assert desk.evaluate(PLACES) == before
            expect(sam.get_by_label("Alarms")).not_to_contain_text("P-B1")
            assert len(printer.papers) == 3  # the drawer's count, and each ticket once

        # No spooler runs any more: that is said also while nothing waits.
        gone = "No spooler is running for printer P-B1. No slip waits."
        expect(line).to_have_text(f"{gone} Call a supervisor.")
        expect(sam.get_by_label("Alarms")).to_contain_text(gone)
        sell(desk, "3-7")
        mark(desk, "3-7", "no spooler")
        expect(line).to_contain_text("1 slip waits and prints automatically")
        accessible(desk)


@pytest.mark.rule("15.4(c)", "X-no-offline")
def test_without_a_connection_no_mark_is_taken_for_new(house: House, desk: Page) -> None:
    line = desk.locator("#printer")
    expect(line).to_contain_text("Station B1 has no printer.")
    house.server.kill()
    expect(line).to_have_text("No connection: the marks of slips may be out of date.")
    house.server.start()
    expect(line).to_contain_text("Station B1 has no printer.")


@pytest.mark.rule("15.4(c)", "X-no-offline")
def test_an_answer_that_says_why_nothing_can_be_done_is_no_missing_connection(
    house: House, desk: Page
) -> None:
    """The web server answers, and the database does not."""
    why = "The database does not answer."
    away = {"title": why, "status": 503, "code": "database.away"}
    expect(desk.locator("#printer")).to_contain_text("Station B1 has no printer.")
    desk.route("**/api/v1/desk", lambda route: route.fulfill(status=503, json=away))
    expect(desk.locator("#away")).to_have_text(why)
    expect(desk.locator("#printer")).to_have_text(f"{why} The marks of slips may be out of date.")
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, why)
    desk.unroute_all()
    expect(desk.locator("#away")).to_be_hidden()
    expect(desk.locator("#printer")).to_contain_text("Station B1 has no printer.")
    assert all(fault.endswith("/api/v1/desk: 503") for fault in house.faults)
    house.faults.clear()
