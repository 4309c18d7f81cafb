"""The pages of those who watch, in a real browser: kept fresh, found by keyboard, readable."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from app.flow.seal import seal_log
from app.moments import hour_words
from app.reporter import Reporter
from tests.browser.conftest import House
from tests.floor import RITA, SAM
from tests.watching import busy

pytestmark = pytest.mark.rule("X-audit-log")


@pytest.fixture
def with_public_keys(founded_now: tuple[object, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the server know the public keys of the ceremony; both processes are away."""
    folder = founded_now[1]
    monkeypatch.setenv("KENO_PUBLIC", str(folder / "ceremony" / "public"))
    for role in ("RNG", "INSPECTOR"):
        monkeypatch.setenv(f"KENO_{role}", f"unix:{folder / 'nowhere.sock'}")


@pytest.fixture
def busy_house(with_public_keys: None, house: House, tmp_path: Path) -> House:  # noqa: ARG001  the server starts after it
    busy(house.floor, tmp_path)
    seal_log(house.floor.office)
    return house


@pytest.mark.rule("15.5(a)-dual-key", "X-draw-public")
def test_the_page_of_the_two_keys_keeps_itself_fresh(
    busy_house: House, accessible: Callable[[Page], None]
) -> None:
    page = busy_house.station(SAM, "S1", timezone_id="Asia/Tokyo", locale="de-DE")
    page.clock.install()
    page.goto("/inspector")
    accessible(page)
    expect(page.get_by_text("away", exact=True)).to_have_count(2)
    expect(page.get_by_role("row", name="M-2")).to_contain_text("verifies")
    expect(page.get_by_role("row", name="M-3")).to_have_count(0)
    busy_house.floor.play()
    page.clock.run_for(6_000)
    expect(page.get_by_role("row", name="M-3")).to_contain_text("verifies")
    expect(page.get_by_role("row", name="M-3")).to_contain_text("same numbers")
    page.context.set_offline(True)
    page.clock.run_for(6_000)
    expect(page.get_by_role("alert")).to_contain_text("what is shown here is old")
    # By the clock of the house, wherever the browser thinks it is.
    office = busy_house.floor.office
    lately = [office.now() - timedelta(seconds=ago) for ago in range(-30, 120)]
    told = page.get_by_role("alert").inner_text().removesuffix(".").split("from ")[-1]
    assert told in {hour_words(at, office.house.time_zone) for at in lately}
    page.context.set_offline(False)
    page.clock.run_for(6_000)
    expect(page.get_by_role("alert")).to_be_hidden()
    # What was worked out is kept for the draws on the page, and for no others.
    assert page.evaluate(KEPT) == [3, 2]


KEPT = """async () => {
  const { known } = await import("/static/js/inspector.js");
  const before = known.size;
  document.querySelector("tr[data-document]").remove();
  document.dispatchEvent(new CustomEvent("refreshed"));
  return [before, known.size];
}"""


def test_a_regulator_finds_every_record_by_keyboard(
    busy_house: House, accessible: Callable[[Page], None]
) -> None:
    page = busy_house.station(RITA, "S1")
    page.wait_for_url("**/regulator")
    accessible(page)
    for typed, heading in (
        ("5", "Ticket 5-9 paid"),
        ("M-1", "Game M-1 certified"),
        ("WANDA", "WANDA"),
        ("B1", "Station B1"),
        ("#25", "Entry #25, TICKET"),
    ):
        page.goto("/regulator")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type(typed)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        accessible(page)
    for path in ("log", "draws?series=M", "compliance?duty=ticket"):
        page.goto(f"/regulator/{path}")
        accessible(page)
    page.goto("/regulator")
    page.get_by_role("link", name="This gaming day").click()
    accessible(page)
    page.emulate_media(color_scheme="dark")
    accessible(page)
    page.goto("/regulator/tickets/5")
    accessible(page)


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the server looks for reports."""
    folder = tmp_path / "archive"
    monkeypatch.setenv("KENO_REPORTS", str(folder))
    return folder


@pytest.mark.rule("15.4(e)-list", "X-audit-log")
def test_a_report_is_asked_for_and_opened_by_keyboard(
    archive: Path, busy_house: House, accessible: Callable[[Page], None]
) -> None:
    page = busy_house.station(RITA, "S1")
    page.goto("/regulator/reports")
    accessible(page)
    today = page.get_by_label("To gaming day").get_attribute("max") or ""
    page.locator("select[name=report]").select_option("winning-numbers")
    for label in ("From gaming day", "To gaming day"):
        page.get_by_label(label).fill(today)
    page.get_by_label("To gaming day").press("Enter")
    expect(page.get_by_role("button", name="Stop it")).to_be_visible()
    accessible(page)
    assert Reporter(busy_house.floor.office, archive).look(threading.Event())
    link = page.get_by_role("link", name="Open it")
    expect(link).to_be_visible()
    accessible(page)
    answer = page.request.get(link.get_attribute("href") or "")
    assert (answer.status, answer.body()[:5]) == (200, b"%PDF-")
