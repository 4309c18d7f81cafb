"""A practice back office: it locks games without tickets and has them drawn or voided.

For rehearsing a ceremony, for the collectors, for tests and benchmarks. It is what a back office
looks like from the generator's side: it keeps a log, has it cosigned, builds each lock statement
once, stores it before sending it, and always sends the same bytes again.
"""

import json
from pathlib import Path
from typing import Protocol, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from rng.core.canonical import canonical
from rng.core.entropy import operating_system
from rng.core.records import Draw, LockStatement, Seal, Void, VoidStatement
from rng.core.shapes import shaped
from rng.core.signing import document_hash, key_id, public_text, seal
from rng.lab.practice_log import PracticeLog
from rng.merkle import leaf_hash
from rng.note import (
    Checkpoint,
    Note,
    read_checkpoint,
    read_note,
    sign_note,
    write_checkpoint,
    write_note,
)
from rng.serve.ceremony import TERMS, Terms, public_pem, read_house
from rng.serve.clock import Clock, system_clock, time_text
from rng.serve.journal import write_new
from rng.serve.refusals import Code, Refused
from rng.serve.tls import PUBLIC_SUFFIX, make_tls

STORE = "practice.jsonl"
JURISDICTION = "US-NJ"


class Peer(Protocol):
    """A connection to one of the two processes."""

    def call(self, act: str, fields: dict[str, object]) -> dict[str, object]:
        """Ask for an act."""


def set_up(
    folder: Path,
    public: Path,
    house: str,
    series: dict[str, int],
    jurisdiction: str = JURISDICTION,
) -> None:
    """Make the office's keys, and bring house, series and public keys to the ceremony.

    Raises:
        FileExistsError: something of it is there already.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    public.mkdir(parents=True, exist_ok=True)
    terms = shaped(
        Terms,
        {
            "label": "keno/terms",
            "version": 1,
            "jurisdiction": jurisdiction,
            "house": house,
            "log_origin": "practice.example/keno",
            "series": series,
        },
    )
    write_new(public / TERMS, canonical(terms))
    for role in ("office", "log"):
        key = Ed25519PrivateKey.generate()
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        write_new(folder / f"{role}.key", secret)
        write_new(public / f"{role}.pem", public_pem(public_text(key.public_key())))
    write_new(public / f"office{PUBLIC_SUFFIX}", make_tls(folder, "office"))
    write_new(folder / STORE, b"")
    for path in public.iterdir():
        path.chmod(0o644)


class PracticeOffice:
    """The office of a house that sells nothing."""

    def __init__(
        self, folder: Path, public: Path, rng: Peer, inspector: Peer, clock: Clock = system_clock
    ) -> None:
        self.folder = folder
        self._rng, self._inspector, self._clock = rng, inspector, clock
        self._house = read_house(public)
        self.office_key = _private(folder / "office.key")
        self.log_key = _private(folder / "log.key")
        self.log = PracticeLog()
        self._cosigned: str | None = None
        self._sealed_size = 0
        self._locked: dict[str, list[tuple[int, str]]] = {}
        self.requests: dict[str, dict[str, object]] = {}
        self._voids: dict[str, object] = {}
        self.next = dict(self._house["series"])
        self.previous = dict.fromkeys(self.next, document_hash(self._house))
        self._store = (folder / STORE).open("rb+")
        for line in self._store:
            self._take(json.loads(line))

    # ---- games -----------------------------------------------------------------------------------

    def draw(self, series: str) -> Draw:
        """Lock the next game of a series if it is not locked yet, and have it drawn.

        Raises:
            Refused: it cannot be drawn now; asking again sends the same statement again.
            Unreachable: one of the two processes did not answer.
        """
        request = self.locked(series)
        try:
            answer = self._rng.call("draw", request)
        except Refused as refusal:
            if refusal.code != Code.NO_SUCH_GAME.code:
                raise
            # A new generator, whose handover came after this game: the inspector has it.
            answer = self._inspector.call("record", {"series": series, "game": self.next[series]})
        drawn = cast("Draw", answer["drawn"])
        self.end(series, drawn)
        return drawn

    def locked(self, series: str) -> dict[str, object]:
        """Return the request to draw the next game, which is locked and sealed if it was not.

        Raises:
            Refused: the inspector does not seal the log.
            Unreachable: it did not answer.
        """
        if series not in self.next:
            self._learn(series)
        if series not in self.requests:
            self._lock(series)
        return self.requests[series]

    def lock_ahead(self, series: str, games: int) -> None:
        """Enter the locks of so many games in the log and have it sealed once for all of them.

        No back office could: it locks a game when its tickets are sold. For measuring draws alone.
        """
        for _ in range(games):
            self._enter_lock(series)
        self._seal()

    def _learn(self, series: str) -> None:
        """Take in a series that both keys agreed to, from the generator."""
        known = cast("dict[str, dict[str, object]]", self._rng.call("status", {})["series"])
        if series not in known:
            raise Refused(Code.NO_SUCH_SERIES.code, f"There is no series {series}.")
        place = known[series]
        event = {"kind": "series", "series": series}
        self._put({**event, "next": place["next"], "previous": place["previous"]})

    def end(self, series: str, ended: Draw | Void) -> None:
        """Note what became of a game; the next one builds on it."""
        record = document_hash(ended["record"]["body"])
        self._put({"kind": "ended", "series": series, "record": record})

    def void(self, series: str, reason: str) -> Void:
        """Have the next game of a series voided.

        Raises:
            Refused: it is marked; if it could be completed, its draw is in the evidence.
            Unreachable: one of the two processes did not answer.
        """
        if series not in self.next:
            self._learn(series)
        if series not in self._voids:
            statement = shaped(
                VoidStatement,
                {
                    **self._head("keno/void-statement", series),
                    "reason": reason,
                    "office_key": key_id(public_text(self.office_key.public_key())),
                    "voided_at": time_text(self._clock()),
                },
            )
            sealed = seal(statement, self.office_key)
            self._put({"kind": "void", "series": series, "statement": sealed})
        try:
            answer = self._rng.call("void", {"statement": self._voids[series]})
        except Refused as refusal:
            if refusal.code == Code.MARKED.code and "drawn" in refusal.evidence:
                self.end(series, cast("Draw", refusal.evidence["drawn"]))
            raise
        void = cast("Void", answer["void"])
        self.end(series, void)
        return void

    def statement(self, series: str, lock_index: int, leaf: str) -> LockStatement:
        """Return the lock statement of the next game; its checkpoint is the cosigned one."""
        note = read_note(cast("str", self._cosigned))
        keys = self._house["keys"]
        now = time_text(self._clock())
        return shaped(
            LockStatement,
            {
                **self._head("keno/lock-statement", series),
                "derivation": 1,
                "log_origin": self._house["log_origin"],
                "checkpoint": note.text,
                "lock_index": lock_index,
                "lock_leaf": leaf,
                "office_key": key_id(keys["office"]),
                "rng_key": key_id(keys["rng"]),
                "mark_key": key_id(keys["mark"]),
                "closes_at": now,
                "locked_at": now,
            },
        )

    def _lock(self, series: str) -> None:
        """Enter the lock in the log, have the log sealed, and store the statement."""
        if not self._locked.get(series):
            self._enter_lock(series)
        index, leaf = self._locked[series][0]
        if self._cosigned is None or index >= self._sealed_size:
            self._seal()
        its_seal: Seal = {
            "note": cast("str", self._cosigned),
            "proof": [step.hex() for step in self.log.inclusion(index, self._sealed_size)],
        }
        statement = self.statement(series, index, leaf)
        request = {"statement": seal(statement, self.office_key), "seal": its_seal}
        self._put({"kind": "statement", "series": series, "request": request})

    def _enter_lock(self, series: str) -> None:
        entry = {"label": "keno/practice-lock", "salt": operating_system(32).hex()}
        leaf = leaf_hash(canonical({**entry, "series": series}))
        self._put({"kind": "lock", "series": series, "leaf": leaf.hex()})

    def _seal(self) -> None:
        """Have the whole log cosigned by the inspector."""
        size = self.log.size
        old = self._sealed_size if self._cosigned else 0
        try:
            self._ask_cosigned(old, size)
        except Refused as refusal:
            # The answer to an earlier cosigning was lost: go on from where the inspector is.
            if refusal.code != Code.OLD_CHECKPOINT.code:
                raise
            self._ask_cosigned(cast("int", refusal.evidence["size"]), size)

    def _ask_cosigned(self, old: int, size: int) -> None:
        origin = self._house["log_origin"]
        text = write_checkpoint(Checkpoint(origin, size, self.log.root(size)))
        note = write_note(Note(text, (sign_note(text, origin, self.log_key),)))
        proof = [step.hex() for step in self.log.consistency(old, size)]
        fields = {"note": note, "old_size": old, "proof": proof, "cosigned": self._cosigned}
        answer = self._inspector.call("cosign", fields)
        self._put({"kind": "cosigned", "note": answer["note"]})

    def _head(self, label: str, series: str) -> dict[str, object]:
        return {
            "label": label,
            "version": 1,
            "jurisdiction": self._house["jurisdiction"],
            "house": self._house["house"],
            "series": series,
            "game": self.next[series],
            "previous": self.previous[series],
        }

    def reread(self, public: Path) -> None:
        """Take the public keys as they are now: one was rotated, or handed over."""
        self._house = read_house(public)

    def close(self) -> None:
        """Close its file."""
        self._store.close()

    # ---- what it remembers -----------------------------------------------------------------------

    def _put(self, event: dict[str, object]) -> None:
        self._store.write(canonical(event) + b"\n")
        self._store.flush()
        self._take(event)

    def _take(self, event: dict[str, object]) -> None:
        series = cast("str", event.get("series", ""))
        match event["kind"]:
            case "lock":
                index = self.log.append(bytes.fromhex(cast("str", event["leaf"])))
                self._locked.setdefault(series, []).append((index, cast("str", event["leaf"])))
            case "series":
                self.next[series] = cast("int", event["next"])
                self.previous[series] = cast("str", event["previous"])
            case "cosigned":
                self._cosigned = cast("str", event["note"])
                self._sealed_size = read_checkpoint(read_note(self._cosigned).text).size
            case "statement":
                self.requests[series] = cast("dict[str, object]", event["request"])
            case "void":
                self._voids[series] = event["statement"]
            case "ended":
                self.next[series] += 1
                self.previous[series] = cast("str", event["record"])
                self.requests.pop(series, None)
                self._voids.pop(series, None)
                del self._locked.get(series, [])[:1]


def _private(path: Path) -> Ed25519PrivateKey:
    return cast("Ed25519PrivateKey", load_pem_private_key(path.read_bytes(), None))
