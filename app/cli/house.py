"""The `keno` commands that work on the house: database, founding, cards, games, log, books.

Whoever acts gives a name (`--as`) and a secret, asked for at the terminal or read as one line of
standard input; what they do is logged as theirs, at the console.
"""

import argparse
import getpass
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from app.audit.books import check_books
from app.audit.checkpoints import checkpoint_of
from app.audit.faults import Fault
from app.audit.log_check import check_log
from app.cli.answers import DONE, FAULT, Answer, BadUsage
from app.clock import time_text
from app.entropy import system_entropy
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.found_house import HousePlan, LocationPlan, SeriesPlan, StaffPlan, found_house
from app.flow.keys import KeysMissing, make_keys, read_keys
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.permissions import Permission
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.seal import seal_log
from app.settings import BadSettings, Settings, read_settings
from app.store import schema
from app.store.database import Database
from app.store.tables import LocationKind, Role


def upgrade_database(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno database upgrade`: bring the database to the revision of this software."""
    with closing(Database(_settings().database)) as database:
        schema.upgrade(database)
        revision = schema.revision_of(database)
    return Answer({"revision": revision}, lambda: f"The database is at {revision}.")


def make_house_keys(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno house keys`: make the keys of the back office, in a folder of their own."""
    folder = _settings().keys
    try:
        make_keys(folder, system_entropy)
    except FileExistsError as there:
        raise BadUsage(f"{there.filename} is there already, and is never replaced") from None
    return Answer({"keys": str(folder)}, lambda: f"The keys are in {folder}.")


def found(options: argparse.Namespace) -> Answer:
    """`keno house found PLAN`: found the house that a plan describes."""
    try:
        plan = read_plan(tomllib.loads(Path(options.plan).read_text()))
    except (OSError, ValueError, KeyError, TypeError) as trouble:
        raise BadUsage(f"the plan cannot be used: {trouble}") from None
    with _office() as office:
        enrolments = found_house(office, plan)
    stations = [{"code": code, "enrolment": secret} for code, secret in enrolments.items()]
    lines = [f"{station['code']:>8}  {station['enrolment']}" for station in stations]
    return Answer(
        {"stations": stations},
        lambda: "\n".join([f"{plan.name} is founded. Each station enrols with its code:", *lines]),
    )


def bring(options: argparse.Namespace) -> Answer:
    """`keno card bring FILE`: bring a new version of the rate card."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_BRING)
        digest = bring_card(office, actor, Path(options.file).read_bytes()).hex()
    return Answer({"card": digest}, lambda: f"The card is {digest}; two must accept it.")


def accept(options: argparse.Namespace) -> Answer:
    """`keno card accept HASH`: accept a version, as a supervisor or as a manager outside keno."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_ACCEPT)
        accept_card(office, actor, _digest(options.card))
    return Answer({"card": options.card}, lambda: f"{actor.code} has accepted the card.")


def force(options: argparse.Namespace) -> Answer:
    """`keno card force HASH --from TIME`: publish a version, and from when it holds."""
    since = _moment(options.since) if options.since else None
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_BRING)
        moment = time_text(put_in_force(office, actor, _digest(options.card), since))
    document = {"card": options.card, "effective_at": moment}
    return Answer(document, lambda: f"The card holds from {moment} on.")


def open_the_game(options: argparse.Namespace) -> Answer:
    """`keno game open SERIES`: open the first game of a series, or the next if none is open."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.GAME_RUN)
        name = f"{options.series}-{open_first_game(office, actor, options.series)}"
    return Answer({"opened": name}, lambda: f"Game {name} is open.")


def lock_the_game(options: argparse.Namespace) -> Answer:
    """`keno game lock SERIES`: lock the open game of a series; the next one opens."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.GAME_RUN)
        number = lock_game(office, actor, options.series, options.game)
    locked, opened = f"{options.series}-{number}", f"{options.series}-{number + 1}"
    document = {"locked": locked, "opened": opened}
    return Answer(document, lambda: f"Game {locked} is locked, {opened} is open.")


def seal_the_log(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log seal`: give every entry its place, and sign the head."""
    with _founded_office() as office:
        note = seal_log(office)
    return Answer({"note": note}, lambda: note)


def verify_log(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log verify`: work out the whole log again."""
    with _founded_office() as office:
        note, key = seal_log(office), office.keys.log.public_key()
        with office.database.reading() as connection:
            faults = list(check_log(connection, office.house.log_origin, key))
    head = checkpoint_of(note)
    document = {"size": head.size, "root": head.root.hex(), "faults": _faults(faults)}
    told = f"The log has {head.size} entries; its root is {head.root.hex()}."
    return Answer(document, lambda: _told(told, faults), FAULT if faults else DONE)


def show_books(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno books`: work out the whole state again, from stored facts."""
    with _founded_office() as office, office.database.reading() as connection:
        key = office.keys.log.public_key()
        found_faults = check_books(connection, office.house.log_origin, key)
    faults = [fault for each in found_faults.values() for fault in each]
    document = {"checks": {check: _faults(each) for check, each in found_faults.items()}}
    lines = [
        f"{check:<12} {'ok' if not each else f'{len(each)} faults'}"
        for check, each in found_faults.items()
    ]
    return Answer(document, lambda: _told("\n".join(lines), faults), FAULT if faults else DONE)


# ---- the plan of a house -------------------------------------------------------------------------


def read_plan(document: Mapping[str, Any]) -> HousePlan:
    """Return the house that a plan describes.

    Raises:
        KeyError, ValueError, TypeError: it lacks something, or says something that cannot be.
    """
    return HousePlan(
        name=document["name"],
        jurisdiction=document["jurisdiction"],
        log_origin=document["log_origin"],
        time_zone=document["time_zone"],
        day_starts_minutes=document["day_starts_minutes"],
        demonstration=document.get("demonstration", False),
        series=tuple(
            SeriesPlan(each["code"], each["name"], each.get("first_game", 1))
            for each in document["series"]
        ),
        locations=tuple(
            LocationPlan(
                each["code"],
                LocationKind(each["kind"]),
                each["name"],
                tuple(each["series"]),
                tuple(each["stations"]),
            )
            for each in document["locations"]
        ),
        staff=tuple(
            StaffPlan(each["code"], each["name"], Role(each["role"]), each["secret"])
            for each in document["staff"]
        ),
    )


# ---- who acts, and where -------------------------------------------------------------------------


def _settings() -> Settings:
    try:
        return read_settings(os.environ)
    except BadSettings as faults:
        raise BadUsage(str(faults)) from None


@contextmanager
def _office() -> Iterator[Office]:
    """Give out the office whose settings are in the environment."""
    settings = _settings()
    try:
        keys = read_keys(settings.keys)
    except KeysMissing as missing:
        raise BadUsage(str(missing)) from None
    with closing(Database(settings.database)) as database:
        found_at, wanted = schema.revision_of(database), schema.newest_revision()
        if found_at != wanted:
            raise BadUsage(f"the database is at {found_at}, not {wanted}; `keno database upgrade`")
        yield Office(database, keys)


@contextmanager
def _founded_office() -> Iterator[Office]:
    with _office() as office:
        if office.find_house() is None:
            raise BadUsage("the house was not founded yet; `keno house found PLAN`")
        yield office


def _actor(office: Office, options: argparse.Namespace, permission: Permission) -> Actor:
    asked = f"Secret of {options.name}: "
    secret = getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    return at_console(office, options.name, secret, permission)


def _digest(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadUsage("a card is named by its hash, in hexadecimal") from None


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadUsage(f"{text!r} is no time; write 2026-12-01T06:00-05:00") from None
    if moment.tzinfo is None:
        raise BadUsage(f"{text!r} has no time zone; write 2026-12-01T06:00-05:00")
    return moment


def _faults(faults: Sequence[Fault]) -> list[dict[str, str]]:
    return [{"code": fault.check, "message": fault.message} for fault in faults]


def _told(text: str, faults: Sequence[Fault]) -> str:
    lines = [f"{fault.check}: {fault.message}" for fault in faults] or ["No faults."]
    return "\n".join([text, *lines])
