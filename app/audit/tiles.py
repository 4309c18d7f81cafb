"""The tree over the leaves of the log, kept in tiles of 256 (C2SP tlog-tiles).

Level 0 are the leaf hashes; a hash of level n is the root over a full tile of level n - 1. Only
these are stored: what lies between is worked out from the tile, so that the cost of growing follows
the number of new entries, and any proof needs a few tiles.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from rng.lab import proofs
from rng.merkle import node_hash

TILE = 256
HEIGHT = 8


class Hashes(Protocol):
    """Where stored hashes are read: a run of one level."""

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        """Return so many hashes of a level, from a place on."""


class Tree:
    """The tree over stored hashes."""

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        self._tiles: dict[tuple[int, int, int], list[bytes]] = {}

    def root(self, size: int) -> bytes:
        """Return the root over the first leaves."""
        return proofs.root(size, self._subtree)

    def frontier(self, size: int) -> Iterator[bytes]:
        """Yield the roots of the full subtrees over the first leaves, the largest first."""
        start = 0
        for height in reversed(range(size.bit_length())):
            if size >> height & 1:
                yield self._subtree(height, start >> height)
                start += 1 << height

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the path from a leaf to the root."""
        return proofs.inclusion(index, size, self._subtree)

    def consistency(self, old_size: int, size: int) -> list[bytes]:
        """Return the proof that the log only grew."""
        return proofs.consistency(old_size, size, self._subtree)

    def _subtree(self, height: int, place: int) -> bytes:
        level, within = divmod(height, HEIGHT)
        count = 1 << within
        return folded(self._run(level, place * count, count))

    def _run(self, level: int, start: int, count: int) -> list[bytes]:
        """Return a run, which lies in one tile; a tile is read once."""
        key = (level, start, count)
        if key not in self._tiles:
            self._tiles[key] = self._hashes.run(level, start, count)
        return self._tiles[key]


def full_tiles(
    hashes: Hashes, size: int, leaves: Sequence[bytes]
) -> Iterator[tuple[int, int, bytes]]:
    """Yield level, place and hash of every tile that new leaves fill, the lowest level first.

    Args:
        hashes: what is stored of the first `size` leaves.
        size: how many leaves there were before.
        leaves: the leaf hashes that come after them.
    """
    level, start, fresh = 0, size, list(leaves)
    while fresh:
        tile, offset = divmod(start, TILE)
        run = hashes.run(level, tile * TILE, offset) + fresh
        fresh = [folded(run[first : first + TILE]) for first in range(0, len(run) - TILE + 1, TILE)]
        level, start = level + 1, tile
        for number, root in enumerate(fresh):
            yield level, tile + number, root


def folded(hashes: Sequence[bytes]) -> bytes:
    """Return the root over a full row of hashes, whose number is a power of two."""
    row = list(hashes)
    while len(row) > 1:
        row = [node_hash(row[place], row[place + 1]) for place in range(0, len(row), 2)]
    return row[0]
