"""Making roots and proofs, by the letter of RFC 6962, section 2.1.

Each function is the definition of the RFC with its own name for it, and nothing is remembered from
one call to the next: slow for a large log, but plainly right, which is what a second opinion on
`rng.merkle` and on the practice log needs.

A log is given as the list of its leaf hashes; `rng.merkle.leaf_hash` makes them.
"""

from collections.abc import Sequence

from rng.merkle import EMPTY_ROOT, node_hash


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the root of a log: MTH(D[n])."""
    if not leaves:
        return EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    k = _split(len(leaves))
    return node_hash(root(leaves[:k]), root(leaves[k:]))


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the proof that the entry at a place is in a log: PATH(m, D[n]) of section 2.1.1.

    Raises:
        ValueError: The log has no such entry.
    """
    if not 0 <= index < len(leaves):
        raise ValueError(f"there is no entry {index} in a log of {len(leaves)}")
    if len(leaves) == 1:
        return ()
    k = _split(len(leaves))
    if index < k:
        return (*inclusion_proof(leaves[:k], index), root(leaves[k:]))
    return (*inclusion_proof(leaves[k:], index - k), root(leaves[:k]))


def consistency_proof(leaves: Sequence[bytes], old_size: int) -> tuple[bytes, ...]:
    """Return the proof that a log began with so many of its entries: PROOF(m, D[n]) of 2.1.2.

    The RFC does not define the proof for a beginning of no entries; it is empty here.

    Raises:
        ValueError: The log never had that size.
    """
    if not 0 <= old_size <= len(leaves):
        raise ValueError(f"a log of {old_size} is not the beginning of a log of {len(leaves)}")
    return _subproof(leaves, old_size, whole=True) if old_size else ()


def _subproof(leaves: Sequence[bytes], old_size: int, *, whole: bool) -> tuple[bytes, ...]:
    """SUBPROOF(m, D[n], b): `whole` says that these old entries are all there were."""
    if old_size == len(leaves):
        return () if whole else (root(leaves),)
    k = _split(len(leaves))
    if old_size <= k:
        return (*_subproof(leaves[:k], old_size, whole=whole), root(leaves[k:]))
    return (*_subproof(leaves[k:], old_size - k, whole=False), root(leaves[:k]))


def _split(size: int) -> int:
    """Return the largest power of two below a size of two or more."""
    return 1 << ((size - 1).bit_length() - 1)
