"""A Merkle log in memory, for practice and for tests: what the back office keeps in its database.

Complete subtrees are kept, so that adding, rooting and proving take a number of hashes that grows
with the logarithm of the size.
"""

from rng.merkle import EMPTY_ROOT, node_hash


class PracticeLog:
    """Leaf hashes, and the tree of RFC 6962 over them."""

    def __init__(self) -> None:
        self._levels: list[list[bytes]] = [[]]

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return len(self._levels[0])

    def append(self, leaf: bytes) -> int:
        """Add a leaf hash and return its index."""
        index = self.size
        self._levels[0].append(leaf)
        level = 0
        while len(self._levels[level]) % 2 == 0:
            if len(self._levels) == level + 1:
                self._levels.append([])
            self._levels[level + 1].append(node_hash(*self._levels[level][-2:]))
            level += 1
        return index

    def root(self, size: int) -> bytes:
        """Return the root of the tree over the first leaves."""
        return self._range(0, size) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the path from a leaf to the root (RFC 6962, 2.1.1)."""
        return self._path(index, 0, size)

    def consistency(self, old_size: int, size: int) -> list[bytes]:
        """Return the proof that the tree only grew (RFC 6962, 2.1.2)."""
        if old_size in (0, size):
            return []
        return self._subproof(old_size, 0, size, whole=True)

    def _range(self, start: int, size: int) -> bytes:
        """Return the root over a range that begins where a subtree of its size can."""
        if size & (size - 1) == 0:
            level = size.bit_length() - 1
            return self._levels[level][start >> level]
        split = _split(size)
        return node_hash(self._range(start, split), self._range(start + split, size - split))

    def _path(self, index: int, start: int, size: int) -> list[bytes]:
        if size == 1:
            return []
        split = _split(size)
        if index < split:
            return [*self._path(index, start, split), self._range(start + split, size - split)]
        rest = self._path(index - split, start + split, size - split)
        return [*rest, self._range(start, split)]

    def _subproof(self, old: int, start: int, size: int, *, whole: bool) -> list[bytes]:
        if old == size:
            return [] if whole else [self._range(start, size)]
        split = _split(size)
        if old <= split:
            rest = self._subproof(old, start, split, whole=whole)
            return [*rest, self._range(start + split, size - split)]
        rest = self._subproof(old - split, start + split, size - split, whole=False)
        return [*rest, self._range(start, split)]


def _split(size: int) -> int:
    """Return the largest power of two below a size."""
    return 1 << ((size - 1).bit_length() - 1)
