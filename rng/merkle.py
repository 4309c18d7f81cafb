"""Checking the proofs of an append-only log: RFC 6962 hashes, RFC 9162 checks.

A log is a list of entries, and its root is one hash over all of them (RFC 6962, section 2.1).
Two short proofs make the root worth signing: that an entry is in the log (inclusion), and that an
older log is the beginning of a newer one, with nothing changed or taken out (consistency). This
module checks such proofs and makes none, so that whoever checks needs only what stands here.

A proof does not prove the sizes it is checked with: trees of several sizes may ask for the same
hashes in the same order. So a size and its root belong together, and are taken from a checkpoint
whose signature was checked (`rng.note`).
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from hashlib import sha256

HASH_BYTES = 32

# RFC 6962, section 2.1: leaves and nodes are hashed behind different bytes, or else the two hashes
# inside a node could be passed off as an entry of the log.
_LEAF = b"\x00"
_NODE = b"\x01"

EMPTY_ROOT = sha256().digest()
"""The root of a log without entries (RFC 6962, section 2.1)."""


class ProofFailed(Exception):  # noqa: N818  a finding about a proof, not an error of ours
    """A proof does not show what it should; the one line of text says why."""


class _Side(Enum):
    """Where the sibling of a node stands."""

    LEFT = "left"
    RIGHT = "right"


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of one entry of the log."""
    return sha256(_LEAF + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node above two others."""
    return sha256(_NODE + left + right).digest()


def check_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check that an entry is in a log (RFC 9162, section 2.1.3.2).

    Args:
        leaf: The leaf hash of the entry. Make it from the entry with `leaf_hash`; one that
            somebody else sends says nothing about an entry.
        index: The place of the entry, counted from 0.
        size: The number of entries in the log.
        proof: The siblings on the way from the leaf to the root, the lowest first.
        root: The root of the log.

    Raises:
        ProofFailed: The proof is not exactly this, or leads to another root.
    """
    if not 0 <= index < size:
        raise ProofFailed(f"there is no entry {index} in a log of {size}")
    _check_hashes(leaf, root, *proof)
    sides = tuple(_sides(index, size - 1))
    _check_length(proof, len(sides))
    found = leaf
    for side, sibling in zip(sides, proof, strict=True):
        found = node_hash(sibling, found) if side is _Side.LEFT else node_hash(found, sibling)
    if found != root:
        raise ProofFailed("the entry does not lead to the root")


def check_consistency(
    old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Check that a log is the beginning of a newer one (RFC 9162, section 2.1.4.2).

    Args:
        old_size: The number of entries in the older log.
        old_root: The root of the older log.
        new_size: The number of entries in the newer log.
        new_root: The root of the newer log.
        proof: The hashes from which both roots follow, in the order of the RFC; none where the
            older log is empty or both have one size.

    Raises:
        ProofFailed: The proof is not exactly this, or leads to other roots.
    """
    if not 0 <= old_size <= new_size:
        raise ProofFailed(f"a log of {old_size} is not the beginning of a log of {new_size}")
    _check_hashes(old_root, new_root, *proof)
    if old_size in (0, new_size):
        _check_length(proof, 0)
        _check_without_proof(old_size, old_root, new_size, new_root)
        return

    # The last complete subtree of the older log is a node of both trees: the way up from there
    # meets every hash that either root is made of. Its place is the last leaf's, moved up for as
    # long as it is a right child.
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    sides = tuple(_sides(place, last))

    # Where that subtree is the whole older log its hash is the old root, and a proof leaves it out.
    whole = place == 0
    _check_length(proof, len(sides) + (not whole))
    start, *siblings = (old_root, *proof) if whole else proof
    old_found = new_found = start
    for side, sibling in zip(sides, siblings, strict=True):
        if side is _Side.LEFT:
            old_found = node_hash(sibling, old_found)
            new_found = node_hash(sibling, new_found)
        else:  # what stands to the right came later, and is no part of the older log
            new_found = node_hash(new_found, sibling)
    if old_found != old_root:
        raise ProofFailed("the proof does not lead to the old root")
    if new_found != new_root:
        raise ProofFailed("the proof does not lead to the new root")


def _check_without_proof(old_size: int, old_root: bytes, new_size: int, new_root: bytes) -> None:
    """Check the roots where the sizes alone say what they must be."""
    if old_size == 0 and old_root != EMPTY_ROOT:
        raise ProofFailed("a log without entries has another root")
    if old_size == new_size and old_root != new_root:
        raise ProofFailed("two logs of one size have different roots")


def _sides(place: int, last: int) -> Iterator[_Side]:
    """Say where each sibling stands on the way from a node to the root.

    Args:
        place: The place of the node in its row, counted from 0.
        last: The place of the last node in that row.
    """
    while last:
        if place & 1:
            yield _Side.LEFT
        elif place < last:
            yield _Side.RIGHT
        # Otherwise the row ends with this node: it has no sibling and stands for its parent.
        place, last = place >> 1, last >> 1


def _check_hashes(*hashes: bytes) -> None:
    if any(len(value) != HASH_BYTES for value in hashes):
        raise ProofFailed(f"a hash has {HASH_BYTES} bytes")


def _check_length(proof: Sequence[bytes], needed: int) -> None:
    if len(proof) != needed:
        raise ProofFailed(f"the proof has {len(proof)} hashes, where {needed} are needed")
