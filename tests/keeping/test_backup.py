"""Backups: made while the house sells, whole, checked, and restored into an empty database only."""

import json
import stat
import threading
from pathlib import Path
from zipfile import ZipFile

import pytest
from sqlalchemy import text

from app.clock import system_clock
from app.flow.backup import MANIFEST, PAYLOAD, Manifest, back_up, hash_of, read_manifest, restore
from app.flow.look_for import look_for_missing
from app.flow.missing import what_is_missing
from app.flow.seal import seal_log
from app.store import copies
from app.store.database import Database
from tests.floor import WALT, WANDA, Floor, dollar
from tests.keeping.house import empty_database, restored
from tests.looking import bodies, everything, refuses, rows

pytestmark = pytest.mark.both_engines


@pytest.mark.rule("X-recovery")
def test_a_backup_is_restored_row_by_row(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.writing()
    for _ in range(3):
        floor.sell(wanda)
    floor.play()
    seal_log(floor.office)
    before = everything(floor)
    manifest = back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        after = everything(again)
        assert after.pop("restoration") != before.pop("restoration")
        assert after == before
        again.check_books()
    assert (manifest.house, manifest.log_origin) == ("Test House", "keno.example/test")


@pytest.mark.rule("X-recovery", "X-audit-log")
def test_a_backup_says_what_it_is_of_and_is_in_the_log(floor: Floor, tmp_path: Path) -> None:
    floor.sell(floor.writing())
    floor.play()
    file = tmp_path / "house.backup"
    manifest = back_up(floor.office, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_manifest(file) == manifest
    with floor.office.database.reading() as connection:
        assert manifest.engine == connection.dialect.name
    (told,) = bodies(floor, "BACKUP")
    assert told["file_sha256"] == hash_of(file)
    assert (told["log_size"], told["sha256"]) == (manifest.log_size, manifest.sha256)
    assert manifest.cosigned is not None
    floor.two_keys.check_cosigned(manifest.cosigned)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.rule("X-recovery")
def test_no_key_is_in_a_backup(floor: Floor, tmp_path: Path) -> None:
    floor.sell(floor.writing())
    assert keys_in(floor, tmp_path / "house.backup") == set()


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("column", ["name", "token"])
def test_a_key_in_a_table_would_be_found_in_a_backup(
    floor: Floor, tmp_path: Path, column: str
) -> None:
    """Without this the test above shows nothing: a dump of PostgreSQL is compressed."""
    key = floor.office.keys.patron
    statement, value = {
        "name": ("UPDATE staff SET name = :key WHERE name = 'Walt Writer'", key.hex()),
        "token": ("UPDATE station SET token = :key WHERE code = 'B2'", key),
    }[column]
    with floor.office.database.writing() as connection:
        connection.execute(text(statement), {"key": value})
        connection.commit()
    assert keys_in(floor, tmp_path / "house.backup") == {"patron"}


def keys_in(floor: Floor, file: Path) -> set[str]:
    """Make a backup, and return the names of the private keys whose bytes or digits are in it."""
    back_up(floor.office, file)
    keys = floor.office.keys
    private = {"patron": keys.patron, "log": keys.log.private_bytes_raw()}
    private["office"] = keys.office.private_bytes_raw()
    private |= {f"validation {number}": key for number, key in keys.validation.items()}
    with ZipFile(file) as archive:
        manifest, payload = archive.read(MANIFEST), archive.read(PAYLOAD)
    if not floor.office.database.is_sqlite:
        (dump := file.with_suffix(".dump")).write_bytes(payload)
        payload = copies._run("pg_restore", ["--file=-", str(dump)]).encode()  # noqa: SLF001
        assert payload.count(b"\nCOPY ") > 50
    inside = manifest + payload
    return {name for name, key in private.items() if key in inside or key.hex().encode() in inside}


@pytest.mark.rule("X-recovery")
def test_a_backup_is_of_one_moment_while_the_house_sells(floor: Floor, tmp_path: Path) -> None:
    writers = [floor.writing(), floor.writing(WALT, "B2")]
    stop = threading.Event()
    sold: list[int] = []

    def sell_on(place: int) -> None:
        while not stop.is_set():
            sold.append(floor.sell(writers[place])["number"])

    selling = [threading.Thread(target=sell_on, args=(place,)) for place in range(2)]
    for each in selling:
        each.start()
    for number in range(3):
        back_up(floor.office, tmp_path / f"{number}.backup")
    stop.set()
    for each in selling:
        each.join()
    counts = []
    for number in range(3):
        with restored(floor, tmp_path / f"{number}.backup") as again:
            again.check_books()
            ((tickets,),) = rows(again, "SELECT count(*) FROM ticket")
            counts.append(tickets)
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] < len(sold)


@pytest.mark.rule("X-recovery")
def test_a_backup_is_never_written_over(floor: Floor, tmp_path: Path) -> None:
    file = tmp_path / "house.backup"
    file.write_text("the only copy of something")
    with refuses("backup.file_there"):
        back_up(floor.office, file)
    assert file.read_text() == "the only copy of something"


@pytest.mark.rule("X-recovery")
def test_a_backup_is_restored_into_an_empty_database_only(floor: Floor, tmp_path: Path) -> None:
    floor.sell(floor.writing())
    back_up(floor.office, tmp_path / "house.backup")
    before = everything(floor)
    with refuses("backup.not_empty"):
        restore(floor.office.database, tmp_path / "house.backup", system_clock())
    assert everything(floor) == before


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("floor", ["sqlite"], indirect=True)
def test_what_an_earlier_database_left_is_not_mixed_with_a_restored_one(
    floor: Floor, tmp_path: Path
) -> None:
    back_up(floor.office, tmp_path / "house.backup")
    stray = tmp_path / "new" / "keno.db-wal"
    stray.parent.mkdir()
    stray.write_bytes(b"of another database")
    database = Database(f"sqlite:///{tmp_path / 'new' / 'keno.db'}")
    with refuses("backup.old_files"):
        restore(database, tmp_path / "house.backup", system_clock())
    assert not (tmp_path / "new" / "keno.db").exists()


def rewritten(file: Path, changed: Path, **changes: object) -> Path:
    """A backup whose manifest says something else."""
    with ZipFile(file) as archive, ZipFile(changed, "w") as other:
        document = json.loads(archive.read(MANIFEST)) | changes
        other.writestr(MANIFEST, json.dumps(document))
        other.writestr(PAYLOAD, archive.read(PAYLOAD))
    return changed


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"label": "something/else"}, "backup.unreadable"),
        ({"version": 2}, "backup.unreadable"),
        ({"engine": "abacus"}, "backup.unreadable"),
        ({"sha256": "00" * 32}, "backup.unreadable"),
        ({"revision": "2099_01_01_later"}, "backup.newer"),
        ({"house": "Another House"}, "backup.unreadable"),
        ({"log_root": "00" * 32}, "backup.unreadable"),
    ],
)
def test_what_is_not_what_it_says_is_not_restored(
    floor: Floor, tmp_path: Path, changes: dict[str, object], code: str
) -> None:
    back_up(floor.office, tmp_path / "house.backup")
    file = rewritten(tmp_path / "house.backup", tmp_path / "changed", **changes)
    with empty_database(floor) as database, refuses(code):
        restore(database, file, system_clock())


@pytest.mark.rule("X-recovery")
def test_a_backup_of_the_other_engine_is_not_restored(floor: Floor, tmp_path: Path) -> None:
    manifest = back_up(floor.office, tmp_path / "house.backup")
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[manifest.engine]
    file = rewritten(tmp_path / "house.backup", tmp_path / "changed", engine=other)
    with empty_database(floor) as database:
        with refuses("backup.other_engine"):
            restore(database, file, system_clock())
        assert copies.is_empty(database)


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("damage", ["torn", "flipped", "no file"])
def test_a_damaged_backup_is_not_restored(floor: Floor, tmp_path: Path, damage: str) -> None:
    floor.sell(floor.writing())
    back_up(floor.office, tmp_path / "house.backup")
    data = bytearray((tmp_path / "house.backup").read_bytes())
    if damage == "torn":
        del data[len(data) // 2 :]
    else:  # more than a bit: a run of zeros unpacks as itself, whichever zeros it is copied from
        for place in range(len(data) // 2, len(data) // 2 + 64):
            data[place] ^= 0xFF
    file = tmp_path / "damaged"
    if damage != "no file":
        file.write_bytes(data)
    with empty_database(floor) as database:
        with refuses("backup.unreadable"):
            restore(database, file, system_clock())
        assert copies.is_empty(database)


# ---- a restored house ----------------------------------------------------------------------------


@pytest.mark.rule("X-recovery")
def test_a_restored_house_waits_until_somebody_has_looked(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    floor.play()
    floor.sell(wanda)
    back_up(floor.office, tmp_path / "house.backup")
    with restored(floor, tmp_path / "house.backup") as again:
        number = len(rows(again, "SELECT 1 FROM ticket"))
        with refuses("log.entries_missing"):
            again.sell(wanda)
        with refuses("log.entries_missing"):
            again.void(wanda, 2)
        with refuses("log.entries_missing"):
            again.lock()
        assert len(rows(again, "SELECT 1 FROM ticket")) == number
        found = look_for_missing(again.office).missing
        assert found.is_complete
        again.sell(again.signed_in(WANDA))
        again.play()
        again.check_books()
        with again.office.database.reading() as connection:
            assert what_is_missing(connection) is None


@pytest.mark.rule("X-recovery", "15.5(a)-dual-key")
def test_the_inspector_notices_what_is_missing(floor: Floor, tmp_path: Path) -> None:
    wanda = floor.writing()
    floor.sell(wanda)
    manifest = back_up(floor.office, tmp_path / "house.backup")
    floor.sell(wanda, dollar(games=2))
    floor.play()
    known = floor.two_keys.newest_cosigned(floor.office.house.log_origin)
    with restored(floor, tmp_path / "house.backup") as again:
        found = look_for_missing(again.office).missing
        assert (found.size, found.known) == (manifest.log_size, known)
        assert found.entries > 0
        assert not found.is_complete
        assert "are missing" in found.words()
        with refuses("log.entries_missing"):
            again.sell(wanda)
        # Nothing gets a place that belongs to what is missing, whoever seals.
        seal_log(again.office)
        assert rows(again, "SELECT size FROM log_head") == [(manifest.log_size,)]


def test_a_manifest_has_every_field(floor: Floor, tmp_path: Path) -> None:
    manifest = back_up(floor.office, tmp_path / "house.backup")
    assert isinstance(manifest, Manifest)
    assert manifest.document().keys() >= {
        "engine", "revision", "house", "log_size", "log_root", "cosigned", "sha256",
    }  # fmt: skip
