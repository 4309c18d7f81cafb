"""Enrolling and signing in, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from app.flow.access import at_console
from app.flow.permissions import Permission
from app.flow.staffing import give_secret
from tests.browser.conftest import House, type_into
from tests.floor import ADA, SAM, WANDA, secret_of

GIVEN, OWN = "given by the administrator", "that nobody else knows"


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


@pytest.mark.rule("X-access")
def test_whoever_was_given_a_secret_chooses_their_own_by_keyboard_alone(
    house: House, accessible: Callable[[Page], None]
) -> None:
    office = house.floor.office
    ada = at_console(office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)
    give_secret(office, ada, house.floor.sue, SAM, GIVEN)
    page = house.page()
    house.enrol(page, "B1")
    expect(page.get_by_label("Name")).to_be_focused()
    type_into(page, SAM, GIVEN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Choose one of your own first")
    accessible(page)
    expect(page.get_by_label("Name")).to_have_value(SAM)
    expect(page.get_by_label("Secret until now")).to_be_focused()
    type_into(page, GIVEN, OWN, OWN + ".")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not typed the same way twice")
    for field in ("Secret until now", "New secret", "New secret once more"):
        expect(page.get_by_label(field, exact=True)).to_have_value("")
    expect(page.get_by_label("Secret until now")).to_be_focused()
    type_into(page, GIVEN, OWN, OWN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text(
        "Your new secret is yours alone. Sign in with it."
    )
    accessible(page)
    expect(page.get_by_label("Name")).to_be_focused()
    type_into(page, SAM, OWN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/supervisor")


@pytest.mark.rule("X-access")
def test_an_own_secret_is_changed_from_the_page_for_signing_in_at_any_time(house: House) -> None:
    page = house.page()
    house.enrol(page, "B1")
    page.get_by_role("link", name="Choose your own secret").press("Enter")
    expect(page.get_by_label("Name")).to_be_focused()
    type_into(page, WANDA, secret_of(WANDA), OWN, OWN)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Sign in with it.")
    expect(page.get_by_label("Name")).to_be_focused()
    type_into(page, WANDA, OWN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/writer")
