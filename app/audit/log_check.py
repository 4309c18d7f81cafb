"""The whole log worked out again: every leaf from its body, every root, every signed head.

It reads the stored bodies and trusts nothing else: leaves, places, tiles, head and checkpoints must
all follow from them (X-audit-log). What is wrong is reported, all of it, one line each. It goes
through the places in their order, so many at a time: a long log takes no more memory than a short.

Of an entry whose body went into an archive, or was lost with a house, only the leaf is here: it
must be noted as that, and the signed heads show that the leaf is the one that it was (X-retention).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from app.audit.entries import committed_leaf, leaf_document
from app.audit.faults import Fault, Finding
from app.audit.tiles import HEIGHT
from app.store.queries import Reading, keeping, log
from app.store.queries.books import tree
from app.store.queries.books.tree import Placed
from app.store.queries.log import EntryRow
from rng.merkle import EMPTY_ROOT, leaf_hash, node_hash
from rng.note import (
    NoteFailed,
    check_cosignature,
    check_signature,
    read_checkpoint,
    read_note,
)

CHECK = "log"
AT_ONCE = 2_000
SHOWN = 5


@dataclass
class Growing:
    """A tree that only grows: the roots of its full subtrees, the largest first."""

    size: int = 0
    peaks: list[tuple[int, bytes]] = field(default_factory=list)
    tiles: dict[tuple[int, int], bytes] = field(default_factory=dict)

    @classmethod
    def over(cls, size: int, roots: Iterable[bytes]) -> "Growing":
        """Return the tree over so many leaves, of whose full subtrees the roots are known."""
        heights = [height for height in reversed(range(size.bit_length())) if size >> height & 1]
        return cls(size, list(zip(heights, roots, strict=True)))

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


def public_leaf(entry: EntryRow) -> bytes:
    """Return the public form of an entry, from its body or from what its leaf says of that."""
    if entry.is_archived:
        return committed_leaf(entry.tag, entry.salt)
    return leaf_document(entry.tag, entry.salt, entry.body.encode())


def check_log(  # noqa: PLR0913, PLR0917  what is read, by which key, how, and who watches
    connection: Reading,
    origin: str,
    key: Ed25519PublicKey,
    at_once: int = AT_ONCE,
    progress: Callable[[str, int, int], None] = lambda *_: None,
    counted: Callable[[int], None] = lambda _: None,
    *,
    draw_keys: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Fault]:
    """Work out the log again, and yield whatever does not follow from its bodies.

    Args:
        connection: where it is read, at one moment.
        origin: the name of the log.
        key: by which its heads are signed.
        at_once: so many entries are in memory at a time.
        progress: is told now and then how far it is.
        counted: is told how many entries there were, when all were looked at.
        draw_keys: the public keys of the draw, of which the inspector's cosigns heads; without
            them the form and the root of what was cosigned are looked at, and no signature.
    """
    again = Again(connection, origin, key, draw_keys)
    head = log.head(connection)
    again.check_heads(0)  # of the empty log
    while places := tree.places(connection, again.last, at_once):
        yield from again.grow(places)
        progress("log", again.tree.size, head.size if head is not None else again.tree.size)
    again.check_heads(None)  # larger than all there is
    yield from again.check_waiting(at_once)
    counted(again.looked_at)
    if head is None or tree.head_rows(connection) != 1:
        yield Fault(CHECK, "there is not one head")
    else:
        if again.has_gaps or again.tree.size != head.size:
            yield Fault(CHECK, f"the places are not 0 to {head.size - 1}, each once")
        if again.has_gaps or again.is_misplaced:
            yield Fault(CHECK, "a leaf stands in another place than its entry")
        if (head.size, head.root) != (again.tree.size, again.tree.root()):
            yield Fault(CHECK, "the head is not that of the entries")
    if again.has_other_tiles or tree.nodes_in_all(connection) != again.tiles:
        yield Fault(CHECK, "the stored tiles are not those of the entries")
    yield from again.heads


class Again:
    """The log as it is worked out again, from its first place to its last."""

    def __init__(
        self,
        connection: Reading,
        origin: str,
        key: Ed25519PublicKey,
        draw_keys: Mapping[str, str],
    ) -> None:
        self._connection, self._origin, self._key = connection, origin, key
        found = [load_der_public_key(bytes.fromhex(text)) for text in draw_keys.values()]
        self._witnesses = [each for each in found if isinstance(each, Ed25519PublicKey)]
        self.tree = Growing()
        self.last = -1  # the last place
        self.tiles = 0  # how many are full
        self.heads = Finding()  # what is wrong with the heads that were signed
        self.has_gaps = self.is_misplaced = self.has_other_tiles = False
        self.looked_at = 0  # entries
        self._placed = 0  # those that have a place
        self._archives = keeping.archives(connection)
        self._lost = {each.entry for each in keeping.lost_acts(connection)}
        self._earlier = keeping.earlier_origins(connection)
        self._headed: int | None = None  # the largest size whose head was looked at

    def grow(self, places: Sequence[Placed]) -> Iterator[Fault]:
        """Add the entries of the next places, and look at the heads and tiles on the way."""
        wanted = {size for size, _, _ in self._notes(self.tree.size + len(places))}
        roots = {}
        for place in places:
            leaf = place.leaf
            if place.row is not None:
                leaf = self._leaf(place.row)
                yield from self._check_entry(place.row, leaf)
            if place.position == self.last:
                yield Fault(CHECK, f"place {place.position} was given twice")
            self.has_gaps |= place.position != self.last + 1
            self.is_misplaced |= place.row is None or place.leaf != leaf
            self._placed += place.row is not None
            self.last = place.position
            self.tree.add(leaf)
            if self.tree.size in wanted:
                roots[self.tree.size] = self.tree.root()
        self._check_heads(self.tree.size, roots)
        self._check_tiles()

    @staticmethod
    def _leaf(entry: EntryRow) -> bytes:
        """Return the leaf of an entry, from its body; of a lost one nothing else is known."""
        return entry.leaf if entry.is_lost else leaf_hash(public_leaf(entry))

    def _check_entry(self, entry: EntryRow, leaf: bytes) -> Iterator[Fault]:
        if leaf != entry.leaf:
            yield Fault(CHECK, f"entry {entry.id}: its leaf does not follow from its body")
        if (entry.is_lost and entry.id not in self._lost) or (
            entry.is_archived and entry.archived not in self._archives
        ):
            yield Fault(CHECK, f"entry {entry.id} has no body, and it is not noted why")

    def check_heads(self, until: int | None) -> None:
        """Look at signed heads that are of no size on the way: of none, or of more than all."""
        self._check_heads(until, {0: EMPTY_ROOT})

    def check_waiting(self, at_once: int) -> Iterator[Fault]:
        """The entries that have no place are those that wait for one."""
        after, count, is_wrong = -(2**62), 0, False
        while waiting := tree.waiting(self._connection, after, at_once):
            for _, entry in waiting:
                is_wrong |= entry is None or entry.position is not None
                if entry is not None:
                    yield from self._check_entry(entry, self._leaf(entry))
            count, after = count + len(waiting), waiting[-1][0]
        self.looked_at = self._placed + count
        if is_wrong or tree.entries_in_all(self._connection) != self.looked_at:
            yield Fault(CHECK, "the entries without a place are not those that wait for one")
        for act in tree.untold_acts(self._connection, SHOWN):
            yield Fault(CHECK, f"act {act} has no entry of its kind")

    def _notes(self, until: int | None) -> list[tuple[int, str, str | None]]:
        after = -(2**62) if self._headed is None else self._headed
        return log.notes_of_heads(self._connection, after, until)

    def _check_heads(self, until: int | None, roots: Mapping[int, bytes]) -> None:
        for size, text, cosigned in self._notes(until):
            what = f"the checkpoint of size {size}"
            self.heads.add(self._check_head(size, text, roots.get(size), what))
            if cosigned is not None:
                what = f"what the inspector cosigned of size {size}"
                self.heads.add(self._check_head(size, cosigned, roots.get(size), what))
                self.heads.add(self._check_cosigned(size, cosigned))
        self._headed = until

    def _named(self, size: int) -> str:
        """Return the name that the log had at a size (X-recovery)."""
        return next((name for name, until in self._earlier if size <= until), self._origin)

    def _check_head(self, size: int, text: str, root: bytes | None, what: str) -> Iterator[Fault]:
        named = self._named(size)
        try:
            note = read_note(text)
            check_signature(note, named, self._key)
            stated = read_checkpoint(note.text)
        except NoteFailed as fault:
            yield Fault(CHECK, f"{what}: {fault}")
            return
        if (stated.origin, stated.size, stated.root) != (named, size, root):
            yield Fault(CHECK, f"{what} states another head")

    def _check_cosigned(self, size: int, text: str) -> Iterator[Fault]:
        """A key of the draw has cosigned it: the inspector's, now or before it was changed."""
        faults = []
        for key in self._witnesses:
            try:
                check_cosignature(read_note(text), f"{self._named(size)}/inspector", key)
            except NoteFailed as fault:
                faults.append(str(fault))
            else:
                return
        if faults:
            yield Fault(CHECK, f"what the inspector cosigned of size {size} is not cosigned")

    def _check_tiles(self) -> None:
        """Hold the tiles that became full against those that are stored, and forget them."""
        full, self.tree.tiles = self.tree.tiles, {}
        self.tiles += len(full)
        for level in {level for level, _ in full}:
            of_level = {place: root for (each, place), root in full.items() if each == level}
            stored = tree.nodes(self._connection, level, min(of_level), max(of_level))
            self.has_other_tiles |= dict(stored) != of_level
