"""Sealing the log: its pending entries get their places, and the head is signed (X-audit-log).

Write order:

1. One transaction: every pending entry, in the order of ids from one look, gets the next place; the
   tiles that are full get their roots; the head is compared and swapped. *Crash before: nothing
   has a place. Crash after: the places hold for ever, and whoever seals next signs the head.*
2. The committed head is read back and signed; of each size one signed head is kept. *Crash before:
   signed at the next sealing. Two who sign at once make the same note, and one of them is kept.*

Two sealers collide at the first place that both want to give, and the constraints decide: one of
them starts again. An entry that is committed late just gets a later place. In a restored house
whose log lacks entries no place is given: the next ones are taken.

The seal of a game is the first signed head that covers its LOCK entry, whoever signed it and for
whatever reason: a sealer need not know which games it seals.
"""

from contextlib import suppress

from app.audit.checkpoints import signed_head
from app.audit.tiles import Tree, full_tiles
from app.flow.office import Office
from app.store.queries import keeping
from app.store.queries import log as queries
from app.store.queries.log import StoredHashes
from app.store.records import log as records
from app.store.unit import Unit

TRIES = 50  # more sealers than there are
HEAD_SECONDS = 0.2  # a standby that is there has answered by then


def seal_log(office: Office) -> str:
    """Give every pending entry its place, and return the head as a signed note.

    Raises:
        SealedMeanwhile: others always came first, or the places that are given contradict the head.
    """
    for _ in range(TRIES - 1):
        with suppress(records.SealedMeanwhile):
            return _sealed(office)
    return _sealed(office)


def published_head(office: Office) -> str | None:
    """Return the newest signed head, once whoever took over would have it too; none if none is.

    Anybody keeps it, and another head of its size would show them two logs. One at a time waits for
    the standby, others for them and not for long; then they are told of the head before, if there
    is one: anybody may ask, as often as they like.
    """
    if office.making_sure.acquire(timeout=HEAD_SECONDS):
        try:
            with office.database.reading() as connection:
                note = queries.newest_checkpoint(connection)
                if note not in {None, office.sure_head}:
                    Unit(office.database, connection).make_sure()
                    office.sure_head = note
        finally:
            office.making_sure.release()
    return office.sure_head


def _sealed(office: Office) -> str:
    with office.unit() as unit:
        if place_pending(unit):
            unit.commit()
    return _sign_head(office)


def place_pending(unit: Unit) -> bool:
    """Give every pending entry its place, within a unit of work; say whether there was any.

    Raises:
        SealedMeanwhile: another sealer came first.
    """
    if keeping.incomplete(unit.connection) is not None:
        return False  # the next places are those of entries that are missing
    head = queries.head(unit.connection)
    pending = queries.pending(unit.connection)
    if head is None or not pending:
        return False
    hashes = StoredHashes(unit.connection)
    nodes = list(full_tiles(hashes, head.size, [leaf for _, leaf in pending]))
    records.add_positions(unit, head.size, pending)
    records.add_nodes(unit, nodes)
    size = head.size + len(pending)
    records.swap_head(unit, head.size, size, Tree(hashes).root(size))
    return True


def _sign_head(office: Office) -> str:
    """Sign the head that is committed, unless it is signed; the first note of a size counts."""
    with office.unit() as unit:
        # Held: or a larger head could be signed first, and this one would become an earlier seal
        # of games that tickets were already printed with.
        head = queries.head(unit.connection, held=True)
        if head is None:
            raise LookupError("the house was not founded yet")
        note = queries.checkpoint_sized(unit.connection, head.size)
        if note is None:
            note = signed_head(office.house.log_origin, head.size, head.root, office.keys.log)
            records.add_checkpoint(unit, head.size, note)
            unit.commit()
    return note
