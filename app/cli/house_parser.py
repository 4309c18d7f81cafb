"""What the commands of the house are called with; `app.cli.house` carries them out.

That module is loaded when one of them is called and not before: what needs no database starts ten
times as fast without it.
"""

import argparse
import os
import socket
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TypeAlias

from app.cli.answers import Answer
from app.keno.amounts import Amount

# argparse has no public name for it.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001


def add_house_commands(commands: Commands) -> Iterator[argparse.ArgumentParser]:
    """Add the commands that work on the house, and yield each."""
    database = _group(commands, "database", "the database and its schema")
    yield _act(database, "upgrade", "upgrade_database", "bring it to this software's revision")

    house = _group(commands, "house", "keys and founding")
    yield _act(house, "keys", "make_house_keys", "make the keys of the back office")
    founding = _act(house, "found", "found", "found the house that a plan describes")
    founding.add_argument("plan", metavar="PLAN", help="the plan, in TOML")
    yield founding

    yield _act(house, "terms", "publish", "bring the house to the key ceremony")
    amount = _act(house, "amount", "set_an_amount", "be stricter than the rule")
    yield _of_amount(_by_somebody(amount))

    day = _group(commands, "day", "gaming days")
    closing_day = _by_somebody(_act(day, "close", "close_a_day", "close a gaming day"))
    closing_day.add_argument("day", metavar="DAY", help="as 2026-12-01")
    yield closing_day

    card = _group(commands, "card", "put rate cards into force")
    bringing = _by_somebody(_act(card, "bring", "bring", "bring a new version"))
    bringing.add_argument("file", metavar="FILE", help="the card, in TOML")
    yield bringing
    yield _of_card(_act(card, "accept", "accept", "accept a version, as one of the two"))
    forcing = _of_card(_act(card, "force", "force", "publish a version, and from when it holds"))
    forcing.add_argument("--from", dest="since", metavar="TIME", help="(default: now)")
    yield forcing

    yield from _game_commands(_group(commands, "game", "open and lock games by hand"))

    feed = _act(commands, "feed", "tell_the_games", "tell boards and stations what happens")
    feed.add_argument("--host", default="127.0.0.1")
    feed.add_argument("--port", type=int, default=8001)
    yield feed
    printer = _group(commands, "printer", "the printers of the house")
    setting = _by_somebody(_act(printer, "set", "set_a_printer", "add a printer, or move it"))
    setting.add_argument("code", metavar="CODE", help="by which it is known")
    setting.add_argument("address", metavar="ADDRESS", help="as tcp:10.0.0.9:9100, cups:QUEUE")
    setting.add_argument("--roll", default="80mm", metavar="WIDTH", help="80mm or 58mm")
    setting.add_argument("--station", action="append", default=[], metavar="CODE")
    yield setting
    spooler = _act(commands, "spooler", "print_the_paper", "print what is to be printed")
    spooler.add_argument("--name", default=socket.gethostname(), help="by which others know it")
    yield spooler

    yield _act(commands, "manifest", "show_manifest", "every source file with its hash")
    caller = _act(commands, "caller", "call_the_games", "run the games by themselves")
    name = f"{socket.gethostname()}-{os.getpid()}"
    caller.add_argument("--name", default=name, help="by which the others know it")
    yield caller

    log = _group(commands, "log", "the log")
    yield _act(log, "seal", "seal_the_log", "give every entry its place, and sign the head")
    yield _act(log, "verify", "verify_log", "work out the whole log again")

    yield _act(commands, "books", "show_books", "work out the whole state again, from facts")


def _group(commands: Commands, name: str, help_: str) -> Commands:
    parser = commands.add_parser(name, help=help_)
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _act(commands: Commands, name: str, handler: str, help_: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_)
    parser.set_defaults(command=_handler(handler))
    return parser


def _handler(name: str) -> Callable[[argparse.Namespace], Answer]:
    def command(options: argparse.Namespace) -> Answer:
        answer: Answer = getattr(import_module("app.cli.house"), name)(options)
        return answer

    return command


def _by_somebody(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--as", dest="name", metavar="NAME", required=True, help="who acts")
    return parser


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
    releasing.add_argument("--with", dest="manager", required=True, metavar="NAME", help="manager")
    yield releasing
    yield _for_reason(_act(game, "void", "void_the_game", "ask for a locked game to be voided"))


def _of_amount(amount: argparse.ArgumentParser) -> argparse.ArgumentParser:
    amount.add_argument("amount", choices=[each.value for each in Amount], help="which")
    amount.add_argument("cents", type=int, metavar="CENTS")
    amount.add_argument("--from", dest="since", required=True, metavar="DAY", help="as 2026-12-01")
    amount.add_argument("--with", dest="manager", required=True, metavar="NAME", help="manager")
    return amount


def _of_series(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("series", metavar="SERIES", help="the series' code")
    return _by_somebody(parser)
