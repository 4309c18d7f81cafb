"""When nothing can be refilled: both keys give the log another name, and the house goes on."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from app.audit.log_check import check_log
from app.audit.verifier import verify
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.backup import back_up
from app.flow.close_day import close_day
from app.flow.cosign import cosign_log
from app.flow.export import export_days
from app.flow.going_on import TICKETS_LEFT_OUT
from app.flow.kept_log import kept_log
from app.flow.look_for import look_for_missing
from app.flow.new_origin import start_new_origin
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from rng.lab.verify_journal import verify_journal
from tests.audit.exporting import ExportedHouse, Forgery, codes
from tests.crashing import dies
from tests.floor import MAX, RITA, SAM, SUE, Floor, secret_of
from tests.keeping.house import DISABLED, restored
from tests.keeping.new_origin import SECOND, agree, lost_evening
from tests.looking import bodies, everything, refuses, rows, write

pytestmark = pytest.mark.rule("X-recovery", "15.5(a)-dual-key", "X-audit-log")


def two(floor: Floor) -> tuple[Actor, Actor]:
    sam, max_ = (
        at_console(floor.office, name, secret_of(name), Permission.HOUSE_KEEP)
        for name in (SAM, MAX)
    )
    return sam, max_


def test_the_log_goes_on_under_another_name_and_its_first_entry_names_the_lost_head(
    floor: Floor, tmp_path: Path
) -> None:
    number = lost_evening(floor, tmp_path / "house.backup")
    known = floor.two_keys.newest_cosigned("keno.example/test")
    with restored(floor, tmp_path / "house.backup") as again:
        missing = look_for_missing(again.office).missing
        assert missing.known == known
        with refuses("log.no_new_origin"):  # both keys have not agreed yet
            start_new_origin(again.office, *two(again))
        agree(again)
        with refuses("log.origin_agreed"):  # the inspector's log is another from here on
            look_for_missing(again.office)
        done = start_new_origin(again.office, *two(again))
        assert (done.origin, done.lost) == (SECOND, missing.entries)
        assert done.games == ["M-1", "M-2"]
        (told,) = bodies(again, "NEW-ORIGIN")
        assert (told["old_origin"], told["new_origin"]) == ("keno.example/test", SECOND)
        assert (told["size"], told["size_here"]) == (missing.known_size, missing.size)
        assert told["reason"] == "the disk and the regulator's copy burned"
        # No number is on two tickets, and the log verifies under both of its names.
        wanda = again.signed_in("Wanda Writer")
        sold = again.sell(wanda)["number"]
        assert sold == number + TICKETS_LEFT_OUT + missing.entries + 1
        again.play()
        origin, key, _ = again.books_keys
        assert origin == SECOND
        with again.office.database.reading() as connection:
            assert list(check_log(connection, origin, key)) == []
        assert look_for_missing(again.office).goes_on
        # Games of the lost stretch have the numbers that were drawn, and are looked into.
        assert again.grade(1) == "frozen"
        assert rows(again, "SELECT count(*) FROM outcome") == [(3,)]
        with refuses("ticket.frozen"):
            paying = Paying(number, again.code(number))
            pay_ticket(again.office, wanda, paying, again.request_id())
        # Asked again, nothing happens again.
        assert start_new_origin(again.office, *two(again)).games == []
        assert len(bodies(again, "NEW-ORIGIN")) == 1
        house = again.keyed.started
        for role in ("rng", "inspector"):
            journal = house.root / role / "journal.jsonl"
            assert SECOND in verify_journal(journal, again.two_keys.public_keys()).text()


def test_a_file_that_is_no_cosigned_head_of_this_log_is_refused(
    floor: Floor, tmp_path: Path
) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    known = floor.two_keys.newest_cosigned("keno.example/test")
    assert known is not None
    ((signed,), *_) = rows(floor, "SELECT note FROM log_checkpoint ORDER BY size DESC")
    for head in ("a letter", known.replace("keno.example/test", SECOND), signed):
        with refuses("log.not_a_head"):  # not a note, not signed, signed and not cosigned
            look_for_missing(floor.office, head)
    assert look_for_missing(floor.office, known).goes_on
    with restored(floor, tmp_path / "house.backup") as again:
        assert not look_for_missing(again.office, known).goes_on
        agree(again)
        start_new_origin(again.office, *two(again))
        with refuses("log.not_a_head"):  # the log has another name since
            look_for_missing(again.office, known)


def test_a_day_in_which_the_log_got_another_name_is_exported_and_verified(
    floor: Floor, tmp_path: Path
) -> None:
    floor.play()
    floor.signed_in("Wanda Writer")
    back_up(floor.office, tmp_path / "house.backup")
    floor.signed_in("Walt Writer", "B2")  # which is lost
    cosign_log(floor.office, floor.two_keys)
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        kept = kept_log(again.office)
        shown = cast("dict[str, int]", kept["shown"])
        assert 0 < shown["size"] < cast("int", kept["size"])
        agree(again)
        start_new_origin(again.office, *two(again))
        again.play()
        again.pass_time(days=1)
        close_day(again.office, again.sam, date(2026, 11, 16))
        cosign_log(again.office, again.two_keys)
        day, file = date(2026, 11, 16), tmp_path / "day.zip"
        rita = at_console(again.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
        export_days(again.office, rita, day, day, file)
        report = verify(file, floor.keyed.public)
        assert report.faults == []
        assert any(f"the log goes on as {SECOND}" in note for note in report.notes)
        log_key = again.office.keys.log
    house = ExportedHouse(tmp_path, floor.keyed.public, log_key, floor.office.keys.office)
    found = {}
    for what, change in ORIGINS_CHANGED.items():
        forgery = Forgery.of(house, "day")
        lines = forgery.lines("log/origins.jsonl")
        change(lines)
        forgery.put_lines("log/origins.jsonl", lines)
        forgery.sign()
        found[what] = codes(forgery.verified(tmp_path / "forged.zip"))
    assert "signature.wrong" in found["another head that is left"] & found["one key alone"]
    assert "origin.told_otherwise" in found["none"]
    assert "log.root" not in report.text()


ORIGINS_CHANGED: dict[str, Callable[[list[Any]], object]] = {
    "another head that is left": lambda lines: lines[0]["act"]["body"]["kept"].update(size=1),
    "one key alone": lambda lines: lines[0]["act"]["signatures"].pop(),
    "none": lambda lines: lines.clear(),
}


def test_what_is_not_agreed_for_this_very_head_is_refused(floor: Floor, tmp_path: Path) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    sue = at_console(floor.office, SUE, secret_of(SUE), Permission.HOUSE_KEEP)
    sam, _ = two(floor)
    with refuses("amount.two_sides"):
        start_new_origin(floor.office, sam, sue)
    with refuses("log.no_new_origin"):
        start_new_origin(floor.office, *two(floor))
    agree(floor)
    with refuses("log.nothing_missing"):  # nothing is missing here, whatever both keys agreed to
        start_new_origin(floor.office, *two(floor))
    assert rows(floor, "SELECT log_origin FROM house") == [("keno.example/test",)]


@pytest.mark.rule("X-access-disable")
@pytest.mark.parametrize("out", [SAM, MAX])
def test_whoever_is_disabled_meanwhile_gives_the_log_no_other_name(
    floor: Floor, tmp_path: Path, out: str
) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        agree(again)
        both = two(again)
        write(again, DISABLED, name=out)
        before = everything(again)
        with refuses("staff.disabled"):
            start_new_origin(again.office, *both)
        assert everything(again) == before


def test_taking_over_a_name_that_dies_anywhere_goes_on(floor: Floor, tmp_path: Path) -> None:
    lost_evening(floor, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        agree(again)
        point = 0
        while True:
            _ = again.keyed.started  # they run here before they go on in the other process
            if not dies(again, point, lambda here: start_new_origin(here.office, *two(here))):
                break
            # Nothing can be sold before every game that was drawn is passed (X-draw-once).
            done = bodies(again, "NEW-ORIGIN")
            assert len(rows(again, "SELECT 1 FROM outcome")) == (2 if done else 0)
            point += 17
        assert point > 40
        again.office.read_house_again()
        assert rows(again, "SELECT log_origin FROM house") == [(SECOND,)]
        assert rows(again, "SELECT count(*) FROM outcome") == [(2,)]
        again.play()
        origin, key, _ = again.books_keys
        with again.office.database.reading() as connection:
            assert list(check_log(connection, origin, key)) == []
