"""Enrolling and signing in, in a real browser."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import House
from tests.floor import WANDA


def test_a_station_enrols_and_a_person_signs_in_by_keyboard_alone(
    house: House, accessible: Callable[[Page], None]
) -> None:
    page = house.page()
    page.goto("/")
    accessible(page)
    expect(page.get_by_label("Station")).to_be_focused()
    page.keyboard.type("B1")
    page.keyboard.press("Tab")
    page.keyboard.type(house.floor.enrolments["B1"])
    page.keyboard.press("Enter")
    expect(page.get_by_text("Sign in at station B1")).to_be_visible()
    accessible(page)
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type(WANDA)
    page.keyboard.press("Tab")
    page.keyboard.type("guessed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("The name or the secret is wrong.")
