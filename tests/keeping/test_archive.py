"""Retention and archives: never below the rule, by two, verifiable, not by the running house."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from threading import Thread
from zipfile import ZipFile

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.audit.archives import ArchiveFile, Shelf, read_archive, read_shelf
from app.audit.books import check_books
from app.audit.entry_copies import NotACopy, entries_in
from app.audit.kinds import KIND_OF, TAGS
from app.audit.log_check import check_log
from app.audit.tags import Tag
from app.audit.verifier import verify
from app.cli import main
from app.flow import archive as flow_archive
from app.flow import settle
from app.flow.access import at_console
from app.flow.archive import archive_before
from app.flow.backup import back_up
from app.flow.close_day import close_day
from app.flow.cosign import cosign_log
from app.flow.drawer import look_at_drawer
from app.flow.export import export_days
from app.flow.give_back import finish_archive
from app.flow.look_up import look_up
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refund import Refunding, refund_ticket
from app.flow.report import Asked, make_report
from app.flow.reprint import Seen, say_printed
from app.flow.retention import set_retention
from app.flow.seal import seal_log
from app.flow.see_floor import see_floor
from app.flow.see_paper import ticket_as_printed
from app.flow.spool import Sending, next_paper, note_ending
from app.keno import grading
from app.keno.drawer import Count
from app.keno.refusals import Refused
from app.keno.retention import PERIODS, RecordKind, is_allowed
from app.keno.tender import TenderKind
from app.reports.catalogue import Format
from app.store import archiving, schema
from app.store.database import Database
from app.store.queries import keeping
from app.store.queries.log import EntryRow
from app.store.queries.paper import PrinterRow
from app.store.slimming import Part
from app.store.tables import PaperState
from app.store.unit import Unit
from printers.press import Press
from tests.crashing import dies
from tests.floor import ADA, MAX, RITA, SAM, SUE, Floor, dollar, secret_of
from tests.keeping.archive import (
    FIRST_DAY,
    NEXT_DAY,
    a_year_later,
    archive,
    archive_there,
    checked,
    first_day,
    guards,
    two,
    way_into,
)
from tests.keeping.evening import RICH, every
from tests.keeping.house import DISABLED
from tests.lending import drop_database, new_database
from tests.looking import bodies, everything, refuses, rows, write
from tests.story.settlement import rounded_down


@pytest.fixture
def old(floor: Floor) -> Floor:
    """A floor whose first day was more than a year ago, is closed, printed and paid in full."""
    first_day(floor)
    a_year_later(floor)
    floor.check_books()
    return floor


@pytest.mark.rule("X-retention", "X-recovery")
def test_a_backup_of_a_house_with_archives_is_checked_with_them(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, backup = tmp_path / "archives", tmp_path / "house.backup"
    folder.mkdir()
    archive(old, folder / "first.archive")
    assert (folder / "first.archive").stat().st_mode & 0o777 == 0o640  # the caller's books read it
    back_up(old.office, backup)
    url = old.office.database.url.render_as_string(hide_password=False)
    monkeypatch.setenv("KENO_DATABASE", url)
    monkeypatch.setattr(Office, "close", lambda _office: None)  # the floor goes on
    monkeypatch.setattr(import_module("app.cli.console"), "open_office", lambda _, **__: old.office)
    assert main(["backup", "check", str(backup)]) == 1
    assert "is not at hand" in capsys.readouterr().out
    named = ["--archive", str(folder / "first.archive")]
    assert main(["backup", "check", str(backup), *named]) == 0
    monkeypatch.setenv("KENO_ARCHIVES", str(folder))
    assert main(["backup", "check", str(backup)]) == 0


# ---- retention -----------------------------------------------------------------------------------


@pytest.mark.rule("X-retention", "15.5(h)")
def test_records_are_kept_for_five_years_until_two_settle_otherwise(floor: Floor) -> None:
    with floor.office.database.reading() as connection:
        kept = {kind: keeping.retention(connection, kind) for kind in RecordKind}
    assert set(kept.values()) == {1_827}
    set_retention(floor.office, *two(floor), RecordKind.ACCESS, 400)
    with floor.office.database.reading() as connection:
        assert keeping.retention(connection, RecordKind.ACCESS) == 400
    (told,) = bodies(floor, "RETENTION")
    assert (told["kind"], told["before"], told["after"]) == ("access", 1_827, 400)
    assert (told["supervisor"], told["manager"]) == ("SAM", "MAX")


@pytest.mark.rule("X-retention")
@pytest.mark.parametrize("kind", list(RecordKind))
def test_nothing_is_kept_for_less_than_the_rule(floor: Floor, kind: RecordKind) -> None:
    least = PERIODS[kind].least
    assert least >= 366
    assert is_allowed(kind, least)
    for days in (least - 1, 0, -1, 10**6):
        with refuses("retention.too_short"):
            set_retention(floor.office, *two(floor), kind, days)
    assert bodies(floor, "RETENTION") == []


@pytest.mark.rule("X-retention")
def test_two_of_both_sides_settle_and_archive(floor: Floor, tmp_path: Path) -> None:
    sam, max_ = two(floor)
    sue = at_console(floor.office, SUE, secret_of(SUE), Permission.HOUSE_KEEP)
    for pair in ((sam, sue), (max_, max_), (max_, sam)):
        with refuses("amount.two_sides"):
            set_retention(floor.office, *pair, RecordKind.ACCESS, 400)
        with refuses("amount.two_sides"):
            archive_before(floor.office, None, *pair, NEXT_DAY, tmp_path / "a")
    with refuses("staff.not_permitted"):
        at_console(floor.office, ADA, secret_of(ADA), Permission.HOUSE_KEEP)


@pytest.mark.rule("X-retention", "15.5(h)")
def test_winning_numbers_and_what_they_rest_on_are_of_no_kind_that_goes() -> None:
    for_ever = {
        "HOUSE", "CARD", "CARD-ACCEPTED", "CARD-IN-FORCE", "GAME", "LOCK", "DRAW", "VOID-ASKED",
        "VOID-GAME", "WINS", "CERTIFIED", "FROZEN", "RELEASED", "DAY-CLOSE", "OVERRIDE", "ARCHIVED",
        "BACKUP", "REFILLED", "NEW-ORIGIN", "RETENTION", "AMOUNT", "SETTING", "STAFF", "STATION",
        "SERIES", "PRINTER", "LOST", "REPORT-CHOICE", "BOOKS", "EXPORT", "RESTORED", "HOLD-ENDED",
        "SALE-STOPPED", "SALE-RESUMED", "PRINTER-MOVED",
    }  # fmt: skip
    assert for_ever.isdisjoint(KIND_OF)
    assert {tag.value for tag in Tag} == for_ever | set(KIND_OF)
    assert sum(len(tags) for tags in TAGS.values()) == len(KIND_OF)


# ---- archives ------------------------------------------------------------------------------------


@pytest.mark.rule("X-retention", "X-audit-log")
def test_old_detail_goes_into_a_file_and_everything_can_still_be_checked(
    old: Floor, tmp_path: Path
) -> None:
    before, file = everything(old), tmp_path / "first.archive"
    done = archive(old, file)
    assert done.entries > 10
    assert done.rows["feed_event"] > 0
    after = everything(old)
    # The leaves, the tree and every fact stay; detail is gone.
    stays = ("log_position", "log_node", "ticket", "posting", "payout", "outcome", "day_close")
    for table in stays:
        assert after[table] == before[table]
    assert len(after["log_entry"]) == len(before["log_entry"]) + 1
    assert len(after["feed_event"]) < len(before["feed_event"])
    assert rows(old, "SELECT count(*) FROM log_entry WHERE body = '' AND tag = 'TICKET'") == [(4,)]
    assert rows(old, "SELECT count(*) FROM log_entry WHERE body = '' AND tag = 'DRAW'") == [(0,)]
    (told,) = bodies(old, "ARCHIVED")
    assert told["sha256"] == done.sha256 == read_archive(file).hash.hex()
    assert (told["supervisor"], told["manager"], told["entries"]) == ("SAM", "MAX", done.entries)
    # The log verifies from what is left, and the books with the archive at hand.
    origin, key, _ = old.books_keys
    with old.office.database.reading() as connection:
        assert list(check_log(connection, origin, key)) == []
    assert checked(old, file) == {}
    assert list(checked(old)) == ["archives"]


@pytest.mark.rule("X-retention")
def test_a_house_goes_on_after_archiving(old: Floor, tmp_path: Path) -> None:
    archive(old, tmp_path / "first.archive")
    wanda = old.signed_in("Wanda Writer")
    old.open_drawer(wanda)
    assert old.sell(wanda)["number"] == 5
    old.play()
    assert checked(old, tmp_path / "first.archive") == {}
    assert look_up(old.office, wanda, 1)["number"] == 1
    with refuses("paper.unknown"):
        ticket_as_printed(old.office, wanda, 1)
    sam = old.signed_in(SAM, "B2")
    see_floor(old.office, sam)
    looked = look_at_drawer(old.office, sam, 1)
    assert looked["over_short_cents"] == looked["counted_cents"] - looked["expected_cents"]
    # A second archive has only what the first left.
    old.pass_time(days=1)
    with refuses("archive.nothing_old"):
        archive(old, tmp_path / "second.archive")


@pytest.mark.rule("X-retention", "X-audit-log")
def test_what_is_changed_in_an_archive_is_found(old: Floor, tmp_path: Path) -> None:
    file, changed = tmp_path / "first.archive", tmp_path / "changed.archive"
    archive(old, file)
    with ZipFile(file) as archive_, ZipFile(changed, "w") as other:
        for name in archive_.namelist():
            data = archive_.read(name)
            if name == "entries.jsonl":
                data = data.replace(b"WANDA", b"WILMA", 1)
            other.writestr(name, data)
    with pytest.raises(NotACopy, match="does not follow from its body"):
        list(entries_in(changed))
    assert list(checked(old, changed)) == ["archives"]  # its hash is not the one in the log
    # Nor does it help to change what the log says of the file: the leaves stand.
    planted = read_archive(changed)
    found = ArchiveFile(changed, read_archive(file).hash, planted.manifest)
    with old.office.database.reading() as connection:
        faults = check_books(connection, *old.books_keys, Shelf([found]))
    assert [fault.message for fault in faults["archives"]] != []


@pytest.mark.rule("X-retention", "X-audit-log")
def test_an_entry_without_a_body_that_no_archive_has_is_found(old: Floor, tmp_path: Path) -> None:
    archive(old, tmp_path / "first.archive")
    with old.office.database.writing() as connection:
        _lift(connection)
        connection.execute(text("UPDATE log_entry SET body = '' WHERE tag = 'DRAW'"))
        connection.commit()
    origin, key, _ = old.books_keys
    with old.office.database.reading() as connection:
        found = [fault.message for fault in check_log(connection, origin, key)]
    assert any("it is not noted why" in message for message in found)


def _lift(connection: object) -> None:
    """Lift the guard of the log, as somebody with all rights could."""
    if connection.dialect.name == "postgresql":  # type: ignore[attr-defined]
        connection.execute(text("ALTER TABLE log_entry DISABLE TRIGGER ALL"))  # type: ignore[attr-defined]
    else:
        connection.execute(text("DROP TRIGGER log_entry_no_update"))  # type: ignore[attr-defined]


@pytest.mark.rule("X-retention", "X-audit-log")
def test_the_guards_are_back_afterwards(old: Floor, tmp_path: Path) -> None:
    before = guards(old)
    archive(old, tmp_path / "first.archive")
    assert guards(old) == before
    for statement in ("DELETE FROM log_entry", "UPDATE log_entry SET body = ''"):
        guarded = pytest.raises(DBAPIError, match="facts are only ever added")
        with old.office.database.writing() as connection, guarded:
            connection.execute(text(statement))


@pytest.mark.rule("X-retention", "X-audit-log")
def test_archived_days_are_exported_with_their_archive_and_not_without(
    old: Floor, tmp_path: Path
) -> None:
    """As the same bytes as before anything was archived."""
    cosign_log(old.office, old.two_keys)
    rita = at_console(old.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
    first, again, file = (tmp_path / name for name in ("1.zip", "2.zip", "first.archive"))
    days = FIRST_DAY, FIRST_DAY
    export_days(old.office, rita, *days, first)
    archive(old, file)
    with refuses("export.archived"):
        export_days(old.office, rita, *days, again)
    assert list(tmp_path.glob("2.zip*")) == []
    (tmp_path / "other").write_text("no entries")
    other = ArchiveFile(tmp_path / "other", read_archive(file).hash, {})  # not what it was
    with refuses("export.archived"):
        export_days(old.office, rita, *days, again, archives=[other])
    export_days(old.office, rita, *days, again, archives=[read_archive(file)])
    assert again.read_bytes() == first.read_bytes()
    assert verify(again, old.keyed.public).faults == []


# ---- paper ---------------------------------------------------------------------------------------


def printing(floor: Floor, ending: PaperState) -> tuple[PrinterRow, Sending]:
    """An evening whose only paper ends in a certain way; its day is closed."""
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    printer = floor.printer_at("B1")
    floor.sell(wanda, dollar())
    floor.void(wanda, 1)
    sending = next_paper(floor.office, printer, Press())
    assert sending is not None
    note_ending(floor.office, sending, ending, "jam")
    floor.play()
    floor.close_drawer(wanda, 1, Count({TenderKind.CURRENCY: 10_000_000}))
    for kind in RecordKind:
        set_retention(floor.office, *two(floor), kind, PERIODS[kind].least)
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    return printer, sending


@pytest.mark.rule("X-retention", "X-audit-books")
def test_a_paper_that_was_answered_for_later_keeps_its_whole_history(
    floor: Floor, tmp_path: Path
) -> None:
    _, sending = printing(floor, PaperState.UNKNOWN)
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    seen = Seen(sending.entry, sending.copy, printed=True)
    say_printed(floor.office, wanda, seen, floor.request_id())
    floor.pass_time(days=400)
    seal_log(floor.office)
    papers = "SELECT state FROM paper_event WHERE entry = :entry ORDER BY id"
    before = rows(floor, papers, entry=sending.entry)
    assert before == [("sending",), ("unknown",), ("confirmed",)]
    file = tmp_path / "first.archive"
    archive(floor, file)
    assert rows(floor, papers, entry=sending.entry) == before
    kept = "SELECT count(*) FROM printed_paper WHERE entry = :entry"
    assert rows(floor, kept, entry=sending.entry) == [(1,)]
    assert checked(floor, file) == {}


@pytest.mark.rule("X-retention", "X-recovery")
def test_what_waits_to_be_printed_stays_with_its_entry(floor: Floor, tmp_path: Path) -> None:
    """It is made from its entry, whenever the printer is mended."""
    printer, sending = printing(floor, PaperState.FAILED)
    floor.pass_time(days=400)
    seal_log(floor.office)
    file = tmp_path / "first.archive"
    assert archive(floor, file).entries
    waits = (
        "SELECT body <> '' FROM log_entry JOIN queued_paper ON queued_paper.entry = log_entry.id"
    )
    waiting = rows(floor, waits)
    assert waiting == [(1,)] * len(waiting) != []
    again = next_paper(floor.office, printer, Press())
    assert again is not None
    assert again.entry == sending.entry
    assert checked(floor, file) == {}


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.rule("X-retention")
def test_a_ticket_whose_earlier_game_is_frozen_stays_at_hand(
    floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last game is over, and what it won in the earlier one is not known yet."""
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, every())
    number = floor.sell(wanda, dollar(games=2))["number"]
    game = floor.lock()
    floor.draw()
    right = grading.grade_game
    with monkeypatch.context() as patched:
        patched.setattr(settle, "grade_game", lambda *given: rounded_down(right(*given)))
        assert floor.grade(game) == "frozen"
    floor.play()
    floor.close_drawer(wanda, 1, Count({TenderKind.CURRENCY: 10_000_000}))
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    floor.pass_time(days=2_000)
    with floor.office.database.reading() as connection:
        waiting = keeping.unsettled_tickets(connection, floor.moment[0], 5)
    assert number in waiting
    with refuses("archive.not_settled"):
        archive(floor, tmp_path / "first.archive")


@pytest.mark.rule("X-retention")
def test_a_ticket_whose_rest_was_cancelled_waits_for_no_game_that_it_does_not_play(
    floor: Floor,
) -> None:
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, dollar(games=5))["number"]
    floor.play()
    asked = Refunding(number, "the patron leaves", floor.code(number), cancel=True)
    with floor.office.database.reading() as connection:
        assert keeping.unsettled_tickets(connection, floor.moment[0], 5) == [number]
    refund_ticket(floor.office, wanda, asked, floor.request_id())
    with floor.office.database.reading() as connection:
        won = rows(floor, "SELECT ticket FROM win")
        waiting = keeping.unsettled_tickets(connection, floor.moment[0], 5)
    assert waiting == ([number] if won else [])


@pytest.mark.rule("X-retention")
def test_what_is_not_old_settled_or_closed_stays(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.signed_in("Wanda Writer")
    floor.open_drawer(wanda, RICH)
    number = floor.sell(wanda, every())["number"]
    floor.play()
    file = tmp_path / "first.archive"
    with refuses("day.not_closed"):
        archive(floor, file)
    floor.close_drawer(wanda, 1, Count({TenderKind.CURRENCY: 10_000_000}))
    floor.pass_time(days=1)
    close_day(floor.office, floor.sam, FIRST_DAY)
    with refuses("archive.nothing_old"):
        archive(floor, file)
    floor.pass_time(days=2_000)
    with refuses("archive.not_settled"):  # the ticket won, and was neither paid nor expired
        archive(floor, file)
    assert number == 1
    file.write_text("something else")
    with refuses("backup.file_there"):
        archive(floor, file)
    assert bodies(floor, "ARCHIVED") == []


@pytest.mark.rule("15.5(h)", "X-retention")
def test_the_register_of_winning_numbers_is_reported_also_when_tickets_are_archived(
    old: Floor, tmp_path: Path
) -> None:
    def register() -> object:
        asked = Asked("winning-numbers", FIRST_DAY, FIRST_DAY, Format.JSON)
        return json.loads(make_report(old.office, asked).json())["sections"]["games"]

    before = register()
    archive(old, tmp_path / "first.archive")
    assert register() == before
    with refuses("report.archived"):
        make_report(old.office, Asked("game-recap", FIRST_DAY, FIRST_DAY, Format.JSON))


@pytest.mark.rule("X-retention", "X-recovery")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_who_sells_or_reads_while_old_detail_is_taken_out_does_not_wait(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a house so small that what is old stands in the partition that is sold into."""
    wanda, sold = old.writing(), list[int]()
    remove = archiving._remove_rows  # noqa: SLF001  the last of what takes long

    def sold_before(unit: Unit, name: str, before: datetime, parts: Sequence[Part]) -> int:
        selling = Thread(target=lambda: sold.append(old.sell(wanda)["number"]))
        selling.start()
        selling.join(120)
        assert not selling.is_alive(), "the sale waits"
        reading = rows(old, "SELECT count(*) FROM log_entry WHERE body = ''")
        assert reading == [(0,)]  # as long as it is not done nobody sees anything of it
        return remove(unit, name, before, parts)

    monkeypatch.setattr(archiving, "_remove_rows", sold_before)
    archive(old, tmp_path / "first.archive")
    assert checked(old, tmp_path / "first.archive") == {}
    assert look_up(old.office, wanda, sold[0])["number"] == sold[0]
    old.sell(wanda)
    assert checked(old, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-retention", "X-audit-log")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_the_running_house_cannot_lift_its_guards(old: Floor, tmp_path: Path) -> None:
    with way_into(old) as way:
        for statement in (
            "ALTER TABLE log_entry DISABLE TRIGGER log_entry_only_added",
            "DROP TRIGGER log_entry_only_added ON log_entry",
            "ALTER TABLE printer DISABLE TRIGGER printer_logged",
            "DROP TRIGGER station_printer_logged ON station_printer",
            "DROP FUNCTION keno_printer_logged() CASCADE",
            (
                "CREATE OR REPLACE FUNCTION keno_printer_logged() RETURNS trigger "
                "LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
            ),
            "SET session_replication_role = replica",
        ):
            with old.office.database.writing() as connection, pytest.raises(DBAPIError):
                connection.execute(text(statement))
        guarded = pytest.raises(DBAPIError, match="facts are only ever added")
        with old.office.database.writing() as connection, guarded:
            connection.execute(text("UPDATE log_entry SET body = ''"))
        # Without a way of its own, or with one that is the house's, nothing is archived.
        file = tmp_path / "first.archive"
        for no_way in (None, old.office.database):
            with refuses("archive.no_way"):
                archive_before(old.office, no_way, *two(old), NEXT_DAY, file)
        assert not file.exists()
        assert way is not None
    with refuses("archive.no_way"):  # the house owns its tables itself
        archive_before(old.office, old.office.database, *two(old), NEXT_DAY, tmp_path / "b")


@pytest.mark.rule("X-retention")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_on_sqlite_nothing_else_may_have_the_database_open(old: Floor, tmp_path: Path) -> None:
    other = Database(str(old.office.database.url))
    before = everything(old)
    with other.reading() as connection:
        connection.execute(text("SELECT 1 FROM ticket"))
        with refuses("archive.no_way"):
            archive(old, tmp_path / "first.archive")
    other.close()
    assert everything(old) == before
    assert archive(old, tmp_path / "first.archive").entries


@pytest.mark.rule("X-retention")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_on_sqlite_the_file_gives_its_room_back(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(archiving, "give_back", lambda _database: "database or disk is full")
        done = archive(old, tmp_path / "first.archive")
    assert done.room_kept == "database or disk is full"
    assert rows(old, "PRAGMA freelist_count") != [(0,)]
    before = everything(old)
    assert finish_archive(old.office, None) is None
    assert rows(old, "PRAGMA freelist_count") == [(0,)]
    assert everything(old) == before
    assert checked(old, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-retention", "X-recovery")
def test_archiving_that_dies_anywhere_is_done_or_not(old: Floor, tmp_path: Path) -> None:
    before, point = everything(old), 0
    while True:
        file = tmp_path / f"{point}.archive"
        old.office.database.close()
        died = dies(old, point, lambda here, file=file: archive_there(here, file))  # type: ignore[misc]
        if bodies(old, "ARCHIVED"):
            assert checked(old, file) == {}
            break
        assert died
        assert everything(old) == before
        point += 7
    assert point > 20


@pytest.mark.rule("X-retention", "X-audit-log")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_of_two_who_archive_at_once_the_second_is_told_to_wait(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else both files would have the same entries, and the log would tell of one."""
    files = tmp_path / "first.archive", tmp_path / "second.archive"
    with way_into(old) as way:

        def second(*given: object) -> bytes:
            with refuses("archive.no_way"):
                archive_before(old.office, way, *two(old), NEXT_DAY, files[1])
            return right(*given)  # type: ignore[arg-type]

        right = flow_archive._checked  # noqa: SLF001  between reading and removing
        monkeypatch.setattr(flow_archive, "_checked", second)
        archive_before(old.office, way, *two(old), NEXT_DAY, files[0])
        monkeypatch.undo()
        with refuses("archive.nothing_old"):  # nobody holds it any more
            archive_before(old.office, way, *two(old), NEXT_DAY, files[1])
    assert len(bodies(old, "ARCHIVED")) == 1
    assert list(tmp_path.glob("*.archive")) == [files[0]]
    assert checked(old, files[0]) == {}


@pytest.mark.rule("X-retention", "X-audit-log")
@pytest.mark.parametrize("changed", ["entries.jsonl", "feed_event.jsonl", "paper_event.jsonl"])
def test_what_cannot_be_read_again_as_it_was_written_is_not_removed(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    """Entries and the rows of every table alike."""
    right = flow_archive._checked  # noqa: SLF001  between writing and removing

    def damaged(part: Path, written: flow_archive.Written) -> bytes:
        with ZipFile(part) as was:
            members = {name: was.read(name) for name in was.namelist()}
        with ZipFile(part, "w") as now:
            for name, data in members.items():
                now.writestr(name, data.replace(b"e", b"f", 1) if name == changed else data)
        return right(part, written)

    monkeypatch.setattr(flow_archive, "_checked", damaged)
    before = everything(old)
    with refuses("backup.not_copied"):
        archive(old, tmp_path / "first.archive")
    assert everything(old) == before


@pytest.mark.rule("X-retention", "X-audit-log")
@pytest.mark.parametrize("floor", ["postgresql"], indirect=True)
def test_the_way_must_lead_to_the_database_of_the_house(old: Floor, tmp_path: Path) -> None:
    file = tmp_path / "first.archive"
    server = old.office.database.url.set(database="postgres").render_as_string(hide_password=False)
    with way_into(old) as way:
        assert way is not None
        name = new_database(server, "template1")
        other = Database(way.url.set(database=name).render_as_string(hide_password=False))
        schema.upgrade(other)
        with pytest.raises(Refused, match="are not the same database"):
            archive_before(old.office, other, *two(old), NEXT_DAY, file)
        other.close()
        drop_database(server, name)
        # A house that could become the owner is no better than one that is.
        owner = replace(old, office=replace(old.office, database=way))
        write(owner, "CREATE ROLE keno_keeper", "GRANT keno_keeper TO keno_house")
        write(owner, "ALTER ROLE keno_house NOINHERIT")
        write(owner, "ALTER TABLE log_entry OWNER TO keno_keeper")
        with refuses("archive.no_way"):
            archive_before(old.office, way, *two(old), NEXT_DAY, file)
        write(owner, "ALTER TABLE log_entry OWNER TO keno", "DROP ROLE keno_keeper")
        write(owner, "ALTER ROLE keno_house INHERIT")
        assert archive_before(old.office, way, *two(old), NEXT_DAY, file).entries


@pytest.mark.rule("X-retention")
def test_what_is_long_after_the_cut_is_not_read(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.writing()
    old.play()
    (newest,) = rows(old, "SELECT max(id) FROM log_entry WHERE tag = 'SIGN-IN'")
    read, right = list[int](), archiving.old_entries

    def noted(*given: object) -> Iterator[EntryRow]:
        for each in right(*given):  # type: ignore[arg-type]
            read.append(each.id)
            yield each

    monkeypatch.setattr(archiving, "old_entries", noted)
    assert archive(old, tmp_path / "first.archive").entries
    assert max(read) < newest[0]


@pytest.mark.rule("X-retention", "X-audit-log")
def test_nothing_goes_into_two_archives(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if whoever archives has lost the lock meanwhile, and another came."""
    taken = archiving._take_bodies  # noqa: SLF001  where an archive takes entries

    def after_another(unit: Unit, archive: int, parts: Sequence[Part]) -> None:
        one = "WHERE id = (SELECT min(id) FROM keno_taken)"
        unit.connection.execute(text(f"UPDATE log_entry SET archived = {archive} {one}"))  # noqa: S608
        taken(unit, archive, parts)

    with monkeypatch.context() as patched:
        patched.setattr(archiving, "_take_bodies", after_another)
        with refuses("archive.no_way"):
            archive(old, tmp_path / "first.archive")
    # What was refused leaves nothing behind that would be in the way of the second try.
    assert list(tmp_path.glob("*.archive*")) + list(tmp_path.glob(".*.archive*")) == []
    assert archive(old, tmp_path / "first.archive").entries
    assert checked(old, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-retention")
def test_a_file_that_came_meanwhile_is_not_written_over(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "first.archive"
    right = flow_archive._checked  # noqa: SLF001  between reading and removing

    def meanwhile(*given: object) -> bytes:
        file.write_text("something else")
        return right(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(flow_archive, "_checked", meanwhile)
    with refuses("backup.file_there"):
        archive(old, file)
    assert file.read_text() == "something else"
    assert bodies(old, "ARCHIVED") == []


@pytest.mark.rule("X-retention", "X-audit-books")
def test_what_lies_beside_the_archives_stops_nobody(
    old: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is being written is none yet; one that cannot be read is a fault of the books."""
    folder = tmp_path / "archives"
    folder.mkdir()
    archive(old, folder / "first.archive")
    (folder / ".second.archive.0123abcd").write_bytes(b"PK half written")
    assert [each.path.name for each in read_shelf(folder).files] == ["first.archive"]
    monkeypatch.setenv("KENO_ARCHIVES", str(folder))
    monkeypatch.setattr(Office, "close", lambda _office: None)  # the floor goes on
    monkeypatch.setattr(import_module("app.cli.console"), "open_office", lambda _, **__: old.office)
    assert main(["books", "--json"]) == 0
    capsys.readouterr()
    (folder / "third.archive").write_bytes(b"not a zip")
    assert main(["books", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["faults_of"] == {name: int(name == "archives") for name in told["faults_of"]}
    assert "third.archive is no archive" in told["checks"]["archives"][0]["message"]
    assert told["looked_at"]["prices"]  # and everything else is looked at all the same


@pytest.mark.rule("X-retention")
def test_what_is_no_archive_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with pytest.raises(NotACopy):
        read_archive(file)
    file.write_bytes(b"not a zip")
    with pytest.raises(NotACopy):
        read_archive(file)
    with ZipFile(file, "w") as archive_:
        archive_.writestr("manifest.json", json.dumps({"label": "keno/archive", "version": 2}))
    with pytest.raises(NotACopy, match="another form"):
        read_archive(file)


@pytest.mark.rule("X-access-disable", "X-retention")
@pytest.mark.parametrize("out", [SAM, MAX])
def test_whoever_is_disabled_meanwhile_archives_nothing(
    old: Floor, tmp_path: Path, out: str
) -> None:
    both, file = two(old), tmp_path / "first.archive"
    write(old, DISABLED, name=out)
    before = everything(old)
    with way_into(old) as way, refuses("staff.disabled"):
        archive_before(old.office, way, *both, NEXT_DAY, file)
    assert everything(old) == before
    assert [each.name for each in tmp_path.iterdir() if "archive" in each.name] == []
    assert guards(old)
