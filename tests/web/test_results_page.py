"""Results on a page: the newest games, every old one by its number, and what a board is told."""

from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.flow.override import override_close
from app.web import create_app
from rng.lab.verify import verify_draw
from tests.floor import CARD, Floor
from tests.story.refunds import void_next
from tests.story.settlement import frozen_floor

HTML = {"Accept": "text/html"}
WHY = "The inspector is locked; a holder of its key must unlock it."


@pytest.fixture
def app(floor: Floor) -> Flask:
    return create_app(floor.office)


@pytest.fixture
def patron(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.mark.rule("15.5(g)", "15.5(h)")
def test_anyone_reads_the_newest_games_and_finds_an_old_one(
    patron: FlaskClient, floor: Floor
) -> None:
    for _ in range(8):
        floor.play()
    page = patron.get("/results").text
    assert page.count("<h3>M-") == 6
    assert page.count('class="ball"') == 6 * 20
    assert "Older games of M" in page
    older = patron.get("/results?series=M&before=3").text
    assert ("<h3>M-2 " in older, "<h3>M-3 " in older, "Older games" in older) == (
        True,
        False,
        False,
    )
    assert "There are no older games." in patron.get("/results?series=M&before=1").text
    for typed in ("M-1", "m 1", "M1", " 1 "):
        found = patron.get("/results", query_string={"game": typed}).text
        assert ("<h3>M-1 " in found, found.count("<h3>")) == (True, 1)
    assert "Game <b>M-9</b> is open" in patron.get("/results?game=M-9").text
    for typed in ("M-10", "Q-1", "<b>", "9" * 30, "-"):
        missing = patron.get("/results", query_string={"game": typed})
        assert (missing.status_code, "There is no game" in missing.text) == (404, True)
        assert "<b>." not in missing.text
    assert patron.get("/results?series=Q&before=x").status_code == 200


@pytest.mark.rule("X-draw-public")
def test_a_game_leads_to_its_signed_record(patron: FlaskClient, floor: Floor) -> None:
    floor.play()
    assert 'href="/results/M/1.json"' in patron.get("/results").text
    game = patron.get("/results/M/1.json").get_json()
    keys = patron.get("/keys.json").get_json()
    verify_draw(game["record"], {name: key for name, key in keys.items() if name != "log_origin"})
    assert game["numbers"] == game["record"]["record"]["body"]["numbers"]
    assert patron.get("/results/M/2.json").get_json()["numbers"] is None
    for nowhere in ("M/3", "M/x", "Q/1"):
        missing = patron.get(f"/results/{nowhere}.json")
        assert (missing.status_code, missing.get_json()["code"]) == (404, "game.unknown")
    assert patron.get("/results/%00/1.json").status_code == 400  # no text has that


@pytest.mark.rule("X-fault-refund", "15.5(g)")
def test_a_void_game_says_so_and_has_no_numbers(patron: FlaskClient, floor: Floor) -> None:
    void_next(floor)
    page = patron.get("/results").text
    assert "Void: what was paid for it goes back" in page
    assert 'class="ball"' not in page
    board = patron.get("/board/M/now.json").get_json()
    assert (board["games"][0]["state"], board["games"][0]["numbers"]) == ("void", None)


@pytest.mark.rule("15.5(c)", "15.5(g)", "X-lock-seal")
def test_a_board_is_told_everything_at_once(patron: FlaskClient, floor: Floor) -> None:
    assert patron.get("/board/M").status_code == 200
    empty = patron.get("/board/M/now.json").get_json()
    assert (empty["games"], empty["seal"], empty["open"]["seconds"]) == ([], None, None)
    closes_at = floor.moment[0] + timedelta(minutes=4)
    override_close(floor.office, floor.sam, "M", 1, closes_at, "The band is late.")
    seconds = patron.get("/board/M/now.json").get_json()["open"]["seconds"]
    assert 239 < seconds <= 240
    floor.lock()
    locked = patron.get("/board/M/now.json").get_json()
    assert (locked["games"][0]["state"], locked["games"][0]["numbers"]) == ("locked", None)
    assert locked["open"]["game"] == "M-2"
    floor.draw()
    drawn = patron.get("/board/M/now.json").get_json()
    record = patron.get("/results/M/1.json").get_json()
    assert drawn["games"][0]["numbers"] == record["record"]["record"]["body"]["numbers"]
    assert len(drawn["seal"].replace(" ", "")) == 20
    for _ in range(12):
        floor.play()
    last = patron.get("/board/M/now.json").get_json()["games"]
    assert [game["number"] for game in last] == list(range(13, 4, -1))
    for nowhere in ("/board/Q", "/board/Q/now.json"):
        assert patron.get(nowhere, headers=HTML).status_code == 404
    assert patron.get("/board/%00", headers=HTML).status_code == 400


@pytest.mark.rule("X-recovery")
def test_a_held_game_says_why(patron: FlaskClient, floor: Floor) -> None:
    floor.hold(WHY)
    assert f"Held: {WHY}" in patron.get("/results").text
    assert patron.get("/board/M/now.json").get_json()["open"]["held_why"] == WHY


@pytest.mark.rule("15.5(e)", "15.5(g)")
def test_a_board_says_that_a_supervisor_holds_a_game_and_not_why(
    patron: FlaskClient, floor: Floor
) -> None:
    assert patron.get("/board/M/now.json").get_json()["open"]["held"] is False
    override_close(floor.office, floor.sam, "M", 1, None, "A patron is looked into.")
    held = patron.get("/board/M/now.json").get_json()["open"]
    assert (held["held"], held["held_why"]) == (True, None)


@pytest.mark.rule("X-grade-twice")
def test_a_frozen_game_is_drawn_and_says_that_payment_waits(
    patron: FlaskClient, floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen_floor(floor, monkeypatch)
    page = patron.get("/results").text
    assert "Drawn; payment waits while it is looked into" in page
    assert page.count('class="ball"') == 20


@pytest.mark.rule("8.3")
def test_a_new_rate_card_stands_on_the_board_before_it_holds(
    patron: FlaskClient, floor: Floor
) -> None:
    assert patron.get("/board/M/now.json").get_json()["cards"] == []
    file = CARD.read_bytes() + b"\n# another version\n"
    floor.put_in_force(file, timedelta(hours=2))
    (card,) = patron.get("/board/M/now.json").get_json()["cards"]
    assert card["from"].startswith("Nov 16, 2026, 2:00:")
    floor.pass_time(hours=3)
    assert patron.get("/board/M/now.json").get_json()["cards"] == []
