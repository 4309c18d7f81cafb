"""Whether the sold file is sealed: the checkpoint cosigned, and the LOCK entry in it (X-lock-seal).

Used alike by R before its intent, by I before its mark, and by whoever checks a draw afterwards.
"""

from rng.core.records import LockStatement, Seal
from rng.core.signing import ed25519_key
from rng.merkle import ProofFailed, check_inclusion
from rng.note import (
    Checkpoint,
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
        checkpoint = read_checkpoint(note.text)
        check_signature(note, log_origin, ed25519_key(log_key))
        check_cosignature(note, inspector_name(log_origin), ed25519_key(inspector))
    except NoteFailed as fault:
        raise NotCosigned(str(fault)) from None
    if checkpoint.origin != log_origin:
        raise NotCosigned("the checkpoint is of another log")
    return checkpoint


def check_sealed(statement: LockStatement, seal: Seal, log_key: str, inspector: str) -> None:
    """Check that the seal of a statement is the one it names, cosigned, with its LOCK entry in it.

    Raises:
        NotCosigned: the checkpoint is another one or lacks a signature.
        NotIncluded: the path does not lead from the entry to the root.
    """
    cosigned_checkpoint(seal["note"], statement["log_origin"], log_key, inspector)
    check_locked(statement, seal)


def check_locked(statement: LockStatement, seal: Seal) -> None:
    """Check that a cosigned checkpoint is that of a statement, and has its LOCK entry in it.

    Raises:
        NotCosigned: it is another checkpoint.
        NotIncluded: the path does not lead from the entry to the root.
    """
    text = read_note(seal["note"]).text
    if text != statement["checkpoint"]:
        raise NotCosigned("the cosigned checkpoint is not the one of the statement")
    checkpoint = read_checkpoint(text)
    try:
        check_inclusion(
            bytes.fromhex(statement["lock_leaf"]),
            statement["lock_index"],
            checkpoint.size,
            [bytes.fromhex(step) for step in seal["proof"]],
            checkpoint.root,
        )
    except ProofFailed as fault:
        raise NotIncluded(str(fault)) from None
