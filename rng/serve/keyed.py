"""What both processes are: a journal, keys that a holder unlocks, and a lockout that two keys end.

Both start sealed. Sealed means: no private key is in memory. Locked out means: something is wrong
that only both key holders together may judge. Failed means: this journal cannot be used at all.
"""

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as field_of
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import ClassVar, TypeVar, cast

import cryptography

from rng.core.records import DrawRecord, Lockout, Position, Role, Sealed, VoidStatement
from rng.core.selftest import SelfTestFailed, self_test
from rng.core.shapes import WrongShape, shaped
from rng.core.signing import (
    BadSignature,
    check_signatures,
    document_hash,
    public_text,
)
from rng.serve.clock import Clock, system_clock, time_text
from rng.serve.journal import Damaged, Disk, Entry, Journal, WriteFailed
from rng.serve.keystore import DamagedKeys, Keystore, OpenKeys, WrongPassphrase
from rng.serve.refusals import Code, refused
from rng.serve.slip import short_hash
from rng.serve.software import SoftwareWatch
from rng.serve.standing import Series, State

JOURNAL = "journal.jsonl"
KEYS = "keys.json"

T = TypeVar("T")
Fields = Mapping[str, object]
Handler = Callable[[Fields], Mapping[str, object]]

# A draw that has begun is finished in spite of these: they say nothing against intent and mark.
FINISHING = frozenset({"software", "repeat", "health"})
# A game can be given up in spite of these; it is the remedy for some of them.
VOIDING = FINISHING | {"selftest"}

# These say that the journal itself is not to be built on.
UNSOUND = frozenset({"restored", "superseded"})

NAMES: dict[Role, str] = {"rng": "generator", "inspector": "inspector"}


@dataclass(frozen=True)
class Surroundings:
    """What a process needs of the machine it runs on; tests put their own in its place."""

    clock: Clock = system_clock
    disk: Disk = field_of(default_factory=Disk)
    software: Callable[[], str] = field_of(default_factory=SoftwareWatch)


class KeyedProcess:
    """The common part of generator and inspector."""

    role: ClassVar[Role]

    def __init__(self, folder: Path, surroundings: Surroundings) -> None:
        """Open the journal, work out where things stand, and check everything that can be.

        Raises:
            FileNotFoundError: there is no journal; only the ceremony makes one.
            InUse: another process has it.
        """
        self.folder = folder
        self.clock = surroundings.clock
        self.current_software = surroundings.software
        self.keystore = Keystore(folder / KEYS)
        self.keys: OpenKeys | None = None
        self.failure: str | None = None
        self._wrong_tries: dict[str, int] = {}
        self._wait_until: dict[str, float] = {}
        self.journal = Journal(folder / JOURNAL, surroundings.disk)
        try:
            self._read_journal()
        except Damaged as damage:
            # What was read before the damage is not to be built on, not even to be looked at.
            self.failure = str(damage)
            self.journal.close()
            return
        self._begin()

    # ---- starting --------------------------------------------------------------------------------

    def _read_journal(self) -> None:
        entries = self.journal.entries()
        self.state = State(next(entries))
        if self.state.role != self.role:
            raise Damaged(f"this is the journal of the {NAMES[self.state.role]}")
        for entry in entries:
            self.check_line(entry)
            self.state.apply(entry)
        # The last document that names its place commits to every line before it, so its signature
        # vouches for all of them; the last record may stand behind it.
        for signed in (self.state.last_placed, self.state.last_sealed):
            if signed is not None:
                public, sealed = signed
                try:
                    check_signatures(sealed, [public])
                except BadSignature:
                    raise Damaged("the last signed record of the journal was changed") from None

    def check_line(self, entry: Entry) -> None:
        """Check what a line claims beyond its form, before it is taken in."""

    def _begin(self) -> None:
        """Record the start, and lock out if anything is not as it was left."""
        if self.journal.torn:
            torn = self.journal.torn
            self.write("REPAIRED", {"bytes": len(torn), "sha256": sha256(torn).hexdigest()})
        if self.journal.failed_before:
            self.lock_out("journal", "a line could not be written before the last start")
            self.journal.forget_failure()
        self.write(
            "START",
            {
                "software": self.current_software(),
                "python": platform.python_version(),
                "cryptography": cryptography.__version__,
                "instance": self.instance(),
            },
        )
        self.check_software()
        self.run_self_test()

    def instance(self) -> str | None:
        """Return the generator's instance, if this process has one."""
        return None

    def after(self) -> None:
        """Do what an answer left to do; called when it has been sent."""

    def idle(self) -> None:
        """Do what is done between requests; called over and over."""

    # ---- the journal -----------------------------------------------------------------------------

    def write(self, kind: str, document: object) -> Entry:
        """Write a line and take it in; whatever this enables may leave the process afterwards.

        Raises:
            Refused: the disk failed; nothing may be done from here on.
        """
        try:
            entry = self.journal.append(kind, document, self.now())
        except WriteFailed as failure:
            self.failure = str(failure)
            raise self.failed() from None
        self.state.apply(entry)
        return entry

    def write_drawn(self, record: Sealed[DrawRecord]) -> None:
        """Write a record; if it repeats an earlier set exactly, also the lockout that follows.

        The lockout holds by the record alone; its line is for people to read (X-rng-repeat).
        """
        known = set(self.state.lockouts)
        self.write("DRAWN", record)
        for lockout in self.state.lockouts.keys() - known:
            self.write("LOCKOUT", self.state.lockouts[lockout])

    def now(self) -> str:
        """Return the time as documents write it."""
        return time_text(self.clock())

    def place(self) -> Position:
        """Return the place that the next line will have: what a document signs about itself."""
        return {
            "epoch": self.state.epoch,
            "index": self.journal.next_index,
            "previous": self.journal.last_hash,
        }

    def head(self, label: str) -> dict[str, object]:
        """Return the fields with which every body of this house begins."""
        house = self.state.house
        return {
            "label": label,
            "version": 1,
            "jurisdiction": house["jurisdiction"],
            "house": house["house"],
        }

    def alarm(self, code: Code, detail: str, document: object) -> None:
        """Record, once for each document, that something was asked that must not be."""
        digest = document_hash(document)
        if (code.code, digest) not in self.state.alarmed:
            self.write("ALARM", {"code": code.code, "detail": detail, "document": digest})

    # ---- lockout ---------------------------------------------------------------------------------

    def lock_out(self, reason: str, detail: str) -> None:
        """Stop drawing until both keys reopen, and record why."""
        lockout = shaped(
            Lockout,
            {
                **self.head("keno/lockout"),
                "role": self.role,
                "reason": reason,
                "detail": detail,
                "record": None,
            },
        )
        if document_hash(lockout) not in self.state.lockouts:
            self.write("LOCKOUT", lockout)

    def check_software(self) -> str:
        """Return the software hash; lock out if both keys did not accept it (X-software-seal)."""
        current = self.current_software()
        if current != self.state.software:
            self.lock_out("software", f"the software is now {short_hash(current)}")
        return current

    def run_self_test(self) -> tuple[str, ...]:
        """Try the known answers; lock out if one is not given (X-rng-drbg)."""
        try:
            return self_test()
        except SelfTestFailed as failure:
            self.lock_out("selftest", str(failure))
            return ()

    def need_working(self, despite: frozenset[str] = frozenset()) -> OpenKeys:
        """Return the keys, if the process may act.

        Raises:
            Refused: it is sealed, locked out for another reason than those, or failed.
        """
        self.need_books()
        for lockout in self.state.lockouts.values():
            if lockout["reason"] not in despite:
                name = NAMES[self.role]
                raise refused(Code.LOCKED_OUT, role=name, detail=lockout["detail"])
        if self.keys is None:
            raise refused(Code.SEALED, role=NAMES[self.role])
        return self.keys

    def need_sound(self) -> None:
        """Check that the journal is whole and current: fit to be vouched for.

        Raises:
            Refused: it is not.
        """
        self.need_books()
        for lockout in self.state.lockouts.values():
            if lockout["reason"] in UNSOUND:
                name = NAMES[self.role]
                raise refused(Code.LOCKED_OUT, role=name, detail=lockout["detail"])

    def need_books(self) -> None:
        """Check that the journal can be used.

        Raises:
            Refused: it cannot.
        """
        if self.failure is not None:
            raise self.failed()

    def failed(self) -> Exception:
        """Return the refusal of a process whose journal cannot be used."""
        return refused(Code.FAILED, role=NAMES[self.role], detail=self.failure)

    # ---- the keys --------------------------------------------------------------------------------

    def unlock(self, fields: Fields) -> Mapping[str, object]:
        """Let a holder's passphrase open the keys, and show where the books stand."""
        self.need_books()
        if self.keys is not None:
            raise refused(Code.ALREADY_UNLOCKED, role=NAMES[self.role])
        self.keys = self.open_keys(fields)
        self.write("UNLOCKED", {"holder": field(fields, "holder", str)})
        return self.status({})

    def lock(self, fields: Fields) -> Mapping[str, object]:  # noqa: ARG002  one form for all
        """Put the keys away."""
        self.need_books()
        self.put_away("a holder locked it")
        return self.status({})

    def put_away(self, reason: str) -> None:
        """Forget the keys; a holder must unlock again."""
        if self.keys is not None:
            self.keys = None
            self.write("LOCKED", {"reason": reason})

    def open_keys(self, fields: Fields) -> OpenKeys:
        """Return the keys if a holder's passphrase opens them; wrong tries have to wait.

        Raises:
            Refused: it does not, or it is too early for another try.
        """
        self.need_books()
        holder, passphrase = field(fields, "holder", str), field(fields, "passphrase", str)
        # Who is no holder counts as one and the same, so that there are few to remember.
        known = holder if holder in self.state.holders else ""
        wait = self._wait_until.get(known, 0) - monotonic()
        if wait > 0:
            raise refused(Code.WAIT, seconds=int(wait) + 1)
        try:
            keys = self.keystore.open(known, passphrase)
        except WrongPassphrase:
            tries = self._wrong_tries[known] = self._wrong_tries.get(known, 0) + 1
            self._wait_until[known] = monotonic() + min(2 ** min(tries, 10) - 2, 300)
            raise refused(Code.WRONG_PASSPHRASE, holder=holder) from None
        except DamagedKeys as damage:
            raise refused(Code.DAMAGED_KEYS, detail=damage) from None
        self._wrong_tries.pop(known, None)
        self._check_keys(keys)
        return keys

    def key_roles(self) -> dict[str, str]:
        """Return which key of the house each key in the file is."""
        return {"signing": self.role}

    def _check_keys(self, keys: OpenKeys) -> None:
        for name, role in self.key_roles().items():
            key = keys.keys.get(name)
            if key is None or public_text(key.public_key()) != self.state.keys[role]:
                raise refused(Code.DAMAGED_KEYS, detail=f"it does not hold the {role} key")

    # ---- questions -------------------------------------------------------------------------------

    def status(self, fields: Fields) -> Mapping[str, object]:  # noqa: ARG002  one form for all
        """Return how things stand, for screens and for the holders to compare with the paper."""
        if self.journal.is_closed:
            return {"role": self.role, "failed": self.failure, "unlocked": False}
        state = self.state
        return {
            "role": self.role,
            "jurisdiction": state.house["jurisdiction"],
            "house": state.house["house"],
            "failed": self.failure,
            "unlocked": self.keys is not None,
            "lockouts": [
                {"hash": digest, "reason": lockout["reason"], "detail": lockout["detail"]}
                for digest, lockout in state.lockouts.items()
            ],
            "holders": state.holders,
            "log_origin": state.house["log_origin"],
            "origin": state.origin_act,
            "keys": state.keys,
            "mark_key_roots": state.mark_key_roots,
            "software": state.last_start,
            "accepted_software": state.software,
            "epoch": state.epoch,
            "lines": self.journal.next_index,
            "head": self.journal.last_hash,
            "last_mark": state.last_mark,
            "series": {
                code: {
                    "next": series.next,
                    "previous": series.previous,
                    "compare": short_hash(series.previous),
                    "open": series.intent is not None,
                    "void": series.tombstone is not None,
                }
                for code, series in state.series.items()
            },
        }

    def selftest(self, fields: Fields) -> Mapping[str, object]:  # noqa: ARG002  one form for all
        """Try the known answers now."""
        self.need_books()
        return {"passed": list(self.run_self_test())}

    # ---- checks that both make -------------------------------------------------------------------

    def series_of(self, code: str) -> Series:
        """Return a series by its code.

        Raises:
            Refused: there is none.
        """
        if code not in self.state.series:
            raise refused(Code.NO_SUCH_SERIES, series=code)
        return self.state.series[code]

    def need_next(self, body: Mapping[str, object]) -> Series:
        """Return the series of a game that is its next one, built on the record that is here.

        The document was signed by whoever must sign it. If it builds on a record that is not here,
        then this journal is an old copy, and the process locks out as restored (X-rng-cycling).

        Raises:
            Refused: it is not the next game, or the journal was restored.
        """
        code, game = cast("str", body["series"]), cast("int", body["game"])
        series = self.series_of(code)
        if game == series.next and body["previous"] == series.previous:
            return series
        if game < series.first:
            raise refused(Code.NO_SUCH_GAME, game=f"{code}-{game}")
        if game < series.next or body["previous"] == series.previous:
            raise refused(Code.NOT_NEXT, game=f"{code}-{game}", next=f"{code}-{series.next}")
        raise self.restored(f"{code}-{game} builds on a record that is not in this journal")

    def restored(self, detail: str) -> Exception:
        """Lock out as restored from an old copy, and return the refusal."""
        self.lock_out("restored", detail)
        return refused(Code.LOCKED_OUT, role=NAMES[self.role], detail=detail)

    def check_office(self, statement: Sealed[T]) -> str:
        """Check that a statement is signed by the back office, for this house; return its hash.

        Raises:
            Refused: it is not.
        """
        try:
            digest = check_signatures(statement, [self.state.keys["office"]])
        except BadSignature:
            raise refused(Code.NOT_SIGNED) from None
        self.check_house(cast("Mapping[str, object]", statement["body"]))
        return digest

    def key_ids(self) -> dict[str, str]:
        """Return the ids of all keys in force; the two processes compare them before a draw."""
        return {role: self.state.key_id(role) for role in sorted(self.state.keys)}

    def check_void(self, statement: Sealed[VoidStatement]) -> Series:
        """Check a void statement, and return the series of the game that it is about.

        Raises:
            Refused: it is not in order, or not of the next game.
        """
        self.check_office(statement)
        body = statement["body"]
        if body["office_key"] != self.state.key_id("office"):
            raise refused(Code.OTHER_KEYS)
        return self.need_next(cast("Mapping[str, object]", body))

    def check_house(self, body: Mapping[str, object]) -> None:
        """Check that a document is for this house and jurisdiction (15.5(a)-unique).

        Raises:
            Refused: it is not.
        """
        house = self.state.house
        if (body["jurisdiction"], body["house"]) != (house["jurisdiction"], house["house"]):
            raise refused(Code.OTHER_HOUSE)


def field(fields: Fields, name: str, form: type[T]) -> T:
    """Return a field of a request in its form.

    Raises:
        Refused: it is missing or not of that form.
    """
    try:
        return shaped(form, fields.get(name))
    except WrongShape as fault:
        raise refused(Code.MALFORMED, detail=f"{name}: {fault}") from None
