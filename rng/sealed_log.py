"""Whether the sold file is sealed: the checkpoint cosigned, and the LOCK entry in it (X-lock-seal).

Used alike by R before its intent, by I before its mark, and by whoever checks a draw afterwards.
"""

from rng.core.records import LockStatement, Seal
from rng.core.signing import ed25519_key
from rng.merkle import ProofFailed, check_inclusion
from rng.note import (
    Checkpoint,
    Note,
    NoteFailed,
    check_cosignature,
    check_signature,
    read_checkpoint,
    read_note,
)


class NotCosigned(Exception):  # noqa: N818  what was offered is refused
    """The checkpoint is not signed by the log and cosigned by the inspector."""


class NotIncluded(Exception):  # noqa: N818  what was offered is refused
    """The LOCK entry is not shown to be in the log."""


def inspector_name(log_origin: str) -> str:
    """Return the name under which the inspector cosigns a log."""
    return f"{log_origin}/inspector"


def cosigned_checkpoint(text: str, log_origin: str, log_key: str, inspector: str) -> Checkpoint:
    """Return the checkpoint of a note that the log signed and the inspector cosigned.

    Raises:
        NotCosigned: it is not such a note.
    """
    try:
        note = read_note(text)
        check_signature(note, log_origin, ed25519_key(log_key))
    except NoteFailed as fault:
        raise NotCosigned(str(fault)) from None
    return _cosigned(note, log_origin, inspector)


def check_sealed(statement: LockStatement, seal: Seal, log_key: str, inspector: str) -> None:
    """Check that the seal of a statement is its own, signed, cosigned, with its LOCK entry in it.

    Raises:
        NotCosigned: the checkpoint is another one or lacks a signature.
        NotIncluded: the path does not lead from the entry to the root.
    """
    cosigned_checkpoint(seal["note"], statement["log_origin"], log_key, inspector)
    check_witnessed(statement, seal, inspector)


def check_witnessed(statement: LockStatement, seal: Seal, inspector: str) -> Checkpoint:
    """Check a seal for one who has checked the statement's own signature; return its checkpoint.

    The back office vouches for the checkpoint by signing the statement that holds it, so the log's
    signature, which is the back office's as well, says nothing more.

    Raises:
        NotCosigned: the checkpoint is another one or is not cosigned.
        NotIncluded: the path does not lead from the entry to the root.
    """
    try:
        note = read_note(seal["note"])
    except NoteFailed as fault:
        raise NotCosigned(str(fault)) from None
    checkpoint = _cosigned(note, statement["log_origin"], inspector)
    check_locked(statement, seal["proof"], note, checkpoint)
    return checkpoint


def check_locked(
    statement: LockStatement, proof: list[str], note: Note, checkpoint: Checkpoint
) -> None:
    """Check that a cosigned checkpoint is that of a statement, and has its LOCK entry in it.

    Raises:
        NotCosigned: it is another checkpoint.
        NotIncluded: the path does not lead from the entry to the root.
    """
    if note.text != statement["checkpoint"]:
        raise NotCosigned("the cosigned checkpoint is not the one of the statement")
    try:
        check_inclusion(
            bytes.fromhex(statement["lock_leaf"]),
            statement["lock_index"],
            checkpoint.size,
            [bytes.fromhex(step) for step in proof],
            checkpoint.root,
        )
    except ProofFailed as fault:
        raise NotIncluded(str(fault)) from None


def _cosigned(note: Note, log_origin: str, inspector: str) -> Checkpoint:
    try:
        check_cosignature(note, inspector_name(log_origin), ed25519_key(inspector))
        checkpoint = read_checkpoint(note.text)
    except NoteFailed as fault:
        raise NotCosigned(str(fault)) from None
    if checkpoint.origin != log_origin:
        raise NotCosigned("the checkpoint is of another log")
    return checkpoint
