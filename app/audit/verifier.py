"""Checks a bundle that a keno house has given to its regulator, without asking the house.

    python verifier.py BUNDLE.zip --keys FOLDER [--json]

It needs Python 3.11 and the library `cryptography`, and nothing else: no database, no network, no
other file of the product. It was written for reading, separately from the programs that it checks,
and follows the formats that the house publishes (docs/verifying.md, rng/FORMAT.md).

What it checks, in this order:

1. the zip file can be read in one way only, the manifest is signed, and every file of the bundle
   is the one that it lists;
2. the head of the log is signed by the house and cosigned by the inspector;
3. every draw: the signatures of both keyed processes, the inspector's mark, and the twenty numbers
   worked out again; every draw builds on the one before;
4. every entry: its leaf follows from its body, it has its place, none is missing, and all of them
   together lead to the cosigned head; earlier entries that go along have a proof each;
5. every game: what was sold for it, counted again from tickets, voids and cancellations; every
   ticket of it graded again; what the house says was won, by number, sum and digest;
6. every payment, refund and expiry, ticket by ticket; ticket and game numbers without a gap;
   approvals where they are due; and the figures with which each day was closed;
7. the reports that can be worked out from the entries.

Exit codes: 0 no fault; 2 it was called wrongly; 3 there are faults, listed by code; 4 no fault, but
the bundle has reports that were not checked against the entries, or only in part; 6 no fault, but
no keys were given: the bundle is consistent with itself, and no more.

The keys given with --keys are what everything rests on: have them from elsewhere than the bundle.
They are PEM files named for their role (log.pem, office.pem, rng.pem, inspector.pem, mark.pem;
later ones log-2.pem and so on), or the keys.json that the house publishes.
"""

import argparse
import json
import re
import stat
import struct
import sys
import tomllib
import zlib
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import cache
from hashlib import sha256, sha512
from hmac import digest as hmac_digest
from math import comb, floor, gcd
from pathlib import Path
from time import monotonic
from typing import BinaryIO, NoReturn, TypeVar, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
    load_pem_public_key,
)

DONE, USAGE, FAULTY, UNCHECKED, NOBODYS = 0, 2, 3, 4, 6
LARGEST = 2**53 - 1  # the largest whole number that canonical JSON has
FAULTS_LISTED = 1_000  # of one code; of more only the count is reported
REPORTS_LISTED = 200  # by name, for people; the JSON document has all names
LINE_MAX = 400_000  # bytes of a line of JSON; an entry has 60,000 at most, before it is quoted
DOCUMENT_MAX = 64 * 1024 * 1024  # bytes of a manifest
DEPTH_MAX = 64  # objects and arrays within each other; a house makes fewer than ten
FILES_MAX = 100_000
DIRECTORY_MAX = 64 * 1024 * 1024  # bytes of the directory of the zip file
GAMES_MAX = 100_000  # of one ticket
DAYS_MAX = 5_000
# Deflate makes text ten times smaller, at the very best a thousand times. What shrinks more than
# this, and is large, is there to fill a disk or a memory.
SHRINKS_MAX, SMALL = 250, 16 * 1024 * 1024
ROLES = ("office", "log", "rng", "inspector", "mark")
BOARD = frozenset(range(1, 81))
# An act reads the time, and its entry gets its place a little later; others come in between. The
# database lets go of an act that stands still for 15 seconds; a few may wait for each other.
LATE = timedelta(seconds=60)
APART = timedelta(seconds=300)  # the clocks of the house and of the inspector
ROUNDED = timedelta(seconds=1)  # entries tell milliseconds, and the house counts finer
RATES_JUDGED = 500  # of a wager: what rounding adds to larger ones is next to nothing
NOTICE = timedelta(minutes=1)  # for which a rate card is published before it holds (8.3)

# Every kind of fault, and what it means.
FAULTS = {
    "bundle.not_zip": "The file is no zip file, or is cut short.",
    "bundle.hostile": "The file is made as no house makes one: do not unpack it.",
    "bundle.ambiguous": "The file can be read in more than one way: do not unpack it.",
    "bundle.unreadable": "Something in it is not of the form that it must have.",
    "json.malformed": "A document is not canonical JSON, or a field of it is missing or wrong.",
    "file.missing": "A file is not in the bundle.",
    "file.changed": "A file is not the one that the manifest lists.",
    "file.unlisted": "A file is in the bundle, and the manifest does not list it.",
    "file.unreadable": "A file is damaged.",
    "manifest.malformed": "The manifest is not one.",
    "manifest.origin": "The bundle is of another log than the keys are for.",
    "origin.malformed": "The log is not said by both keys to go on under another name.",
    "origin.kept": "What is left of a log is not shown to be a beginning of what was lost.",
    "origin.told_otherwise": "An entry tells of another name of the log than both keys gave it.",
    "keys.malformed": "A key is none, or of the wrong kind.",
    "keys.missing": "There is no key of a role.",
    "keys.other": "A key in the bundle is not among those that you gave.",
    "keys.unknown": "Something names a key that is not known, or one of another role.",
    "keys.origin": "The keys in the bundle are those of another log.",
    "signature.wrong": "A signature does not fit, or is not by whom it must be.",
    "head.malformed": "A head of the log is not a signed note of this log.",
    "head.signature": "The log has not signed a head.",
    "head.cosignature": "The inspector has not cosigned a head.",
    "head.other": "A head is another one than it must be.",
    "head.order": "The heads are not in order, or the last is missing.",
    "log.tiles": "The hashes of what lies before the entries are missing, or too many.",
    "log.root": "The entries do not lead to a head that was signed.",
    "entry.leaf": "An entry says something else than its leaf commits to.",
    "entry.label": "An entry is of another kind than it says.",
    "entry.gap": "An entry is missing, or in another place.",
    "entry.order": "An earlier entry is out of order.",
    "entry.proof": "An earlier entry is not shown to be in the log.",
    "entry.lost": "Of an entry nothing is known but its leaf.",
    "entry.time": "An entry is dated long before one that stands before it.",
    "entry.cosigned_before": "The inspector cosigned an entry long before the time that it says.",
    "house.missing": "The terms of the house are not in the bundle.",
    "house.twice": "The house is founded twice, or not by the first entry of the log.",
    "house.other": "The manifest names another house than the log.",
    "house.time_zone": "This machine does not know the time zone of the house.",
    "card.malformed": "A rate card cannot be read.",
    "card.hash": "A rate card is not the one that was hashed.",
    "card.unknown": "A rate card is in the bundle, and no entry tells of it.",
    "card.not_accepted": "A rate card was put into force that two did not accept.",
    "card.unlawful": "A rate card was put into force that the rule does not allow.",
    "card.notice": "A rate card was put into force without having been published before.",
    "draw.malformed": "A record is neither that of a draw nor that of a void.",
    "draw.other_game": "A record, or a part of it, is of another game.",
    "draw.other_house": "A record is of another house or log.",
    "draw.other_statement": "A record is not of the statement that stands with it.",
    "draw.other_intent": "A record is not of the intent, or tombstone, that stands with it.",
    "draw.other_lock": "A game was drawn for another LOCK entry than the log has.",
    "draw.other_record": "The log tells of another record than the one in the bundle.",
    "draw.mark": "The mark is not the inspector's.",
    "draw.numbers": "The numbers do not follow from intent and mark.",
    "draw.seal": "The seal of a draw does not cover its LOCK entry.",
    "draw.chain": "A record does not build on the one before.",
    "draw.gap": "A record is missing.",
    "draw.order": "A record stands in the wrong file.",
    "draw.twice": "A game ended twice.",
    "draw.missing": "The log tells of a draw whose record is missing, or has a fault.",
    "draw.not_locked": "A game ended that was not locked.",
    "draw.not_told": "No entry tells of a record.",
    "draw.told_otherwise": "An entry tells of something else than the record.",
    "draw.time": "A game was drawn before the inspector cosigned its seal.",
    "game.gap": "A game number is missing.",
    "game.day": "A game was locked on another day than it says.",
    "game.sold_file": "What was sold for a game is not what its lock states.",
    "game.cards": "The rate cards of a game are not those of its tickets.",
    "game.card": "A game was opened on another rate card than the one in force.",
    "game.not_locked": "A game was graded that was not locked.",
    "game.not_drawn": "A game was graded that was not drawn.",
    "game.not_graded": "A game was certified or frozen that was not graded.",
    "game.not_frozen": "A game was released that was not frozen.",
    "game.graded_again": "A game was graded again that was not released.",
    "game.wins": "What was won in a game is not what the house says.",
    "game.certified": "A certification is of something else than the game.",
    "ticket.gap": "A ticket number is missing, or stands twice.",
    "ticket.twice": "A ticket was sold twice.",
    "ticket.malformed": "A ticket plays what cannot be played.",
    "ticket.card": "A ticket is on a card that is missing, or does not offer what it plays.",
    "ticket.game": "The opening of the game that a ticket was sold for is not in the bundle.",
    "ticket.card_in_force": "A ticket is on another card than its first game was opened on.",
    "ticket.ways": "A ticket does not have the ways that it states.",
    "ticket.price": "The price of a ticket is not that of its lines.",
    "ticket.limits": "A ticket is outside the limits of its card: a rate, its price, its games.",
    "ticket.tender": "What was paid for a ticket is not its price.",
    "ticket.leaf": "An act names another entry as that of its ticket.",
    "ticket.behind_lock": "A ticket was sold for a game that was locked.",
    "void.unknown": "A ticket was voided that is not in play.",
    "void.behind_lock": "A ticket was voided whose game was locked.",
    "void.amount": "A void gave back something else than the price.",
    "void.in_part": "A ticket was voided of which a part was given back before.",
    "void.kind": "A void gave back another kind of money than was paid.",
    "refund.unknown": "Something was given back for a ticket of which nothing goes back.",
    "refund.games": "A refund is for other games than those that go back.",
    "refund.behind_lock": "A game was cancelled that was locked.",
    "refund.amount": "A refund is not the price of its games.",
    "payment.amount": "A ticket was not paid what it won.",
    "payment.back": "What went back with a payment is not the price of the void games.",
    "payment.gradings": "A payment shows other gradings than there were.",
    "payment.twice": "A ticket was paid twice.",
    "payment.expired": "A ticket was paid whose win had expired.",
    "payment.late": "A ticket was paid after its time, and was not brought in time.",
    "payment.no_win": "A ticket was paid that won nothing.",
    "payment.not_decided": "A ticket was paid before all its games were decided.",
    "shown.missing": "A payment does not say what was shown for it.",
    "shown.digits": "A payment was for a part of a code that is none, or is too little of it.",
    "shown.identity": "A payment of what could not be read was to nobody who is known.",
    "shown.early": "A payment without paper that can be read was made too early.",
    "shown.looked_up": "A payment of what could not be read was made by who had looked it up.",
    "shown.window": "A ticket that was reported lost was paid at a window.",
    "expiry.amount": "What expired is not what was won.",
    "expiry.twice": "A win expired that was paid.",
    "expiry.expired": "A win expired twice.",
    "expiry.no_win": "A win expired that was none.",
    "expiry.not_decided": "A win expired before all games of its ticket were decided.",
    "expiry.unknown": "When a ticket expires cannot be told: a lock is not in the bundle.",
    "expiry.time": "A win expired at another time than the time to claim it ends.",
    "expiry.early": "A win expired while it could still be claimed.",
    "expiry.presented": "A win expired whose ticket was brought in time.",
    "approval.missing": "An approval was due, and there was none.",
    "approval.role": "Somebody approved who may not.",
    "approval.same": "Somebody approved an act of their own, or twice.",
    "approval.disabled": "Somebody approved who was disabled.",
    "day.gap": "A day was closed out of order.",
    "day.before": "The close of the day before is not in the bundle.",
    "day.begins": "The bundle is not shown to begin before its first day.",
    "day.closed_early": "A day was closed before it was over.",
    "day.bounds": "A day ended at another time than it says.",
    "day.not_closed": "The close of a day is not in the bundle.",
    "day.closed_before": "An act is of a day that was closed before it.",
    "day.undecided": "A day was closed before its games were decided.",
    "day.figures": "The figures of a day are not what its acts and games come to.",
    "day.frozen": "The frozen games of a day are others than it says.",
    "day.unclaimed": "What is unclaimed does not come to what is owed.",
    "day.standing": "Of what stands until it is said otherwise, an entry was left out.",
    "day.drawers": "The drawers of a day do not hold what its acts moved.",
    "report.malformed": "A report is not one, or is of another house or other days.",
    "report.hash": "A report does not have the hash that it states.",
    "report.figures": "A report says something else than the entries come to.",
}


class Wrong(Exception):  # noqa: N818  a finding about the bundle, not an error of ours
    """Something is not what it must be; the code says what kind of thing, the text says what."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NotToBeUsed(Exception):  # noqa: N818  the caller's mistake
    """The program was called in a way that cannot be carried out."""


# What reading something malformed can come to, beside our own finding.
UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
DAMAGED = (OSError, zlib.error)


# ---- what was found ------------------------------------------------------------------------------


# A fault makes others: a changed entry a wrong root, a ticket without a price a game without its
# sales. Faults of an earlier stage are listed first. A stage has families of codes, or single ones.
STAGES = (
    ("bundle", "file", "manifest"),
    ("keys", "signature"),
    ("origin", "head", "log", "entry", "day.standing", "draw.other_lock"),
    ("house", "card", "game.card"),
    ("ticket", "void", "refund.behind_lock"),
    ("draw",),
    ("game",),
    ("payment", "refund", "expiry", "approval"),
    ("day",),
    ("report",),
)
STAGE_OF = {name: number for number, names in enumerate(STAGES) for name in names}
WHOLE = "all of it"  # of a report: nothing in it was checked against the entries

# What cannot be read belongs to the stage of its file.
STAGE_OF_FILE = {"manifest.json": 0, "keys.json": 1, "cards": 3, "draws": 5, "reports": 9}
OF_ANY_FILE = ("json.malformed", "bundle.unreadable")


@dataclass(frozen=True)
class Fault:
    """A fault: of what kind, where, and what it is."""

    code: str
    where: str
    message: str

    @property
    def stage(self) -> int:
        """Return the number of its stage; the log's, if it is in an entry."""
        if self.code in OF_ANY_FILE:
            return STAGE_OF_FILE.get(self.where.split("/")[0], STAGE_OF["log"])
        return STAGE_OF.get(self.code, STAGE_OF.get(self.code.split(".")[0], len(STAGES)))


@dataclass
class Report:
    """All that was checked, and all that was found."""

    about: dict[str, object] = field(default_factory=dict)
    checked: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)  # faults by code
    lost: list[int] = field(default_factory=list)  # places of entries of which the leaf is known
    has_keys: bool = True  # that the caller gave, and not whoever made the bundle
    notes: list[str] = field(default_factory=list)
    # Names of reports, each with the parts of it that were not checked against the entries.
    reports: dict[str, list[str]] = field(default_factory=dict)
    progress: Callable[[str], None] = lambda _: None
    _listed: list[Fault] = field(default_factory=list)  # as they were found

    def fault(self, code: str, where: str, message: str) -> None:
        """Note a fault."""
        self.counts[code] += 1
        if self.counts[code] <= FAULTS_LISTED:
            self._listed.append(Fault(code, where, message))

    @property
    def faults(self) -> list[Fault]:
        """The faults, causes first: by stage, and within a stage by their place in the log."""
        return sorted(self._listed, key=lambda fault: fault.stage)

    @property
    def faults_more(self) -> int:
        """How many faults are counted and not listed."""
        return self.counts.total() - len(self._listed)

    def note(self, text: str) -> None:
        """Note what is no fault, but ought to be known."""
        if text not in self.notes and len(self.notes) < FAULTS_LISTED:
            self.notes.append(text)

    def tried(self, where: str, check: Callable[..., object], *arguments: object) -> bool:
        """Make a check, and note as a fault whatever it finds; say whether it went well."""
        try:
            check(*arguments)
        except Wrong as found:
            self.fault(found.code, where, str(found))
        except UNREADABLE as odd:
            self.fault("bundle.unreadable", where, f"it cannot be read: {_short(odd)}")
        except DAMAGED as broken:
            self.fault("file.unreadable", where, f"the file is damaged: {_short(broken)}")
        else:
            return True
        return False

    @property
    def is_borne_out(self) -> bool:
        """Whether every report was checked against the entries, in full."""
        return not any(self.reports.values())

    @property
    def exit_code(self) -> int:
        """How the program ends."""
        if self.counts:
            return FAULTY
        if not self.has_keys:
            return NOBODYS
        return DONE if self.is_borne_out else UNCHECKED

    def document(self) -> dict[str, object]:
        """Return all of it as one document."""
        verdicts = {FAULTY: "faults", DONE: "sound", NOBODYS: "consistent",
                    UNCHECKED: "sound_but_reports"}  # fmt: skip
        return {
            "verdict": verdicts[self.exit_code],
            **self.about,
            "checked": dict(self.checked),
            "lost": self.lost,
            "faults": [vars(fault) for fault in self.faults],
            "faults_more": self.faults_more,
            "fault_counts": dict(sorted(self.counts.items())),
            "reports": {
                "checked": [name for name, parts in self.reports.items() if not parts],
                "in_part": {name: parts for name, parts in self.reports.items()
                            if parts and parts != [WHOLE]},
                "not_checked": [name for name, parts in self.reports.items() if parts == [WHOLE]],
            },
            "notes": self.notes,
        }  # fmt: skip

    def text(self) -> str:
        """Return all of it for people; repeats of a fault are counted."""
        told = {"from": "First day", "to": "Last day", "house": "House", "keys": "Keys"}
        lines = [
            f"{words:<29} {self.about[name]}" for name, words in told.items() if name in self.about
        ]
        lines += [f"{name:<29} {count:,}" for name, count in self.checked.items()]
        lines += ["", *(f"Note: {note}" for note in self.notes), *self._report_lines()]
        firsts: dict[str, Fault] = {}
        for fault in self.faults:
            firsts.setdefault(fault.code, fault)
        for code, fault in firsts.items():
            more = self.counts[code] - 1
            like_it = f" (and {more:,} more like it)" if more else ""
            lines.append(f"FAULT {code}, {fault.where}: {fault.message}{like_it}")
        if self.lost:
            places = ", ".join(map(str, self.lost[:20])) + (", ..." if len(self.lost) > 20 else "")
            lines.append(f"{len(self.lost):,} ENTRIES ARE LOST: {places}.")
        return "\n".join([*lines, self._verdict()]).replace("\n\n\n", "\n\n")

    def _report_lines(self) -> Iterator[str]:
        """Yield which reports were checked against the entries, and which were not, by name."""
        checked = [name for name, parts in self.reports.items() if not parts]
        in_part = [
            f"{name} (not checked: {', '.join(parts)})"
            for name, parts in self.reports.items()
            if parts and parts != [WHOLE]
        ]
        others = [name for name, parts in self.reports.items() if parts == [WHOLE]]
        for words, names in (("checked against the entries", checked),
                             ("checked in part", in_part),
                             ("NOT checked against the entries", others)):  # fmt: skip
            if names:
                listed = ", ".join(names[:REPORTS_LISTED])
                yield f"Reports {words}: {listed}{', ...' * (len(names) > REPORTS_LISTED)}"

    def _verdict(self) -> str:
        """Return the last line."""
        unchecked = sum(map(bool, self.reports.values()))
        if self.counts:
            return f"{self.counts.total():,} FAULTS."
        if not self.has_keys:
            return "CONSISTENT WITH ITSELF; NOBODY'S KEYS WERE GIVEN."
        if unchecked:
            told = "1 REPORT WAS" if unchecked == 1 else f"{unchecked:,} REPORTS WERE"
            return f"NO FAULTS, BUT {told} NOT CHECKED AGAINST THE ENTRIES, OR ONLY IN PART."
        return "NO FAULTS."


def _short(trouble: object) -> str:
    text = f"{type(trouble).__name__}: {trouble}"
    return text if len(text) <= 200 else f"{text[:197]}..."


# ---- canonical JSON (RFC 8785, whole numbers only) -----------------------------------------------


def canonical(value: object) -> bytes:
    """Return the one byte form of a value."""
    return _WRITER.encode(value).encode()


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _no_fraction(text: str) -> NoReturn:
    raise Wrong("json.malformed", f"{text[:20]} is not a whole number")


def _whole_number(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > LARGEST:
        raise Wrong("json.malformed", "a whole number is beyond 2^53 - 1")
    return int(text)


_READER = json.JSONDecoder(
    parse_float=_no_fraction, parse_constant=_no_fraction, parse_int=_whole_number
)


# All that is no bracket, and texts and comments as a whole, which may lack their end.
_NO_JSON_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[^"\[\]{}]++', re.DOTALL)
_NO_TOML_BRACKETS = re.compile(
    r"#[^\n]*+|'{3}.*?(?:'{3}|\Z)|'[^'\n]*+'?"
    r'|"{3}(?:[^"\\]++|\\.|"(?!""))*+(?:"{3})?|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    r"""|[^#'"\[\]{}]++""",
    re.DOTALL,
)


def _check_depth(others: re.Pattern[str], text: str, code: str) -> None:
    """Check how deep brackets nest before anything follows them down."""
    depth = 0
    for sign in others.sub("", text):
        if sign in "[{":
            depth += 1
            if depth > DEPTH_MAX:
                raise Wrong(code, f"it is nested deeper than {DEPTH_MAX} levels")
        elif sign in "]}":
            depth -= 1


# An object of a JSON document. What a field of it holds is known once `part` has read it.
Json = dict[str, object]
Kind = TypeVar("Kind")


def read_json(data: bytes) -> object:
    """Return what canonical bytes say; anything else is refused, and so is a name that is twice."""
    if data.count(b"[") + data.count(b"{") > DEPTH_MAX:  # else it cannot be that deep
        _check_depth(_NO_JSON_BRACKETS, data.decode("latin-1"), "json.malformed")
    try:
        value = _READER.decode(data.decode())
        same = canonical(value) == data
    except ValueError as trouble:
        raise Wrong("json.malformed", f"it is not JSON: {_short(trouble)}") from None
    if not same:
        raise Wrong("json.malformed", "it is JSON, but not in its canonical form")
    return value


def document_hash(body: object) -> str:
    """Return the hash by which other documents name a body."""
    return sha256(canonical(body)).hexdigest()


# Parts of documents: what is missing or of another kind is refused.


def part(document: object, name: str, kind: type[Kind]) -> Kind:
    """Return a field of an object, which must be of its kind."""
    value = document.get(name) if type(document) is dict else None
    if type(value) is not kind:
        raise Wrong("json.malformed", f"{name!r} is not {kind.__name__}")
    return value


def an_object(value: object) -> Json:
    """Return a value that must be an object."""
    if type(value) is not dict:
        raise Wrong("json.malformed", "it is not an object")
    return value


def whole(document: object, name: str, least: int = 0, most: int = LARGEST) -> int:
    """Return a whole number of an object, within bounds."""
    value = part(document, name, int)
    if not least <= value <= most:
        raise Wrong("json.malformed", f"{name!r} is not from {least} to {most}")
    return value


def text_of(document: object, name: str) -> str:
    """Return a text of an object."""
    return part(document, name, str)


def hex_of(document: object, name: str, size: int = 32) -> bytes:
    """Return bytes of an object, which stand there in lower-case hexadecimal."""
    return from_hex(text_of(document, name), name, size)


def from_hex(text: object, name: str, size: int = 32) -> bytes:
    """Return bytes from lower-case hexadecimal."""
    if type(text) is not str or not re.fullmatch(f"[0-9a-f]{{{2 * size}}}", text):
        raise Wrong("json.malformed", f"{name!r} is not {size} bytes in hexadecimal")
    return bytes.fromhex(text)


# ---- the bundle ----------------------------------------------------------------------------------

_NAMES = re.compile(
    r"manifest\.json|README\.txt|keys\.json"
    r"|log/(?:checkpoint|checkpoints\.jsonl|entries\.jsonl|carried\.jsonl|origins\.jsonl)"
    r"|log/tile/[0-9]{1,2}/(?:x[0-9]{3}/){0,6}[0-9]{3}\.p/[1-9][0-9]{0,2}"
    r"|draws/(?:before|[A-Z][A-Z0-9]{0,7})\.jsonl"
    r"|cards/[0-9a-f]{64}\.toml"
    r"|reports/[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
)


# Records of a zip file (APPNOTE.TXT 4.3). Every number in them is little-endian.
_LOCAL = struct.Struct("<4s5H3L2H")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 1  # a flag
_IN_EXTRA = 0xFFFFFFFF  # the number is in the extra field, because it may be larger
_EXTRA_MAX = 20  # bytes of the extra field before a file: two large numbers
_COMMENT_MAX = 0xFFFF
_PIECE = 1 << 18  # bytes that are read or unpacked at a time


def _ambiguous(message: str) -> Wrong:
    return Wrong("bundle.ambiguous", message)


@dataclass(frozen=True)
class Packed:
    """A file of the bundle: where its data begin, and how they are packed."""

    name: str
    starts: int
    packed_size: int
    size: int
    crc: int
    is_deflated: bool


class Bundle:
    """The files of a bundle. Nothing is unpacked: they are read where they are, piece by piece.

    A zip file says twice what is in it, before each file and in its directory, and readers differ
    in which of the two they believe. Only one is accepted that says the same to all of them: files
    one behind the other from the first byte on, then the directory, in the same order and with the
    same words, then the end record, and nothing else.
    """

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            Wrong: it is no zip file, or one that no house makes.
        """
        self.files: dict[str, Packed] = {}
        try:
            self._file: BinaryIO = path.open("rb")
        except OSError as trouble:
            raise Wrong("bundle.not_zip", f"it cannot be read: {_short(trouble)}") from None
        try:
            self._read_directory(path.stat().st_size)
        except (OSError, struct.error) as trouble:
            self.close()
            raise Wrong("bundle.not_zip", f"it is no zip file: {_short(trouble)}") from None
        except Wrong:
            self.close()
            raise

    def close(self) -> None:
        """Close the zip file."""
        self._file.close()

    def _at(self, place: int, size: int) -> bytes:
        self._file.seek(place)
        return self._file.read(size)

    # ---- the zip file ------------------------------------------------------------------------

    def _read_directory(self, length: int) -> None:
        count, starts, size = self._read_end(length)
        if count > FILES_MAX or size > DIRECTORY_MAX:
            raise Wrong("bundle.hostile", f"it has more than {FILES_MAX:,} files")
        directory, place, ends = self._at(starts, size), 0, 0
        for _ in range(count):
            place, ends = self._read_entry(directory, place, starts, ends)
        if place != size:
            raise _ambiguous("its directory has more entries than its end record says")
        if ends != starts:
            raise _ambiguous("there is something between its last file and its directory")

    def _read_end(self, length: int) -> tuple[int, int, int]:
        """Return how many files there are, where their directory starts, and its size."""
        ends = length - _END.size
        tail = self._at(max(0, ends - _COMMENT_MAX), _END.size + _COMMENT_MAX)
        if b"PK\x05\x06" not in tail:
            raise Wrong(
                "bundle.not_zip", "it is no zip file, or is cut short: it has no end record"
            )
        if ends < 0 or tail[-_END.size :][:4] != b"PK\x05\x06" or tail[-2:] != b"\0\0":
            raise _ambiguous("its end record is not at its end, or has a comment")
        _, disk, first_disk, here, count, size, starts, _ = _END.unpack(tail[-_END.size :])
        if disk or first_disk or here != count:
            raise _ambiguous("its end record tells of several disks")
        locator = self._at(ends - _LOCATOR.size, _LOCATOR.size) if ends >= _LOCATOR.size else b""
        if locator[:4] == b"PK\x06\x07":
            ends -= _LOCATOR.size + _END_64.size
            large = self._read_large_end(locator, ends)
            if (count, size, starts) != (
                min(large[0], 0xFFFF), min(large[1], _IN_EXTRA), min(large[2], _IN_EXTRA),
            ):  # fmt: skip
                raise _ambiguous("its two end records do not say the same")
            count, size, starts = large
        if starts + size != ends:
            raise _ambiguous("its directory does not end where its end record begins")
        return count, starts, size

    def _read_large_end(self, locator: bytes, place: int) -> tuple[int, int, int]:
        """Return what the end record of a large zip file says: count, size and start."""
        if place < 0 or _LOCATOR.unpack(locator) != (b"PK\x06\x07", 0, place, 1):
            raise _ambiguous("its large end record is not before its end record")
        mark, size_of_it, _, _, disk, first_disk, here, count, size, starts = _END_64.unpack(
            self._at(place, _END_64.size)
        )
        told = mark, size_of_it, disk, first_disk, here
        if told != (b"PK\x06\x06", _END_64.size - 12, 0, 0, count):
            raise _ambiguous("its large end record is not one of a single disk")
        return count, size, starts

    def _read_entry(self, directory: bytes, place: int, starts: int, ends: int) -> tuple[int, int]:
        """Take the next file; return where the next entry begins, and where its data end.

        Args:
            directory: all entries.
            place: where the entry begins in it.
            starts: where the directory starts.
            ends: where the file before it ends.
        """
        if len(directory) < place + _ENTRY.size:
            raise _ambiguous("its directory has fewer entries than its end record says")
        mark, _, *about, name_size, extra_size, comment_size, disk, _, attributes, offset = (
            _ENTRY.unpack_from(directory, place)
        )
        place += _ENTRY.size
        raw = directory[place : place + name_size]
        extra = directory[place + name_size : place + name_size + extra_size]
        place += name_size + extra_size
        if mark != b"PK\x01\x02" or comment_size or disk or place > len(directory):
            raise _ambiguous("an entry of its directory is not one, or has a comment")
        name = raw.decode("latin-1")
        *version_to_date, crc, packed_size, size = about
        packed_size, size, offset = _large(name, extra, packed_size, size, offset)
        self._admit(name, version_to_date, attributes, packed_size, size)
        if offset < ends:
            raise Wrong("bundle.hostile", f"{name} shares its bytes with another file")
        if offset > ends:
            raise _ambiguous(f"there is something before {name} that is no file")
        if offset + _LOCAL.size + name_size + packed_size > starts:
            raise Wrong("bundle.hostile", "its files are larger than it is")
        begins = self._check_local(offset, raw, [*version_to_date, crc], packed_size, size)
        is_deflated = version_to_date[2] == _DEFLATED
        self.files[name] = Packed(name, begins, packed_size, size, crc, is_deflated)
        return place, begins + packed_size

    def _admit(
        self, name: str, about: list[int], attributes: int, packed_size: int, size: int
    ) -> None:
        """Check what a file is called and how it is packed."""
        _, flags, method, *_ = about
        if not _NAMES.fullmatch(name):
            raise Wrong("bundle.hostile", f"it has a file {name[:100]!r}, which no bundle has")
        if name in self.files:
            raise Wrong("bundle.hostile", f"it has the file {name} twice")
        if method not in (_STORED, _DEFLATED) or flags & _ENCRYPTED:
            raise Wrong("bundle.hostile", f"{name} is encrypted, or packed in another way")
        if stat.S_IFMT(attributes >> 16) not in (0, stat.S_IFREG):
            raise Wrong("bundle.hostile", f"{name} is a link, or something else that is no file")
        if size > max(SMALL, SHRINKS_MAX * packed_size):
            raise Wrong("bundle.hostile", f"{name} would unpack to {size:,} bytes")
        if flags:
            raise _ambiguous(f"{name} has flags that no bundle has")
        if method == _STORED and size != packed_size:
            raise _ambiguous(f"{name} is not packed, and yet has two sizes")

    def _check_local(
        self, offset: int, raw: bytes, about: list[int], packed_size: int, size: int
    ) -> int:
        """Check that the header before a file says what the directory says; return its end."""
        header = self._at(offset, _LOCAL.size + len(raw) + _EXTRA_MAX + 1)
        name = raw.decode("latin-1")
        mark, *said, name_size, extra_size = _LOCAL.unpack_from(header)
        *same, its_packed_size, its_size = said
        its_name = header[_LOCAL.size : _LOCAL.size + name_size]
        starts = _LOCAL.size + len(raw)
        extra = header[starts : starts + extra_size]
        if (mark, its_name, same) != (b"PK\x03\x04", raw, about):
            raise _ambiguous(f"the header before {name} does not say what the directory says")
        if _large(name, extra, its_packed_size, its_size) != (packed_size, size):
            raise _ambiguous(f"the header before {name} says another size than the directory")
        return offset + starts + len(extra)

    # ---- its files ---------------------------------------------------------------------------

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield a file piece by piece; at its end, it must be what its header says."""
        packed = self.files.get(name)
        if packed is None:
            raise Wrong("file.missing", "it is not in the bundle")
        crc = size = 0
        for piece in self._unpacked(packed):
            crc, size = zlib.crc32(piece, crc), size + len(piece)
            if size > packed.size:
                raise _ambiguous("it unpacks to more bytes than its header says")
            yield piece
        if (crc, size) != (packed.crc, packed.size):
            raise Wrong("file.unreadable", "the file is damaged: its size or CRC-32 is another")

    def _unpacked(self, packed: Packed) -> Iterator[bytes]:
        place, ends = packed.starts, packed.starts + packed.packed_size
        inflate = zlib.decompressobj(-zlib.MAX_WBITS) if packed.is_deflated else None
        while place < ends:
            data = self._at(place, min(_PIECE, ends - place))
            if not data:
                raise Wrong("file.unreadable", "the file is damaged: it is cut short")
            place += len(data)
            if inflate is None:
                yield data
                continue
            while data and not inflate.eof:
                yield inflate.decompress(data, _PIECE)
                data = inflate.unconsumed_tail
            if inflate.eof and (inflate.unused_data or data or place < ends):
                raise _ambiguous("there is something behind its data")
        if inflate is not None:
            while not inflate.eof and (piece := inflate.decompress(b"", _PIECE)):
                yield piece
            if not inflate.eof:
                raise Wrong("file.unreadable", "the file is damaged: it is cut short")

    def read(self, name: str, most: int = LINE_MAX) -> bytes:
        """Return the whole of a small file."""
        found, size = list[bytes](), 0
        for piece in self.pieces(name):
            found.append(piece)
            size += len(piece)
            if size > most:
                raise Wrong("bundle.hostile", f"it has more than {most:,} bytes")
        return b"".join(found)

    def lines(self, name: str) -> Iterator[Json]:
        """Yield what each line of a file says, which must be an object."""
        number, rest = 0, b""
        for piece in self.pieces(name):
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                number += 1
                yield _line(line, number)
            if len(rest) > LINE_MAX:
                break
        if rest:
            raise Wrong("json.malformed", f"line {number + 1} does not end, or is too long")

    def digest(self, name: str) -> tuple[int, str]:
        """Return size and hash of a file."""
        found, size = sha256(), 0
        for piece in self.pieces(name):
            found.update(piece)
            size += len(piece)
        return size, found.hexdigest()


def _large(name: str, extra: bytes, *numbers: int) -> tuple[int, ...]:
    """Return packed size, size and offset of a header, the large ones from its extra field.

    There the size comes before the packed size (APPNOTE.TXT 4.5.3), and nothing else is in it.
    """
    found, size = list(numbers), 8 * numbers.count(_IN_EXTRA)
    if extra[:4] != (struct.pack("<2H", 1, size) if size else b"") or len(extra) != size + 4 * bool(
        size
    ):
        raise _ambiguous(f"{name} has an extra field that no bundle has")
    for place in (1, 0, 2)[: len(numbers)]:
        if found[place] == _IN_EXTRA:
            (found[place],) = struct.unpack_from("<Q", extra, len(extra) - size)
            size -= 8
    return tuple(found)


def _line(line: bytes, number: int) -> Json:
    """Return what a line says."""
    if len(line) > LINE_MAX:
        raise Wrong("json.malformed", f"line {number} is too long")
    try:
        return an_object(read_json(line))
    except Wrong as found:
        raise Wrong(found.code, f"line {number}: {found}") from None


# ---- keys and signatures -------------------------------------------------------------------------


class Keys:
    """Public keys by role; a role may have had several, one after the other."""

    def __init__(self, named: dict[str, bytes]) -> None:
        """Take keys by their names: `rng`, and those before and after it, `rng-1` and so on."""
        self.by_role: dict[str, dict[str, Ed25519PublicKey | RSAPublicKey]] = defaultdict(dict)
        for name, der in named.items():
            role = name.split("-")[0]
            if role not in ROLES:
                raise Wrong("keys.malformed", f"there is no role {role[:20]!r}")
            key = _load(der)
            if isinstance(key, RSAPublicKey) != (role == "mark"):
                raise Wrong("keys.malformed", f"the key {name} is of the wrong kind")
            if isinstance(key, RSAPublicKey):
                _check_mark_key(key)
            self.by_role[role][sha256(der).hexdigest()] = key
        missing = [role for role in ROLES if not self.by_role[role]]
        if missing:
            raise Wrong("keys.missing", f"there is no key of {', '.join(missing)}")

    def ed25519(self, role: str) -> list[Ed25519PublicKey]:
        """Return the Ed25519 keys of a role."""
        return [key for key in self.by_role[role].values() if isinstance(key, Ed25519PublicKey)]

    def named(self, role: str, key_id: str) -> Ed25519PublicKey | RSAPublicKey:
        """Return the key of a role by its id: a key of another role will not do."""
        key = self.by_role[role].get(key_id)
        if key is None:
            raise Wrong(
                "keys.unknown", f"the {role} key {key_id[:16]} is not among the public keys"
            )
        return key

    def check_sealed(self, sealed: object, role: str, key_id: str | None = None) -> Json:
        """Return the body of a document that just one key of a role has signed.

        Args:
            sealed: the body with its signature.
            role: whose key signs it.
            key_id: which one it must be, if that is said elsewhere.
        """
        signatures = part(sealed, "signatures", list)
        if key_id is not None and signatures and text_of(signatures[0], "key") != key_id:
            raise Wrong("signature.wrong", f"it is not signed by the {role} key that it names")
        return self.check_signed(sealed, role)

    def check_signed(self, sealed: object, *roles: str) -> Json:
        """Return the body of a document that one key of each role has signed, in that order."""
        body: Json = part(sealed, "body", dict)
        signatures = part(sealed, "signatures", list)
        if len(signatures) != len(roles) or len(an_object(sealed)) != 2:
            raise Wrong("signature.wrong", f"it does not have just {len(roles)} signatures")
        for role, signed in zip(roles, signatures, strict=True):
            key = cast("Ed25519PublicKey", self.named(role, text_of(signed, "key")))
            try:
                key.verify(hex_of(signed, "signature", 64), canonical(body))
            except InvalidSignature:
                raise Wrong("signature.wrong", f"the {role} signature does not fit") from None
        return body


def _load(der: bytes) -> Ed25519PublicKey | RSAPublicKey:
    try:
        key = load_der_public_key(der)
    except ValueError:
        raise Wrong("keys.malformed", "this is no public key") from None
    if not isinstance(key, Ed25519PublicKey | RSAPublicKey):
        raise Wrong("keys.malformed", "this is neither an Ed25519 nor an RSA key")
    return key


def _check_mark_key(key: RSAPublicKey) -> None:
    """A mark key has 3072 bits and e = 65537; else a message could have more than one mark."""
    numbers = key.public_numbers()
    if (numbers.n.bit_length(), numbers.e) != (3072, 65537):
        raise Wrong("keys.malformed", "the mark key does not have 3072 bits and e = 65537")
    if _has_small_factor(numbers.n):
        raise Wrong("keys.malformed", "the modulus of the mark key has a small factor")


@cache  # the same key is looked at in the folder and in the bundle
def _has_small_factor(modulus: int) -> bool:
    return any(modulus % divisor == 0 for divisor in range(2, 65538))


def read_published(data: bytes) -> tuple[dict[str, bytes], str | None]:
    """Return keys and log origin of a keys.json as the house publishes it."""
    _check_depth(_NO_JSON_BRACKETS, data.decode("latin-1"), "keys.malformed")
    try:
        document = json.loads(data)
        origin = document.pop("log_origin", None)
        keys = {str(name): bytes.fromhex(der) for name, der in document.items()}
    except (*UNREADABLE, UnicodeDecodeError):
        raise Wrong("keys.malformed", "keys.json is not a list of keys") from None
    return keys, origin if isinstance(origin, str) else None


def given_keys(folder: Path) -> tuple[dict[str, bytes], str | None]:
    """Return the keys that the caller trusts, and the origin of the log if it is stated.

    Raises:
        NotToBeUsed: there are none, or a file is none.
    """
    keys: dict[str, bytes] = {}
    origin = None
    try:
        published = folder if folder.is_file() else folder / "keys.json"
        if published.is_file():
            keys, origin = read_published(published.read_bytes()[:LINE_MAX])
        for path in sorted(folder.glob("*.pem")):
            if path.name.endswith(".tls.pem") or path.stem.split("-")[0] not in ROLES:
                continue
            public = load_pem_public_key(path.read_bytes()[:LINE_MAX])
            der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            if keys.setdefault(path.stem, der) != der:
                raise NotToBeUsed(f"{path.name} and keys.json have different keys")
        if not keys:
            raise NotToBeUsed(f"there are no public keys in {folder}")
        Keys(keys)
    except (Wrong, OSError, ValueError) as trouble:
        raise NotToBeUsed(f"the keys of {folder} cannot be used: {trouble}") from None
    return keys, origin


# ---- signed notes (C2SP signed-note, tlog-checkpoint, tlog-cosignature) --------------------------

_ED25519, _COSIGNATURE = 0x01, 0x04
_NOTE = re.compile(r"((?:[^\n]+\n)+)\n((?:\u2014 [^ \n]+ [A-Za-z0-9+/=]+\n){1,16})")
_CHECKPOINT = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/=]{44})\n")


@dataclass(frozen=True)
class Head:
    """What a checkpoint states: how many entries the log has, and their root."""

    size: int
    root: bytes
    cosigned_at: datetime | None = field(default=None, compare=False)  # by the inspector's clock


def read_head(note: str, origin: str, keys: Keys, *, cosigned: bool) -> Head:
    """Return the head that a note states, if the log signed it, and the inspector cosigned it.

    Raises:
        Wrong: it is no such note.
    """
    matched = _NOTE.fullmatch(note)
    if matched is None or re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", note):
        raise Wrong("head.malformed", "it is not a signed note")
    text, signatures = matched.groups()
    stated = _CHECKPOINT.fullmatch(text)
    if stated is None or stated[1] != origin:
        raise Wrong("head.malformed", "it is not a checkpoint of this log")
    _check_note(text, signatures, origin, keys.ed25519("log"), None)
    at = None
    if cosigned:
        inspector = keys.ed25519("inspector")
        seconds = _check_note(text, signatures, f"{origin}/inspector", inspector, _COSIGNATURE)
        at = datetime.fromtimestamp(seconds, UTC)
    return Head(int(stated[2]), _base64(stated[3]), at)


def _check_note(
    text: str, lines: str, name: str, keys: list[Ed25519PublicKey], kind: int | None
) -> int:
    """Check that one of the keys has signed a note; a wrong signature of any of them spoils it.

    Return the latest time that a cosignature tells.
    """
    signed, latest = False, 0
    for line in lines.splitlines():
        _, by, encoded = line.split(" ")
        data = _base64(encoded)
        for key in keys:
            raw = key.public_bytes_raw()
            marked = name.encode() + b"\n" + bytes([kind or _ED25519]) + raw
            if (by, data[:4]) != (name, sha256(marked).digest()[:4]):
                continue
            message, signature = text.encode(), data[4:]
            if kind == _COSIGNATURE:
                (at,) = struct.unpack(">Q", data[4:12].rjust(8, b"\0"))
                message, signature = f"cosignature/v1\ntime {at}\n{text}".encode(), data[12:]
                latest = max(latest, at)
            try:
                key.verify(signature, message)
            except InvalidSignature:
                raise Wrong("head.signature", f"the signature by {name} is wrong") from None
            signed = True
    if not signed:
        code = "head.signature" if kind is None else "head.cosignature"
        raise Wrong(code, f"it is not signed by {name}")
    return latest


def _base64(text: str) -> bytes:
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise Wrong("head.malformed", "what should be base64 is not") from None
    if b64encode(data).decode() != text:
        raise Wrong("head.malformed", "what should be base64 has spare bits")
    return data


# ---- the tree (RFC 6962) -------------------------------------------------------------------------


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two others."""
    return sha256(b"\x01" + left + right).digest()


def root_of_leaf(leaf: bytes, place: int, size: int, proof: list[bytes]) -> bytes:
    """Return the root to which a proof leads from a leaf (RFC 9162, 2.1.3.2)."""
    if not 0 <= place < size:
        raise Wrong("entry.proof", f"there is no place {place} in a log of {size}")
    found, last, steps = leaf, size - 1, iter(proof)
    while last:
        if place & 1:
            found = node_hash(next(steps, b""), found)
        elif place < last:
            found = node_hash(found, next(steps, b""))
        place, last = place >> 1, last >> 1
    if next(steps, None) is not None:
        raise Wrong("entry.proof", "its proof is too long")
    return found


def check_beginning(old: Head, new: Head, proof: list[bytes]) -> None:
    """Check that a log is the beginning of a newer one (RFC 9162, 2.1.4.2).

    Raises:
        Wrong: the proof does not show that.
    """
    fits = old.size <= new.size
    if old.size in (0, new.size):
        root = new.root if old.size else sha256().digest()
        fits = fits and not proof and old.root == root
    elif fits:
        place, last, steps = old.size - 1, new.size - 1, list(proof)
        while place & 1:
            place, last = place >> 1, last >> 1
        first = second = steps.pop(0) if place and steps else old.root
        while last and steps:
            if place & 1 or place == last:
                step = steps.pop(0)
                first, second = node_hash(step, first), node_hash(step, second)
                while place and not place & 1:
                    place, last = place >> 1, last >> 1
            else:
                second = node_hash(second, steps.pop(0))
            place, last = place >> 1, last >> 1
        fits = not last and not steps and (first, second) == (old.root, new.root)
    if not fits:
        raise Wrong("origin.kept", "what is left does not continue the head that it is shown by")


class Growing:
    """A tree that only grows: the roots of its full subtrees, the largest first."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[tuple[int, bytes]] = []

    def add_tiles(self, level: int, hashes: list[bytes]) -> None:
        """Begin with full subtrees: the hashes of a partial tile of the public log."""
        while hashes:
            height = len(hashes).bit_length() - 1
            row = hashes[: 1 << height]
            hashes = hashes[1 << height :]
            while len(row) > 1:
                row = [node_hash(row[at], row[at + 1]) for at in range(0, len(row), 2)]
            self._peaks.append((8 * level + height, row[0]))
            self.size += 1 << (8 * level + height)

    def add(self, leaf: bytes) -> None:
        """Add a leaf."""
        height, root = 0, leaf
        while self._peaks and self._peaks[-1][0] == height:
            root = node_hash(self._peaks.pop()[1], root)
            height += 1
        self._peaks.append((height, root))
        self.size += 1

    def root(self) -> bytes:
        """Return the root over everything so far."""
        if not self._peaks:
            return sha256().digest()
        root = self._peaks[-1][1]
        for _, left in reversed(self._peaks[:-1]):
            root = node_hash(left, root)
        return root


# ---- the draw (rng/FORMAT.md) --------------------------------------------------------------------


def draw_numbers(intent_hash: str, mark: str) -> list[int]:
    """Return the twenty numbers that follow from an intent and its mark, in the order drawn."""
    said = {"intent": intent_hash, "label": "keno/draw-seed", "mark": mark, "version": 1}
    words = _words(sha512(canonical(said)).digest())
    balls = list(range(1, 81))
    for place in range(20):
        left = 80 - place
        word = next(words)
        while word >= 65536 - 65536 % left:  # so that each ball is equally likely
            word = next(words)
        pick = place + word % left
        balls[place], balls[pick] = balls[pick], balls[place]
    return balls[:20]


def _words(seed: bytes) -> Iterator[int]:
    """Yield words of 16 bits from an HMAC_DRBG with SHA-256 (SP 800-90A, 10.1.2)."""
    key, value = bytes(32), b"\x01" * 32

    def update(key: bytes, value: bytes, provided: bytes) -> tuple[bytes, bytes]:
        for step in (b"\x00", b"\x01") if provided else (b"\x00",):
            key = hmac_digest(key, value + step + provided, "sha256")
            value = hmac_digest(key, value, "sha256")
        return key, value

    key, value = update(key, value, seed)  # entropy input, nonce and personalization in a row
    while True:
        first = hmac_digest(key, value, "sha256")
        value = hmac_digest(key, first, "sha256")
        yield from struct.unpack(">32H", first + value)
        key, value = update(key, value, b"")


@dataclass
class Ended:
    """A game that was drawn or voided, as its signed record says."""

    series: str
    game: int
    record: str  # its hash
    previous: str
    statement: str  # the hash of the statement
    numbers: frozenset[int] | None = None  # none: it is void
    drawn: list[int] = field(default_factory=list)  # in the order drawn
    sealed: Head | None = None
    is_lost: bool = False  # its seal is of a part of the log that is lost
    seal: str = ""  # its short form
    lock: tuple[int, str] = (-1, "")  # place and leaf of the LOCK entry that it was drawn for
    locked_at: str = ""
    reason: str = ""  # of a void
    before: bool = False  # it ended before the entries of the bundle begin
    told: bool = False  # by an entry of the log


HEADS = ("jurisdiction", "house", "series", "game")


class Draws:
    """Checks draws and voids."""

    def __init__(self, keys: Keys, house: str, jurisdiction: str, origins: dict[str, int]) -> None:
        self._keys, self._origins = keys, origins
        self._house, self._jurisdiction = house, jurisdiction

    def check(self, series: str, game: int, document: object) -> Ended:
        """Return a game that ended, having checked everything about it.

        Raises:
            Wrong: something does not follow.
        """
        names = set(document) if isinstance(document, dict) else set()
        if names == {"statement", "seal", "intent", "record"}:
            ended = self._drawn(an_object(document))
        elif names == {"statement", "tombstone", "record"}:
            ended = self._void(an_object(document))
        else:
            raise Wrong("draw.malformed", "it is neither a draw nor a void")
        if (ended.series, ended.game) != (series, game):
            raise Wrong("draw.other_game", f"it is the record of {ended.series}-{ended.game}")
        return ended

    def _drawn(self, draw: Json) -> Ended:
        said = self._statement(draw, "keno/lock-statement")
        rng_key, mark_key = text_of(said, "rng_key"), text_of(said, "mark_key")
        intent = self._keys.check_sealed(draw["intent"], "rng", rng_key)
        # After a handover the key of the record may be newer than that of the intent.
        record = self._keys.check_sealed(draw["record"], "rng")
        self._check_bodies([(said, "keno/lock-statement"), (intent, "keno/intent"),
                            (record, "keno/draw-record")])  # fmt: skip
        if said.get("derivation") != 1:
            raise Wrong("draw.malformed", "its numbers are derived in a way that is not known here")
        statement, intent_hash = document_hash(said), document_hash(intent)
        if not statement == intent.get("statement") == record.get("statement"):
            raise Wrong("draw.other_statement", "intent or record are of another statement")
        if record.get("intent") != intent_hash:
            raise Wrong("draw.other_intent", "the record is of another intent")
        mark = hex_of(record, "mark", 384)
        self._check_mark(mark_key, canonical(intent), mark)
        numbers = draw_numbers(intent_hash, mark.hex())
        if numbers != record.get("numbers"):
            raise Wrong("draw.numbers", "the numbers do not follow from the intent and its mark")
        note = text_of(part(draw, "seal", dict), "note")
        origin = text_of(said, "log_origin")
        sealed = read_head(note, origin, self._keys, cosigned=True)
        text = note[: note.rfind("\n\n") + 1]
        if text != said.get("checkpoint"):
            raise Wrong("draw.seal", "the seal is not the one of the statement")
        index, leaf = whole(said, "lock_index"), hex_of(said, "lock_leaf")
        proof = [from_hex(step, "proof") for step in part(draw["seal"], "proof", list)]
        if root_of_leaf(leaf, index, sealed.size, proof) != sealed.root:
            raise Wrong("draw.seal", "the LOCK entry is not shown to be under the seal")
        digits = sha256(text.encode()).hexdigest()[:20]
        return Ended(
            series=text_of(said, "series"),
            game=whole(said, "game", 1),
            record=document_hash(record),
            previous=self._previous(said, record),
            statement=statement,
            numbers=frozenset(numbers),
            drawn=numbers,
            sealed=sealed,
            is_lost=sealed.size > self._origins[origin],
            seal=" ".join(digits[place : place + 4] for place in range(0, 20, 4)),
            lock=(index, leaf.hex()),
            locked_at=text_of(said, "locked_at"),
        )

    def _void(self, void: Json) -> Ended:
        said = self._statement(void, "keno/void-statement")
        stone = self._keys.check_sealed(void["tombstone"], "inspector")
        record = self._keys.check_sealed(void["record"], "rng")
        self._check_bodies([(said, "keno/void-statement"), (stone, "keno/tombstone"),
                            (record, "keno/void-record")])  # fmt: skip
        statement = document_hash(said)
        if not statement == stone.get("statement") == record.get("statement"):
            raise Wrong("draw.other_statement", "tombstone or record are of another statement")
        if record.get("tombstone") != document_hash(stone):
            raise Wrong("draw.other_intent", "the record is of another tombstone")
        return Ended(
            series=text_of(said, "series"),
            game=whole(said, "game", 1),
            record=document_hash(record),
            previous=self._previous(said, record),
            statement=statement,
            reason=text_of(said, "reason"),
        )

    def _statement(self, document: Json, label: str) -> Json:
        sealed = document["statement"]
        body = part(sealed, "body", dict)
        if body.get("label") != label:
            raise Wrong("draw.malformed", f"its statement is not {label}")
        return self._keys.check_sealed(sealed, "office", text_of(body, "office_key"))

    def _check_bodies(self, bodies: list[tuple[Json, str]]) -> None:
        """All are what they should be, about the same game, of this house."""
        first, _ = bodies[0]
        for body, label in bodies:
            if (body.get("label"), body.get("version")) != (label, 1):
                raise Wrong("draw.malformed", f"a document is not {label}, version 1")
            if [body.get(name) for name in HEADS] != [first.get(name) for name in HEADS]:
                raise Wrong("draw.other_game", "its documents are not about the same game")
        if (first.get("jurisdiction"), first.get("house")) != (self._jurisdiction, self._house):
            raise Wrong("draw.other_house", "it is a draw of another house")
        if first.get("log_origin", next(iter(self._origins))) not in self._origins:
            raise Wrong("draw.other_house", "it is a draw for another log")

    def _check_mark(self, key_id: str, intent: bytes, mark: bytes) -> None:
        key = cast("RSAPublicKey", self._keys.named("mark", key_id))
        try:
            key.verify(mark, intent, PKCS1v15(), SHA256())
        except InvalidSignature:
            raise Wrong("draw.mark", "the mark is not the inspector's over the intent") from None
        if gcd(int.from_bytes(mark), key.public_numbers().n) != 1:
            raise Wrong("draw.mark", "the mark shares a factor with the modulus")

    @staticmethod
    def _previous(said: Json, record: Json) -> str:
        previous = hex_of(said, "previous").hex()
        if record.get("previous") != previous:
            raise Wrong("draw.chain", "the record builds on another one than its statement")
        return previous


# ---- rate cards and tickets ----------------------------------------------------------------------


@dataclass(frozen=True)
class Card:
    """A rate card, as far as a win depends on it."""

    pays: dict[tuple[str, int], tuple[int, list[int]]]  # schedule, spots: base, pay by catch
    rounding: str
    limit_cents: int | None
    in_full_below_cents: int
    to_claim: timedelta
    spots_max: int
    games_max: int
    ticket_cents: range  # what a ticket may cost, all its games together
    rates: dict[str, "Rates"]  # by schedule
    is_promotion: bool  # a letter of the regulator allows it to leave the house less


@dataclass(frozen=True)
class Rates:
    """What may be wagered on a schedule."""

    cents: range  # on a way
    ways_min: int  # ways on it in a game
    ticket_min_cents: int  # what they cost, all games together


def read_card(file: str) -> Card:
    """Return the card of a TOML file."""
    if any(line.count(".") > 50 for line in file.splitlines() if not line.lstrip().startswith("#")):
        raise Wrong("card.malformed", "a line has more dots than any card has")
    _check_depth(_NO_TOML_BRACKETS, file, "card.malformed")
    try:
        content = tomllib.loads(file.removeprefix("\ufeff"))
    except ValueError:
        raise Wrong("card.malformed", "its file is not TOML") from None
    limits, schedules = part(content, "limits", dict), part(content, "schedules", dict)
    pays, rates = {}, {}
    for name, schedule in schedules.items():
        rates[name] = _rates(schedule)
        for spots, catches in part(schedule, "pays", dict).items():
            row = [0] * 21
            for caught in catches:
                row[_count(caught, 20)] = whole(catches, caught)
            if any(row):  # what can never win is not on offer
                pays[name, _count(spots, 80)] = whole(schedule, "base_cents", 1), row
    rounding = limits.get("rounding", "up")
    if rounding not in ("up", "down", "half-up"):
        raise Wrong("card.malformed", "it rounds in a way that is not known here")
    limit = whole(limits, "aggregate_cents", 1) if "aggregate_cents" in limits else None
    in_full = whole(limits, "in_full_below_cents") if "in_full_below_cents" in limits else 0
    to_claim = timedelta(minutes=whole(limits, "claim_minutes", 1, 525_600))
    tickets = range(whole(limits, "ticket_min_cents", 1), whole(limits, "ticket_max_cents", 1) + 1)
    spots_max, games_max = whole(limits, "spots_max", 1, 80), whole(limits, "games_max", 1)
    most = (spots_max, games_max, tickets)
    return Card(pays, rounding, limit, in_full, to_claim, *most, rates, "approval" in content)


def _rates(schedule: Json) -> Rates:
    least, most = whole(schedule, "rate_min_cents", 1), whole(schedule, "rate_max_cents", 1)
    return Rates(
        range(least, most + 1, whole(schedule, "rate_step_cents", 1)),
        whole(schedule, "ways_min", 1) if "ways_min" in schedule else 1,
        whole(schedule, "ticket_min_cents") if "ticket_min_cents" in schedule else 0,
    )


def unlawful(card: Card) -> Iterator[str]:
    """Yield what the rule does not allow of a card (15.3(e), 15.6(c))."""
    if card.limit_cents is not None and card.limit_cents < 100_000_00:
        yield "its aggregate limit is below $100,000"
    if card.to_claim < timedelta(minutes=5):
        yield "its wins can be claimed for less than five minutes"
    for (schedule, spots), (base, pays) in card.pays.items():
        rate, back = card.rates[schedule].cents.start, 0
        for caught in range(max(0, spots - 60), min(spots, 20) + 1):
            win = pays[caught] * rate
            if card.limit_cents is not None:
                win = min(win, card.limit_cents * base)
            back += comb(spots, caught) * comb(80 - spots, 20 - caught) * win
        if not card.is_promotion and any(_loses(card, schedule, spots)):
            yield f"the house keeps nothing of {spots} spots on {schedule[:40]!r}"
        # At the smallest wager the house keeps 30 % at most, whatever the largest payoff is.
        if Fraction(back, comb(80, 20) * base * rate) < Fraction(70, 100):
            yield f"the house keeps more than 30 % of {spots} spots on {schedule[:40]!r}"
        if spots > card.spots_max:
            yield f"it offers {spots} spots, and {card.spots_max} at most"


def _loses(card: Card, schedule: str, spots: int) -> Iterator[bool]:
    """Yield for each rate whether the house keeps nothing of a way, as it is paid and exactly.

    After as many rates as the base has steps the fractions of a cent repeat; what is rounded up
    costs least at larger rates.
    """
    base, pays = card.pays[schedule, spots]
    rates = card.rates[schedule].cents
    for rate in rates[: min(base // gcd(base, rates.step), RATES_JUDGED)]:
        exact, paid = Fraction(0), 0
        for caught in range(max(0, spots - 60), min(spots, 20) + 1):
            draws = comb(spots, caught) * comb(80 - spots, 20 - caught)
            win = Fraction(pays[caught] * rate, base)
            up = {"up": Fraction(1), "half-up": Fraction(1, 2)}.get(card.rounding, Fraction(0))
            cents = floor(win + up) if win.denominator > 1 else int(win)
            if card.limit_cents is not None:
                win, cents = min(win, Fraction(card.limit_cents)), min(cents, card.limit_cents)
            exact += draws * win
            paid += draws * cents
        yield max(exact, Fraction(paid)) >= comb(80, 20) * rate


def beyond_limits(ticket: "Ticket", card: Card, games: int) -> Iterator[str]:
    """Yield how a ticket is outside the limits of its card (15.2(b), 15.3(d))."""
    if games > card.games_max:
        yield f"it has {games} games, and its card {card.games_max} at most"
    if ticket.price_cents not in card.ticket_cents:
        yield f"it costs {ticket.price_cents} cents"
    ways, prices = Counter[str](), Counter[str]()
    for line in ticket.lines:
        rates = card.rates[line.schedule]
        if line.rate_cents not in rates.cents:
            yield f"{line.rate_cents} cents is no rate of {line.schedule[:40]!r}"
        if line.spots > card.spots_max:
            yield f"it plays {line.spots} spots, and its card has {card.spots_max} at most"
        ways[line.schedule] += line.ways
        prices[line.schedule] += line.ways * line.rate_cents * games
    for schedule, count in ways.items():
        rates = card.rates[schedule]
        if count < rates.ways_min or prices[schedule] < rates.ticket_min_cents:
            yield f"it has too little on {schedule[:40]!r}"


def _count(written: str, most: int) -> int:
    """Return a name that is a number of spots or catches."""
    if not re.fullmatch("0|[1-9][0-9]?", written) or int(written) > most:
        raise Wrong("card.malformed", f"{written[:20]!r} is not a number up to {most}")
    return int(written)


@dataclass(frozen=True)
class Line:
    """A line of a ticket: so many ways of so many spots at a rate, on what the card pays for them.

    The ways are every set of groups with so many spots; or the sets that are listed.
    """

    spots: int
    rate_cents: int
    base_cents: int
    pays: list[int]  # by catch
    listed: list[frozenset[int]] | None
    schedule: str
    ways: int


@dataclass
class Ticket:
    """A ticket, for as long as something of it is to come."""

    number: int
    where: str  # its place in the log
    leaf: str
    series: str
    first: int
    last: int
    game_cents: int
    price_cents: int
    coupon_cents: int
    paid_with: list[tuple[str, int]]  # the price, by kind: what a void gives back
    card: str
    groups: list[frozenset[int]]
    lines: list[Line]
    left: int  # games that are not decided yet
    to_claim: timedelta
    prints_expiry: datetime
    cancelled_at: datetime | None = None  # when its rest was
    graded: list[tuple[int, int, int]] = field(default_factory=list)  # game, won, paid
    void_games: set[int] = field(default_factory=set)
    given_back: set[int] = field(default_factory=set)  # void games whose price went back
    shared_before: list[int] = field(default_factory=list)  # games whose sharing is not in here

    def plays(self, game: int) -> bool:
        """Whether it plays a game."""
        return self.first <= game <= self.last

    def back_for(self, games: Iterable[int]) -> tuple[int, int]:
        """Return what goes back for games in money, and what of it was only a coupon's.

        Coupons count as spent on the earliest games.
        """
        cash = coupon = 0
        for game in games:
            spent = (game - self.first) * self.game_cents
            by_coupon = min(max(self.coupon_cents - spent, 0), self.game_cents)
            coupon += by_coupon
            cash += self.game_cents - by_coupon
        return cash, coupon


def read_ticket(body: Json, where: str, leaf: str, cards: dict[str, Card]) -> Ticket:
    """Return the ticket of a TICKET entry, with its ways counted and its price worked out again."""
    card_hash = text_of(body, "card")
    card = cards.get(card_hash)
    if card is None:
        raise Wrong("ticket.card", "its rate card is not in the bundle")
    groups = [_numbers(group) for group in part(body, "groups", list)]
    if len(frozenset[int]().union(*groups)) != sum(map(len, groups)):
        raise Wrong("ticket.malformed", "two of its groups have a number in common")
    letters = {name: place for place, name in zip(range(len(groups)), _letters(), strict=False)}
    wanted = [whole(line, "spots", 1, 80) for line in part(body, "lines", list)]
    counted = ways_by_catch(groups, frozenset(), max(wanted, default=0))
    lines, price, played = [], 0, set[object]()
    for line, spots in zip(part(body, "lines", list), wanted, strict=True):
        schedule = text_of(line, "schedule")
        if (schedule, spots) not in card.pays:
            raise Wrong("ticket.card", f"its card has no {spots}-spot ways on {schedule[:40]!r}")
        listed, ways = None, sum(counted.get(spots, [0]))
        if "sets" in line:
            listed = [_listed(name, spots, groups, letters) for name in part(line, "sets", list)]
            ways = len(listed)
        bets: set[object] = {spots} if listed is None else set(listed)
        if len(bets) != (1 if listed is None else ways) or bets & played:
            raise Wrong("ticket.malformed", "it plays a way twice")
        played |= bets
        rate = whole(line, "rate_cents", 1)
        if whole(line, "ways", 1) != ways:
            raise Wrong("ticket.ways", f"it has {ways} ways of {spots} spots, not {line['ways']}")
        price += ways * rate
        lines.append(Line(spots, rate, *card.pays[schedule, spots], listed, schedule, ways))
    games, first = whole(body, "games", 1, GAMES_MAX), whole(body, "first_game", 1)
    stated = whole(body, "price_per_game_cents", 1), whole(body, "price_cents", 1)
    if stated != (price, price * games):
        costs = f"its plays cost {_money(price)} a game, {_money(price * games)} in all"
        says = f"it says {_money(stated[0])} a game, {_money(stated[1])} in all"
        raise Wrong("ticket.price", f"{costs}; {says}")
    paid_with = _paid_with(body, stated[1])
    return Ticket(
        number=whole(body, "number", 1),
        where=where,
        leaf=leaf,
        series=text_of(body, "series"),
        first=first,
        last=first + games - 1,
        game_cents=price,
        price_cents=stated[1],
        coupon_cents=sum(cents for kind, cents in paid_with if kind == "coupon"),
        paid_with=paid_with,
        card=card_hash,
        groups=groups,
        lines=lines,
        left=games,
        to_claim=card.to_claim,
        prints_expiry=_moment(text_of(body, "expires_at")),
    )


def _money(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02}"


def _paid_with(body: Json, price_cents: int) -> list[tuple[str, int]]:
    """Return what a price was paid with: coupons first, and change came from what was last."""
    tender = [(text_of(each, "kind"), whole(each, "cents", 1))
              for each in part(body, "tender", list)]  # fmt: skip
    if sum(cents for _, cents in tender) - whole(body, "change_cents") != price_cents:
        raise Wrong("ticket.tender", "what was paid for it is not its price")
    if sum(cents for kind, cents in tender if kind == "coupon") > price_cents:
        raise Wrong("ticket.tender", "its coupons are worth more than it costs")
    paid, left = [], price_cents
    for kind, cents in sorted(tender, key=lambda each: each[0] != "coupon"):
        taken = min(cents, left)
        left -= taken
        if taken:
            paid.append((kind, taken))
    return paid


def _numbers(group: object) -> frozenset[int]:
    if type(group) is not list:
        raise Wrong("ticket.malformed", "a group is no list of numbers")
    numbers = frozenset(number for number in group if type(number) is int)
    if not 0 < len(numbers) == len(group) or not numbers <= BOARD:
        raise Wrong("ticket.malformed", "a group is not some of the numbers 1 to 80, each once")
    return numbers


def _letters() -> Iterator[str]:
    """Yield the names of groups: A to Z, then AA, AB and so on."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    yield from (first + second for first in alphabet for second in alphabet)


def _listed(
    name: str, spots: int, groups: list[frozenset[int]], letters: dict[str, int]
) -> frozenset[int]:
    """Return the numbers of a way that is listed by its letters, such as A+C."""
    places = [letters[letter] for letter in name.split("+")]
    way = frozenset[int]().union(*(groups[place] for place in places))
    if len(set(places)) != len(places) or len(way) != spots:
        raise Wrong("ticket.malformed", f"{name!r} is not a way of {spots} spots")
    return way


def ways_by_catch(
    groups: list[frozenset[int]], drawn: frozenset[int], most: int
) -> dict[int, list[int]]:
    """Return how many sets of groups there are, by their spots and by how many were drawn of them.

    Groups of one size with equally many numbers drawn are alike, and n of m alike ones can be taken
    in (m over n) ways; so no set is ever listed.
    """
    ways: dict[tuple[int, int], int] = {(0, 0): 1}
    for (size, caught), alike in Counter((len(g), len(g & drawn)) for g in groups).items():
        more: dict[tuple[int, int], int] = defaultdict(int)
        for (spots, catch), count in ways.items():
            for taken in range(min(alike, (most - spots) // size) + 1):
                more[spots + taken * size, catch + taken * caught] += count * comb(alike, taken)
        ways = more
    by_spots: dict[int, list[int]] = {}
    for (spots, catch), count in ways.items():
        by_spots.setdefault(spots, [0] * 21)[catch] += count
    return by_spots


def win_of(ticket: Ticket, card: Card, drawn: frozenset[int]) -> tuple[int, int]:
    """Return what a ticket wins in a game: rounded once, and that cut to the card's own limit."""
    exact = Fraction(0)
    counted = None
    for line in ticket.lines:
        if line.listed is not None:
            won = sum(line.pays[len(way & drawn)] for way in line.listed)
        elif len(ticket.groups) == 1:
            won = line.pays[len(ticket.groups[0] & drawn)]
        else:
            if counted is None:
                counted = ways_by_catch(
                    ticket.groups, drawn, max(each.spots for each in ticket.lines)
                )
            row = counted.get(line.spots, [])
            won = sum(ways * pay for ways, pay in zip(row, line.pays, strict=False))
        if won:
            exact += Fraction(won * line.rate_cents, line.base_cents)
    cents = exact.numerator // exact.denominator
    rest = exact - cents
    if (card.rounding == "up" and rest) or (card.rounding == "half-up" and rest >= Fraction(1, 2)):
        cents += 1
    return cents, cents if card.limit_cents is None else min(cents, card.limit_cents)


def limits_of(cards: list[Card]) -> tuple[int | None, int]:
    """Return limit and in-full threshold of a game: the largest on any ticket in it.

    A card without a limit promises that there is none.
    """
    limits = [card.limit_cents for card in cards]
    threshold = max((card.in_full_below_cents for card in cards), default=0)
    if not limits or None in limits:
        return None, threshold
    return max(limit for limit in limits if limit is not None), threshold


def shared(
    wins: dict[int, tuple[int, int]], limit: int | None, in_full_below: int
) -> dict[int, int]:
    """Return what each winner is paid, so that the game pays no more than its limit.

    Args:
        wins: by ticket number, what was won before any cut, and cut to the ticket's own limit.
        limit: of the game.
        in_full_below: the first part of each win, which is paid before the rest is shared.
    """
    if limit is None or sum(min(cut, limit) for _, cut in wins.values()) <= limit:
        return {
            number: cut if limit is None else min(cut, limit) for number, (_, cut) in wins.items()
        }
    numbers = sorted(wins)
    claims = [min(wins[number][1], limit) for number in numbers]
    in_full = [min(claim, in_full_below) for claim in claims]
    if sum(in_full) > limit:  # not even the first parts: then all is shared in proportion
        in_full = [0] * len(claims)
    pool, rest = limit - sum(in_full), sum(claims) - sum(in_full)
    paid, remainders = [], []
    for claim, first in zip(claims, in_full, strict=True):
        share, remainder = divmod((claim - first) * pool, rest)
        paid.append(first + share)
        remainders.append(remainder)
    odd_cents = limit - sum(paid)
    for place in sorted(range(len(paid)), key=lambda place: -remainders[place])[:odd_cents]:
        paid[place] += 1
    # Among wins that were cut down to the same claim, whoever won more gets the odd cents.
    tied = defaultdict(list)
    for place, claim in enumerate(claims):
        tied[claim].append(place)
    result = {}
    for places in tied.values():
        amounts = sorted((paid[place] for place in places), reverse=True)
        by_win = sorted(places, key=lambda place: -wins[numbers[place]][0])
        result.update({numbers[at]: cents for at, cents in zip(by_win, amounts, strict=True)})
    return result


# ---- amounts from which an approval is due -------------------------------------------------------

RULE = {"approval": 150_000}  # 15.6(b); a house may only be stricter
CUSTOM = {"second-tier": 1_000_000, "added-up": 1}  # until the house sets them


class Amounts:
    """From which amount on a supervisor, or a manager as well, must approve, by day."""

    def __init__(self) -> None:
        self._set: list[tuple[str, str, int]] = []

    def take(self, body: object) -> None:
        """Take what an AMOUNT entry sets."""
        day = date.fromisoformat(text_of(body, "from_day")).isoformat()
        self._set.append((day, text_of(body, "name"), whole(body, "after_cents", 1)))

    def on(self, day: str, name: str) -> int:
        """Return an amount as it is on a day."""
        own = [(since, at, cents) for at, (since, which, cents) in enumerate(self._set)
               if which == name and since <= day]  # fmt: skip
        newest = max(own)[2] if own else None
        if name in RULE:
            return min(RULE[name], newest or RULE[name])
        return newest or CUSTOM[name]


class Numbers:
    """A set of numbers that takes little memory where they lie close together."""

    def __init__(self) -> None:
        self._parts: dict[int, bytearray] = {}

    def add(self, number: int) -> None:
        """Add a number."""
        self._parts.setdefault(number >> 12, bytearray(512))[number >> 3 & 511] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        part_of = self._parts.get(number >> 12)
        return part_of is not None and bool(part_of[number >> 3 & 511] >> (number & 7) & 1)


# ---- times ---------------------------------------------------------------------------------------

MOMENTS = {"TICKET": "sold_at", "VOID": "voided_at", "LOCK": "locked_at", "GAME": "opened_at",
           "ENROL": "at"}  # fmt: skip


def moment_of(tag: str, body: Json) -> datetime | None:
    """Return when the act of an entry was done; none if it does not say.

    The time of an EXPIRED entry is until when the win could be claimed, and not when it was posted;
    that of BOOKS and ARCHIVED when they were begun, which may be an hour before they were done.
    """
    text = body.get(MOMENTS.get(tag, "time"))
    is_other = tag in ("EXPIRED", "BOOKS", "ARCHIVED")
    return None if is_other or type(text) is not str else _moment(text)


class Times:
    """Holds the times of entries against those of their neighbours, and against the inspector's."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._latest: datetime | None = None
        self._back: list[tuple[timedelta, str]] = []  # by how much it went back, and where

    def take(self, at: datetime, where: str) -> None:
        """Take the time of the next entry: it may be a little earlier than those before it."""
        if self._latest is not None and at < self._latest - LATE:
            self._back.append((self._latest - at, where))
            self._latest = at
        self._latest = at if self._latest is None else max(at, self._latest)

    def jumped(self, jump: timedelta, where: str) -> None:
        """Take a jump of the clock that the house tells: one backwards explains one step back."""
        self._report.note(f"{where}: the clock of the house jumped by {jump}")
        explained = [back for back in self._back if back[0] <= -jump + LATE]
        if explained:
            self._back.remove(max(explained))

    def cosigned(self, at: datetime, where: str) -> None:
        """Take the time at which the inspector saw all entries so far."""
        if self._latest is not None and self._latest > at + APART:
            told = f"it was cosigned at {at}, and entries before it are of {self._latest}"
            self._report.fault("entry.cosigned_before", where, told)

    def end(self) -> None:
        """All entries were taken: what went back, and no jump of the clock explains it."""
        for back, where in self._back:
            told = f"it is dated {back} before an entry that stands before it"
            self._report.fault("entry.time", where, told)


# ---- games ---------------------------------------------------------------------------------------


@dataclass
class Game:
    """A game that was locked, and what has become of it so far."""

    series: str
    number: int
    where: str
    day: str
    tickets: int
    handle_cents: int
    state: str = "locked"
    run: int = 0
    owed_cents: int = 0  # by its newest WINS entry
    winners: int = 0
    differences: list[str] = field(default_factory=list)  # of that entry, to our own grading
    wins: dict[int, tuple[int, int]] = field(default_factory=dict)
    paid: dict[int, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The game as people write it."""
        return f"{self.series}-{self.number}"

    @property
    def is_over(self) -> bool:
        """Whether nothing more can happen to it."""
        return self.state in ("certified", "void")


@dataclass
class EarlierGame:
    """A game that was over before the bundle begins: what its own entries say of it."""

    win_cents: int = 0
    paid_cents: int = 0
    certified: bool = False


@dataclass
class Freeze:
    """From when until when a game was frozen; without an end, it still is."""

    since: datetime
    until: datetime | None = None


@dataclass(frozen=True)
class Before:
    """An earlier entry about a game, held until it is known what it is needed for."""

    tag: str
    body: Json
    position: int
    leaf: str
    where: str


FLOWS = ("sales", "voids", "refunds", "paid")
# What stands until it is said otherwise, and goes along with every bundle.
STANDING = ("HOUSE", "STAFF", "AMOUNT", "CARD-ACCEPTED", "CARD-IN-FORCE", "RESTORED", "REFILLED",
            "NEW-ORIGIN", "HOLD-ENDED")  # fmt: skip
STATES = {"DRAW": "drawn", "VOID-GAME": "void", "WINS": "settled", "CERTIFIED": "certified",
          "FROZEN": "frozen"}  # fmt: skip
OfGames = dict[tuple[str, int], str]
OF_GAMES = ("LOCK", "WINS", "CERTIFIED", "FROZEN", "RELEASED")
SUPERVISORS, MANAGERS = ("supervisor", "keno-manager"), ("outside-manager",)
WATCHERS = ("surveillance", "cage", "compliance")
ACCOUNTING = ("compliance",)  # until there is a role for it
# What is shown for a payment where there is no whole code (X-pay-without-code).
CODE_PLACES, READ_LEAST = 25, 8
UNREAD_AFTER, LOST_AFTER, LOST_LONGER = timedelta(hours=1), timedelta(days=7), timedelta(days=30)


@dataclass
class Trail:
    """What happened to the papers of tickets, and who asked about them."""

    copied_late: Numbers = field(default_factory=Numbers)  # when their first game was drawn
    looked_up: list[tuple[str, int, int]] = field(default_factory=list)  # by whom, from where to
    lost: dict[int, datetime] = field(default_factory=dict)  # when it was reported
    brought: dict[int, datetime] = field(default_factory=dict)  # that could not be paid then


class Book:
    """Walks through the entries in their order, and works out again what they say.

    A ticket is held for as long as it plays, and after that only while there is something to be
    paid or given back for it.
    """

    def __init__(
        self, report: Report, ended: dict[tuple[str, int], Ended], period: tuple[str, str]
    ) -> None:
        self._report, self._ended, self._period = report, ended, period
        self.times = Times(report)
        self.origin = ""  # the first name of the log
        self.acts: list[Json] = []  # by which it got others
        self.cards: dict[str, Card] = {}
        self._terms: list[tuple[datetime, int, str]] = []  # from when on which card holds
        self._accepted: dict[str, dict[str, str]] = defaultdict(dict)  # as what, by whom
        self._opened: dict[tuple[str, int], str] = {}  # the cards of games that are open
        self._live: dict[str, dict[int, Ticket]] = defaultdict(dict)
        self._over: dict[int, Ticket] = {}  # to be paid, or given back
        self._paid, self._done = Numbers(), Numbers()
        self._games: dict[tuple[str, int], Game] = {}
        self._games_before: dict[tuple[str, int], list[Before]] = defaultdict(list)
        self._locked_at: dict[tuple[str, int], datetime] = {}
        self._freezes: dict[tuple[str, int], list[Freeze]] = defaultdict(list)
        self._expiring: list[tuple[int, datetime, str]] = []  # whether it was over is still to tell
        self._earlier: dict[tuple[str, int], EarlierGame] = defaultdict(EarlierGame)
        self._locked: dict[str, int] = {}  # the last game of each series that is known as locked
        for ended_game in ended.values():
            if ended_game.before:
                known = max(self._locked.get(ended_game.series, 0), ended_game.game)
                self._locked[ended_game.series] = known
        self._last_lock: dict[str, int] = {}  # in the entries of the bundle
        self._last_number: int | None = None
        self._held = 0  # up to this number tickets of a restored house are paid with a manager
        self._roles: dict[str, str] = {}
        self._emergency: dict[str, datetime] = {}  # emergency approvers, and until when
        self._disabled: set[str] = set()
        self._amounts = Amounts()
        self._reprinted = Numbers()
        self._trail = Trail()
        self._contacts: dict[tuple[str, str, str], list[int]] = {}
        self._contact_cards: dict[tuple[str, str, str], str] = {}
        self._zone: ZoneInfo | None = None
        self._starts = timedelta(0)
        self._founded = ""
        self._first_games: dict[str, int] = {}
        self._before_first: tuple[int, datetime | None] = (0, None)  # where the next would stand
        self._bounds: tuple[datetime, datetime, str] | None = None
        self._sums: dict[str, Counter[str]] = defaultdict(Counter)
        self._expired = 0
        self._closed: Json | None = None  # the last DAY-CLOSE so far
        self._days: list[str] = []
        self._carried = True
        self._standing: list[tuple[int, str]] = []  # places and leaves
        self.says_standing: int | None = None  # up to which size a close says what stands
        self.voids: list[Json] = []  # of the days of the bundle
        self.closes: dict[str, Json] = {}  # by day
        # When the games of these days were locked, and drawn or voided; and their states.
        self.locks, self.ended_at, self.states = OfGames(), OfGames(), OfGames()
        self._where = ""
        self._takes: dict[str, Callable[[Json, int, str], None]] = {
            "HOUSE": self._house, "STAFF": self._staff, "AMOUNT": self._amount, "CARD": self._card,
            "TICKET": self._ticket, "VOID": self._void, "CANCEL": self._refund,
            "REFUND": self._refund, "LOCK": self._lock, "DRAW": self._draw,
            "VOID-GAME": self._void_game, "WINS": self._wins, "CERTIFIED": self._certified,
            "FROZEN": self._frozen, "RELEASED": self._released, "PAID": self._pay,
            "EXPIRED": self._expire, "DAY-CLOSE": self._day_close, "REPRINT": self._reprint,
            "ON-PAPER": self._on_paper, "LOOK-UP": self._look_up, "LOST-TICKET": self._lose,
            "APPROVED": self._approve, "GAME": self._game_opened, "PRESENTED": self._present,
            "CARD-ACCEPTED": self._card_accepted, "CARD-IN-FORCE": self._card_in_force,
            "CLOCK": self._clock, "NEW-ORIGIN": self._new_origin,
            "RESTORED": self._restored, "REFILLED": self._restored, "HOLD-ENDED": self._hold_ended,
        }  # fmt: skip

    def take(self, position: int, tag: str, body: str, leaf: str) -> None:
        """Take the next entry."""
        self._where = f"entry {position} ({tag})"
        takes = self._takes.get(tag)
        said = an_object(read_json(body.encode()))
        if part(said, "label", str) != f"keno/{tag.lower()}" or said.get("version") != 1:
            self._fault("entry.label", "its body is of another kind than its leaf says")
        at = moment_of(tag, said)
        if self._carried:
            self._note_before(position, at)
            if tag in OF_GAMES:
                which = text_of(said, "series"), whole(said, "game", 1)
                self._games_before[which].append(Before(tag, said, position, leaf, self._where))
                return
        elif at is not None:
            self.times.take(at, self._where)
            self._check_expired(at)
        if type(said.get("contact")) is dict:
            self._contact(said)
        if tag in STATES:
            self.states[text_of(said, "series"), whole(said, "game", 1)] = STATES[tag]
        if tag in STANDING:
            self._standing.append((position, leaf))
        if takes is not None:
            takes(said, position, leaf)

    def pass_over(self, position: int) -> None:
        """Pass over an entry of which nothing is known but that it was there."""
        if self._carried:
            self._note_before(position, None)

    def _note_before(self, position: int, at: datetime | None) -> None:
        """Note how far the earlier entries go without a gap, and the last time that they tell."""
        until, known = self._before_first
        self._before_first = position + 1, at or (known if position == until else None)

    def check_beginning(self, first: int) -> None:
        """Check that nothing of the first day stands before the first entry.

        The entry before it goes along, and is of an earlier day; nothing stands before the first
        entry of the log.
        """
        until, at = self._before_first
        if not first:
            return
        if until != first or at is None:
            raise Wrong("day.begins", "the entry before the first one is not in the bundle")
        if at >= self._begins(date.fromisoformat(self._period[0])):
            raise Wrong("day.begins", f"the entry before the first one is of {at}")
        self.times.take(at, "the entry before the first one")

    def _fault(self, code: str, message: str) -> None:
        self._report.fault(code, self._where, message)

    def end_of_carried(self) -> None:
        """What came so far are earlier entries; from here on none may be missing."""
        self._where = "earlier entries"
        if self._zone is None and self._last_number is not None:
            self._fault("house.missing", "the terms of the house are not in the bundle")
        for which, entries in self._games_before.items():
            self._take_before(which, entries)
        self._where = "earlier entries"
        for tickets in list(self._live.values()):
            for ticket in list(tickets.values()):
                self._grade_earlier(ticket)
        self._carried = False

    def _take_before(self, which: tuple[str, int], entries: list[Before]) -> None:
        """Take what earlier entries say of a game.

        Of one that was decided before the bundle begins not all tickets go along: only its times
        are taken, and what it came to. Of another, all.
        """
        ended = self._ended.get(which)
        is_void = ended is not None and ended.before and ended.numbers is None
        is_decided = is_void or any(each.tag == "CERTIFIED" for each in entries)
        for each in entries:
            self._where = each.where
            if not is_decided:
                self._takes[each.tag](each.body, each.position, each.leaf)
            elif each.tag == "LOCK":
                self._locked_at[which] = _moment(text_of(each.body, "locked_at"))
            elif each.tag == "WINS":
                self._earlier[which].win_cents = whole(each.body, "win_cents")
                self._earlier[which].paid_cents = whole(each.body, "paid_cents")
            elif each.tag in ("FROZEN", "CERTIFIED"):
                self._note_verdict(which, each.tag, _moment(text_of(each.body, "time")))
                self._earlier[which].certified = each.tag == "CERTIFIED"

    def _grade_earlier(self, ticket: Ticket) -> None:
        """Grade the games of a ticket that were over before the bundle begins."""
        for game in range(ticket.first, ticket.last + 1):
            ended = self._ended.get((ticket.series, game))
            if ended is None or not ended.before or (ticket.series, game) in self._games:
                continue  # it is decided in the entries of the bundle
            earlier = self._earlier[ticket.series, game]
            if ended.numbers is None:
                ticket.void_games.add(game)
            elif earlier.certified:
                _, cut = win_of(ticket, self.cards[ticket.card], ended.numbers)
                if earlier.win_cents != earlier.paid_cents:
                    ticket.shared_before.append(game)
                ticket.graded.append((game, cut, cut))
                self._report.checked["Wins in earlier games"] += 1
            else:
                continue
            ticket.left -= 1
        self._finish(ticket)

    # ---- the house ---------------------------------------------------------------------------

    def _house(self, body: Json, position: int, __: str) -> None:
        about = self._report.about
        if position or self._zone is not None:
            raise Wrong("house.twice", "a house is founded once, by the first entry of its log")
        if (body.get("name"), body.get("jurisdiction"), body.get("log_origin")) != (
            about["house"], about["jurisdiction"], self.origin,
        ):  # fmt: skip
            self._fault("house.other", "the manifest names another house than the log")
        zone = text_of(body, "time_zone")[:50]
        try:
            self._zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            told = f"this machine does not know the time zone {zone!r}; install tzdata"
            raise Wrong("house.time_zone", told) from None
        self._starts = timedelta(minutes=whole(body, "day_starts_minutes", 0, 1439))
        self._founded = self._day(text_of(body, "time"))
        series = part(body, "series", list)
        self._first_games = {str(code): int(first) for code, first in series}

    def _new_origin(self, body: Json, _: int, __: str) -> None:
        """The log goes on under another name, as both keys have said; numbers are left out."""
        if part(part(body, "act", dict), "body", dict) not in self.acts:
            self._fault("origin.told_otherwise", "both keys gave the log no such name")
        self._restored(body, _, __)

    def _restored(self, body: Json, _: int, __: str) -> None:
        """A restored house goes on: numbers are left out, and every ticket before them is held."""
        last, left_out = whole(body, "last_number"), whole(body, "numbers_left_out")
        self._held = max(self._held, last)
        if self._carried:
            return
        known = self._last_number or 0
        # Of tickets whose entries are lost nobody can say the numbers.
        if last < known or (last > known and not self._report.lost):
            self._fault("ticket.gap", f"it goes on behind ticket {last}, and the last was {known}")
        self._last_number = last + left_out
        told = f"a restored house left out the ticket numbers {last + 1} to {last + left_out}"
        self._report.note(f"{self._where}: {told}")

    def _hold_ended(self, body: Json, _: int, __: str) -> None:
        """A supervisor and a manager have tickets of a restored house paid as any other again."""
        self._check_approver(body.get("supervisor"), SUPERVISORS)
        self._check_approver(body.get("manager"), MANAGERS)
        self._held = 0

    def _staff(self, body: Json, _: int, __: str) -> None:
        change, who = body.get("change"), text_of(body, "staff")
        if body.get("kind") == "emergency":
            self._check_approver(body.get("by"), MANAGERS)
            self._check_approver(body.get("second"), WATCHERS)
            self._emergency[who] = _moment(text_of(body, "until"))
        elif "second" in body:
            self._check_approver(body["second"], (*SUPERVISORS, *MANAGERS))
        if change == "added" or "role" in body:
            self._roles[who] = text_of(body, "role")
        if change == "disabled":
            self._disabled.add(who)
        if change == "enabled":
            self._disabled.discard(who)

    def _clock(self, body: Json, _: int, __: str) -> None:
        self.times.jumped(timedelta(milliseconds=part(body, "milliseconds", int)), self._where)

    def _amount(self, body: Json, _: int, __: str) -> None:
        self._amounts.take(body)

    def _card(self, body: Json, _: int, __: str) -> None:
        digest, file = text_of(body, "card"), text_of(body, "file")
        if sha256(file.encode()).hexdigest() != digest:
            self._fault("card.hash", "the file of the card does not have the card's hash")
        self.cards[digest] = read_card(file)
        self._report.checked["Rate cards"] += 1

    def _card_accepted(self, body: Json, _: int, __: str) -> None:
        as_what, by = text_of(body, "as"), text_of(part(body, "by", dict), "staff")
        self._check_approver(by, SUPERVISORS if as_what == "supervisor" else MANAGERS)
        self._accepted[text_of(body, "card")][as_what] = by

    def _card_in_force(self, body: Json, position: int, __: str) -> None:
        card, effective_at = text_of(body, "card"), _moment(text_of(body, "effective_at"))
        accepted = self._accepted[card]
        if set(accepted) != {"supervisor", "manager"} or len(set(accepted.values())) != 2:
            self._fault("card.not_accepted", f"two did not accept the card {card[:16]}")
        # The first card of a house takes the place of none that a patron could have read.
        if self._terms and effective_at < _moment(text_of(body, "time")) + NOTICE - ROUNDED:
            self._fault("card.notice", f"the card {card[:16]} held before it was published")
        if any(term[2] == card for term in self._terms):  # it comes back
            self._check_approver(text_of(body, "manager"), MANAGERS)
        if card in self.cards:  # else no ticket of the bundle is on it
            for why in unlawful(self.cards[card]):
                self._fault("card.unlawful", f"the card {card[:16]}: {why}")
        self._terms.append((effective_at, position, card))

    def _game_opened(self, body: Json, _: int, __: str) -> None:
        """A game is opened on the card that holds then."""
        series, number = text_of(body, "series"), whole(body, "game", 1)
        card, at = text_of(body, "card"), _moment(text_of(body, "opened_at"))
        begun = [term for term in self._terms if term[0] <= at]
        if not begun or max(begun)[2] != card:
            self._fault("game.card", f"{series}-{number} is not on the card that was in force")
        self._opened[series, number] = card

    def _reprint(self, body: Json, _: int, __: str) -> None:
        if body.get("slip") == "ticket":
            number = whole(part(body, "about", dict), "ticket", 1)
            self._reprinted.add(number)
            live = (tickets[number] for tickets in self._live.values() if number in tickets)
            if number in self._over or any(self._is_drawn(ticket) for ticket in live):
                self._trail.copied_late.add(number)

    def _is_drawn(self, ticket: Ticket) -> bool:
        game = self._games.get((ticket.series, ticket.first))
        return game is not None and game.state not in {"open", "locked"}

    def _look_up(self, body: Json, _: int, __: str) -> None:
        """Somebody looked up wins that are not paid, without a code: one, or a list."""
        low, high = whole(body, "first", 1), whole(body, "last", 1)
        self._trail.looked_up.append((text_of(body, "staff"), low, high))

    def _lose(self, body: Json, _: int, __: str) -> None:
        """Somebody said that they lost a ticket."""
        at = _moment(text_of(body, "time"))
        self._trail.lost.setdefault(whole(body, "ticket", 1), at)

    def _on_paper(self, body: Json, position: int, leaf: str) -> None:
        """A writer said whether a paper came out: if it did not, a copy may have been printed."""
        if body.get("copy_queued") is not None:
            self._reprint(body, position, leaf)

    def _approve(self, body: Json, _: int, __: str) -> None:
        tier, by = text_of(body, "tier"), text_of(body, "approver")
        self._check_approver(by, SUPERVISORS if tier == "supervisor" else MANAGERS)
        self._report.checked["Approvals"] += 1

    # ---- tickets -----------------------------------------------------------------------------

    def _ticket(self, body: Json, _: int, leaf: str) -> None:
        number = whole(body, "number", 1)
        if not self._carried:
            if number != (self._last_number or 0) + 1:
                self._fault("ticket.gap", f"ticket {number} follows {self._last_number or 'none'}")
            self._add("sales", text_of(body, "sold_at"), whole(body, "price_cents"))
            self._report.checked["Tickets sold"] += 1
        self._last_number = number
        ticket = read_ticket(body, self._where, leaf, self.cards)
        if not self._carried and ticket.first <= self._locked.get(ticket.series, 0):
            self._fault("ticket.behind_lock", f"ticket {number} was sold behind the lock of a game")
        elif not self._carried:
            self._check_card_of(ticket)
        for why in beyond_limits(ticket, self.cards[ticket.card], ticket.left):
            self._fault("ticket.limits", f"ticket {number}: {why}")
        if number in self._live[ticket.series]:
            self._fault("ticket.twice", f"ticket {number} was sold twice")
        self._live[ticket.series][number] = ticket

    def _check_card_of(self, ticket: Ticket) -> None:
        """A ticket is on the card that its first game was opened on (X-card-version)."""
        card = self._opened.get((ticket.series, ticket.first))
        if card is None:
            name = f"{ticket.series}-{ticket.first}"
            self._fault("ticket.game", f"the opening of {name} is not in the bundle")
        elif card != ticket.card:
            self._fault("ticket.card_in_force", f"ticket {ticket.number} is on another card")

    def _named(self, body: Json, number: int) -> Ticket | None:
        """Return the ticket that an entry is about, if it is held; its leaf must be named."""
        found = self._over.get(number)
        if found is None:
            tickets = (each.get(number) for each in self._live.values())
            found = next((ticket for ticket in tickets if ticket is not None), None)
        if found is not None and body.get("ticket_leaf") != found.leaf:
            self._fault("ticket.leaf", f"it names another entry as that of ticket {number}")
        return found

    def _void(self, body: Json, _: int, __: str) -> None:
        number = whole(body, "ticket", 1)
        ticket = self._named(body, number)
        cents = whole(body, "price_cents")
        self._add("voids", text_of(body, "voided_at"), cents)
        day = self._day(text_of(body, "voided_at"))
        if self._period[0] <= day <= self._period[1]:
            self.voids.append({**body, "day": day})
        self._report.checked["Tickets voided"] += 1
        self._check_authority(body, number)
        if ticket is None:
            self._fault("void.unknown", f"ticket {number} is voided, and is not in play")
            return
        if ticket.first <= self._locked.get(ticket.series, 0):
            self._fault("void.behind_lock", f"ticket {number} was voided behind the lock of a game")
        back = [(text_of(each, "kind"), whole(each, "cents")) for each in part(body, "back", list)]
        told = (cents, sum(given for _, given in back))
        if told != (ticket.price_cents, ticket.price_cents):
            self._fault("void.amount", f"ticket {number} cost {ticket.price_cents} cents")
        elif back != ticket.paid_with:
            self._fault("void.kind", f"ticket {number} was paid with {ticket.paid_with}")
        if ticket.cancelled_at is not None or ticket.given_back:
            self._fault("void.in_part", f"a part of ticket {number} was given back before")
        self._forget(ticket)

    def _refund(self, body: Json, _: int, __: str) -> None:
        """CANCEL or REFUND: games that are not played any more, or were void, go back."""
        number = whole(body, "ticket", 1)
        ticket = self._named(body, number)
        back = sum(whole(each, "cents") for each in part(body, "back", list))
        if not self._carried:
            self._add("refunds", text_of(body, "time"), back + whole(body, "coupon_cents"))
            self._report.checked["Refunds"] += 1
            self._check_authority(body, number)
        if ticket is None:
            if not self._carried:
                self._fault("refund.unknown", f"nothing of ticket {number} can be given back")
            return
        games = set(part(body, "void_games", list))
        if not self._carried and games != ticket.void_games - ticket.given_back:
            self._fault(
                "refund.games", f"the void games of ticket {number} are not {sorted(games)}"
            )
        ticket.given_back |= games
        if body.get("first_cancelled") is not None:
            first = whole(body, "first_cancelled", 1)
            if not ticket.first < first <= ticket.last:
                self._fault("refund.games", f"ticket {number} does not play game {first} any more")
                return
            if not self._carried and first <= self._locked.get(ticket.series, 0):
                self._fault("refund.behind_lock", f"game {first} of ticket {number} was locked")
            games |= set(range(first, ticket.last + 1))
            ticket.left -= ticket.last + 1 - first
            ticket.last = first - 1
            ticket.cancelled_at = _moment(text_of(body, "time"))
        if not self._carried and ticket.back_for(sorted(games)) != (
            back, body.get("coupon_cents"),
        ):  # fmt: skip
            self._fault("refund.amount", f"what goes back for ticket {number} is not its price")
        self._finish(ticket)

    def _finish(self, ticket: Ticket) -> None:
        """Hold no more of a ticket than is needed, once all its games are decided."""
        if ticket.left:
            return
        self._live[ticket.series].pop(ticket.number, None)
        to_come = any(paid for _, _, paid in ticket.graded) or ticket.void_games - ticket.given_back
        if to_come and ticket.number not in self._paid:
            ticket.groups, ticket.lines = [], []
            self._over[ticket.number] = ticket
        else:
            self._forget(ticket)

    def _forget(self, ticket: Ticket) -> None:
        self._live[ticket.series].pop(ticket.number, None)
        self._over.pop(ticket.number, None)
        self._trail.brought.pop(ticket.number, None)

    # ---- games -------------------------------------------------------------------------------

    def _playing(self, series: str, game: int) -> list[Ticket]:
        """Return the tickets that play a game, in the order of their numbers."""
        playing = (each for each in self._live[series].values() if each.plays(game))
        return sorted(playing, key=lambda ticket: ticket.number)

    def _lock(self, body: Json, position: int, leaf: str) -> None:
        series, number = text_of(body, "series"), whole(body, "game", 1)
        self._locked[series] = max(self._locked.get(series, 0), number)
        self._locked_at[series, number] = _moment(text_of(body, "locked_at"))
        self._opened.pop((series, number), None)
        if not self._carried:
            before = self._last_lock.get(series, number - 1)
            if number != before + 1:
                self._fault("game.gap", f"{series}-{number} was locked after {series}-{before}")
            self._last_lock[series] = number
        day = self._day(text_of(body, "locked_at"))
        if self._period[0] <= day <= self._period[1]:
            self.locks[series, number] = text_of(body, "locked_at")
        if day != body.get("gaming_day"):
            self._fault("game.day", f"{series}-{number} was locked on the gaming day {day}")
        playing = self._playing(series, number)
        game = Game(series, number, self._where, day, len(playing),
                    sum(ticket.game_cents for ticket in playing))  # fmt: skip
        self._games[series, number] = game
        told = (body.get("tickets"), body.get("handle_cents"))
        if told != (game.tickets, game.handle_cents):
            self._fault(
                "game.sold_file",
                f"{game.name}: the log has {game.tickets} tickets for {game.handle_cents} cents, "
                f"and the lock says {told[0]} for {told[1]}",
            )
        if body.get("cards") != sorted({ticket.card for ticket in playing}):
            self._fault("game.cards", f"{game.name}: its rate cards are not those of its tickets")
        ended = self._ended.get((series, number))
        drawn_for = (position, leaf, body["locked_at"])
        if (
            ended is not None
            and ended.numbers is not None
            and (*ended.lock, ended.locked_at) != drawn_for
        ):
            self._fault("draw.other_lock", f"{game.name} was drawn for another LOCK entry")
        if ended is not None and ended.before:
            game.state = "drawn"
        self._report.checked["Games locked"] += 1

    def _game(self, body: Json, code: str) -> Game | None:
        series, number = text_of(body, "series"), whole(body, "game", 1)
        game = self._games.get((series, number))
        if game is None and not self._carried:
            self._fault(code, f"{series}-{number} was not locked")
        return game

    def _outcome(self, body: Json) -> Ended | None:
        series, number = text_of(body, "series"), whole(body, "game", 1)
        ended = self._ended.get((series, number))
        if ended is None:
            self._fault("draw.missing", f"the record of {series}-{number} is not in the bundle")
            return None
        if ended.told:
            self._fault("draw.twice", f"{series}-{number} ended twice")
        ended.told = True
        self.ended_at[series, number] = text_of(body, "time")
        if body.get("record") != ended.record:
            self._fault(
                "draw.other_record", f"the log tells of another record of {series}-{number}"
            )
        return ended

    def _draw(self, body: Json, _: int, __: str) -> None:
        ended, game = self._outcome(body), self._game(body, "draw.not_locked")
        if ended is None:
            return
        told = (body.get("numbers"), body.get("statement"), body.get("seal"))
        if ended.numbers is None or told != (ended.drawn, ended.statement, ended.seal):
            self._fault("draw.told_otherwise", "the entry tells of other numbers than the record")
        seen_at = None if ended.sealed is None else ended.sealed.cosigned_at
        if seen_at is not None and _moment(text_of(body, "time")) < seen_at - APART:
            self._fault("draw.time", f"the inspector cosigned its seal only at {seen_at}")
        if game is not None:
            game.state = "drawn"

    def _void_game(self, body: Json, _: int, __: str) -> None:
        ended, game = self._outcome(body), self._game(body, "draw.not_locked")
        if ended is None or game is None:
            return
        told = (body.get("reason"), body.get("handle_cents"))
        if ended.numbers is not None or told != (ended.reason, game.handle_cents):
            self._fault("draw.told_otherwise", "the entry tells of another void than the record")
        game.state = "void"
        for ticket in self._playing(game.series, game.number):
            ticket.void_games.add(game.number)
            ticket.left -= 1
            self._finish(ticket)

    def _wins(self, body: Json, _: int, __: str) -> None:
        game = self._game(body, "game.not_locked")
        if game is None:
            return
        ended = self._ended.get((game.series, game.number))
        if ended is None or ended.numbers is None:
            self._fault("game.not_drawn", f"{game.name} was graded, and was not drawn")
            return
        run = whole(body, "run", 1)
        if not self._carried and (game.state, game.run + 1) != ("drawn", run):
            self._fault("game.graded_again", f"{game.name} was graded again without a release")
        playing = self._playing(game.series, game.number)
        wins: dict[int, tuple[int, int]] = {}
        for ticket in playing:
            uncut, cut = win_of(ticket, self.cards[ticket.card], ended.numbers)
            if cut:
                wins[ticket.number] = uncut, cut
        limit, in_full = limits_of([self.cards[each] for each in {t.card for t in playing}])
        game.wins, game.paid = wins, shared(wins, limit, in_full)
        digest = sha256()
        for number, (uncut, cut) in wins.items():
            digest.update(f"{number} {uncut} {cut} {game.paid[number]}\n".encode())
        found = {
            "tickets": len(playing),
            "handle_cents": sum(ticket.game_cents for ticket in playing),
            "winners": len(wins),
            "win_cents": sum(cut for _, cut in wins.values()),
            "paid_cents": sum(game.paid.values()),
            "limit_cents": limit,
            "in_full_below_cents": in_full,
            "digest": digest.hexdigest(),
        }
        game.differences = [
            f"{name} is {value}, and the house says {body.get(name)}"
            for name, value in found.items()
            if body.get(name) != value
        ]
        game.run, game.owed_cents = run, whole(body, "paid_cents")
        game.winners, game.state = len(wins), "settled"
        self._report.checked["Tickets graded"] += len(playing)
        self._report.checked["Wins"] += len(wins)
        self._report.progress(f"{game.name} graded: {len(playing):,} tickets, {len(wins):,} wins")

    def _certified(self, body: Json, _: int, __: str) -> None:
        game = self._game(body, "game.not_locked")
        if game is None:
            return
        if game.state != "settled" or body.get("run") != game.run:
            self._fault("game.not_graded", f"{game.name} was certified without having been graded")
            return
        for difference in game.differences:
            self._fault("game.wins", f"{game.name}: {difference}")
        told = [body.get(name) for name in ("tickets", "handle_cents", "winners", "differences")]
        if told != [game.tickets, game.handle_cents, game.winners, []]:
            self._fault("game.certified", f"{game.name}: the second grading was of something else")
        game.state = "certified"
        at = _moment(text_of(body, "time"))
        self._note_verdict((game.series, game.number), "CERTIFIED", at)
        for ticket in self._playing(game.series, game.number):
            _, cut = game.wins.get(ticket.number, (0, 0))
            ticket.graded.append((game.number, cut, game.paid.get(ticket.number, 0)))
            ticket.left -= 1
            self._finish(ticket)
        game.wins, game.paid = {}, {}
        self._report.checked["Games graded and certified"] += 1

    def _frozen(self, body: Json, _: int, __: str) -> None:
        game = self._game(body, "game.not_locked")
        if game is None:
            return
        if game.state != "settled" or body.get("run") != game.run:
            self._fault("game.not_graded", f"{game.name} was frozen without having been graded")
        agrees = "does not agree" if game.differences else "AGREES"
        told = f"our own grading {agrees} with the one that was held up"
        self._report.note(f"the house froze {game.name}, grading {game.run}; {told}")
        game.state, game.wins, game.paid = "frozen", {}, {}
        at = _moment(text_of(body, "time"))
        self._note_verdict((game.series, game.number), "FROZEN", at)

    def _note_verdict(self, which: tuple[str, int], tag: str, at: datetime) -> None:
        """Note from when until when a game is frozen: until it is certified."""
        spans = self._freezes[which] if tag == "FROZEN" else self._freezes.get(which, [])
        if spans and spans[-1].until is None:
            spans[-1].until = at if tag == "CERTIFIED" else None
        elif tag == "FROZEN":
            spans.append(Freeze(at))

    def _released(self, body: Json, _: int, __: str) -> None:
        """Two people, a supervisor and a manager, have a frozen game graded again."""
        game = self._game(body, "game.not_locked")
        if game is None:
            return
        if game.state != "frozen" or body.get("run") != game.run:
            self._fault("game.not_frozen", f"{game.name} was released, and was not frozen")
        game.state = "drawn"
        if self._carried:
            return
        by = [text_of(part(body, name, dict), "staff") for name in ("supervisor", "manager")]
        self._check_approver(by[0], SUPERVISORS)
        self._check_approver(by[1], (*MANAGERS, "keno-manager"))
        if by[0] == by[1]:
            self._fault("approval.same", f"{by[0]} released {game.name} alone")
        self._report.checked["Games released"] += 1

    # ---- payments ----------------------------------------------------------------------------

    def _claimed(self, body: Json, code: str) -> Ticket | None:
        """Return the ticket that is paid or expires, if all its games are decided."""
        number = whole(body, "ticket", 1)
        ticket = self._named(body, number)
        if number in self._paid:
            self._fault(f"{code}.twice", f"ticket {number} was paid before")
            return None
        if number in self._done:
            self._fault(f"{code}.expired", f"the win of ticket {number} had expired")
            return None
        if ticket is None:
            self._fault(f"{code}.no_win", f"ticket {number} won nothing in any game that is known")
            return None
        if ticket.left:
            self._fault(f"{code}.not_decided", f"not all games of ticket {number} are decided")
            return None
        return ticket

    def _pay(self, body: Json, _: int, __: str) -> None:
        number, cents = whole(body, "ticket", 1), whole(body, "cents")
        back = sum(whole(each, "cents") for each in part(body, "back", list))
        self._add("paid", text_of(body, "time"), cents)
        self._add("refunds", text_of(body, "time"), back + whole(body, "coupon_cents"))
        self._report.checked["Payments"] += 1
        how = self._check_shown(body, number)
        if how == "claim":
            self._check_two_outside(body)
        else:
            self._check_approvals(body, number, cents)
        ticket = self._claimed(body, "payment")
        self._paid.add(number)
        if ticket is None:
            return
        self._check_when_shown(how, ticket, body)
        self._check_wins(ticket, body, cents)
        self._check_in_time(ticket, _moment(text_of(body, "time")))
        games = sorted(ticket.void_games - ticket.given_back)
        given = (body.get("void_games"), (back, body.get("coupon_cents")))
        if given != (games, ticket.back_for(games)):
            self._fault("payment.back", f"what goes back with ticket {number} is not its price")
        self._forget(ticket)

    def _check_shown(self, body: Json, number: int) -> str:
        """Return what was shown for a payment, as it says; entries from before do not say it."""
        with_code = body.get("with_code") is True
        if "shown" not in body:
            if not with_code:
                self._fault("shown.missing", f"ticket {number}: nobody says what was shown for it")
            return "code" if with_code else "digits"
        said = part(body, "shown", dict)
        how = text_of(said, "how")
        if how not in {"code", "digits", "identity", "claim"} or (how == "code") != with_code:
            self._fault("shown.missing", f"ticket {number}: what was shown for it is no such thing")
        if how == "digits":
            places, digits = text_of(said, "places"), whole(said, "digits")
            read = places.count("X")
            if (len(places), places.count("?")) != (CODE_PLACES, CODE_PLACES - read):
                self._fault("shown.digits", f"ticket {number}: these are no places of a code")
            elif digits != read or read < READ_LEAST:
                self._fault("shown.digits", f"ticket {number}: too little of its code was read")
        elif how == "identity" and len(text_of(said, "identity")) != 2 * sha256().digest_size:
            self._fault("shown.identity", f"ticket {number} was paid to nobody who is known")
        return how

    def _check_when_shown(self, how: str, ticket: Ticket, body: Json) -> None:
        """Without paper that can be read nothing is paid at once, nor by who looked the win up."""
        at, number = _moment(text_of(body, "time")), ticket.number
        locked_at = self._locked_at.get((ticket.series, ticket.last))
        if how == "identity":
            if locked_at is not None and at < locked_at + UNREAD_AFTER:
                self._fault("shown.early", f"ticket {number} was paid before an hour had passed")
            writer = body.get("writer")
            if any(by == writer and low <= number <= to for by, low, to in self._trail.looked_up):
                self._fault("shown.looked_up", f"{writer} had looked ticket {number} up")
        elif how == "claim":
            lost_at, said = self._trail.lost.get(number), part(body, "shown", dict)
            if lost_at is None or at < lost_at + LOST_AFTER:
                self._fault("shown.early", f"ticket {number} was not reported lost a week before")
            ends = self._claim_period_ends(ticket)
            if not said.get("procedure") and ends is not None and at < ends - ROUNDED:
                self._fault("shown.early", f"ticket {number} could be claimed until {ends}")
            if body.get("paid_by") != "check":
                self._fault("shown.window", f"the lost ticket {number} was paid at a window")

    def _check_two_outside(self, body: Json) -> None:
        """Two people from outside keno pay a lost ticket."""
        by = [body.get("writer"), body.get("approver")]
        self._check_approver(by[0], MANAGERS)
        self._check_approver(by[1], ACCOUNTING)
        if by[0] == by[1]:
            self._fault("approval.same", f"{by[0]} paid a lost ticket alone")

    def _check_wins(self, ticket: Ticket, body: Json, cents: int) -> None:
        """What is paid for each game is what was won in it."""
        number, graded = ticket.number, sorted(ticket.graded)
        seen = [{"game": game, "first_cents": won, "second_cents": won} for game, won, _ in graded]
        if body.get("gradings") != seen:
            self._fault("payment.gradings", f"ticket {number}: the gradings shown are others")
        wins = {game: paid for game, _, paid in graded if paid}
        listed = part(body, "wins", list)
        told = {whole(each, "game"): whole(each, "cents", 1) for each in listed}
        for game in ticket.shared_before:
            # How the limit was shared follows from tickets that are not in this bundle.
            if told.get(game, 0) <= wins.get(game, 0):
                wins[game] = told.get(game, 0)
                self._report.note(f"the shares of {ticket.series}-{game} are not in this bundle")
        wins = {game: paid for game, paid in wins.items() if paid}
        if told != wins or len(told) != len(listed) or cents != sum(wins.values()):
            self._fault("payment.amount", f"ticket {number} won {sum(wins.values())}, not {cents}")

    def _expire(self, body: Json, _: int, __: str) -> None:
        cents = whole(body, "cents", 1)
        self._expired += cents
        self._report.checked["Wins expired"] += 1
        ticket = self._claimed(body, "expiry")
        self._done.add(whole(body, "ticket", 1))
        if ticket is None:
            return
        won = sum(paid for _, _, paid in ticket.graded)
        fits = cents <= won if ticket.shared_before else cents == won
        if not fits:
            self._fault("expiry.amount", f"ticket {ticket.number} won {won}, not {cents}")
        self._check_expiry(ticket, _moment(text_of(body, "time")))
        if not ticket.void_games - ticket.given_back:
            self._forget(ticket)

    # ---- the time to claim -------------------------------------------------------------------

    def _present(self, body: Json, _: int, __: str) -> None:
        """A ticket was brought, and could not be paid then: it does not expire while it waits."""
        at = _moment(text_of(body, "time"))
        self._trail.brought.setdefault(whole(body, "ticket", 1), at)

    def _expires_at(self, ticket: Ticket) -> datetime | None:
        """Return until when a ticket is paid: longer, if it was reported lost in time."""
        ends, lost_at = self._claim_period_ends(ticket), self._trail.lost.get(ticket.number)
        if ends is None or lost_at is None or lost_at > ends + ROUNDED:
            return ends
        return ends + LOST_LONGER

    def _claim_period_ends(self, ticket: Ticket) -> datetime | None:
        """Return until when a ticket can be claimed, counted from the lock of its last game.

        Or from when its rest was cancelled; without the time for which games of it were frozen; and
        never before what it prints (15.6(c)).
        """
        since = self._locked_at.get((ticket.series, ticket.last))
        if since is None:
            return None
        since = max(since, ticket.cancelled_at or since)
        spans = [
            (span.since, span.until)
            for (series, game), held in self._freezes.items()
            if series == ticket.series and ticket.plays(game)
            for span in held
        ]
        frozen, until = timedelta(0), since
        for begins, ends in sorted(spans, key=lambda span: span[0]):
            if ends is not None and ends > max(begins, until):
                frozen += ends - max(begins, until)
                until = ends
        return max(since + ticket.to_claim + frozen, ticket.prints_expiry)

    def _came_in_time(self, ticket: Ticket, expires: datetime) -> bool:
        brought = self._trail.brought.get(ticket.number)
        return brought is not None and brought <= expires + ROUNDED

    def _check_in_time(self, ticket: Ticket, paid_at: datetime) -> None:
        """A ticket is paid in its time, or was brought in time and had to wait."""
        expires = self._expires_at(ticket)
        if expires is None:
            name = f"{ticket.series}-{ticket.last}"
            self._fault("expiry.unknown", f"the lock of {name} is not in the bundle")
        elif paid_at > expires + LATE and not self._came_in_time(ticket, expires):
            self._fault("payment.late", f"ticket {ticket.number} could be claimed until {expires}")

    def _check_expiry(self, ticket: Ticket, told: datetime) -> None:
        """A win expires when its time is over, unless its ticket was brought before."""
        expires = self._expires_at(ticket)
        if expires is None:
            name = f"{ticket.series}-{ticket.last}"
            self._fault("expiry.unknown", f"the lock of {name} is not in the bundle")
            return
        if abs(told - expires) > ROUNDED:
            told_so = f"ticket {ticket.number} could be claimed until {expires}, not {told}"
            self._fault("expiry.time", told_so)
        if self._came_in_time(ticket, expires):
            self._fault("expiry.presented", f"ticket {ticket.number} was brought in time")
        self._expiring.append((ticket.number, expires, self._where))

    def _check_expired(self, now: datetime) -> None:
        """When a win was posted as expired, no later than the next act, its time was over."""
        for number, expires, where in self._expiring:
            if now < expires - LATE:
                told = f"ticket {number} could be claimed until {expires}"
                self._report.fault("expiry.early", where, told)
        self._expiring.clear()

    # ---- approvals ---------------------------------------------------------------------------

    def _check_approver(self, by: object, may: tuple[str, ...]) -> None:
        """Whoever approves has one of the roles that may, and is not disabled."""
        if type(by) is not str or self._roles.get(by) not in may:
            self._fault("approval.role", f"{by} approved, and may not as {may[0]}")
        elif by in self._disabled:
            self._fault("approval.disabled", f"{by} approved, and was disabled")

    def _is_named(self, by: object, body: Json) -> bool:
        """Whether somebody was named to approve in an emergency, and the entry says so."""
        at = body.get("time", body.get("voided_at"))
        if not body.get("emergency") or type(at) is not str or by in self._disabled:
            return False
        return type(by) is str and by in self._emergency and _moment(at) <= self._emergency[by]

    def _check_authority(self, body: Json, number: int) -> None:
        """Whoever approves is a supervisor, and not the writer.

        One must where there is no code, and where a ticket was printed again: its copy has the
        same code.
        """
        by, writer = body.get("approver"), body.get("writer")
        if by is not None and not self._is_named(by, body):
            self._check_approver(by, SUPERVISORS)
        if by is not None and by == writer:
            self._fault("approval.same", f"{by} approved an act of their own")
        elsewhere = "issued_at" in body and body["issued_at"] != body.get("station")
        if by is None and (elsewhere or body.get("with_code") is not True):
            self._fault("approval.missing", "it took a supervisor, and there was none")
        if by is None and number in self._reprinted:
            self._fault("approval.missing", f"ticket {number} was printed again, and paid alone")

    def _check_approvals(self, body: Json, number: int, cents: int) -> None:
        """From an amount on a supervisor approves a payment, from another a manager as well."""
        self._check_authority(body, number)
        manager, by = body.get("manager"), body.get("approver")
        if by is None and number in self._trail.lost:
            self._fault("approval.missing", f"ticket {number} was reported lost, and paid alone")
        if manager is not None:
            self._check_approver(manager, MANAGERS)
        if manager is not None and manager == body.get("writer"):
            self._fault("approval.same", f"{manager} approved an act of their own")
        day = self._calendar_day(text_of(body, "time"))
        in_all = cents
        if cents >= self._amounts.on(day, "added-up"):
            in_all += self._paid_in_contact(body, day)
        if body.get("approver") is None and in_all >= self._amounts.on(day, "approval"):
            self._fault("approval.missing", f"ticket {number} was paid without a supervisor")
        is_due = number <= self._held or in_all >= self._amounts.on(day, "second-tier")
        how = part(body, "shown", dict).get("how") if "shown" in body else "code"
        is_large = in_all >= self._amounts.on(day, "approval")
        is_due |= (
            how == "identity" or (how == "digits" and is_large) or number in self._trail.copied_late
        )
        if manager is None and is_due:
            self._fault("approval.missing", f"ticket {number} was paid without a manager")

    def _contact(self, body: Json) -> None:
        """Note the player card of a contact: with it, it counts with others of the day."""
        when = next(body[name] for name in ("time", "sold_at", "voided_at") if name in body)
        day, contact = self._day(when), part(body, "contact", dict)
        if self._contacts and next(iter(self._contacts))[0] != day:
            self._contacts.clear()  # a contact lasts for a day at most
            self._contact_cards.clear()
        key = (day, text_of(body, "station"), text_of(contact, "id"))
        self._contacts.setdefault(key, [])
        if contact.get("player_card") is not None:
            self._contact_cards[key] = text_of(contact, "player_card")

    def _paid_in_contact(self, body: Json, day: str) -> int:
        """Return what was paid to the same patron before, and note what is paid now."""
        if type(body.get("contact")) is not dict:
            return 0
        contact = text_of(part(body, "contact", dict), "id")
        key = (self._day(text_of(body, "time")), text_of(body, "station"), contact)
        card = self._contact_cards.get(key)
        same = {key} if card is None else {k for k, c in self._contact_cards.items() if c == card}
        counts = self._amounts.on(day, "added-up")
        before = sum(cents for k in same for cents in self._contacts.get(k, []) if cents >= counts)
        self._contacts[key].append(whole(body, "cents"))
        return before

    # ---- days --------------------------------------------------------------------------------

    def _day(self, moment: object) -> str:
        """Return the gaming day that a moment belongs to."""
        at = _moment(moment)
        if self._bounds is None or not self._bounds[0] <= at < self._bounds[1]:
            self._bounds = self._bounds_around(at)
        return self._bounds[2]

    def _bounds_around(self, at: datetime) -> tuple[datetime, datetime, str]:
        if self._zone is None:
            raise Wrong("house.missing", "the terms of the house are not in the bundle")
        day = at.astimezone(self._zone).date() + timedelta(days=1)
        while self._begins(day) > at:
            day -= timedelta(days=1)
        return self._begins(day), self._begins(day + timedelta(days=1)), day.isoformat()

    def _add(self, name: str, moment: str, cents: int) -> None:
        """Add an act to its gaming day, which must not be closed."""
        day = self._day(moment)
        self._sums[day][name] += cents
        if self._closed is not None and day <= text_of(self._closed, "day"):
            self._fault("day.closed_before", f"it is of {day}, which was closed before it")

    def _begins(self, day: date) -> datetime:
        # Added to a time of the zone, minutes are those of the clock on the wall.
        return (datetime.combine(day, time(), self._zone) + self._starts).astimezone(UTC)

    def _calendar_day(self, moment: str) -> str:
        return _moment(moment).astimezone(self._zone).date().isoformat()

    def _day_close(self, body: Json, position: int, __: str) -> None:
        day, before = text_of(body, "day"), self._closed
        self._check_standing(body, position)
        self._closed = body
        begins, ends = self._period
        if before is not None:
            last = date.fromisoformat(text_of(before, "day"))
            if day != (last + timedelta(days=1)).isoformat():
                self._fault("day.gap", f"{day} was closed after {last}")
        told_end = self._begins(date.fromisoformat(day) + timedelta(days=1))
        if _moment(text_of(body, "ends_at")) != told_end:
            self._fault("day.bounds", f"{day} did not end when it says")
        # Else something of the day could stand behind its close, and behind the bundle.
        if _moment(text_of(body, "time")) < told_end:
            self._fault("day.closed_early", f"{day} was closed at {body['time']}")
        if begins <= day <= ends:
            self._days.append(day)
            self.closes[day] = part(body, "figures", dict)
            self._check_figures(body, day, before)
            self._report.checked["Days closed"] += 1
        self._expired = 0
        for known in [each for each in self._sums if each <= day]:
            del self._sums[known]

    def _check_standing(self, body: Json, position: int) -> None:
        """What stands until it is said otherwise is all there: a close says how much that is.

        So nobody can leave out of a bundle who was disabled, or from which amount on an approval
        is due. A close says it of the log up to a size, which was sealed then.
        """
        if "standing" not in body:
            if self.says_standing is not None:
                self._fault("day.standing", "it does not say what stands, and the last one did")
            return
        said = part(body, "standing", dict)
        size = whole(said, "size", self.says_standing or 0, position)
        leaves = [bytes.fromhex(leaf) for place, leaf in self._standing if place < size]
        told = (whole(said, "entries"), text_of(said, "digest"))
        if told != (len(leaves), sha256(b"".join(leaves)).hexdigest()):
            text = f"up to {size} there are {told[0]} entries that stand, and here {len(leaves)}"
            self._fault("day.standing", text)
        self.says_standing = size

    def check_standing(self, first: int) -> None:
        """Note whether anything shows that no earlier entry that stands was left out."""
        if first > (self.says_standing or 0):
            told = "no close of a day here says which entries stand: some may have been left out"
            self._report.note(told)

    def _check_figures(self, body: Json, day: str, before: Json | None) -> None:
        """The figures of a day are what its acts and games come to."""
        games = [game for game in self._games.values() if game.day == day]
        found = {f"{name}_cents": self._sums[day][name] for name in FLOWS}
        found["write_cents"] = sum(each.handle_cents for each in games if each.state != "void")
        found["wins_cents"] = sum(each.owed_cents for each in games)
        found["expired_cents"] = self._expired
        found["adjusted_cents"], frozen = self._held_before(before)
        frozen += [
            {"series": each.series, "game": each.number, "cents": each.owed_cents}
            for each in sorted(games, key=lambda each: (each.series, each.number))
            if each.state == "frozen"
        ]
        if before is not None:
            last: dict[str, int] = part(before, "figures", dict)
            found["prepaid_brought_cents"] = last["prepaid_brought_cents"] + (
                last["sales_cents"] - last["voids_cents"] - last["refunds_cents"]
            ) - last["write_cents"]  # fmt: skip
            found["payable_brought_cents"] = last["payable_brought_cents"] + (
                last["wins_cents"] + last["adjusted_cents"] - last["paid_cents"]
            ) - last["expired_cents"]  # fmt: skip
        elif day == self._founded:
            found |= {"prepaid_brought_cents": 0, "payable_brought_cents": 0}
        else:
            self._fault("day.before", f"the close of the day before {day} is not in the bundle")
        told = part(body, "figures", dict)
        for name, cents in found.items():
            if told.get(name) != cents:
                self._fault("day.figures", f"{day}: {name} is {cents}, not {told.get(name)}")
        owed = found.get("payable_brought_cents", 0) + found["wins_cents"]
        owed += found["adjusted_cents"] - found["paid_cents"] - found["expired_cents"]
        if sum(part(body, "unclaimed", dict).values()) != owed:
            self._fault("day.unclaimed", f"{day}: what is unclaimed does not come to {owed}")
        if body.get("frozen") != frozen:
            self._fault("day.frozen", f"{day}: the games that were frozen are others")
        if part(body, "drawers", dict).get("unexplained_cents") != 0:
            self._fault("day.drawers", f"{day}: drawers do not hold what its acts moved")
        for game in games:
            if not game.is_over and game.state != "frozen":
                self._fault("day.undecided", f"{day} was closed, and {game.name} is {game.state}")

    def _held_before(self, before: Json | None) -> tuple[int, list[Json]]:
        """Return by how much wins of earlier days changed since, and their games still frozen."""
        adjusted, frozen = 0, list[Json]()
        for held in [] if before is None else part(before, "frozen", list):
            game = self._games.get((text_of(held, "series"), whole(held, "game", 1)))
            then_cents = whole(held, "cents")
            now_cents = then_cents if game is None or not game.run else game.owed_cents
            adjusted += now_cents - then_cents
            if game is None or not game.is_over:
                frozen.append({**held, "cents": now_cents})
        return adjusted, frozen

    def end(self) -> None:
        """All entries were taken: is everything there that must be."""
        self._where = "the end of the entries"
        self.times.end()
        begins, ends = self._period
        day, wanted = date.fromisoformat(begins), []
        while day <= date.fromisoformat(ends):
            wanted.append(day.isoformat())
            day += timedelta(days=1)
        for name in wanted:
            if name not in self._days:
                self._fault("day.not_closed", f"the close of {name} is not in the bundle")
        for game in self._games.values():
            if begins <= game.day <= ends and not game.is_over:
                self._report.note(f"{game.name} is {game.state} at the end of the bundle")
        for ended in self._ended.values():
            name = f"{ended.series}-{ended.game}"
            if not ended.told and not ended.before:
                self._fault("draw.not_told", f"no entry tells of the record of {name}")
            follows = (ended.series, ended.game - 1) in self._ended
            begins_series = self._first_games.get(ended.series) == ended.game
            if not ended.before and not follows and not begins_series:
                self._fault("draw.chain", f"the record before that of {name} is not in the bundle")


def _moment(text: object) -> datetime:
    if type(text) is not str:
        raise Wrong("json.malformed", "what should be a time is none")
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise Wrong("json.malformed", f"{text!r} has no time zone")
    return moment


# ---- the whole bundle ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Manifest:
    """What a bundle says that it is."""

    house: str
    jurisdiction: str
    origin: str
    first_day: str
    last_day: str
    first: int
    size: int
    root: bytes
    files: list[object]


@dataclass(frozen=True)
class KnownReport:
    """A report that can be worked out from the entries: the section of it, and its columns."""

    section: str
    columns: tuple[str, ...]
    also: tuple[str, ...] = ()  # sections that are checked in another way


KNOWN_REPORTS = {
    "voids.json": KnownReport(
        "voids",
        ("ticket", "time", "station", "issued_at", "writer", "price_cents", "reason", "with_code",
         "approver", "day"),
        also=("stations",),
    ),
    "winning-numbers.json": KnownReport(
        "games",
        ("game", "locked_at", "numbers", "in_order", "record", "seal", "drawn_at", "state"),
    ),
    "win.json": KnownReport(
        "days",
        ("period", "sales_cents", "voids_cents", "refunds_cents", "write_cents", "wins_cents",
         "win_cents", "hold"),
    ),
}  # fmt: skip
# Fields of a report that have no figures of their own: its name, whose it is, and words.
REPORT_FIELDS = {"duties", "house", "jurisdiction", "label", "log", "period", "remarks", "report",
                 "sections", "title", "version"}  # fmt: skip
SECTION_FIELDS = {"remark", "rows", "sums", "title"}
STATION_COLUMNS = {"station", "voids", "voids_cents"}


def _unchecked_parts(known: KnownReport, document: Json) -> Iterator[str]:
    """Yield what of a known report follows from nothing that was checked."""
    yield from sorted(document.keys() - REPORT_FIELDS)
    sections = part(document, "sections", dict)
    for name, section in sections.items():
        if name != known.section and name not in known.also:
            yield f"section {name}"
            continue
        columns = STATION_COLUMNS if name in known.also else set(known.columns)
        found = {column for row in part(section, "rows", list) for column in an_object(row)}
        others = (found - columns) | (an_object(section).keys() - SECTION_FIELDS)
        yield from (f"{name} {other}" for other in sorted(others))


def _cell(row: object, column: str) -> object:
    """Return a cell of a report; of a ticket its number, without the check digit."""
    if column == "ticket":
        return int(text_of(row, column).partition("-")[0])
    return an_object(row).get(column)


def _check_sums(section: Json) -> None:
    """What a section of a report says that its columns come to is what they come to."""
    rows, sums = part(section, "rows", list), section.get("sums", {})
    for column, stated in an_object(sums).items():
        cells = (an_object(row).get(column) for row in rows)
        if stated != sum(cell for cell in cells if type(cell) is int):
            raise Wrong("report.figures", f"the sum of {column} is not that of its rows")


class Verification:
    """One bundle, checked step by step; whatever a step finds, the next one is made."""

    def __init__(self, bundle: Bundle, report: Report, trusted: dict[str, bytes] | None) -> None:
        self._bundle, self._report, self._trusted = bundle, report, trusted
        self._manifest: Manifest
        self._keys: Keys
        self._head = Head(0, b"")
        self._tree = Growing()
        # The names of the log, the first one first, and up to which size it is that log.
        self._origins: dict[str, int] = {}
        self._acts: list[Json] = []
        self._ended: dict[tuple[str, int], Ended] = {}
        self._reports: dict[str, Json] = {}  # those that are checked against the entries
        self._states: dict[str, OfGames] = {}  # of games, when it was made
        # What the root must be at some sizes, and who says so.
        self._wanted: dict[int, list[tuple[Head, str]]] = defaultdict(list)

    def run(self, origin: str | None) -> None:
        """Check all of it.

        Args:
            origin: the name of the log that the caller knows, if any.
        """
        tried, report = self._report.tried, self._report
        if not tried("manifest.json", self._read_manifest):
            return
        for name, stated in self._listed().items():
            tried(name, self._check_file, name, stated)
        if not tried("keys.json", self._read_keys):
            return
        if origin is not None and origin != self._manifest.origin:
            report.fault("manifest.origin", "manifest.json", f"it is not a bundle of {origin}")
        tried("manifest.json", self._check_signature)
        tried("log/origins.jsonl", self._read_origins)
        tried("log/checkpoint", self._read_head)
        tried("log/tile", self._read_tiles)
        for name in self._draw_files():
            tried(name, self._read_draws, name)
        tried("log/checkpoints.jsonl", self._read_checkpoints)
        for name in self._report_files():
            report.reports[name] = [WHOLE]
            if name.endswith(".json"):  # which a program can read
                tried(f"reports/{name}", self._read_report, name)
        manifest = self._manifest
        book = Book(report, self._ended, (manifest.first_day, manifest.last_day))
        book.origin, book.acts = next(iter(self._origins), ""), self._acts
        tried("log/carried.jsonl", self._read_carried, book)
        tried("earlier entries", book.end_of_carried)
        tried("the beginning of the entries", book.check_beginning, manifest.first)
        tried("log/entries.jsonl", self._read_entries, book)
        tried("the end of the entries", book.end)
        tried("what each close says that stands", book.check_standing, manifest.first)
        for name in sorted(name for name in self._bundle.files if name.startswith("cards/")):
            tried(name, self._check_card, name, book)
        for name, document in self._reports.items():
            tried(f"reports/{name}", self._check_report, name, document, book)
        self._note_absent_reports()

    # ---- manifest, keys and files ------------------------------------------------------------

    def _read_manifest(self) -> None:
        data = self._bundle.read("manifest.json", DOCUMENT_MAX)
        body = part(read_json(data.removesuffix(b"\n")), "body", dict)
        if (body.get("label"), body.get("version")) != ("keno/export", 1):
            raise Wrong("manifest.malformed", "it is not keno/export, version 1")
        days = [date.fromisoformat(text_of(body, name)) for name in ("from", "to")]
        if not 0 <= (days[1] - days[0]).days < DAYS_MAX:
            raise Wrong("manifest.malformed", "its period is none")
        if not whole(body, "first") < whole(body, "size", 1):
            raise Wrong("manifest.malformed", "its stretch of the log has no entries")
        text_of(body, "verifier")
        self._manifest = Manifest(
            house=text_of(body, "house"),
            jurisdiction=text_of(body, "jurisdiction"),
            origin=text_of(body, "origin"),
            first_day=days[0].isoformat(),
            last_day=days[1].isoformat(),
            first=whole(body, "first"),
            size=whole(body, "size", 1),
            root=hex_of(body, "root"),
            files=part(body, "files", list),
        )
        told = ("house", "jurisdiction", "origin", "from", "to", "first", "size", "root")
        self._report.about |= {name: body[name] for name in told}
        self._report.about["verifier_of_the_house"] = body["verifier"]

    def _read_keys(self) -> None:
        """Take the keys that the caller trusts, whatever those of the bundle are."""
        if self._trusted is None:
            self._keys = Keys(self._published_keys())
            return
        self._keys = Keys(self._trusted)
        self._report.tried("keys.json", self._compare_keys)

    def _published_keys(self) -> dict[str, bytes]:
        named, origin = read_published(self._bundle.read("keys.json"))
        if origin != self._manifest.origin:
            self._report.fault("keys.origin", "keys.json", "its keys are those of another log")
        return named

    def _compare_keys(self) -> None:
        for name, der in self._published_keys().items():
            if sha256(der).hexdigest() not in self._keys.by_role[name.split("-")[0]]:
                told = f"the key {name[:20]} is not among the keys that you gave"
                self._report.fault("keys.other", "keys.json", told)

    def _check_signature(self) -> None:
        data = self._bundle.read("manifest.json", DOCUMENT_MAX)
        self._keys.check_sealed(read_json(data.removesuffix(b"\n")), "log")

    def _listed(self) -> dict[str, object]:
        """Return the files that the manifest lists; what is not listed has no place here."""
        listed: dict[str, object] = {}
        for each in self._manifest.files:
            self._report.tried("manifest.json", self._list, each, listed)
        for name in self._bundle.files:
            if name not in listed and name != "manifest.json":
                self._report.fault("file.unlisted", name, "the manifest does not list it")
        return listed

    def _list(self, each: object, listed: dict[str, object]) -> None:
        name = text_of(each, "name")
        if name in listed or name == "manifest.json":
            self._report.fault("manifest.malformed", "manifest.json", f"{name} stands twice")
        listed[name] = each

    def _check_file(self, name: str, stated: object) -> None:
        self._report.progress(f"reading {name}")
        if self._bundle.digest(name) != (whole(stated, "size"), text_of(stated, "sha256")):
            raise Wrong("file.changed", "it is not the file that the manifest lists")
        self._report.checked["Files"] += 1

    def _check_card(self, name: str, book: Book) -> None:
        digest = name.removeprefix("cards/").removesuffix(".toml")
        if self._bundle.digest(name)[1] != digest:
            raise Wrong("card.hash", "the file does not have the hash of its name")
        if digest not in book.cards:
            raise Wrong("card.unknown", "no entry of the log tells of this card")

    # ---- reports -----------------------------------------------------------------------------

    def _report_files(self) -> list[str]:
        """Return the names of all reports in the bundle."""
        named = (name for name in self._bundle.files if name.startswith("reports/"))
        return sorted(name.removeprefix("reports/") for name in named)

    def _read_report(self, name: str) -> None:
        """A report has its own hash, and is of this house and its days, and of this log."""
        data = self._bundle.read(f"reports/{name}", DOCUMENT_MAX)
        document = an_object(read_json(data.removesuffix(b"\n")))
        stated, manifest = document.pop("content", None), self._manifest
        log, period = part(document, "log", dict), part(document, "period", dict)
        about = (document.get("label"), document.get("version"), document.get("house"),
                 document.get("jurisdiction"), period.get("from"), period.get("to"))  # fmt: skip
        if about != ("keno/report", 1, manifest.house, manifest.jurisdiction,
                     manifest.first_day, manifest.last_day):  # fmt: skip
            raise Wrong("report.malformed", "it is no report of this house and these days")
        if stated != sha256(canonical(document)).hexdigest():
            raise Wrong("report.hash", "it does not have the hash that it states")
        self._want(Head(whole(log, "size", 1), hex_of(log, "root")), f"reports/{name}")
        if name in KNOWN_REPORTS:
            self._reports[name] = document

    def _check_report(self, name: str, document: Json, book: Book) -> None:
        """What a report says is what the entries come to, and its sums are those of its rows."""
        known = KNOWN_REPORTS[name]
        section = known.section
        if name != f"{document.get('report')}.json":
            raise Wrong("report.malformed", "it is another report than its name says")
        sections = part(document, "sections", dict)
        for each in sections.values():
            _check_sums(an_object(each))
        listed = part(part(sections, section, dict), "rows", list)
        told = [[_cell(row, column) for column in known.columns] for row in listed]
        found = {"voids": self._voids, "games": self._games, "days": self._days}[section](book)
        if sorted(map(canonical, told)) != sorted(map(canonical, found)):
            raise Wrong("report.figures", f"its {section} are not those of the entries")
        if section == "voids":
            self._check_stations(part(part(sections, "stations", dict), "rows", list), book)
        parts = list(_unchecked_parts(known, document))
        self._report.reports[name] = parts
        self._report.checked["Reports checked in part" if parts else "Reports checked"] += 1

    @staticmethod
    def _check_stations(rows: list[object], book: Book) -> None:
        """The voids of each station, added up; stations without any may stand there as well."""
        found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for body in book.voids:
            found[text_of(body, "issued_at")][0] += 1
            found[text_of(body, "issued_at")][1] += whole(body, "price_cents")
        told = {
            text_of(row, "station"): [whole(row, "voids"), whole(row, "voids_cents")]
            for row in rows
        }
        names = told.keys() | found.keys()
        if len(told) != len(rows) or any(told.get(name) != found[name] for name in names):
            raise Wrong("report.figures", "the voids of its stations are not those of the entries")

    @staticmethod
    def _voids(book: Book) -> list[list[object]]:
        names = ("voided_at", "station", "issued_at", "writer", "price_cents", "reason",
                 "with_code", "approver", "day")  # fmt: skip
        return [[body.get(name) for name in ("ticket", *names)] for body in book.voids]

    def _games(self, book: Book) -> list[list[object]]:
        found: list[list[object]] = []
        for key, locked_at in book.locks.items():
            ended = self._ended.get(key)
            drawn, record = ([], None) if ended is None else (ended.drawn, ended.record)
            seal = None if ended is None else ended.seal or None
            state = self._states.get("winning-numbers.json", {}).get(key, "locked")
            about = (f"{key[0]}-{key[1]}", locked_at, sorted(drawn), drawn, record)
            found.append([*about, seal, book.ended_at.get(key), state])
        return found

    @staticmethod
    def _days(book: Book) -> list[list[object]]:
        found: list[list[object]] = []
        names = ("sales_cents", "voids_cents", "refunds_cents")
        for day, figures in book.closes.items():
            write = whole(figures, "write_cents")
            wins = whole(figures, "wins_cents") + part(figures, "adjusted_cents", int)
            hold = Fraction(write - wins, write) if write else None
            told = None if hold is None else f"{hold.numerator}/{hold.denominator}"
            flows = [figures.get(name) for name in names]
            found.append([day, *flows, write, wins, write - wins, told])
        return found

    def _note_absent_reports(self) -> None:
        if absent := [name for name in KNOWN_REPORTS if name not in self._report.reports]:
            self._report.note(
                f"reports that a house can give and this one did not: {', '.join(absent)}"
            )

    # ---- the log -----------------------------------------------------------------------------

    def _read_origins(self) -> None:
        """Read by which acts of both keys the log got the name that it has; most logs by none."""
        names = "log/origins.jsonl"
        self._origins = {self._manifest.origin: LARGEST}
        if names not in self._bundle.files:
            return
        origins: dict[str, int] = {}
        for said in self._bundle.lines(names):
            body = self._keys.check_signed(said.get("act"), "rng", "inspector")
            kept = self._read_kept(body)
            if origins and next(reversed(origins)) != body.get("old_origin"):
                raise Wrong("origin.malformed", "the names of the log do not follow each other")
            origins.setdefault(text_of(body, "old_origin"), LARGEST)
            origins = {name: min(until, kept.size) for name, until in origins.items()}
            origins[text_of(body, "new_origin")] = LARGEST
            self._acts.append(body)
            told = f"the log goes on as {body['new_origin']} with {kept.size} of {body['size']}"
            fork = "; WHAT IS LEFT IS A FORK" if body.get("fork") else ""
            self._report.note(f"{told} entries: {text_of(body, 'reason')}{fork}")
            if self._manifest.first <= kept.size <= self._manifest.size:
                self._wanted[kept.size].append((kept, f"what is left for {body['new_origin']}"))
        if next(reversed(origins), None) != self._manifest.origin:
            raise Wrong("origin.malformed", "both keys gave the log another name than it has")
        self._origins = origins

    def _read_kept(self, body: Json) -> Head:
        """Return the head of what is left of a log, shown to be a beginning of what is given up."""
        manifest = self._manifest
        about = [body.get(name) for name in ("label", "version", "house", "jurisdiction")]
        if about != ["keno/origin", 1, manifest.house, manifest.jurisdiction]:
            raise Wrong("origin.malformed", "it is no act of this house")
        kept = part(body, "kept", dict)
        head, shown = Head(whole(kept, "size"), hex_of(kept, "root")), kept.get("shown")
        if part(body, "fork", bool) != (shown is None):
            raise Wrong("origin.kept", "what is left is not said to be a fork, and not shown")
        if shown is not None:
            if head.size > whole(body, "size"):
                raise Wrong("origin.kept", "more is left than is given up")
            proof = [from_hex(step, "proof") for step in part(shown, "proof", list)]
            check_beginning(Head(whole(shown, "size"), hex_of(shown, "root")), head, proof)
        return head

    def _head_of(self, note: str, *, cosigned: bool) -> Head:
        """Return the head that a note states, under any name that the log had at its size."""
        name = note.partition("\n")[0]
        origin = name if name in self._origins else self._manifest.origin
        head = read_head(note, origin, self._keys, cosigned=cosigned)
        if head.size > self._origins[origin]:
            raise Wrong("head.other", "it is of a part of the log that is lost")
        return head

    def _read_head(self) -> None:
        self._head = Head(self._manifest.size, self._manifest.root)
        note = self._bundle.read("log/checkpoint").decode()
        head = self._head_of(note, cosigned=True)
        if head != self._head:
            raise Wrong("head.other", "it is not the head that the manifest names")
        self._want(head, "log/checkpoint")
        self._report.checked["Cosigned heads"] += 1

    def _read_tiles(self) -> None:
        """Begin the tree with what lies before the bundle: the tiles that end where it begins."""
        first, level, tiles = self._manifest.first, 0, []
        wanted = set[str]()
        while first:
            first, width = divmod(first, 256)
            if width:
                name = f"log/tile/{level}/{_tile_path(first)}.p/{width}"
                data = self._bundle.read(name)
                if len(data) != 32 * width:
                    raise Wrong("log.tiles", f"{name} does not have {width} hashes")
                tiles.append((level, [data[at : at + 32] for at in range(0, len(data), 32)]))
                wanted.add(name)
            level += 1
        for found, hashes in reversed(tiles):
            self._tree.add_tiles(found, hashes)
        for name in self._bundle.files:
            if name.startswith("log/tile/") and name not in wanted:
                self._report.fault("log.tiles", name, "it has no place in this bundle")

    def _read_checkpoints(self) -> None:
        """Note what the heads that were signed meanwhile say; the entries must lead to each."""
        before = -1
        for said in self._bundle.lines("log/checkpoints.jsonl"):
            size, where = whole(said, "size"), f"checkpoint of size {said['size']}"
            if size <= before:
                raise Wrong("head.order", f"the head of size {size} is out of order")
            before = size
            self._report.tried(where, self._read_checkpoint, said, size, where)
        if before != self._head.size:
            raise Wrong("head.order", "the last of them is not the head of the bundle")

    def _read_checkpoint(self, said: Json, size: int, where: str) -> None:
        for name in ("note", "cosigned"):
            if name == "cosigned" and said.get(name) is None:
                continue
            note, is_cosigned = text_of(said, name), name == "cosigned"
            head = self._head_of(note, cosigned=is_cosigned)
            if head.size != size:
                raise Wrong("head.other", f"it states another size, {head.size}")
            self._want(head, where)
            self._report.checked["Cosigned heads" if is_cosigned else "Signed heads"] += 1

    def _want(self, head: Head, where: str) -> None:
        """Have it checked, when the entries have come so far, that they lead to a head."""
        if not self._manifest.first <= head.size <= self._head.size:
            raise Wrong("head.other", "it does not lie in this stretch of the log")
        self._wanted[head.size].append((head, where))

    def _read_carried(self, book: Book) -> None:
        """Read the earlier entries that go along, each with the proof that it is in the log."""
        before = -1
        for said in self._bundle.lines("log/carried.jsonl"):
            position = whole(said, "position")
            where = f"entry {position} ({text_of(said, 'tag')[:20]})"
            if not before < position < self._manifest.first:
                raise Wrong("entry.order", f"{where} is out of order")
            before = position
            leaf = self._leaf(said, where)
            proof = [from_hex(step, "proof") for step in part(said, "proof", list)]
            if root_of_leaf(leaf, position, self._head.size, proof) != self._head.root:
                self._report.fault("entry.proof", where, "it is not in the log under this head")
            self._take(book, said, where, leaf)
            self._report.checked["Earlier entries with a proof"] += 1

    def _read_entries(self, book: Book) -> None:
        """Read the entries: each in its place, at every signed size the root that was signed."""
        if self._tree.size != self._manifest.first:
            self._report.fault("log.tiles", "log/tile", "the hashes before the entries are missing")
        position = self._manifest.first
        self._check_root(position, book)
        for said in self._bundle.lines("log/entries.jsonl"):
            where = f"entry {said.get('position')} ({text_of(said, 'tag')[:20]})"
            if whole(said, "position") != position:
                raise Wrong("entry.gap", f"entry {position} is missing, or out of order")
            leaf = self._leaf(said, where)
            self._tree.add(leaf)
            self._take(book, said, where, leaf)
            position += 1
            self._check_root(position, book)
            self._report.checked["Entries"] += 1
            if position % 1000 == 0:
                self._report.progress(f"{position:,} of {self._manifest.size:,} entries")
        if position != self._manifest.size:
            raise Wrong("entry.gap", f"the entries end at {position}, not at {self._head.size}")
        if self._tree.root() != self._head.root:
            raise Wrong("log.root", "the entries do not lead to the cosigned head")

    def _leaf(self, said: object, where: str) -> bytes:
        """Return the leaf of an entry as it follows from its body; of a lost one, as it stands."""
        if _is_lost(said):
            self._report.lost.append(whole(said, "position"))
            self._report.fault("entry.lost", where, "nothing is known of it but its leaf")
            return hex_of(said, "leaf")
        salt, body = hex_of(said, "salt"), text_of(said, "body").encode()
        commitment = sha256(salt + body).hexdigest()
        public = {"label": "keno/log-leaf", "version": 1, "tag": text_of(said, "tag")}
        leaf = leaf_hash(canonical({**public, "body": commitment}))
        if hex_of(said, "leaf") != leaf:
            self._report.fault("entry.leaf", where, "its leaf does not follow from its body")
        return leaf

    def _take(self, book: Book, said: Json, where: str, leaf: bytes) -> None:
        position = whole(said, "position")
        if _is_lost(said):
            book.pass_over(position)
            return
        entry = (position, text_of(said, "tag"), text_of(said, "body"), leaf.hex())
        self._report.tried(where, book.take, *entry)

    def _check_root(self, size: int, book: Book) -> None:
        wanted = self._wanted.pop(size, None)
        if wanted is None:
            return
        root = self._tree.root()
        for head, where in wanted:
            if (name := where.removeprefix("reports/")) in self._reports:
                self._states[name] = dict(book.states)
            if head.root != root:
                self._report.fault("log.root", where, "the entries do not lead to it")
            if head.cosigned_at is not None:
                book.times.cosigned(head.cosigned_at, where)

    # ---- the draws ---------------------------------------------------------------------------

    def _draw_files(self) -> list[str]:
        """Return the files of draws; those before the bundle's entries come first."""
        named = [name for name in self._bundle.files if name.startswith("draws/")]
        return ["draws/before.jsonl", *sorted(set(named) - {"draws/before.jsonl"})]

    def _read_draws(self, name: str) -> None:
        manifest, last = self._manifest, None
        draws = Draws(self._keys, manifest.house, manifest.jurisdiction, self._origins)
        is_before = name == "draws/before.jsonl"
        for said in self._bundle.lines(name):
            series, game = text_of(said, "series"), whole(said, "game", 1)
            where = f"{name}, {series}-{game}"
            if not is_before and name != f"draws/{series}.jsonl":
                raise Wrong("draw.order", f"{series}-{game} is out of order")
            # The same game again is `draw.twice`.
            if last is not None and not is_before and game not in (last, last + 1):
                self._report.fault("draw.gap", where, f"it follows game {last}")
            last = game
            self._report.checked["Draws and voids"] += 1
            self._report.tried(where, self._read_draw, draws, said, where, is_before)

    def _read_draw(self, draws: Draws, said: Json, where: str, is_before: bool) -> None:
        which = text_of(said, "series"), whole(said, "game", 1)
        ended = draws.check(*which, said.get("document"))
        ended.before = is_before
        key = (ended.series, ended.game)
        if key in self._ended:
            raise Wrong("draw.twice", "it stands twice in the bundle")
        self._ended[key] = ended
        for game in (ended.game, ended.game + 1):
            first = self._ended.get((ended.series, game - 1))
            second = self._ended.get((ended.series, game))
            if first is not None and second is not None and second.previous != first.record:
                told = f"the record of {ended.series}-{game} does not build on the one before"
                self._report.fault("draw.chain", where, told)
        if ended.is_lost:
            self._report.note(f"{where}: it was sealed by a part of the log that is lost")
        elif ended.sealed is not None and ended.sealed.size >= self._manifest.first:
            self._want(ended.sealed, where)


def _is_lost(said: object) -> bool:
    """Whether a line has nothing of its entry but the leaf."""
    return text_of(said, "tag") == "LOST" and not {"salt", "body"} & an_object(said).keys()


def _tile_path(number: int) -> str:
    """Return the number of a tile as the public log writes it: x001/x234/067."""
    parts = [f"{number % 1000:03}"]
    while number := number // 1000:
        parts.append(f"x{number % 1000:03}")
    return "/".join(reversed(parts))


def verify(
    path: Path, keys: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> Report:
    """Check a bundle, and return what was found.

    Args:
        path: the bundle.
        keys: the folder of the keys that the caller trusts; without it, those of the bundle.
        progress: is told what is being done.

    Raises:
        NotToBeUsed: there is no such file, or there are no such keys.
    """
    if not path.is_file():
        raise NotToBeUsed(f"there is no file {path}")
    trusted, origin = (None, None) if keys is None else given_keys(keys)
    report = Report(progress=progress)
    whose = "as you gave them" if keys else "OF THE BUNDLE ITSELF: give your own with --keys"
    own = sha256(source()).hexdigest()
    report.about = {"bundle": path.name, "verifier": own, "keys": whose}
    report.has_keys = keys is not None
    if keys is None:
        report.note(
            "checked with the keys of the bundle itself, which whoever made it could choose"
        )
    try:
        bundle = Bundle(path)
    except Wrong as found:
        report.fault(found.code, path.name, str(found))
        return report
    try:
        Verification(bundle, report, trusted).run(origin)
    finally:
        bundle.close()
    return report


def source() -> bytes:
    """Return this program itself."""
    return Path(__file__).read_bytes()


def teller() -> Callable[[str], None]:
    """Return what tells people how far it is, once in two seconds at most."""
    last = [monotonic()]

    def tell(text: str) -> None:
        if monotonic() - last[0] >= 2:
            last[0] = monotonic()
            sys.stderr.write(f"... {text}\n")
            sys.stderr.flush()

    return tell


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="verifier.py", description="Check a bundle of a keno house, without asking the house."
    )
    parser.add_argument("bundle", metavar="BUNDLE", type=Path, help="the zip file")
    parser.add_argument("--keys", type=Path, metavar="FOLDER", help="public keys that you trust")
    parser.add_argument("--json", action="store_true", help="answer with one JSON document")
    options = parser.parse_args(arguments)
    try:
        report = verify(options.bundle, options.keys, teller())
    except NotToBeUsed as mistake:
        sys.stderr.write(f"verifier.py: {mistake}\n")
        return USAGE
    told = json.dumps(report.document()) if options.json else report.text()
    sys.stdout.write(f"{told}\n")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
