"""A part of the log held against what was signed over it (X-audit-log).

Whoever can change an entry can change the leaf that is stored for it, and every stored hash above.
What they cannot make again is a head that the log has signed. So the tree is grown from what is
stored of the leaves before a part over the leaves that follow from the entries of the part, and
must lead to the signed head at its end, or to the next one behind it. That takes time by the length
of the part, and not by that of the log.
"""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.audit.entry_proofs import GAP, read_head
from app.audit.log_check import Growing
from app.audit.tiles import TILE, Tree
from app.store.queries import Reading, keeping, log
from app.store.queries.log import EntryRow, StoredHashes
from rng.merkle import ProofFailed, check_consistency, check_inclusion


class WholeTiles:
    """Stored hashes, of which each tile is read once."""

    def __init__(self, hashes: StoredHashes) -> None:
        self._hashes = hashes
        self._tiles: dict[tuple[int, int], list[bytes]] = {}

    def run(self, level: int, start: int, count: int) -> list[bytes]:
        """Return so many hashes of a level, from a place on; they lie in one tile."""
        tile, offset = divmod(start, TILE)
        if (level, tile) not in self._tiles:
            self._tiles[level, tile] = self._hashes.run(level, tile * TILE, TILE)
        return self._tiles[level, tile][offset : offset + count]


class Sealed:
    """The log up to a size, and the first signed head that covers it."""

    def __init__(self, connection: Reading, origin: str, key: Ed25519PublicKey, size: int) -> None:
        """Read the head.

        Args:
            connection: where the log is read.
            origin: the name of the log now; it may have had others before (X-recovery).
            key: the log's public key.
            size: of the log, as far as it is to be shown.
        """
        covering, note = log.checkpoint_from(connection, size)
        earlier = keeping.earlier_origins(connection)
        named = next((name for name, until in earlier if covering <= until), origin)
        self.size = size
        self._head = read_head(note, named, key)
        self._tree = Tree(WholeTiles(StoredHashes(connection)))

    def before(self, size: int) -> Growing:
        """Return the tree over the first leaves, as they are stored, to be grown from there.

        Raises:
            ProofFailed: hashes of it are missing.
        """
        try:
            return Growing.over(size, list(self._tree.frontier(size)))
        except LookupError:
            raise ProofFailed(GAP) from None

    def check(self, root: bytes) -> None:
        """Check that the log of this size has a root, by its signed head.

        Raises:
            ProofFailed: it has another one, or no good head was signed over it.
        """
        if self._head.fault is not None:
            raise ProofFailed(self._head.fault)
        try:
            proof = self._tree.consistency(self.size, self._head.size)
        except LookupError:
            raise ProofFailed(GAP) from None
        check_consistency(self.size, root, self._head.size, self._head.root, proof)

    def check_entry(self, entry: EntryRow) -> None:
        """Check that an entry, whose leaf was worked out, is at its place under the signed head.

        Raises:
            ProofFailed: it is not.
        """
        if self._head.fault is not None:
            raise ProofFailed(self._head.fault)
        place = entry.position or 0
        try:
            path = self._tree.inclusion(place, self._head.size)
        except LookupError:
            raise ProofFailed(GAP) from None
        check_inclusion(entry.leaf, place, self._head.size, path, self._head.root)
