"""A house is lost, restored, refilled and goes on: the drill that every house should hold."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app.audit.books import check_books
from app.audit.entry_copies import (
    EntryCopy,
    NotACopy,
    TileFolder,
    entries_in,
    entry_line,
    leaves_in,
    read_entries,
    tile_name,
)
from app.audit.verifier import verify
from app.flow.access import at_console, renew_enrolment
from app.flow.backup import back_up
from app.flow.close_day import close_day
from app.flow.contact import Contact
from app.flow.cosign import cosign_log
from app.flow.export import export_days
from app.flow.going_on import TICKETS_LEFT_OUT
from app.flow.look_for import look_for_missing
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.refill import refill_log
from tests.crashing import dies
from tests.floor import ADA, MAX, RITA, SAM, SUE, WALT, Floor, dollar, secret_of
from tests.keeping.evening import MAX_APPROVES, RICH, entries_of, every, work
from tests.keeping.house import DISABLED, restored
from tests.keeping.refill import cosigned_size, refill, two
from tests.looking import bodies, everything, refuses, rows, write

# What is not made again, and why that is right: what stations asked and were answered, paper and
# sign-ins pass; the second grader's book is made from the log; numbers are left out.
PASSING = {
    "asked", "book_head", "live_ticket", "printed_paper", "paper_event", "queued_paper",
    "printer_condition", "sign_in", "report_job", "restoration", "restoration_end", "lost_act",
    "counter", "lease", "try_bucket", "name_tries", "code_tries",
}  # fmt: skip
# Rows that are the same but for something that is nowhere in the log.
NEARLY = {
    "attempt": ("begun_at",),
    "card": ("brought_at",),
    "card_acceptance": ("accepted_at",),
    "log_checkpoint": ("signed_at",),
    "lost_ticket": ("sealed",),
    "payout": ("payee",),
    "reprint": ("request",),
    "shown_in_part": ("sealed",),
    "staff": ("disabled_at",),
    "station": ("enrolment", "token", "enrolled_at"),
    "tax_paper": ("sealed",),
}


def told(floor: Floor, table: str) -> set[str]:
    """The rows of a table, without what cannot be the same."""
    without = NEARLY.get(table, ())
    with floor.office.database.reading() as connection:
        result = connection.exec_driver_sql(f"SELECT * FROM {table}")  # noqa: S608  our own names
        kept = [place for place, name in enumerate(result.keys()) if name not in without]
        if table == "posting":  # the legs of an act are the same, in whichever order
            kept.remove(list(result.keys()).index("place"))
        return {repr([row[place] for place in kept]) for row in result}


@pytest.mark.rule("X-recovery", "X-audit-log", "X-ticket-gapless")
def test_the_restore_drill(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, replace(dollar(), contact=Contact("c-0", "CARD-7")))
    back_up(floor.office, tmp_path / "house.backup")
    to_pay = work(floor, wanda)
    with restored(floor, tmp_path / "house.backup") as again:
        done = refill(again, entries_of(floor))
        partly = {"ENROL", "LOST-TICKET", "PAID", "STATION", "TAX-PAPER"}
        assert {tag for _, tag, _ in done.lost} == partly
        for table in sorted(everything(floor).keys() - PASSING - {"alembic_version"}):
            lost, made = told(floor, table) - told(again, table), told(again, table)
            if table == "log_checkpoint":  # of those only the cosigned ones were kept by others
                continue
            assert lost == set(), table
            news = {"act", "log_entry", "log_pending", "resumption"}  # the REFILLED entry
            assert len(made) - len(told(floor, table)) == (1 if table in news else 0), table
        again.check_books()
        # The house goes on: the locked game is drawn as it was asked for, tickets are numbered on,
        # and what was sold after the backup is paid with its paper.
        again.draw()
        assert again.grade(2) == "certified"
        last = rows(floor, "SELECT max(number) FROM ticket")[0][0]
        wanda = again.signed_in("Wanda Writer")
        assert again.sell(wanda)["number"] == last + TICKETS_LEFT_OUT + 1
        for number in to_pay:
            paying = Paying(number, floor.code(number), manager=MAX_APPROVES)
            assert pay_ticket(again.office, wanda, paying, again.request_id())["win_cents"] > 0
        again.play()
        again.check_books()
        assert look_for_missing(again.office).goes_on


@pytest.mark.rule("X-recovery")
def test_a_ticket_that_was_paid_before_the_house_was_lost_is_not_paid_again(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    back_up(floor.office, tmp_path / "house.backup")
    floor.play()
    paying = Paying(number, floor.code(number))
    pay_ticket(floor.office, wanda, paying, floor.request_id())
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        refill(again, entries_of(floor))
        wanda = again.signed_in("Wanda Writer")
        with refuses("ticket.already_paid"):
            pay_ticket(again.office, wanda, paying, again.request_id())
        again.check_books()


@pytest.mark.rule("X-recovery")
def test_an_unknown_player_card_is_named_as_lost_and_found_in_the_books(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda, replace(dollar(), contact=Contact("c-1", "CARD-7")))
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        done = refill(again, entries_of(floor))
        assert [(tag, why) for _, tag, why in done.lost] == [
            ("TICKET", "The player card is not known here.")
        ]
        with again.office.database.reading() as connection:
            found = check_books(connection, *again.books_keys)
        assert [name for name, faults in found.items() if faults] == ["contacts"]


@pytest.mark.rule("X-recovery", "X-access")
def test_secrets_and_enrolments_are_given_anew_and_old_ones_do_not_come_back(
    floor: Floor, tmp_path: Path
) -> None:
    back_up(floor.office, tmp_path / "house.backup")
    wanda = floor.writing(WALT, "B2")
    floor.sell(wanda)
    floor.play()
    with restored(floor, tmp_path / "house.backup") as again:
        done = refill(again, entries_of(floor))
        assert [tag for _, tag, _ in done.lost] == ["ENROL"]
        with refuses("station.not_enrolled"):
            again.sell(wanda)
        ada = at_console(again.office, ADA, secret_of(ADA), Permission.STATION_MANAGE)
        again.enrolments["B2"] = renew_enrolment(again.office, ada, "B2")
        del again.stations["B2"]
        again.sell(again.signed_in(WALT, "B2"))
        again.check_books()


# ---- tiles ---------------------------------------------------------------------------------------


def tiles_of(entries: list[EntryCopy], folder: Path) -> Path:
    """The tiles of a log, as a mirror keeps them."""
    for start in range(0, len(entries), 256):
        part = entries[start : start + 256]
        name = tile_name(start // 256) + ("" if len(part) == 256 else f".p/{len(part)}")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"".join(each.leaf for each in part))
    return folder


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_from_tiles_the_leaves_come_back_and_what_they_were_is_named_as_lost(
    floor: Floor, tmp_path: Path
) -> None:
    wanda = floor.writing()
    manifest = back_up(floor.office, tmp_path / "house.backup")
    for _ in range(3):
        floor.sell(wanda)
    floor.two_keys.check_ready()
    size = cosigned_size(floor)
    tiles = TileFolder(tiles_of(entries_of(floor), tmp_path / "tiles"))
    with restored(floor, tmp_path / "house.backup") as again:
        done = refill(again, leaves_in(tiles, manifest.log_size, size))
        assert (done.size, done.without_body) == (size, size - manifest.log_size)
        assert {tag for _, tag, _ in done.lost} == {"LOST"}
        # Nobody knows which numbers are on paper: they are left out, and the log tells how many.
        wanda = again.signed_in("Wanda Writer")
        assert again.sell(wanda)["number"] == TICKETS_LEFT_OUT + done.without_body + 1
        again.check_books()
        again.play()


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_a_day_with_lost_entries_is_exported_and_they_are_named(
    floor: Floor, tmp_path: Path
) -> None:
    manifest = back_up(floor.office, tmp_path / "house.backup")
    floor.signed_in(WALT, "B2")
    size = cosigned_size(floor)
    tiles = TileFolder(tiles_of(entries_of(floor), tmp_path / "tiles"))
    with restored(floor, tmp_path / "house.backup") as again:
        refill(again, leaves_in(tiles, manifest.log_size, size))
        again.play()
        again.pass_time(days=1)
        close_day(again.office, again.sam, date(2026, 11, 16))
        cosign_log(again.office, again.two_keys)
        rita = at_console(again.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
        days = date(2026, 11, 16), date(2026, 11, 16)
        export_days(again.office, rita, *days, tmp_path / "day.zip")
    report = verify(tmp_path / "day.zip", floor.keyed.public)
    assert {fault.code for fault in report.faults} == {"entry.lost"}
    assert report.lost == list(range(manifest.log_size, size))


@pytest.mark.rule("X-recovery")
def test_bodies_and_tiles_can_be_used_together(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.sell(wanda)
    cosigned_size(floor)
    copy = entries_of(floor)
    only_leaves = [EntryCopy(each.position, each.leaf) for each in copy]
    with_bodies = [each for each in copy if each.tag == "TICKET"]
    with restored(floor, tmp_path / "house.backup") as again:
        done = refill(again, [*only_leaves, *with_bodies])
        assert "TICKET" not in {tag for _, tag, _ in done.lost}
        assert len(rows(again, "SELECT 1 FROM ticket")) == 2


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery", "X-audit-log")
@pytest.mark.parametrize("damage", ["an entry lacks", "another leaf", "two leaves", "another body"])
def test_a_copy_that_does_not_lead_to_the_cosigned_root_changes_nothing(
    floor: Floor, tmp_path: Path, damage: str
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    cosigned_size(floor)
    copy = entries_of(floor)
    last = copy[-1]
    other = EntryCopy(last.position, bytes(32))
    changed: Iterable[EntryCopy] = {
        "an entry lacks": copy[:-1],
        "another leaf": [*copy[:-1], other],
        "two leaves": [*copy, other],
        "another body": read_entries(
            [entry_line(each) for each in [*copy[:-1], replace(last, body="{}")]]
        ),
    }[damage]
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        before = everything(again)
        with refuses("log.wrong_copy"):
            refill_log(again.office, *two(again), changed, "somewhere")
        assert everything(again) == before


@pytest.mark.rule("X-recovery", "X-access-disable")
@pytest.mark.parametrize("out", [SAM, MAX])
def test_whoever_is_disabled_meanwhile_refills_nothing(
    floor: Floor, tmp_path: Path, out: str
) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    cosigned_size(floor)
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)
        both = two(again)
        write(again, DISABLED, name=out)
        before = everything(again)
        with refuses("staff.disabled"):
            refill_log(again.office, *both, entries_of(floor), "the regulator's copy")
        assert everything(again) == before


@pytest.mark.rule("X-recovery")
def test_two_of_both_sides_refill_and_only_where_something_is_missing(floor: Floor) -> None:
    sam, max_ = two(floor)
    with refuses("log.nothing_missing"):
        refill_log(floor.office, sam, max_, [], "nowhere")
    sue = at_console(floor.office, SUE, secret_of(SUE), Permission.HOUSE_KEEP)
    with refuses("amount.two_sides"):
        refill_log(floor.office, sam, sue, [], "nowhere")
    with refuses("staff.not_permitted"):
        at_console(floor.office, ADA, secret_of(ADA), Permission.HOUSE_KEEP)


@pytest.mark.rule("X-recovery")
def test_a_house_that_went_on_with_another_log_is_not_refilled(
    floor: Floor, tmp_path: Path
) -> None:
    """Somebody restored it by other means, and sold before anybody looked."""
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    cosigned_size(floor)
    copy = entries_of(floor)
    with restored(floor, tmp_path / "house.backup") as again:
        with again.office.database.writing() as connection:
            connection.exec_driver_sql(
                "INSERT INTO restoration_end (restoration, how, ended_at) "
                "SELECT id, 'complete', noticed_at FROM restoration"
            )
            connection.commit()
        for _ in range(20):
            again.sell(wanda)
        again.lock()
        found = look_for_missing(again.office).missing
        assert found.other
        assert "not the one that was cosigned" in found.words()
        with refuses("log.entries_missing"):
            again.sell(wanda)
        with refuses("log.wrong_copy"):
            refill_log(again.office, *two(again), copy, "somewhere")


# ---- crash points --------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
def test_a_refill_that_dies_anywhere_is_done_or_not(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.writing()
    back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda)
    floor.play()
    floor.sell(wanda)
    floor.lock()
    cosigned_size(floor)
    copy = entries_of(floor)
    with restored(floor, tmp_path / "house.backup") as again:
        look_for_missing(again.office)

        def act(here: Floor) -> object:
            return refill_log(here.office, *two(here), copy, "somewhere")

        before, point, deaths = everything(again), 0, 0
        while True:
            _ = again.keyed.started  # they run here before they go on in the other process
            if not dies(again, point, act):
                break
            deaths += 1
            if bodies(again, "REFILLED"):  # after the commit: it is done
                break
            assert everything(again) == before
            point += 13
        assert deaths > 5
        if not bodies(again, "REFILLED"):
            act(again)
        again.check_books()
        again.draw()
        again.check_books()


# ---- copies in files -----------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize(
    "line",
    ["{}", "no json", '{"position": -1, "leaf": "00"}', '{"position": true, "leaf": "00"}'],
)
def test_what_is_no_entry_is_not_read(tmp_path: Path, line: str) -> None:
    file = tmp_path / "entries.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(NotACopy):
        list(entries_in(file))


@pytest.mark.rule("X-audit-log")
def test_tiles_that_are_not_there_or_are_none_are_not_read(tmp_path: Path) -> None:
    with pytest.raises(NotACopy, match="there is no"):
        list(leaves_in(TileFolder(tmp_path), 0, 5))
    (tmp_path / "tile/0/000.p").mkdir(parents=True)
    (tmp_path / "tile/0/000.p/5").write_bytes(b"x" * 33)
    with pytest.raises(NotACopy, match="is no tile"):
        list(leaves_in(TileFolder(tmp_path), 0, 5))


def test_tiles_are_named_as_the_format_says() -> None:
    assert tile_name(67) == "tile/0/067"
    assert tile_name(1234067) == "tile/0/x001/x234/067"
