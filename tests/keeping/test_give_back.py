"""Archives of whole partitions on PostgreSQL: slim copies take their places, and give room back."""

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.cli import main
from app.flow import archive as flow_archive
from app.flow import give_back
from app.flow.archive import archive_before
from app.flow.backup import back_up
from app.flow.give_back import finish_archive
from app.flow.look_for import look_for_missing
from app.flow.office import Office
from app.flow.seal import seal_log
from app.flow.spool import next_paper, note_ending
from app.store import archiving, slimming
from app.store.tables import PaperState
from app.store.unit import Unit
from printers.press import Press
from tests.crashing import dies
from tests.depth import IS_PROOF
from tests.engines import floor_on
from tests.floor import WALT, WANDA, Floor
from tests.keeping.archive import (
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
from tests.keeping.house import restored
from tests.looking import bodies, everything, refuses, rows, write
from tests.store.partitions import parts

pytestmark = pytest.mark.rule("X-retention")
# The last number of the first partition, and whose numbers they are.
LAST = {"act": 4_000_000, "paper_event": 4_000_000, "feed_event": 100_000}
COPIED = ["feed_event_0", "log_entry_0", "paper_event_0", "printed_paper_0"]


def years(floor: Floor) -> None:
    """More than a year; the first partition of everything has its first day but for one sign-in."""
    first_day(floor)
    seal_log(floor.office)
    for table, last in LAST.items():
        write(floor, f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last})")
    floor.signed_in(WANDA)
    a_year_later(floor)
    wanda, printer = floor.writing(), floor.printer_at("B1")
    floor.sell(wanda)
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        note_ending(floor.office, sending, PaperState.CONFIRMED, None)
    floor.play()


@pytest.fixture
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Floor]:
    """A house with old partitions."""
    with floor_on("postgresql", request, tmp_path, years) as floor:
        yield floor


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for long in a test."""
    monkeypatch.setattr(give_back, "TRIES", 3)
    monkeypatch.setattr(slimming, "wait_a_little", lambda: None)


def begun(floor: Floor, file: Path) -> None:
    """Archive, and die before any copy is in its place."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(flow_archive, "give_back", lambda _database: None)
        archive(floor, file)


def finish(floor: Floor) -> str | None:
    with way_into(floor) as way:
        return finish_archive(floor.office, way)


def beside(floor: Floor) -> list[str]:
    """What there is in the two schemas of whoever archives."""
    found = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname LIKE 'keno%'"
    return sorted(name for (name,) in rows(floor, found))


def size(floor: Floor, name: str) -> int:
    found = "SELECT pg_total_relation_size(CAST(:name AS regclass))"
    ((size,),) = rows(floor, found, name=name)
    return int(size)


def facts(floor: Floor) -> dict[str, list[tuple[object, ...]]]:
    """Every row but what tells of the archive itself."""
    everywhere = everything(floor)
    own = {entry for (entry,) in rows(floor, "SELECT entry FROM archive")}
    for name in ("act", "log_pending", "archive"):
        everywhere.pop(name)
    entries = everywhere.pop("log_entry")
    # The number of the archive's own entry stands in those that it took.
    return {
        **{name: sorted(found, key=repr) for name, found in everywhere.items()},
        "log_entry": sorted((*row[:5], row[5] in own) for row in entries if row[0] not in own),
    }


# ---- what comes of it ----------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log", "X-audit-books")
def test_an_archive_moves_whole_partitions_and_gives_their_room_back(
    house: Floor, tmp_path: Path
) -> None:
    file, before = tmp_path / "first.archive", {name: size(house, name) for name in COPIED}
    entries, watched = rows(house, "SELECT count(*) FROM log_entry_0"), guards(house)
    done = archive(house, file)
    assert done.room_kept is None
    assert done.entries > 10
    assert beside(house) == []
    assert {name: size(house, name) < before[name] for name in COPIED} == dict.fromkeys(
        COPIED, True
    )
    assert rows(house, "SELECT count(*) FROM log_entry_0") == entries  # leaves stay, all of them
    assert checked(house, file) == {}
    assert guards(house) == watched
    for table in ("log_entry", "paper_event", "feed_event"):
        assert parts(house, table) == [f"{table}_0", f"{table}_1", f"{table}_rest"]
    unlike = (
        "SELECT conname FROM pg_constraint WHERE NOT convalidated OR conname = 'keno_bounds' "
        "UNION ALL SELECT tgname FROM pg_trigger WHERE tgname = 'keno_both'"
    )
    assert rows(house, unlike) == []
    indexes = "SELECT count(*) FROM pg_index WHERE indrelid = CAST(:name AS regclass)"
    for table in ("log_entry", "paper_event", "feed_event"):
        assert rows(house, indexes, name=f"{table}_0") == rows(house, indexes, name=f"{table}_1")
    with refuses("archive.nothing_old"):
        archive(house, tmp_path / "second.archive")


@pytest.mark.rule("X-audit-log")
def test_it_leaves_the_same_as_one_that_is_made_in_place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may not see for whom it would have to wait archives in place."""
    left = []
    for can in (True, False):
        (folder := tmp_path / str(can)).mkdir()
        monkeypatch.setattr(slimming, "can_replace", lambda _unit, can=can: can)
        with floor_on("postgresql", request, folder, years) as floor:
            before = size(floor, "log_entry_0")
            archive(floor, folder / "first.archive")
            assert (size(floor, "log_entry_0") < before) is can
            left.append(facts(floor))
    assert left[0] == left[1]


def test_without_the_right_to_see_who_reads_nothing_is_replaced(house: Floor) -> None:
    with way_into(house) as way:
        assert way is not None
        for database, can in ((way, True), (house.office.database, False)):
            with database.reading() as connection:
                assert slimming.can_replace(Unit(database, connection)) is can


@pytest.mark.rule("X-audit-log")
def test_a_partition_of_which_little_goes_stays_where_it_is(
    house: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slimming, "WORTH", 0)
    before = size(house, "log_entry_0")
    archive(house, tmp_path / "first.archive")
    assert size(house, "log_entry_0") >= before
    assert checked(house, tmp_path / "first.archive") == {}


# ---- in between ----------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-books", "X-recovery")
def test_until_the_copies_are_in_their_places_everything_is_at_hand(
    house: Floor, tmp_path: Path
) -> None:
    file, bodiless = tmp_path / "first.archive", "SELECT count(*) FROM log_entry_0 WHERE body = ''"
    begun(house, file)
    assert beside(house) == [f"keno_new.{name}" for name in COPIED]
    assert len(bodies(house, "ARCHIVED")) == 1
    assert rows(house, bodiless) == [(0,)]
    # What stands in a partition that is still sold into was changed in place.
    assert rows(house, "SELECT tag FROM log_entry_1 WHERE body = ''") == [("SIGN-IN",)]
    assert checked(house, file) == {}
    assert finish(house) is None
    assert rows(house, bodiless) != [(0,)]
    assert beside(house) == []
    assert checked(house, file) == {}
    assert finish(house) is None  # there is nothing left to do


@pytest.mark.rule("X-recovery")
def test_the_next_archive_first_finishes_the_last(house: Floor, tmp_path: Path) -> None:
    begun(house, tmp_path / "first.archive")
    with refuses("archive.nothing_old"):
        archive(house, tmp_path / "second.archive")
    assert beside(house) == []
    assert checked(house, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_what_is_added_meanwhile_is_in_both(house: Floor, tmp_path: Path) -> None:
    """An old ticket is printed on narrow paper while its partition is being replaced."""
    begun(house, tmp_path / "first.archive")
    added = (
        "INSERT INTO printed_paper SELECT min(entry), '58mm', 'bytes', sha256('bytes'), now() "
        "FROM print_job"
    )
    with way_into(house):
        write(house, added)  # by the house itself
    there = "SELECT data FROM printed_paper WHERE roll = '58mm'"
    before = rows(house, there)
    assert len(before) == 1
    assert finish(house) is None
    assert rows(house, there) == before


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_a_reader_from_before_is_waited_for_and_one_from_after_is_not(
    house: Floor, tmp_path: Path
) -> None:
    """The first would find the partition empty: there is nothing in it under their view."""
    count = text("SELECT count(*), count(*) FILTER (WHERE body = '') FROM log_entry")
    ((entries,),) = rows(house, "SELECT count(*) FROM log_entry")
    database = house.office.database
    with database.reading() as older:
        older.execute(text("SELECT 1 FROM house"))
        done = archive(house, tmp_path / "first.archive")
        assert done.room_kept is not None
        assert "still read the house as it was before" in done.room_kept
        with database.reading() as newer:
            newer.execute(text("SELECT 1 FROM house"))
            assert older.execute(count).one() == (entries, 0)
            with refuses("archive.no_way"):  # the one before is not finished
                archive(house, tmp_path / "second.archive")
            older.rollback()
            assert finish(house) is None
            assert newer.execute(count).one()[0] == entries + 1
            assert newer.execute(count).one()[1] > 10
    assert checked(house, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-recovery")
def test_whoever_is_in_the_way_is_left_alone(house: Floor, tmp_path: Path) -> None:
    """Sales would have to wait behind us for as long as they hold the table."""
    begun(house, tmp_path / "first.archive")
    with house.office.database.writing() as busy:
        busy.execute(text("SELECT 1 FROM log_entry LIMIT 1"))
        assert finish(house) == "others work with the tables all the time"
    assert finish(house) is None
    assert checked(house, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once")
def test_tickets_are_sold_all_the_while(house: Floor, tmp_path: Path) -> None:
    walt, stop, sold, faults = house.writing(WALT, "B2"), Event(), list[int](), list[Exception]()

    def selling() -> None:
        try:
            while not stop.is_set():
                sold.append(house.sell(walt)["number"])
        except Exception as fault:  # noqa: BLE001  told by the test
            faults.append(fault)

    with way_into(house) as way:
        seller = Thread(target=selling)
        seller.start()
        try:
            file = tmp_path / "first.archive"
            done = archive_before(house.office, way, *two(house), NEXT_DAY, file)
        finally:
            stop.set()
            seller.join()
    assert faults == []
    assert done.room_kept is None or finish(house) is None
    assert sold == list(range(sold[0], sold[0] + len(sold)))
    assert checked(house, tmp_path / "first.archive") == {}


@pytest.mark.rule("X-recovery")
def test_what_found_no_partition_is_not_read_while_sales_wait(
    house: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server says itself that it knows without looking."""
    begun(house, tmp_path / "archive")
    known: dict[str, bool] = {}
    place = slimming.put_in_place

    def placed(unit: Unit, name: str) -> None:
        said: list[str] = []
        line = unit.connection.connection.driver_connection
        assert line is not None
        line.add_notice_handler(lambda notice: said.append(notice.message_primary))
        unit.connection.execute(text("SET LOCAL client_min_messages = debug1"))
        place(unit, name)
        rest = f'default partition "{name.rpartition("_")[0]}_rest" is implied by existing'
        known[name] = any(rest in each for each in said)

    monkeypatch.setattr(slimming, "put_in_place", placed)
    finish(house)
    assert known == dict.fromkeys(COPIED, True)
    assert rows(house, "SELECT 1 FROM pg_constraint WHERE conname LIKE 'keno%apart%'") == []


def test_a_backup_from_in_between_is_whole(house: Floor, tmp_path: Path) -> None:
    file, backup = tmp_path / "first.archive", tmp_path / "house.backup"
    begun(house, file)
    with way_into(house):
        back_up(house.office, backup)  # under the role of the house
    with restored(house, backup) as again:
        look_for_missing(again.office)
        assert beside(again) == []
        assert checked(again, file) == {}
        # There everything is at hand again, and goes into an archive of its own.
        second = tmp_path / "second.archive"
        assert archive(again, second).entries > 10
        assert checked(again, file, second) == {}
    assert finish(house) is None
    assert checked(house, file) == {}


@pytest.mark.rule("X-access", "X-audit-log")
def test_the_running_house_can_neither_see_nor_replace_a_copy(house: Floor, tmp_path: Path) -> None:
    begun(house, tmp_path / "first.archive")
    with way_into(house):
        for statement in (
            "SELECT * FROM keno_new.log_entry_0",
            "INSERT INTO keno_new.log_entry_0 SELECT * FROM log_entry_0",
            "ALTER TABLE log_entry DETACH PARTITION log_entry_0",
            "ALTER TABLE keno_new.log_entry_0 SET SCHEMA public",
            "DROP TRIGGER keno_both ON log_entry_0",
        ):
            with house.office.database.writing() as connection, pytest.raises(DBAPIError):
                connection.execute(text(statement))
        # Nor does what adds to both add what was added to a table of the house's own.
        write(
            house,
            "CREATE TEMPORARY TABLE log_entry_0 (LIKE public.log_entry_1)",
            "CREATE TRIGGER keno_both AFTER INSERT ON log_entry_0 "
            "FOR EACH ROW EXECUTE FUNCTION keno_add_to_both()",
            "INSERT INTO log_entry_0 VALUES (3999999, 'TICKET', '', 'forged', '', NULL)",
        )
    forged = "SELECT count(*) FROM keno_new.log_entry_0 WHERE body = 'forged'"
    assert rows(house, forged) == [(0,)]


@pytest.mark.rule("X-recovery")
def test_a_copy_from_before_a_change_of_the_schema_is_dropped_and_nothing_with_it(
    house: Floor, tmp_path: Path
) -> None:
    entries = "SELECT id, salt, body, archived FROM log_entry_0 ORDER BY id"
    before = rows(house, entries)
    begun(house, tmp_path / "first.archive")
    write(house, "ALTER TABLE log_entry ADD COLUMN later TEXT")
    assert finish(house) is None
    assert beside(house) == []
    write(house, "ALTER TABLE log_entry DROP COLUMN later")
    assert rows(house, entries) == before
    assert checked(house, tmp_path / "first.archive") == {}
    assert archive(house, tmp_path / "second.archive").entries > 10
    files = tmp_path / "first.archive", tmp_path / "second.archive"
    assert checked(house, *files) == {}


@pytest.mark.rule("X-recovery")
def test_what_the_server_does_not_do_is_told_and_asked_for_again(
    house: Floor, tmp_path: Path
) -> None:
    """The archive is made by then: it is nothing that could be refused any more."""
    begun(house, tmp_path / "first.archive")
    write(house, "ALTER TABLE keno_new.log_entry_0 RENAME CONSTRAINT keno_bounds TO other")
    before = rows(house, "SELECT id, body FROM log_entry_0 ORDER BY id")
    assert 'constraint "keno_bounds"' in (finish(house) or "")
    assert rows(house, "SELECT id, body FROM log_entry_0 ORDER BY id") == before
    assert checked(house, tmp_path / "first.archive") == {}
    write(house, "ALTER TABLE keno_new.log_entry_0 RENAME CONSTRAINT other TO keno_bounds")
    assert finish(house) is None
    assert checked(house, tmp_path / "first.archive") == {}


# ---- whatever dies -------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_whoever_dies_on_the_way_is_finished_by_the_next(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    file, point = tmp_path / "first.archive", 0
    unfinished: Callable[[Floor], None] = lambda floor: begun(floor, file)  # noqa: E731  one story
    seen = set()
    while True:
        (folder := tmp_path / str(point)).mkdir()
        with floor_on("postgresql", request, folder, years, unfinished) as floor:
            floor.office.database.close()
            died = dies(floor, point, finish_there)
            seen.add(tuple(beside(floor)))
            if point % 4 == 0:
                assert checked(floor, file) == {}
            assert finish(floor) is None
            assert beside(floor) == []
            if point % 4 == 1:
                assert checked(floor, file) == {}
        if not died:
            break
        point += 5 if IS_PROOF else 10
    assert point > 50
    assert len(seen) > 4


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_an_archive_that_dies_anywhere_is_made_or_not(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    point, died, made = 0, True, list[bool]()
    while died:
        (folder := tmp_path / str(point)).mkdir()
        file = folder / "first.archive"
        with floor_on("postgresql", request, folder, years) as floor:
            before = everything(floor)
            floor.office.database.close()
            died = dies(floor, point, lambda here, file=file: archive_there(here, file))  # type: ignore[misc]
            made.append(bool(bodies(floor, "ARCHIVED")))
            if made[-1]:
                assert finish(floor) is None
                assert checked(floor, file) == {}
            else:
                assert everything(floor) == before
            assert beside(floor) == []
        point += 23
    assert made == sorted(made)
    assert made[0] is False


def finish_there(floor: Floor) -> str | None:
    """Finish in a process that dies; whether there is a way is looked at by other tests."""
    setattr(archiving, "check_way", lambda *_: None)  # noqa: B010  in the other process only
    return finish_archive(floor.office, floor.office.database)


# ---- by hand -------------------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
def test_it_is_finished_by_command(
    house: Floor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    begun(house, tmp_path / "first.archive")
    url = house.office.database.url.render_as_string(hide_password=False)
    monkeypatch.setattr(Office, "close", lambda _office: None)  # the floor goes on
    monkeypatch.setattr(
        import_module("app.cli.console"), "open_office", lambda _, **__: house.office
    )
    monkeypatch.setenv("KENO_ARCHIVE_DATABASE", url)
    with way_into(house), house.office.database.reading() as reader:
        reader.execute(text("SELECT 1 FROM log_entry LIMIT 1"))
        assert main(["archive", "--finish", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["room_kept"].startswith("others work")
        reader.rollback()
        assert main(["archive", "--finish"]) == 0
        assert "Its room is given back." in capsys.readouterr().out
    assert main(["archive", "--before", "2027-01-01"]) == 2
    assert beside(house) == []
