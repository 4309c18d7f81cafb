"""Checking a whole journal, of either role, from public keys alone (X-draw-public).

A second opinion: it is written from the format page and shares with the processes only `rng.core`,
the proofs and the notes. It follows every key from its epoch to the next, every game from its
statement to its record, and every lockout to its reopening. It stops at the first line that is
wrong and says what, in one line.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import cast

from rng.core.canonical import canonical, read_canonical
from rng.core.mark import check_mark, check_permutation, mark_hash
from rng.core.records import (
    Alarm,
    Cosigned,
    DrawRecord,
    Genesis,
    Handover,
    Holders,
    House,
    IntentLine,
    Key,
    Line,
    Lockout,
    MarkLine,
    NewOrigin,
    NewSeries,
    OpenGame,
    Position,
    Printed,
    Relocked,
    Reopen,
    Repaired,
    Sealed,
    Start,
    TombstoneLine,
    Unlocked,
    Void,
    VoidStatement,
)
from rng.core.shapes import shaped
from rng.core.signing import check_signatures, document_hash, ed25519_key, key_id, rsa_key
from rng.lab.verify import Wrong, check_outcome, check_void, found_in, which_game
from rng.merkle import ProofFailed, check_consistency
from rng.note import Checkpoint, read_checkpoint, read_note
from rng.sealed_log import check_witnessed, cosigned_checkpoint

NO_HASH = "0" * 64

# A draw that has begun is finished in spite of these lockouts, and a game is given up in spite of
# those: they say nothing against what is in the journal.
FINISHED_DESPITE = frozenset({"software", "repeat", "health"})
GIVEN_UP_DESPITE = FINISHED_DESPITE | {"selftest"}


@dataclass
class Place:
    """Where a series stands, as the journal tells it so far."""

    next: int
    previous: str
    line: IntentLine | None = None
    mark: str | None = None
    tombstone: TombstoneLine | None = None


@dataclass
class Report:
    """What a sound journal says."""

    role: str = ""
    house: str = ""
    lines: int = 0
    head: str = NO_HASH
    drawn: int = 0
    void: int = 0
    epoch: int = 0
    records: dict[tuple[str, int], str] = field(default_factory=dict)
    marks: dict[tuple[str, int], str] = field(default_factory=dict)
    buried: set[tuple[str, int]] = field(default_factory=set)
    acts: set[str] = field(default_factory=set)
    first: dict[str, int] = field(default_factory=dict)
    peer_epoch: int = 1
    handover: Sealed[Handover] | None = None
    intents: dict[tuple[int, int], str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the report in one line."""
        return (
            f"{self.role} of {self.house}: {self.lines} lines, {self.drawn} drawn, "
            f"{self.void} void, head {self.head[:16]}" + "".join(f"; {note}" for note in self.notes)
        )


def verify_journal(path: Path, keys: Mapping[str, str]) -> Report:
    """Check a journal from its first line to its last.

    Raises:
        Wrong: the first thing that is wrong.
    """
    check = _Check(keys)
    with path.open("rb") as file:
        for number, data in enumerate(file, 1):
            with found_in(f"{path.name}, line {number}"):
                check.line(data)
    if not check.report.lines:
        raise Wrong(f"{path.name} is empty")
    return check.report


def verify_agreement(one: Report, other: Report) -> int:
    """Check that two journals tell the same of every game that both know; return how many.

    Raises:
        Wrong: they differ, or one shows that the other was cut short.
    """
    common = one.records.keys() & other.records.keys()
    for series, game in sorted(common):
        if one.records[series, game] != other.records[series, game]:
            raise Wrong(f"the journals have different records of {series}-{game}")
    for this, that in ((one, other), (other, one)):
        for which, mark in this.marks.items():
            if which in that.buried or that.marks.get(which, mark) != mark:
                series, game = which
                raise Wrong(f"the journals differ about the mark of {series}-{game}")
        # An intent names its place in the generator's journal: there it must stand.
        for place, intent in this.intents.items():
            if that.role == "rng" and place[0] == that.epoch and that.intents.get(place) != intent:
                raise Wrong("the generator's journal lacks an intent that it has signed")
    for this, that in ((one, other), (other, one)):
        _check_answered(this, that)
        _check_given(this, that)
    return len(common)


def _check_answered(rng: Report, inspector: Report) -> None:
    """Check that the inspector's journal has every mark and tombstone that the generator used."""
    if (rng.role, inspector.role) != ("rng", "inspector") or rng.peer_epoch != inspector.epoch:
        return
    for used, given, what in (
        (rng.marks.keys(), inspector.marks.keys(), "mark that it has given"),
        (rng.buried, inspector.buried, "tombstone that it has made"),
    ):
        # What came before its first line is in the journal before it.
        if any(game >= inspector.first.get(series, 0) for series, game in used - given):
            raise Wrong(f"the inspector's journal lacks a {what}")


def _check_given(taker: Report, giver: Report) -> None:
    """Check that a handover stands in the journal of the role that signed it."""
    if taker.handover is None or giver.role == taker.role:
        return
    body = taker.handover["body"]
    if body["giver_epoch"] == giver.epoch and document_hash(body) not in giver.acts:
        raise Wrong(f"the handover that the {taker.role}'s journal starts from is not in the other")


class _Check:
    def __init__(self, keys: Mapping[str, str]) -> None:
        self._trusted = {
            (name.split("-")[0], key_id(public)): public for name, public in keys.items()
        }  # a key is trusted in its own role only
        self._keys: dict[str, str] = {}
        self._series: dict[str, Place] = {}
        self._last_mark = ""
        self._epoch = 0
        self._unprinted: set[str] = set()
        self._lockouts: dict[str, str] = {}
        self._outcomes: set[frozenset[int]] = set()
        self._log_size = 0
        self._log_roots: dict[int, bytes] = {}
        self._checkpoint: str | None = None
        self._origins: list[str] = []
        self._holders: list[str] = []
        self._software = ""
        self._line: Line
        self._genesis: Genesis
        self.report = Report()

    def line(self, data: bytes) -> None:
        """Check the next line."""
        if not data.endswith(b"\n"):
            raise Wrong("the line is torn")
        line = shaped(Line, read_canonical(data[:-1]))
        report = self.report
        if line["index"] != report.lines or line["previous"] != report.head:
            raise Wrong("the line does not follow the one before it")
        if (line["kind"] == "GENESIS") != (report.lines == 0):
            raise Wrong("a genesis is the first line and only that")
        if line["kind"] not in _CHECKS:
            raise Wrong(f"there is no kind of line {line['kind']!r}")
        self._line = line
        role, form, check = _CHECKS[line["kind"]]
        if role not in ("", report.role):
            raise Wrong(f"{line['kind']} does not belong in the journal of the {report.role}")
        check(self, shaped(form, line["document"]))
        report.lines += 1
        report.head = sha256(data[:-1]).hexdigest()

    # ---- the ceremony ----------------------------------------------------------------------------

    def genesis(self, sealed: Sealed[Genesis]) -> None:
        """Check the first line: keys that are trusted, a mark key that is a permutation."""
        body = sealed["body"]
        house = body["house"]
        self._genesis, self._keys = body, dict(cast("dict[str, str]", house["keys"]))
        self._check_house_keys(house)
        check_signatures(sealed, [self._keys[body["role"]]])
        self.report.role, self.report.house = body["role"], house["house"]
        self._epoch = self.report.epoch = body["epoch"]
        self._holders, self._software = list(body["holders"]), body["software"]
        self._origins = [house["log_origin"]]
        beginning = document_hash(house)
        self._last_mark = beginning
        self._series = {code: Place(game, beginning) for code, game in house["series"].items()}
        if body["handover"] is not None:
            self._handed_over(body["handover"])
        elif body["epoch"] != 1:
            raise Wrong("a later journal starts with a handover")
        self.report.first = {code: place.next for code, place in self._series.items()}

    def _check_house_keys(self, house: House) -> None:
        for role, public in cast("dict[str, str]", house["keys"]).items():
            if (role, key_id(public)) not in self._trusted:
                raise Wrong(f"the {role} key is not among the public keys")
        check_permutation(rsa_key(house["keys"]["mark"]), house["mark_key_roots"])

    def _handed_over(self, handover: Sealed[Handover]) -> None:
        given, body = handover["body"], self._genesis
        giver = "inspector" if body["role"] == "rng" else "rng"
        check_signatures(handover, [self._keys[giver]])
        if (given["role"], given["epoch"], given["house"]) != (
            body["role"],
            body["epoch"],
            body["house"],
        ):
            raise Wrong("the handover is for another journal")
        if body["epoch"] < 2:
            raise Wrong("a first journal starts without a handover")
        self.report.handover, self.report.peer_epoch = handover, given["giver_epoch"]
        standing = given["standing"]
        self._last_mark = standing["last_mark"]
        self._series = {
            code: Place(place["next"], place["previous"])
            for code, place in standing["series"].items()
        }
        if given["checkpoint"] is not None:
            checkpoint = read_checkpoint(read_note(given["checkpoint"]).text)
            self._check_root(checkpoint)
            self._checkpoint, self._log_size = given["checkpoint"], checkpoint.size
        for game in given["open_games"]:
            self._open_handed_over(game)
        for grave in given["buried_games"]:
            place = self._unopened(self._buried(grave))
            place.tombstone = grave

    def _open_handed_over(self, game: OpenGame) -> None:
        """Check a game that is marked; the generator that made its intent may have lost its key."""
        said, intent = game["statement"]["body"], game["intent"]["body"]
        rng = self._trusted.get(("rng", said["rng_key"]))
        if rng is None:
            raise Wrong("the rng key is not among the public keys")
        line: IntentLine = {
            "statement": game["statement"],
            "seal": game["seal"],
            "intent": game["intent"],
        }
        self._check_intended(line, rng)
        check_mark(rsa_key(self._keys["mark"]), canonical(intent), game["mark"])
        place = self._unopened(self._next(said["series"], said["game"], said["previous"]))
        place.line, place.mark = line, game["mark"]
        self.report.marks[said["series"], said["game"]] = mark_hash(game["mark"])

    def _unopened(self, place: Place) -> Place:
        if place.line is not None or place.tombstone is not None:
            raise Wrong("a game was handed over twice")
        return place

    def handover(self, sealed: Sealed[Handover]) -> None:
        """Check that this role vouched for the other's new journal, and for what it knew itself."""
        body = sealed["body"]
        check_signatures(sealed, [self._keys[self.report.role]])
        house, mine = body["house"], self._genesis["house"]
        if body["role"] == self.report.role or body["giver_epoch"] != self._epoch:
            raise Wrong("a role hands over to the other, from its own journal")
        if body["epoch"] != self.report.peer_epoch + 1:
            raise Wrong("the new journal does not follow the other role's last one")
        same = ("jurisdiction", "house", "series")
        other = any(house[name] != mine[name] for name in same)  # type: ignore[literal-required]
        if other or house["log_origin"] != self._origins[-1]:
            raise Wrong("the handover is of another house")
        lost = ("rng",) if body["role"] == "rng" else ("inspector", "mark")
        keys = cast("dict[str, str]", house["keys"])
        if any(public != self._keys[role] for role, public in keys.items() if role not in lost):
            raise Wrong("the handover changes keys that are not the other role's")
        for role in lost:
            if keys[role] != self._keys[role] and (role, key_id(keys[role])) not in self._trusted:
                raise Wrong(f"the new {role} key is not among the public keys")
        check_permutation(rsa_key(keys["mark"]), house["mark_key_roots"])
        self._check_vouched(body)
        self._keys, self.report.peer_epoch = dict(keys), body["epoch"]
        self.report.acts.add(document_hash(body))
        self.report.notes.append(f"handed over to a new {body['role']}: {body['reason']}")

    def _check_vouched(self, body: Handover) -> None:
        """Check that a handover tells just what its journal knows."""
        standing = {
            code: {"next": place.next, "previous": place.previous}
            for code, place in self._series.items()
        }
        if body["standing"] != {"series": standing, "last_mark": self._last_mark}:
            raise Wrong("the handover vouches for another standing than that of its journal")
        places = self._series.values()
        marked = [
            {**place.line, "mark": place.mark} for place in places if place.line and place.mark
        ]
        if body["open_games"] != marked:
            raise Wrong("the handover has other open games than its journal")
        if body["buried_games"] != [place.tombstone for place in places if place.tombstone]:
            raise Wrong("the handover has other games that are given up than its journal")
        if body["checkpoint"] != self._checkpoint:
            raise Wrong("the handover has another checkpoint than its journal")

    # ---- games -----------------------------------------------------------------------------------

    def intent(self, line: IntentLine) -> None:
        """Check an intent: that it may be made, and that all it rests on is signed."""
        place = self._opened(line)
        self._check_working("a draw was begun")
        if place.line is not None:
            raise Wrong("the game has an intent already")
        if place.tombstone is not None:
            raise Wrong("the game was given up before")
        if line["intent"]["body"]["software"] != self._software:
            raise Wrong("the draw was begun with software that both keys had not accepted")
        self._check_place(line["intent"]["body"]["journal"])
        place.line = line
        size = read_checkpoint(line["statement"]["body"]["checkpoint"]).size
        if size > self._log_size:
            self._checkpoint, self._log_size = line["seal"]["note"], size

    def mark(self, line: MarkLine) -> None:
        """Check a mark, its receipt, and that it was the first for its game."""
        opened: IntentLine = {
            "statement": line["statement"],
            "seal": line["seal"],
            "intent": line["intent"],
        }
        place = self._opened(opened)
        self._check_working("a game was marked", FINISHED_DESPITE)
        if place.mark is not None or place.tombstone is not None:
            raise Wrong("the game was marked or given up before")
        intent, receipt = line["intent"]["body"], line["receipt"]["body"]
        if intent["journal"]["epoch"] != self.report.peer_epoch:
            raise Wrong("the intent is of another journal of the generator than that in force")
        check_mark(rsa_key(self._keys["mark"]), canonical(intent), line["mark"])
        check_signatures(line["receipt"], [self._keys["inspector"]])
        self._check_place(receipt["journal"])
        digest = mark_hash(line["mark"])
        if which_game(receipt) != which_game(intent):
            raise Wrong("the receipt is of another game")
        if (receipt["intent"], receipt["mark"]) != (document_hash(intent), digest):
            raise Wrong("the receipt is of another mark")
        place.line, place.mark, self._last_mark = opened, line["mark"], digest
        self.report.marks[intent["series"], intent["game"]] = digest

    def _opened(self, line: IntentLine) -> Place:
        said, intent = line["statement"]["body"], line["intent"]["body"]
        self._check_intended(line, self._keys["rng"])
        if intent["last_mark"] != self._last_mark:
            raise Wrong("the intent does not follow the last mark")
        at = intent["journal"]["epoch"], intent["journal"]["index"]
        digest = document_hash(intent)
        if self.report.intents.setdefault(at, digest) != digest:
            raise Wrong("two intents were signed for one place in the generator's journal")
        return self._next(said["series"], said["game"], said["previous"])

    def _check_intended(self, line: IntentLine, rng: str) -> None:
        """Check statement, seal and intent: who signed them, and that they belong together."""
        said, intent = line["statement"]["body"], line["intent"]["body"]
        self._check_house(said)
        if said["log_origin"] != self._origins[-1]:
            raise Wrong("the statement is of another log")
        check_signatures(line["statement"], [self._keys["office"]])
        check_signatures(line["intent"], [rng])
        self._check_root(check_witnessed(said, line["seal"], self._keys["inspector"]))
        if which_game(said) != which_game(intent) or document_hash(said) != intent["statement"]:
            raise Wrong("the intent is of another statement")
        named = (said["office_key"], said["rng_key"], said["mark_key"])
        if named != tuple(key_id(key) for key in (self._keys["office"], rng, self._keys["mark"])):
            raise Wrong("the statement names other keys than those in force")

    def drawn(self, sealed: Sealed[DrawRecord]) -> None:
        """Check a record against its statement, intent and mark, number by number."""
        body = sealed["body"]
        place = self._next(body["series"], body["game"], body["previous"])
        if place.line is None:
            raise Wrong("the game was drawn without an intent")
        check_signatures(sealed, [self._keys["rng"]])
        check_outcome({**place.line, "record": sealed}, self._keys["mark"])
        if place.mark not in (None, body["mark"]):
            raise Wrong("the record has another mark than the inspector gave")
        if self.report.role == "rng":
            self._check_working("a game was completed", FINISHED_DESPITE)
            self._last_mark = mark_hash(body["mark"])
            self.report.marks[body["series"], body["game"]] = self._last_mark
        numbers = frozenset(body["numbers"])
        if numbers in self._outcomes:
            self._lockouts[document_hash(self._repeat(body))] = "repeat"
        self._outcomes.add(numbers)
        self.report.drawn += 1
        self._end(place, body["series"], document_hash(body))

    def void(self, void: Void) -> None:
        """Check that a game was given up by office, inspector and generator, in that order."""
        said, body = void["statement"]["body"], void["record"]["body"]
        place = self._next(body["series"], body["game"], body["previous"])
        self._check_void_statement(void["statement"])
        check_signatures(void["tombstone"], [self._keys["inspector"]])
        check_signatures(void["record"], [self._keys["rng"]])
        check_void(void)
        if place.mark is not None:
            raise Wrong("a marked game was voided")
        if place.tombstone is not None:
            if document_hash(place.tombstone["tombstone"]["body"]) != body["tombstone"]:
                raise Wrong("the record names another tombstone than the inspector made")
        elif self.report.role == "inspector":
            raise Wrong("the game was voided without a tombstone")
        if self.report.role == "rng":
            self._check_working("a game was given up", GIVEN_UP_DESPITE)
        self.report.void += 1
        self.report.buried.add((said["series"], said["game"]))
        self._end(place, body["series"], document_hash(body))

    def tombstone(self, line: TombstoneLine) -> None:
        """Check that the inspector gave up a game that it had not marked."""
        place = self._buried(line)
        self._check_place(line["tombstone"]["body"]["journal"])
        if place.mark is not None or place.tombstone is not None:
            raise Wrong("the game was marked or given up before")
        self._check_working("a game was given up", GIVEN_UP_DESPITE)
        place.tombstone = line

    def _buried(self, line: TombstoneLine) -> Place:
        said, stone = line["statement"]["body"], line["tombstone"]["body"]
        place = self._next(said["series"], said["game"], said["previous"])
        self._check_void_statement(line["statement"])
        check_signatures(line["tombstone"], [self._keys["inspector"]])
        if which_game(said) != which_game(stone) or document_hash(said) != stone["statement"]:
            raise Wrong("the tombstone is of another statement")
        self.report.buried.add((said["series"], said["game"]))
        return place

    def printed(self, line: Printed) -> None:
        """Check that what was printed was to be printed."""
        if line["record"] not in self._unprinted:
            raise Wrong("there was nothing to print")
        self._unprinted.remove(line["record"])

    def cosigned(self, line: Cosigned) -> None:
        """Check that a cosigned checkpoint is signed by both and not smaller than the last."""
        checkpoint = cosigned_checkpoint(
            line["note"], self._origins[-1], self._keys["log"], self._keys["inspector"]
        )
        if checkpoint.size < self._log_size:
            raise Wrong("the log became smaller")
        self._check_working("the log was cosigned", FINISHED_DESPITE)
        self._check_root(checkpoint)
        self._checkpoint, self._log_size = line["note"], checkpoint.size

    # ---- lockouts and acts under both keys -------------------------------------------------------

    def lockout(self, line: Lockout) -> None:
        """Note a lockout: nothing may be begun until it is ended."""
        self._check_house(line)
        if line["role"] not in (self.report.role, "both"):
            raise Wrong("the lockout is of the other role")
        self._lockouts[document_hash(line)] = line["reason"]

    def reopen(self, sealed: Sealed[Reopen]) -> None:
        """Check that both keys ended a lockout."""
        body = sealed["body"]
        self._check_act(body, sealed, body["role"])
        if body["lockout"]["role"] not in (body["role"], "both"):
            raise Wrong("the lockout is of the other role")
        digest = document_hash(body["lockout"])
        if body["role"] == self.report.role:
            if digest not in self._lockouts:
                raise Wrong("there was no such lockout")
            if body["lockout"]["reason"] == "software":
                self._software = body["software"]
        self._lockouts.pop(digest, None)

    def key(self, sealed: Sealed[Key]) -> None:
        """Check that a key was replaced under both keys, and by whoever holds the new one."""
        body = sealed["body"]
        role = body["role"]
        if body["old"] != key_id(self._keys[role]):
            raise Wrong("another key was in force")
        proposing = "inspector" if role in ("inspector", "mark") else "rng"
        proof = [body["new"]] if role == proposing else []
        self._check_act(body, sealed, proposing, proof)
        if role == "mark":
            check_permutation(rsa_key(body["new"]), body["mark_key_roots"] or [])
        else:
            ed25519_key(body["new"])
        if body["new"] in self._keys.values() or (role != "mark" and body["mark_key_roots"]):
            raise Wrong("the new key is another role's, or has roots that it should not have")
        self._keys[role] = body["new"]
        self.report.notes.append(f"new {role} key {key_id(body['new'])[:16]}")

    def holders(self, sealed: Sealed[Holders]) -> None:
        """Check that both keys agreed to the holders."""
        body = sealed["body"]
        self._check_act(body, sealed, body["role"])
        if body["role"] == self.report.role:
            self._holders = list(body["holders"])

    def unlocked(self, line: Unlocked) -> None:
        """Check that it was a holder who unlocked."""
        if line["holder"] not in self._holders:
            raise Wrong(f"{line['holder']} was no holder")

    def new_series(self, sealed: Sealed[NewSeries]) -> None:
        """Check that both keys agreed to a further series."""
        body = sealed["body"]
        self._check_act(body, sealed, "rng")
        if body["series"] in self._series:
            raise Wrong("there was such a series")
        self._series[body["series"]] = Place(body["first_game"], document_hash(body))
        self.report.first[body["series"]] = body["first_game"]

    def new_origin(self, sealed: Sealed[NewOrigin]) -> None:
        """Check that both keys agreed to a new name of the log, and gave up the right head of it.

        From there on it is a log of which nothing was seen yet.
        """
        body = sealed["body"]
        self._check_act(body, sealed, "rng")
        if body["old_origin"] != self._origins[-1]:
            raise Wrong("the log had another name")
        if body["new_origin"] in self._origins:
            raise Wrong("the log had this name before")
        if any(place.line or place.tombstone for place in self._series.values()):
            raise Wrong("the log got a new name while a game was being drawn or voided")
        if body["size"] < self._log_size:
            raise Wrong("it gives up an older head of the log than is known here")
        last = self._log_roots.get(self._log_size, b"").hex()
        if self.report.role == "inspector" and (body["size"], body["root"]) != (
            self._log_size,
            last,
        ):
            raise Wrong("it gives up another head than the last that was cosigned")
        kept = body["kept"]
        self._check_kept(body)
        self._origins.append(body["new_origin"])
        # The log of this name begins with what is left, and never has fewer entries.
        self._log_size, self._checkpoint = kept["size"], None
        self._log_roots = {kept["size"]: bytes.fromhex(kept["root"])}
        what = f"the log goes on as {body['new_origin']} after {body['size']} entries"
        also = f"with {kept['size']} of them{', which are a FORK' if body['fork'] else ''}"
        self.report.notes.append(f"{what}, {also}: {body['reason']}")

    def _check_kept(self, body: NewOrigin) -> None:
        """Check that what is left of the log is a beginning of what is given up, or said not to be.

        It continues the last head of its size that is known here, and what is given up does too.
        """
        kept, shown = body["kept"], body["kept"]["shown"]
        if body["fork"] != (shown is None):
            raise Wrong("what is left is neither shown to be a beginning nor said to be a fork")
        if shown is None:
            return
        if not shown["size"] <= kept["size"] <= body["size"]:
            raise Wrong("what is left is no beginning of what is given up")
        root, left = bytes.fromhex(shown["root"]), bytes.fromhex(kept["root"])
        proof = [bytes.fromhex(step) for step in shown["proof"]]
        try:
            check_consistency(shown["size"], root, kept["size"], left, proof)
        except ProofFailed:
            raise Wrong("what is left does not continue the head that is shown") from None
        if any(shown["size"] < size <= kept["size"] for size in self._log_roots):
            raise Wrong("what is left is not shown to continue the last head of its size")
        if self._log_roots.get(shown["size"], root) != root:
            raise Wrong("what is left continues another head than the log had")

    def remark(self, line: object) -> None:
        """Lines for people to read: their form is all there is to check."""

    # ---- helpers ---------------------------------------------------------------------------------

    def _check_act(
        self, body: object, sealed: object, proposing: str, proof: Iterable[str] = ()
    ) -> None:
        self._check_house(body)
        approving = "inspector" if proposing == "rng" else "rng"
        wanted = [self._keys[proposing], *proof, self._keys[approving]]
        check_signatures(cast("Sealed[object]", sealed), wanted)
        self.report.acts.add(document_hash(body))

    def _check_void_statement(self, statement: Sealed[VoidStatement]) -> None:
        self._check_house(statement["body"])
        check_signatures(statement, [self._keys["office"]])
        if statement["body"]["office_key"] != key_id(self._keys["office"]):
            raise Wrong("the statement names another key than that in force")

    def _check_house(self, body: object) -> None:
        fields, house = cast("Mapping[str, object]", body), self._genesis["house"]
        if (fields["jurisdiction"], fields["house"]) != (house["jurisdiction"], house["house"]):
            raise Wrong("it is of another house or jurisdiction")

    def _check_working(self, what: str, despite: frozenset[str] = frozenset()) -> None:
        if not despite.issuperset(self._lockouts.values()):
            raise Wrong(f"{what} during a lockout")

    def _check_root(self, checkpoint: Checkpoint) -> None:
        if self._log_roots.setdefault(checkpoint.size, checkpoint.root) != checkpoint.root:
            raise Wrong("the log has two roots of one size")

    def _check_place(self, place: Position) -> None:
        line = self._line
        here = {"epoch": self._epoch, "index": line["index"], "previous": line["previous"]}
        if place != here:
            raise Wrong("it was signed for another place in the journal")

    def _next(self, code: str, game: int, previous: str) -> Place:
        place = self._series.get(code)
        if place is None or game != place.next:
            raise Wrong(f"{code}-{game} is not the next game of its series")
        if previous != place.previous:
            raise Wrong(f"{code}-{game} does not follow the record before it")
        return place

    def _end(self, place: Place, code: str, record: str) -> None:
        self.report.records[code, place.next] = record
        if self.report.role == "rng":
            self._unprinted.add(record)
        self._series[code] = Place(place.next + 1, record)

    def _repeat(self, body: DrawRecord) -> Lockout:
        """Return the lockout that an exact repeat brings with it."""
        return {
            "label": "keno/lockout",
            "version": 1,
            "jurisdiction": body["jurisdiction"],
            "house": body["house"],
            "role": "both",
            "reason": "repeat",
            "detail": f"{body['series']}-{body['game']} repeats the numbers of an earlier game",
            "record": document_hash(body),
        }


_Handler = Callable[[_Check, object], None]


def _row(role: str, form: object, check: object) -> tuple[str, type[object], _Handler]:
    return role, cast("type[object]", form), cast("_Handler", check)


_CHECKS = {
    "GENESIS": _row("", Sealed[Genesis], _Check.genesis),
    "START": _row("", Start, _Check.remark),
    "UNLOCKED": _row("", Unlocked, _Check.unlocked),
    "LOCKED": _row("", Relocked, _Check.remark),
    "REPAIRED": _row("", Repaired, _Check.remark),
    "ALARM": _row("", Alarm, _Check.remark),
    "INTENT": _row("rng", IntentLine, _Check.intent),
    "MARK": _row("inspector", MarkLine, _Check.mark),
    "DRAWN": _row("", Sealed[DrawRecord], _Check.drawn),
    "VOID": _row("", Void, _Check.void),
    "TOMBSTONE": _row("inspector", TombstoneLine, _Check.tombstone),
    "PRINTED": _row("rng", Printed, _Check.printed),
    "COSIGNED": _row("inspector", Cosigned, _Check.cosigned),
    "LOCKOUT": _row("", Lockout, _Check.lockout),
    "REOPEN": _row("", Sealed[Reopen], _Check.reopen),
    "KEY": _row("", Sealed[Key], _Check.key),
    "HOLDERS": _row("", Sealed[Holders], _Check.holders),
    "SERIES": _row("", Sealed[NewSeries], _Check.new_series),
    "ORIGIN": _row("", Sealed[NewOrigin], _Check.new_origin),
    "HANDOVER": _row("", Sealed[Handover], _Check.handover),
}
