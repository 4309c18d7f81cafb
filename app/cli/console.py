"""Who acts at the console, and on which house: what all commands of the house have in common."""

import argparse
import getpass
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from pwd import getpwuid

from app.audit.archives import Shelf, read_archive, read_shelf
from app.audit.entry_copies import NotACopy
from app.audit.faults import Fault
from app.cli.answers import BadUsage
from app.flow.access import at_console
from app.flow.actor import Actor, Sitting
from app.flow.keys import KeysMissing
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.house import EVERYTHING, Needs, open_office
from app.settings import BadSettings, Settings, read_settings
from app.store import schema
from app.store.database import Database

LOGIN = Path("/proc/self/loginuid")


def typed_settings() -> Settings:
    """Return the settings in the environment."""
    try:
        return read_settings(os.environ)
    except BadSettings as faults:
        raise BadUsage(str(faults)) from None


@contextmanager
def some_office(needs: Needs = EVERYTHING) -> Iterator[Office]:
    """Give out the office whose settings are in the environment."""
    try:
        office = open_office(typed_settings(), needs=needs)
    except KeysMissing as missing:
        raise BadUsage(str(missing)) from None
    with closing(office):
        found_at, wanted = schema.revision_of(office.database), schema.newest_revision()
        if found_at != wanted:
            raise BadUsage(f"the database is at {found_at}, not {wanted}; `keno database upgrade`")
        yield office


@contextmanager
def founded_office(needs: Needs = EVERYTHING) -> Iterator[Office]:
    """Give out the office of a house that was founded."""
    with some_office(needs) as office:
        if office.find_house() is None:
            raise BadUsage("the house was not founded yet; `keno house found PLAN`")
        yield office


def owned_database() -> Database:
    """Return the database by the role that owns its tables, if there is one of its own."""
    settings = typed_settings()
    return Database(settings.archive_database or settings.database)


def whoever_sits_here() -> Sitting:
    """Return who has the console, as far as the machine knows: as whom they once logged in.

    What runs as user `keno` was mostly started by somebody else, which `runuser` does not hide.
    """
    with suppress(OSError, ValueError, KeyError):
        return Sitting(getpwuid(int(LOGIN.read_text())).pw_name)
    try:
        return Sitting(getpass.getuser())
    except (OSError, KeyError):  # of a user who has no name there is the number
        return Sitting(str(os.getuid()))


def actor(office: Office, options: argparse.Namespace, permission: Permission) -> Actor:
    """Return who acts (`--as`), for one act."""
    return let_in(office, options.name, permission)


def let_in(office: Office, name: str, permission: Permission) -> Actor:
    """Return a person who gives their secret, for one act."""
    return at_console(office, name, ask_secret(f"Secret of {name}: "), permission)


def ask_secret(asked: str) -> str:
    """Return a secret that is typed and not shown, or the next line of standard input."""
    return getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")


def new_secret(name: str) -> str:
    """Return a secret that somebody has made up: at the terminal it is typed twice.

    Refuses: two that are not the same; nobody sees what is typed.
    """
    made_up = ask_secret(f"New secret of {name}: ")
    if sys.stdin.isatty() and ask_secret("Once more: ") != made_up:
        raise say_no(No.SECRETS_DIFFER)
    return made_up


def a_day(text: str) -> date:
    """Return a day as it is typed."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadUsage("a day is written as 2026-12-01") from None


def faults_document(faults: Sequence[Fault]) -> list[dict[str, str]]:
    """Return what checks have found, as a document."""
    return [{"code": fault.check, "message": fault.message} for fault in faults]


def told_faults(text: str, faults: Sequence[Fault]) -> str:
    """Return what checks have found, for people."""
    lines = [f"{fault.check}: {fault.message}" for fault in faults] or ["No faults."]
    return "\n".join([text, *lines])


def archives_at_hand(named: Sequence[str]) -> Shelf:
    """Return the archives that are named, and those in the folder of the settings.

    What is named and is no archive was typed wrongly; what lies in the folder is a finding.
    """
    folder = typed_settings().archives
    shelf = read_shelf(folder) if folder is not None and folder.is_dir() else Shelf([])
    try:
        return replace(shelf, files=[*map(read_archive, map(Path, named)), *shelf.files])
    except NotACopy as fault:
        raise BadUsage(str(fault)) from None
