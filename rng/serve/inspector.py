"""I, the inspector's process: it witnesses the log, marks intents, and never marks a game twice.

The write order of each act, and what a crash after each write leads to:

- *Marking*: MARK, durable (statement, seal, intent, mark, receipt), then the answer. *Crash before
  the write: nothing was given; the same intent gets the same mark, there being only one. Crash
  after: asked again, the same mark.*
- *Voiding*: TOMBSTONE, durable, then the answer. *Crash: asked again, the same tombstone.*
- *Taking a record*: DRAWN or VOID, durable, then the answer. *Crash: it is delivered again.*

It chooses nothing: whether to mark follows from its journal, and what the mark is from its key.
"""

from collections.abc import Mapping
from typing import ClassVar, cast

from rng.core.canonical import canonical
from rng.core.derive import draw_numbers
from rng.core.mark import MarkFailed, check_mark, make_mark, mark_hash
from rng.core.records import (
    Count,
    DrawRecord,
    GameNumber,
    Hash,
    Intent,
    IntentLine,
    LockStatement,
    MarkLine,
    MarkReceipt,
    OpenGame,
    Role,
    Seal,
    Sealed,
    SeriesCode,
    Tombstone,
    TombstoneLine,
    Void,
    VoidRecord,
    VoidStatement,
)
from rng.core.shapes import shaped
from rng.core.signing import (
    BadSignature,
    check_signatures,
    document_hash,
    rsa_key,
    seal,
)
from rng.note import (
    read_checkpoint,
    read_note,
)
from rng.sealed_log import (
    NotCosigned,
    NotIncluded,
    check_locked,
    check_witnessed,
)
from rng.serve.keyed import FINISHING, VOIDING, Fields, field
from rng.serve.refusals import Code, Refused, refused
from rng.serve.standing import NOWHERE, Series
from rng.serve.witness import Witness


class InspectorProcess(Witness):
    """The process that the Commission inspector's key unlocks."""

    role: ClassVar[Role] = "inspector"
    _vetted: tuple[Sealed[LockStatement], Seal, dict[str, str], str] | None = None

    def key_roles(self) -> dict[str, str]:
        """Return which key of the house each key in the file is."""
        return {"signing": "inspector", "mark": "mark"}

    # ---- marking ---------------------------------------------------------------------------------

    def ready(self, fields: Fields) -> Mapping[str, object]:
        """Say whether an intent for this game would be marked; R asks before it makes one.

        So nothing that the inspector is locked out for begins a draw, and an intent that could not
        be marked is never made. The generator has not signed the question, so it locks nothing out.
        """
        statement = field(fields, "statement", Sealed[LockStatement])
        its_seal = field(fields, "seal", Seal)
        self.need_working()
        self._check_generator(fields)
        code, game = statement["body"]["series"], statement["body"]["game"]
        series = self.series_of(code)
        stone = self._tombstone_of(series, game)
        if stone is not None:
            raise refused(Code.VOID, cast("dict[str, object]", stone), game=f"{code}-{game}")
        marked = self._marked(series, game)
        if marked is not None:
            evidence = {"intent": marked["intent"], "mark": marked["mark"]}
            raise refused(Code.OTHER_INTENT, evidence, game=f"{code}-{game}")
        if field(fields, "last_mark", Hash) != self.state.last_mark:
            raise refused(Code.STALE_INTENT, self._last_marked())
        if (game, statement["body"]["previous"]) != (series.next, series.previous):
            raise refused(Code.NOT_NEXT, game=f"{code}-{game}", next=f"{code}-{series.next}")
        if field(fields, "keys", dict[str, Hash]) != self.key_ids():
            raise refused(Code.OTHER_KEYS)
        self._vetted = statement, its_seal, self.key_ids(), self._vet(statement, its_seal)
        return {"epoch": self.state.epoch}

    def record(self, fields: Fields) -> Mapping[str, object]:
        """Return what became of a game, for an office whose generator lost it with its disk.

        Of a game that is marked and not over yet: what it was asked with, for an office that was
        restored and must ask for it in the same words.
        """
        code, game = field(fields, "series", SeriesCode), field(fields, "game", GameNumber)
        self.need_books()
        series = self.series_of(code)
        marked = self._marked(series, game)
        if game == series.next and marked is not None:
            return {"begun": {"statement": marked["statement"], "seal": marked["seal"]}}
        if not series.first <= game < series.next:
            raise refused(Code.NO_SUCH_GAME, game=f"{code}-{game}")
        ended = self.journal.document_at(series.ended[game - series.first])
        if "tombstone" in ended:
            return {"void": ended}
        if marked is None:
            raise refused(Code.NO_SUCH_GAME, game=f"{code}-{game}")
        parts = ("statement", "seal", "intent")
        whole = cast("Mapping[str, object]", marked)
        return {"drawn": {**{part: whole[part] for part in parts}, "record": ended}}

    def _check_generator(self, fields: Fields) -> None:
        """Check that it is the generator of the journal that counts, and that no key waits.

        Raises:
            Refused: it is not, or one does.
        """
        if field(fields, "epoch", Count) < self.state.peer_epoch:
            handover = self.state.handover
            raise refused(Code.SUPERSEDED, {"handover": handover} if handover else None)
        if self.has_pending_key():
            raise refused(Code.KEY_PENDING)

    def mark(self, fields: Fields) -> Mapping[str, object]:
        """Mark an intent, or return the mark that it was given."""
        statement = field(fields, "statement", Sealed[LockStatement])
        its_seal = field(fields, "seal", Seal)
        intent = field(fields, "intent", Sealed[Intent])
        keys = self.need_working(FINISHING)
        self._check_intent(statement, its_seal, intent)
        body = intent["body"]
        series = self.series_of(body["series"])
        if mark := self._mark_of(series, body):
            return {"mark": mark}
        self.need_next({**body, "previous": statement["body"]["previous"]})
        self._check_chain(body)
        mark = make_mark(keys.mark, canonical(body))
        receipt = shaped(
            MarkReceipt,
            {
                **self.head("keno/mark-receipt"),
                "series": body["series"],
                "game": body["game"],
                "intent": document_hash(body),
                "mark": mark_hash(mark),
                "journal": self.place(),
                "marked_at": self.now(),
            },
        )
        line: MarkLine = {
            "statement": statement,
            "seal": its_seal,
            "intent": intent,
            "mark": mark,
            "receipt": seal(receipt, keys.signing),
        }
        self.write("MARK", line)
        return {"mark": mark}

    def _check_intent(
        self, statement: Sealed[LockStatement], its_seal: Seal, intent: Sealed[Intent]
    ) -> None:
        """Check the signatures of back office and generator, the seal, and that they fit."""
        statement_hash = self._vetted_hash(statement, its_seal)
        try:
            check_signatures(intent, [self.state.keys["rng"]])
        except BadSignature:
            raise self._not_rng(intent) from None
        said, body = statement["body"], intent["body"]
        self.check_house(cast("Mapping[str, object]", body))
        named = (body["statement"], body["series"], body["game"])
        if named != (statement_hash, said["series"], said["game"]):
            raise refused(Code.OTHER_STATEMENT)

    def _vetted_hash(self, statement: Sealed[LockStatement], its_seal: Seal) -> str:
        """Return the hash of a statement that is in order; the last is not vetted twice."""
        if self._vetted is not None:
            vetted, seal_of_it, keys, digest = self._vetted
            if (vetted, seal_of_it, keys) == (statement, its_seal, self.key_ids()):
                return digest
        return self._vet(statement, its_seal)

    def _vet(self, statement: Sealed[LockStatement], its_seal: Seal) -> str:
        """Check a statement and its seal, and return the statement's hash.

        Raises:
            Refused: it is not in order.
        """
        said = statement["body"]
        digest = self.check_office(statement)
        if said["log_origin"] != self.state.house["log_origin"]:
            raise refused(Code.OTHER_HOUSE)
        wanted = tuple(self.state.key_id(role) for role in ("office", "rng", "mark"))
        if (said["office_key"], said["rng_key"], said["mark_key"]) != wanted:
            raise refused(Code.OTHER_KEYS)
        try:
            self._check_sealed(said, its_seal)
        except NotCosigned as fault:
            raise refused(Code.NOT_SEALED, detail=fault) from None
        except NotIncluded as fault:
            raise refused(Code.NOT_INCLUDED, detail=fault) from None
        return digest

    def _check_sealed(self, said: LockStatement, its_seal: Seal) -> None:
        """Check the seal; a checkpoint that was cosigned here last needs no signature checked."""
        if its_seal["note"] == self.state.checkpoint and self.state.has_cosigned:
            note = read_note(its_seal["note"])
            check_locked(said, its_seal["proof"], note, read_checkpoint(note.text))
            return
        checkpoint = check_witnessed(said, its_seal, self.state.keys["inspector"])
        seen = self._seen()
        if self.state.has_cosigned and (seen is None or checkpoint.size > seen.size):
            raise self.restored("a checkpoint was cosigned that is not in this journal")

    def _not_rng(self, intent: Sealed[Intent]) -> Refused:
        """Return the refusal of an intent whose key, or journal, was replaced."""
        handover = self.state.handover
        if handover is not None and intent["body"]["journal"]["epoch"] < self.state.peer_epoch:
            return refused(Code.SUPERSEDED, {"handover": handover})
        return refused(Code.NOT_RNG)

    def _mark_of(self, series: Series, body: Intent) -> str | None:
        """Return the mark that this very intent was given, be its game over or not.

        Raises:
            Refused: its game was marked for another intent, or given up; with the evidence.
        """
        name, game = f"{body['series']}-{body['game']}", body["game"]
        if (stone := self._tombstone_of(series, game)) is not None:
            raise refused(Code.VOID, cast("dict[str, object]", stone), game=name)
        marked = self._marked(series, game)
        if marked is None:
            return None
        if document_hash(marked["intent"]["body"]) == document_hash(body):
            return marked["mark"]
        self.alarm(Code.OTHER_INTENT, f"a second intent for {name}", body)
        evidence = {"intent": marked["intent"], "mark": marked["mark"]}
        raise refused(Code.OTHER_INTENT, evidence, game=name)

    def _marked(self, series: Series, game: int) -> OpenGame | None:
        """Return what was marked for a game, from this journal."""
        if game == series.next and series.mark is not None:
            return {**cast("IntentLine", series.intent), "mark": series.mark}
        if series.first <= game < series.next:
            place = series.opened[game - series.first]
            if place != NOWHERE:
                return cast("OpenGame", self.journal.document_at(place))
        return None

    def _tombstone_of(self, series: Series, game: int) -> TombstoneLine | None:
        """Return the tombstone of a game, from this journal."""
        if game == series.next:
            return series.tombstone
        if series.first <= game < series.next:
            ended = self.journal.document_at(series.ended[game - series.first])
            if "tombstone" in ended:
                void = cast("Void", ended)
                return {"statement": void["statement"], "tombstone": void["tombstone"]}
        return None

    def _check_chain(self, body: Intent) -> None:
        """Check that the intent continues the chain of marks, of the generator that counts."""
        epoch = body["journal"]["epoch"]
        if epoch > self.state.peer_epoch:
            raise self.restored("the generator has a newer journal than is known here")
        if epoch < self.state.peer_epoch:
            handover = self.state.handover
            raise refused(Code.SUPERSEDED, {"handover": handover} if handover else None)
        if body["last_mark"] == self.state.last_mark:
            return
        if not self.state.knows_mark(body["last_mark"]):
            raise self.restored("an intent names a mark that is not in this journal")
        self.alarm(Code.STALE_INTENT, "an intent does not follow the last mark", body)
        raise refused(Code.STALE_INTENT, self._last_marked())

    def _last_marked(self) -> dict[str, object] | None:
        """Return the last intent that was marked, with its mark, as evidence for the generator."""
        if self.state.last_mark_at == NOWHERE:
            return None
        line = self.journal.document_at(self.state.last_mark_at)
        return {"intent": line["intent"], "mark": line["mark"]}

    # ---- records ---------------------------------------------------------------------------------

    def deliver(self, fields: Fields) -> Mapping[str, object]:
        """Take a record of the generator's into this journal, having checked that it follows.

        This needs no key, and a lockout does not stop it: it is how a journal catches up.
        """
        self.need_books()
        if "void" in fields:
            void = field(fields, "void", Void)
            if self._is_new(void["record"]):
                self._check_void(void)
                self.write("VOID", void)
        else:
            record = field(fields, "record", Sealed[DrawRecord])
            if self._is_new(record):
                self._check_drawn(record, field(fields, "intent", Sealed[Intent])["body"])
                self.write_drawn(record)
        return {}

    def _is_new(self, record: Sealed[DrawRecord] | Sealed[VoidRecord]) -> bool:
        """Whether a record is of the next game; one that is here already is taken as delivered."""
        body = record["body"]
        series = self.series_of(body["series"])
        if not series.first <= body["game"] < series.next:
            return True
        here = self.journal.document_at(series.ended[body["game"] - series.first])
        kept = cast("Sealed[DrawRecord]", here.get("record", here))
        if document_hash(kept["body"]) == document_hash(body):
            return False
        self._check_rng(cast("Sealed[object]", record))
        self.alarm(Code.WRONG_RECORD, "a second record for one game", body)
        raise refused(Code.WRONG_RECORD, detail="the game has another record here")

    def _check_drawn(self, sealed: Sealed[DrawRecord], intent: Intent) -> None:
        """Check a record against what was marked, and work out its numbers."""
        record = sealed["body"]
        self._check_rng(cast("Sealed[object]", sealed))
        self.need_next(cast("Mapping[str, object]", record))
        name = f"{record['series']}-{record['game']}"
        if record["mark"] != self.series_of(record["series"]).mark:
            try:
                check_mark(rsa_key(self.state.keys["mark"]), canonical(intent), record["mark"])
            except MarkFailed as fault:
                raise refused(Code.WRONG_RECORD, detail=fault) from None
            raise self.restored(f"{name} was marked, but not in this journal")
        marked = cast("IntentLine", self.series_of(record["series"]).intent)["intent"]["body"]
        digest = document_hash(marked)
        right = (digest, marked["statement"], list(draw_numbers(digest, record["mark"])))
        if (record["intent"], record["statement"], record["numbers"]) != right:
            self.alarm(Code.WRONG_RECORD, f"the record of {name} is wrong", record)
            raise refused(Code.WRONG_RECORD, detail="it is not that of the intent that was marked")

    def _check_void(self, void: Void) -> None:
        record, stone = void["record"]["body"], void["tombstone"]
        self._check_rng(cast("Sealed[object]", void["record"]))
        series = self.need_next(cast("Mapping[str, object]", record))
        try:
            check_signatures(stone, [self.state.keys["inspector"]])
        except BadSignature as fault:
            raise refused(Code.WRONG_RECORD, detail=fault) from None
        if series.tombstone is None:
            raise self.restored("a game was given up, but not in this journal")
        grave = series.tombstone
        told = (document_hash(void["statement"]["body"]), document_hash(stone["body"]))
        mine = (
            document_hash(grave["statement"]["body"]),
            document_hash(grave["tombstone"]["body"]),
        )
        if not told == mine == (record["statement"], record["tombstone"]):
            raise refused(Code.WRONG_RECORD, detail="it names another statement or tombstone")

    def _check_rng(self, sealed: Sealed[object]) -> None:
        try:
            check_signatures(sealed, [self.state.keys["rng"]])
        except BadSignature:
            raise refused(Code.NOT_RNG) from None
        self.check_house(cast("Mapping[str, object]", sealed["body"]))

    # ---- voiding ---------------------------------------------------------------------------------

    def void(self, fields: Fields) -> Mapping[str, object]:
        """Promise never to mark a game, unless it is marked already."""
        statement = field(fields, "statement", Sealed[VoidStatement])
        keys = self.need_working(VOIDING)
        self._check_generator(fields)
        body = statement["body"]
        series, game = self.series_of(body["series"]), body["game"]
        self.check_office(statement)
        if (stone := self._tombstone_of(series, game)) is not None:
            return cast("Mapping[str, object]", stone)
        if (marked := self._marked(series, game)) is not None:
            evidence = {"intent": marked["intent"], "mark": marked["mark"]}
            raise refused(Code.MARKED, evidence, game=f"{body['series']}-{game}")
        self.check_void(statement)
        stone_body = shaped(
            Tombstone,
            {
                **self.head("keno/tombstone"),
                "series": body["series"],
                "game": game,
                "statement": document_hash(body),
                "journal": self.place(),
                "buried_at": self.now(),
            },
        )
        line: TombstoneLine = {"statement": statement, "tombstone": seal(stone_body, keys.signing)}
        self.write("TOMBSTONE", line)
        return cast("Mapping[str, object]", line)
