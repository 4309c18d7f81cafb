"""Making roots and proofs of an append-only log (RFC 6962, section 2.1), from its full subtrees.

Whoever keeps a log keeps the hashes of its full subtrees somehow; here is what follows from them.
A full subtree of height h at place p covers the leaves from p * 2^h on, 2^h of them.
"""

from collections.abc import Callable

from rng.merkle import EMPTY_ROOT, node_hash

Subtree = Callable[[int, int], bytes]
"""From height and place to the hash of a full subtree."""


def root(size: int, subtree: Subtree) -> bytes:
    """Return the root over the first leaves."""
    return _range(0, size, subtree) if size else EMPTY_ROOT


def inclusion(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the path from a leaf to the root (RFC 6962, 2.1.1)."""
    return _path(index, 0, size, subtree)


def consistency(old_size: int, size: int, subtree: Subtree) -> list[bytes]:
    """Return the proof that the log only grew (RFC 6962, 2.1.2)."""
    if old_size in (0, size):
        return []
    return _subproof(old_size, 0, size, subtree, whole=True)


def _range(start: int, size: int, subtree: Subtree) -> bytes:
    """Return the root over a range that begins where a subtree of its size can."""
    if size & (size - 1) == 0:
        height = size.bit_length() - 1
        return subtree(height, start >> height)
    split = _split(size)
    left = _range(start, split, subtree)
    return node_hash(left, _range(start + split, size - split, subtree))


def _path(index: int, start: int, size: int, subtree: Subtree) -> list[bytes]:
    if size == 1:
        return []
    split = _split(size)
    if index < split:
        right = _range(start + split, size - split, subtree)
        return [*_path(index, start, split, subtree), right]
    rest = _path(index - split, start + split, size - split, subtree)
    return [*rest, _range(start, split, subtree)]


def _subproof(old: int, start: int, size: int, subtree: Subtree, *, whole: bool) -> list[bytes]:
    if old == size:
        return [] if whole else [_range(start, size, subtree)]
    split = _split(size)
    if old <= split:
        rest = _subproof(old, start, split, subtree, whole=whole)
        return [*rest, _range(start + split, size - split, subtree)]
    rest = _subproof(old - split, start + split, size - split, subtree, whole=False)
    return [*rest, _range(start, split, subtree)]


def _split(size: int) -> int:
    """Return the largest power of two below a size."""
    return 1 << ((size - 1).bit_length() - 1)
