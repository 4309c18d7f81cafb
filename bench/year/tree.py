"""The end of the log's tree, in memory: enough to seal the next entries and to prove it."""

from collections.abc import Sequence

from app.audit.tiles import HEIGHT, TILE, Tree, folded, full_tiles
from app.store.queries.log import StoredHashes


class TreeEnd:
    """The tree as `app.audit.tiles` reads it: the roots of all tiles, and the newest leaves."""

    def __init__(self) -> None:
        self.size = 0
        self._first = 0  # place of the first leaf that is kept
        self._levels: list[list[bytes]] = [[]]

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        """Return so many hashes of a level, from a place on."""
        if level >= len(self._levels):
            return []
        place = start - (self._first if level == 0 else 0)
        if place < 0:
            raise LookupError("a leaf that is no longer kept")
        return self._levels[level][place : place + count]

    def grow(self, leaves: Sequence[bytes]) -> list[tuple[int, int, bytes]]:
        """Add leaves; return level, place and hash of every tile that they fill."""
        nodes = list(full_tiles(self, self.size, leaves))
        self._levels[0] += leaves
        for level, _, root in nodes:
            while level >= len(self._levels):
                self._levels.append([])
            self._levels[level].append(root)
        self.size += len(leaves)
        return nodes

    def root(self) -> bytes:
        """Return the root over all leaves."""
        return Tree(self).root(self.size)

    def forget_before(self, size: int) -> None:
        """Forget leaves that no proof from a size on needs."""
        first = size // TILE * TILE
        del self._levels[0][: first - self._first]
        self._first = first

    def peaks(self) -> list[bytes]:
        """Return the roots of full subtrees that the tree consists of, the largest first."""
        peaks, start = [], 0
        for height in reversed(range(self.size.bit_length())):
            if self.size >> height & 1:
                level, within = divmod(height, HEIGHT)
                count = 1 << within
                peaks.append(folded(self.run(level, start >> (height - within), count)))
                start += 1 << height
        return peaks

    def read_on(self, stored: StoredHashes, size: int) -> None:
        """Take in what others have sealed meanwhile."""
        self.grow(stored.run(0, self.size, size - self.size))
