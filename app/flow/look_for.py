"""Looking for what a restored house lacks; if that is nothing, it goes on (X-recovery).

The inspector's process says what it has cosigned last: without its answer nobody knows. If it is
gone, a supervisor and a manager outside keno take it on themselves to say that no more was
cosigned; but never against a head that is known. However it is, the log tells who ended the
waiting, and on which head.

Write order: there is one commit. *Crash before: the house waits as before.*
"""

from dataclasses import dataclass

from app.audit.checkpoints import checkpoint_of
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.going_on import go_on
from app.flow.house_amounts import check_two_sides
from app.flow.missing import Missing, compared
from app.flow.office import Office
from app.flow.open_game import AUTOMATIC
from app.flow.pass_games import hold_games, pass_games
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.rng_client import KeyedProcesses, NotBelieved, NotNow
from app.store.queries import keeping, outcomes
from app.store.records import keeping as records
from app.store.tables import HowEnded
from app.store.unit import Unit
from rng.note import NoteFailed

TwoPeople = tuple[Actor, Actor]


@dataclass(frozen=True)
class Looked:
    """What was found when somebody looked, and whether the house goes on."""

    missing: Missing
    goes_on: bool

    def words(self) -> str:
        """Return it in a sentence or two."""
        if self.goes_on:
            return f"{self.missing.words()} The house goes on."
        if not self.missing.is_complete:
            told = "Nothing is sold, locked or paid until that is put right."
            return f"{self.missing.words()} {told}"
        return (
            "Nothing is missing of what is known here, but the inspector does not say what it has "
            "cosigned last. The house waits until it does, or a supervisor and a manager outside "
            "keno say that this is all (--as, --with)."
        )


def look_for_missing(
    office: Office, head: str | None = None, said_by: TwoPeople | None = None
) -> Looked:
    """Compare the log with every cosigned head that is known; end the waiting if all is there.

    Args:
        office: the office.
        head: a cosigned head that somebody has kept, as a note.
        said_by: the supervisor and the manager who say that no more was cosigned.

    Refuses: two who may not; a head that is not the log's, or not cosigned; while the inspector
    does not answer, if neither a head is given nor two say so; while both keys have agreed to a new
    name of the log; while the generator does not say which games it has drawn.
    """
    if said_by is not None:
        check_two_sides(*said_by)
        for actor in said_by:
            permit(actor.role, Permission.HOUSE_KEEP)
    keyed = office.keyed
    if keyed is None:
        raise say_no(No.NOT_READY, why="this process was not told where they are.")
    try:
        if head is not None:
            _check_head(keyed, head)
        told = _told(office, keyed, needed=head is None and said_by is None)
        with office.unit() as unit:
            hold_games(unit)
            still_acting(unit, *(said_by or ()), what=Permission.HOUSE_KEEP)
            notes = [note for note in (head, told.note) if note is not None]
            kept = outcomes.newest_cosigned(unit.connection)
            if kept is not None and checkpoint_of(kept).origin == office.house.log_origin:
                notes.append(kept)
            notes += keeping.known_heads(unit.connection)
            found = compared(unit.connection, notes, told.origins)
            goes_on = found.is_complete and (told.answers or said_by is not None)
            if goes_on and records.end_incomplete(unit, HowEnded.COMPLETE):
                _end(office, unit, keyed, found, told, said_by)
            elif not found.is_complete and found.known is not None:
                records.note_incomplete(unit, found.size, found.known)
            unit.commit()
    except NotNow as why:
        raise say_no(No.NOT_READY, why=str(why)) from None
    return Looked(found, goes_on)


def _check_head(keyed: KeyedProcesses, head: str) -> None:
    """Check that a head from a file was signed by the log and cosigned.

    Refuses: a text that is no head, and a head with other signatures.

    Raises:
        NotNow: the public keys cannot be read.
    """
    try:
        checkpoint_of(head)
        keyed.check_cosigned(head)
    except (NoteFailed, NotBelieved) as why:
        raise say_no(No.NOT_A_HEAD, why=str(why).rstrip(".")) from None


@dataclass(frozen=True)
class _Told:
    """What the inspector's process says: whether it answers, and its newest head."""

    answers: bool
    note: str | None
    origins: set[str]  # the names under which heads of this log are signed


def _told(office: Office, keyed: KeyedProcesses, *, needed: bool) -> _Told:
    """Return what the inspector says of the log; its name may be a newer one than ours.

    Then this is a house from before the new name, and what it has of the log is the beginning.

    Refuses: while the new name was not taken over by any house; a name that is two on from ours.

    Raises:
        NotNow: it does not answer, and that is needed.
    """
    ours = office.house.log_origin
    try:
        act = keyed.new_origin()
        before, name = (ours, ours) if act is None else _names(act["body"])
        if ours not in (before, name):
            why = f"the inspector's log is {name}, and was {before}: restore a newer backup."
            raise say_no(No.NOT_READY, why=why)
        note = keyed.newest_cosigned(name)
    except NotNow:
        if needed:
            raise
        return _Told(answers=False, note=None, origins={ours})
    if name != ours and (note is None or checkpoint_of(note).origin != name):
        raise say_no(No.ORIGIN_AGREED, origin=name)
    return _Told(answers=True, note=note, origins={ours, name})


def _names(act: dict[str, str]) -> tuple[str, str]:
    return act["old_origin"], act["new_origin"]


def _end(  # noqa: PLR0913, PLR0917  what was found, and on whose word it ends
    office: Office,
    unit: Unit,
    keyed: KeyedProcesses,
    found: Missing,
    told: _Told,
    said_by: TwoPeople | None,
) -> None:
    """Have a restored house go on that lacks nothing; games may have been drawn all the same."""
    supervisor, manager = said_by or (None, None)
    body = {
        "size": found.size,
        "known_size": found.known_size,
        "head": found.known,
        "inspector_answered": told.answers,
        "supervisor": supervisor and supervisor.code,
        "manager": manager and manager.code,
        "time": time_text(unit.now()),
    }
    go_on(office, unit, Tag.RESTORED, body, lost=0)
    pass_games(office, unit, keyed, supervisor.document() if supervisor else AUTOMATIC)
