"""The log of the year while it is made: entries with their ids, and seals over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from app.audit.checkpoints import checkpoint_of, signed_head
from app.audit.entries import SALT_BYTES, Entry, leaf_document, make_entry
from app.audit.tags import Tag
from app.audit.tiles import Tree
from app.entropy import system_entropy
from app.store.queries import Reading, log, outcomes
from app.store.queries.log import StoredHashes
from app.store.records.together import Row
from app.store.tables import (
    Act,
    Cosigned,
    LogCheckpoint,
    LogEntry,
    LogHead,
    LogNode,
    LogPending,
    LogPosition,
    PaperEvent,
    PaperState,
    QueuedPaper,
)
from bench.year.house import YearHouse
from bench.year.rows import Rows, moment_text
from bench.year.tree import TreeEnd
from rng.merkle import leaf_hash

_ENTRY = ("id", "tag", "salt", "body", "leaf")
_POSITION = ("position", "entry", "leaf")
_EVENT = ("entry", "copy", "state", "why", "kicked", "happened_at")
_PRINTED = (PaperState.SENDING.value, PaperState.SENT.value)
_SALTS = 1000  # at once


@dataclass(frozen=True)
class Sealed:
    """A head that covers everything: as it was signed, and as it was cosigned."""

    note: str
    cosigned: str
    size: int


class YearLog:
    """The log between two times at which the flow itself writes to it."""

    def __init__(self, house: YearHouse, rows: Rows) -> None:
        self._house, self._rows = house, rows
        self._tree = TreeEnd()
        self._next = 1
        self._waiting: dict[int, bytes] = {}  # leaves without a place, by the ids of their entries
        self._cosigned: str | None = None
        self._salts: list[bytes] = []
        self._acts = rows.of(Act, ("id", "tag"))
        self._entries = rows.of(LogEntry, _ENTRY)
        self._positions = rows.of(LogPosition, _POSITION)
        self._events = rows.of(PaperEvent, _EVENT)

    def resume(self, connection: Reading) -> None:
        """Go on behind whatever the flow has written and sealed."""
        newest = connection.execute(select(func.max(LogEntry.id))).scalar_one()
        self._next = int(newest) + 1
        head = log.head(connection)
        if head is None or log.pending(connection):
            raise LookupError("the log is not sealed")
        self._tree.read_on(StoredHashes(connection), head.size)
        self._cosigned = outcomes.newest_cosigned(connection)

    # ---- entries ---------------------------------------------------------------------------------

    def reserve(self, count: int) -> list[int]:
        """Keep the next ids for entries that are made later."""
        self._next += count
        return list(range(self._next - count, self._next))

    def add(
        self,
        tag: Tag,
        body: Mapping[str, object],
        rows: Sequence[Row],
        at: datetime,
        entry: int | None = None,
    ) -> tuple[int, Entry]:
        """Add an entry and the rows of its act, under an id that was kept for it or the next."""
        if entry is None:
            (entry,) = self.reserve(1)
        made = make_entry(tag, body, self._salt())
        self._keep(entry, made.tag, made.salt, made.body, made.leaf)
        for table, row in rows:
            if table is QueuedPaper:
                self.note_printed(entry, moment_text(at))
            else:
                self._rows.add(table, row, entry)
        return entry, made

    def add_text(self, tag: Tag, body: str) -> tuple[int, bytes]:
        """Add an entry whose body is written out; return its id and its leaf."""
        entry, salt = self._next, self._salt()
        self._next += 1
        leaf = leaf_hash(leaf_document(tag, salt, body.encode()))
        self._keep(entry, tag, salt, body, leaf)
        return entry, leaf

    def note_printed(self, entry: int, at: str) -> None:
        """Note that the paper of an act was printed at once."""
        for state in _PRINTED:
            self._events.append((entry, 0, state, None, False, at))

    def _keep(self, entry: int, tag: Tag, salt: bytes, body: str, leaf: bytes) -> None:
        self._acts.append((entry, tag.value))
        self._entries.append((entry, tag.value, salt, body, leaf))
        self._waiting[entry] = leaf

    def _salt(self) -> bytes:
        if not self._salts:
            fresh = system_entropy(_SALTS * SALT_BYTES)
            self._salts = [
                fresh[place : place + SALT_BYTES] for place in range(0, len(fresh), SALT_BYTES)
            ]
        return self._salts.pop()

    # ---- seals -----------------------------------------------------------------------------------

    def seal(self, at: datetime) -> Sealed:
        """Give every entry its place, sign the head, and have it cosigned."""
        placed = sorted(self._waiting)
        leaves = [self._waiting[entry] for entry in placed]
        places = range(self._tree.size, self._tree.size + len(placed))
        self._positions += zip(places, placed, leaves, strict=True)
        for level, place, root in self._tree.grow(leaves):
            self._rows.add(LogNode, {"level": level, "place": place, "hash": root})
        self._waiting.clear()
        office, size = self._house.office, self._tree.size
        note = signed_head(office.house.log_origin, size, self._tree.root(), office.keys.log)
        self._rows.add(LogCheckpoint, {"size": size, "note": note, "signed_at": at})
        before = 0 if self._cosigned is None else checkpoint_of(self._cosigned).size
        proof = Tree(self._tree).consistency(before, size)
        self._cosigned = self._house.keyed.cosign(note, before, proof, self._cosigned)
        self._rows.add(Cosigned, {"size": size, "note": self._cosigned})
        self._tree.forget_before(before)
        return Sealed(note, self._cosigned, size)

    def inclusion(self, entries_behind: int) -> tuple[int, list[bytes]]:
        """Return the place of an entry so many before the last sealed one, and its proof."""
        place = self._tree.size - 1 - entries_behind
        return place, Tree(self._tree).inclusion(place, self._tree.size)

    @property
    def last(self) -> int:
        """The last id that was given or kept."""
        return self._next - 1

    @property
    def size(self) -> int:
        """How many entries are sealed."""
        return self._tree.size

    @property
    def frontier(self) -> list[str]:
        """The hashes by which the second grader knows the root."""
        return [root.hex() for root in self._tree.peaks()]

    def hand_over(self) -> None:
        """Have the rest wait for its place, and the head where it is."""
        for entry in sorted(self._waiting):
            self._rows.add(LogPending, {"entry": entry})
        self._waiting.clear()
        head = f"UPDATE {LogHead.__tablename__} SET size = ?, root = ?"  # noqa: S608  our own name
        self._rows.change(head, (self._tree.size, self._tree.root()))
