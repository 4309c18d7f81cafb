"""What a busy writer does next, while something else is still at hand or on its way."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Page, Route, expect

from app.flow import access
from app.flow.override import override_close
from tests.browser.conftest import EVERY, House, scan, told, type_into
from tests.floor import ADA, SAM, WANDA, secret_of
from tests.looking import rows


@pytest.mark.rule("15.3(b)", "15.1-quick-pick", "X-ticket-replay")
def test_what_is_typed_over_a_recalled_ticket_is_sold_as_what_it_is(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("1 2 3 4 5 6 7 8 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    sources = {
        "q8 @1": ("quick-pick", None),
        "70 71 @2": ("request", None),
        "8 7 6 5 4 3 2 1 @2": ("ticket", 1),
        "41 42 43 44 45 46 47 48 @1": ("ticket", 1),
    }
    for number, (line, source) in enumerate(sources.items(), start=2):
        scan(desk, house, 1)
        expect(desk.locator("#panel")).to_contain_text("Ticket 1-3")
        desk.keyboard.press("F2")
        expect(desk.locator("#line")).to_have_value(re.compile("1 2 3"))
        desk.keyboard.press("Control+A")
        desk.keyboard.type(line)
        desk.keyboard.press("Enter")
        told(desk, f"Ticket {number}-")
        sold = rows(house.floor, "SELECT source, replay_of FROM ticket ORDER BY number")
        assert sold[-1] == source
    ((numbers,),) = rows(house.floor, "SELECT play FROM ticket WHERE number = 2")
    assert "[1, 2, 3, 4, 5, 6, 7, 8]" not in str(numbers)
    house.floor.check_books()


def sell_a_winner(house: House, desk: Page, line: str = EVERY) -> None:
    """Sell a ticket that always wins, have its game played, and turn to the next patron."""
    desk.keyboard.type(line)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    desk.keyboard.press("F7")


@pytest.mark.rule("15.6(a)", "X-ticket-barcode")
def test_whoever_types_on_behind_a_scan_pays_nothing(house: House, desk: Page) -> None:
    sell_a_winner(house, desk)
    line, panel = desk.locator("#line"), desk.locator("#panel")
    desk.keyboard.type("12 13")
    scan(desk, house, 1)
    expect(panel).to_contain_text("Pays $60.00")
    expect(panel).to_contain_text("PgDn leads here")
    desk.keyboard.type(" 14 15 @1")
    expect(line).to_have_value("12 13 14 15 @1")
    desk.keyboard.press("PageDown")
    pays = desk.get_by_role("button", name="Enter: pay $60.00")
    expect(pays).to_be_focused()
    desk.keyboard.press("Space")
    expect(pays).to_be_focused()
    desk.keyboard.press("F7")  # the next patron: nothing of the one before is at hand
    expect(panel).to_be_hidden()
    desk.keyboard.press("F9")
    told(desk, "Scan a winning ticket first.")
    assert rows(house.floor, "SELECT count(*) FROM payout") == [(0,)]


@pytest.mark.rule("X-ticket-barcode")
def test_a_burst_of_winners_leaves_nothing_in_the_line(house: House, desk: Page) -> None:
    for number in (1, 2, 3):
        desk.keyboard.type(EVERY)
        desk.keyboard.press("Enter")
        told(desk, f"Ticket {number}-")
    house.floor.play()
    desk.keyboard.press("F7")
    for number in (1, 2, 3):
        scan(desk, house, number)
    expect(desk.locator("#panel")).to_contain_text("Ticket 3-")
    expect(desk.locator("#panel")).to_contain_text("Pays $60.00")
    expect(desk.locator("#line")).to_have_value("")
    # The cursor is led away in the middle of a scan: each field is again what it was.
    desk.locator("#line").fill("12 13")
    desk.evaluate(SCAN_ACROSS, f"{1:011}{house.floor.code(1)}")
    expect(desk.locator("#panel")).to_contain_text("Ticket 1-3")
    expect(desk.locator("#line")).to_have_value("12 13")
    expect(desk.locator("#card")).to_have_value("")


SCAN_ACROSS = """(digits) => {
  keysEvery(8);
  const typed = (field, key) => {
    field.focus();
    field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };
  const [line, card] = [document.getElementById("line"), document.getElementById("card")];
  [...digits].forEach((digit, place) => {
    const field = place < 20 ? line : card;
    typed(field, digit);
    field.value += digit;
  });
  typed(card, "Enter");
}"""


@pytest.mark.rule("15.4(e)-void", "X-pay-refusals")
def test_a_ticket_whose_number_was_typed_is_voided_or_printed_again(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    panel = desk.locator("#panel")
    for key, asks in (("F8", "Print ticket 1-3 again"), ("F4", "Void ticket 1-3")):
        desk.keyboard.press("F3")
        desk.keyboard.type("1-3")
        desk.keyboard.press("Enter")
        expect(panel).to_contain_text("Ticket 1-3")
        desk.keyboard.press(key)
        expect(panel).to_contain_text(asks)
        desk.keyboard.press("Escape")
    desk.keyboard.press("F4")
    desk.keyboard.press("F3")
    desk.keyboard.type("1-3")
    desk.keyboard.press("Enter")
    expect(panel).to_contain_text("Void ticket 1-3")
    type_into(desk, "torn", SAM, secret_of(SAM))
    desk.keyboard.press("Enter")
    told(desk, "Give back $1.00")
    house.floor.check_books()


@pytest.mark.rule("15.3(d)", "X-no-offline", "X-ticket-replay")
def test_what_is_cashed_and_played_again_is_confirmed_and_never_offline(
    house: House, desk: Page
) -> None:
    desk.keyboard.type(EVERY.replace("@1", "@15"))
    desk.keyboard.press("Enter")
    expect(desk.locator("#warnings")).to_contain_text("$1,200.00: type the price again.")
    desk.keyboard.type("1200")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    desk.keyboard.press("F7")
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("Pays $900.00")
    desk.route("**/api/v1/desk", lambda route: route.abort())
    expect(desk.locator("#away")).to_be_visible()
    desk.keyboard.press("F9")
    told(desk, "There is no connection: nothing can be sold.")
    assert rows(house.floor, "SELECT count(*) FROM payout") == [(0,)]
    desk.unroute_all()
    expect(desk.locator("#away")).to_be_hidden()
    desk.keyboard.press("F9")
    told(desk, "To play it again for $1,200.00: Enter.")
    told(desk, "Pay $900.00")
    desk.keyboard.press("Enter")
    expect(desk.locator("#warnings")).to_contain_text("$1,200.00: type the price again.")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]
    assert rows(house.floor, "SELECT cents FROM payout") == [(90_000,)]


@pytest.mark.rule("15.4(e)-void", "X-ticket-replay")
def test_an_answer_that_comes_late_and_a_void_left_behind_touch_no_sale(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.route("**/api/v1/tickets/1", hold)
    with desk.expect_request("**/api/v1/tickets/1"):
        desk.keyboard.press("F2")
    desk.keyboard.press("F7")
    desk.keyboard.type("70 71 @5")
    with desk.expect_response("**/api/v1/tickets/1"):
        held[0].continue_()
    expect(desk.locator("#words")).to_contain_text("$5.00")
    expect(desk.locator("#line")).to_have_value("70 71 @5")
    desk.unroute_all()
    desk.keyboard.press("F4")
    expect(desk.locator("#voiding")).to_be_visible()
    desk.keyboard.press("Enter")
    told(desk, "Ticket 2-1")
    expect(desk.locator("#voiding")).to_be_hidden()
    scan(desk, house, 2)
    expect(desk.locator("#panel")).to_contain_text("not yet decided")
    # The player card has a key, and no key of ours does what it does elsewhere, also when held.
    desk.keyboard.press("F5")
    expect(desk.locator("#card")).to_be_focused()
    desk.keyboard.press("Enter")
    expect(desk.locator("#line")).to_be_focused()
    assert desk.evaluate(ARE_HELD) == [True] * 10


ARE_HELD = """() => Array.from({ length: 10 }, (_, place) => {
  const how = { key: `F${place + 1}`, repeat: true, bubbles: true, cancelable: true };
  const event = new KeyboardEvent("keydown", how);
  document.getElementById("line").dispatchEvent(event);
  return event.defaultPrevented;
})"""


@pytest.mark.rule("X-access", "15.5(c)")
def test_a_station_that_is_told_nothing_more_says_so_and_counts_no_seconds(
    house: House, desk: Page
) -> None:
    floor = house.floor
    soon = floor.office.now() + timedelta(seconds=40)
    override_close(floor.office, floor.sam, "M", 1, soon, "for the test")
    expect(desk.locator("#closing")).to_be_visible()
    floor.hold("The inspector is locked.")
    expect(desk.locator("#games")).to_contain_text("held: The inspector is locked.")
    expect(desk.locator("#closing")).to_be_hidden()  # what is held does not close
    access.disable_station(floor.office, floor.signed_in(ADA, "S1"), "B1")
    expect(desk.locator("#away")).to_have_text("Work station B1 is disabled.")
    expect(desk.locator("#printer")).to_have_text(
        "Work station B1 is disabled. The marks of slips may be out of date."
    )
    expect(desk.locator("#games")).to_have_text("")
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Work station B1 is disabled.")
    expect(desk.locator("#line")).to_have_value("4 8 15 16 @1")


@pytest.mark.rule("15.4(a)", "X-practice")
def test_a_ticket_that_could_not_be_sold_yet_stays_in_the_line(house: House) -> None:
    page = house.page()
    house.enrol(page, "B1")
    page.route("**/api/v1/desk", lambda _: None)  # the desk is slow
    house.sign_in(page, WANDA)
    expect(page.locator("#line")).to_be_focused()
    page.keyboard.type("4 8 15 16 @1")
    page.keyboard.press("Enter")
    told(page, "No open game is known here yet.")
    expect(page.locator("#line")).to_have_value("4 8 15 16 @1")
    page.goto("/writer?practice")
    page.route("**/api/v1/practice", lambda route: route.abort())
    page.keyboard.type("4 8 15 16 @1")
    page.keyboard.press("Enter")
    told(page, "There is no answer from the centre.")
    expect(page.locator("#line")).to_have_value("4 8 15 16 @1")
