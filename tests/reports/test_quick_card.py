"""The writer's quick card: one page, with every key that the page knows."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.keno.card_file import read_card
from app.keno.pricing import quote
from app.keno.spoken import read_line, read_tender
from app.web import create_app
from app.web.writer import card_of
from app.web.writer_keys import (
    DRAWER_KEYS,
    FUNCTION_KEYS,
    LINE_KEYS,
    LINES,
    PAPER_KEYS,
    TENDER,
    TICKET_KEYS,
    TROUBLES,
)
from docs.pictures import draw_quick_card
from tests.floor import RITA, WANDA, Floor
from tests.keno.rate_card import HOUSE_CARD
from tests.tables import read_table
from tests.web.sign_in import HTML, Browser

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "app" / "web" / "static" / "js" / "writer"
LISTS = (LINE_KEYS, FUNCTION_KEYS, TICKET_KEYS, DRAWER_KEYS, PAPER_KEYS)


def script(name: str) -> str:
    return (SCRIPTS / name).read_text()


def named(keys: tuple[tuple[str, str, str], ...]) -> set[str]:
    return {key for key, _, _ in keys}


def text_of(card: bytes) -> str:
    (page,) = PdfReader(BytesIO(card)).pages
    return " ".join(page.extract_text().split())


def test_the_card_is_one_page_and_has_every_key_and_every_line() -> None:
    told = text_of(card_of("A house with a rather long name, which is on every page of it"))
    for keys in LISTS:
        for each in keys:
            assert f"{each.key} {each.does}" in told
    for typed, means in (*LINES, TENDER, *TROUBLES):
        assert f"{typed} {means}" in told


def test_the_page_acts_on_no_other_keys_than_those_of_the_list() -> None:
    (keys,) = re.findall(r"^const KEYS = \{(.*?)^\};", script("main.js"), re.DOTALL | re.MULTILINE)
    assert set(re.findall(r"^  (\w+):", keys, re.MULTILINE)) == named(FUNCTION_KEYS)
    at_a_ticket = set(re.findall(r"keys\.(F\d+) =|\{ (F\d+):|, (F\d+): \(\)", script("ticket.js")))
    known = named(FUNCTION_KEYS) | named(TICKET_KEYS)
    assert {key for found in at_a_ticket for key in found if key} <= known
    assert "F5" in {key for found in at_a_ticket for key in found}
    (drawer,) = re.findall(r"const keys = \{(.*?)\};", script("drawer.js"))
    assert set(re.findall(r"(\w): ", drawer)) == {key.lower() for key in named(DRAWER_KEYS)}
    paper = set(re.findall(r"[{,] ([a-z]): (?:\(\)|say)", script("papers.js")))
    assert paper == {key.lower() for key in named(PAPER_KEYS)}
    typed = set(re.findall(r'event\.key [!=]== "(\w+)"', script("main.js")))
    assert typed == {"Enter", "Escape", "PageDown"}


@pytest.mark.parametrize("line", [line for line, _ in LINES])
def test_every_line_of_the_list_is_sold(line: str) -> None:
    card = read_card(HOUSE_CARD.read_bytes())
    assert quote(read_line(line), card).price_cents


def test_the_tender_of_the_list_is_understood() -> None:
    parts, faults = read_tender(TENDER[0])
    assert len(parts) == 5
    assert not faults


def test_the_manual_and_the_printed_card_are_those_of_the_list() -> None:
    rows = [row for row in read_table(ROOT / "docs" / "writing.md") if "Key" in row]
    assert [(row["Key"], row["What it does"]) for row in rows] == [
        (each.key, each.does) for keys in LISTS for each in keys
    ]
    assert draw_quick_card.CARD.read_bytes() == card_of(draw_quick_card.HOUSE), "make card"


def test_writers_print_it_from_their_page_and_nobody_else(floor: Floor) -> None:
    browser = Browser(create_app(floor.office), floor)
    browser.sign_in(WANDA)
    page = browser.client.get("/writer", headers=HTML).text
    for each in FUNCTION_KEYS:
        assert f'data-key="{each.key}"><kbd>{each.key}</kbd> {each.short}</button>' in page
        assert f"<dt><kbd>{each.key}</kbd></dt><dd>{each.does}</dd>" in page
    assert "/writer/quick-card.pdf" in page
    answer = browser.client.get("/writer/quick-card.pdf")
    assert answer.data == card_of(floor.office.house.name)
    browser.sign_in(RITA)
    assert browser.client.get("/writer/quick-card.pdf").status_code == 403
