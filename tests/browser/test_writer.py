"""A writer's shift in a real browser, by keyboard alone."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import APIResponse, Page, Request, Route, expect

from app.flow.draw import ask_to_void
from app.flow.override import override_close
from tests.browser.conftest import (
    EVERY,
    House,
    open_drawer,
    scan,
    scan_text,
    stop_the_clock,
    told,
    type_into,
)
from tests.floor import MAX, SAM, WALT, WANDA, secret_of
from tests.looking import rows
from tests.story.paying import torn

SIGN_IN = re.compile(r"/\?next=")


@pytest.mark.rule("X-drawer")
def test_an_answer_that_comes_late_does_not_bring_back_what_was(house: House) -> None:
    page = house.station(WANDA)
    held: list[Route] = []
    said: list[APIResponse] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)
            said.append(route.fetch())

    page.route("**/api/v1/desk", hold_the_first)
    while not said:  # before there is a drawer
        page.wait_for_timeout(50)
    open_drawer(page)
    state = page.locator("#drawer-state")
    expect(state).to_have_text("drawer 1")
    ((route,), (said_before,)) = held, said
    stop_the_clock(page)  # which passes the time until the page looks again
    with page.expect_response("**/api/v1/desk"):
        route.fulfill(response=said_before)
    with page.expect_response("**/api/v1/desk"):  # by the next one it has been read
        page.clock.resume()
        page.clock.fast_forward(10_000)
    assert state.inner_text() == "drawer 1"


@pytest.mark.rule("15.4(a)", "15.4(c)", "15.3(b)")
def test_a_ticket_is_typed_as_it_is_spoken_read_back_and_sold(
    house: House, desk: Page, accessible: Callable[[Page], None]
) -> None:
    desk.keyboard.type("4 8 15 16 / 23 42 7 9  2/4 1/8 @1 x5")
    words = "two 4-spots and one 8-spot at $1.00, five games: $15.00"
    expect(desk.locator("#words")).to_contain_text(words)
    expect(desk.locator('#pad button[data-group="B"]')).to_have_count(4)
    accessible(desk)
    desk.keyboard.press("Tab")
    desk.keyboard.type("20")
    expect(desk.locator("#words")).to_contain_text("Change $5.00")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3, games M-1 to 5: $15.00")
    told(desk, "Change $5.00")
    expect(desk.locator("#net")).to_have_text("Collect $15.00")
    expect(desk.locator("#picture")).to_be_visible()
    expect(desk.locator("#picture")).to_have_css("image-rendering", "auto")  # or digits misread
    expect(desk.locator("#line")).to_be_focused()
    accessible(desk)
    desk.emulate_media(color_scheme="dark")
    desk.keyboard.type("4 8 15 16 / 23 42 7 9 k33 2/4 1/8 1/9 @1")
    expect(desk.locator('#pad button[data-group="C"]')).to_have_count(1)
    accessible(desk)
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("C Close")
    accessible(desk)
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]
    house.floor.check_books()


@pytest.mark.rule("15.6(a)", "X-ticket-replay", "X-ticket-barcode")
def test_a_winner_is_scanned_cashed_and_played_again_in_two_keys(house: House, desk: Page) -> None:
    desk.keyboard.type(EVERY)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("not yet decided")
    desk.keyboard.press("Escape")
    house.floor.play()
    desk.keyboard.press("F7")
    expect(desk.locator("#net")).to_have_text("Nothing yet")
    desk.keyboard.type("12 13")  # the writer was typing when the patron put it on the counter
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("Pays $60.00")
    expect(desk.locator("#line")).to_have_value("12 13")
    desk.keyboard.press("F9")
    told(desk, "Ticket 2-1")
    expect(desk.locator("#net")).to_have_text("Collect $20.00")
    assert rows(house.floor, "SELECT ticket, cents FROM payout") == [(1, 6_000)]
    assert rows(house.floor, "SELECT replay_of FROM ticket WHERE number = 2") == [(1,)]
    house.floor.check_books()


@pytest.mark.rule("15.6(b)")
def test_a_supervisor_approves_in_place(house: House, desk: Page) -> None:
    desk.keyboard.type(EVERY.replace("@1", "@30"))
    desk.keyboard.press("Enter")
    expect(desk.locator("#warnings")).to_contain_text("$2,400.00: type the price again.")
    desk.keyboard.type("2400")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    desk.keyboard.press("F7")
    scan(desk, house, 1)
    panel = desk.locator("#panel")
    expect(panel).to_contain_text("Pays $1,800.00")
    expect(panel).to_contain_text("A supervisor must approve")
    desk.keyboard.press("F9")
    told(desk, "First it is paid, as is asked for here.")
    desk.keyboard.type(SAM)
    desk.keyboard.press("Tab")
    desk.keyboard.type(secret_of(SAM))
    desk.keyboard.press("Enter")
    told(desk, "Pay $1,800.00")
    house.floor.check_books()


@pytest.mark.rule("15.6(a)", "X-pay-refusals")
@pytest.mark.rule("X-pay-without-code")
def test_a_torn_ticket_is_paid_by_what_can_be_read_of_its_code(house: House, desk: Page) -> None:
    for _ in range(2):
        desk.keyboard.type(EVERY)
        desk.keyboard.press("Enter")
    told(desk, "Ticket 2-1")
    house.floor.play()
    desk.keyboard.press("F7")
    desk.keyboard.press("F3")
    desk.keyboard.type("1-3")
    desk.keyboard.press("Enter")
    panel = desk.locator("#panel")
    expect(panel).to_contain_text("A win.")
    expect(panel).not_to_contain_text("60.00")
    desk.keyboard.press("F3")
    type_into(desk, "1-3", torn(house.floor.code(1)))
    desk.keyboard.press("Enter")
    expect(panel).to_contain_text("Pays $60.00")
    needs = "A supervisor must approve: not all of the ticket's code can be read."
    expect(panel).to_contain_text(needs)
    type_into(desk, "torn", SAM, secret_of(SAM))
    desk.keyboard.press("Enter")
    told(desk, "Pay $60.00")
    desk.keyboard.press("F3")
    type_into(desk, "2-1", "")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")
    known = ("Pat Patron", "licence 1")
    type_into(desk, "burnt", *known, SAM, secret_of(SAM), MAX, secret_of(MAX))
    desk.keyboard.press("Enter")
    told(desk, "Without its code ticket 2-1 is paid after")
    assert rows(house.floor, "SELECT ticket, how FROM shown_in_part") == [(1, "digits")]
    house.floor.check_books()


@pytest.mark.rule("15.4(e)-void", "X-ticket-replay")
def test_a_ticket_is_recalled_changed_and_voided(house: House, desk: Page) -> None:
    desk.keyboard.type("q8 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.keyboard.press("F2")
    expect(desk.locator("#line")).to_have_value(re.compile(r"^[\d ]+ 1/8 @ 1.00$"))
    desk.keyboard.type(" x3")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 2-1, games M-1 to 3: $3.00")
    desk.keyboard.press("F4")
    told(desk, "Scan the ticket that is to be voided.")
    scan(desk, house, 2)
    expect(desk.locator("#panel")).to_contain_text("Void ticket 2-1")
    desk.keyboard.press("Enter")
    told(desk, "Give back $3.00")
    expect(desk.locator("#net")).to_have_text("Collect $1.00")
    house.floor.check_books()


@pytest.mark.rule("15.4(e)-void")
def test_what_the_next_patron_brings_is_not_voided(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.keyboard.press("F4")
    told(desk, "Scan the ticket that is to be voided.")
    desk.keyboard.press("F7")  # the patron kept it after all, and went
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("not yet decided")
    desk.keyboard.press("Enter")
    assert rows(house.floor, "SELECT count(*) FROM void") == [(0,)]


@pytest.mark.rule("15.4(a)")
def test_what_is_wrong_is_told_all_at_once_and_nothing_is_sold(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 81 / 8 9 5/4 @1.01")
    desk.keyboard.press("Enter")
    faults = desk.locator("#faults li")
    expect(faults).not_to_have_count(0)
    assert any("1 to 80" in text for text in faults.all_inner_texts())
    desk.keyboard.press("Escape")
    expect(desk.locator("#line")).to_have_value("")
    desk.keyboard.type("1 2 3 4 @250")
    desk.keyboard.press("Enter")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]


# Counts how often the alarm is taken away, for however short a time.
NOTE_HIDDEN = """() => {
  window.hidden = 0;
  const alarm = document.getElementById("away");
  const note = () => { hidden += alarm.classList.contains("hidden") ? 1 : 0; };
  new MutationObserver(note).observe(alarm, { attributes: true });
}"""


TYPED_AT_ONCE = """(line) => {
  line.value = "4 8 15 16 @1";
  line.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}"""


@pytest.mark.rule("X-no-offline")
def test_what_is_told_of_no_answer_goes_when_the_centre_is_back(desk: Page) -> None:
    def hold(route: Route) -> None:
        """Leave it without an answer, so that nothing else finds out first."""

    desk.route("**/api/v1/desk", hold)
    with desk.expect_request("**/api/v1/desk"):
        pass
    desk.route("**/api/v1/spoken", lambda route: route.abort())
    desk.locator("#line").evaluate(TYPED_AT_ONCE)
    told(desk, "There is no answer from the centre.")
    desk.unroute_all()  # what was held goes on
    expect(desk.locator("#told")).to_be_empty()


@pytest.mark.rule("15.4(a)")
def test_a_number_pressed_behind_the_rate_stands_among_the_numbers(desk: Page) -> None:
    desk.keyboard.type("4 8 15 1/4 @1 x5")
    desk.locator("#pad button").nth(15).click()
    expect(desk.locator("#line")).to_have_value("4 8 15 16 1/4 @1 x5")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")


@pytest.mark.rule("X-drawer")
def test_a_writer_elsewhere_is_told_where_the_drawer_is(house: House) -> None:
    house.floor.writing()
    page = house.page()
    house.enrol(page, "B2")
    page.get_by_label("Name").fill(WANDA)
    page.get_by_label("Secret").fill(secret_of(WANDA))
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{WANDA} has an open drawer at station B1.")).to_be_visible()


def lose_the_answer(page: Page, path: str) -> None:
    """Have the centre do what is asked, and its answer be lost on the way."""
    page.route(f"**/api/v1/{path}", lambda route: (route.fetch(), route.abort()))


def lose_every_answer(page: Page, path: str) -> None:
    """As above, and nobody says either what became of it, until `unroute_all`."""
    lose_the_answer(page, path)
    lose_the_answer(page, "acts/settle")


@pytest.mark.rule("X-ticket-exactly-once", "X-recovery", "X-no-offline")
def test_a_server_that_dies_in_the_middle_of_a_sale_sells_once(house: House, desk: Page) -> None:
    house.server.kill()
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#away")).to_be_visible()
    house.server.start()
    expect(desk.locator("#away")).to_be_hidden()
    desk.keyboard.type(" ")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    # The answer of the sale is lost on the way, and the page is loaded anew meanwhile.
    lose_every_answer(desk, "tickets")
    desk.keyboard.press("Enter")
    expect(desk.locator("#away")).to_be_visible()
    with desk.expect_response("**/api/v1/desk"):  # which is answered, and the sale is not
        desk.evaluate(NOTE_HIDDEN)
    with desk.expect_response("**/api/v1/desk"):  # by the next one the first has been read
        pass
    assert desk.evaluate("hidden") == 0
    desk.reload()
    expect(desk.locator("#away")).to_be_visible()
    desk.unroute_all(behavior="wait")
    told(desk, "Ticket 1-3")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]
    house.floor.check_books()


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_key_that_is_pressed_ten_times_and_a_second_tab_sell_once(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    stop_the_clock(desk)  # however slow the machine, the finger is quick
    for _ in range(10):
        desk.keyboard.press("Enter")
    second = house.watched(desk.context.new_page())
    second.goto("/writer")
    expect(second.locator("#line")).to_be_focused()
    expect(desk.locator("#picture")).to_be_visible()
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]


@pytest.mark.rule("X-ticket-barcode")
def test_scans_in_a_burst_are_all_seen(house: House, desk: Page) -> None:
    for _ in range(3):
        desk.keyboard.type("4 8 15 16 @1")
        desk.keyboard.press("Enter")
    expect(desk.locator("#acts li")).to_have_count(3)
    seen: list[str] = []
    desk.on("request", lambda asked: seen.append(asked.url))
    for number in (1, 2, 3):
        scan(desk, house, number)
    expect(desk.locator("#panel")).to_contain_text("Ticket 3-")
    presented = [url for url in seen if url.endswith("/present")]
    assert [url.split("/")[-2] for url in presented] == ["1", "2", "3"]


@pytest.mark.rule("X-ticket-barcode")
def test_a_scanner_on_a_slow_line_is_heard_too(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.keyboard.type("12 13")
    scan_text(desk, f"{1:011}{house.floor.code(1)}", gap=80)
    expect(desk.locator("#panel")).to_contain_text("Ticket 1-3")
    expect(desk.locator("#line")).to_have_value("12 13")


@pytest.mark.rule("15.3(c)", "X-lock-server", "15.5(c)")
def test_a_sale_at_the_second_of_the_lockout_is_told_so(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    house.floor.lock()
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3, game M-2")  # none was named: it goes to the open game, and says which
    house.floor.check_books()


@pytest.mark.rule("X-drawer")
def test_a_shift_ends_with_a_blind_count(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("C Close")
    desk.keyboard.press("c")
    panel = desk.locator("#panel")
    expect(panel).to_contain_text("Count what is in it")
    expect(panel).not_to_contain_text("501")
    panel.get_by_label("$50.00").fill("10")
    panel.get_by_label("Name").fill(MAX)
    panel.get_by_label("Secret").fill(secret_of(MAX))
    desk.keyboard.press("Enter")
    expect(panel).to_contain_text("Short $1.00")
    house.floor.check_books()


@pytest.mark.rule("15.4(a)")
def test_all_keys_can_be_read_without_the_mouse(
    desk: Page, accessible: Callable[[Page], None]
) -> None:
    desk.keyboard.press("F1")
    expect(desk.locator("#panel .help")).to_be_focused()
    last = desk.get_by_text("All keys on one page")
    expect(last).not_to_be_in_viewport()
    accessible(desk)
    for _ in range(10):
        desk.keyboard.press("PageDown")
    expect(last).to_be_in_viewport()
    desk.keyboard.press("Escape")
    expect(desk.locator("#line")).to_be_focused()


@pytest.mark.rule("X-drawer")
def test_a_count_of_half_a_bill_is_no_count(house: House, desk: Page) -> None:
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("C Close")
    desk.keyboard.press("c")
    panel = desk.locator("#panel")
    expect(panel).to_contain_text("Count what is in it")
    for label, typed in (("$50.00", "9.5"), ("$50.00", "1e1"), ("Chips", "0.005"), ("Chips", "-1")):
        field = panel.get_by_label(label)
        field.fill(typed)
        panel.get_by_label("Name").fill(MAX)
        panel.get_by_label("Secret").fill(secret_of(MAX))
        desk.keyboard.press("Enter")
        expect(panel.locator("[data-told]")).to_have_text(f'"{typed}" is no number.')
        expect(field).to_be_focused()
        field.fill("")
    assert rows(house.floor, "SELECT count(*) FROM drawer WHERE closed_at IS NOT NULL") == [(0,)]


@pytest.mark.rule("X-drawer")
def test_whoever_comes_back_from_a_break_goes_on_with_two_keys(desk: Page) -> None:
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("K Break")
    desk.keyboard.press("k")
    expect(desk.locator("#drawer-state")).to_have_text("no drawer: F6")
    desk.keyboard.press("F6")
    expect(desk.get_by_role("button", name="Resume drawer 1")).to_be_focused()
    desk.keyboard.press("Enter")
    told(desk, "The drawer is open again.")
    expect(desk.locator("#drawer-state")).to_have_text("drawer 1")


@pytest.mark.rule("15.4(a)")
def test_escape_leads_back_to_the_line_and_clears_it_only_there(desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Tab")
    desk.keyboard.type("20")
    desk.keyboard.press("Escape")
    expect(desk.locator("#line")).to_be_focused()
    expect(desk.locator("#line")).to_have_value("4 8 15 16 @1")
    desk.keyboard.press("Escape")
    expect(desk.locator("#line")).to_have_value("")
    expect(desk.locator("#tender")).to_have_value("")


@pytest.mark.rule("X-practice")
def test_practice_sells_nothing(house: House, accessible: Callable[[Page], None]) -> None:
    page = house.station(WANDA)
    page.goto("/writer?practice")
    page.keyboard.type("4 8 15 16 @1")
    page.keyboard.press("Enter")
    told(page, "Nothing was sold.")
    expect(page.locator("#picture")).to_be_visible()
    accessible(page)
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]
    assert rows(house.floor, "SELECT count(*) FROM print_job") == [(0,)]


@pytest.mark.rule("X-ticket-exactly-once")
def test_a_key_that_bounces_does_not_send_the_patron_away(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    stop_the_clock(desk)  # as short as a key bounces
    for _ in range(2):
        desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.keyboard.press("Enter")
    expect(desk.locator("#net")).to_have_text("Collect $1.00")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]


@pytest.mark.rule("X-drawer", "15.4(c)", "15.4(e)-void", "15.6(a)")
def test_a_whole_shift_without_the_mouse(house: House) -> None:
    """From an empty browser to a closed drawer: nothing but keys and scans."""
    page = house.page()
    page.goto("/")
    expect(page.get_by_label("Station")).to_be_focused()
    type_into(page, "B1", house.floor.enrolments["B1"])
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name")).to_be_focused()
    type_into(page, WANDA, secret_of(WANDA))
    page.keyboard.press("Enter")
    expect(page.locator("#line")).to_be_focused()
    expect(page.locator("#drawer-state")).to_have_text("no drawer: F6")  # the page listens by now
    page.keyboard.press("F10")
    page.keyboard.press("F6")
    expect(page.locator("#panel input").first).to_be_focused()
    # Five hundreds; then past the other bills, coins, chips and tokens to whoever counted too.
    type_into(page, "5", *[""] * 12, "", "", MAX, secret_of(MAX))
    page.keyboard.press("Enter")
    expect(page.locator("#drawer-state")).to_have_text("drawer 1")
    for line in ("4 8 15 16 @1", "q8 @1 x2", EVERY):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
    expect(page.locator("#acts li")).to_have_count(3)
    page.keyboard.press("F4")
    scan(page, house, 1)
    expect(page.locator("#panel")).to_contain_text("Void ticket 1-3")
    page.keyboard.press("Enter")
    told(page, "Give back $1.00")
    house.floor.play()
    page.keyboard.press("F7")
    scan(page, house, 3)
    expect(page.locator("#panel")).to_contain_text("Pays $60.00")
    page.keyboard.press("Enter")
    told(page, "Pay $60.00")
    page.keyboard.press("F6")
    expect(page.locator("#panel")).to_contain_text("F Fill")
    page.keyboard.press("f")
    expect(page.locator("#panel input").first).to_be_focused()
    type_into(page, "100", "", "", "", SAM, secret_of(SAM))
    page.keyboard.press("Enter")
    told(page, "Fill from the bank: $100.00")
    page.keyboard.press("F6")
    expect(page.locator("#panel")).to_contain_text("C Close")
    page.keyboard.press("c")
    expect(page.locator("#panel")).to_contain_text("Count what is in it")
    # 500 + 2 + 80 - 60 + 100: six hundreds, a twenty and two ones; ticket 3 lies in the drawer.
    type_into(page, "6", "", "1", "", "", "", "2", *[""] * 6, "", "")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    type_into(page, MAX, secret_of(MAX))
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_contain_text("Even")
    house.floor.check_books()


@pytest.mark.rule("15.4(d)-refund", "X-fault-refund")
def test_a_void_game_goes_back_and_the_supervisor_sees_what_is_due(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.lock()
    ask_to_void(house.floor.office, house.floor.sam, "M", 1, "the power went")
    house.floor.draw()
    sam = house.station(SAM, "B2")
    expect(sam.get_by_text("Game M-1 was void: 1 tickets are not refunded yet.")).to_be_visible()
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("Refund games that were void")
    desk.keyboard.press("F5")
    desk.keyboard.press("Enter")
    told(desk, "Give back $1.00")
    expect(sam.get_by_text("Refunds due")).to_have_count(0)
    house.floor.check_books()


# ---- what a tired writer, a bad line or a cheat would do -----------------------------------------


@pytest.mark.rule("X-practice")
def test_practice_pays_nothing_and_opens_no_drawer(house: House, desk: Page) -> None:
    desk.keyboard.type(EVERY)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    desk.goto("/writer?practice")
    expect(desk.locator("#line")).to_be_focused()
    scan(desk, house, 1)
    told(desk, "tickets are not looked at here")
    desk.keyboard.press("F9")
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("K Break")
    desk.keyboard.press("k")
    told(desk, "Practice: nothing is done.")
    assert rows(house.floor, "SELECT count(*) FROM payout") == [(0,)]
    assert rows(house.floor, "SELECT count(*) FROM drawer WHERE suspended_at IS NOT NULL") == [(0,)]


@pytest.mark.rule("X-practice", "X-access")
def test_whoever_practises_goes_on_practising_after_signing_in_again(house: House) -> None:
    page = house.station(WANDA)
    for ended in ("while the page is open", "before it is loaded"):
        page.goto("/writer?practice")
        expect(page.locator("#games")).to_contain_text("M-1")
        page.context.clear_cookies(name="keno_person")
        if ended == "before it is loaded":
            page.reload()
        expect(page).to_have_url(SIGN_IN)
        house.sign_in(page, WANDA)
        expect(page.get_by_text("Practice. Nothing is sold")).to_be_visible()


@pytest.mark.rule("X-practice")
def test_practice_looks_at_no_ticket(desk: Page) -> None:
    """Presenting a ticket is an act: it keeps a win from expiring."""
    desk.keyboard.type(EVERY)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.goto("/writer?practice")
    expect(desk.locator("#line")).to_be_focused()
    expect(desk.locator("#games")).to_contain_text("M-1")
    for key in ("F3", "F4"):
        desk.keyboard.press("Escape")
        desk.keyboard.press(key)
        told(desk, "tickets are not looked at here")
        expect(desk.locator("#panel")).to_be_hidden()
        desk.keyboard.press("F7")


@pytest.mark.rule("X-ticket-exactly-once", "X-access")
def test_a_sale_whose_answer_was_lost_is_settled_after_signing_in_again(
    house: House, desk: Page
) -> None:
    """It was done, and the writer is told so; it is not forgotten because the session ended."""
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    lose_every_answer(desk, "tickets")
    desk.keyboard.press("Enter")
    expect(desk.locator("#away")).to_be_visible()
    desk.context.clear_cookies(name="keno_person")
    desk.unroute_all(behavior="wait")
    expect(desk).to_have_url(SIGN_IN)
    house.sign_in(desk, WANDA)
    told(desk, "Ticket 1-3")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]


@pytest.mark.rule("X-ticket-exactly-once", "X-no-offline")
def test_a_sale_that_never_arrived_is_not_done_by_whoever_sits_there_next(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    desk.route("**/api/v1/tickets", lambda route: route.abort())
    desk.keyboard.press("Enter")
    expect(desk.locator("#away")).to_be_visible()
    desk.get_by_role("button", name="Sign out").click()
    desk.unroute("**/api/v1/tickets")
    house.sign_in(desk, WALT)
    told(desk, "The last act was not done.")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]


@pytest.mark.rule("X-ticket-exactly-once", "X-recovery")
def test_a_sale_that_was_refused_behind_a_lost_answer_is_never_done(
    house: House, desk: Page
) -> None:
    """What was asked first hangs at one web node; another one has refused it meanwhile."""
    asked: list[Request] = []

    def lose_then_refuse(route: Route) -> None:
        asked.append(route.request)
        closed = {"code": "game.closed", "title": "Game M-1 is closed and about to be locked."}
        if len(asked) == 1:
            route.abort()
        else:
            route.fulfill(status=409, json=closed)

    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    desk.route("**/api/v1/tickets", lose_then_refuse)
    desk.keyboard.press("Enter")
    told(desk, "closed and about to be locked")
    desk.unroute("**/api/v1/tickets")
    late = desk.request.post(asked[0].url, data=asked[0].post_data, headers=asked[0].headers)
    assert (late.status, late.json()["code"]) == (409, "request_id.other_content")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]


@pytest.mark.rule("X-no-offline")
def test_what_no_patron_would_wait_for_is_never_sold_later(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    house.server.kill()
    desk.keyboard.press("Enter")
    expect(desk.locator("#away")).to_be_visible()
    desk.keyboard.type("1 2 3 4 @1")
    desk.keyboard.press("Enter")  # nothing is sold while the centre is away
    told(desk, "nothing can be sold")
    expect(desk.locator("#line")).to_have_value("1 2 3 4 @1")
    with desk.expect_request("**/api/v1/acts/settle"):
        stop_the_clock(desk)  # which passes as much time as no patron waits
    desk.clock.resume()
    house.server.start()
    told(desk, "The last act was not done.")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")


def hang_then_lose(desk: Page, what: str) -> list[Route]:
    """Have the first request hang, and lose every other; return them as they are asked."""
    asked: list[Route] = []

    def hang_or_lose(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.abort()

    desk.route(f"**/api/v1/{what}", hang_or_lose)
    return asked


ACTS = "import(new URL('acts.js', document.querySelector('script[src*=\"writer/main\"]').src))"


@pytest.mark.rule("X-no-offline", "X-ticket-exactly-once")
def test_a_sale_that_stood_behind_one_without_an_answer_is_not_done_late(
    house: House, desk: Page
) -> None:
    """Both were pressed before anybody knew that the centre is away; no patron waits for either."""
    asked = hang_then_lose(desk, "tickets")
    for line in ("4 8 15 16 @1", "1 2 3 4 @1"):
        desk.keyboard.type(line)
        expect(desk.locator("#words")).to_contain_text("one 4-spot")
        desk.keyboard.press("Enter")
        told(desk, "Selling ...")
    stop_the_clock(desk)  # which passes as much time as no patron waits
    asked[0].abort()
    told(desk, "not done")
    desk.unroute_all(behavior="wait")
    with desk.expect_response("**/api/v1/desk"):
        desk.clock.run_for(12_000)  # in which nothing is sold late
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]


@pytest.mark.rule("X-ticket-exactly-once")
@pytest.mark.parametrize("is_lost", [True, False], ids=["settled at once", "left behind"])
def test_an_act_whose_answer_was_lost_is_settled_whatever_it_is_refused_for(
    desk: Page, is_lost: bool
) -> None:
    answers = [None, {"code": "approval.needed", "title": "A supervisor must approve."}]

    def answer(route: Route) -> None:
        told_ = answers.pop(0) if answers else {"code": "fault", "title": "Not expected."}
        route.fulfill(status=403, json=told_) if told_ else route.abort()

    desk.route("**/api/v1/tickets/1/void", answer)
    if not is_lost:  # it is as if the page had been left in the middle of an act
        answers.pop(0)
        desk.evaluate("sessionStorage.setItem('keno.act', JSON.stringify({ id: 'request-first' }))")
    id_ = "request-first" if is_lost else "request-second"
    with desk.expect_request("**/api/v1/acts/settle") as settling:
        code = desk.evaluate(
            f"""async () => {{
                const {{ act }} = await {ACTS};
                return act("/api/v1/tickets/1/void", {{}}, "{id_}").catch((no) => no.code);
            }}"""
        )
    assert settling.value.headers["idempotency-key"] == "request-first"
    assert code == "approval.needed"
    assert desk.evaluate("sessionStorage.getItem('keno.act')") is None


@pytest.mark.rule("X-no-offline", "X-ticket-exactly-once")
def test_what_became_of_an_act_stays_above_the_one_behind_it_that_was_not_done(
    house: House, desk: Page
) -> None:
    """Its change has to be given; and what was typed for the other is named, if need be."""
    asked = hang_then_lose(desk, "tickets")
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    desk.locator("#tender").fill("5")
    desk.keyboard.press("Enter")
    told(desk, "Selling ...")
    desk.keyboard.type("1 2 3 4 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    desk.keyboard.press("Enter")
    desk.keyboard.type("5 6 7")
    asked[0].fetch()  # it is sold
    stop_the_clock(desk)  # which passes as much time as no patron waits
    asked[0].abort()
    told(desk, "not done")
    told(desk, "Not sold: 1 2 3 4 @1")
    told(desk, "Change $4.00")
    expect(desk.locator("#line")).to_have_value("5 6 7")
    desk.keyboard.press("F7")
    expect(desk.locator("#told")).not_to_contain_text("Change")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]


@pytest.mark.rule("X-ticket-exactly-once")
def test_what_was_sold_behind_a_long_silence_is_not_put_back_into_the_line(
    house: House, desk: Page
) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    expect(desk.locator("#words")).to_contain_text("one 4-spot")
    lose_the_answer(desk, "tickets")
    desk.keyboard.press("Enter")
    expect(desk.locator("#away")).to_be_visible()
    stop_the_clock(desk)  # which passes as much time as no patron waits
    desk.clock.resume()
    told(desk, "Ticket 1-3")  # settled
    expect(desk.locator("#line")).to_have_value("")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(1,)]


@pytest.mark.rule("X-drawer", "X-ticket-exactly-once")
def test_a_fill_whose_answer_was_lost_is_done_once(house: House, desk: Page) -> None:
    lose_every_answer(desk, "drawers/1/fill")
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("F Fill")
    desk.keyboard.press("f")
    panel = desk.locator("#panel")
    panel.get_by_label("Currency").fill("500")
    panel.get_by_label("Name").fill(SAM)
    panel.get_by_label("Secret").fill(secret_of(SAM))
    desk.keyboard.press("Enter")
    expect(desk.locator("#away")).to_be_visible()
    assert panel.get_by_label("Secret").input_value() == ""  # nobody's secret stays in the page
    kept = desk.evaluate("JSON.stringify(sessionStorage)")
    assert secret_of(SAM) not in kept
    desk.unroute_all(behavior="wait")
    told(desk, "Fill from the bank: $500.00")
    assert rows(house.floor, "SELECT count(*) FROM drawer_move") == [(1,)]


@pytest.mark.rule("15.6(a)", "X-pay-cash-log")
def test_what_is_paid_to_one_patron_is_not_shown_to_the_next(house: House, desk: Page) -> None:
    """The answer is slow, and the writer has turned to the next patron meanwhile."""
    desk.keyboard.type(EVERY)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("Pays $60.00")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.route("**/api/v1/tickets/1/pay", hold)
    with desk.expect_request("**/api/v1/tickets/1/pay"):
        desk.keyboard.press("Enter")
    desk.keyboard.press("F7")
    expect(desk.locator("#net")).to_have_text("Nothing yet")
    held[0].continue_()
    told(desk, "Pay $60.00")
    expect(desk.locator("#net")).to_have_text("Nothing yet")
    expect(desk.locator("#acts li")).to_have_count(0)


@pytest.mark.rule("X-ticket-barcode", "X-drawer")
def test_a_scan_while_the_drawer_is_at_hand_is_only_a_scan(house: House, desk: Page) -> None:
    for _ in range(3):
        desk.keyboard.type("4 8 15 16 @1")
        desk.keyboard.press("Enter")
    expect(desk.locator("#acts li")).to_have_count(3)
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("F Fill")
    scan(desk, house, 3)
    expect(desk.locator("#panel")).to_contain_text("Ticket 3-")
    assert rows(house.floor, "SELECT count(*) FROM drawer_move") == [(0,)]


@pytest.mark.rule("X-ticket-barcode", "X-drawer")
def test_a_scan_at_the_close_checks_a_paid_ticket_off_and_the_count_stays(
    house: House, desk: Page
) -> None:
    desk.keyboard.type(EVERY)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("Pays $60.00")
    desk.keyboard.press("Enter")
    told(desk, "Pay $60.00")
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("C Close")
    desk.keyboard.press("c")
    panel = desk.locator("#panel")
    panel.get_by_label("$50.00").fill("10")
    panel.get_by_label("$20.00").fill("1")
    scan(desk, house, 1)
    told(desk, "Ticket 1-3 is in the drawer.")
    expect(panel.get_by_label("$50.00")).to_have_value("10")
    expect(panel.get_by_label("$20.00")).to_have_value("1")
    panel.get_by_label("Name").fill(MAX)
    panel.get_by_label("Secret").fill(secret_of(MAX))
    desk.keyboard.press("Enter")
    expect(panel).to_contain_text("Even")
    expect(panel).not_to_contain_text("missing")
    house.floor.check_books()


@pytest.mark.rule("X-ticket-barcode", "X-drawer")
def test_a_scan_takes_nothing_from_a_form_of_the_drawer(house: House, desk: Page) -> None:
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    desk.keyboard.press("F6")
    expect(desk.locator("#panel")).to_contain_text("F Fill")
    desk.keyboard.press("f")
    amount = desk.locator("#panel").get_by_label("Currency")
    amount.fill("500")
    scan(desk, house, 1)
    told(desk, "First what is at hand")
    expect(amount).to_have_value("500")


@pytest.mark.rule("15.3(d)")
def test_a_large_price_is_not_confirmed_by_a_key_that_bounces(house: House, desk: Page) -> None:
    line = "1 2 3 4 5 6 7 8 @100 x4"
    desk.keyboard.type(line)
    stop_the_clock(desk)  # as short as a key bounces
    for _ in range(3):
        desk.keyboard.press("Enter")
    expect(desk.locator("#warnings")).to_contain_text("$400.00: press Enter again")
    for _ in range(3):
        desk.clock.run_for(100)
        desk.keyboard.press("Enter")
        expect(desk.locator("#line")).to_have_value(line)
    expect(desk.locator("#warnings")).to_contain_text("$400.00: press Enter again")
    assert rows(house.floor, "SELECT count(*) FROM ticket") == [(0,)]
    desk.clock.run_for(800)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")


@pytest.mark.rule("15.5(c)")
def test_the_booth_is_told_the_time_that_is_left_and_when_it_is_a_minute(
    house: House, desk: Page
) -> None:
    """By the clock of the house, also if that of the browser is a day ahead."""
    floor = house.floor
    soon = floor.office.now() + timedelta(seconds=300)
    override_close(floor.office, floor.sam, "M", 1, soon, "for the test")
    left = desk.locator("#games [aria-current] .left")
    expect(left).to_have_text(re.compile(r"^4:\d\d$|^5:00$"))
    expect(desk.locator("#closing")).to_be_hidden()
    desk.clock.set_fixed_time(soon + timedelta(days=1))
    soon = floor.office.now() + timedelta(seconds=50)
    override_close(floor.office, floor.sam, "M", 1, soon, "for the test")
    expect(left).to_have_text(re.compile(r"^0:[0-5]\d$"))
    expect(desk.locator("#closing")).to_be_visible()


@pytest.mark.rule("15.5(c)", "15.4(e)-void")
def test_near_the_close_the_tickets_just_printed_are_seen_beside_a_picture(
    house: House, desk: Page
) -> None:
    floor = house.floor
    desk.keyboard.type("4 8 15 16 @1")
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    expect(desk.locator("#picture")).to_be_visible()
    expect(desk.locator("#just-sold")).to_contain_text("1-3 M-1 $1.00 no printer")
    soon = floor.office.now() + timedelta(seconds=50)
    override_close(floor.office, floor.sam, "M", 1, soon, "for the test")
    expect(desk.locator("#just-sold")).to_contain_text("1-3 M-1 $1.00")
    expect(desk.locator("#just-sold")).to_be_in_viewport(ratio=1)
    expect(desk.locator("#closing")).to_have_text("This game closes within a minute.")


@pytest.mark.rule("15.6(a)")
def test_a_payment_that_is_pressed_twice_is_told_once(house: House, desk: Page) -> None:
    desk.keyboard.type(EVERY)
    desk.keyboard.press("Enter")
    told(desk, "Ticket 1-3")
    house.floor.play()
    desk.keyboard.press("F7")
    scan(desk, house, 1)
    expect(desk.locator("#panel")).to_contain_text("Pays $60.00")
    stop_the_clock(desk)  # however slow the machine, the finger is quick
    for _ in range(3):
        desk.keyboard.press("Enter")
    told(desk, "Pay $60.00")
    assert rows(house.floor, "SELECT cents FROM payout") == [(6_000,)]
