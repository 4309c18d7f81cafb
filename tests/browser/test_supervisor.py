"""The supervisor's pages in a real browser."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, Route, expect

from app.flow.present import present_ticket
from app.flow.sell import Sale
from app.moments import hour_words
from tests.browser.conftest import House, scan, type_into
from tests.floor import ADA, MAX, SAM, WANDA, secret_of
from tests.looking import rows
from tests.story.paying import pay
from tests.waiting import until as wait_until
from tests.web.supervisor_pages import BILLS, LARGE


@pytest.mark.rule("15.5(d)", "15.6(b)", "X-drawer")
def test_a_supervisor_locks_a_game_approves_a_payment_and_closes_a_drawer_left_behind(
    house: House, accessible: Callable[[Page], None]
) -> None:
    floor = house.floor
    wanda = floor.writing()
    floor.sell(wanda, Sale("M", LARGE, BILLS))
    page = house.station(SAM, "B2")
    expect(page.get_by_role("heading", name="Floor")).to_be_visible()
    accessible(page)
    game = page.locator("section", has_text="Run a game").last
    lock = game.locator("details", has=page.locator('form[data-act$="/M/1/lock"]'))
    lock.get_by_text("Lock it now").click()
    lock.get_by_label("Why").fill("The lounge is empty.")
    lock.get_by_role("button", name="Lock now").press("Enter")
    # The generator of this house is elsewhere, and nothing is locked that could not be drawn.
    expect(game.get_by_text("Games cannot be drawn now")).to_be_visible()
    floor.lock()
    page.reload()
    expect(page.get_by_text("M-1 waits for its draw")).to_be_visible()
    floor.draw()
    assert floor.grade(1) == "certified"
    present_ticket(floor.office, wanda, 1, floor.code(1), None)
    page.get_by_role("link", name="1-3").click()
    expect(page.get_by_role("heading", name=re.compile("won \\$1,800.00"))).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Approve $1,800.00").press("Enter")
    page.wait_for_url("**/supervisor")
    pay(floor, wanda)
    page.get_by_role("link", name="Drawer 1 of WANDA").click()
    drawer = page.locator('form[data-act$="/drawers/1/close"]')
    expect(drawer).not_to_contain_text("expected")
    accessible(page)
    drawer.get_by_label("1-3").check()
    drawer.get_by_label("$50.00").fill("3")
    drawer.get_by_label("Why").fill("the writer was taken ill")
    drawer.get_by_label("Name").fill(MAX)
    drawer.get_by_label("Secret").fill(secret_of(MAX))
    drawer.get_by_role("button", name="Close it").press("Enter")
    expect(page.get_by_role("heading", name=re.compile("^Short "))).to_be_visible()
    expect(page.get_by_text("Paid tickets missing")).to_have_count(0)
    page.get_by_label("What was found").fill("a bag was left")
    page.keyboard.press("Enter")
    expect(page.get_by_role("listitem").filter(has_text="a bag was left")).to_be_visible()
    accessible(page)
    page.goto("/supervisor")
    closed = page.get_by_role("listitem").filter(has_text="Drawer 1 of WANDA")
    expect(closed).to_contain_text("explained")
    assert rows(floor, "SELECT count(*) FROM approval") == [(1,)]
    floor.check_books()


@pytest.mark.proof
@pytest.mark.rule("X-pay-without-code")
def test_a_lost_ticket_is_reported_beside_the_list_of_wins_that_nobody_came_for(
    house: House, accessible: Callable[[Page], None]
) -> None:
    floor = house.floor
    floor.sell(floor.writing(), Sale("M", LARGE, BILLS))
    floor.play()
    page = house.station(SAM, "B2")
    page.get_by_role("link", name="Unclaimed wins").click()
    expect(page.get_by_role("cell", name="$1,800.00")).to_be_visible()
    accessible(page)
    page.get_by_label("Ticket number").focus()
    type_into(page, "1-3", "Pat Patron", "licence 1", "B1, about noon", "camera 7")
    page.keyboard.press("Enter")
    wait_until(lambda: bool(rows(floor, "SELECT ticket FROM lost_ticket")))
    assert rows(floor, "SELECT ticket, surveillance FROM lost_ticket") == [(1, "camera 7")]
    floor.check_books()


@pytest.mark.rule("15.5(e)")
def test_a_game_closes_when_the_clock_on_the_wall_shows_what_was_typed(house: House) -> None:
    page = house.station(SAM, "B2")
    form = page.locator('form[data-act$="/M/1/close"]')
    page.locator("details", has=form).get_by_text("Hold, or close at another time").click()
    here = ZoneInfo(house.floor.office.house.time_zone)
    shown = (house.floor.office.now() + timedelta(hours=2)).astimezone(here)
    form.get_by_label("Closes at").fill(f"{shown:%Y-%m-%dT%H:%M}")
    form.get_by_label("Why").fill("A bus is late.")
    form.get_by_role("button", name="Set it").press("Enter")
    on_the_minute = shown.replace(second=0, microsecond=0)
    until = f"until {hour_words(on_the_minute, here.key)}"
    expect(page.get_by_text(until)).to_be_visible()
    ((closes_at,),) = rows(house.floor, "SELECT closes_at FROM game WHERE series = 'M'")
    assert datetime.fromisoformat(str(closes_at)) == on_the_minute


@pytest.mark.rule("X-sale-stop")
def test_what_a_supervisor_stops_stands_on_the_writers_page(
    house: House, accessible: Callable[[Page], None]
) -> None:
    writer, page = house.station(WANDA), house.station(SAM, "B2")
    page.goto("/supervisor")
    page.get_by_text("Sell a schedule, or a spot count of it, no more").click()
    form = page.locator("form", has=page.locator("[name=spots]"))
    form.get_by_label("Spots (empty: all)").fill("4")
    form.get_by_label("Why").fill("it pays too much")
    form.get_by_role("button", name="Stop it").click()
    expect(page.locator("main")).to_contain_text("regular, 4 spots: it pays too much")
    accessible(page)
    said = "Not sold now: regular, 4 spots (it pays too much)."
    expect(writer.locator("#stopped")).to_have_text(said)
    accessible(writer)


@pytest.mark.rule("X-card-odds", "X-access")
def test_cards_and_people_are_looked_at_and_a_station_is_added(
    house: House, accessible: Callable[[Page], None]
) -> None:
    page = house.station(SAM, "B2")
    page.goto("/supervisor/cards")
    page.locator("#card-text").fill("name = 3")
    page.get_by_role("button", name="Check it").press("Enter")
    expect(page.locator("#checked .refusal").first).to_be_visible()
    expect(page.locator("#checked")).to_contain_text("This card cannot be read")
    expect(page.locator("#checked")).not_to_contain_text("It is the same.")
    accessible(page)
    page.get_by_role("link", name=re.compile("^[0-9a-f]{12}$")).click()
    expect(page.get_by_role("img", name="House advantage by schedule and spots")).to_be_visible()
    accessible(page)
    page.goto("/supervisor/runbooks")
    accessible(page)
    page.emulate_media(color_scheme="dark")
    for path in ("", "/cards", "/runbooks"):
        page.goto(f"/supervisor{path}")
        accessible(page)
    ada = house.station(ADA, "B1")
    ada.goto("/supervisor/people")
    accessible(ada)
    form = ada.locator('form[data-act="/api/v1/stations"]')
    form.get_by_label("Code").fill("B7")
    form.get_by_role("button", name="Add").press("Enter")
    expect(form).to_contain_text("Write it down")
    assert WANDA in ada.locator("table").first.inner_text()


@pytest.mark.rule("X-ticket-validation", "X-ticket-barcode")
def test_a_scan_on_a_page_of_the_staff_does_nothing_and_leaves_no_code(house: House) -> None:
    floor = house.floor
    floor.sell(floor.writing(), Sale("M", LARGE, BILLS))
    page = house.station(SAM, "B2")
    form = page.locator('form[data-act$="/M/1/close"]')
    page.locator("details", has=form).get_by_text("Hold, or close at another time").click()
    form.get_by_label("Why").fill("A bus")
    scan(page, house, 1)
    expect(page.get_by_text("A ticket was scanned, and nothing was done")).to_be_visible()
    expect(form.get_by_label("Why")).to_have_value("A bus")
    page.goto("/regulator")
    expect(page.get_by_role("searchbox")).to_be_focused()
    scan(page, house, 1)
    page.wait_for_url("**/regulator/tickets/1")
    page.get_by_role("searchbox").fill(f"{1:011}{floor.code(1)}")  # as it is pasted
    with page.expect_request("**/regulator/find*") as asked:
        page.get_by_role("button", name="Find").click()
    assert asked.value.url.endswith("?q=1")


def test_a_page_says_that_it_is_old_when_the_centre_does_not_answer(house: House) -> None:
    page = house.station(SAM, "B2")
    house.server.kill()
    expect(page.get_by_text("what is shown here is old")).to_be_visible()
    house.server.start()
    expect(page.get_by_text("what is shown here is old")).to_be_hidden()


@pytest.mark.rule("X-access")
def test_a_form_pressed_before_its_script_has_come_waits_and_puts_no_secret_into_an_address(
    house: House,
) -> None:
    page = house.station(ADA, "B2")
    held: list[Route] = []
    page.route("**/js/forms.js", lambda route: held.append(route))  # noqa: PLW0108  it is marked
    page.goto("/supervisor/people", wait_until="commit")
    give = page.locator('form[data-act$="/staff/secret"]')
    give.locator('[name="name"]').fill(SAM)
    give.get_by_label("New secret").fill("good for choosing another")
    give.locator('[name="second.name"]').fill(MAX)
    give.locator('[name="second.secret"]').fill(secret_of(MAX))
    give.get_by_role("button", name="Give it").press("Enter")
    assert page.url.endswith("/supervisor/people")
    held[0].continue_()
    expect(page.get_by_text("secret given")).to_be_visible()
    assert page.url.endswith("/supervisor/people")
