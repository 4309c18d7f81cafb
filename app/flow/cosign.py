"""Having the inspector witness the log: a head that it cosigned seals a game (X-lock-seal).

Write order:

1. The log is sealed (`seal`). *Crash: sealed again, to a larger head.*
2. The inspector cosigns the newest head, in its own journal first. *Crash, or a lost answer: it is
   asked again, from the size that it says it has seen.*
3. The cosigned note is kept. *Crash before: as above.*
"""

from app.audit.checkpoints import checkpoint_of
from app.audit.tiles import Tree
from app.flow.office import Office
from app.flow.seal import seal_log
from app.rng_client import Elsewhere, KeyedProcesses, NotNow
from app.store.queries import outcomes
from app.store.queries.log import StoredHashes
from app.store.records import outcomes as records


def cosign_log(office: Office, keyed: KeyedProcesses) -> str:
    """Seal the log, have its newest head cosigned, and return the note.

    Raises:
        NotNow: the inspector does not cosign now.
    """
    note = seal_log(office)
    size = checkpoint_of(note).size
    with office.database.reading() as connection:
        cosigned = outcomes.newest_cosigned(connection)
        seen = 0 if cosigned is None else checkpoint_of(cosigned).size
        if cosigned is not None and seen == size:
            return cosigned
    try:
        note = keyed.cosign(note, seen, _proof(office, seen, size), cosigned)
    except Elsewhere as inspector:
        if inspector.size > size:
            why = f"The inspector has seen {inspector.size} entries of the log, and there are"
            raise NotNow(f"{why} {size}: entries are missing.") from None
        # Its answer to an earlier asking was lost: go on from where it is.
        proof = _proof(office, inspector.size, size)
        note = keyed.cosign(note, inspector.size, proof, cosigned)
    with office.unit() as unit:
        records.add_cosigned(unit, size, note)
        unit.commit()
    return note


def _proof(office: Office, old_size: int, size: int) -> list[bytes]:
    """Return the proof that the log only grew; no transaction is open while others are asked."""
    with office.database.reading() as connection:
        return Tree(StoredHashes(connection)).consistency(old_size, size)
