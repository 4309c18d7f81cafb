"""The `keno` commands that work on the house: database, founding, cards, games, log, books.

Whoever acts gives a name (`--as`) and a secret, asked for at the terminal or read as one line of
standard input; what they do is logged as theirs, at the console.
"""

import argparse
import asyncio
import getpass
import logging
import os
import signal
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

from app.audit.books import check_books
from app.audit.checkpoints import checkpoint_of
from app.audit.faults import Fault
from app.audit.log_check import check_log
from app.caller import Caller
from app.cli.answers import DONE, FAULT, Answer, BadUsage
from app.clock import time_text
from app.entropy import system_entropy
from app.feed import Feed
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.close_day import close_day, so_far
from app.flow.draw import ask_to_void
from app.flow.found_house import HousePlan, LocationPlan, SeriesPlan, StaffPlan, found_house
from app.flow.house_amounts import set_amount
from app.flow.keys import KeysMissing, make_keys
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer
from app.flow.rate_cards import accept_card, bring_card, put_in_force
from app.flow.release import release_game
from app.flow.schedule import change_schedule
from app.flow.seal import seal_log
from app.house import open_office
from app.keno.amounts import Amount, Dated
from app.keno.money import dollars
from app.rng_client import publish_terms
from app.settings import BadSettings, Settings, read_settings
from app.software import manifest, software_hash
from app.spooler import Spooler
from app.store import schema
from app.store.database import Database
from app.store.queries import running
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


def publish(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno house terms`: bring the house to the key ceremony, in the public folder."""
    folder = _settings().public
    with _founded_office() as office:
        house, keys = office.house, office.keys
        with office.database.reading() as connection:
            series = {each.code: each.first_game for each in running.all_series(connection)}
        terms = (house.name, house.jurisdiction, house.log_origin)
        publish_terms(folder, *terms, series, {"office": keys.office, "log": keys.log})
    return Answer({"public": str(folder)}, lambda: f"Terms and public keys are in {folder}.")


def change_series(options: argparse.Namespace) -> Answer:
    """`keno game every SERIES SECONDS`: have the games of a series close by themselves."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.GAME_RUN)
        hours = (options.opens, options.closes)
        change_schedule(office, actor, options.series, options.seconds or None, *hours)
    document = {"series": options.series, "interval_seconds": options.seconds or None}
    how = f"every {options.seconds} seconds" if options.seconds else "by hand"
    return Answer(document, lambda: f"The games of {options.series} are locked {how}.")


def close_the_game(options: argparse.Namespace) -> Answer:
    """`keno game close SERIES --game N [--at TIME]`: override when the open game closes."""
    closes_at = _moment(options.at) if options.at else None
    name = f"{options.series}-{options.game}"
    with _founded_office() as office:
        actor = _actor(office, options, Permission.GAME_RUN)
        which = (options.series, options.game)
        override_close(office, actor, *which, closes_at, options.reason)
    document = {"game": name, "closes_at": closes_at and time_text(closes_at)}
    when = f"closes at {document['closes_at']}" if closes_at else "stays open until it is said"
    return Answer(document, lambda: f"Game {name} {when}.")


def void_the_game(options: argparse.Namespace) -> Answer:
    """`keno game void SERIES --game N`: ask for a locked game to be voided."""
    name = f"{options.series}-{options.game}"
    with _founded_office() as office:
        actor = _actor(office, options, Permission.GAME_RUN)
        ask_to_void(office, actor, options.series, options.game, options.reason)
    return Answer({"game": name}, lambda: f"Game {name} is to be voided, if it has no mark.")


def close_a_day(options: argparse.Namespace) -> Answer:
    """`keno day close DAY`: close a gaming day, with its figures."""
    day = _day(options.day)
    with _founded_office() as office:
        actor = _actor(office, options, Permission.DAY_CLOSE)
        closed = close_day(office, actor, day)
        closed |= so_far(office, day)
    return Answer(closed, lambda: f"Gaming day {options.day} is closed.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadUsage("a day is written as 2026-12-01") from None


def set_an_amount(options: argparse.Namespace) -> Answer:
    """`keno house amount NAME CENTS --from DAY --with NAME`: be stricter than the rule."""
    dated = Dated(Amount(options.amount), _day(options.since), options.cents)
    with _founded_office() as office:
        supervisor = _actor(office, options, Permission.AMOUNT_SET)
        manager = _let_in(office, options.manager, Permission.AMOUNT_SET)
        set_amount(office, supervisor, manager, dated)
    document = {"amount": dated.name.value, "from": options.since, "cents": dated.cents}
    text = f"{dated.name.value} is {dollars(dated.cents)} from {options.since} on."
    return Answer(document, lambda: text)


def release_the_game(options: argparse.Namespace) -> Answer:
    """`keno game release SERIES --game N --with NAME`: have a frozen game graded again."""
    name = f"{options.series}-{options.game}"
    with _founded_office() as office:
        supervisor = _actor(office, options, Permission.GAME_RUN)
        manager = _let_in(office, options.manager, Permission.GAME_RELEASE)
        which = (options.series, options.game, options.reason)
        release_game(office, supervisor, manager, *which)
    return Answer({"game": name}, lambda: f"Game {name} is graded again.")


def tell_the_games(options: argparse.Namespace) -> Answer:
    """`keno feed`: tell boards and stations what happens, until told to stop."""

    async def serve(office: Office) -> None:
        _outlive_peers()
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        await Feed(office).serve(options.host, options.port, stop)

    with _founded_office() as office:
        asyncio.run(serve(office))
    return Answer({"stopped": "feed"}, lambda: "The feed has stopped.")


def show_manifest(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno manifest`: every source file with its hash, as sha256sum reads it."""
    text = manifest()
    return Answer({"hash": software_hash(), "manifest": text}, text.rstrip)


def call_the_games(options: argparse.Namespace) -> Answer:
    """`keno caller`: run the games by themselves until told to stop."""
    _outlive_peers()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    with _founded_office() as office:
        if office.keyed is None:
            raise BadUsage("the keyed processes are not set up")
        Caller(office, office.keyed, options.name).run(stop)
    return Answer({"stopped": options.name}, lambda: f"{options.name} has stopped.")


def set_a_printer(options: argparse.Namespace) -> Answer:
    """`keno printer set`: add a printer or move it, and say who prints on it."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.PRINTER_MANAGE)
        plan = PrinterPlan(options.code, options.address, options.roll, options.station)
        set_printer(office, actor, plan)
    document = {"printer": plan.code, "address": plan.address, "roll": plan.roll}
    return Answer(document, lambda: f"Printer {plan.code} is at {plan.address}.")


def print_the_paper(options: argparse.Namespace) -> Answer:
    """`keno spooler`: take paper to the printers until told to stop."""
    _outlive_peers()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    with _founded_office() as office:
        Spooler(office, options.name).run(stop)
    return Answer({"stopped": "spooler"}, lambda: "The spooler has stopped.")


def _outlive_peers() -> None:
    """Go on when a peer hangs up: other commands end when their reader has had enough."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def seal_the_log(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log seal`: give every entry its place, and sign the head."""
    with _founded_office() as office:
        note = seal_log(office)
    return Answer({"note": note}, lambda: note)


def verify_log(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log verify`: work out the whole log again."""
    with _founded_office() as office:
        note, key = seal_log(office), office.keys.log.public_key()
        with office.database.reading(at_length=True) as connection:
            faults = list(check_log(connection, office.house.log_origin, key))
    head = checkpoint_of(note)
    document = {"size": head.size, "root": head.root.hex(), "faults": _faults(faults)}
    told = f"The log has {head.size} entries; its root is {head.root.hex()}."
    return Answer(document, lambda: _told(told, faults), FAULT if faults else DONE)


def show_books(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno books`: work out the whole state again, from stored facts."""
    with _founded_office() as office, office.database.reading(at_length=True) as connection:
        key = office.keys.log.public_key()
        draw_keys = office.keyed.public_keys() if office.keyed else {}
        found_faults = check_books(connection, office.house.log_origin, key, draw_keys)
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
    if not (document["name"].isascii() and document["name"].isprintable()):
        raise ValueError("the name of the house goes on paper: it has plain letters")
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
    try:
        office = open_office(_settings())
    except KeysMissing as missing:
        raise BadUsage(str(missing)) from None
    with closing(office):
        found_at, wanted = schema.revision_of(office.database), schema.newest_revision()
        if found_at != wanted:
            raise BadUsage(f"the database is at {found_at}, not {wanted}; `keno database upgrade`")
        yield office


@contextmanager
def _founded_office() -> Iterator[Office]:
    with _office() as office:
        if office.find_house() is None:
            raise BadUsage("the house was not founded yet; `keno house found PLAN`")
        yield office


def _actor(office: Office, options: argparse.Namespace, permission: Permission) -> Actor:
    return _let_in(office, options.name, permission)


def _let_in(office: Office, name: str, permission: Permission) -> Actor:
    asked = f"Secret of {name}: "
    secret = getpass.getpass(asked) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    return at_console(office, name, secret, permission)


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
