"""The drill as it stands on the page for operators, command by command, on both engines."""

import os
import re
import shlex
import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from app.audit.entry_copies import EntryCopy, entry_line
from app.caller import Caller
from app.cli import keeping, main
from app.cli.console import founded_office
from app.flow.refusals import No, say_no
from app.store import copies
from app.store.database import Database
from app.store.queries import log
from tests.floor import MAX, SAM
from tests.house_commands import CARD, PLAN, Console, choose_secrets, short_folder
from tests.keyed import real_processes
from tests.lending import address, drop_database, new_database

PAGE = Path(__file__).parents[2] / "docs" / "keeping.md"
DEPLOY = Path(__file__).parents[2] / "deploy"


@pytest.fixture
def console(
    empty_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Console:
    return Console(empty_url, tmp_path, monkeypatch, capsys)


def found_house(console: Console, folder: Path) -> None:
    plan = folder / "plan.toml"
    plan.write_text(PLAN)
    for command in (("database", "upgrade"), ("house", "keys"), ("house", "found", str(plan))):
        assert console.keno(*command)[0] == 0
    choose_secrets(console)
    digest = str(console.keno("card", "bring", str(CARD), name=SAM)[1]["card"])
    for name in (SAM, MAX):
        assert console.keno("card", "accept", digest, name=name)[0] == 0
    assert console.keno("card", "force", digest, name=SAM)[0] == 0
    assert console.keno("house", "terms")[0] == 0


def entries_at(url: str) -> Iterator[EntryCopy]:
    database = Database(url)
    with database.reading() as connection:
        for entry in log.entries(connection):
            if entry.position is not None:
                yield EntryCopy(entry.position, entry.leaf, entry.tag, entry.salt, entry.body)
    database.close()


def play(console: Console) -> None:
    """Lock a game, and have it drawn by a caller that takes a few turns."""
    take_turns()
    assert console.keno("game", "lock", "M", name=SAM)[0] == 0
    take_turns()


def take_turns() -> None:
    """What `keno caller` does until it is told to stop."""
    with founded_office() as office:
        assert office.keyed is not None
        caller = Caller(office, office.keyed, "drill")
        for _ in range(3):
            caller.turn()
            caller.finish_grading()


@pytest.mark.rule("X-recovery")
def test_a_backup_whose_trial_was_disturbed_is_not_called_faulty(
    console: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_house(console, tmp_path)
    file = str(tmp_path / "house.backup")
    assert console.keno("backup", "--out", file)[0] == 0

    def not_copied(*_: object) -> None:
        raise say_no(No.NOT_COPIED, why="the line was lost")

    def away(*_: object) -> None:
        raise OperationalError("SELECT 1", {}, psycopg.OperationalError("the server is gone"))

    def full(*_: object) -> None:
        fault = sqlite3.OperationalError("database or disk is full")
        fault.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise OperationalError("SELECT 1", {}, fault)

    since = count()
    with monkeypatch.context() as disturbed:
        disturbed.setattr(keeping, "check_books", full)
        assert console.keno("backup", "check", file)[0] == 5
    with monkeypatch.context() as disturbed:
        disturbed.setattr(keeping, "restore", not_copied)
        assert console.keno("backup", "check", file)[0] == 3  # nothing else was wrong
        disturbed.setattr(keeping, "serving_since", lambda _database: next(since))
        assert console.keno("backup", "check", file)[0] == 5  # a server that is another one now
    with monkeypatch.context() as disturbed:
        disturbed.setattr(keeping, "note_checked", away)
        assert console.keno("backup", "check", file, "--record")[0] == 5
    assert console.keno("backup", "check", file, "--record")[0] == 0


# What pg_restore says that gives up, and how the trial then ends.
RESTORING = """#!/bin/sh
case " $* " in *' --single-transaction '*) cat "{said}" >&2; exit 1 ;; esac
exec {real} "$@"
"""
SAID = {
    """pg_restore: error: COPY failed for table "t": ERROR:  could not extend file "base/1/2": \
No space left on device
HINT:  Check free disk space.
""": 5,
    """pg_restore: while PROCESSING TOC:
pg_restore: from TOC entry 3476; 1259 16391 INDEX i keno
pg_restore: error: could not execute query: ERROR:  could not write to file "base/pgsql_tmp/1": \
No space left on device
""": 5,
    """pg_restore: error: could not execute query: ERROR:  out of memory
DETAIL:  Failed on request of size 1048576 in memory context "ExprContext".
""": 5,
    """pg_restore: error: connection to server on socket "/run/postgresql/.s.PGSQL.5433" failed: \
FATAL:  could not write init file
""": 5,
    """pg_restore: error: COPY failed for table "t": FATAL:  terminating connection due to \
administrator command
""": 5,
    """pg_restore: while PROCESSING TOC:
pg_restore: from TOC entry 3477; 2606 16395 CONSTRAINT t t_pkey keno
pg_restore: error: could not execute query: ERROR:  could not create unique index "t_pkey"
DETAIL:  Key (i)=(1) is duplicated.
""": 3,
}


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("empty_url", ["postgresql"], indirect=True)
def test_a_trial_server_that_lacks_room_or_goes_condemns_no_backup(
    console: Console,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the words of a PostgreSQL 15 whose disk was full; no test fills one."""
    found_house(console, tmp_path)
    file = str(tmp_path / "house.backup")
    assert console.keno("backup", "--out", file)[0] == 0
    said = tmp_path / "said"
    program = tmp_path / "bin/pg_restore"
    program.parent.mkdir()
    program.write_text(RESTORING.format(said=said, real=copies._found("pg_restore")))  # noqa: SLF001
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    for words, code in SAID.items():
        said.write_text(words.replace("\\\n", ""))
        assert (console.keno("backup", "check", file)[0], words) == (code, words)


@pytest.mark.proof
@pytest.mark.rule("X-recovery", "X-audit-log")
def test_the_drill_on_the_page(
    console: Console, empty_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    found_house(console, tmp_path)
    file = str(tmp_path / "house.backup")
    with short_folder() as folder, real_processes(folder, tmp_path / "public") as settings:
        console.set(settings)
        opened = console.keno("game", "open", "M", name=SAM)
        assert opened == (0, {"opened": "M-1"})
        code, made = console.keno("backup", "--out", file)
        assert (code, made["house"]) == (0, "Paper House")
        assert console.keno("backup", "--out", file)[0] == 3  # it is there already
        assert console.keno("backup")[0] == 2
        code, checked = console.keno("backup", "check", file)
        assert (code, checked["faults"]) == (0, [])
        play(console)
        play(console)
        copy = tmp_path / "entries.jsonl"
        copy.write_text("".join(entry_line(each) for each in entries_at(empty_url)))
        url = new_url(empty_url, tmp_path, request)
        console.set({"KENO_DATABASE": url})
        assert console.keno("restore", str(tmp_path / "nothing"))[0] == 3
        code, restored = console.keno("restore", file)
        assert code == 0
        assert restored["missing"]["complete"] is False  # type: ignore[index]
        assert console.keno("restore", file)[0] == 3  # the database is not empty any more
        assert console.keno("game", "lock", "M", name=SAM)[0] == 3
        code, missing = console.keno("log", "missing")
        assert code == 1
        assert int(str(missing["missing"])) > 0
        refill = ("log", "refill", "--with", MAX)
        assert console.keno(*refill, str(tmp_path / "nowhere"), name=SAM)[0] == 2
        code, refilled = console.keno(*refill, str(copy), name=SAM)
        assert (code, refilled["lost"]) == (0, [])
        assert console.keno(*refill, str(copy), name=SAM)[0] == 3  # nothing is missing any more
        assert console.keno("log", "lost") == (0, {"lost": []})
        assert console.keno("log", "missing")[0] == 0
        assert console.keno("log", "missing", name=SAM)[0] == 2  # two say so, or nobody
        assert console.keno("log", "missing", "--with", MAX, name=SAM)[0] == 0
        assert console.keno("books")[0] == 0
        ending = ("log", "end-hold", "--reason", "all papers compared", "--with", MAX)
        assert console.keno(*ending, name=SAM) == (0, {"last_number": 0})
        assert console.keno(*ending, name=SAM)[0] == 3  # no ticket is held any more
        play(console)
        assert console.keno("books")[0] == 0
        _settle_and_archive(console, tmp_path)


def _settle_and_archive(console: Console, folder: Path) -> None:
    retention = ("house", "retention", "access", "--with", MAX)
    assert console.keno(*retention, "400", name=SAM)[1] == {"kind": "access", "days": 400}
    assert console.keno(*retention, "30", name=SAM)[0] == 3
    kinds = console.keno("house", "records")[1]["kinds"]
    assert {"kind": "access", "days": 400, "least": 366} in kinds  # type: ignore[operator]
    old = ("archive", "--before", "2020-01-01", "--out", str(folder / "a"), "--with", MAX)
    assert console.keno(*old, name=SAM)[0] == 3  # there is nothing so old
    assert console.keno("books", "--archive", str(folder / "a"))[0] == 2


def new_url(url: str, folder: Path, request: pytest.FixtureRequest) -> str:
    """The address of a new and empty database, of the same engine."""
    if url.startswith("sqlite"):
        return f"sqlite:///{folder / 'restored.db'}"
    server: str = request.getfixturevalue("postgres")
    name = new_database(server)
    request.addfinalizer(lambda: drop_database(server, name))
    return address(server, name)


def commands_on_the_page() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line]


@pytest.mark.parametrize("command", commands_on_the_page())
def test_every_command_on_the_page_is_one(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Read by the program's own parser; what it does is tested above, and in the other files."""
    words = shlex.split(command)
    if words[0] == "deploy/on-a-copy":
        words = ["keno", *words[2:]]  # by a version, which comes first
    if words[0] in {"systemctl", "runuser", "install", "rm"}:
        return  # what an installed machine is told besides is looked at below
    assert words[0] == "keno"
    monkeypatch.setenv("KENO_KEYS", "/nowhere")
    monkeypatch.setenv("KENO_DATABASE", "sqlite:////nowhere/keno.db")
    wanted = {1} if words[1] == "database" else {2, 3}
    assert main(words[1:]) in wanted  # it is understood, and there is no house here
    assert "usage:" not in capsys.readouterr().err


@pytest.mark.rule("X-recovery")
def test_a_house_is_restored_on_installed_machines_while_nothing_of_it_runs() -> None:
    lines = commands_on_the_page()
    begins = next(place for place, line in enumerate(lines) if line.startswith("systemctl stop"))
    stopped = set(lines[begins].split()[2:])
    units = DEPLOY / "systemd"
    house = {file.stem for file in units.glob("*.service") if "PartOf=keno" in file.read_text()}
    timers = {name for name in stopped if name.endswith(".timer")}
    assert all((units / name).exists() for name in timers)
    # What a timer has started before would still be connected, and its database keep its name.
    running = {name.removesuffix(".timer") for name in timers}
    assert stopped == house | timers | running
    began = [name for name in lines[begins].split()[2:] if name not in running]
    steps = (
        "ALTER DATABASE keno RENAME TO keno_before' && runuser ",  # if not, no other is made
        "/deploy/postgresql/roles.sql",
        "/etc/keno/owner/owner.env",
        "/etc/keno/owner/keno_owner.pem",
        "/etc/keno/owner/keno_owner.key",
        "keno restore /var/backups/keno/",
        "rm -r /etc/keno/owner/",
        f"systemctl start {' '.join(began)}",
        "systemctl start keno-web keno-feed keno-caller keno-spooler",
    )
    left = iter(lines[begins:])
    for step in steps:
        assert any(step in line for line in left), step
