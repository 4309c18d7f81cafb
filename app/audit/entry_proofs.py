"""One entry shown to be in the log: its leaf from its body, and the path to the newest signed head.

Nothing stored is believed: the leaf is worked out from tag, salt and body, the path is checked step
by step, and the head's signature with the log's public key (X-audit-log).
"""

from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.audit.log_check import public_leaf
from app.audit.tiles import Tree
from app.store.queries import Reading
from app.store.queries.log import EntryRow, StoredHashes
from rng.merkle import ProofFailed, check_consistency, check_inclusion, leaf_hash
from rng.note import NoteFailed, check_signature, read_checkpoint, read_note

GAP = "hashes of the log are missing"


@dataclass(frozen=True)
class SignedHead:
    """The newest head that the log has signed."""

    size: int
    root: bytes
    note: str
    fault: str | None  # what is wrong with it


@dataclass(frozen=True)
class Proof:
    """What shows that an entry is in the log; or what is wrong, or that it still waits."""

    entry: EntryRow
    leaf: bytes  # as it follows from the body
    path: tuple[bytes, ...]
    fault: str | None
    waits: bool  # for the next seal

    @property
    def holds(self) -> bool:
        """Whether the entry is in the log as it stands here."""
        return self.fault is None and not self.waits


class Prover:
    """The log as of one moment; whatever is read of its tree is read once."""

    def __init__(
        self, connection: Reading, note: str | None, origin: str, key: Ed25519PublicKey
    ) -> None:
        """Read a signed head.

        Args:
            connection: where the log is read.
            note: the head, or none if there is none yet.
            origin: the name of the log.
            key: the log's public key.
        """
        self.head = read_head(note, origin, key)
        self._tree = Tree(StoredHashes(connection))

    def prove(self, entry: EntryRow) -> Proof:
        """Return the proof of an entry, checked."""
        leaf = entry.leaf if entry.is_lost else leaf_hash(public_leaf(entry))
        if leaf != entry.leaf:
            return Proof(entry, leaf, (), "its leaf does not follow from its body", waits=False)
        if self.head.note and self.head.fault is not None:
            return Proof(entry, leaf, (), f"the signed head: {self.head.fault}", waits=False)
        place, size = entry.position, self.head.size
        if place is None or place >= size:
            return Proof(entry, leaf, (), None, waits=True)
        try:
            path = tuple(self._tree.inclusion(place, size))
            check_inclusion(leaf, place, size, path, self.head.root)
        except ProofFailed as found:
            return Proof(entry, leaf, path, str(found), waits=False)
        except LookupError:
            return Proof(entry, leaf, (), GAP, waits=False)
        return Proof(entry, leaf, path, None, waits=False)

    def fault_since(self, note: str) -> str | None:
        """Return what is wrong if the newest head does not continue an older one; else none."""
        try:
            older = read_checkpoint(read_note(note).text)
            if self.head.fault is not None:
                return self.head.fault
            if older.size > self.head.size:
                return f"it has {older.size} entries, and the log only {self.head.size}"
            proof = self._tree.consistency(older.size, self.head.size)
            check_consistency(older.size, older.root, self.head.size, self.head.root, proof)
        except (NoteFailed, ProofFailed) as found:
            return str(found)
        except LookupError:
            return GAP
        return None


def read_head(note: str | None, origin: str, key: Ed25519PublicKey) -> SignedHead:
    """Return a head that was signed, and what is wrong with it; none stands for no head."""
    if note is None:
        return SignedHead(0, b"", "", "there is no signed head to show yet")
    try:
        signed = read_note(note)
        check_signature(signed, origin, key)
        stated = read_checkpoint(signed.text)
    except NoteFailed as found:
        return SignedHead(0, b"", note, str(found))
    fault = None if stated.origin == origin else "it is that of another log"
    return SignedHead(stated.size, stated.root, note, fault)
