"""Helpers of `test_refill` that other tests use too."""

from collections.abc import Iterable

from app.audit.entry_copies import EntryCopy
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.cosign import cosign_log
from app.flow.look_for import look_for_missing
from app.flow.permissions import Permission
from app.flow.refill import Refilled, refill_log
from tests.floor import MAX, SAM, Floor, secret_of
from tests.keeping.evening import entries_of


def two(floor: Floor) -> tuple[Actor, Actor]:
    """The two who put back what is missing."""
    sam, max_ = (
        at_console(floor.office, name, secret_of(name), Permission.HOUSE_KEEP)
        for name in (SAM, MAX)
    )
    return sam, max_


def refill(floor: Floor, copy: Iterable[EntryCopy]) -> Refilled:
    look_for_missing(floor.office)
    return refill_log(floor.office, *two(floor), copy, "the regulator's copy")


def cosigned_size(floor: Floor) -> int:
    """Have the log cosigned as it is, and return its size."""
    cosign_log(floor.office, floor.two_keys)
    return len(entries_of(floor))
