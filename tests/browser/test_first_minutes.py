"""The first ticket, as the first page tells it, in a browser at the demonstration house."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.demonstration import ROOT, Demonstration, read_json, results, running, wait_for


def steps() -> list[str]:
    """The numbered steps of the first page."""
    page = (ROOT / "README.md").read_text()
    (section,) = re.findall(
        r"^## The first ticket\n(.*?)^A program", page, re.DOTALL | re.MULTILINE
    )
    return re.findall(r"^\d\. (.*?)(?=^\d\. |\Z)", section, re.DOTALL | re.MULTILINE)


def typed(step: str) -> list[str]:
    """What a step has in type of its own, in order."""
    return re.findall(r"`([^`]+)`", step)


@pytest.mark.proof
def test_the_first_ticket_is_sold_and_paid_as_the_page_says(
    browser: Browser, tmp_path: Path
) -> None:
    enrol, sign_in, count, sell, watch, pay = steps()
    with running(Demonstration(tmp_path / "house", interval=60)) as house:

        def addresses(step: str) -> list[str]:
            found = re.findall(r"http://localhost:[0-9]+[A-Za-z0-9/.]*[A-Za-z0-9]", step)
            return [
                re.sub(r":800(\d)", lambda last: f":{house.port + int(last[1])}", each)
                for each in found
            ]

        page = browser.new_context().new_page()
        page.goto(addresses(enrol)[0])
        station = typed(enrol)[0]
        (code,) = (each["enrolment"] for each in house.told["stations"] if each["code"] == station)
        assert f"{station:<6} {code}" in house.said
        for text in (station, code):
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")

        expect(page.get_by_label("Secret")).to_be_visible()
        for text in typed(sign_in):
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")

        expect(page.locator("#line")).to_be_focused()
        expect(page.locator("#games")).to_contain_text("M-")
        drawer, hundreds, name, secret, enter = typed(count)
        page.keyboard.press(drawer)
        panel = page.locator("#panel")
        panel.get_by_label("$100.00").fill(hundreds)
        panel.locator("input").nth(-2).fill(name)
        panel.locator("input").nth(-1).fill(secret)
        page.keyboard.press(enter)
        expect(page.locator("#told")).to_contain_text("is open with $1,000.00")

        *_, winner = typed(sell)
        expect(page.locator("#line")).to_be_focused()
        page.keyboard.type(winner)
        page.keyboard.press("Enter")
        expect(page.locator("#told")).to_contain_text("Ticket 1-3, game M-")

        pictures, board = addresses(watch)
        paper = browser.new_context().new_page()
        paper.goto(pictures)
        expect(paper.get_by_alt_text("paper 2 of B1")).to_be_visible()
        paper.goto(board)
        expect(paper.locator("li.lit").first).to_be_visible(timeout=120_000)

        sold = re.search(r"game M-(\d+)", page.locator("#told").inner_text())
        assert sold is not None
        wait_for(lambda: outcome(house, int(sold[1]))["state"] == "certified")
        caught = set(range(1, 21)) & set(outcome(house, int(sold[1]))["numbers"])
        (slip,) = addresses(pay)
        page.locator("#line").focus()
        page.keyboard.insert_text(read_json(slip)["scan"])
        page.keyboard.press("Enter")
        if caught:  # in 859 of 860 games
            expect(panel).to_contain_text(f"Pays ${3 * len(caught)}.00")
            page.keyboard.press("Enter")
            expect(page.locator("#told")).to_contain_text(f"Pay ${3 * len(caught)}.00")


def outcome(house: Demonstration, number: int) -> dict[str, Any]:
    (game,) = (each for each in results(house.address) if each["game"] == number)
    return game
