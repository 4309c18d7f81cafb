"""The `keno` command: odds, rate cards, prices and grades; and the house and its books.

What needs no database is here and starts at once; what works on the house is in `app.cli.house`.

Exit codes: 0 done; 2 bad usage; 3 refused; 1 a fault of ours. With --json one document goes to
standard output, also when it is a refusal. With --jsonl there is one document a line in and one
answer a line out, refusals among them: this is how an auditor regrades a day.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from app import tables
from app.cli.answers import (
    DONE,
    FAULT,
    NOT_TRIED,
    REFUSED,
    USAGE,
    Answer,
    BadUsage,
    DatabaseAway,
    NotTried,
)
from app.cli.house_parser import add_house_commands
from app.keno.aggregate import prorate
from app.keno.card_checks import all_figures, check_card
from app.keno.card_file import FILE_MAX, read_card, read_card_and_faults
from app.keno.documents import (
    DOCUMENT_MAX,
    WINS_MAX,
    figures_document,
    grade_document,
    odds_document,
    quote_document,
    read_grading,
    read_json,
    read_request,
    read_wins,
    refusals_document,
)
from app.keno.grading import grade
from app.keno.odds import catch_odds
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.refusals import Code, Refused, in_order, placed_within, quoted, refusal
from app.keno.spots import NUMBERS

STANDARD_INPUT = "-"


def console() -> None:
    """Run the command as a program: end quietly when its reader or its user has had enough."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    try:
        sys.exit(main())
    except _Ended as told:
        # What was to be removed on the way out is; now it ends as whoever ended it expects.
        signal.signal(told.number, signal.SIG_DFL)
        os.kill(os.getpid(), told.number)


class _Ended(BaseException):
    """Somebody has had enough."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _end(number: int, _frame: object) -> None:
    raise _Ended(number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _answer_lines(options) if options.jsonl else _answer(options)
    except BadUsage as mistake:
        _complain(f"keno: {mistake}")
    except DatabaseAway as why:
        _complain(f"keno: the database does not answer: {why}")
        return FAULT
    except NotTried as why:
        _complain(f"keno: nothing is known of it: {why}")
        return NOT_TRIED
    except OSError as trouble:  # a file that cannot be written, an output that is full
        where = "" if trouble.filename is None else f"{trouble.filename}: "
        _complain(f"keno: {where}{trouble.strerror}")
    return USAGE


def _answer(options: argparse.Namespace) -> int:
    try:
        answer: Answer = options.command(options)
    except Refused as refused:
        if options.json:
            _print_refused(refused)
        else:
            _complain(tables.refusals_text(refused.refusals))
        return REFUSED
    if options.json:
        _print_json(answer.document)
    else:
        _print(answer.text())
    return answer.exit_code


def _answer_lines(options: argparse.Namespace) -> int:
    """Answer one document a line, on a rate card that is read once."""
    try:
        card = _read_card(options)
    except Refused as refused:
        _print_refused(refused)
        return REFUSED
    with _opened(options.document) as file:
        for line in _lines(file):
            try:
                _print_json(options.on_card(read_json(line), card).document)
            except Refused as refused:
                _print_refused(refused)
    return DONE


def show_odds(options: argparse.Namespace) -> Answer:
    """`keno odds SPOTS`: the chance of each catch."""
    spots: int = options.spots
    if not 1 <= spots <= NUMBERS:
        raise Refused([refusal(Code.NO_SUCH_SPOTS, spots=spots)])
    odds = catch_odds(spots)
    return Answer(odds_document(spots, odds), lambda: tables.odds_text(spots, odds))


def check_rate_card(options: argparse.Namespace) -> Answer:
    """`keno rate-card check FILE`: everything wrong with a card, and what its wagers return."""
    try:
        card, faults = read_card_and_faults(_read(options.file, FILE_MAX))
    except Refused as refused:  # it is no card, or nothing but faults
        faults = refused.refusals
        document = {"faults": refusals_document(faults), "schedules": {}}
        return Answer(document, lambda: tables.refusals_text(faults), REFUSED)
    all_faults = in_order((*faults, *check_card(card)))
    figures = all_figures(card)
    return Answer(
        {"faults": refusals_document(all_faults), "schedules": figures_document(figures)},
        lambda: tables.card_text(card, figures, all_faults),
        REFUSED if all_faults else DONE,
    )


def quote_request(document: object, card: RateCard) -> Answer:
    """`keno quote`: the price of a request."""
    ticket = quote(read_request(document), card)
    return Answer(quote_document(ticket), lambda: tables.quote_text(ticket))


def grade_request(document: object, card: RateCard) -> Answer:
    """`keno grade`: what a request wins against draws."""
    request, draws = read_grading(document)
    with placed_within("request"):
        ticket = quote(request, card)
    games = grade(ticket, draws, card)
    return Answer(grade_document(ticket, games), lambda: tables.grade_text(ticket, games))


def prorate_wins(options: argparse.Namespace) -> Answer:
    """`keno prorate`: the aggregate limit shared among the winners."""
    document = read_json(_read(options.document, WINS_MAX), WINS_MAX)
    wins_cents, limit_cents, in_full_below_cents = read_wins(document)
    paid_cents = prorate(wins_cents, limit_cents, in_full_below_cents)
    return Answer(
        {"paid_cents": list(paid_cents)}, lambda: tables.prorate_text(wins_cents, paid_cents)
    )


def verify_bundle(options: argparse.Namespace) -> Answer:
    """`keno verify BUNDLE`: check a bundle, with the same program that regulators have."""
    verifier = import_module("app.audit.verifier")  # which needs longer to load than most answers
    keys = Path(options.keys) if options.keys else None
    try:
        report = verifier.verify(Path(options.bundle), keys, verifier.teller())
    except verifier.NotToBeUsed as mistake:
        raise BadUsage(str(mistake)) from None
    return Answer(report.document(), report.text, report.exit_code)


def answer_on_card(options: argparse.Namespace) -> Answer:
    """`keno quote` and `keno grade`: one document on a rate card."""
    card = _read_card(options)
    answer: Answer = options.on_card(read_json(_read(options.document, DOCUMENT_MAX)), card)
    return answer


def _read_card(options: argparse.Namespace) -> RateCard:
    if options.rate_card == options.document == STANDARD_INPUT:
        raise BadUsage("the rate card and the document cannot both be standard input")
    return read_card(_read(options.rate_card, FILE_MAX))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == STANDARD_INPUT:
        if sys.stdin is None:
            raise BadUsage("standard input is closed")
        yield sys.stdin.buffer
        return
    with ExitStack() as opened:
        try:
            file = opened.enter_context(Path(path).open("rb"))
        except OSError as trouble:
            raise BadUsage(f"cannot read {path}: {trouble.strerror}") from None
        yield file


def _read(path: str, limit: int) -> bytes:
    """Read a file, but never more than it takes to see that it is too long."""
    with _opened(path) as file:
        return file.read(limit + 1)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Read line by line; of a line that is too long only enough to see it."""
    while line := file.readline(DOCUMENT_MAX + 1):
        rest = line
        while len(rest) > DOCUMENT_MAX and not rest.endswith(b"\n"):
            rest = file.readline(DOCUMENT_MAX + 1)
        yield line.removesuffix(b"\n")


def _print(text: str) -> None:
    if sys.stdout is None:
        raise BadUsage("standard output is closed")
    print(text, flush=True)


def _complain(text: str) -> None:
    """Write to standard error, as far as it is there: the exit code says it too."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)


def _print_json(document: Mapping[str, object]) -> None:
    _print(json.dumps(document))


def _print_refused(refused: Refused) -> None:
    _print_json({"refusals": refusals_document(refused.refusals)})


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{quoted(text)!r} is not a number of spots")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="keno",
        description="The keno back office: its rules, its house, its games, its log and books.",
        epilog="Where a command takes a file, - is standard input.",
    )
    parser.add_argument("--version", action="version", version=version("keno-back-office"))
    parser.set_defaults(json=False, jsonl=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    odds = commands.add_parser("odds", help="the chance of each catch, exactly")
    odds.add_argument("spots", metavar="SPOTS", type=_whole, help="spots of the way, 1 to 80")
    _add_json(odds).set_defaults(command=show_odds)

    card = commands.add_parser("rate-card", help="work with rate cards")
    card_commands = card.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = card_commands.add_parser("check", help="every fault of a card; what its wagers return")
    check.add_argument("file", metavar="FILE", help="the rate card, in TOML")
    _add_json(check).set_defaults(command=check_rate_card)

    _add_on_card(commands.add_parser("quote", help="the price of a request"), quote_request)
    _add_on_card(commands.add_parser("grade", help="what a request wins"), grade_request)

    share = commands.add_parser("prorate", help="share the aggregate limit among the winners")
    _add_document(share)
    _add_json(share).set_defaults(command=prorate_wins)

    check_bundle = commands.add_parser("verify", help="check a bundle of the log, offline")
    check_bundle.add_argument("bundle", metavar="BUNDLE", help="the zip file")
    check_bundle.add_argument("--keys", metavar="FOLDER", help="public keys that you trust")
    _add_json(check_bundle).set_defaults(command=verify_bundle)
    for command in add_house_commands(commands):
        _add_json(command)
    return parser


def _add_on_card(
    command: argparse.ArgumentParser, on_card: Callable[[object, RateCard], Answer]
) -> None:
    command.add_argument("--rate-card", metavar="FILE", required=True, help="the card, in TOML")
    _add_document(command)
    _add_json(command).set_defaults(command=answer_on_card, on_card=on_card)
    command.add_argument(
        "--jsonl", action="store_true", help="one document a line in, one answer a line out"
    )


def _add_document(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "document", metavar="DOCUMENT", nargs="?", default=STANDARD_INPUT, help="JSON (default: -)"
    )


def _add_json(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    command.add_argument("--json", action="store_true", help="answer with one JSON document")
    return command
