"""The `keno certificates` commands: the house's own authority, and the office's certificate."""

import argparse
import getpass
import os
import sys
from pathlib import Path

from app.certificates import (
    AUTHORITIES,
    Held,
    NotIssued,
    Use,
    Wanted,
    ending_soon,
    issue,
    look_at,
    make_authority,
    read_wanted,
    retire_authorities,
)
from app.cli.answers import DONE, FAULT, Answer, BadUsage
from app.clock import system_clock, time_text
from app.rng_client import NotExchanged, renew_certificate, show_next_certificate
from app.settings import BadSettings, Settings, read_settings


def authority(options: argparse.Namespace) -> Answer:
    """`keno certificates authority --dir DIR`: make the authority, or its next key."""
    folder = Path(options.dir)
    if options.retire:
        return _retired(folder)
    passphrase = _passphrase("New passphrase of the authority: ")
    try:
        place = make_authority(folder, options.name, passphrase, system_clock())
    except NotIssued as fault:
        raise BadUsage(str(fault)) from None
    trusted = folder / AUTHORITIES
    told = f"{place} is the authority. Everybody trusts {trusted}."
    return Answer({"authority": str(place), "trusted": str(trusted)}, lambda: told)


def _retired(folder: Path) -> Answer:
    try:
        retired = retire_authorities(folder)
    except NotIssued as fault:
        raise BadUsage(str(fault)) from None
    told = f"{', '.join(retired)} is trusted no more. Bring {AUTHORITIES} to everybody."
    return Answer({"retired": retired}, lambda: told)


def issue_certificate(options: argparse.Namespace) -> Answer:
    """`keno certificates issue NAME --for server`: a key and a certificate for a machine."""
    uses = tuple(Use(each) for each in options.uses)
    return _issued(options, Wanted(options.name, tuple(options.also), uses))


def renew_issued(options: argparse.Namespace) -> Answer:
    """`keno certificates renew FILE`: a new key and a certificate that says the same."""
    try:
        wanted = read_wanted(Path(options.file))
    except NotIssued as fault:
        raise BadUsage(str(fault)) from None
    options.out = str(Path(options.file).parent)
    return _issued(options, wanted)


def _issued(options: argparse.Namespace, wanted: Wanted) -> Answer:
    passphrase = _passphrase("Passphrase of the authority: ")
    try:
        place = issue(Path(options.dir), passphrase, wanted, Path(options.out), system_clock())
        (held,) = look_at([place])
    except NotIssued as fault:
        raise BadUsage(str(fault)) from None
    document = {"certificate": str(place), "key": str(place.with_suffix(".key")), **_held(held)}
    return Answer(document, lambda: f"{place} and its key hold until {time_text(held.ends)}.")


def show(options: argparse.Namespace) -> Answer:
    """`keno certificates show FILE...`: until when each holds; ends with 1 if one ends soon."""
    try:
        held = look_at(Path(each) for each in options.files)
    except NotIssued as fault:
        raise BadUsage(str(fault)) from None
    now = system_clock()
    ending = ending_soon(held, now, options.days)
    document = {"certificates": [_held(each) for each in held], "ending": len(ending)}
    lines = [
        f"{each.days_left(now):>6} days  {each.file}  {', '.join(each.names)}" for each in held
    ]
    lines += [f"{each.file} ends in {each.days_left(now)} days; renew it." for each in ending]
    return Answer(document, lambda: "\n".join(lines), FAULT if ending else DONE)


def renew_of_office(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno certificates office renew`: the next one of the office, for both to accept."""
    settings = _settings()
    try:
        place, print_ = renew_certificate(settings.keys, settings.public)
    except NotExchanged as fault:
        raise BadUsage(str(fault)) from None
    document = {"certificate": str(place), "fingerprint": print_}
    return Answer(document, lambda: f"{place} is for both to accept: {print_}")


def change_of_office(options: argparse.Namespace) -> Answer:  # noqa: ARG001  one form for all
    """`keno certificates office change`: show the next one from now on."""
    try:
        print_ = show_next_certificate(_settings().keys)
    except NotExchanged as fault:
        raise BadUsage(str(fault)) from None
    return Answer({"fingerprint": print_}, lambda: f"The office shows from now on: {print_}")


def _settings() -> Settings:
    # Not by way of the console, which loads the whole house.
    try:
        return read_settings(os.environ)
    except BadSettings as faults:
        raise BadUsage(str(faults)) from None


def _held(held: Held) -> dict[str, object]:
    return {
        "file": str(held.file),
        "name": held.name,
        "names": list(held.names),
        "ends": time_text(held.ends),
    }


def _passphrase(asked: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(asked)
    return sys.stdin.readline().rstrip("\n")
