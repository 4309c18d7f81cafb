"""What patrons look at, in a real browser: the board through whole games, results, a ticket."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from queue import Queue

import pytest
from playwright.sync_api import Page, Route, expect

from app.feed import Feed
from app.flow.draw import ask_to_void
from app.flow.office import Office
from app.flow.override import override_close
from app.store.queries import outcomes
from printers.escpos import scan_of
from tests.browser.conftest import House, scan_text, stop_the_clock
from tests.floor import CARD
from tests.ports import free_port
from tests.story.paying import every, sold

PHONE = {"viewport": {"width": 390, "height": 844}}
VECTORS = Path(__file__).parents[1] / "rng" / "vectors" / "worked_example.json"
LIT = ".half li.lit"
PACE = 200  # milliseconds between two numbers
PATIENCE = 120  # seconds


def numbers_of(house: House, game: int) -> list[int]:
    with house.floor.office.database.reading() as connection:
        found = outcomes.outcome(connection, "M", game)
    assert found is not None
    assert found.numbers is not None
    return found.numbers


def board(house: House, pace: int = 0, **how: object) -> Page:
    page = house.page(**how)
    page.goto(f"/board/M?pace={pace}")
    return page


def note_calls(page: Page) -> None:
    """Have a board note what is in drawn order whenever that changes."""
    page.evaluate(
        """() => {
          calls = [];
          const order = document.getElementById("order");
          const drawn = () => [...order.children].map((ball) => Number(ball.textContent));
          const note = () => calls.push(drawn());
          new MutationObserver(note).observe(order, { childList: true });
        }"""
    )


def call_out(page: Page, game: str) -> None:
    """Let the time pass in which a board hears of a game and calls its numbers."""
    name, order = page.locator("#game"), page.locator("#order li")
    end = time.monotonic() + PATIENCE
    while name.inner_text() != game or order.count() < 20:
        assert time.monotonic() < end, "it was not called"
        page.clock.run_for(PACE)


def calls_of(page: Page, drawn: list[int]) -> int:
    """How often numbers were added, each time in drawn order, until all were there."""
    calls: list[list[int]] = [call for call in page.evaluate("calls") if call]
    assert [call for call in calls if call != drawn[: len(call)]] == []
    assert calls[-1] == drawn
    return len(calls)


def is_wide(page: Page) -> bool:
    """Whether a page must be scrolled sideways."""
    wide: bool = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    return wide


@pytest.mark.rule("15.5(f)", "15.5(g)", "15.5(c)")
def test_a_whole_game_on_the_board_number_by_number_in_drawn_order(
    house: House, accessible: Callable[[Page], None]
) -> None:
    page = board(house, pace=PACE)
    expect(page.locator("#next")).to_have_text("Game M-1 is open")
    override_close(house.floor.office, house.floor.sam, "M", 1, None, "The band is late.")
    expect(page.locator("#left")).to_have_text("Held")
    closes_at = house.floor.office.now() + timedelta(seconds=650)
    override_close(house.floor.office, house.floor.sam, "M", 1, closes_at, "The band is here.")
    expect(page.locator("#left")).to_have_text(re.compile(r"10:(50|[0-4]\d)"))
    expect(page.locator("#left")).not_to_have_text(page.locator("#left").inner_text())
    house.floor.lock()
    expect(page.locator("h1")).to_have_text("Game M-1")
    expect(page.locator("#state")).to_have_text("Closed, to be drawn")
    expect(page.locator(LIT)).to_have_count(0)
    note_calls(page)
    stop_the_clock(page)
    house.floor.draw()
    drawn = numbers_of(house, 1)
    call_out(page, "M-1")
    assert calls_of(page, drawn) == 20  # one by one
    page.clock.resume()
    lit = [int(text) for text in page.locator(LIT).all_inner_texts()]
    assert lit == sorted(drawn)
    expect(page.locator("#verified")).to_have_text("✓ follows from its signed record")
    house.floor.grade(1)
    expect(page.locator("#state")).to_have_text("Official")
    expect(page.locator("#seal")).to_have_text(re.compile(r"([0-9a-f]{4} ){4}[0-9a-f]{4}"))
    accessible(page)
    house.floor.play()
    expect(page.locator("h1")).to_have_text("Game M-2")
    expect(page.locator("#last tr").first).to_contain_text("M-1")
    expect(page.locator(".past span")).to_have_text([str(number) for number in sorted(drawn)])


@pytest.mark.rule("X-recovery", "15.5(g)")
def test_a_board_that_was_away_says_so_and_is_right_again(house: House) -> None:
    house.floor.play()
    page = board(house, pace=PACE)
    expect(page.locator(LIT)).to_have_count(20)
    expect(page.locator("#lost")).to_be_hidden()
    note_calls(page)
    house.server.kill()
    expect(page.locator("#lost")).to_have_text("No connection. What is shown may be old.")
    for _ in range(10):
        house.floor.play()
    expect(page.locator("h1")).to_have_text("Game M-1")
    stop_the_clock(page)
    house.server.start()
    call_out(page, "M-11")
    expect(page.locator("#lost")).to_be_hidden()
    assert calls_of(page, numbers_of(house, 11)) == 20  # the newest is called
    assert page.locator("#last th").all_inner_texts() == [f"M-{n}" for n in range(10, 2, -1)]


@pytest.mark.rule("X-fault-refund", "X-recovery", "8.3")
def test_a_board_says_held_void_and_what_card_comes(
    house: House, accessible: Callable[[Page], None]
) -> None:
    floor = house.floor
    page = board(house)
    floor.hold("The inspector is locked.")
    expect(page.locator("#left")).to_have_text("Held: The inspector is locked.")
    floor.lock()
    ask_to_void(floor.office, floor.sam, "M", 1, "the power went")
    floor.draw()
    expect(page.locator("#state")).to_have_text("Void: what was paid for it goes back")
    tomorrow = floor.office.now() - floor.moment[0] + timedelta(days=1)
    floor.put_in_force(CARD.read_bytes() + b"\n# another version\n", tomorrow)
    expect(page.locator("#card")).to_contain_text("New rate card from")
    accessible(page)


@pytest.mark.rule("X-draw-public")
def test_a_browser_works_the_numbers_out_again(house: House) -> None:
    page = board(house)
    draw = json.loads(VECTORS.read_text())["draw"]
    derived = "record => import('/static/js/derive.js').then(it => it.numbersOf(record))"
    assert page.evaluate(derived, draw) == draw["record"]["body"]["numbers"]
    draw["intent"]["body"]["r"] = "0" * 64
    refused = f"record => ({derived})(record).then(() => 'derived', no => no.message)"
    assert page.evaluate(refused, draw) == "The record names another intent."


@pytest.mark.rule("X-draw-public", "15.5(g)")
def test_numbers_that_the_record_does_not_give_are_not_shown(house: House) -> None:
    house.floor.play()
    page = house.page()

    def other_numbers(route: object) -> None:
        answer = route.fetch()  # type: ignore[attr-defined]
        told = answer.json()
        told["games"][0]["numbers"].reverse()
        route.fulfill(response=answer, json=told)  # type: ignore[attr-defined]

    page.route("**/now.json", other_numbers)
    page.goto("/board/M?pace=0")
    expect(page.locator("#state")).to_contain_text("Not shown")
    expect(page.locator(LIT)).to_have_count(0)


def test_where_a_browser_cannot_work_them_out_the_house_has(house: House) -> None:
    house.floor.play()
    page = house.page()
    page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    page.goto("/board/M?pace=0")
    expect(page.locator(LIT)).to_have_count(20)
    expect(page.locator("#verified")).to_have_text("")


def test_a_board_does_not_grow_with_the_games(house: House) -> None:
    house.floor.play()
    page = board(house)
    expect(page.locator(LIT)).to_have_count(20)
    grown = page.evaluate(
        """async () => {
          const { show } = await import("/static/js/board.js");
          const news = await (await fetch("/board/M/now.json")).json();
          const at = (number) => ({ ...news.games[0], number, game: `M-${number}`, numbers: null });
          const counts = [];
          for (let number = 10; number < 300; number += 1) {
            const games = Array.from({ length: 9 }, (_, back) => at(number - back));
            await show({ ...news, games });
            counts.push(document.querySelectorAll("*").length);
          }
          return counts.at(-1) - counts[0];
        }"""
    )
    assert grown == 0


@pytest.mark.rule("15.5(f)")
def test_a_voice_says_the_numbers_as_they_come_and_is_remembered(house: House) -> None:
    page = house.page()
    page.add_init_script("said = []; speechSynthesis.speak = (words) => said.push(words.text);")
    page.goto("/board/M?pace=20")
    voice = page.get_by_role("button", name="Voice")
    expect(voice).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("v")
    expect(voice).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(voice).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#next")).to_have_text("Game M-1 is open")
    house.floor.play()
    expect(page.locator("#order li")).to_have_count(20)
    assert page.evaluate("said") == ["Game 1.", *map(str, numbers_of(house, 1))]
    # A game of long ago, behind hours without a connection, is shown whole and not called.
    page.route("**/now.json", long_ago)
    with page.expect_request("**/now.json"):  # what was asked before is answered
        pass
    note_calls(page)
    house.floor.play()
    expect(page.locator("h1")).to_have_text("Game M-2")
    expect(page.locator("#order li")).to_have_count(20)
    assert calls_of(page, numbers_of(house, 2)) == 1
    assert len(page.evaluate("said")) == 21
    voice.click()
    expect(voice).to_have_attribute("aria-pressed", "false")


def long_ago(route: Route) -> None:
    """Have a board hear that its newest game ended two hours ago."""
    told = route.fetch().json()
    newest = told["games"][0]
    if newest["ended_seconds"] is not None:  # it is locked, and being drawn
        newest["ended_seconds"] += 7_200
    route.fulfill(json=told)


# ---- with the live feed --------------------------------------------------------------------------


@pytest.fixture
def feed_port(monkeypatch: pytest.MonkeyPatch) -> int:
    """Where the feed of the next house will be."""
    port = free_port()
    monkeypatch.setenv("KENO_FEED", f"http://127.0.0.1:{port}/events")
    return port


@contextmanager
def feeding(office: Office, port: int) -> Iterator[None]:
    """Run the live feed until the test is done with it."""
    started: Queue[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Queue()

    async def serve() -> None:
        stop = asyncio.Event()
        started.put((asyncio.get_running_loop(), stop))
        await Feed(office).serve("127.0.0.1", port, stop)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    loop, stop = started.get()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


@pytest.mark.rule("15.5(f)", "15.5(g)", "X-recovery")
def test_a_board_hears_of_a_draw_from_the_feed_and_looks_itself_without_it(
    feed_port: int, house: House
) -> None:
    asked: list[str] = []
    page = house.page()
    page.on("request", lambda request: asked.append(request.url))
    with feeding(house.floor.office, feed_port):
        page.goto("/board/M?pace=0")
        house.floor.play()
        expect(page.locator("h1")).to_have_text("Game M-1")
        expect(page.locator(LIT)).to_have_count(20)
        for _ in range(20):  # until it listens
            before = len(asked)
            page.wait_for_timeout(3_000)  # without the feed it asks every second
            if len(asked) == before:
                break
        assert len(asked) == before  # it is told, and need not ask
    house.floor.play()
    expect(page.locator("h1")).to_have_text("Game M-2")
    numbers = [str(number) for number in numbers_of(house, 2)]
    expect(page.locator("#order li")).to_have_text(numbers)


# ---- results and check ---------------------------------------------------------------------------


@pytest.mark.rule("15.5(h)")
@pytest.mark.parametrize("how", [{}, PHONE, {**PHONE, "java_script_enabled": False}])
def test_results_are_found_on_a_phone_and_without_scripts(
    house: House, how: dict[str, object], accessible: Callable[[Page], None]
) -> None:
    for _ in range(2):
        house.floor.play()
    page = house.page(**how)
    page.goto("/results")
    if "java_script_enabled" not in how:
        accessible(page)
    assert not is_wide(page)
    page.get_by_label("Find a game").fill("m-1")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="M-1")).to_be_visible()
    balls = page.locator(".ball").all_inner_texts()
    assert [int(ball) for ball in balls] == sorted(numbers_of(house, 1))


@pytest.mark.rule("X-not-decided", "X-ticket-barcode")
def test_a_patron_scans_a_ticket_anywhere_on_the_page_or_types_it(
    house: House, accessible: Callable[[Page], None]
) -> None:
    sold(house.floor)
    code = house.floor.code(1)
    page = house.page(**PHONE)
    page.goto("/check")
    accessible(page)
    assert not is_wide(page)
    page.get_by_label("Validation code").focus()  # wherever the focus is
    scan_text(page, scan_of(1, code))
    expect(page.get_by_role("status")).to_contain_text("Not yet decided")
    house.floor.play()
    page.get_by_label("Ticket number").fill("1-3")
    page.get_by_label("Validation code").fill(code)
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status")).to_contain_text("Won $60.00")
    accessible(page)
    assert not is_wide(page)
    assert code not in page.content()
    page.get_by_label("Ticket number").fill("2")
    page.get_by_label("Validation code").fill(code)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("There is no ticket with this number")


def test_a_ticket_is_checked_without_scripts(house: House) -> None:
    sold(house.floor, every(games=2))
    house.floor.play()
    page = house.page(java_script_enabled=False)
    page.goto("/check")
    page.get_by_label("Ticket number").press_sequentially(scan_of(1, house.floor.code(1)))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Won so far: $60.00")
