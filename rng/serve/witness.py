"""The inspector as a witness of the log: it cosigns what only grew (X-audit-log).

Write order: COSIGNED, durable, then the answer. *Crash: asked again, the same cosignature.*
"""

from collections.abc import Mapping

from rng.core.records import Count, Hash, NoteText
from rng.core.signing import ed25519_key
from rng.merkle import ProofFailed, check_consistency
from rng.note import (
    Checkpoint,
    Note,
    NoteFailed,
    check_signature,
    cosign,
    read_checkpoint,
    read_note,
    write_note,
)
from rng.sealed_log import NotCosigned, cosigned_checkpoint, inspector_name
from rng.serve.approver import Approver
from rng.serve.keyed import FINISHING, Fields, field
from rng.serve.refusals import Code, refused


class Witness(Approver):
    """A process that cosigns the checkpoints of one log."""

    def status(self, fields: Fields) -> Mapping[str, object]:
        """Return how things stand, with the last checkpoint that was cosigned.

        A back office that was restored learns from it what it lacks (X-recovery).
        """
        common = super().status(fields)
        return {**common, "checkpoint": self.state.checkpoint} if "series" in common else common

    def cosign(self, fields: Fields) -> Mapping[str, object]:
        """Cosign a checkpoint of the log that only grew since the last one (X-audit-log)."""
        text = field(fields, "note", NoteText)
        keys = self.need_working(FINISHING)
        note, checkpoint = self._signed_checkpoint(text)
        self._check_not_restored(fields)
        seen = self._seen()
        if seen == checkpoint and self._is_own(self.state.checkpoint):
            return {"note": self.state.checkpoint}
        self._check_growth(fields, seen, note, checkpoint)
        name = inspector_name(self.state.house["log_origin"])
        signature = cosign(note.text, name, keys.signing, int(self.clock().timestamp()))
        cosigned = write_note(Note(note.text, (*note.signatures, signature)))
        self.write("COSIGNED", {"note": cosigned})
        return {"note": cosigned}

    def _signed_checkpoint(self, text: str) -> tuple[Note, Checkpoint]:
        origin = self.state.house["log_origin"]
        try:
            note = read_note(text)
            checkpoint = read_checkpoint(note.text)
        except NoteFailed as fault:
            raise refused(Code.BAD_CHECKPOINT, detail=fault) from None
        try:
            check_signature(note, origin, ed25519_key(self.state.keys["log"]))
        except NoteFailed:
            raise refused(Code.UNSIGNED_CHECKPOINT) from None
        if checkpoint.origin != origin:
            raise refused(Code.BAD_CHECKPOINT, detail="it is of another log")
        return note, checkpoint

    def _check_not_restored(self, fields: Fields) -> None:
        """Lock out if the back office holds a cosignature of ours that is not in this journal.

        A journal that began with a handover may not know the last ones of the journal before it.
        """
        shown = fields.get("cosigned")
        if shown in (None, self.state.checkpoint):
            return
        if self.state.epoch > 1 and not self.state.has_cosigned:
            return
        try:
            checkpoint = self._own_checkpoint(field(fields, "cosigned", NoteText))
        except NotCosigned:
            return  # of a key that was replaced, or of nobody's: it shows nothing
        seen = self._seen()
        if seen is None or checkpoint.size > seen.size:
            raise self.restored("a checkpoint was cosigned that is not in this journal")

    def _check_growth(
        self, fields: Fields, seen: Checkpoint | None, note: Note, checkpoint: Checkpoint
    ) -> None:
        size = seen.size if seen else 0
        if field(fields, "old_size", Count) != size or checkpoint.size < size:
            raise refused(Code.OLD_CHECKPOINT, {"size": size}, size=size)
        if seen is None:
            return
        proof = [bytes.fromhex(step) for step in field(fields, "proof", list[Hash])]
        try:
            check_consistency(size, seen.root, checkpoint.size, checkpoint.root, proof)
        except ProofFailed as fault:
            self.alarm(Code.INCONSISTENT, "a checkpoint does not continue the log", note.text)
            raise refused(Code.INCONSISTENT, detail=fault) from None

    def _seen(self) -> Checkpoint | None:
        """Return the last checkpoint that was cosigned.

        Of a log under another name, at first, what was left of it: its first head must continue it.
        """
        if self.state.checkpoint is None:
            return self.state.kept
        return read_checkpoint(read_note(self.state.checkpoint).text)

    def _is_own(self, text: str | None) -> bool:
        """Whether a note has the cosignature of the key that is in force."""
        try:
            self._own_checkpoint(text or "")
        except NotCosigned:
            return False
        return True

    def _own_checkpoint(self, text: str) -> Checkpoint:
        keys = self.state.keys
        origin = self.state.house["log_origin"]
        return cosigned_checkpoint(text, origin, keys["log"], keys["inspector"])
