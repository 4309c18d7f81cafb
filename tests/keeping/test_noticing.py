"""After a restore: the inspector notices, games stop, and everybody is told why."""

from pathlib import Path

import pytest
from sqlalchemy import text

from app.caller import Caller
from app.flow.access import at_console
from app.flow.backup import back_up
from app.flow.cosign import cosign_log
from app.flow.look_for import look_for_missing
from app.flow.permissions import Permission
from app.flow.see_keys import look_at_keys
from app.rng_client import NotNow
from app.web import create_app
from tests.floor import MAX, RITA, SAM, Floor, secret_of
from tests.keeping.house import DISABLED, restored
from tests.keeping.noticing import PUT_BACK_BY_HAND
from tests.looking import everything, refuses, rows, write
from tests.web.sign_in import HTML, Browser


@pytest.mark.rule("X-recovery", "15.5(a)-dual-key")
def test_the_caller_notices_a_house_that_was_put_back_by_other_means(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        write(again, PUT_BACK_BY_HAND)
        caller = Caller(again.office, again.two_keys, "first")
        caller.turn()
        assert rows(again, "SELECT count(*) FROM restoration") == [(2,)]
        with refuses("log.entries_missing"):
            again.sell(wanda)
        with refuses("log.entries_missing"):
            again.lock()
        games = rows(again, "SELECT series, number, state FROM game ORDER BY series, number")
        caller.turn()
        assert games == rows(
            again, "SELECT series, number, state FROM game ORDER BY series, number"
        )


@pytest.mark.rule("X-recovery", "X-lock-seal")
def test_no_head_is_cosigned_while_entries_are_missing(floor: Floor, tmp_path: Path) -> None:
    """Without a cosigned seal there is no draw: this is what stops it, whatever else fails."""
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        write(again, PUT_BACK_BY_HAND)
        again.sell(wanda)
        with pytest.raises(NotNow, match=r"entries of the log, and there are \d+: \d+ are missing"):
            cosign_log(again.office, again.two_keys)
        with refuses("log.entries_missing"):
            again.sell(wanda)


@pytest.mark.rule("X-recovery")
def test_a_house_without_an_inspector_at_hand_is_run_until_it_can_be_asked(floor: Floor) -> None:
    floor.keyed.started.inspector.lock({})
    caller = Caller(floor.office, floor.two_keys, "first")
    caller.turn()
    assert rows(floor, "SELECT count(*) FROM restoration") == [(0,)]


@pytest.mark.rule("X-recovery")
def test_supervisor_and_inspector_are_told_what_is_missing(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        sam = Browser(create_app(again.office), again, "B2")
        sam.sign_in(SAM)
        page = sam.client.get("/supervisor/now", headers=HTML).text
        assert "nobody has looked yet whether entries are missing" in page
        assert "keno log missing" in page
        Caller(again.office, again.two_keys, "first").turn()
        page = sam.client.get("/supervisor/now", headers=HTML).text
        assert "are missing. Nothing is sold, locked or paid." in " ".join(page.split())
        rita = Browser(create_app(again.office), again, "S1")
        rita.sign_in(RITA)
        page = rita.client.get("/inspector/now", headers=HTML).text
        assert "This is a restored house" in page
        assert "are missing" in str(look_at_keys(again.office).witnessed.missing)


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_the_database_itself_refuses_acts_while_entries_are_missing(floor: Floor) -> None:
    write(
        floor,
        "INSERT INTO restoration (size, noticed_at) SELECT 1, founded_at FROM house",
    )
    planted = (
        "INSERT INTO log_entry (id, tag, salt, body, leaf) "
        "SELECT (SELECT max(id) FROM act), :tag, salt, body, leaf FROM log_entry WHERE id = 1"
    )
    with floor.office.database.writing() as connection:
        for tag, taken in (("SIGN-IN", True), ("REFUSED", True), ("TICKET", False)):
            with connection.begin_nested() as tried:
                connection.execute(text("INSERT INTO act (tag) VALUES (:tag)"), {"tag": tag})
                try:
                    connection.execute(text(planted), {"tag": tag})
                except Exception as refused:  # noqa: BLE001  each engine has its own
                    assert "entries of the log are missing" in str(refused)
                    assert not taken
                    tried.rollback()
                else:
                    assert taken


@pytest.mark.rule("X-recovery", "X-access-disable")
@pytest.mark.parametrize("out", [SAM, MAX])
def test_whoever_is_disabled_meanwhile_does_not_say_that_nothing_is_missing(
    floor: Floor, tmp_path: Path, out: str
) -> None:
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        sam, max_ = (
            at_console(again.office, name, secret_of(name), Permission.HOUSE_KEEP)
            for name in (SAM, MAX)
        )
        write(again, DISABLED, name=out)
        before = everything(again)
        with refuses("staff.disabled"):
            look_for_missing(again.office, said_by=(sam, max_))
        assert everything(again) == before
