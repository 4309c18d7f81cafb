"""The two roles of PostgreSQL, as the page for operators sets them up."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import DBAPIError

from app.cli import main
from app.clock import system_clock
from app.flow.backup import back_up, restore
from app.flow.going_on import TICKETS_LEFT_OUT
from app.flow.look_for import look_for_missing
from app.flow.office import Office
from app.flow.room import make_room
from app.store import schema, slimming
from app.store.copies import CannotCopy, scratch_database
from app.store.database import Database
from app.store.unit import Unit
from tests.floor import WANDA, Floor, tick
from tests.lending import address, drop_database
from tests.looking import refuses, rows
from tests.store.partitions import TICKETS, numbered

PAGE = Path(__file__).parent.parent.parent / "docs" / "keeping.md"
BLOCKS = re.findall(r"^```sql\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
SERVER, EACH_DATABASE, AFTERWARDS = BLOCKS


def run(url: str, block: str) -> None:
    """Run the statements of the page; roles are the server's, and may be there."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in block.split(";\n"):
            role = re.match(r"CREATE ROLE (\w+)", statement)
            known = text("SELECT 1 FROM pg_roles WHERE rolname = :role")
            if role and connection.execute(known, {"role": role[1]}).first():
                continue
            if statement.strip():
                connection.execute(text(statement))
    engine.dispose()


def of(role: str, url: str) -> str:
    return make_url(url).set(username=role).render_as_string(hide_password=False)


@contextmanager
def set_up(server: str, name: str) -> Iterator[str]:
    """The address of a database that was set up as the page says."""
    run(server, SERVER.replace("DATABASE keno ", f"DATABASE {name} "))
    url = address(server, name)
    run(of("keno_owner", url), EACH_DATABASE)
    yield url
    drop_database(server, name)


@pytest.mark.rule("X-recovery", "X-retention")
def test_a_house_works_is_backed_up_and_restored_under_the_roles_of_the_page(
    postgres: str, tmp_path: Path
) -> None:
    with set_up(postgres, "keno_first") as url, set_up(postgres, "keno_again") as new_url:
        owner = Database(of("keno_owner", url))
        schema.upgrade(owner)
        with owner.reading() as connection:
            assert slimming.can_replace(Unit(owner, connection))
        floor = Floor.opened(of("keno_house", url), tmp_path)
        wanda = floor.writing()
        floor.sell(wanda)
        floor.play()
        file = tmp_path / "house.backup"
        back_up(floor.office, file)
        # The house makes no database to try it in, and fills none.
        refused = pytest.raises(CannotCopy, match="no database could be made")
        with refused, scratch_database(floor.office.database, tmp_path):
            pass
        with scratch_database(owner, tmp_path) as scratch:
            tried = Database(scratch)
            restore(tried, file, system_clock())
            tried.close()
        house_again = Database(of("keno_house", new_url), lambda: tick(floor.moment))
        with refuses("backup.not_copied"):
            restore(house_again, file, system_clock())
        owner_again = Database(of("keno_owner", new_url))
        restore(owner_again, file, system_clock())
        old = floor.office
        office = Office(house_again, old.keys, old.keyed, hasher=old.hasher)
        again = Floor(office, dict(floor.enrolments), floor.moment, floor.ceremony, floor.keyed)
        again.stations.update(floor.stations)
        again._ids = floor._ids  # noqa: SLF001  the stations go on counting
        look_for_missing(office)
        wanda = again.signed_in(WANDA)
        assert again.sell(wanda)["number"] == 1 + TICKETS_LEFT_OUT + 1
        again.check_books()
        for database in (owner, owner_again, house_again):
            database.close()
        floor.close()


@pytest.mark.rule("X-recovery")
def test_a_database_that_was_set_up_otherwise_gets_the_same_rights(
    postgres: str, tmp_path: Path
) -> None:
    with set_up(postgres, "keno_other") as url:
        taken_back = EACH_DATABASE.replace("GRANT", "REVOKE").replace(" TO ", " FROM ")
        run(of("keno_owner", url), taken_back)
        owner = Database(of("keno_owner", url))
        schema.upgrade(owner)
        house = Database(of("keno_house", url))
        with house.reading() as connection, pytest.raises(DBAPIError, match="permission denied"):
            connection.execute(text("SELECT count(*) FROM ticket"))
        run(of("keno_owner", url), AFTERWARDS)
        floor = Floor.opened(of("keno_house", url), tmp_path)
        back_up(floor.office, tmp_path / "house.backup")
        # A partition that is made later has the rights of its table, whatever is the default.
        wanda = floor.writing()
        numbered(floor, TICKETS - 1)
        floor.sell(wanda)
        assert make_room(floor.office) == 2
        back_up(floor.office, tmp_path / "later.backup")
        granted = "SELECT relacl::text FROM pg_class WHERE oid = CAST(:name AS regclass)"
        for name in ("ticket", "tender"):
            assert rows(floor, granted, name=f"{name}_2") == rows(floor, granted, name=name)
        floor.close()
        house.close()
        owner.close()


@pytest.mark.rule("X-recovery")
def test_a_restore_into_a_database_without_rights_says_what_to_grant(
    postgres: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with set_up(postgres, "keno_whole") as url, set_up(postgres, "keno_bare") as new_url:
        owner = Database(of("keno_owner", url))
        schema.upgrade(owner)
        floor = Floor.opened(of("keno_house", url), tmp_path)
        file = tmp_path / "house.backup"
        back_up(floor.office, file)
        floor.close()
        owner.close()
        taken_back = EACH_DATABASE.replace("GRANT", "REVOKE").replace(" TO ", " FROM ")
        run(of("keno_owner", new_url), taken_back)
        for name, value in {
            "KENO_DATABASE": of("keno_house", new_url),
            "KENO_ARCHIVE_DATABASE": of("keno_owner", new_url),
            "KENO_KEYS": str(tmp_path / "keys"),
            "KENO_PUBLIC": str(tmp_path / "public"),
        }.items():
            monkeypatch.setenv(name, value)
        assert main(["restore", str(file)]) == 1
        told = capsys.readouterr().out
        assert "Restored: " in told
        granted = re.findall(r"GRANT .*? TO keno_house(?=;)", told)
        assert granted == re.findall(r"GRANT .*? TO keno_house(?=;)", AFTERWARDS)
        assert told.endswith("Then `keno log missing`.\n")
        # They are granted, and it is as if they had been there.
        run(of("keno_owner", new_url), "".join(f"{each};\n" for each in granted))
        assert main(["log", "missing"]) == 3
        assert "permission denied" not in capsys.readouterr().err
