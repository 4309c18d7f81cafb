"""A log of another name, when what is missing cannot be put back by anybody (X-recovery).

Both keys have agreed to it (`keno-rng origin`), in both journals: the act names the old name, the
head that is given up, and why. Here the house takes it over. What is left of the log goes on as it
is, leaf by leaf, so that anybody can see that it is the beginning of the old one; the first entry
of its own names the head that is given up. Of what was lost nothing is known.

Write order: there is one commit. The NEW-ORIGIN entry, the new name, and all that holds from then
on (`going_on`); then, game by game, whatever was drawn or voided in the lost stretch
(`pass_games`). *Crash before: the house waits as before, and the command is run again. Crash after:
it goes on.*
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.audit.checkpoints import checkpoint_of
from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.going_on import go_on
from app.flow.house_amounts import check_two_sides
from app.flow.missing import what_is_missing
from app.flow.office import Office
from app.flow.pass_games import hold_games, pass_games
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.rng_client import NotNow
from app.store.queries import keeping, log
from app.store.records import keeping as records
from app.store.records.settling import drop_book
from app.store.tables import HowEnded, LogOrigin
from app.store.unit import Unit


@dataclass(frozen=True)
class Renamed:
    """The log goes on under another name, without what was lost."""

    origin: str
    lost: int  # entries
    games: list[str]  # that were drawn or voided in the lost stretch


def start_new_origin(office: Office, supervisor: Actor, manager: Actor) -> Renamed:
    """Take over the name that both keys gave the log; and what was drawn in the lost stretch.

    Refuses: whoever may not; a house in which nothing is missing; what both keys have not agreed
    to, or of another head than the one that says what is missing; while a process does not answer.
    """
    check_two_sides(supervisor, manager)
    for actor in (supervisor, manager):
        permit(actor.role, Permission.HOUSE_KEEP)
    keyed = office.keyed
    if keyed is None:
        raise say_no(No.NOT_READY, why="this process was not told where they are.")
    try:
        act = keyed.new_origin()
        if act is None:
            raise say_no(No.NO_NEW_ORIGIN)
        agreed, passed = act["body"], []
        if agreed["new_origin"] != office.house.log_origin:
            with office.unit() as unit:
                hold_games(unit)
                still_acting(unit, supervisor, manager, what=Permission.HOUSE_KEEP)
                _take_name(office, unit, supervisor, manager, act)
                passed = pass_games(office, unit, keyed, supervisor.document())
                unit.commit()
            office.read_house_again()
    except NotNow as why:
        raise say_no(No.NOT_READY, why=str(why)) from None
    with office.database.reading() as connection:
        taken = keeping.earlier_origins(connection)
    if not taken:
        raise say_no(No.NO_NEW_ORIGIN)
    _, here = taken[-1]
    return Renamed(agreed["new_origin"], max(0, agreed["size"] - here), passed)


def _take_name(
    office: Office, unit: Unit, supervisor: Actor, manager: Actor, act: Mapping[str, Any]
) -> None:
    agreed = act["body"]
    missing = what_is_missing(unit.connection)
    if missing is None or missing.is_complete or missing.known is None:
        raise say_no(No.NOTHING_MISSING)
    head = checkpoint_of(missing.known)
    named = (agreed["old_origin"], agreed["size"], agreed["root"])
    kept, here = agreed["kept"], log.head(unit.connection)
    if named != (head.origin, head.size, head.root.hex()):
        raise say_no(No.NO_NEW_ORIGIN)
    if here is None or (kept["size"], kept["root"]) != (here.size, here.root.hex()):
        raise say_no(No.NO_NEW_ORIGIN)
    records.end_incomplete(unit, HowEnded.NEW_ORIGIN)
    body = {
        "old_origin": agreed["old_origin"],
        "new_origin": agreed["new_origin"],
        "size": agreed["size"],
        "root": agreed["root"],
        "size_here": missing.size,
        "root_here": kept["root"],
        "fork": agreed["fork"],
        "act": act,
        "reason": agreed["reason"],
        "supervisor": supervisor.code,
        "manager": manager.code,
        "at": supervisor.place,
        "time": time_text(unit.now()),
    }
    # Of a log that went another way nobody knows where it parted: any entry may be a ticket's.
    lost = missing.known_size if missing.other else missing.entries
    row = {"origin": office.house.log_origin, "size": missing.size}
    entry = go_on(office, unit, Tag.NEW_ORIGIN, body, lost, [(LogOrigin, row)])
    records.add_lost(unit, entry.id, missing.words())
    records.rename_log(unit, agreed["new_origin"])
    drop_book(unit)  # the second grader reads the log again
