"""The file of a SQLite database is its owner's alone: all of a house is in it."""

from pathlib import Path

import pytest

from app.store import schema
from app.store.copies import copy_in, copy_out
from app.store.database import Database
from tests.floor import NOON


def modes(folder: Path) -> dict[str, str]:
    return {each.name: f"{each.stat().st_mode & 0o777:o}" for each in folder.iterdir()}


@pytest.mark.rule("X-access")
def test_a_database_file_is_made_for_its_owner_alone_with_all_that_is_beside_it(
    tmp_path: Path,
) -> None:
    house, copies = tmp_path / "house", tmp_path / "copies"
    house.mkdir()
    copies.mkdir()
    database = Database(f"sqlite:///{house / 'keno.db'}")
    schema.upgrade(database)
    assert modes(house) == dict.fromkeys(("keno.db", "keno.db-wal", "keno.db-shm"), "600")
    with database.reading() as connection:
        copy_out(connection, copies / "copy", lambda _: None)
    assert modes(copies) == {"copy": "600"}
    database.close()
    (copies / "copy").chmod(0o644)  # as another program has put it there
    placed = tmp_path / "placed"
    placed.mkdir()
    restored = Database(f"sqlite:///{placed / 'keno.db'}")
    copy_in(restored, copies / "copy", 0, NOON)
    restored.close()
    assert set(modes(placed).values()) == {"600"}


@pytest.mark.rule("X-access")
def test_a_database_file_from_before_that_others_could_read_is_closed_to_them(
    tmp_path: Path,
) -> None:
    for end in ("", "-wal"):
        (tmp_path / f"keno.db{end}").touch(0o644)
        (tmp_path / f"keno.db{end}").chmod(0o644)
    database = Database(f"sqlite:///{tmp_path / 'keno.db'}")
    with database.reading():
        assert set(modes(tmp_path).values()) == {"600"}
    database.close()
