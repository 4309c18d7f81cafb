"""R, the generator's process: it draws, once and for ever (X-draw-once).

The write order of a draw, and what a crash after each write leads to:

1. Nothing is written when the statement comes in: it is the back office's, stored there already.
   *Crash: nothing has happened; the statement is sent again.*
2. INTENT, durable: statement, seal, and the intent with its secret *r*, signed.
   *Crash: at the next start the intent is there; the same r goes to the inspector.*
3. The inspector's MARK, durable in its journal before it answers.
   *Crash of either: the intent is sent again, and the same mark comes back.*
4. DRAWN, durable: the record with mark and numbers, signed.
   *Crash: the record is there; asking again returns it.*
5. The answer leaves. *Lost: asking again returns the same record.*
6. The slip is printed. 7. PRINTED, durable.
   *Crash between them: printed again at the next start, marked as a reprint.*
8. The record goes into the inspector's journal. *Crash: sent again before the next draw.*

New intents are made one at a time, and each names the last mark: so the marks and intents of all
series form one chain, and a journal that lost its end, or a clone of it, breaks that chain at its
first draw. An intent that was made is finished first, whatever series it belongs to.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, cast

from rng.core.canonical import canonical
from rng.core.derive import draw_numbers
from rng.core.entropy import EntropyFailed
from rng.core.generator import CyclingGenerator, Secret
from rng.core.mark import MarkFailed, check_mark, mark_hash
from rng.core.records import (
    Count,
    Draw,
    DrawRecord,
    GameNumber,
    Handover,
    Intent,
    IntentLine,
    LockStatement,
    MarkText,
    Role,
    Seal,
    Sealed,
    SeriesCode,
    TombstoneLine,
    Void,
    VoidRecord,
    VoidStatement,
)
from rng.core.shapes import WrongShape, shaped
from rng.core.signing import BadSignature, check_signatures, document_hash, rsa_key, seal
from rng.sealed_log import NotCosigned, NotIncluded, check_witnessed
from rng.serve.afterwards import Devices
from rng.serve.carrier import Carrier
from rng.serve.keyed import FINISHING, VOIDING, Fields, Surroundings, field
from rng.serve.printer import NotReady
from rng.serve.protocol import Unreachable
from rng.serve.refusals import Code, Refused, refused

# What the inspector answers to an intent that it will never mark.
NEVER_MARKED = frozenset({Code.OTHER_KEYS.code, Code.STALE_INTENT.code, Code.NOT_RNG.code})


class GeneratorProcess(Carrier):
    """The process that the supervisor's key unlocks."""

    role: ClassVar[Role] = "rng"

    def __init__(self, folder: Path, surroundings: Surroundings, devices: Devices) -> None:
        """Start as every keyed process does, with a generator of its own."""
        self._generator: CyclingGenerator | None = None
        self._tested = False
        super().__init__(folder, surroundings, devices)
        if self.failure is None and self._generator is None:
            self.lock_out("health", "the entropy source failed its start-up test")

    def instance(self) -> str | None:
        """Instantiate the generator afresh, as at every start, and return its name."""
        try:
            self._generator = self._new_generator()
        except EntropyFailed:
            return None
        return self._generator.instance

    def _new_generator(self) -> CyclingGenerator:
        house, devices = self.state.house["house"], self._devices
        return CyclingGenerator(devices.source, house, devices.name, self.current_software())

    def idle(self) -> None:
        """Keep the generator cycling between games (X-rng-cycling)."""
        if self._generator is not None:
            self._generator.cycle()

    def unlock(self, fields: Fields) -> Mapping[str, object]:
        """Unlock, and finish at once what a handover brought with it: it is decided already."""
        super().unlock(fields)
        for code, series in self.state.series.items():
            try:
                if series.tombstone is not None:
                    self._bury(code, series.tombstone)
                elif series.mark is not None:
                    self._complete(code)
            except Refused as refusal:  # it is unlocked all the same, and the status says why
                self._trouble = refusal.message
        return self.status({})

    # ---- drawing ---------------------------------------------------------------------------------

    def draw(self, fields: Fields) -> Mapping[str, object]:
        """Draw a locked game, or return what was drawn."""
        statement = field(fields, "statement", Sealed[LockStatement])
        its_seal = field(fields, "seal", Seal)
        self.need_books()
        body = statement["body"]
        series = self.series_of(body["series"])
        if series.first <= body["game"] < series.next:
            return {"drawn": self._drawn_before(statement)}
        if series.intent is None:
            self._intend(statement, its_seal)
        elif document_hash(series.intent["statement"]["body"]) != self._check_next(statement):
            raise self._conflict(statement)
        return {"drawn": self._complete(body["series"])}

    def record(self, fields: Fields) -> Mapping[str, object]:
        """Return what became of a game: its whole draw, or its void; or what it was asked with."""
        code, game = field(fields, "series", SeriesCode), field(fields, "game", GameNumber)
        self.need_books()
        series = self.series_of(code)
        if game == series.next and series.intent is not None:
            begun = series.intent
            return {"begun": {"statement": begun["statement"], "seal": begun["seal"]}}
        if not series.first <= game < series.next:
            raise refused(Code.NO_SUCH_GAME, game=f"{code}-{game}")
        return self._ended(code, game)

    def _drawn_before(self, statement: Sealed[LockStatement]) -> Draw:
        """Return the record of a game that is over, if this is the statement it was drawn for."""
        game = statement["body"]["game"]
        ended = self._ended(statement["body"]["series"], game)
        if "void" in ended:
            raise refused(Code.VOID, ended, game=_name(statement["body"]))
        drawn = cast("Draw", ended["drawn"])
        if document_hash(drawn["statement"]["body"]) != document_hash(statement["body"]):
            self.check_office(statement)
            raise self._conflict(statement)
        return drawn

    def _conflict(self, statement: Sealed[LockStatement]) -> Refused:
        """Alarm about a second statement for one game, and return the refusal."""
        name = _name(statement["body"])
        self.alarm(Code.CONFLICT, f"a second statement for {name}", statement["body"])
        return refused(Code.CONFLICT, game=name)

    def _check_next(self, statement: Sealed[LockStatement]) -> str:
        """Check that the back office signed a statement, of the next game; return its hash."""
        digest = self.check_office(statement)
        self.need_next(cast("Mapping[str, object]", statement["body"]))
        return digest

    def _intend(self, statement: Sealed[LockStatement], its_seal: Seal) -> None:
        """Check all that can be checked, take the secret, and make the intent durable."""
        self.settle_pending()  # it may change the keys and the series that are checked next
        self.need_working()
        if self.has_pending_key():
            raise refused(Code.KEY_PENDING)
        self._finish_others()
        self._deliver()
        self._post_ready(statement, its_seal)  # the inspector checks it while we do
        digest = self._check_next(statement)
        self._check_statement(statement["body"], its_seal)
        self._print_slips()
        try:
            self._printer.check_ready()
        except NotReady as trouble:
            raise refused(Code.PRINTER, detail=trouble) from None
        software = self.check_software()
        if not self._tested:
            self._tested = bool(self.run_self_test())
        keys = self.need_working()
        body = statement["body"]
        self._await_ready(body)
        secret = self._secret()
        intent: Intent = {
            "label": "keno/intent",
            "version": 1,
            "jurisdiction": body["jurisdiction"],
            "house": body["house"],
            "series": body["series"],
            "game": body["game"],
            "statement": digest,
            "r": secret.value.hex(),
            "instance": secret.instance,
            "requests": secret.requests,
            "reseeds": secret.reseeds,
            "journal": self.place(),
            "software": software,
            "last_mark": self.state.last_mark,
        }
        line: IntentLine = {
            "statement": statement,
            "seal": its_seal,
            "intent": seal(intent, keys.signing),
        }
        self.write("INTENT", line)

    def _check_statement(self, body: LockStatement, its_seal: Seal) -> None:
        state = self.state
        if body["log_origin"] != state.house["log_origin"]:
            raise refused(Code.OTHER_HOUSE)
        named = (body["office_key"], body["rng_key"], body["mark_key"])
        if named != tuple(state.key_id(role) for role in ("office", "rng", "mark")):
            raise refused(Code.OTHER_KEYS)
        try:  # the inspector checks this too; an intent that it must refuse is never made
            check_witnessed(body, its_seal, state.keys["inspector"])
        except NotCosigned as fault:
            raise refused(Code.NOT_SEALED, detail=fault) from None
        except NotIncluded as fault:
            raise refused(Code.NOT_INCLUDED, detail=fault) from None

    def _finish_others(self) -> None:
        """Finish intents of other series, so that marks follow one another without a gap."""
        for code, series in self.state.series.items():
            if series.intent is not None:
                try:
                    self._complete(code)
                except Refused as refusal:
                    # A game that is void, or whose mark key is gone, can never be marked, and
                    # holds up nobody; with any other the inspector's answer is awaited.
                    if refusal.code not in (Code.VOID.code, Code.OTHER_KEYS.code):
                        raise
        self.need_working()

    def _secret(self) -> Secret:
        """Return the secret of the draw; a source that fails its tests locks out."""
        try:
            if self._generator is None:  # both keys reopened after it had failed
                self._generator = self._new_generator()
            return self._generator.secret()
        except EntropyFailed as failure:
            if self._generator is not None:
                self._generator.wipe()
            self._generator = None
            self.lock_out("health", str(failure))
            raise refused(Code.LOCKED_OUT, role="generator", detail=failure) from None

    def _complete(self, code: str, mark: str | None = None) -> Draw:
        """Get the mark, work out the numbers, and make the record durable."""
        keys = self.need_working(FINISHING)
        series = self.state.series[code]
        line = cast("IntentLine", series.intent)
        mark = mark or series.mark or self._ask_mark(code, line)
        intent = line["intent"]["body"]
        self._check_mark(intent, mark)
        digest = document_hash(intent)
        record: DrawRecord = {
            "label": "keno/draw-record",
            "version": 1,
            "jurisdiction": intent["jurisdiction"],
            "house": intent["house"],
            "series": code,
            "game": intent["game"],
            "previous": series.previous,
            "statement": intent["statement"],
            "intent": digest,
            "mark": mark,
            "numbers": list(draw_numbers(digest, mark)),
        }
        sealed = seal(record, keys.signing)
        self.write_drawn(sealed)
        drawn: Draw = {**line, "record": sealed}
        self._last_ended = (code, intent["game"]), {"drawn": drawn}
        return drawn

    # ---- the inspector ---------------------------------------------------------------------------

    def _ask_mark(self, code: str, line: IntentLine) -> str:
        try:
            answer = self._ask("mark", cast("Mapping[str, object]", line))
            return shaped(MarkText, answer.get("mark"))
        except WrongShape as fault:
            raise refused(Code.BAD_ANSWER, detail=fault) from None
        except Refused as refusal:
            self._learn(refusal, code, line["intent"]["body"]["game"])
            raise

    def _post_ready(self, statement: Sealed[LockStatement], its_seal: Seal) -> None:
        """Ask the inspector whether it would mark an intent for this statement."""
        question = {
            "statement": statement,
            "seal": its_seal,
            "last_mark": self.state.last_mark,
            "epoch": self.state.epoch,
            "keys": self.key_ids(),
        }
        try:
            self._inspector.post("ready", question)
        except Unreachable as trouble:
            raise refused(Code.NO_INSPECTOR, detail=trouble) from None

    def _await_ready(self, body: LockStatement) -> None:
        """Wait for the inspector's yes; without it no intent is made."""
        try:
            (answer,) = self._inspector.collect()
        except Unreachable as trouble:
            raise refused(Code.NO_INSPECTOR, detail=trouble) from None
        except Refused as refusal:
            if refusal.code in (Code.NOT_NEXT.code, Code.STALE_INTENT.code):
                # It may have lost what it had: shown the last records again, it finds out.
                self._delivered.clear()
                self._deliver()
            self._learn(refusal, body["series"], body["game"])
            raise
        self._check_epoch(field(answer, "epoch", Count))

    def _check_epoch(self, epoch: int) -> None:
        """Check that the answer comes from the inspector's journal that counts.

        Raises:
            Refused: that journal was replaced by a handover.
        """
        if epoch < self.state.peer_epoch:
            raise refused(Code.BAD_ANSWER, detail="its journal was replaced by a handover")

    def _check_mark(self, intent: Intent, mark: str) -> None:
        try:
            check_mark(rsa_key(self.state.keys["mark"]), canonical(intent), mark)
        except MarkFailed as fault:
            raise refused(Code.BAD_ANSWER, detail=fault) from None

    def _learn(self, refusal: Refused, code: str, game: int) -> None:
        """Take in what the inspector's refusal proves about this journal."""
        evidence = refusal.evidence
        try:
            if refusal.code == Code.VOID.code:
                self._bury(code, shaped(TombstoneLine, evidence))
                raise refused(Code.VOID, game=f"{code}-{game}")
            if refusal.code in (Code.OTHER_INTENT.code, Code.STALE_INTENT.code):
                intent = shaped(Sealed[Intent], evidence.get("intent"))
                mark = shaped(MarkText, evidence.get("mark"))
                check_signatures(intent, [self.state.keys["rng"]])
                self._check_mark(intent["body"], mark)
                if not self.state.knows_mark(mark_hash(mark)):
                    raise self.restored("the inspector holds an intent that is not in this journal")
            if refusal.code == Code.SUPERSEDED.code:
                handover = shaped(Sealed[Handover], evidence.get("handover"))
                check_signatures(handover, [self.state.keys["inspector"]])
                given = handover["body"]
                if given["role"] != "rng" or given["epoch"] <= self.state.epoch:
                    raise refused(Code.BAD_ANSWER, detail="the handover is for another journal")
                self.lock_out("superseded", "this journal was replaced by a handover")
        except (WrongShape, BadSignature) as fault:
            raise refused(Code.BAD_ANSWER, detail=fault) from None

    # ---- voiding ---------------------------------------------------------------------------------

    def void(self, fields: Fields) -> Mapping[str, object]:
        """Give up a game that has no mark, or complete one that has."""
        statement = field(fields, "statement", Sealed[VoidStatement])
        self.need_books()
        body = statement["body"]
        series = self.series_of(body["series"])
        if series.first <= body["game"] < series.next:
            return {"void": self._void_before(statement)}
        self.settle_pending()
        self.check_void(statement)
        self.need_working(VOIDING)
        if self.has_pending_key():
            raise refused(Code.KEY_PENDING)
        self._deliver()
        if series.intent is not None:
            self._complete_instead(body["series"])
        try:
            answer = self._ask("void", {"statement": statement, "epoch": self.state.epoch})
            return {"void": self._bury(body["series"], shaped(TombstoneLine, answer))}
        except WrongShape as fault:
            raise refused(Code.BAD_ANSWER, detail=fault) from None
        except Refused as refusal:
            if refusal.code == Code.MARKED.code:
                raise self._marked(body["series"], refusal) from None
            self._learn(refusal, body["series"], body["game"])
            raise

    def _complete_instead(self, code: str) -> None:
        """Complete a game that has an intent, rather than void it: it may have a mark already.

        The inspector's journal says whether it has, but that journal may have been lost since. A
        game is given up only if the inspector says that it will not mark it.

        Raises:
            Refused: it is completed; or the inspector cannot say.
        """
        name = f"{code}-{self.state.series[code].next}"
        try:
            drawn = self._complete(code)
        except Refused as refusal:
            if refusal.code not in NEVER_MARKED:
                raise
        else:
            raise refused(Code.MARKED, {"drawn": drawn}, game=name)

    def _void_before(self, statement: Sealed[VoidStatement]) -> Void:
        body = statement["body"]
        ended = self._ended(body["series"], body["game"])
        if "drawn" in ended:
            raise refused(Code.DRAWN, ended, game=_name(body))
        void = cast("Void", ended["void"])
        if document_hash(void["statement"]["body"]) != document_hash(body):
            raise refused(Code.VOID, ended, game=_name(body))
        return void

    def _marked(self, code: str, refusal: Refused) -> Exception:
        """Complete a game that the inspector has marked, and return the refusal of its void."""
        series = self.state.series[code]
        name = f"{code}-{series.next}"
        try:
            intent = shaped(Sealed[Intent], refusal.evidence.get("intent"))
            mark = shaped(MarkText, refusal.evidence.get("mark"))
            check_signatures(intent, [self.state.keys["rng"]])
            self._check_mark(intent["body"], mark)
        except (WrongShape, BadSignature) as fault:
            return refused(Code.BAD_ANSWER, detail=fault)
        if (intent["body"]["series"], intent["body"]["game"]) != (code, series.next):
            return refused(Code.BAD_ANSWER, detail="the mark is of another game")
        mine = series.intent and document_hash(series.intent["intent"]["body"])
        if mine != document_hash(intent["body"]):
            return self.restored(f"{name} was marked for an intent that is not in this journal")
        return refused(Code.MARKED, {"drawn": self._complete(code, mark)}, game=name)

    def _bury(self, code: str, line: TombstoneLine) -> Void:
        """Record a game as void, on the inspector's word that it will never mark it."""
        keys = self.need_working(VOIDING)
        series = self.state.series[code]
        statement, stone = line["statement"], line["tombstone"]
        try:
            check_signatures(stone, [self.state.keys["inspector"]])
        except BadSignature as fault:
            raise refused(Code.BAD_ANSWER, detail=fault) from None
        self.check_office(statement)
        body = stone["body"]
        self.check_house(cast("Mapping[str, object]", body))
        said = (body["series"], body["game"], body["statement"])
        if said != (code, series.next, document_hash(statement["body"])):
            raise refused(Code.BAD_ANSWER, detail="the tombstone is of another game")
        asked = statement["body"]
        if (asked["series"], asked["game"], asked["previous"]) != (
            code,
            series.next,
            series.previous,
        ):
            raise refused(Code.BAD_ANSWER, detail="the tombstone rests on another game's statement")
        self._check_epoch(body["journal"]["epoch"])
        record: VoidRecord = {
            "label": "keno/void-record",
            "version": 1,
            "jurisdiction": body["jurisdiction"],
            "house": body["house"],
            "series": code,
            "game": series.next,
            "previous": series.previous,
            "statement": body["statement"],
            "tombstone": document_hash(body),
        }
        void: Void = {**line, "record": seal(record, keys.signing)}
        self.write("VOID", void)
        self._last_ended = (code, record["game"]), {"void": void}
        return void


def _name(body: LockStatement | VoidStatement) -> str:
    return f"{body['series']}-{body['game']}"
