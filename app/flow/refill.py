"""Refilling the log of a restored house, up to a cosigned head; and the acts that it tells of.

From the regulator's copy entries come back with their bodies, and their acts are made again
(`rebuild`): a ticket that was sold after the backup can be paid with its paper. Where only tiles
are left, the leaf comes back without a body, under the tag LOST, and nobody knows what it was.

Nothing in a copy is believed: together with what is here the leaves must lead to the root that the
inspector has cosigned, or nothing is written. What became of games is asked of the inspector.

Write order: everything is one transaction: entries, places, tiles, head, the rows of every act,
what is lost, the REFILLED entry, and games that the generator has drawn and no entry tells of
(`pass_games`). *Crash before: nothing is refilled, and the house waits as before. Crash after: it
is complete.*
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.audit.checkpoints import checkpoint_of
from app.audit.entry_copies import EntryCopy, NotACopy
from app.audit.tags import Tag
from app.audit.tiles import Tree, full_tiles
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.going_on import go_on
from app.flow.house_amounts import check_two_sides
from app.flow.missing import what_is_missing
from app.flow.office import Office
from app.flow.pass_games import hold_games, pass_games
from app.flow.permissions import Permission
from app.flow.rebuild import rebuild_act
from app.flow.rebuild.context import Rebuilding
from app.flow.rebuild.games import signed_alone
from app.flow.refusals import No, say_no
from app.rng_client import Ended, KeyedProcesses, NotNow
from app.store.queries import house
from app.store.queries import log as queries
from app.store.queries.log import StoredHashes
from app.store.records import keeping as records
from app.store.records import log as log_records
from app.store.records import rebuilding
from app.store.records.settling import drop_book
from app.store.tables import HowEnded
from app.store.unit import Unit

ENDS = {"DRAW", "VOID-GAME"}
LOST_LEAF = "Only its hash is known: nobody knows what it was."


@dataclass(frozen=True)
class Refilled:
    """What came back: how many entries, how many acts, and what of which is lost."""

    size: int
    root: bytes
    entries: int
    without_body: int
    lost: list[tuple[int, str, str]]  # place, tag, and what is lost


@dataclass(frozen=True)
class _Placed:
    """An entry that has its place again; new, or one that waited here for it."""

    entry: int
    copy: EntryCopy
    is_new: bool


def refill_log(
    office: Office,
    supervisor: Actor,
    manager: Actor,
    copy: Iterable[EntryCopy],
    source: str,
) -> Refilled:
    """Put back what a restored log lacks, up to the cosigned head that is known; all or nothing.

    Args:
        office: the office.
        supervisor: who refills it.
        manager: who does so with them.
        copy: entries as somebody else has them; in any order, also more than are missing.
        source: where they come from, for the log.

    Refuses: whoever may not, or is disabled in what was lost; a house in which nothing is missing;
    a copy that lacks entries, or does not lead to the cosigned root; a log whose name both keys
    have given up; while what became of games cannot be asked for.
    """
    check_two_sides(supervisor, manager)
    for actor in (supervisor, manager):
        permit(actor.role, Permission.HOUSE_KEEP)
    keyed = office.keyed
    if keyed is None:
        raise say_no(No.NOT_READY, why="this process was not told where they are.")
    known, size = _known(office)
    target = checkpoint_of(known)
    found = _missing_entries(copy, size, target.size)
    for actor in (supervisor, manager):
        _check_not_disabled(actor, found)
    try:
        _check_name(office, keyed, target.origin)
        ended = _ended(keyed, found)
        with office.unit() as unit:
            hold_games(unit)
            still_acting(unit, supervisor, manager, what=Permission.HOUSE_KEEP)
            head = queries.head(unit.connection, held=True)
            if head is None or head.size != size:
                raise say_no(No.NOTHING_MISSING)
            records.end_incomplete(unit, HowEnded.REFILLED)
            placed = _put_back(unit, found)
            _lead_to(unit, size, placed, known)
            lost = _rebuilt(Rebuilding(office, unit, ended), placed)
            _check_renamed(unit, target.origin)
            hidden = sum(1 for each in found if each.body is None)
            drop_book(unit)  # the second grader reads the log again
            body = {
                "from_size": size,
                "size": target.size,
                "root": target.root.hex(),
                "source": source,
                "without_body": hidden,
                "lost": len(lost),
                "supervisor": supervisor.code,
                "manager": manager.code,
                "at": supervisor.place,
                "time": time_text(unit.now()),
            }
            go_on(office, unit, Tag.REFILLED, body, hidden)
            pass_games(office, unit, keyed, supervisor.document())
            unit.commit()
    except NotNow as why:
        raise say_no(No.NOT_READY, why=str(why)) from None
    office.read_house_again()
    told = [(each.copy.position, each.copy.tag or Tag.LOST.value, why) for each, why in lost]
    return Refilled(target.size, target.root, len(found), hidden, told)


def _known(office: Office) -> tuple[str, int]:
    with office.database.reading() as connection:
        missing = what_is_missing(connection)
    if missing is None or missing.is_complete or missing.known is None:
        raise say_no(No.NOTHING_MISSING)
    if missing.other:
        why = "what is here is not the beginning of it; a new log begins (two-keys.md)"
        raise say_no(No.WRONG_COPY, why=why)
    return missing.known, missing.size


def _missing_entries(copy: Iterable[EntryCopy], start: int, end: int) -> list[EntryCopy]:
    """Return the missing entries in the order of their places, with bodies where one has them.

    Refuses: a copy that lacks one, or that tells two of one place.
    """
    found: dict[int, EntryCopy] = {}
    try:
        for entry in copy:
            if not start <= entry.position < end:
                continue
            before = found.setdefault(entry.position, entry)
            if before.leaf != entry.leaf:
                raise say_no(No.WRONG_COPY, why=f"it has two leaves at place {entry.position}")
            if before.body is None:
                found[entry.position] = entry
    except NotACopy as fault:
        raise say_no(No.WRONG_COPY, why=str(fault)) from None
    lacking = next((place for place in range(start, end) if place not in found), None)
    if lacking is not None:
        raise say_no(No.WRONG_COPY, why=f"it does not have the entry at place {lacking}")
    return [found[place] for place in range(start, end)]


def _check_not_disabled(actor: Actor, found: Iterable[EntryCopy]) -> None:
    """Refuse somebody whom the missing entries tell to be disabled: the backup does not know."""
    said = (json.loads(each.body) for each in found if each.tag == "STAFF" and each.body)
    changes = [each["change"] for each in said if each["staff"] == actor.code]
    was = [change for change in changes if change in ("disabled", "enabled")]
    if was and was[-1] == "disabled":
        raise say_no(No.STAFF_DISABLED, name=actor.code)


def _check_name(office: Office, keyed: KeyedProcesses, origin: str) -> None:
    """Refuse to refill a log that both keys have given up: no head of it is cosigned any more.

    Raises:
        NotNow: the inspector does not answer.
    """
    act = keyed.new_origin()
    if act is not None and act["body"]["old_origin"] == origin == office.house.log_origin:
        raise say_no(No.ORIGIN_AGREED, origin=act["body"]["new_origin"])


def _ended(
    keyed: KeyedProcesses, found: Iterable[EntryCopy]
) -> Mapping[tuple[str, int], tuple[Ended, Any]]:
    """Return what became of the games that were drawn or voided, as the inspector has it.

    Raises:
        NotNow: it does not say.
    """
    ended = {}
    for each in found:
        if each.tag in ENDS and each.body is not None:
            said = json.loads(each.body)
            which = (said["series"], said["game"])
            ended[which] = keyed.ended_game(*which)
    return ended


def _put_back(unit: Unit, found: Iterable[EntryCopy]) -> list[_Placed]:
    """Add the entries that are not here; those that wait here for a place are the same."""
    waiting = {leaf: entry for entry, leaf in queries.pending(unit.connection)}
    placed = []
    for each in found:
        entry = waiting.get(each.leaf)
        if entry is not None:
            placed.append(_Placed(entry, each, is_new=False))
            continue
        values = {
            "tag": each.tag or Tag.LOST.value,
            "salt": each.salt or b"",
            "body": each.body or "",
            "leaf": each.leaf,
        }
        placed.append(_Placed(log_records.add_placed(unit, values), each, is_new=True))
    return placed


def _lead_to(unit: Unit, size: int, placed: Iterable[_Placed], known: str) -> None:
    """Give entries their places again, up to the head that was cosigned.

    Refuses: if they do not lead to its root.
    """
    target, hashes = checkpoint_of(known), StoredHashes(unit.connection)
    leaves = [(each.entry, each.copy.leaf) for each in placed]
    nodes = list(full_tiles(hashes, size, [leaf for _, leaf in leaves]))
    log_records.add_positions(unit, size, leaves)
    log_records.add_nodes(unit, nodes)
    if Tree(hashes).root(target.size) != target.root:
        raise say_no(No.WRONG_COPY, why="it does not lead to the root that was cosigned")
    rebuilding.move_head(unit, target.size, target.root)
    rebuilding.put_back_head(unit, target.size, signed_alone(known), known, unit.now())


def _check_renamed(unit: Unit, origin: str) -> None:
    """Check that the log has the name under which its head was cosigned.

    Refuses: if the entry that gave it that name came back without a body.
    """
    found = house.house(unit.connection)
    if found is None or found.log_origin != origin:
        raise say_no(No.WRONG_COPY, why=f"it does not tell how the log came to be {origin}")


def _rebuilt(here: Rebuilding, placed: Iterable[_Placed]) -> list[tuple[_Placed, str]]:
    """Make every act again that is not here; return what is lost."""
    lost = []
    for each in placed:
        tag, body = each.copy.tag, each.copy.body
        if not each.is_new:
            continue
        why: str | None = LOST_LEAF
        if tag is not None and body is not None:
            said = json.loads(body)
            why = rebuild_act(here, each.entry, tag, said)
            if tag == Tag.TICKET:  # its number is on paper, whatever became of the rest
                rebuilding.pass_number(here.unit, "ticket", said["number"])
        if why is not None:
            records.add_lost(here.unit, each.entry, why)
            lost.append((each, why))
    return lost
