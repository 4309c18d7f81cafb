"""The `keno` commands that work on the house: database, founding, cards, games, log, books.

Whoever acts gives a name (`--as`) and a secret, asked for at the terminal or read as one line of
standard input; what they do is logged as theirs, at the console.
"""

import argparse
import asyncio
import os
import signal
import ssl
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.audit.checkpoints import checkpoint_of
from app.audit.log_check import check_log
from app.caller import Caller
from app.cli.answers import DONE, FAULT, Answer, BadUsage
from app.cli.console import a_day as _day
from app.cli.console import actor as _actor
from app.cli.console import (
    archives_at_hand,
    ask_secret,
    new_secret,
    owned_database,
    whoever_sits_here,
)
from app.cli.console import faults_document as _faults
from app.cli.console import founded_office as _founded_office
from app.cli.console import let_in as _let_in
from app.cli.console import some_office as _office
from app.cli.console import told_faults as _told
from app.cli.console import typed_settings as _settings
from app.clock import time_text
from app.counts import LISTENERS
from app.entropy import system_entropy
from app.feed import Feed, exchange_certificate
from app.flow.access import choose_at_console
from app.flow.actor import Actor, Sitting
from app.flow.books import record_books, work_out_books
from app.flow.close_day import close_day, so_far
from app.flow.cosign import cosign_log
from app.flow.day_review import sign_review
from app.flow.draw import ask_to_void
from app.flow.export import export_days
from app.flow.found_house import HousePlan, LocationPlan, SeriesPlan, StaffPlan, found_house
from app.flow.house_amounts import set_amount
from app.flow.house_settings import change_setting
from app.flow.keys import make_keys
from app.flow.lockout import lock_game
from app.flow.office import Office
from app.flow.open_game import open_first_game
from app.flow.override import override_close
from app.flow.permissions import Permission
from app.flow.printers import PrinterPlan, set_printer, use_other_printer
from app.flow.rate_cards import accept_card, bring_card, enter_promotion, put_in_force
from app.flow.refusals import No, say_no
from app.flow.release import release_game
from app.flow.report import Asked, Progress, log_report, make_report, rendered, reports_of
from app.flow.report_jobs import ask_again_for_day, choose_report
from app.flow.schedule import change_schedule
from app.flow.seal import seal_log
from app.flow.see_submission import see_submission
from app.flow.stop_sales import Thing, resume_sale, stop_sale
from app.house import BOOKS, CALLER, FEED, REPORTER, SPOOLER, start_faults
from app.keno.amounts import Amount, Dated
from app.keno.house_settings import Setting
from app.keno.money import dollars
from app.locks import locked
from app.nightly import Nightly
from app.processes import begin_process, stop_on_signals
from app.reporter import Reporter, write_whole
from app.reports.catalogue import CATALOGUE, Format
from app.reports.compliance import compliance_matrix, counts_of, matrix_document
from app.reports.compliance_pdf import compliance_pdf
from app.reports.submission import submission_pdf
from app.rng_client import NotNow, make_certificate, publish_certificate, publish_terms
from app.settings import look_at_settings
from app.software import manifest, software_hash
from app.spooler import Spooler
from app.store import schema
from app.store.database import Database
from app.store.queries import running
from app.store.tables import LocationKind, Role
from app.store.taking_back import WouldLose, take_back

_OWNER = "only who owns the tables changes them: KENO_ARCHIVE_DATABASE names that role"


def upgrade_database(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno database upgrade`: bring the database to the revision of this software."""
    with closing(owned_database()) as database:
        try:
            steps = schema.upgrade(database)
        except schema.Busy as why:
            raise BadUsage(f"{why}; nothing was held up, try it again") from None
        except schema.Unfit as why:
            raise BadUsage(str(why)) from None
        except schema.NotOurs as why:
            raise BadUsage(f"{why}; {_OWNER}") from None
        revision = schema.revision_of(database)
    document = {
        "revision": revision,
        "steps": [
            {
                "revision": step.revision,
                "milliseconds": step.milliseconds,
                "locked": sorted({table for table, _ in step.locks}),
            }
            for step in steps
        ],
    }
    lines = [
        f"{step.revision}: {step.milliseconds} ms, "
        f"{', '.join(sorted({table for table, _ in step.locks})) or 'nothing'} locked"
        for step in steps
    ]
    return Answer(document, lambda: "\n".join([*lines, f"The database is at {revision}."]))


def downgrade_database(options: argparse.Namespace) -> Answer:
    """`keno database downgrade REVISION`: take it back for older software, if nothing is lost."""
    if not schema.is_known(options.revision):
        raise BadUsage(f"there is no revision {options.revision}")
    with closing(owned_database()) as database:
        try:
            take_back(database, options.revision)
        except WouldLose as lost:
            raise BadUsage(f"this would lose {lost}; go forward instead") from None
        except schema.Unfit as why:
            raise BadUsage(str(why)) from None
        except schema.Busy as why:
            raise BadUsage(f"{why}; stop the processes of the house first") from None
        except schema.NotOurs as why:
            raise BadUsage(f"{why}; {_OWNER}") from None
        revision = schema.revision_of(database)
    return Answer({"revision": revision}, lambda: f"The database is at {revision}.")


def show_database(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno database show`: its revision, and that of this software; ends with 1 if they differ."""
    with closing(Database(_settings().database)) as database:
        found, wanted = schema.revision_of(database), schema.newest_revision()
    text = f"The database is at {found}; this software is for {wanted}."
    return Answer(
        {"revision": found, "software": wanted}, lambda: text, DONE if found == wanted else FAULT
    )


def show_settings(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno settings`: what a process would start with; every fault of it at once."""
    settings, faults = look_at_settings(os.environ)
    faults += start_faults(settings)
    if faults:
        raise BadUsage("; ".join(faults))
    shown = {
        "database": Database(settings.database).url.render_as_string(hide_password=True),
        "keys": str(settings.keys),
        "public": str(settings.public),
        "rng": settings.rng,
        "inspector": settings.inspector,
        "feed": settings.feed,
        "reports": str(settings.reports),
        "proxies": list(settings.proxies),
        "printer_networks": list(settings.printer_networks),
        "printer_devices": list(settings.printer_devices),
    }
    return Answer(shown, lambda: "\n".join(f"{name:<16} {value}" for name, value in shown.items()))


def make_house_keys(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno house keys`: make the keys of the back office, in a folder of their own."""
    folder = _settings().keys
    try:
        make_keys(folder, system_entropy)
        make_certificate(folder)
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


def choose_a_secret(options: argparse.Namespace) -> Answer:
    """`keno house secret --as NAME`: choose a secret of one's own; who was signed in is out."""
    with _founded_office() as office:
        secret, new = ask_secret(f"Secret of {options.name}: "), new_secret(options.name)
        choose_at_console(office, options.name, secret, new)
    text = f"The new secret is {options.name}'s from now on."
    return Answer({"name": options.name}, lambda: text)


def bring(options: argparse.Namespace) -> Answer:
    """`keno card bring FILE`: bring a new version of the rate card."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_BRING)
        digest = bring_card(office, actor, Path(options.file).read_bytes()).hex()
    return Answer({"card": digest}, lambda: f"The card is {digest}; two must accept it.")


def promote(options: argparse.Namespace) -> Answer:
    """`keno card promote FILE --with NAME`: enter a promotion below the floor, with compliance."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_PROMOTION_ENTER)
        second = _let_in(office, options.manager, Permission.CARD_PROMOTION_JOIN)
        digest = enter_promotion(office, actor, second, Path(options.file).read_bytes()).hex()
    return Answer({"card": digest}, lambda: f"The card is {digest}; two must accept it.")


def accept(options: argparse.Namespace) -> Answer:
    """`keno card accept HASH`: accept a version, as a supervisor or as a manager outside keno."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_ACCEPT)
        accept_card(office, actor, _digest(options.card), "\n".join(options.change))
    return Answer({"card": options.card}, lambda: f"{actor.code} has accepted the card.")


def force(options: argparse.Namespace) -> Answer:
    """`keno card force HASH --from TIME`: publish a version, and from when it holds."""
    since = _moment(options.since) if options.since else None
    with _founded_office() as office:
        actor = _actor(office, options, Permission.CARD_BRING)
        named = options.manager
        manager = _let_in(office, named, Permission.AMOUNT_SET) if named else None
        digest = _digest(options.card)
        moment = time_text(put_in_force(office, actor, digest, since, manager))
    document = {"card": options.card, "effective_at": moment}
    return Answer(document, lambda: f"The card holds from {moment} on.")


def stop(options: argparse.Namespace) -> Answer:
    """`keno sale stop`: sell a series, a schedule or a spot count of one no more."""
    thing = Thing(options.series, options.schedule, options.spots)
    with _founded_office() as office:
        stop_sale(office, _actor(office, options, Permission.SALE_STOP), thing, options.reason)
    return Answer({"stopped": thing.words}, lambda: f"The sale of {thing.words} is stopped.")


def resume(options: argparse.Namespace) -> Answer:
    """`keno sale resume --with NAME`: sell again what was stopped."""
    thing = Thing(options.series, options.schedule, options.spots)
    with _founded_office() as office:
        supervisor = _actor(office, options, Permission.SALE_STOP)
        manager = _let_in(office, options.manager, Permission.AMOUNT_SET)
        resume_sale(office, supervisor, manager, thing, options.reason)
    return Answer({"resumed": thing.words}, lambda: f"{thing.words} is sold again.")


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
        number = lock_game(office, actor, options.series, options.game, reason=options.reason)
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
        publish_certificate(_settings().keys, folder)
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


def review_a_day(options: argparse.Namespace) -> Answer:
    """`keno day review DAY`: sign what a manager looks at before a gaming day is closed."""
    day = _day(options.day)
    with _founded_office() as office:
        actor = _actor(office, options, Permission.DAY_REVIEW)
        review = sign_review(office, actor, day)
    items = [asdict(each) for each in review.items]
    document = {"day": options.day, "items": items, "signed_by": review.signed_by}
    lines = [each.what for each in review.items] or ["Nothing unusual; it needs no signature."]
    return Answer(document, lambda: "\n".join(lines))


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


def settle(options: argparse.Namespace) -> Answer:
    """`keno house setting NAME NUMBER --with NAME`: settle a number, from now on."""
    setting = Setting(options.setting)
    with _founded_office() as office:
        supervisor = _actor(office, options, Permission.AMOUNT_SET)
        manager = _let_in(office, options.manager, Permission.AMOUNT_SET)
        change_setting(office, supervisor, manager, setting, options.value)
    document = {"setting": setting.value, "value": options.value}
    return Answer(document, lambda: f"{setting.value} is {options.value} from now on.")


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
    # A setting that was left out comes as an empty word: it would speak in the open.
    for name in ("certificate", "authorities"):
        if getattr(options, name) == "":
            raise BadUsage(f"--{name} is empty: name a file, or leave it out on one machine")
    settings = _settings()
    counts = begin_process("feed", settings, (LISTENERS,))
    counts.put(LISTENERS, 0)  # whoever listened to the one before

    async def serve(office: Office) -> None:
        _outlive_peers()
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        if tls is not None:  # a new certificate, for whoever connects from then on
            with_what = tls, certificate, authorities
            loop.add_signal_handler(signal.SIGHUP, exchange_certificate, *with_what)
        feed = Feed(office, told=lambda many: counts.put(LISTENERS, many))
        await feed.serve(options.host, options.port, stop, tls)

    certificate = Path(options.certificate or "")
    authorities = Path(options.authorities) if options.authorities else None
    tls = with_certificate(certificate, authorities) if options.certificate else None
    with _founded_office(FEED) as office:
        asyncio.run(serve(office))
    return Answer({"stopped": "feed"}, lambda: "The feed has stopped.")


def with_certificate(file: Path, authorities: Path | None = None) -> ssl.SSLContext:
    """Return how to listen with a certificate, whose key is beside it.

    Args:
        file: the certificate.
        authorities: those of whom whoever asks must show a certificate; none: anybody may ask.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_cert_chain(file, file.with_suffix(".key"))
    except OSError as trouble:
        raise BadUsage(f"{file} or its key cannot be used: {trouble}") from None
    if authorities is not None:
        try:
            context.load_verify_locations(authorities)
        except OSError as trouble:
            raise BadUsage(f"{authorities} cannot be used: {trouble}") from None
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def show_manifest(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno manifest`: every source file with its hash, as sha256sum reads it."""
    text = manifest()
    return Answer({"hash": software_hash(), "manifest": text}, text.rstrip)


def show_compliance(options: argparse.Namespace) -> Answer:
    """`keno compliance [--out FILE]`: every duty and what shows it; as pages in a file."""
    matrix = compliance_matrix()
    counts = counts_of(matrix)
    told = f"{counts.held} of {counts.duties} duties are held; {counts.tests} tests show them."
    if options.out:
        with _founded_office() as office:
            house = office.house.name
        write_whole(Path(options.out), compliance_pdf(house, software_hash(), matrix))
        told += f" Written to {options.out}."
    return Answer(matrix_document(matrix), lambda: told)


def write_submission(options: argparse.Namespace) -> Answer:
    """`keno submission --out FILE`: the rules of the games, as they are submitted."""
    with _founded_office() as office:
        submitted = see_submission(office)
    write_whole(Path(options.out), submission_pdf(submitted, software_hash()))
    document = {
        "out": options.out,
        "day": submitted.day.isoformat(),
        "card": submitted.card_hash,
        "software": software_hash(),
    }
    told = f"The rules of {submitted.house} on {document['day']} are in {options.out}."
    return Answer(document, lambda: told)


def call_the_games(options: argparse.Namespace) -> Answer:
    """`keno caller`: run the games by themselves until told to stop."""
    _outlive_peers()
    with stop_on_signals() as stop:
        begin_process("caller", _settings())
        with _founded_office(CALLER) as office:
            if office.keyed is None:
                raise BadUsage("the keyed processes are not set up")
            Caller(office, office.keyed, options.name, nightly=Nightly(office)).run(stop)
    return Answer({"stopped": options.name}, lambda: f"{options.name} has stopped.")


def set_a_printer(options: argparse.Namespace) -> Answer:
    """`keno printer set`: add a printer or move it, and say who prints on it."""
    with _founded_office() as office:
        actor, supervisor = _actor(office, options, Permission.PRINTER_MANAGE), None
        if options.supervisor is not None:
            supervisor = _let_in(office, options.supervisor, Permission.PRINTER_MIND)
        plan = PrinterPlan(options.code, options.address, options.roll, options.station)
        roll = set_printer(office, actor, plan, supervisor)
    document = {"printer": plan.code, "address": plan.address, "roll": roll}
    return Answer(document, lambda: f"Printer {plan.code} is at {plan.address}.")


def use_a_printer(options: argparse.Namespace) -> Answer:
    """`keno printer use`: have a station print on another printer until the day ends."""
    with _founded_office() as office:
        actor = _actor(office, options, Permission.PRINTER_MIND)
        until = use_other_printer(office, actor, options.station, options.code)
        when = "" if until is None else f" until {office.moment(until)}"
    document = {
        "station": options.station,
        "printer": options.code,
        "until": until and time_text(until),
    }
    text = f"Station {options.station} prints on {options.code}{when}."
    return Answer(document, lambda: text)


def print_the_paper(options: argparse.Namespace) -> Answer:
    """`keno spooler`: take paper to the printers until told to stop."""
    _outlive_peers()
    with stop_on_signals() as stop:
        settings = _settings()
        begin_process("spooler", settings)
        with (
            _founded_office(SPOOLER) as office,
            _only_one(office.database, settings.keys, options.name),
        ):
            Spooler(office, options.name).run(stop)
    return Answer({"stopped": "spooler"}, lambda: "The spooler has stopped.")


@contextmanager
def _only_one(database: Database, keys: Path, name: str) -> Iterator[None]:
    """Be the only spooler of this name in this house on this machine.

    A second one would take the leases from the first. The lock ends with the process, so that the
    next start need not wait.

    Raises:
        BadUsage: another one runs.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(_spooler_lock(database, keys, name)))
        except BlockingIOError:
            raise BadUsage(f"a spooler named {name} runs here already") from None
        except OSError as trouble:
            raise BadUsage(f"{trouble.filename} cannot be used: {trouble.strerror}") from None
        yield


def _spooler_lock(database: Database, keys: Path, name: str) -> Path:
    """Return the lock file of a spooler: beside the file of SQLite, else in the folder of keys.

    Only the user of the house can write there. `deploy/give-keys` leaves hidden files alone.
    """
    if database.is_sqlite:
        file = Path(database.url.database or "").resolve()
        return file.with_name(f".{file.name}-{_short(name)}.spooler")
    return keys.resolve() / f".{_short(f'{database.url} {name}')}.spooler"


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def report(options: argparse.Namespace) -> Answer:
    """`keno report NAME --day D`: make a report; `keno report list` lists them."""
    if options.report == "list":
        return _catalogue()
    if options.report not in CATALOGUE:
        raise say_no(No.NO_SUCH_REPORT, report=options.report)
    if options.day is None:
        raise BadUsage("say of which day (--day)")
    if options.out is None:
        raise BadUsage("say where to (--out)")
    first = _day(options.day)
    last = first if options.to is None else _day(options.to)
    asked = Asked(options.report, first, last, Format(options.format))
    with _founded_office() as office:
        made = make_report(office, asked, options.size, _progress())
        data = rendered(made, asked.format)
        # First: nothing is read unrecorded.
        log_report(office, asked, made, whoever_sits_here().document())
        write_whole(Path(options.out), data)
    document = {
        "report": asked.report,
        "file": options.out,
        "sha256": sha256(data).hexdigest(),
        "content": made.hash,
        "size": made.stretch.size,
        "root": made.stretch.root.hex(),
        "whole": made.stretch.is_whole,
    }
    so_far_ = "" if made.stretch.is_whole else " so far: not every day of it is closed"
    return Answer(document, lambda: f"{made.report.title}{so_far_}, in {options.out}.")


def _catalogue() -> Answer:
    listed = [
        {"id": each.id, "title": each.title, "says": each.says, "duties": list(each.duties)}
        for each in CATALOGUE.values()
    ]
    lines = [f"{each.id:<17} {each.title}. {each.says}" for each in CATALOGUE.values()]
    return Answer({"reports": listed}, lambda: "\n".join(lines))


def _progress() -> Progress:
    """Return what shows on a terminal how far a report is."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda _done, _total: None

    def show(done: int, total: int) -> None:
        sys.stderr.write(f"\r{done:,} of {total:,} entries ")
        sys.stderr.flush()

    return show


def choose_a_report(options: argparse.Namespace) -> Answer:
    """`keno house report NAME`: have a report made at the close of each day, or not any more.

    With `--again DAY`, only that of a day is asked for once more.
    """
    if options.again is not None and options.no:
        raise BadUsage("either --again or --no")
    form = Format(options.format)
    with _founded_office() as office:
        actor = _actor(office, options, Permission.DAY_CLOSE)
        if options.again is not None:
            day = _day(options.again)
            asked = ask_again_for_day(office, actor, Asked(options.report, day, day, form))
            return Answer(asked, lambda: f"{options.report} of {day} is asked for again.")
        choose_report(office, actor, options.report, form, chosen=not options.no)
    document = {"report": options.report, "format": form.value, "chosen": not options.no}
    told = "is not made any more" if options.no else "is made"
    return Answer(document, lambda: f"{options.report} as {form.value} {told} at each close.")


def make_the_reports(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno reporter`: make the reports that are asked for until told to stop."""
    _outlive_peers()
    with stop_on_signals() as stop:
        settings = _settings()
        begin_process("reporter", settings)
        with _founded_office(REPORTER) as office:
            Reporter(office, settings.reports, settings.public, settings.archives).run(stop)
    return Answer({"stopped": "reporter"}, lambda: "The reporter has stopped.")


def _outlive_peers() -> None:
    """Go on when a peer hangs up: other commands end when their reader has had enough."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)


def seal_the_log(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log seal`: give every entry its place, and sign the head."""
    with _founded_office() as office:
        note = seal_log(office)
    return Answer({"note": note}, lambda: note)


def cosign_the_log(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno log cosign`: seal the log, and have the inspector cosign its head."""
    with _founded_office() as office:
        if office.keyed is None:
            raise BadUsage(
                "this process was not told where the keyed processes are; KENO_INSPECTOR"
            )
        try:
            note = cosign_log(office, office.keyed)
        except NotNow as trouble:
            raise say_no(No.NOT_READY, why=str(trouble)) from None
    return Answer({"note": note}, lambda: note)


def export(options: argparse.Namespace) -> Answer:
    """`keno export --from D --to D --out FILE`: a signed bundle of some days for the regulator."""
    first, last, out = _day(options.first), _day(options.last), Path(options.out)
    archives = archives_at_hand(options.archive).files
    with _founded_office() as office:
        if options.name is None:
            actor: Actor | Sitting = whoever_sits_here()
        else:
            actor = _actor(office, options, Permission.RECORDS_EXPORT)
        reports = reports_of(office, first, last)
        given = export_days(office, actor, first, last, out, reports, archives)
    told = f"{out} has the entries {given.first} to {given.size - 1} of the log."
    return Answer({"bundle": str(out), **given.document()}, lambda: told)


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


def show_books(options: argparse.Namespace) -> Answer:
    """`keno books`: work out the whole state again, from stored facts; and record it, if asked."""
    if options.process:
        begin_process("books", _settings())
    archives = archives_at_hand(options.archive)
    # Not in the terminal of a caller that has it done beside its games.
    watched = options.progress or (sys.stdin.isatty() and sys.stderr.isatty())
    with _founded_office(BOOKS) as office:
        worked = work_out_books(office, archives, _show_progress if watched else lambda *_: None)
        if options.record:
            record_books(office, worked)
    lines = [
        f"{check:<14} {'ok' if not finding else f'{len(finding):,} faults'}"
        for check, finding in worked.found.items()
    ]
    text = "\n".join(lines)
    ended = FAULT if worked.count else DONE
    return Answer(worked.document(), lambda: _told(text, worked.faults), ended)


def _show_progress(what: str, done: int, total: int) -> None:
    """Tell how far it is, on one line that is written anew."""
    share = 100 * done // max(total, 1)
    sys.stderr.write(f"\r{what}: {share:3} %" + ("\n" if done >= total else ""))
    sys.stderr.flush()


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
        # The secrets of a demonstration are told to everybody; nobody is kept from anything there.
        secrets_given=not document.get("demonstration", False),
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


# ---- what is typed -------------------------------------------------------------------------------


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
