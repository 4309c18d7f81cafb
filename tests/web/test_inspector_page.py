"""The page of the two keys: what it shows, to whom, and that it changes nothing."""

import pytest
from flask import Flask

from app.web import create_app
from tests.audit.planting import plant, unguarded
from tests.floor import ADA, MAX, RITA, SAM, WANDA, Floor
from tests.looking import everything
from tests.web.inspector_page import hanging_generator
from tests.web.sign_in import HTML, Browser

pytestmark = pytest.mark.rule("15.5(a)-dual-key")


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


def signed_in(app: Flask, floor: Floor, name: str = RITA) -> Browser:
    browser = Browser(app, floor)
    browser.sign_in(name)
    return browser


def shown(browser: Browser, path: str = "/inspector/now") -> str:
    answer = browser.client.get(path, headers=HTML)
    assert answer.status_code == 200
    return " ".join(answer.text.split())


@pytest.mark.rule("X-draw-public", "X-software-seal")
def test_both_processes_their_draws_and_the_cosigned_log_stand_on_one_page(
    app: Flask, floor: Floor
) -> None:
    floor.play()
    page = shown(signed_in(app, floor), "/inspector")
    rng, inspector = floor.two_keys.statuses().values()
    assert isinstance(rng, dict)
    assert isinstance(inspector, dict)
    assert page.count('<span class="state ready">ready</span>') == 2
    for status in (rng, inspector):
        for series, stands in status["series"].items():
            assert f"{series}-{stands['next']}" in page
            assert stands["compare"] in page
        assert ", ".join(status["holders"]) in page
        assert status["software"][:32] in page
    assert page.count('<span class="state ready">the same</span>') == 3
    assert "keno-rng unlock --dir DIR --holder NAME" in page
    assert "keno-inspector unlock --dir DIR --holder NAME" in page
    assert "M-1" in page
    assert "verifies" in page
    assert "does not verify" not in page


def test_a_process_that_is_locked_away_or_locked_out_says_so_and_why(
    app: Flask, floor: Floor
) -> None:
    browser, house = signed_in(app, floor), floor.keyed.started
    house.rng.lock({})
    page = shown(browser)
    assert '<span class="state locked">locked</span>' in page
    assert "keno-rng unlock --dir DIR" in page
    house.inspector.lock_out("software", "the software is now another")
    page = shown(browser)
    assert '<span class="state lockout">locked out</span>' in page
    assert "the software is now another" in page
    assert "keno-inspector reopen --dir DIR" in page
    house.to_rng.answering = None
    page = shown(browser)
    assert '<span class="state away">away</span>' in page
    assert "The generator does not answer: the process is down." in page


def test_what_a_liar_says_of_itself_is_told_as_nonsense(app: Flask, floor: Floor) -> None:
    def lies(*_: object) -> dict[str, object]:
        return {"unlocked": True, "series": 7}

    floor.keyed.started.to_rng.answering = lies
    page = shown(signed_in(app, floor))
    assert "It says what makes no sense." in page


@pytest.mark.rule("X-no-offline")
def test_a_process_that_hangs_holds_up_one_who_looks_and_no_more(app: Flask, floor: Floor) -> None:
    browser = signed_in(app, floor)
    assert "ready" in shown(browser)
    with hanging_generator(floor):
        assert page_says_ready(browser)  # as it was said last


@pytest.mark.rule("X-draw-public")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("UPDATE outcome SET numbers = '[1,2,3]' WHERE game = 1", "kept beside the record"),
        ("UPDATE outcome SET record = :zeros WHERE game = 1", "tells of another draw"),
        ("UPDATE log_entry SET body = '{}' WHERE tag = 'DRAW'", "about another game"),
        ("UPDATE lock_statement SET request = '{}'", "cannot be read"),
    ],
)
def test_a_draw_that_was_tampered_with_does_not_verify(
    app: Flask, floor: Floor, change: str, why: str
) -> None:
    floor.play()
    plant(unguarded(floor), change, zeros=bytes(32))
    page = shown(signed_in(app, floor))
    assert "does not verify" in page
    assert why in page


@pytest.mark.rule("X-audit-log")
def test_a_log_that_does_not_continue_what_was_cosigned_is_an_alarm(
    app: Flask, floor: Floor
) -> None:
    floor.play()
    plant(
        unguarded(floor), "UPDATE cosigned SET note = replace(note, 'keno.example', 'evil.example')"
    )
    assert "The cosigned head does not verify" in shown(signed_in(app, floor))


def test_games_that_could_not_be_drawn_are_told_with_their_reason(app: Flask, floor: Floor) -> None:
    floor.hold("the printer has no paper")
    assert "the printer has no paper" in shown(signed_in(app, floor))


@pytest.mark.rule("X-access")
def test_those_who_hold_or_watch_the_keys_see_it_and_nobody_else(app: Flask, floor: Floor) -> None:
    paths = ("/inspector", "/inspector/now")
    browser = Browser(app, floor)
    for name, status in ((SAM, 200), (MAX, 200), (RITA, 200), (WANDA, 403), (ADA, 403)):
        browser.sign_in(name)
        for path in paths:
            assert browser.client.get(path, headers=HTML).status_code == status
    for path in paths:
        away = app.test_client().get(path, headers=HTML)
        assert away.location == f"/?next={path}"


@pytest.mark.rule("X-audit-log")
def test_nothing_is_written_by_looking(app: Flask, floor: Floor) -> None:
    floor.play()
    browser = signed_in(app, floor)
    before, lines = everything(floor), journals(floor)
    shown(browser, "/inspector")
    shown(browser)
    assert everything(floor) == before
    assert journals(floor) == lines


def page_says_ready(browser: Browser) -> bool:
    return '<span class="state ready">ready</span>' in shown(browser)


def journals(floor: Floor) -> list[int]:
    """How many lines the journals of both processes have."""
    house = floor.keyed.started
    return [process.journal.next_index for process in (house.rng, house.inspector)]
