"""A Merkle log in memory, for practice and for tests: what the back office keeps in its database.

The hashes of all full subtrees are kept, so that adding, rooting and proving take a number of
hashes that grows with the logarithm of the size.
"""

from rng.lab import proofs
from rng.merkle import node_hash


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
        return proofs.root(size, self._subtree)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the path from a leaf to the root."""
        return proofs.inclusion(index, size, self._subtree)

    def consistency(self, old_size: int, size: int) -> list[bytes]:
        """Return the proof that the tree only grew."""
        return proofs.consistency(old_size, size, self._subtree)

    def _subtree(self, height: int, place: int) -> bytes:
        return self._levels[height][place]
