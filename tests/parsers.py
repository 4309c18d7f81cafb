"""Helpers of `test_parsers` that other tests use too."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.audit.checkpoints import checkpoint_of, signed_head
from app.audit.entries import leaf_document
from app.audit.entry_copies import NotACopy, read_entries
from app.audit.verifier import Wrong as NotVerified
from app.audit.verifier import read_published
from app.flow.codes import DIGITS
from app.flow.refusals import has_code
from app.keno.card_file import read_card_and_faults
from app.keno.conditioning_text import parse
from app.keno.documents import read_json
from app.keno.numbering import read_number
from app.keno.refusals import Refused
from app.keno.spoken import read_line, read_tender
from app.web.check import NUMBER_DIGITS, typed
from app.web.finding import looked_for
from printers.reader import Garbage, Reader
from rng.core.canonical import NotCanonical, canonical, read_canonical
from rng.core.records import (
    Cosigned,
    DrawRecord,
    Genesis,
    Handover,
    IntentLine,
    Line,
    Lockout,
    MarkLine,
    Sealed,
    TombstoneLine,
    Void,
)
from rng.core.shapes import WrongShape, shaped
from rng.lab.verify import Wrong, verify_draw
from rng.merkle import leaf_hash
from rng.note import Algorithm, NoteFailed, read_note, read_verifier_key, verifier_key
from rng.serve.journal import FIRST_PREVIOUS, Damaged, Disk, Journal, journal_line
from tests.keno.cards import FILE

EXAMPLE = json.loads((Path(__file__).parent / "rng/vectors/worked_example.json").read_text())

DRAW, KEYS = EXAMPLE["draw"], EXAMPLE["keys"]

FORMS = (
    Line,
    Sealed[Genesis],
    IntentLine,
    MarkLine,
    Sealed[DrawRecord],
    Void,
    TombstoneLine,
    Cosigned,
    Lockout,
    Sealed[Handover],
)

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  nobody else's file

SLIPS = Path(__file__).parent / "printers" / "golden"

Reading = Callable[[bytes], object]


def text(read: Callable[[str], object], data: bytes) -> object:
    """Have a reader of text read bytes, as they come over the line."""
    return read(data.decode("utf-8", "surrogateescape"))


def head() -> bytes:
    return signed_head("keno.example/test", 42, b"\1" * 32, Ed25519PrivateKey.generate()).encode()


def public_key() -> bytes:
    public = Ed25519PrivateKey.generate().public_key()
    return verifier_key("keno.example/test", Algorithm.ED25519, public).encode()


def entry() -> bytes:
    body = json.dumps({"a": [1, "x", None]})
    leaf = leaf_hash(leaf_document("TICKET", b"\1" * 32, body.encode()))
    fields = {"position": 7, "leaf": leaf.hex(), "tag": "TICKET", "salt": "01" * 32, "body": body}
    return json.dumps(fields).encode()


def slip() -> bytes:
    return next(iter(sorted(SLIPS.glob("ticket-*.bin")))).read_bytes()[:600]


def scanned(data: str) -> object:
    """Read what a scanner sent, wherever it was pointed: at /check, a search, a reason."""
    return typed(data, ""), looked_for(data), has_code(data)


def journal() -> bytes:
    """Two lines, of which the second follows the first."""
    lines, previous = [], FIRST_PREVIOUS
    for index, document in enumerate(({"a": [1, None]}, {"b": "x"})):
        line = journal_line(index, previous, "START", document, "2026-11-16T17:00:00.000Z")
        lines.append(canonical(line))
        previous = sha256(lines[-1]).hexdigest()
    return b"".join(line + b"\n" for line in lines)


def opened(data: bytes) -> object:
    """Open a journal as a keyed process does when it starts."""
    with NamedTemporaryFile(dir=MEMORY) as file:
        file.write(data)
        file.flush()
        read = Journal(Path(file.name), Disk())
        try:
            return list(read.entries())
        finally:
            read.close()


def shaped_as_any(data: bytes) -> object:
    """Read a document as that of a line of every kind, as a journal is checked."""
    document = read_canonical(data)
    for form in FORMS:
        with suppress(WrongShape):
            shaped(form, document)
    return document


def keys() -> bytes:
    return json.dumps({"log_origin": "keno.example/test", "log": "00" * 44}).encode()


READERS: dict[str, tuple[Callable[[], bytes], Reading, tuple[type[Exception], ...]]] = {
    "json": (lambda: b'{"groups": [[1, 2]], "games": 2}', read_json, (Refused,)),
    "conditioning": (lambda: b"2/2 1/4 @ 1.00, A+B @ .50", partial(text, parse), ()),
    "spoken": (lambda: b"1 2 3 / 4 5 K7 2/3 @1 x5 $2 qp4", partial(text, read_line), (Refused,)),
    "tender": (lambda: b"20 chips:5 coupon:AB-1=1.50", partial(text, read_tender), (Refused,)),
    "number": (lambda: b"123456-7", partial(text, read_number), ()),
    "scan": (f"{7:0{NUMBER_DIGITS}}{'1' * DIGITS}".encode, partial(text, scanned), ()),
    "rate card": (FILE.read_bytes, read_card_and_faults, (Refused,)),
    "checkpoint": (head, partial(text, checkpoint_of), (NoteFailed,)),
    "note": (head, partial(text, read_note), (NoteFailed,)),
    "key": (public_key, partial(text, read_verifier_key), (NoteFailed,)),
    "entry": (entry, lambda data: list(read_entries([data])), (NotACopy,)),
    "journal line": (
        lambda: b'{"at":"2026-11-16T17:00:00Z","kind":"MARK","n":3,"x":[1,2]}',
        read_canonical,
        (NotCanonical,),
    ),
    "journal": (journal, opened, (Damaged,)),
    "journal document": (lambda: canonical(DRAW), shaped_as_any, (NotCanonical,)),
    "draw": (
        lambda: canonical(DRAW),
        lambda data: verify_draw(read_canonical(data), KEYS),
        (Wrong, NotCanonical),
    ),
    "paper": (slip, lambda data: list(Reader().read(data)), (Garbage,)),
    "published keys": (keys, read_published, (NotVerified,)),
}
