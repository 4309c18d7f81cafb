"""What a journal comes to: the state of a process, worked out line by line.

`apply` is the only code that changes it, both when a journal is read at the start and when a line
has just been written. So a process that was killed and started again knows exactly what it knew.
Nothing here reads or writes anything.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from rng.core.mark import mark_hash
from rng.core.records import (
    Alarm,
    Cosigned,
    DrawRecord,
    Genesis,
    Handover,
    Holders,
    IntentLine,
    Key,
    Lockout,
    MarkLine,
    NewOrigin,
    NewSeries,
    Position,
    Printed,
    Reopen,
    Sealed,
    Standing,
    Start,
    TombstoneLine,
    Void,
    VoidRecord,
)
from rng.core.signing import document_hash, key_id
from rng.note import Checkpoint, read_checkpoint, read_note
from rng.serve.journal import Damaged, Entry

NOWHERE = 0  # the genesis stands at the start of the file, so no game's line does


@dataclass
class Series:
    """Where one series of games stands, and where in the file its games are."""

    first: int
    previous: str
    intent: IntentLine | None = None
    mark: str | None = None
    tombstone: TombstoneLine | None = None
    opened: "array[int]" = field(default_factory=lambda: array("Q"))
    ended: "array[int]" = field(default_factory=lambda: array("Q"))
    open_at: int = NOWHERE

    @property
    def next(self) -> int:
        """Return the number of the game that comes next, or is being drawn."""
        return self.first + len(self.ended)

    def end(self, record_hash: str, offset: int) -> None:
        """Close the game that is next: its record stands at this place."""
        self.opened.append(self.open_at)
        self.ended.append(offset)
        self.previous = record_hash
        self.intent = self.mark = self.tombstone = None
        self.open_at = NOWHERE


@dataclass(frozen=True)
class Unprinted:
    """A record that the generator's paper does not have yet."""

    series: str
    game: int
    record: str


class State:
    """All that a process knows, from its journal alone."""

    def __init__(self, first: Entry) -> None:
        """Start from the genesis line.

        Raises:
            Damaged: the first line is not a genesis.
        """
        if first.line["kind"] != "GENESIS":
            raise Damaged("the journal does not begin with its genesis")
        genesis = cast("Sealed[Genesis]", first.line["document"])["body"]
        self.genesis = genesis
        self.house = genesis["house"]
        self.role = genesis["role"]
        self.epoch = genesis["epoch"]
        self.peer_epoch = 1
        self.keys: dict[str, str] = dict(cast("dict[str, str]", self.house["keys"]))
        self.mark_key_roots = list(self.house["mark_key_roots"])
        self.holders = list(genesis["holders"])
        self.software = genesis["software"]
        self.origins = [self.house["log_origin"]]
        self.origin_act: Sealed[NewOrigin] | None = None
        self.checkpoint: str | None = None
        self.log_size = 0
        self.has_cosigned = False
        self.kept: Checkpoint | None = None  # what the log of this name began with
        self._cosigned_sizes = array("Q")
        self._cosigned_at = array("Q")
        self.outcomes: dict[int, str] = {}
        self.lockouts: dict[str, Lockout] = {}
        self.unprinted: dict[str, Unprinted] = {}
        self.last_records: dict[str, int] = {}
        self.acts: dict[str, int] = {}
        self.alarmed: set[tuple[str, str]] = set()
        self.handover: Sealed[Handover] | None = None
        self.last_start: str | None = None
        self.last_placed: tuple[str, Sealed[object]] | None = None
        self.last_sealed: tuple[str, Sealed[object]] | None = None
        self._marks: set[int] = set()
        self.last_mark_at = NOWHERE
        beginning = document_hash(self.house)
        self.note_mark(beginning)
        self.series = {code: Series(game, beginning) for code, game in self.house["series"].items()}
        if handover := genesis["handover"]:
            self._take_over(handover["body"]["standing"])
            self.peer_epoch = handover["body"]["giver_epoch"]
            self.checkpoint = handover["body"]["checkpoint"]
            self.log_size = _log_size(self.checkpoint) if self.checkpoint else 0
            for game in handover["body"]["open_games"]:
                series = self.series[game["statement"]["body"]["series"]]
                series.intent = {
                    "statement": game["statement"],
                    "seal": game["seal"],
                    "intent": game["intent"],
                }
                series.mark = game["mark"]
            for grave in handover["body"]["buried_games"]:
                self.series[grave["statement"]["body"]["series"]].tombstone = grave

    def standing(self) -> Standing:
        """Return what the other role compares with its own."""
        return {
            "series": {
                code: {"next": series.next, "previous": series.previous}
                for code, series in self.series.items()
            },
            "last_mark": self.last_mark,
        }

    def note_cosigned(self, size: int, offset: int) -> None:
        """Remember where the cosigned head of a size stands; sizes never become smaller."""
        self._cosigned_sizes.append(size)
        self._cosigned_at.append(offset)

    def cosigned_up_to(self, size: int) -> int | None:
        """Return where the last cosigned head stands that has no more entries; none if none has."""
        place = bisect_right(self._cosigned_sizes, size)
        return self._cosigned_at[place - 1] if place else None

    def rename_log(self, body: NewOrigin) -> None:
        """Go on with the log under another name; of that name nothing was seen but what is left."""
        origin, kept = body["new_origin"], body["kept"]
        self.house = {**self.house, "log_origin": origin}
        self.origins.append(origin)
        self.kept = Checkpoint(origin, kept["size"], bytes.fromhex(kept["root"]))
        self.checkpoint, self.log_size, self.has_cosigned = None, 0, False
        self._cosigned_sizes, self._cosigned_at = array("Q"), array("Q")

    def key_id(self, role: str) -> str:
        """Return the id of the key that a role has now."""
        return key_id(self.keys[role])

    def apply(self, entry: Entry) -> None:
        """Take in a line.

        Raises:
            Damaged: it cannot stand in this journal at this place.
        """
        line = entry.line
        try:
            _EFFECTS[line["kind"]](self, line["document"], entry)
        except (KeyError, TypeError, ValueError, IndexError) as fault:
            raise Damaged(f"line {line['index'] + 1} cannot stand there: {fault!r}") from None

    def next_game(self, code: str, game: int, entry: Entry) -> Series:
        """Return the series of a game that must be its next."""
        series = self.series[code]
        if game != series.next:
            raise Damaged(f"line {entry.line['index'] + 1}: {code}-{game} is not the next game")
        return series

    def signed(self, role: str, sealed: object, place: Position, entry: Entry) -> None:
        """Note a signed document: it commits to every line before it."""
        line = entry.line
        there = {"epoch": self.epoch, "index": line["index"], "previous": line["previous"]}
        if place != there:
            raise Damaged(f"line {line['index'] + 1} was signed for another place")
        self.last_placed = (self.keys[role], cast("Sealed[object]", sealed))

    def sealed(self, role: str, sealed: object) -> None:
        """Note a signed document that names no place: the next one that does commits to it."""
        self.last_sealed = (self.keys[role], cast("Sealed[object]", sealed))

    def record_made(self, series: str, game: int, record_hash: str) -> None:
        """Note that the generator made a record: it is to be printed and delivered."""
        self.unprinted[record_hash] = Unprinted(series, game, record_hash)
        self.last_records[series] = game

    def note_mark(self, digest: str) -> None:
        """Remember the hash of a mark; half a million a year, so only its first 64 bits."""
        self.last_mark = digest
        self._marks.add(int(digest[:16], 16))

    def knows_mark(self, digest: str) -> bool:
        """Whether a mark is in this journal."""
        return int(digest[:16], 16) in self._marks

    def note_outcome(self, body: DrawRecord, record_hash: str) -> None:
        """Remember a set of numbers; an exact repeat stands and stops the next draw (X-rng-repeat).

        The lockout follows from the record itself, so no crash can lose it, and it is the same
        document in both journals, so that reopening ends it in both.
        """
        mask = numbers_mask(body["numbers"])
        earlier = self.outcomes.setdefault(mask, record_hash)
        if earlier != record_hash:
            lockout: Lockout = {
                "label": "keno/lockout",
                "version": 1,
                "jurisdiction": self.house["jurisdiction"],
                "house": self.house["house"],
                "role": "both",
                "reason": "repeat",
                "detail": f"{body['series']}-{body['game']} repeats the numbers of an earlier game",
                "record": record_hash,
            }
            self.lockouts[document_hash(lockout)] = lockout

    def act(self, act: object, entry: Entry) -> None:
        """Note an act under both keys, so that asking for it again finds it."""
        self.acts[document_hash(cast("Sealed[object]", act)["body"])] = entry.offset

    def _take_over(self, standing: Standing) -> None:
        self.note_mark(standing["last_mark"])
        self.series = {
            code: Series(place["next"], place["previous"])
            for code, place in standing["series"].items()
        }


def numbers_mask(numbers: list[int]) -> int:
    """Return a set of numbers as bits, whatever their order."""
    return sum(1 << number for number in numbers)


def _log_size(note: str) -> int:
    return read_checkpoint(read_note(note).text).size


# ---- the effect of each kind of line -----------------------------------------------------------


def _nothing(state: State, document: object, entry: Entry) -> None:
    """Lines that are there to be read by people."""


def _start(state: State, document: object, entry: Entry) -> None:  # noqa: ARG001  one form for all
    state.last_start = cast("Start", document)["software"]


def _intent(state: State, document: object, entry: Entry) -> None:
    line = cast("IntentLine", document)
    body = line["intent"]["body"]
    series = state.next_game(body["series"], body["game"], entry)
    state.signed("rng", line["intent"], body["journal"], entry)
    series.intent = line
    series.open_at = entry.offset
    size = _log_size(line["seal"]["note"])
    if size > state.log_size:
        state.checkpoint, state.log_size = line["seal"]["note"], size


def _mark(state: State, document: object, entry: Entry) -> None:
    line = cast("MarkLine", document)
    body = line["intent"]["body"]
    series = state.next_game(body["series"], body["game"], entry)
    receipt = line["receipt"]
    state.signed("inspector", receipt, receipt["body"]["journal"], entry)
    series.intent = {
        "statement": line["statement"],
        "seal": line["seal"],
        "intent": line["intent"],
    }
    series.mark = line["mark"]
    series.open_at = entry.offset
    state.note_mark(receipt["body"]["mark"])
    state.last_mark_at = entry.offset
    state.peer_epoch = body["journal"]["epoch"]


def _drawn(state: State, document: object, entry: Entry) -> None:
    record = cast("Sealed[DrawRecord]", document)
    body = record["body"]
    series = state.next_game(body["series"], body["game"], entry)
    record_hash = document_hash(body)
    if state.role == "rng":
        state.sealed("rng", record)
        state.note_mark(mark_hash(body["mark"]))
        state.record_made(body["series"], body["game"], record_hash)
    state.note_outcome(body, record_hash)
    series.end(record_hash, entry.offset)


def _void(state: State, document: object, entry: Entry) -> None:
    record = cast("Void", document)["record"]
    body: VoidRecord = record["body"]
    series = state.next_game(body["series"], body["game"], entry)
    record_hash = document_hash(body)
    if state.role == "rng":
        state.sealed("rng", record)
        state.record_made(body["series"], body["game"], record_hash)
    series.end(record_hash, entry.offset)


def _tombstone(state: State, document: object, entry: Entry) -> None:
    line = cast("TombstoneLine", document)
    body = line["tombstone"]["body"]
    state.signed("inspector", line["tombstone"], body["journal"], entry)
    state.next_game(body["series"], body["game"], entry).tombstone = line


def _printed(state: State, document: object, entry: Entry) -> None:  # noqa: ARG001  one form for all
    state.unprinted.pop(cast("Printed", document)["record"])


def _cosigned(state: State, document: object, entry: Entry) -> None:
    note = cast("Cosigned", document)["note"]
    state.checkpoint = note
    state.has_cosigned = True
    state.note_cosigned(_log_size(note), entry.offset)


def _lockout(state: State, document: object, entry: Entry) -> None:  # noqa: ARG001  one form for all
    lockout = cast("Lockout", document)
    state.lockouts[document_hash(lockout)] = lockout


def _reopen(state: State, document: object, entry: Entry) -> None:
    act = cast("Sealed[Reopen]", document)
    body = act["body"]
    if body["role"] == state.role and body["lockout"]["reason"] == "software":
        state.software = body["software"]
    state.lockouts.pop(document_hash(body["lockout"]), None)
    state.act(act, entry)


def _key(state: State, document: object, entry: Entry) -> None:
    act = cast("Sealed[Key]", document)
    state.keys[act["body"]["role"]] = act["body"]["new"]
    state.mark_key_roots = act["body"]["mark_key_roots"] or state.mark_key_roots
    state.act(act, entry)


def _holders(state: State, document: object, entry: Entry) -> None:
    act = cast("Sealed[Holders]", document)
    if act["body"]["role"] == state.role:
        state.holders = list(act["body"]["holders"])
    state.act(act, entry)


def _new_series(state: State, document: object, entry: Entry) -> None:
    act = cast("Sealed[NewSeries]", document)
    body = act["body"]
    state.series[body["series"]] = Series(body["first_game"], document_hash(body))
    state.act(act, entry)


def _new_origin(state: State, document: object, entry: Entry) -> None:
    act = cast("Sealed[NewOrigin]", document)
    state.rename_log(act["body"])
    state.origin_act = act
    state.act(act, entry)


def _handover(state: State, document: object, entry: Entry) -> None:
    act = cast("Sealed[Handover]", document)
    body = act["body"]
    state.handover = act
    state.peer_epoch = body["epoch"]
    state.keys = dict(cast("dict[str, str]", body["house"]["keys"]))
    state.mark_key_roots = list(body["house"]["mark_key_roots"])
    state.last_records.clear()  # the new journal starts after every record that is here
    state.act(act, entry)


def _alarm(state: State, document: object, entry: Entry) -> None:  # noqa: ARG001  one form for all
    alarm = cast("Alarm", document)
    state.alarmed.add((alarm["code"], alarm["document"]))


_EFFECTS: dict[str, Callable[[State, object, Entry], None]] = {
    "START": _start,
    "UNLOCKED": _nothing,
    "LOCKED": _nothing,
    "REPAIRED": _nothing,
    "INTENT": _intent,
    "MARK": _mark,
    "DRAWN": _drawn,
    "VOID": _void,
    "TOMBSTONE": _tombstone,
    "PRINTED": _printed,
    "COSIGNED": _cosigned,
    "LOCKOUT": _lockout,
    "REOPEN": _reopen,
    "KEY": _key,
    "HOLDERS": _holders,
    "SERIES": _new_series,
    "ORIGIN": _new_origin,
    "HANDOVER": _handover,
    "ALARM": _alarm,
}
