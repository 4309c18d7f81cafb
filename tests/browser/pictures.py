"""`make pictures`: pictures of the pages for docs, taken in a real browser of a house at work."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, expect

from app.flow.present import present_ticket
from app.flow.sell import Sale
from app.keno.drawer import Count
from app.keno.tender import TenderKind
from tests.browser.conftest import (
    EVERY,
    House,
    found_now,
    launched,
    open_drawer,
    opened_house,
    scan,
)
from tests.demonstration import Demonstration, running
from tests.floor import RITA, SAM, WALT, WANDA
from tests.web.supervisor_pages import BILLS, LARGE

FOLDER = Path(__file__).parents[2] / "docs" / "pictures" / "pages"
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}
REGULATOR = {
    "regulator": "",
    "regulator-ticket": "/tickets/1",
    "regulator-person": "/people/WANDA",
    "regulator-station": "/stations/B1",
    "reports": "/reports",
    "compliance": "/compliance",
}
# Which need the public keys, and draws to check with them.
WITH_KEYS = {
    "regulator-game": "/games/M/1",
    "regulator-log": "/log",
    "regulator-entry": "/log/40",
    "regulator-draws": "/draws?series=M",
}
BOARD: dict[str, Any] = {"viewport": {"width": 1600, "height": 900}}


def writer(house: House, shot: Callable[[Page, str], None]) -> None:
    """Signing in, a ticket typed and sold, a winner at hand, the keys, the drawer, practice."""
    for station in ("B1", "B2"):
        house.floor.printer_at(station)
    fresh = house.page(**DESK)
    fresh.goto("/")
    shot(fresh, "sign-in")
    page = house.station(WANDA, "B1", **DESK)
    page.keyboard.press("F10")
    shot(page, "writer-drawer")
    page.keyboard.press("F6")
    expect(page.locator("#panel")).to_contain_text("Open a drawer")
    shot(page, "writer-drawer-open")
    page.keyboard.press("Escape")
    open_drawer(page)
    page.keyboard.type("4 8 15 16 / 23 42 7 9 k33 2/4 1/8 1/9 @1 x5")
    page.keyboard.press("Tab")
    page.keyboard.type("50")
    expect(page.locator("#words")).to_contain_text("Change")
    shot(page, "writer-line")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_contain_text("Ticket 1-3")
    page.keyboard.type(EVERY)
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_contain_text("Ticket 2-1")
    page.locator("#picture").evaluate("image => image.decode()")
    shot(page, "writer-sold")
    house.floor.play()
    page.keyboard.press("F7")
    scan(page, house, 2)
    expect(page.locator("#panel")).to_contain_text("Pays $60.00")
    page.locator("#picture").evaluate("image => image.decode()")
    shot(page, "writer-winner")
    page.keyboard.press("Escape")
    page.keyboard.press("F1")
    shot(page, "writer-keys")
    page.keyboard.press("Escape")
    page.keyboard.press("F6")
    expect(page.locator("#panel")).to_contain_text("C Close")
    page.keyboard.press("c")
    expect(page.locator("#panel")).to_contain_text("Count what is in it")
    shot(page, "writer-drawer-close")
    page.goto("/writer?practice")
    page.keyboard.type("q8 @1 x3")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_contain_text("Nothing was sold.")
    page.locator("#picture").evaluate("image => image.decode()")
    shot(page, "writer-practice")


def supervisor(house: House, shot: Callable[[Page, str], None]) -> None:
    """An approval, a drawer, rate cards, people, what to do."""
    walt = house.floor.writing(WALT, "B2")
    house.floor.sell(walt, Sale("M", LARGE, BILLS))
    house.floor.play()
    ticket = 3
    present_ticket(house.floor.office, walt, ticket, house.floor.code(ticket), None)
    page = house.station(SAM, "S1", **DESK)
    page.goto(f"/supervisor/approvals/{ticket}")
    shot(page, "approval")
    short = house.floor.close_drawer(walt, 2, Count({TenderKind.CURRENCY: 289_000}))
    page.goto(f"/supervisor/drawers/{short['drawer']}")
    shot(page, "drawer")
    page.goto("/supervisor/cards")
    shot(page, "rate-cards")
    page.locator("table a").first.click()
    shot(page, "rate-card")
    for name in ("people", "runbooks"):
        page.goto(f"/supervisor/{name}")
        shot(page, name)


def regulator(house: House, shot: Callable[[Page, str], None]) -> None:
    """A ticket's whole life, and whatever else a regulator looks at."""
    page = next(context.pages[0] for context in reversed(house.contexts))
    page.get_by_role("button", name="Sign out").click()
    house.sign_in(page, RITA)
    for name, path in REGULATOR.items():
        page.goto(f"/regulator{path}")
        shot(page, name)
    page.goto("/regulator")
    page.get_by_role("link", name="This gaming day").click()
    shot(page, "regulator-day")


def patrons(house: House, shot: Callable[[Page, str], None]) -> None:
    """The board across a lounge, results and the ticket check on a phone."""
    board = house.page(**BOARD)
    board.goto("/board/M?pace=0")
    expect(board.locator("li.lit")).to_have_count(20)
    shot(board, "board")
    phone = house.page(**PHONE)
    phone.goto("/results")
    shot(phone, "results")
    phone.goto("/check")
    shot(phone, "check")
    phone.get_by_label("Ticket number").fill("2-1")
    phone.get_by_label("Validation code").fill(house.floor.code(2))
    phone.get_by_role("button", name="Check").click()
    expect(phone.get_by_role("status")).to_contain_text("Won $60.00")
    shot(phone, "check-answer")


def demonstration(browser: Browser, folder: Path, shot: Callable[[Page, str], None]) -> None:
    """The two keys at work, the floor and the draws, in the demonstration house itself."""
    with running(Demonstration(folder, interval=10)) as house:
        (station,) = (each for each in house.told["stations"] if each["code"] == "S1")
        secrets = house.secrets
        context = browser.new_context(base_url=house.address, **DESK)
        page = context.new_page()
        page.goto("/")
        page.get_by_label("Station").fill(station["code"])
        page.get_by_label("Enrolment code").fill(station["enrolment"])
        page.get_by_role("button", name="Enrol").click()
        sign_in(page, "ida", secrets)
        expect(page.get_by_text("same numbers").nth(1)).to_be_visible(timeout=90_000)
        shot(page, "inspector")
        page.get_by_role("button", name="Sign out").click()
        sign_in(page, "sam", secrets)
        expect(page.get_by_text("ready").first).to_be_visible()
        shot(page, "supervisor")
        page.get_by_role("button", name="Sign out").click()
        sign_in(page, "rita", secrets)
        for name, path in WITH_KEYS.items():
            page.goto(f"/regulator{path}")
            shot(page, name)
        context.close()


def sign_in(page: Page, name: str, secrets: dict[str, str]) -> None:
    """Sign in at the demonstration house."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Secret").fill(secrets[name])
    page.get_by_role("button", name="Sign in").click()


# The letters and pictures of a page are there.
IS_WHOLE = """() => document.fonts.status === "loaded"
  && [...document.images].every((picture) => picture.complete)"""


def main() -> None:
    """Take them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)

    def shot(page: Page, name: str) -> None:
        page.wait_for_function(IS_WHOLE)
        page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")

    with launched() as browser, TemporaryDirectory(prefix="keno-") as folder:
        root, copy, demo = (Path(folder) / name for name in ("house", "copy", "demonstration"))
        for each in (root, copy, demo):
            each.mkdir()
        with opened_house(browser, found_now(root), root, copy) as house:
            for part in (writer, supervisor, regulator, patrons):
                part(house, shot)
        demonstration(browser, demo, shot)


if __name__ == "__main__":
    main()
