"""Every reason for which the two processes say no: one closed list.

A refusal has a stable code, a sentence that a supervisor can read out, and for some the evidence
(a signed document that the asker may not have). Codes never change their meaning. A refusal undoes
nothing that is in a journal: a draw that was begun goes on when it is asked for again. What must
stop the process besides is a lockout, which is recorded.
"""

from collections.abc import Mapping
from enum import Enum


class Code(Enum):
    """The closed list: each member is a code and its sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        self.sentence = sentence

    # The request itself.
    MALFORMED = "request.malformed", "The request is not of its form: {detail}."
    NO_SUCH_ACT = "request.no_such_act", "This process does not do that: {act}."
    WRONG_PEER = "request.wrong_peer", "Only {wanted} may ask for this."

    # The process.
    SEALED = "process.sealed", "The {role} is locked; a holder of its key must unlock it."
    LOCKED_OUT = "process.locked_out", "The {role} is locked out: {detail}."
    FAULT = "process.fault", "The process could not answer, by a fault of ours; see its log."
    FAILED = "process.failed", "The {role} has stopped: {detail}."
    ALREADY_UNLOCKED = "process.already_unlocked", "The {role} is unlocked already."
    WRONG_PASSPHRASE = "passphrase.wrong", "That is not the passphrase of {holder}."
    DAMAGED_KEYS = "keys.damaged", "The key file is not in order: {detail}."
    WAIT = "passphrase.wait", "Too many wrong passphrases; wait {seconds} seconds."

    # Statements of the back office.
    NOT_SIGNED = "statement.not_signed", "The statement is not signed by the back office's key."
    OTHER_HOUSE = "statement.other_house", "The statement is for another house or jurisdiction."
    OTHER_KEYS = (
        "statement.other_keys",
        "The statement names keys that are not in force; if it cannot be drawn the game is voided.",
    )
    CONFLICT = (
        "statement.conflict",
        "Game {game} has another statement already; this one is refused and alarmed.",
    )
    NO_SUCH_SERIES = "series.unknown", "There is no series {series}."
    NO_SUCH_GAME = "game.unknown", "Game {game} is not known here."
    NOT_NEXT = "game.not_next", "Game {game} is not the next game of its series, which is {next}."
    VOID = "game.void", "Game {game} is void."
    MARKED = "game.marked", "Game {game} has a mark and so an outcome; it must be completed."
    DRAWN = "game.drawn", "Game {game} is drawn and cannot be voided."
    NOT_SEALED = "seal.not_cosigned", "The sold file is not sealed: {detail}."
    NOT_INCLUDED = "seal.not_included", "The LOCK entry is not in the sealed log: {detail}."

    # Between the two processes.
    NO_INSPECTOR = "inspector.unreachable", "The inspector's process cannot be reached: {detail}."
    BAD_ANSWER = "inspector.bad_answer", "The inspector's answer is not what it must be: {detail}."
    NOT_RNG = "intent.not_signed", "The intent is not signed by the generator's key."
    OTHER_STATEMENT = "intent.other_statement", "The intent belongs to another statement."
    OTHER_INTENT = (
        "intent.conflict",
        "Game {game} was marked for another intent; this one is refused and alarmed.",
    )
    STALE_INTENT = (
        "intent.stale",
        "The intent does not follow the last mark; the game cannot be drawn with it.",
    )
    SUPERSEDED = "generator.superseded", "The generator's journal was replaced by a handover."
    WRONG_RECORD = "record.wrong", "The record does not follow from its intent and mark: {detail}."

    # The generator's own paper.
    PRINTER = "printer.not_ready", "The generator's printer is not ready: {detail}."

    # The log.
    BAD_CHECKPOINT = "checkpoint.malformed", "The checkpoint cannot be read: {detail}."
    UNSIGNED_CHECKPOINT = "checkpoint.not_signed", "The checkpoint is not signed by the log's key."
    OLD_CHECKPOINT = (
        "checkpoint.stale",
        "The log was cosigned at {size} entries; the proof must start from there.",
    )
    INCONSISTENT = "checkpoint.inconsistent", "The log was changed: {detail}."

    # Acts under both keys.
    KEY_PENDING = (
        "act.key_pending",
        "A new key waits for approval; it must be approved or withdrawn before the next game.",
    )
    OTHER_ACT = "act.other", "That is not what was shown; look again before you approve."
    NOTHING_PENDING = "act.none", "There is nothing to approve."
    OTHER_PENDING = "act.other_pending", "Another act waits for approval: {act}."
    MAYBE_APPROVED = (
        "act.maybe_approved",
        "The generator has seen this proposal and may have approved it; it is declined there.",
    )
    NOT_APPROVED = "act.waiting", "The other key has not approved this yet."
    ACT_REFUSED = "act.refused", "This cannot be approved: {detail}."
    STANDING = (
        "act.standing_differs",
        "The two journals do not agree on what was drawn last; a handover is needed.",
    )


class Refused(Exception):  # noqa: N818  a refusal is an answer, not an error
    """One reason, its sentence filled in, and the evidence for it."""

    def __init__(
        self, code: str, message: str, evidence: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.evidence = dict(evidence or {})

    def document(self) -> dict[str, object]:
        """Return the refusal as it goes over the wire."""
        return {"code": self.code, "message": self.message, "evidence": self.evidence}


def refused(code: Code, evidence: Mapping[str, object] | None = None, **words: object) -> Refused:
    """Return a refusal with its sentence filled in."""
    return Refused(code.code, code.sentence.format(**words), evidence)
