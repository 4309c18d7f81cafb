"""What is left of a log whose end is lost for good: shown to be a beginning of it (X-recovery).

Both keys need it before they give the log another name (`keno-rng origin --kept FILE`): the head of
what is left, and the proof that it continues the last head of it that the inspector has cosigned.
Nothing is written here.
"""

from app.audit.checkpoints import checkpoint_of
from app.audit.tiles import Tree
from app.flow.office import Office
from app.store.queries import log, outcomes
from app.store.queries.log import StoredHashes
from rng.merkle import EMPTY_ROOT
from rng.note import Checkpoint


def kept_log(office: Office) -> dict[str, object]:
    """Return the head of the log that is here, and what shows that it continues a cosigned one.

    Where the house knows no cosigned head of this name, that is the head without entries. Nothing
    is shown (`shown` is null) where its log went another way than the head that it knows: then it
    is a fork, and both keys must say so.
    """
    with office.database.reading() as connection:
        head, note = log.head(connection), outcomes.newest_cosigned(connection)
        if head is None:
            raise LookupError("the house was not founded yet")
        origin, tree = office.house.log_origin, Tree(StoredHashes(connection))
        seen = Checkpoint(origin, 0, EMPTY_ROOT)
        if note is not None and checkpoint_of(note).origin == origin:
            seen = checkpoint_of(note)
        shown = None
        if seen.size <= head.size and tree.root(seen.size) == seen.root:
            proof = [step.hex() for step in tree.consistency(seen.size, head.size)]
            shown = {"size": seen.size, "root": seen.root.hex(), "proof": proof}
    return {"size": head.size, "root": head.root.hex(), "shown": shown}
