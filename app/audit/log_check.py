"""The whole log worked out again: every leaf from its body, every root, every signed head.

It reads the stored bodies and trusts nothing else: leaves, places, tiles, head and checkpoints must
all follow from them (X-audit-log). What is wrong is reported, all of it, one line each.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.audit.entries import leaf_document
from app.audit.faults import Fault
from app.audit.tiles import HEIGHT
from app.store.queries import Reading, books, log
from rng.merkle import EMPTY_ROOT, leaf_hash, node_hash
from rng.note import NoteFailed, check_signature, read_checkpoint, read_note

CHECK = "log"


@dataclass
class Growing:
    """A tree that only grows: the roots of its full subtrees, the largest first."""

    size: int = 0
    peaks: list[tuple[int, bytes]] = field(default_factory=list)
    tiles: dict[tuple[int, int], bytes] = field(default_factory=dict)

    def add(self, leaf: bytes) -> None:
        """Add a leaf, and note the root of every tile that it fills."""
        height, root = 0, leaf
        while self.peaks and self.peaks[-1][0] == height:
            root = node_hash(self.peaks.pop()[1], root)
            height += 1
            if height % HEIGHT == 0:
                self.tiles[height // HEIGHT, self.size >> height] = root
        self.peaks.append((height, root))
        self.size += 1

    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        if not self.peaks:
            return EMPTY_ROOT
        root = self.peaks[-1][1]
        for _, left in reversed(self.peaks[:-1]):
            root = node_hash(left, root)
        return root


def check_log(connection: Reading, origin: str, key: Ed25519PublicKey) -> Iterator[Fault]:
    """Work out the log again, and yield whatever does not follow from its bodies."""
    placed: dict[int, bytes] = {}
    unplaced: set[int] = set()
    for entry in log.entries(connection):
        leaf = leaf_hash(leaf_document(entry.tag, entry.salt, entry.body.encode()))
        if leaf != entry.leaf:
            yield Fault(CHECK, f"entry {entry.id}: its leaf does not follow from its body")
        if entry.position is None:
            unplaced.add(entry.id)
        elif placed.setdefault(entry.position, leaf) != leaf:
            yield Fault(CHECK, f"place {entry.position} was given twice")
    if unplaced != books.pending_entries(connection):
        yield Fault(CHECK, "the entries without a place are not those that wait for one")
    yield from _check_places(connection, placed)
    yield from _check_heads(connection, placed, origin, key)


def _check_places(connection: Reading, placed: dict[int, bytes]) -> Iterator[Fault]:
    head = log.head(connection)
    if head is None or books.head_rows(connection) != 1:
        yield Fault(CHECK, "there is not one head")
        return
    if sorted(placed) != list(range(head.size)):
        yield Fault(CHECK, f"the places are not 0 to {head.size - 1}, each once")
    hashes = log.StoredHashes(connection)
    if hashes.run(0, 0, len(placed)) != [placed[place] for place in sorted(placed)]:
        yield Fault(CHECK, "a leaf stands in another place than its entry")


def _check_heads(
    connection: Reading, placed: dict[int, bytes], origin: str, key: Ed25519PublicKey
) -> Iterator[Fault]:
    tree = Growing()
    roots = {0: tree.root()}
    wanted = {size for size, _ in log.checkpoint_notes(connection)}
    for place in sorted(placed):
        tree.add(placed[place])
        if tree.size in wanted:
            roots[tree.size] = tree.root()
    head = log.head(connection)
    if head is not None and (head.size, head.root) != (tree.size, tree.root()):
        yield Fault(CHECK, "the head is not that of the entries")
    if books.log_nodes(connection) != tree.tiles:
        yield Fault(CHECK, "the stored tiles are not those of the entries")
    for size, text in log.checkpoint_notes(connection):
        try:
            note = read_note(text)
            check_signature(note, origin, key)
            stated = read_checkpoint(note.text)
        except NoteFailed as fault:
            yield Fault(CHECK, f"the checkpoint of size {size}: {fault}")
            continue
        if (stated.origin, stated.size, stated.root) != (origin, size, roots.get(size)):
            yield Fault(CHECK, f"the checkpoint of size {size} states another head")
