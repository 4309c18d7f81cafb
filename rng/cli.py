"""The two programs, `keno-rng` and `keno-inspector`: their commands and options.

Exit codes: 0 done; 2 bad usage; 3 refused, or found wrong; 1 a fault of ours.
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from rng.lab import commands as lab
from rng.serve import commands as keyed
from rng.serve.commands import BadUsage
from rng.serve.protocol import Address
from rng.serve.refusals import Refused
from rng.serve.tls import SIDES

DONE, USAGE, REFUSED = 0, 2, 3
PROGRAMS = {"rng": "keno-rng", "inspector": "keno-inspector"}

NAMES = {
    "rng": "generator's process, which the keno supervisor's key unlocks",
    "inspector": "Commission inspector's process, which takes part in every draw",
}

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  it has no public name
Command = Callable[[argparse.Namespace], int | None]


def rng_console() -> None:
    """Run `keno-rng`."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main("rng"))


def inspector_console() -> None:
    """Run `keno-inspector`."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main("inspector"))


def main(role: str, arguments: Sequence[str] | None = None) -> int:
    """Run one of the two programs and return its exit code."""
    options = _parser(role).parse_args(arguments)
    options.role = role
    command: Command = options.command
    try:
        return command(options) or DONE
    except Refused as refusal:
        if getattr(options, "json", False):
            document = {"code": refusal.code, "message": refusal.message}
            print(json.dumps({"refusals": [document]}))
        else:
            print(f"{refusal.message} [{refusal.code}]", file=sys.stderr)
        return REFUSED
    except (BadUsage, OSError, ValueError) as mistake:
        print(f"{PROGRAMS[role]}: {mistake}", file=sys.stderr)
        return USAGE


def _parser(role: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAMS[role], description=f"The {NAMES[role]}.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_ceremony(commands, role)
    _add_holders(commands, role)
    _add_certificates(commands, role)
    if role == "rng":
        _add_lab(commands)
        _add_practice(commands)
    return parser


def _add(commands: Commands, name: str, run: Command) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=_summary(run), description=_summary(run))
    parser.set_defaults(command=run)
    return parser


def _summary(run: Command) -> str:
    return (run.__doc__ or "").split("\n")[0]


def _add_ceremony(commands: Commands, role: str) -> None:
    keygen = _add(commands, "keygen", keyed.keygen)
    _dir(keygen)
    keygen.add_argument("--public", type=Path, required=True, help="the folder of public keys")
    keygen.add_argument("--holder", action="append", help="a holder's name; at least two")
    keygen.add_argument("--handover", type=Path, help="the other role's word for a lost journal")
    keygen.add_argument("--keys-only", action="store_true", help="keys to replace lost ones")
    serve = _add(commands, "serve", keyed.serve)
    _dir(serve)
    serve.add_argument("--socket", type=Path, help="the service socket, if not in the folder")
    serve.add_argument("--listen", default="", help="also listen at tls:HOST:PORT")
    if role == "rng":
        serve.add_argument("--inspector", default="", help="unix:PATH or tls:HOST:PORT")
        serve.add_argument(
            "--printer", default="", help="file:PATH, tcp:HOST:PORT or escpos:HOST:PORT"
        )
    manifest = _add(commands, "manifest", keyed.show_manifest)
    manifest.add_argument("--core", action="store_true", help="only what decides the numbers")


def _add_holders(commands: Commands, role: str) -> None:
    status = _add(commands, "status", keyed.status)
    _dir(status)
    status.add_argument("--json", action="store_true")
    selftest = _add(commands, "selftest", keyed.selftest)
    selftest.add_argument("--dir", type=Path, help="ask the process of this folder")
    _dir(_add(commands, "lock", keyed.lock))
    for name, run in (
        ("unlock", keyed.unlock),
        ("approve", keyed.approve),
        ("withdraw", keyed.withdraw),
    ):
        _holder(_add(commands, name, run))
    if role == "rng":
        _holder(_add(commands, "decline", keyed.decline))
    export = _add(commands, "keys", keyed.export_keys)
    _dir(export)
    export.add_argument("--public", type=Path, required=True, help="the folder of public keys")
    reopen = _holder(_add(commands, "reopen", keyed.reopen))
    reopen.add_argument("--reason", required=True)
    rotate = _holder(_add(commands, "rotate", keyed.rotate))
    keys = ("rng", "office", "log") if role == "rng" else ("inspector", "mark")
    rotate.add_argument("--key", choices=keys, help="which key, if not the role's own")
    rotate.add_argument("--public", type=Path, help="the new public key of office or log")
    holders = _holder(_add(commands, "holders", keyed.holders))
    holders.add_argument("change", choices=("add", "remove"))
    holders.add_argument("who", metavar="NAME")
    if role == "rng":
        series = _holder(_add(commands, "series", keyed.series))
        series.add_argument("series", metavar="CODE")
        series.add_argument("--first", type=int, default=1, help="the number of its first game")
        origin = _holder(_add(commands, "origin", keyed.origin))
        origin.add_argument("origin", metavar="NAME", help="the name that the log goes on under")
        origin.add_argument("--reason", required=True)
        origin.add_argument(
            "--kept", type=Path, required=True, metavar="FILE", help="what is left of the log"
        )
        origin.add_argument(
            "--fork", action="store_true", help="say that it is no beginning of what is lost"
        )
    handover = _holder(_add(commands, "handover", keyed.handover))
    handover.add_argument("--reason", required=True)
    handover.add_argument("--public", type=Path, help="the folder with the other role's new keys")
    handover.add_argument("--out", type=Path, required=True)


def _add_certificates(commands: Commands, role: str) -> None:
    certificates = commands.add_parser("certificates", help="Who is at the end of a line.")
    acts = certificates.add_subparsers(required=True, metavar="ACT")
    renew = _add(acts, "renew", keyed.renew_certificate)
    accept = _add(acts, "accept", keyed.accept_certificates)
    for act in (renew, accept):
        act.add_argument("--public", type=Path, required=True, help="the folder of public keys")
    forget = _add(acts, "forget", keyed.forget_certificates)
    forget.add_argument("name", choices=[name for name in SIDES if name != role])
    further = (("change", keyed.change_certificate), ("show", keyed.show_certificates))
    for act in (renew, accept, forget, *(_add(acts, name, run) for name, run in further)):
        _dir(act)


def _add_lab(commands: Commands) -> None:
    sample = _add(commands, "sample", lab.sample)
    sample.add_argument("--draws", type=_count, metavar="N")
    sample.add_argument("--raw", type=_count, metavar="BYTES")
    sample.add_argument("--full", action="store_true", help="through both processes, test keys")
    sample.add_argument("--dir", type=Path, help="refused if it holds a journal")
    judge = _add(commands, "judge", lab.judge)
    judge.add_argument("file", type=Path, help="draws, one a line")
    judge.add_argument("--json", action="store_true")
    verify = _add(commands, "verify", lab.verify)
    verify.add_argument("files", type=Path, nargs="+", metavar="FILE", help="journals, or draws")
    verify.add_argument("--keys", type=Path, required=True, help="the folder of public keys")
    verify.add_argument("--statement", type=Path, help="check a draw against this statement")


def _add_practice(commands: Commands) -> None:
    practice = commands.add_parser("practice", help="A back office that sells nothing.")
    acts = practice.add_subparsers(required=True, metavar="ACT")
    setup = _add(acts, "setup", lab.practice_setup)
    setup.add_argument("--house", default="Practice House")
    setup.add_argument("--series", action="append", metavar="CODE=FIRST")
    lock = _add(acts, "lock", lab.practice_lock)
    draw = _add(acts, "draw", lab.practice_draw)
    draw.add_argument("--games", type=_count, default=1)
    draw.add_argument("--out", type=Path, help="write the last draw to this file")
    void = _add(acts, "void", lab.practice_void)
    void.add_argument("--reason", default="practice")
    lossy = _add(acts, "lossy", lab.practice_lossy)
    lossy.add_argument("--socket", type=Path, required=True, help="where to listen")
    lossy.add_argument("--inspector", type=Address.read, required=True)
    lossy.add_argument("--lose", action="append", required=True, metavar="ACT")
    for act in (setup, lock, draw, void):
        act.add_argument("--office", type=Path, required=True, help="the office's folder")
        act.add_argument("--public", type=Path, required=True, help="the folder of public keys")
    for act in (lock, draw, void):
        act.add_argument("--series", default="M")
        act.add_argument("--rng", type=Address.read, required=True)
        act.add_argument("--inspector", type=Address.read, required=True)


def _dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dir", type=Path, required=True, help="the folder of this role")


def _holder(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    _dir(parser)
    parser.add_argument("--holder", required=True, metavar="NAME")
    return parser


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("a number from 0 up")
    return count
