"""A house with a real web server, and people in front of real browsers.

Whatever a page says on its console as an error, whatever the browser refuses to load for it, and
whatever the server answers with a fault fails the test.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)
from playwright.sync_api import Response as Answer

from tests.browser.chromium import ARGUMENTS, chromium
from tests.floor import MAX, WANDA, Floor, secret_of
from tests.web.server import Server, WarmServer

EVERY = " ".join(f"k{number}" for number in range(1, 81)) + " 80/1 @1"  # it always wins $60
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
PATIENCE_MS = 60_000  # a page is seen when it is there, however busy the machine is
expect.set_options(timeout=PATIENCE_MS)
# A page waits ten times as long for an answer: the machine may do much else beside these tests.
PATIENT = """const real = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (ms) => real(10 * ms);"""
# The keys of a scanner come as fast as it types, however busy the machine is: up to the next Enter
# a page is told that each was pressed so many milliseconds behind the one before.
SCANNER = """let gap = 0, last = 0;
globalThis.keysEvery = (ms) => { [gap, last] = [ms, 0]; };
addEventListener("keydown", (event) => {
  if (!gap) return;
  last = last ? last + gap : event.timeStamp;
  Object.defineProperty(event, "timeStamp", { value: last });
  if (event.key === "Enter") gap = 0;
}, true);"""
SCANNER_MS = 8
NOWHERE = "**/nothing-is-ever-asked-here"


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser, in which every page has a context of its own."""
    path = chromium()  # it may ask Playwright itself, of which there can be one at a time
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for a module: as long as it is open, an event loop runs in this process."""
    with launched() as made:
        yield made


def found_now(folder: Path) -> Floor:
    """A house that was founded now, by the clock of this machine, as a browser's clock is."""
    first = Floor.opened(f"sqlite:///{folder / 'keno.db'}", folder, real_clock=True)
    first.close()
    return first


@pytest.fixture(scope="session")
def founded_now(tmp_path_factory: pytest.TempPathFactory) -> tuple[Floor, Path]:
    folder = tmp_path_factory.mktemp("house")
    return found_now(folder), folder


@dataclass
class House:
    """A house with its web server, and the browsers in it."""

    floor: Floor
    server: Server
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def page(self, **how: object) -> Page:
        """A new browser, with nothing kept in it, that nobody is signed in at."""
        context = self.browser.new_context(base_url=self.address, **how)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        for script in (PATIENT, SCANNER):
            context.add_init_script(script)
        self.contexts.append(context)
        return self.watched(context.new_page())

    def watched(self, page: Page) -> Page:
        """Have every fault of a page noted."""

        def said(message: ConsoleMessage) -> None:
            # A refusal is an answer; the browser writes each of them on its console.
            if message.type == "error" and "Failed to load resource" not in message.text:
                self.faults.append(f"{page.url}: {message.text}")

        def answered(answer: Answer) -> None:
            if answer.status >= 500:
                self.faults.append(f"{answer.url}: {answer.status}")

        page.on("console", said)
        page.on("pageerror", lambda error: self.faults.append(f"{page.url}: {error}"))
        page.on("response", answered)
        return page

    def station(self, name: str, station: str = "B1", **how: object) -> Page:
        """A browser at a station, at which somebody signs in."""
        page = self.page(**how)
        self.enrol(page, station)
        self.sign_in(page, name)
        return page

    def enrol(self, page: Page, station: str) -> None:
        page.goto("/")
        page.get_by_label("Station").fill(station)
        page.get_by_label("Enrolment code").fill(self.floor.enrolments[station])
        page.get_by_role("button", name="Enrol").click()

    def sign_in(self, page: Page, name: str) -> None:
        page.get_by_label("Name").fill(name)
        page.get_by_label("Secret").fill(secret_of(name))
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: not url.rstrip("/").endswith(str(self.server.port)))


@pytest.fixture(scope="session")
def warm(founded_now: tuple[Floor, Path]) -> Iterator[WarmServer]:
    """The web server of all tests in this process, which starts with the first."""
    _, folder = founded_now
    server = WarmServer(f"sqlite:///{folder / 'keno.db'}", folder / "keys")
    yield server
    if server.is_running:
        server.kill()


@contextmanager
def opened_house(
    browser: Browser, first: Floor, folder: Path, copy: Path, warm: WarmServer | None = None
) -> Iterator[House]:
    """A copy of a house, with a web server; every fault of its pages fails."""
    shutil.copy(folder / "keno.db", copy / "keno.db")
    url = f"sqlite:///{copy / 'keno.db'}"
    floor = first.on(url, real_clock=True)
    server = warm or WarmServer(url, folder / "keys")
    with ExitStack() as closing:
        closing.callback(floor.close)
        server.open(url)
        if warm is None:
            closing.callback(server.kill)
        made = House(floor, server, browser)
        yield made
        for context in made.contexts:
            context.close()
    assert made.faults == []


@pytest.fixture
def house(
    browser: Browser, founded_now: tuple[Floor, Path], tmp_path: Path, warm: WarmServer
) -> Iterator[House]:
    with opened_house(browser, *founded_now, tmp_path, warm) as made:
        yield made


@pytest.fixture
def desk(house: House) -> Page:
    page = house.station(WANDA)
    # From now on everything that the page asks for passes by here, for nothing. If that began only
    # when a test wants to lose an answer, what is asked at once could slip through.
    page.context.route(NOWHERE, lambda route: route.abort())
    expect(page.locator("#line")).to_be_focused()
    expect(page.locator("#games")).to_contain_text("M-1")
    page.keyboard.press("F10")  # from series F, which comes first, to M
    expect(page.locator("#games [aria-current]")).to_contain_text("M-1")
    open_drawer(page)
    return page


def open_drawer(page: Page) -> None:
    """Open a drawer with $500 in fifties, which Max has counted too."""
    page.keyboard.press("F6")
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Open a drawer")
    panel.get_by_label("$50.00").fill("10")
    panel.get_by_label("Name").fill(MAX)
    panel.get_by_label("Secret").fill(secret_of(MAX))
    page.keyboard.press("Enter")
    expect(page.locator("#drawer-state")).to_have_text(re.compile(r"drawer \d+"))
    expect(page.locator("#line")).to_be_focused()


def told(page: Page, text: str) -> None:
    expect(page.locator("#told")).to_contain_text(text)


def scan(page: Page, house: House, number: int) -> None:
    """A scanner types a ticket, wherever the cursor is."""
    scan_text(page, f"{number:011}{house.floor.code(number)}")


def scan_text(page: Page, text: str, gap: int = SCANNER_MS) -> None:
    """A scanner types something and Enter, a key every so many milliseconds."""
    page.evaluate("(gap) => keysEvery(gap)", gap)
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def stop_the_clock(page: Page) -> None:
    """From now on time passes for a page only as a test says: `page.clock.run_for`."""
    shown = page.evaluate("Date.now()") / 1000
    page.clock.install(time=shown)
    page.clock.pause_at(shown + 600)
    page.evaluate("AbortSignal.timeout = () => new AbortController().signal")  # nor does it give up


def type_into(page: Page, *texts: str) -> None:
    """Type texts into fields, one behind the other, as Tab leads from one to the next."""
    for place, text in enumerate(texts):
        if place:
            page.keyboard.press("Tab")
        page.keyboard.type(text)


@pytest.fixture
def accessible() -> Callable[[Page], None]:
    """Have axe-core look at a page: nothing serious may be wrong with it."""

    def check(page: Page) -> None:
        page.evaluate(AXE.read_text())  # by the debugger, whom the page's own policy does not bind
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            f"{each['id']}: {node['html']}"
            for each in found["violations"]
            if each["impact"] in {"serious", "critical"}
            for node in each["nodes"]
        ]
        assert serious == [], f"{page.url}\n" + "\n".join(serious)

    return check
