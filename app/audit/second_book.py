"""The second grader's own book of live tickets, made from opened leaves of the log alone.

It reads leaf after leaf, opens each (the body must be what the leaf commits to), and knows the root
over all that it has read from a few hashes, so that it can tell whether what it read is what a
checkpoint was signed over. Pure: whoever calls it keeps what it says (X-grade-twice).

A leaf that touches a game behind that game's LOCK is a fault of the game, and freezes it.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from app.audit.entries import leaf_document
from rng.merkle import EMPTY_ROOT, leaf_hash, node_hash


class NotWhatWasSealed(Exception):  # noqa: N818  a finding
    """The log that can be read is not the log that was sealed; the text says where."""


@dataclass(frozen=True)
class Sold:
    """A ticket is to be entered in the book."""

    number: int
    series: str
    first_game: int
    last_game: int
    body: str


@dataclass(frozen=True)
class Ends:
    """A ticket plays only up to this game: void, or its rest cancelled."""

    number: int
    last_game: int


@dataclass
class Book:
    """How far the log was read, and what of it the next leaf is judged by."""

    size: int = 0
    frontier: list[str] = field(default_factory=list)  # roots of full subtrees, the largest first
    locks: dict[str, int] = field(default_factory=dict)  # the newest locked game of each series
    faults: dict[str, list[str]] = field(default_factory=dict)  # by game
    cards: dict[str, Any] = field(default_factory=dict)  # bodies of rate cards, by hash

    def take(self, tag: str, salt: bytes, body: str, leaf: bytes) -> Sold | Ends | None:
        """Read the next leaf; return what it changes in the book.

        Raises:
            NotWhatWasSealed: the body is not the one that the leaf commits to.
        """
        if not body:
            # Archived, or lost with a house: its games are over, and the root shows the leaf right.
            self._grow(leaf)
            return None
        if leaf_hash(leaf_document(tag, salt, body.encode())) != leaf:
            raise NotWhatWasSealed(f"leaf {self.size} does not commit to the body that is kept")
        self._grow(leaf)
        match tag:
            case "CARD":
                said = json.loads(body)
                self.cards[said["card"]] = said
            case "LOCK":
                said = json.loads(body)
                self.locks[said["series"]] = said["game"]
            case "TICKET":
                return self._sold(json.loads(body), body)
            case "VOID":
                said = json.loads(body)
                self._check(said, said["first_game"], f"ticket {said['ticket']} was voided")
                return Ends(said["ticket"], said["first_game"] - 1)
            case "CANCEL":
                said = json.loads(body)
                self._check(said, said["first_cancelled"], f"ticket {said['ticket']} was cancelled")
                return Ends(said["ticket"], said["first_cancelled"] - 1)
        return None

    def root(self) -> bytes:
        """Return the root over everything that was read."""
        hashes = [bytes.fromhex(text) for text in self.frontier]
        if not hashes:
            return EMPTY_ROOT
        root = hashes.pop()
        while hashes:
            root = node_hash(hashes.pop(), root)
        return root

    def _sold(self, said: Any, body: str) -> Sold:  # noqa: ANN401  a body as it was written
        first, last = said["first_game"], said["first_game"] + said["games"] - 1
        self._check(said, first, f"ticket {said['number']} was sold")
        return Sold(said["number"], said["series"], first, last, body)

    def _check(self, said: Any, first_game: int, what: str) -> None:  # noqa: ANN401
        locked = self.locks.get(said["series"], 0)
        for game in range(first_game, locked + 1):
            self.faults.setdefault(f"{said['series']}-{game}", []).append(f"{what} behind its lock")

    def _grow(self, leaf: bytes) -> None:
        """Join the new leaf with full subtrees of its own size, as a binary counter carries."""
        joined, size = leaf, self.size
        while size & 1:
            joined = node_hash(bytes.fromhex(self.frontier.pop()), joined)
            size >>= 1
        self.frontier.append(joined.hex())
        self.size += 1
