"""Checking a draw from public keys alone (X-draw-public).

Written from the format page and not from the processes: it shares with them only `rng.core`, the
proofs and the notes. It stops at the first thing that is wrong and says what, in one line.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import TypeVar, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from rng.core.canonical import NotCanonical, canonical
from rng.core.derive import draw_numbers
from rng.core.mark import MarkFailed, check_mark
from rng.core.records import Draw, DrawRecord, LockStatement, Seal, Sealed, Void, VoidRecord
from rng.core.shapes import WrongShape, shaped
from rng.core.signing import (
    BadSignature,
    check_signatures,
    document_hash,
    key_id,
    public_text,
    rsa_key,
)
from rng.merkle import ProofFailed
from rng.note import NoteFailed
from rng.sealed_log import NotCosigned, NotIncluded, check_sealed

T = TypeVar("T")


class Wrong(Exception):  # noqa: N818  a finding
    """What is wrong, in one line."""


# What a check can find, each with its own words for it.
WRONG = (
    BadSignature, MarkFailed, NotCanonical, NotCosigned, NotIncluded, NoteFailed, ProofFailed,
    WrongShape,
)  # fmt: skip


@contextmanager
def found_in(where: str) -> Iterator[None]:
    """Turn whatever a check finds into one line that says where."""
    try:
        yield
    except (Wrong, *WRONG) as found:
        raise Wrong(f"{where}: {found}") from None


# ---- public keys ---------------------------------------------------------------------------------


def read_keys(folder: Path) -> dict[str, str]:
    """Return the public keys of a folder by their file names: `rng.pem`, `mark.pem`, and so on.

    Raises:
        Wrong: the folder has none, or a file in it is no public key.
    """
    keys: dict[str, str] = {}
    for path in sorted(folder.glob("*.pem")):
        if path.name.endswith(".tls.pem"):
            continue
        try:
            public = load_pem_public_key(path.read_bytes())
        except ValueError:
            raise Wrong(f"{path.name} is no public key") from None
        if not isinstance(public, Ed25519PublicKey | RSAPublicKey):
            raise Wrong(f"{path.name} is neither an Ed25519 nor an RSA key")
        keys[path.stem] = public_text(public)
    if not keys:
        raise Wrong(f"there are no public keys in {folder}")
    return keys


# ---- one game ------------------------------------------------------------------------------------


def verify_draw(document: object, keys: Mapping[str, str]) -> DrawRecord:
    """Check a published draw by itself, and return its record.

    Args:
        document: the draw: statement, seal, intent and record.
        keys: public keys under any name; which one has to have signed, the statement says.

    Raises:
        Wrong: something in it does not follow.
    """
    with found_in("the draw"):
        draw = shaped(Draw, document)
        said = draw["statement"]["body"]
        office = _named(keys, "office", said["office_key"])
        rng = _named(keys, "rng", said["rng_key"])
        mark = _named(keys, "mark", said["mark_key"])
        check_signatures(draw["statement"], [office])
        check_signatures(draw["intent"], [rng])
        # After a handover the key of the record may be newer than that of the intent.
        signer = draw["record"]["signatures"][0]["key"]
        check_signatures(draw["record"], [_named(keys, "rng", signer)])
        logs, inspectors = of_role(keys, "log"), of_role(keys, "inspector")
        _check_sealed_by_one(said, draw["seal"], logs, inspectors)
        check_outcome(draw, mark)
    return draw["record"]["body"]


def verify_void(document: object, keys: Mapping[str, str]) -> VoidRecord:
    """Check a published void by itself, and return its record.

    Raises:
        Wrong: something in it does not follow.
    """
    with found_in("the void"):
        void = shaped(Void, document)
        office = _named(keys, "office", void["statement"]["body"]["office_key"])
        check_signatures(void["statement"], [office])
        inspector = void["tombstone"]["signatures"][0]["key"]
        check_signatures(void["tombstone"], [_named(keys, "inspector", inspector)])
        signer = void["record"]["signatures"][0]["key"]
        check_signatures(void["record"], [_named(keys, "rng", signer)])
        check_void(void)
    return void["record"]["body"]


def check_void(void: Void) -> None:
    """Check that statement, tombstone and record of a void are of one game and name each other.

    Raises:
        Wrong: they do not.
    """
    said, stone = void["statement"]["body"], void["tombstone"]["body"]
    record = void["record"]["body"]
    if not which_game(said) == which_game(stone) == which_game(record):
        raise Wrong("statement, tombstone and record are not of the same game")
    if not document_hash(said) == stone["statement"] == record["statement"]:
        raise Wrong("the tombstone or the record is of another statement")
    if record["tombstone"] != document_hash(stone):
        raise Wrong("the record names another tombstone")
    if record["previous"] != said["previous"]:
        raise Wrong("the record follows another record than its statement does")


def verify_against_statement(document: object, statement: object, keys: Mapping[str, str]) -> None:
    """Check that a draw is sound, and is the draw of just this lock statement.

    Raises:
        Wrong: it is not.
    """
    record = verify_draw(document, keys)
    with found_in("the statement"):
        given = shaped(Sealed[LockStatement], statement)
        if document_hash(given["body"]) != record["statement"]:
            raise Wrong("the draw was made for another statement")


def check_outcome(draw: Draw, mark_key: str) -> None:
    """Check that the record follows from statement, intent and mark, number by number.

    Raises:
        Wrong: it does not.
        MarkFailed: the mark is not that of the intent.
    """
    said, intent, record = draw["statement"]["body"], draw["intent"]["body"], draw["record"]["body"]
    if not which_game(said) == which_game(intent) == which_game(record):
        raise Wrong("statement, intent and record are not of the same game")
    if not document_hash(said) == intent["statement"] == record["statement"]:
        raise Wrong("the intent or the record is of another statement")
    if record["previous"] != said["previous"]:
        raise Wrong("the record follows another record than its statement does")
    digest = document_hash(intent)
    if record["intent"] != digest:
        raise Wrong("the record is of another intent")
    check_mark(rsa_key(mark_key), canonical(intent), record["mark"])
    if list(draw_numbers(digest, record["mark"])) != record["numbers"]:
        raise Wrong("the numbers do not follow from intent and mark")


def which_game(body: object) -> tuple[object, ...]:
    """Return which game of which house a document is about."""
    fields = cast("Mapping[str, object]", body)
    return tuple(fields[name] for name in ("jurisdiction", "house", "series", "game"))


def _named(keys: Mapping[str, str], role: str, digest: str) -> str:
    """Return the key of a role by its id: a key of another role will not do."""
    for public in of_role(keys, role):
        if key_id(public) == digest:
            return public
    raise Wrong(f"the {role} key {digest[:16]} is not among the public keys")


def _check_sealed_by_one(
    said: LockStatement, seal: Seal, logs: list[str], inspectors: list[str]
) -> None:
    """Check the seal with whichever keys of log and inspector were in force."""
    reason = "there is no public key of the log or of the inspector"
    for log, inspector in product(logs, inspectors):
        try:
            check_sealed(said, seal, log, inspector)
        except NotCosigned as fault:
            reason = str(fault)
        else:
            return
    raise NotCosigned(reason)


def of_role(keys: Mapping[str, str], role: str) -> list[str]:
    """Return the keys of a role: `rng`, and those that followed it, `rng-2` and so on."""
    return [public for name, public in keys.items() if name.split("-")[0] == role]
