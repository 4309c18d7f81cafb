"""The second grader's book made anew, and no further back than tickets can still play.

From the first leaf on it would read years, and every game would wait for its certification
meanwhile. But a ticket is sold for the game that is open, and plays at most as many as its card
allows: whatever plays a game that is not decided stands behind the lock of one so many before it
(X-grade-twice).

The leaves before that lock are taken as the tree has them, which is shown here against the head of
the log, and again against the checkpoint of each game that is certified. Where a lock, a card or
the tree is not as it should be, the book begins with the first leaf.
"""

import json
from typing import Any

from sqlalchemy import Connection

from app.audit.entries import leaf_document
from app.audit.second_book import Book
from app.audit.tiles import Tree
from app.keno.card_file import read_card
from app.keno.refusals import Refused
from app.store.queries import games, house, log, settling
from app.store.queries.log import EntryRow, StoredHashes
from app.store.records.settling import drop_book, keep_book_head
from app.store.unit import Unit
from rng.merkle import ProofFailed, check_consistency, leaf_hash


class _NotThere(Exception):  # noqa: N818  a reason to read everything
    """What the book would begin with is missing, or not what its leaf commits to."""


def beginning(connection: Connection) -> Book | None:
    """Return a book that begins before every ticket that still plays; none, if all must be read.

    It takes its time, and holds nothing. What comes later is behind it, and read by the grader.
    """
    try:
        return _begun(connection)
    except (_NotThere, ProofFailed, Refused):
        return None


def begin_book_anew(unit: Unit, book: Book | None) -> None:
    """Have the second grader forget its book, and go on with another, or with the first leaf."""
    drop_book(unit)
    if book is not None:
        keep_book_head(unit, vars(book), None)


def _begun(connection: Connection) -> Book:
    head = log.head(connection)
    if head is None:
        raise _NotThere
    cards = {said["card"]: said for said in map(_opened, settling.card_entries(connection))}
    most_games = max(read_card(said["file"].encode()).limits.games_max for said in cards.values())
    oldest = {
        series: games.oldest_undecided(connection, series)
        for series in house.series_codes(connection)
    }
    size = min(
        _place_of_lock(connection, series, number - most_games)
        for series, number in oldest.items()
        if number
    )
    tree = Tree(StoredHashes(connection))
    book = Book(size, [root.hex() for root in tree.frontier(size)], cards=cards)
    proof = tree.consistency(size, head.size)
    check_consistency(size, book.root(), head.size, head.root, proof)
    return book


def _place_of_lock(connection: Connection, series: str, number: int) -> int:
    """Return the place of the last lock of a series up to a game."""
    lock = settling.lock_up_to(connection, series, number)
    if lock is None or lock.position is None:
        raise _NotThere
    said = _opened(lock)
    if lock.tag != "LOCK" or said["series"] != series or said["game"] > number:
        raise _NotThere
    return lock.position


def _opened(entry: EntryRow) -> Any:  # noqa: ANN401  a body as it was written
    """Return what an entry says, if that is what its leaf commits to."""
    if leaf_hash(leaf_document(entry.tag, entry.salt, entry.body.encode())) != entry.leaf:
        raise _NotThere
    return json.loads(entry.body)
