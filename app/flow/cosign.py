"""Having the inspector witness the log: a head that it cosigned seals a game (X-lock-seal).

Write order:

1. The log is sealed (`seal`). *Crash: sealed again, to a larger head.*
2. That head is made sure of: a standby that took over without it could never go on behind it.
   Then the inspector cosigns it, in its own journal first. *Crash, or a lost answer: it is
   asked again, from the size that it says it has seen.*
3. The cosigned note is kept. *Crash before: as above.*

If it has seen entries that are not here, this is a restored house; that is noted, and nothing more
happens in it until it is put right (`missing`).
"""

from app.audit.checkpoints import checkpoint_of
from app.audit.tiles import Tree
from app.flow.missing import notice_missing
from app.flow.office import Office
from app.flow.seal import seal_log
from app.rng_client import Elsewhere, KeyedProcesses, NotNow
from app.store.queries import outcomes
from app.store.queries.log import StoredHashes
from app.store.records import outcomes as records
from app.store.unit import Unit

TRIES = 10  # as many games as can come in between, of series that are locked at once


def cosign_log(office: Office, keyed: KeyedProcesses) -> str:
    """Seal the log, have its newest head cosigned, and return the note.

    Raises:
        NotNow: the inspector does not cosign now.
    """
    elsewhere: int | None = None  # how much the inspector has seen, if it is not what we know
    for _ in range(TRIES):
        note = seal_log(office)
        size = checkpoint_of(note).size
        if elsewhere is not None:
            missing = notice_missing(office, keyed)
            if not missing.is_complete:
                raise NotNow(missing.words())
            if elsewhere > size:  # it says so, and shows no note for it
                raise NotNow(f"The inspector has seen {elsewhere} entries of the log, not {size}.")
        with office.database.reading() as connection:
            cosigned = outcomes.newest_cosigned(connection)
        known = 0 if cosigned is None else checkpoint_of(cosigned).size
        if cosigned is not None and known >= size:
            return cosigned  # that of somebody else, perhaps, who was quicker
        seen = known if elsewhere is None else elsewhere
        try:
            note = keyed.cosign(note, seen, _proof(office, seen, size), cosigned)
        except Elsewhere as inspector:
            # An earlier answer was lost, or another game had a newer head cosigned meanwhile.
            elsewhere = inspector.size
            continue
        with office.unit() as unit:
            records.add_cosigned(unit, size, note)
            unit.commit()
        return note
    raise NotNow("Other games are having the log cosigned; this one is next.")


def _proof(office: Office, old_size: int, size: int) -> list[bytes]:
    """Return the proof that the log only grew, of what the standby has too.

    No transaction is open while others are asked.
    """
    with office.database.reading() as connection:
        proof = Tree(StoredHashes(connection)).consistency(old_size, size)
        Unit(office.database, connection).make_sure()
    return proof
