"""A forger who holds every private key of a house, and writes what journals he likes.

His lines chain, and his documents are signed by whoever has to sign them: so what gives him away is
never a hash or a signature, but a rule. Whatever he is not told to change is as it should be.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from rng.core.canonical import canonical
from rng.core.derive import draw_numbers
from rng.core.mark import make_mark, mark_hash
from rng.core.signing import document_hash, key_id, public_text, seal
from rng.lab.practice_log import PracticeLog
from rng.lab.verify import read_keys
from rng.merkle import leaf_hash
from rng.note import Checkpoint, Note, cosign, sign_note, write_checkpoint, write_note
from rng.sealed_log import inspector_name
from rng.serve.ceremony import read_house
from rng.serve.keyed import KEYS
from rng.serve.keystore import Keystore
from tests.rng.house import IDA, PASSPHRASES, SAM, ceremony

Body = dict[str, Any]
NOW = "2026-11-16T12:00:00.000Z"
NO_HASH = "0" * 64
ELSEWHERE = "f" * 64  # the hash of nothing that is here


@dataclass(frozen=True)
class Loot:
    """All that there is to steal in a house."""

    house: Body
    public: dict[str, str]
    signing: dict[str, Ed25519PrivateKey]
    mark: RSAPrivateKey


@cache
def loot() -> Loot:
    """The keys of the house that all tests are founded on."""
    root = ceremony()
    opened = {
        role: Keystore(root / role / KEYS).open(holder, PASSPHRASES[holder])
        for role, holder in (("rng", SAM), ("inspector", IDA))
    }
    signing = {role: keys.signing for role, keys in opened.items()}
    for role in ("office", "log"):
        secret = load_pem_private_key((root / "office" / f"{role}.key").read_bytes(), None)
        signing[role] = cast("Ed25519PrivateKey", secret)
    house = cast("Body", read_house(root / "public"))
    return Loot(house, read_keys(root / "public"), signing, opened["inspector"].mark)


@dataclass
class Game:
    """One game, as far as the forger has come with it."""

    statement: Body
    seal: Body
    intent: Body = field(default_factory=dict)
    mark: str = ""
    record: Body = field(default_factory=dict)

    def parts(self, *names: str) -> Body:
        """Some of it, as a line holds it."""
        return {name: getattr(self, name) for name in names}


@dataclass
class Forger:
    """Writes the journal of one role, line by line."""

    role: str
    epoch: int = 1
    peer_epoch: int = 1
    lines: list[bytes] = field(default_factory=list)
    log: PracticeLog = field(default_factory=PracticeLog)
    note: str | None = None
    entry: str = "a sold file"

    def __post_init__(self) -> None:
        loot_of_all = loot()
        self.house = loot_of_all.house
        self.signing = dict(loot_of_all.signing)
        self.publics = dict(self.house["keys"])
        self.series = {
            code: {"next": game, "previous": document_hash(self.house)}
            for code, game in self.house["series"].items()
        }
        self.last_mark = document_hash(self.house)

    # ---- lines -----------------------------------------------------------------------------------

    def write(self, kind: str, document: object, **changes: object) -> None:
        """Write a line that follows the last one."""
        line = {
            "label": "keno/journal-line",
            "version": 1,
            "at": NOW,
            "kind": kind,
            "document": document,
            "index": self.place()["index"],
            "previous": self.place()["previous"],
        }
        self.lines.append(canonical({**line, **changes}))

    def place(self) -> Body:
        """The place of the next line."""
        previous = sha256(self.lines[-1]).hexdigest() if self.lines else NO_HASH
        return {"epoch": self.epoch, "index": len(self.lines), "previous": previous}

    def save(self, path: Path, lines: int | None = None) -> Path:
        """Save the journal, or its first lines."""
        path.write_bytes(b"".join(line + b"\n" for line in self.lines[:lines]))
        return path

    def document(self, at: int = -1) -> Body:
        """The document of a line."""
        return cast("Body", json.loads(self.lines[at])["document"])

    # ---- documents -------------------------------------------------------------------------------

    def sealed(self, body: Body, *roles: str) -> Body:
        """A body with the signatures of these roles."""
        return cast("Body", seal(body, *(self.signing[role] for role in roles)))

    def body(self, label: str, /, **fields: object) -> Body:
        """A body that begins as every body of the house does."""
        head = {name: self.house[name] for name in ("jurisdiction", "house")}
        return {"label": f"keno/{label}", "version": 1, **head, **fields}

    def genesis(self, handover: Body | None = None, **changes: object) -> None:
        """Write the first line; the standing is that of the handover, if it starts from one."""
        if handover is not None:
            given = handover["body"]
            self.series = json.loads(json.dumps(given["standing"]["series"]))
            self.last_mark = given["standing"]["last_mark"]
            self.note = given["checkpoint"]
        body = {
            "label": "keno/genesis",
            "version": 1,
            "house": self.house,
            "role": self.role,
            "epoch": self.epoch,
            "holders": ["Sam", "Sue"],
            "software": "5" * 64,
            "handover": handover,
            "created_at": NOW,
        }
        self.write("GENESIS", self.sealed({**body, **changes}, self.role))

    def checkpoint(self, root: bytes | None = None, size: int | None = None) -> str:
        """A checkpoint of the log, signed by the log and by the inspector."""
        origin, size = self.house["log_origin"], self.log.size if size is None else size
        text = write_checkpoint(Checkpoint(origin, size, root or self.log.root(size)))
        signatures = (
            sign_note(text, origin, self.signing["log"]),
            cosign(text, inspector_name(origin), self.signing["inspector"], 0),
        )
        return write_note(Note(text, signatures))

    def lock(self, series: str = "M", /, **changes: object) -> Game:
        """The next game of a series, locked and sealed; the inspector journals its cosignature."""
        leaf = leaf_hash(f"{self.entry} {self.log.size}".encode())
        index = self.log.append(leaf)
        note = self.checkpoint()
        if self.role == "inspector":
            self.write("COSIGNED", {"note": note})
            self.note = note
        statement = self.body(
            "lock-statement",
            series=series,
            game=self.series[series]["next"],
            derivation=1,
            log_origin=self.house["log_origin"],
            checkpoint=note.split("\n\n")[0] + "\n",
            lock_index=index,
            lock_leaf=leaf.hex(),
            previous=self.series[series]["previous"],
            closes_at=NOW,
            locked_at=NOW,
            **{f"{role}_key": key_id(self.publics[role]) for role in ("office", "rng", "mark")},
        )
        proof = [step.hex() for step in self.log.inclusion(index, self.log.size)]
        sealed = self.sealed({**statement, **changes}, "office")
        return Game(sealed, {"note": note, "proof": proof})

    def intend(self, game: Game | None = None, /, **changes: object) -> Game:
        """A game with an intent; in the generator's journal for the place of the next line."""
        game = game or self.lock()
        said = game.statement["body"]
        elsewhere = {"epoch": self.peer_epoch, "index": 10 + len(self.lines), "previous": ELSEWHERE}
        intent = self.body(
            "intent",
            series=said["series"],
            game=said["game"],
            statement=document_hash(said),
            r=sha256(str(len(self.lines)).encode()).hexdigest(),
            instance="0" * 32,
            requests=1,
            reseeds=1,
            journal=self.place() if self.role == "rng" else elsewhere,
            software="5" * 64,
            last_mark=self.last_mark,
        )
        game.intent = self.sealed({**intent, **changes}, "rng")
        game.mark = self.marked(game.intent)
        return game

    def marked(self, intent: Body) -> str:
        """The mark of an intent."""
        return make_mark(loot().mark, canonical(intent["body"]))

    def begin(self, game: Game | None = None, /, **receipt: object) -> Game:
        """Write the INTENT or MARK line of a game."""
        game = game or self.intend()
        if not game.intent:
            self.intend(game)
        if self.role == "rng":
            self.write("INTENT", game.parts("statement", "seal", "intent"))
            if self.note is None or int(game.seal["note"].split("\n")[1]) > self.note_size():
                self.note = game.seal["note"]
            return game
        intent = game.intent["body"]
        body = self.body(
            "mark-receipt",
            series=intent["series"],
            game=intent["game"],
            intent=document_hash(intent),
            mark=mark_hash(game.mark),
            journal=self.place(),
            marked_at=NOW,
        )
        line = game.parts("statement", "seal", "intent", "mark")
        self.write("MARK", {**line, "receipt": self.sealed({**body, **receipt}, "inspector")})
        self.last_mark = mark_hash(game.mark)
        return game

    def note_size(self) -> int:
        """The size of the log in the last checkpoint of this journal."""
        return int((self.note or "\n0").split("\n")[1])

    def recorded(self, game: Game, /, **changes: object) -> Game:
        """A game with its record."""
        intent = game.intent["body"]
        digest = document_hash(intent)
        record = self.body(
            "draw-record",
            series=intent["series"],
            game=intent["game"],
            previous=game.statement["body"]["previous"],
            statement=intent["statement"],
            intent=digest,
            mark=game.mark,
            numbers=list(draw_numbers(digest, game.mark)),
        )
        game.record = self.sealed({**record, **changes}, "rng")
        return game

    def draw(self, game: Game | None = None, /, **changes: object) -> Game:
        """Write the record of a game; without one, draw the next game of the first series."""
        game = self.recorded(game or self.begin(), **changes)
        self.write("DRAWN", game.record)
        self.last_mark = mark_hash(game.mark)
        self.end(game.record)
        return game

    def end(self, record: Body) -> None:
        """Go on to the next game of the series."""
        body = record["body"]
        self.series[body["series"]] = {"next": body["game"] + 1, "previous": document_hash(body)}

    def give_up(self, series: str = "M", /, **changes: object) -> Body:
        """A void statement of the next game of a series."""
        statement = self.body(
            "void-statement",
            series=series,
            game=self.series[series]["next"],
            previous=self.series[series]["previous"],
            reason="The lights went out.",
            office_key=key_id(self.publics["office"]),
            voided_at=NOW,
        )
        return self.sealed({**statement, **changes}, "office")

    def grave(self, statement: Body | None = None, /, **changes: object) -> Body:
        """A void statement and its tombstone."""
        statement = statement or self.give_up()
        said = statement["body"]
        stone = self.body(
            "tombstone",
            series=said["series"],
            game=said["game"],
            statement=document_hash(said),
            journal=self.place(),
            buried_at=NOW,
        )
        tombstone = self.sealed({**stone, **changes}, "inspector")
        return {"statement": statement, "tombstone": tombstone}

    def bury(self, statement: Body | None = None, /, **changes: object) -> Body:
        """Write the TOMBSTONE line of a game."""
        grave = self.grave(statement, **changes)
        self.write("TOMBSTONE", grave)
        return grave

    def voided(self, grave: Body | None = None, /, **changes: object) -> Body:
        """A void: statement, tombstone and record."""
        grave = grave or self.grave()
        said, stone = grave["statement"]["body"], grave["tombstone"]["body"]
        record = self.body(
            "void-record",
            series=said["series"],
            game=said["game"],
            previous=said["previous"],
            statement=document_hash(said),
            tombstone=document_hash(stone),
        )
        return {**grave, "record": self.sealed({**record, **changes}, "rng")}

    def void(self, grave: Body | None = None, /, **changes: object) -> None:
        """Write the VOID line of a game."""
        void = self.voided(grave, **changes)
        self.write("VOID", void)
        self.end(void["record"])

    # ---- lockouts and acts under both keys -------------------------------------------------------

    def lock_out(self, **changes: object) -> Body:
        """Write a LOCKOUT line."""
        lockout = self.body(
            "lockout", role=self.role, reason="health", detail="It failed.", record=None
        )
        lockout.update(changes)
        self.write("LOCKOUT", lockout)
        return lockout

    def act(self, kind: str, label: str, proposing: str, /, **fields: object) -> None:
        """Write an act under both keys."""
        approving = "inspector" if proposing == "rng" else "rng"
        self.write(kind, self.sealed(self.body(label, at=NOW, **fields), proposing, approving))

    def reopen(self, role: str, lockout: Body, /, **changes: object) -> None:
        """Write a REOPEN line."""
        fields = {"software": "5" * 64, "standing": self.standing(), "reason": "Looked into."}
        self.act("REOPEN", "reopen", role, role=role, lockout=lockout, **{**fields, **changes})

    def rotate(self, role: str, new: str, /, **changes: object) -> None:
        """Write a KEY line for a key of the back office."""
        fields = {"old": key_id(self.publics[role]), "new": new, "mark_key_roots": None}
        self.act("KEY", "key", "rng", role=role, **{**fields, **changes})

    def standing(self) -> Body:
        """Where everything stands."""
        return {"series": self.series, "last_mark": self.last_mark}

    def handover(self, role: str, /, **changes: object) -> Body:
        """A handover to a role by the other, from the standing of this journal."""
        body = {
            "label": "keno/handover",
            "version": 1,
            "house": self.house,
            "role": role,
            "epoch": self.peer_epoch + 1,
            "giver_epoch": self.epoch,
            "standing": self.standing(),
            "open_games": [],
            "buried_games": [],
            "checkpoint": self.note,
            "reason": "The disk is lost.",
            "at": NOW,
        }
        return self.sealed({**body, **changes}, "inspector" if role == "rng" else "rng")

    def hand_over(self, **changes: object) -> Body:
        """Write a HANDOVER line to the other role."""
        handover = self.handover("rng" if self.role == "inspector" else "inspector", **changes)
        self.write("HANDOVER", handover)
        return handover


def stranger() -> str:
    """A public key that nobody knows."""
    return public_text(Ed25519PrivateKey.generate().public_key())
