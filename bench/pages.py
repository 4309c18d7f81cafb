"""The pages: keys and milliseconds that a ticket takes, their weight, and what a board keeps.

The floor of a sale is the same two questions asked by a program: what it costs, and sell it.
"""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, expect

from app.spooler import Spooler
from bench.measure import Result
from printers.paper import WIDE
from printers.virtual import VirtualPrinter
from tests.browser.conftest import House, found_now, launched, open_drawer, opened_house
from tests.floor import WALT, WANDA
from tests.web.server import Client

ROUNDS = 5
GAMES = 1_000
PATIENCE_SECONDS = 20
# What a writer types for five typical tickets; the last is one key.
TICKETS = {
    "straight 8-spot": "4 8 15 16 23 42 7 9 @1",
    "quick-pick": "q8 @1",
    "3-way": "1 2 3/4 5 6/7 8 9 3/6 @1",
    "king": "1 2 3 4/5 6 7 8 k33 2/4 2/5 @1",
    "replay": None,
}
PAGES = ("/writer", "/results", "/check", "/board/M")


def measure() -> Iterator[Result]:
    """Measure the pages in a real browser, on a house of its own."""
    with launched() as browser, TemporaryDirectory(prefix="keno-") as folder:
        root, copy = Path(folder) / "house", Path(folder) / "copy"
        root.mkdir()
        copy.mkdir()
        with opened_house(browser, found_now(root), root, copy) as house:
            yield from _tickets(house, Path(folder) / "paper")
            yield from _weights(house)
            yield from _board(house)


# ---- from an empty line to a printed ticket ------------------------------------------------------


def _tickets(house: House, folder: Path) -> Iterator[Result]:
    printer = VirtualPrinter("B1", WIDE, folder)
    printer.start()
    house.floor.printer_at("B1", f"tcp:127.0.0.1:{printer.port}")
    stop = threading.Event()
    spooling = threading.Thread(target=Spooler(house.floor.office, "bench").run, args=(stop,))
    spooling.start()
    page = house.station(WANDA)
    page.keyboard.press("F10")
    open_drawer(page)
    floor = _by_program(house)
    for name, line in TICKETS.items():
        keys = 2 if line is None else len(line) + 1
        waits = [_typed(page, line, printer) for _ in range(ROUNDS)]
        yield Result(f"{name}: keys from an empty line to a printed ticket", keys, "keys")
        millis = 1000 * median(waits)
        yield Result(f"{name}: from the first key to a printed ticket", millis, "milliseconds")
        ratio = median(waits) / floor
        yield Result(f"{name}: against a program that asks and sells", ratio, "times as long")
    stop.set()
    spooling.join()
    printer.stop()


def _typed(page: Page, line: str | None, printer: VirtualPrinter) -> float:
    """Type a ticket as fast as the page takes it; return how long it took until it was cut."""
    wanted = len(printer.papers) + 1
    page.keyboard.press("Escape")
    start = time.perf_counter()
    if line is None:
        page.keyboard.press("F2")
        expect(page.locator("#line")).not_to_have_value("")
    else:
        page.keyboard.type(line)
    page.keyboard.press("Enter")
    while len(printer.papers) < wanted:
        if time.perf_counter() - start > PATIENCE_SECONDS:
            raise RuntimeError(f"{line} was not printed: {page.locator('#faults').inner_text()}")
        time.sleep(0.002)
    return time.perf_counter() - start


def _by_program(house: House) -> float:
    """Return how long a program takes to ask for the price and to sell, without any paper."""
    walt = house.floor.writing(WALT, "B2")
    client = Client(
        house.server.port,
        {"X-Station": walt.station or "", "Authorization": f"Bearer {walt.token}"},
    )
    request = {"groups": [[4, 8, 15, 16, 23, 42, 7, 9]], "conditioning": "1/8 @ 1.00"}
    sale = {"series": "M", "source": "request", "request": request}
    tender = {"tender": [{"kind": "currency", "cents": 100}]}
    waits = []
    for place in range(2 * ROUNDS):
        start = time.perf_counter()
        client.ask("POST", "/api/v1/quote", request)
        client.ask("POST", "/api/v1/tickets", sale | tender, f"program-{place:04}")
        waits.append(time.perf_counter() - start)
    client.close()
    return median(waits)


# ---- pages ---------------------------------------------------------------------------------------


def _weights(house: House) -> Iterator[Result]:
    page = next(context.pages[0] for context in house.contexts)
    page.context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
    for path in PAGES:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        loaded = page.evaluate(
            """() => {
              const [page] = performance.getEntriesByType("navigation");
              const parts = performance.getEntriesByType("resource")
                .filter((part) => part.name.includes("/static/"));
              const bytes = [page, ...parts].reduce((sum, part) => sum + part.decodedBodySize, 0);
              return { bytes, interactive: page.domInteractive };
            }"""
        )
        yield Result(f"{path}: its weight", loaded["bytes"] / 1024, "KiB")
        yield Result(f"{path}: until it is interactive", loaded["interactive"], "milliseconds")


# ---- a board for a day ---------------------------------------------------------------------------


def _board(house: House) -> Iterator[Result]:
    """Have a board show a thousand games, one behind the other, each checked from a record."""
    house.floor.play()
    page = house.page()
    page.goto("/board/M?pace=0")
    expect(page.locator("li.lit").first).to_be_visible()
    newest = page.evaluate("async () => (await (await fetch('/board/M/now.json')).json()).games[0]")
    address = f"/results/M/{newest['number']}.json"
    record = page.evaluate("async (address) => (await fetch(address)).json()", address)
    page.route("**/results/M/*.json", lambda route: route.fulfill(json=record))
    few, many = _heap(page, 20), _heap(page, GAMES)
    name = f"board after {GAMES:,} games"
    yield Result(f"{name}: memory of its page", many / 2**20, "MiB")
    yield Result(f"{name}: against twenty", many / few, "times as much", goal=1.5, at_most=True)


def _heap(page: Page, games: int) -> float:
    """Return what a board holds in memory when it has shown so many games more."""
    page.evaluate(
        """async (games) => {
          const { show } = await import("/static/js/board.js");
          const news = await (await fetch("/board/M/now.json")).json();
          for (let n = 1; n <= games; n += 1) {
            const [game] = news.games;
            const number = game.number + 1;
            const next = { ...game, number, game: `M-${number}` };
            news.games = [next, ...news.games.slice(0, 8)];
            await show(news);
          }
        }""",
        games,
    )
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"])
