"""How both keyed processes stand, and the draws they made, for those who hold and watch the keys.

Nothing is changed by looking (15.5(a)-dual-key). What a process says of itself is told as what it
says; what it has signed is checked from public keys.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from app.audit.checkpoints import checkpoint_of, short_seal
from app.audit.draw_check import fault_of
from app.audit.entry_proofs import Prover
from app.flow.missing import what_is_missing
from app.flow.office import Office
from app.flow.seal import published_head
from app.rng_client import NotNow, public_keys_in
from app.software import software_hash
from app.store.queries import Reading, draws, log, outcomes
from app.store.queries.draws import DrawRow

DRAWS = 10
HOLDS, EVENTS = 10, 2_000  # how many holds are told, of how many events at most
PROGRAMS = {"rng": "keno-rng", "inspector": "keno-inspector"}
NAMES = {"rng": "Generator", "inspector": "Inspector"}
NO_SENSE = "It says what makes no sense."
# Of what a process says: it goes into the log, and onto pages.
WORDS_MOST, HOLDERS_MOST = 500, 50


class Condition(StrEnum):
    """How a keyed process stands, in one word."""

    READY = "ready"
    LOCKED = "locked"
    LOCKOUT = "lockout"
    STOPPED = "stopped"
    AWAY = "away"


@dataclass(frozen=True)
class InSeries:
    """Where a series stands in a journal; both holders compare the hash with the paper."""

    code: str
    next_game: int
    compare: str  # a short form of the record that the next game builds on
    is_begun: bool  # the next game has its intent, and must be completed


@dataclass(frozen=True)
class Process:
    """A keyed process, as it says itself that it stands."""

    role: str
    condition: Condition
    reasons: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    software: str = ""
    accepted: str = ""
    lines: int = 0
    series: tuple[InSeries, ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return NAMES[self.role]

    @property
    def program(self) -> str:
        """What its holders type."""
        return PROGRAMS[self.role]


@dataclass(frozen=True)
class CheckedDraw:
    """A draw, and what is wrong with it if anything is."""

    draw: DrawRow
    fault: str | None


@dataclass(frozen=True)
class Witnessed:
    """The newest head that the inspector has cosigned, beside the newest of the log."""

    size: int  # of the log
    seal: str
    cosigned_size: int
    cosigned_seal: str
    fault: str | None
    missing: str | None = None  # what a restored house lacks


@dataclass(frozen=True)
class KeysLook:
    """All that the page of the two keys shows."""

    at: datetime
    processes: list[Process]
    draws: list[CheckedDraw]
    holds: list[tuple[str, int, str, datetime]]
    witnessed: Witnessed
    software: str  # of the back office, as it runs here
    software_at_lock: str | None  # as it was at the last lock


def look_at_keys(office: Office) -> KeysLook:
    """Return how the two keyed processes stand, and their newest draws, checked again."""
    processes = look_at_processes(office)
    keys, shown = public_keys(office), published_head(office)
    with office.database.reading() as connection:
        newest = draws.newest_draws(connection, DRAWS)
        holds = draws.holds(connection, EVENTS, HOLDS)
        lock = draws.last_lock(connection)
        witnessed = look_at_witness(office, connection, shown)
    return KeysLook(
        at=office.now(),
        processes=processes,
        draws=[CheckedDraw(draw, fault_of(draw, keys)) for draw in newest],
        holds=holds,
        witnessed=witnessed,
        software=software_hash(),
        software_at_lock=lock and _software_of(lock),
    )


def look_at_processes(office: Office) -> list[Process]:
    """Return how each of the two stands."""
    if office.keyed is None:
        why = ("This process was not told where it is.",)
        return [Process(role, Condition.AWAY, why) for role in NAMES]
    return [_process(role, said) for role, said in office.keyed.statuses().items()]


def public_keys(office: Office, folder: Path | None = None) -> Mapping[str, str]:
    """Return the public keys of the house; none if they cannot be read.

    Args:
        office: the office.
        folder: where they are, for a process that does not speak with the two.
    """
    try:
        if folder is not None:
            return public_keys_in(folder)
        return {} if office.keyed is None else office.keyed.public_keys()
    except OSError:
        return {}


def published_keys(office: Office, folder: Path | None = None) -> dict[str, str]:
    """Return what the house publishes for checks of log and draws: all public keys, in DER.

    Args:
        office: the office.
        folder: where they are, for a process that does not speak with the two.
    """
    log = office.keys.log.public_key()
    der = log.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo).hex()
    return {**public_keys(office, folder), "log": der, "log_origin": office.house.log_origin}


def prover_of(office: Office, connection: Reading, note: str | None) -> Prover:
    """Return what proves entries of this house's log by a signed head."""
    return Prover(connection, note, office.house.log_origin, office.keys.log.public_key())


def look_at_witness(office: Office, connection: Reading, shown: str | None) -> Witnessed:
    """Return what the inspector has cosigned, and whether the log still continues it.

    Args:
        office: the office.
        connection: where it is read.
        shown: the newest head that may be shown. Whether the log continues what was cosigned is
            asked of the newest that there is.
    """
    prover = prover_of(office, connection, log.newest_checkpoint(connection))
    head, note = prover_of(office, connection, shown).head, outcomes.newest_cosigned(connection)
    seal = short_seal(head.note) if head.size else ""
    lacks = what_is_missing(connection)
    missing = None if lacks is None else lacks.words()
    if note is None:
        return Witnessed(head.size, seal, 0, "", None, missing)
    fault = prover.fault_since(note) or _fault_of_cosignature(office, note)
    return Witnessed(head.size, seal, checkpoint_of(note).size, short_seal(note), fault, missing)


def _fault_of_cosignature(office: Office, note: str) -> str | None:
    if office.keyed is None:
        return "there are no public keys to check it with"
    try:
        office.keyed.check_cosigned(note)
    except NotNow as found:
        return str(found)
    return None


def _process(role: str, said: Mapping[str, Any] | NotNow) -> Process:
    if isinstance(said, NotNow):
        return Process(role, Condition.AWAY, (_words(said),))
    try:
        return _read_status(role, said)
    except (AttributeError, LookupError, TypeError, ValueError):
        return Process(role, Condition.AWAY, (NO_SENSE,))


def _read_status(role: str, said: Mapping[str, Any]) -> Process:
    if said.get("failed"):
        return Process(role, Condition.STOPPED, (_words(said["failed"]),))
    lockouts = tuple(_words(each["detail"]) for each in said["lockouts"][:HOLDERS_MOST])
    is_locked = Condition.READY if said["unlocked"] else Condition.LOCKED
    return Process(
        role,
        Condition.LOCKOUT if lockouts else is_locked,
        lockouts,
        tuple(map(_words, said["holders"][:HOLDERS_MOST])),
        _words(said["software"]),
        _words(said["accepted_software"]),
        int(said["lines"]),
        tuple(_in_series(code, series) for code, series in sorted(said["series"].items())),
    )


def _in_series(code: str, series: Mapping[str, Any]) -> InSeries:
    compare = _words(series["compare"])
    return InSeries(_words(code), int(series["next"]), compare, bool(series["open"]))


def _words(said: object) -> str:
    """Return what was said as text that can be kept and shown, whatever it was."""
    text = str(said)[:WORDS_MOST].encode("utf-8", "replace").decode()
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _software_of(body: str) -> str | None:
    try:
        return str(json.loads(body)["software"])
    except (LookupError, TypeError, ValueError):
        return None
