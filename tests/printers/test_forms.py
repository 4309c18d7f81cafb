"""Forms as PDF: the blank request, and the rate card as patrons read it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.keno.card_file import read_card
from app.web.forms_pdf import card_form
from printers.forms.rate_card import rate_card_form
from printers.forms.request_form import request_form

CARD = Path(__file__).parents[2] / "app" / "rate_cards" / "house-card-1.toml"


def text_of(pdf: bytes, tmp_path: Path) -> str:
    (tmp_path / "form.pdf").write_bytes(pdf)
    pages = PdfReader(tmp_path / "form.pdf").pages
    return "\n".join(page.extract_text() for page in pages)


@pytest.mark.rule("15.4(b)")
def test_the_blank_request_has_the_grid_games_wagers_conditioning_and_price(tmp_path: Path) -> None:
    form = request_form("Boardwalk Hall Casino")
    assert form == request_form("Boardwalk Hall Casino")  # the same bytes every time
    text = text_of(form, tmp_path)
    assert {int(word) for word in re.findall(r"^[0-9]+$", text, re.MULTILINE)} == set(range(1, 81))
    for item in ("NUMBER OF GAMES", "TOTAL PRICE", "CONDITIONING", "value of each wager"):
        assert item in text


@pytest.mark.rule("15.3(e)")
def test_the_rate_card_tells_pays_odds_advantage_limits_and_claims(tmp_path: Path) -> None:
    card = read_card(CARD.read_bytes())
    form = card_form("Boardwalk Hall Casino", card, "9b4eb066a7d2")
    pdf = rate_card_form(form)
    assert pdf == rate_card_form(form)
    text = text_of(pdf, tmp_path)
    assert "9b4eb066a7d2" in text
    assert "Wins must be claimed within 365 days" in text
    assert "All wins of one game together are paid up to $100,000.00" in text
    for schedule in form.schedules:
        for spots in schedule.spots:
            assert f"the house keeps {spots.advantage}" in text
            for pay in spots.pays:
                assert pay.pays in text
                assert pay.odds in text
    one_spot = form.schedules[0].spots[0].pays[0]
    assert (one_spot.caught, one_spot.pays, one_spot.odds) == (1, "$3.00", "1 in 4.00")


@pytest.mark.rule("15.3(d)", "15.6(c)")
def test_odd_names_and_short_claim_periods_are_written_as_they_are(tmp_path: Path) -> None:
    card = read_card(CARD.read_bytes())
    odd = replace(card, name="Winter <b 2026 & more")
    odd = replace(odd, limits=replace(odd.limits, claim_minutes=60))
    text = text_of(rate_card_form(card_form("A <Hall> & Co", odd, "9b4eb066a7d2")), tmp_path)
    assert "Winter <b 2026 & more" in text
    assert "A <Hall> & Co" in text
    assert "Wins must be claimed within 60 minutes" in text
    assert text_of(request_form("W" * 40), tmp_path)
