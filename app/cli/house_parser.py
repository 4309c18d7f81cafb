"""What the commands of the house are called with; `app.cli.house` carries them out.

That module is loaded when one of them is called and not before: what needs no database starts ten
times as fast without it.
"""

import argparse
import os
import re
import socket
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TypeAlias

from app.cli.answers import Answer, DatabaseAway
from app.keno.amounts import Amount
from app.keno.house_settings import Setting
from app.keno.retention import RecordKind

FORMATS = ("pdf", "csv", "json")
KEEPING, CERTIFICATES = "app.cli.keeping", "app.cli.certificates"
WATCHING = "app.cli.watching"
# argparse has no public name for it.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def _word(text: str) -> str:
    """Return the name of a unit or of a result of systemd's: it goes into the log as it is."""
    if not re.fullmatch(r"[a-z0-9@-]{1,32}", text):
        raise argparse.ArgumentTypeError("a word of at most 32 small letters, digits, @ and -")
    return text


def add_house_commands(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add the commands that work on the house, and yield each."""
    database = _group(commands, "database", "the database and its schema")
    yield _act(database, "upgrade", "upgrade_database", "bring it to this software's revision")
    taking = _act(database, "downgrade", "downgrade_database", "take it back, if nothing is lost")
    taking.add_argument("revision", metavar="REVISION", help="of the older software")
    yield taking
    yield _act(database, "show", "show_database", "its revision, and that of this software")
    yield _act(commands, "settings", "show_settings", "what a process would start with")

    yield from _own_commands(_group(commands, "house", "keys, founding and settings"))

    day = _group(commands, "day", "gaming days")
    closing_day = _by_somebody(_act(day, "close", "close_a_day", "close a gaming day"))
    closing_day.add_argument("day", metavar="DAY", help="as 2026-12-01")
    yield closing_day
    reviewing = _act(day, "review", "review_a_day", "sign the list that a manager signs before it")
    reviewing.add_argument("day", metavar="DAY", help="as 2026-12-01")
    yield _by_somebody(reviewing)

    yield from _card_commands(commands)
    yield from _game_commands(_group(commands, "game", "open and lock games by hand"))

    printer = _group(commands, "printer", "the printers of the house")
    placing = _by_somebody(_act(printer, "set", "set_a_printer", "add a printer, or move it"))
    placing.add_argument("code", metavar="CODE", help="by which it is known")
    placing.add_argument("address", metavar="ADDRESS", help="as tcp:10.0.0.9:9100, cups:QUEUE")
    placing.add_argument("--roll", metavar="WIDTH", help="80mm or 58mm; else as it was")
    placing.add_argument("--station", action="append", default=[], metavar="CODE")
    placing.add_argument("--with", dest="supervisor", metavar="NAME", help="a supervisor")
    yield placing
    what = "have a station print on another printer of its location until the day ends"
    using = _by_somebody(_act(printer, "use", "use_a_printer", what))
    using.add_argument("station", metavar="STATION", help="whose slips are to come out there")
    using.add_argument("code", metavar="CODE", help="of the printer; its own ends it")
    yield using
    yield _act(commands, "manifest", "show_manifest", "every source file with its hash")
    log = _group(commands, "log", "the log")
    yield _act(log, "seal", "seal_the_log", "give every entry its place, and sign the head")
    yield _act(log, "cosign", "cosign_the_log", "seal it, and have the inspector cosign the head")
    yield _act(log, "verify", "verify_log", "work out the whole log again")
    yield from _restored_commands(log)
    yield from _keeping_commands(commands)
    yield _act(commands, "alarms", "show_alarms", "what is amiss, and the next step", WATCHING)
    ending = _act(commands, "process-ended", "record_end", "record that a process ended", WATCHING)
    ending.add_argument("process", type=_word, metavar="PROCESS", help="such as spooler")
    ending.add_argument("result", type=_word, metavar="RESULT", help="systemd's SERVICE_RESULT")
    yield ending
    yield from _certificate_commands(_group(commands, "certificates", "who is at the other end"))
    yield from _processes(commands)
    yield from _records_commands(commands)


def _processes(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add the processes of the house, which run until they are told to stop, and yield each."""
    feed = _act(commands, "feed", "tell_the_games", "tell boards and stations what happens")
    feed.add_argument("--host", default="127.0.0.1")
    feed.add_argument("--port", type=int, default=8001)
    feed.add_argument("--certificate", metavar="FILE", help="over TLS; its key is beside it")
    feed.add_argument("--authorities", metavar="FILE", help="whoever asks shows one of theirs")
    yield feed
    spooler = _act(commands, "spooler", "print_the_paper", "print what is to be printed")
    # Of another user of this machine it is another spooler: it waits for the leases of the first.
    name = f"{socket.gethostname()}-{os.getuid()}"
    spooler.add_argument("--name", default=name, help="by which others know it")
    yield spooler
    yield _act(commands, "reporter", "make_the_reports", "make the reports that are asked for")
    caller = _act(commands, "caller", "call_the_games", "run the games by themselves")
    name = f"{socket.gethostname()}-{os.getpid()}"
    caller.add_argument("--name", default=name, help="by which the others know it")
    yield caller


def _records_commands(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add what regulators and auditors ask for, and yield each."""
    yield _of_report(_act(commands, "report", "report", "make a report, or list them"))
    complying = _act(commands, "compliance", "show_compliance", "every duty, and what shows it")
    complying.add_argument("--out", metavar="FILE", help="write it as PDF")
    yield complying
    submitting = _act(commands, "submission", "write_submission", "the rules of the games, as PDF")
    submitting.add_argument("--out", metavar="FILE", required=True, help="where it is written")
    yield submitting
    giving = _act(commands, "export", "export", "a signed bundle for the regulator")
    giving.add_argument("--as", dest="name", metavar="NAME", help="who takes it")
    giving.add_argument("--from", dest="first", required=True, metavar="DAY", help="as 2026-12-01")
    giving.add_argument("--to", dest="last", required=True, metavar="DAY", help="(same)")
    giving.add_argument("--out", required=True, metavar="FILE", help="where it is written")
    _with_archives(giving)
    yield giving
    checking = _act(commands, "books", "show_books", "work out the whole state again, from facts")
    _with_archives(checking)
    checking.add_argument("--record", action="store_true", help="record what was found in the log")
    checking.add_argument("--process", action="store_true", help="speak as processes do")
    checking.add_argument("--progress", action="store_true", help="show how far it is, anywhere")
    yield checking


def _with_archives(parser: argparse.ArgumentParser) -> None:
    """Let archives be named, beside those in the folder of the settings."""
    parser.add_argument(
        "--archive", action="append", default=[], metavar="FILE", help="an archive of old detail"
    )


def _keeping_commands(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add what is done to keep the house safe, and yield each."""
    backup = _act(commands, "backup", "make_backup", "write a backup, or try one", KEEPING)
    backup.add_argument("--out", metavar="FILE", help="a file that is not there yet")
    yield backup
    acts = backup.add_subparsers(title="commands", metavar="COMMAND")
    trying = _act(acts, "check", "check_backup", "restore one on trial, and check it", KEEPING)
    trying.add_argument("file", metavar="FILE", help="the backup")
    trying.add_argument("--record", action="store_true", help="tell of it in the house's log")
    _with_archives(trying)
    yield trying
    restoring = _act(commands, "restore", "restore_backup", "fill an empty database", KEEPING)
    restoring.add_argument("file", metavar="FILE", help="the backup")
    restoring.add_argument("--head", metavar="NOTE", help="a cosigned head that was kept apart")
    yield restoring
    archiving = _act(commands, "archive", "archive", "move old detail into a file", KEEPING)
    archiving.add_argument("--before", metavar="DAY", help="the first that stays")
    archiving.add_argument("--out", metavar="FILE", help="not there yet")
    archiving.add_argument("--as", dest="name", metavar="NAME", help="who acts")
    archiving.add_argument("--with", dest="manager", metavar="NAME", help="manager")
    archiving.add_argument("--finish", action="store_true", help="give the room of the last back")
    yield archiving


def _certificate_commands(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add what is done with certificates, and yield each."""
    making = _act(commands, "authority", "authority", "make the house's authority", CERTIFICATES)
    making.add_argument(
        "--name", default="Keno authority", metavar="NAME", help="what it is called"
    )
    making.add_argument("--retire", action="store_true", help="trust only the newest from now on")
    issuing = _act(commands, "issue", "issue_certificate", "for one machine", CERTIFICATES)
    issuing.add_argument("name", metavar="NAME", help="of the machine, or of who calls")
    issuing.add_argument(
        "--also", action="append", default=[], metavar="NAME", help="or an address"
    )
    issuing.add_argument(
        "--for", dest="uses", action="append", required=True, choices=("server", "client")
    )
    issuing.add_argument("--out", required=True, metavar="FOLDER", help="where the files go")
    renewing = _act(commands, "renew", "renew_issued", "a new one that says the same", CERTIFICATES)
    renewing.add_argument("file", metavar="FILE", help="the certificate")
    for each in (making, issuing, renewing):
        each.add_argument("--dir", required=True, metavar="FOLDER", help="of the authority")
        yield each
    showing = _act(commands, "show", "show", "until when they hold", CERTIFICATES)
    showing.add_argument("files", metavar="FILE", nargs="+", help="certificates, or folders")
    showing.add_argument("--days", type=int, default=30, help="which end sooner are told")
    yield showing
    office = _group(commands, "office", "what the office shows to the keyed processes")
    yield _act(office, "renew", "renew_of_office", "the next one, to be accepted", CERTIFICATES)
    yield _act(office, "change", "change_of_office", "show the next one from now on", CERTIFICATES)


def _restored_commands(log: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add what is done with the log of a restored house, and yield each."""
    missing = _act(log, "missing", "look_for", "what a restored house lacks", KEEPING)
    missing.add_argument("--head", metavar="NOTE", help="a cosigned head that was kept apart")
    missing.add_argument("--as", dest="name", metavar="NAME", help="who says that this is all")
    missing.add_argument("--with", dest="manager", metavar="NAME", help="the manager who does too")
    yield missing
    refilling = _act(log, "refill", "refill", "put back what a restored house lacks", KEEPING)
    refilling.add_argument(
        "sources", metavar="FROM", nargs="+", help="a bundle, a file of entries, or tiles"
    )
    yield _with_manager(_by_somebody(refilling))
    keeping = _act(log, "kept", "show_kept", "what is left, for both keys to go on with", KEEPING)
    keeping.add_argument("--out", required=True, metavar="FILE", help="where it is written")
    yield keeping
    renaming = _act(log, "new-origin", "rename_log", "go on without what is lost", KEEPING)
    yield _with_manager(_by_somebody(renaming))
    ending = _act(log, "end-hold", "end_the_hold", "pay tickets from before as any other", KEEPING)
    ending.add_argument("--reason", required=True, metavar="WORDS", help="why")
    yield _with_manager(_by_somebody(ending))
    yield _act(log, "lost", "list_lost", "acts of which something is lost", KEEPING)


def _own_commands(house: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add what is done with the house itself, and yield each."""
    yield _act(house, "keys", "make_house_keys", "make the keys of the back office")
    founding = _act(house, "found", "found", "found the house that a plan describes")
    founding.add_argument("plan", metavar="PLAN", help="the plan, in TOML")
    yield founding
    yield _by_somebody(_act(house, "secret", "choose_a_secret", "choose a secret of one's own"))

    yield _act(house, "terms", "publish", "bring the house to the key ceremony")
    amount = _act(house, "amount", "set_an_amount", "be stricter than the rule")
    yield _of_amount(_by_somebody(amount))
    kept = _act(house, "retention", "retain", "how long records are kept at hand", KEEPING)
    kept.add_argument("kind", choices=[each.value for each in RecordKind], help="of which kind")
    kept.add_argument("days", type=int, metavar="DAYS")
    yield _with_manager(_by_somebody(kept))
    yield _act(house, "records", "list_retention", "how long each kind is kept", KEEPING)
    setting = _act(house, "setting", "settle", "settle a number, such as copies-alone")
    setting.add_argument("setting", choices=[each.value for each in Setting], help="which")
    setting.add_argument("value", type=int, metavar="NUMBER")
    yield _with_manager(_by_somebody(setting))
    choice = _act(house, "report", "choose_a_report", "have a report made at each close of day")
    choice.add_argument("report", metavar="NAME", help="see keno report list")
    choice.add_argument("--format", choices=FORMATS, default="pdf")
    choice.add_argument("--no", action="store_true", help="not any more")
    choice.add_argument("--again", metavar="DAY", help="only that of a closed day, once more")
    yield _by_somebody(choice)


def _of_report(report: argparse.ArgumentParser) -> argparse.ArgumentParser:
    report.add_argument("report", metavar="NAME", help="which one; list: all there are")
    report.add_argument("--day", metavar="DAY", help="the gaming day, as 2026-12-01")
    report.add_argument("--to", metavar="DAY", help="the last one (default: the same)")
    report.add_argument("--format", choices=FORMATS, default="pdf")
    report.add_argument("--out", metavar="FILE", help="where to")
    report.add_argument(
        "--size", type=int, metavar="N", help="as the log was when it had N entries"
    )
    return report


def _group(commands: Commands, name: str, help_: str) -> Commands:
    parser = commands.add_parser(name, help=help_)
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _act(
    commands: Commands, name: str, handler: str, help_: str, module: str = "app.cli.house"
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_)
    parser.set_defaults(command=_handler(handler, module))
    return parser


def _handler(name: str, module: str) -> Callable[[argparse.Namespace], Answer]:
    def command(options: argparse.Namespace) -> Answer:
        handler = getattr(import_module(module), name)
        try:
            answer: Answer = handler(options)
        except Exception as fault:
            # Whoever types a command is told in a sentence, and not by way of our code.
            if not import_module("app.store.away").is_away(fault):
                raise
            why = str(getattr(fault, "orig", None) or fault).strip().splitlines()[:1]
            raise DatabaseAway(*why) from fault
        return answer

    return command


def _by_somebody(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--as", dest="name", metavar="NAME", required=True, help="who acts")
    return parser


def _with_manager(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--with", dest="manager", required=True, metavar="NAME", help="manager")
    return parser


def _card_commands(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    card = _group(commands, "card", "put rate cards into force")
    bringing = _by_somebody(_act(card, "bring", "bring", "bring a new version"))
    bringing.add_argument("file", metavar="FILE", help="the card, in TOML")
    yield bringing
    promoting = _by_somebody(_act(card, "promote", "promote", "enter a promotion below the floor"))
    promoting.add_argument("file", metavar="FILE", help="the card, in TOML, with its approval")
    yield _with_manager(promoting)
    accepting = _of_card(_act(card, "accept", "accept", "accept a version, as one of the two"))
    accepting.add_argument(
        "--change", action="append", default=[], metavar="WORDS", help="as 'regular 8 12.1%%'"
    )
    yield accepting
    forcing = _of_card(_act(card, "force", "force", "publish a version, and from when it holds"))
    forcing.add_argument("--from", dest="since", metavar="TIME", help="(default: earliest)")
    forcing.add_argument(
        "--with", dest="manager", metavar="NAME", help="manager, for a card that was in force"
    )
    yield forcing

    sale = _group(commands, "sale", "stop what is sold, and sell it again")
    yield _of_sale(_act(sale, "stop", "stop", "sell something no more, from the next sale on"))
    yield _with_manager(_of_sale(_act(sale, "resume", "resume", "sell it again")))


def _of_sale(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--series", metavar="CODE", help="a series")
    parser.add_argument("--schedule", metavar="NAME", help="or a schedule of the card")
    parser.add_argument("--spots", type=int, metavar="N", help="a spot count of the schedule")
    parser.add_argument("--reason", required=True, metavar="WORDS", help="why")
    return _by_somebody(parser)


def _of_card(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("card", metavar="HASH", help="the card's hash")
    return _by_somebody(parser)


def _for_reason(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--game", type=int, required=True, metavar="N", help="which game")
    parser.add_argument("--reason", required=True, metavar="WORDS", help="why")
    return _of_series(parser)


def _game_commands(game: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add what is done with games by hand, and yield each."""
    yield _of_series(_act(game, "open", "open_the_game", "open the first game, or the next"))
    locking = _of_series(_act(game, "lock", "lock_the_game", "lock the open game; the next opens"))
    locking.add_argument("--game", type=int, metavar="N", help="lock this one, or none")
    locking.add_argument("--reason", metavar="WORDS", help="why, if it would lock itself")
    yield locking

    every = _of_series(_act(game, "every", "change_series", "have a series' games lock themselves"))
    every.add_argument("seconds", type=int, metavar="SECONDS", help="the interval; 0: by hand")
    every.add_argument("--opens", type=int, default=0, metavar="MINUTES", help="after midnight")
    every.add_argument("--closes", type=int, default=1440, metavar="MINUTES", help="(same)")
    yield every
    closing = _for_reason(_act(game, "close", "close_the_game", "override when a game closes"))
    closing.add_argument("--at", metavar="TIME", help="(default: not before it is said again)")
    yield closing
    releasing = _for_reason(_act(game, "release", "release_the_game", "grade a frozen game again"))
    yield _with_manager(releasing)
    yield _for_reason(_act(game, "void", "void_the_game", "ask for a locked game to be voided"))


def _of_amount(amount: argparse.ArgumentParser) -> argparse.ArgumentParser:
    amount.add_argument("amount", choices=[each.value for each in Amount], help="which")
    amount.add_argument("cents", type=int, metavar="CENTS")
    amount.add_argument("--from", dest="since", required=True, metavar="DAY", help="as 2026-12-01")
    return _with_manager(amount)


def _of_series(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("series", metavar="SERIES", help="the series' code")
    return _by_somebody(parser)
