"""Signed notes, the checkpoints in them, and cosignatures: plain text that anybody can check.

The formats are those of C2SP, which the public transparency logs use:

- c2sp.org/signed-note: a text, an empty line, and signature lines;
- c2sp.org/tlog-checkpoint: the text that states a log's size and root;
- c2sp.org/tlog-cosignature: a witness's signature under a checkpoint, with the time.

Reading is strict, and whatever is written here is read back first: no two texts say the same, and
nothing is signed that a reader would refuse. Of the signature types only the two with Ed25519
(RFC 8032) are known. Signatures of other keys and types are carried along and ignored.
"""

import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NOTE_BYTES_MAX = 64 * 1024
SIGNATURES_MAX = 16  # signed-note, "Format": a reader must take at least so many
SIZE_MAX = 2**64 - 1  # RFC 6962, section 3.5: a tree size is a uint64
TIMESTAMP_MAX = 2**63 - 1  # tlog-cosignature, "Format"

_KEY_HASH_BYTES = 4
_ROOT_BYTES = 32
_TIMESTAMP_BYTES = 8
_DASH = "\u2014"
# signed-note forbids those below U+0020. The others have no place in a text for people either.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SPACE_OR_PLUS = re.compile(r"[\s+]")
_SIZE = re.compile(r"0|[1-9][0-9]{0,19}")


class NoteFailed(Exception):  # noqa: N818  a finding about a note, not an error of ours
    """A note, or a part of one, is malformed or not signed as it should be; one line says why."""


class Algorithm(IntEnum):
    """The signature types known here, by their bytes (signed-note, "Signature types")."""

    ED25519 = 0x01
    COSIGNATURE_V1 = 0x04


@dataclass(frozen=True)
class NoteSignature:
    """One signature line; what the value holds depends on the type of the key."""

    name: str
    key_hash: bytes
    value: bytes


@dataclass(frozen=True)
class Note:
    """A text, with the newline at its end, and the signatures under it, checked or not."""

    text: str
    signatures: tuple[NoteSignature, ...]


@dataclass(frozen=True)
class Checkpoint:
    """What a log states of itself: whose it is, how many entries it has, and their root."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


# ---- notes ---------------------------------------------------------------------------------------


@lru_cache(maxsize=8)  # a checkpoint is read several times in the course of one draw
def read_note(text: str) -> Note:
    """Return the note that a text is; its signatures are not checked yet.

    Raises:
        NoteFailed: The text is not exactly a signed note.
    """
    _check_text(text)
    # The text may have empty lines itself; the last one of all is the border.
    border = text.rfind("\n\n")
    if border < 0:
        raise NoteFailed("no empty line stands before the signatures")
    lines = text[border + 2 :].split("\n")[:-1]
    if not 1 <= len(lines) <= SIGNATURES_MAX:
        raise NoteFailed(f"a note has 1 to {SIGNATURES_MAX} signatures, not {len(lines)}")
    return Note(text[: border + 1], tuple(_read_signature(line) for line in lines))


def write_note(note: Note) -> str:
    """Return a note as text, which `read_note` reads as the same note.

    Raises:
        NoteFailed: No text is this note.
    """
    lines = (
        f"{_DASH} {signature.name} {_base64(signature.key_hash + signature.value)}\n"
        for signature in note.signatures
    )
    text = f"{note.text}\n{''.join(lines)}"
    if read_note(text) != note:
        raise NoteFailed("the note would be read as another one")
    return text


def _read_signature(line: str) -> NoteSignature:
    dash, *parts = line.split(" ")
    if dash != _DASH or len(parts) != 2:
        raise NoteFailed("a signature line is a dash, a name and a signature")
    name, encoded = parts
    _check_name(name)
    raw = _read_base64(encoded)
    if len(raw) <= _KEY_HASH_BYTES:
        raise NoteFailed("a signature has a key hash and a value")
    return NoteSignature(name, raw[:_KEY_HASH_BYTES], raw[_KEY_HASH_BYTES:])


# ---- checkpoints ---------------------------------------------------------------------------------


def read_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint that the text of a note states.

    Raises:
        NoteFailed: The text is not exactly a checkpoint.
    """
    _check_text(text)
    lines = text.split("\n")[:-1]
    if len(lines) < 3 or "" in lines:
        raise NoteFailed("a checkpoint has three lines or more, and none is empty")
    origin, size, root, *extensions = lines
    if not _SIZE.fullmatch(size) or int(size) > SIZE_MAX:
        raise NoteFailed(f"a tree size is a whole number up to {SIZE_MAX}, without leading zeros")
    raw = _read_base64(root)
    if len(raw) != _ROOT_BYTES:
        raise NoteFailed(f"a root has {_ROOT_BYTES} bytes, not {len(raw)}")
    return Checkpoint(origin, int(size), raw, tuple(extensions))


def write_checkpoint(checkpoint: Checkpoint) -> str:
    """Return the text of a note, which `read_checkpoint` reads as the same checkpoint.

    Raises:
        NoteFailed: No text is this checkpoint.
    """
    root = _base64(checkpoint.root)
    lines = (checkpoint.origin, str(checkpoint.size), root, *checkpoint.extensions)
    text = "".join(f"{line}\n" for line in lines)
    if read_checkpoint(text) != checkpoint:
        raise NoteFailed("the checkpoint would be read as another one")
    return text


# ---- keys ----------------------------------------------------------------------------------------


def key_hash(name: str, algorithm_byte: int, public: bytes) -> bytes:
    """Return the four bytes that say which key signed (signed-note, "Signatures").

    They only point to a key, and anyone can make another key with the same four: a signature counts
    when it is checked with the whole key, which the reader has from elsewhere.
    """
    key = name.encode() + b"\n" + bytes([algorithm_byte]) + public
    return sha256(key).digest()[:_KEY_HASH_BYTES]


def verifier_key(name: str, algorithm: Algorithm, public: Ed25519PublicKey) -> str:
    """Return a public key as one word of text (signed-note, "Verifier keys").

    Raises:
        NoteFailed: No key may have this name.
    """
    _check_name(name)
    raw = public.public_bytes_raw()
    encoded = _base64(bytes([algorithm]) + raw)
    return f"{name}+{key_hash(name, algorithm, raw).hex()}+{encoded}"


def read_verifier_key(text: str) -> tuple[str, Algorithm, Ed25519PublicKey]:
    """Return the name, the signature type and the key that `verifier_key` wrote.

    Raises:
        NoteFailed: The text is not exactly such a key.
    """
    name, _, rest = text.partition("+")
    _, _, encoded = rest.partition("+")  # the key itself may have a plus in it
    raw = _read_base64(encoded)
    try:
        algorithm = Algorithm(int.from_bytes(raw[:1]))
        public = Ed25519PublicKey.from_public_bytes(raw[1:])
    except ValueError:
        raise NoteFailed("a verifier key is of no known type") from None
    if verifier_key(name, algorithm, public) != text:
        raise NoteFailed("a verifier key does not have the hash it states")
    return name, algorithm, public


# ---- signatures ----------------------------------------------------------------------------------


def sign_note(text: str, name: str, private: Ed25519PrivateKey) -> NoteSignature:
    """Return the signature of a key under a text (signed-note, "Ed25519 signatures").

    Raises:
        NoteFailed: The text is not the text of a note, or no key may have this name.
    """
    _check_text(text)
    return _signature(name, Algorithm.ED25519, private, private.sign(text.encode()))


def cosign(text: str, name: str, private: Ed25519PrivateKey, timestamp: int) -> NoteSignature:
    """Return a witness's signature under a checkpoint (tlog-cosignature).

    It states that of all the log's checkpoints the witness has seen up to this time, in seconds
    since 1970, this one is the largest, and that each is the beginning of the next.

    Raises:
        NoteFailed: The text is not a checkpoint, no key may have this name, or no time is this.
    """
    read_checkpoint(text)
    _check_timestamp(timestamp)
    value = timestamp.to_bytes(_TIMESTAMP_BYTES) + private.sign(_cosigned(text, timestamp))
    return _signature(name, Algorithm.COSIGNATURE_V1, private, value)


def check_signature(note: Note, name: str, public: Ed25519PublicKey) -> None:
    """Check that a key signed a note.

    Raises:
        NoteFailed: It did not, or a signature that claims to be of this key is wrong.
    """
    for value in _values(note, name, Algorithm.ED25519, public):
        _verify(public, value, note.text.encode(), name)


def check_cosignature(note: Note, name: str, public: Ed25519PublicKey) -> int:
    """Check that a witness cosigned a checkpoint, and return when, in seconds since 1970.

    A witness that cosigned it more than once stands by each time; the latest is returned.

    Raises:
        NoteFailed: It did not, a signature that claims to be of this key is wrong, or the text is
            not a checkpoint.
    """
    read_checkpoint(note.text)
    timestamps = []
    for value in _values(note, name, Algorithm.COSIGNATURE_V1, public):
        timestamp = int.from_bytes(value[:_TIMESTAMP_BYTES])
        _check_timestamp(timestamp)
        _verify(public, value[_TIMESTAMP_BYTES:], _cosigned(note.text, timestamp), name)
        timestamps.append(timestamp)
    return max(timestamps)


def _signature(
    name: str, algorithm: Algorithm, private: Ed25519PrivateKey, value: bytes
) -> NoteSignature:
    _check_name(name)
    public = private.public_key().public_bytes_raw()
    return NoteSignature(name, key_hash(name, algorithm, public), value)


def _values(note: Note, name: str, algorithm: Algorithm, public: Ed25519PublicKey) -> list[bytes]:
    """Return what stands under a note in the name of this key, which is at least one signature.

    All of them are to be checked, not the first that is good: a wrong signature of a known key
    spoils the whole note (signed-note, "Signatures").
    """
    wanted = (name, key_hash(name, algorithm, public.public_bytes_raw()))
    values = [each.value for each in note.signatures if (each.name, each.key_hash) == wanted]
    if not values:
        raise NoteFailed(f"the note is not signed by {name}")
    return values


def _cosigned(text: str, timestamp: int) -> bytes:
    """Return what a cosignature signs (tlog-cosignature, "Ed25519 signed message")."""
    return f"cosignature/v1\ntime {timestamp}\n{text}".encode()


def _verify(public: Ed25519PublicKey, signature: bytes, message: bytes, name: str) -> None:
    try:
        public.verify(signature, message)
    except InvalidSignature:
        raise NoteFailed(f"a signature by {name} is wrong") from None


# ---- the letters ---------------------------------------------------------------------------------


def _check_text(text: str) -> None:
    """Check what is asked of a note and of its text alike."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise NoteFailed("the text cannot be written in UTF-8") from None
    if size > NOTE_BYTES_MAX:
        raise NoteFailed(f"the text has more than {NOTE_BYTES_MAX} bytes")
    if _CONTROLS.search(text):
        raise NoteFailed("the text has a control character")
    if not text.endswith("\n"):
        raise NoteFailed("the text does not end with a newline")


def _check_name(name: str) -> None:
    _check_text(f"{name}\n")
    if not name or _SPACE_OR_PLUS.search(name):
        raise NoteFailed("a name has at least one character, and no space and no plus")


def _check_timestamp(timestamp: int) -> None:
    if not 0 <= timestamp <= TIMESTAMP_MAX:
        raise NoteFailed(f"a time is a number of seconds up to {TIMESTAMP_MAX}")


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


def _read_base64(text: str) -> bytes:
    """Return what stands in base64 (RFC 4648, section 4), if it is just as `_base64` writes it.

    A decoder leaves out spare bits at the end (section 3.5), and so takes several texts for one
    value; a reader for whom the text itself is evidence must not.
    """
    try:
        value = b64decode(text, validate=True)
    except ValueError:
        raise NoteFailed("what should be base64 is not") from None
    if _base64(value) != text:
        raise NoteFailed("what should be base64 has spare bits")
    return value
