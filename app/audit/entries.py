"""An entry of the log: a complete body, a salt, and the leaf that the public sees.

The leaf says what kind of thing happened and commits to the body; without the salt nobody can find
out the body by trying (X-audit-log). Bodies and salts go to the regulator; the public has leaves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from json.encoder import encode_basestring

from app.audit.canonical import canonical
from app.audit.tags import Tag
from rng.merkle import leaf_hash

SALT_BYTES = 32
BODY_BYTES_MAX = 60_000  # so that every entry fits into the bundles of a tiled log


@dataclass(frozen=True)
class Entry:
    """An entry as it is stored."""

    tag: Tag
    salt: bytes
    body: str
    leaf: bytes


def make_entry(tag: Tag, body: Mapping[str, object], salt: bytes) -> Entry:
    """Return an entry; a body that is too long is a defect of whoever let it come so far."""
    data = canonical({"label": f"keno/{tag.lower()}", "version": 1, **body})
    if len(data) > BODY_BYTES_MAX:
        raise ValueError("the body of an entry is too long")
    return Entry(tag, salt, data.decode(), leaf_hash(leaf_document(tag, salt, data)))


def leaf_document(tag: str, salt: bytes, body: bytes) -> bytes:
    """Return the public form of an entry, which is what the tree is made over."""
    return committed_leaf(tag, commitment_of(salt, body))


def commitment_of(salt: bytes, body: bytes) -> bytes:
    """Return what a leaf says of a body: from it nobody can find the body by trying."""
    return sha256(salt + body).digest()


def committed_leaf(tag: str, commitment: bytes) -> bytes:
    """Return the public form of an entry whose body is elsewhere, from what is known of it.

    In canonical form, written out: every leaf of a year is made again by whoever checks the log.
    """
    body, named = commitment.hex(), encode_basestring(tag)
    return f'{{"body":"{body}","label":"keno/log-leaf","tag":{named},"version":1}}'.encode()
