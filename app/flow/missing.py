"""What a restored house lacks: the inspector has cosigned more of the log than there is.

The backup is older than the house that was lost. Tickets may have been sold since, paid, drawn for:
so until it is known that nothing is missing (`look_for`), or it is put back (`refill`), or both
keys have agreed to go on without it (`new_origin`), nothing is sold, locked or paid (X-recovery).
The database itself refuses it; people can sign in, and see why.

Write order: there is one commit. *Crash before: it is noticed again.*
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from app.audit.checkpoints import checkpoint_of
from app.audit.tiles import Tree
from app.flow.office import Office
from app.flow.refusals import No, say_no
from app.rng_client import KeyedProcesses
from app.store.queries import Reading, keeping, log
from app.store.queries.log import StoredHashes
from app.store.records import keeping as records
from rng.note import NoteFailed


@dataclass(frozen=True)
class Missing:
    """The log that is there, and the largest cosigned head that is known of it."""

    size: int
    known_size: int
    known: str | None  # the head, as a cosigned note
    other: bool  # what is there is not the beginning of what was cosigned

    @property
    def entries(self) -> int:
        """How many entries are missing."""
        return max(0, self.known_size - self.size)

    @property
    def is_complete(self) -> bool:
        """Whether everything that was cosigned is there."""
        return not self.entries and not self.other

    def words(self) -> str:
        """Return what is missing, in a sentence."""
        if self.is_complete:
            return "Nothing is missing that was cosigned."
        if self.other:
            return f"The log is not the one that was cosigned with {self.known_size} entries."
        return (
            f"The inspector has cosigned {self.known_size} entries of the log, and there are "
            f"{self.size}: {self.entries} are missing."
        )


def notice_missing(office: Office, keyed: KeyedProcesses) -> Missing:
    """Compare the log with what the inspector has cosigned, as the caller does when it starts.

    Raises:
        NotNow: the inspector does not answer.
    """
    origin = office.house.log_origin
    told = keyed.newest_cosigned(origin)
    with office.unit() as unit:
        found = compared(unit.connection, [] if told is None else [told], {origin})
        if not found.is_complete and found.known is not None:
            records.note_incomplete(unit, found.size, found.known)
            unit.commit()
    return found


def what_is_missing(connection: Reading) -> Missing | None:
    """Return what was noticed and is not put right yet; none if all is well."""
    noticed = keeping.incomplete(connection)
    if noticed is None:
        return None
    head = log.head(connection)
    size = noticed.size if head is None else head.size
    if noticed.known is None:
        return Missing(size, size, None, other=False)
    known = keeping.known_heads(connection)
    return compared(connection, known, {checkpoint_of(note).origin for note in known})


def compared(connection: Reading, notes: Iterable[str], origins: Collection[str]) -> Missing:
    """Compare the log with cosigned heads.

    Args:
        connection: where the log is.
        notes: the heads.
        origins: the names under which heads of this log are signed.

    Refuses: what is no head, or that of another log.
    """
    head = log.head(connection)
    size, known_size, known, other = 0 if head is None else head.size, 0, None, False
    for note in notes:
        try:
            stated = checkpoint_of(note)
        except NoteFailed as fault:
            raise say_no(No.NOT_A_HEAD, why=str(fault)) from None
        if stated.origin not in origins:
            raise say_no(No.NOT_A_HEAD, why="it is of another log")
        differs = stated.size <= size and _root(connection, stated.size) != stated.root
        if differs or (stated.size > known_size and not other):
            known_size, known, other = stated.size, note, differs
    return Missing(size, known_size, known, other)


def _root(connection: Reading, size: int) -> bytes:
    return Tree(StoredHashes(connection)).root(size)
