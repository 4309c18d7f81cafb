"""Heads of the log as signed notes (C2SP signed-note, tlog-checkpoint)."""

from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.note import (
    Checkpoint,
    Note,
    read_checkpoint,
    read_note,
    sign_note,
    write_checkpoint,
    write_note,
)

SHORT_DIGITS = 20  # 80 bits


def signed_head(origin: str, size: int, root: bytes, key: Ed25519PrivateKey) -> str:
    """Return the head of the log as a note that its key signed."""
    text = write_checkpoint(Checkpoint(origin, size, root))
    return write_note(Note(text, (sign_note(text, origin, key),)))


def checkpoint_of(note: str) -> Checkpoint:
    """Return the checkpoint that a note states; its signatures are not checked here."""
    return read_checkpoint(read_note(note).text)


def short_seal(note: str) -> str:
    """Return the short form of a seal, as it stands on the board and on tickets."""
    digits = sha256(read_note(note).text.encode()).hexdigest()[:SHORT_DIGITS]
    return " ".join(digits[place : place + 4] for place in range(0, SHORT_DIGITS, 4))
