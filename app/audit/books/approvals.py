"""Approvals: there where they must be, by somebody who may, of the very amount (15.6(b))."""

from collections.abc import Iterator, Mapping

from app.audit.books.patrons import paid_before
from app.audit.books.stored import Stored
from app.audit.faults import Fault
from app.keno.amounts import Amount, amounts_on
from app.store.queries.books import StoredPayout

SUPERVISING = {"supervisor", "keno-manager"}
OUTSIDE = {"outside-manager"}
APPROVED_BY_ONE = ("VOID", "CANCEL", "REFUND", "PAID", "DRAWER-MOVE", "TAX-PAPER")


def check_approvals(stored: Stored) -> Iterator[Fault]:
    """From an amount on a supervisor approved, from another a manager; neither was the writer."""
    yield from _check_roles(stored)
    given = {
        (each.ticket, each.tier, each.staff_code, each.cents): each.entry
        for each in sorted(stored.approvals, key=lambda each: -each.entry)
    }
    before = paid_before(stored)
    for payout in stored.payouts.values():
        amounts = amounts_of(stored, payout)
        cents = payout.cents
        if cents >= amounts[Amount.ADDED_UP]:
            others = (stored.payouts[each].cents for each in before.get(payout.entry, []))
            cents += sum(each for each in others if each >= amounts[Amount.ADDED_UP])
        body = stored.bodies.get(payout.entry, {})
        needed = {
            "supervisor": (Amount.APPROVAL, body.get("approver")),
            "manager": (Amount.SECOND_TIER, body.get("manager")),
        }
        for tier, (amount, by) in needed.items():
            if cents >= amounts[amount] and by is None:
                yield Fault("approvals", f"ticket {payout.ticket} was paid without a {tier}")
            if by is not None:
                entry = given.get((payout.ticket, tier, by, payout.cents))
                if entry is None or entry > payout.entry:
                    told = f"what {by} approved of ticket {payout.ticket} is not there"
                    yield Fault("approvals", told)


def amounts_of(stored: Stored, payout: StoredPayout) -> Mapping[Amount, int]:
    """Return the amounts of the day on which a ticket was paid."""
    return amounts_on(payout.paid_at.astimezone(stored.zone).date(), stored.amounts)


def _check_roles(stored: Stored) -> Iterator[Fault]:
    """Whoever approved had the role for it, as the log tells when they were added."""
    roles = {
        body["staff"]: body["role"]
        for body in (stored.bodies[entry] for entry in stored.tagged("STAFF"))
        if body["change"] == "added"
    }
    for entry in stored.tagged(*APPROVED_BY_ONE, "APPROVED"):
        body = stored.bodies[entry]
        by, manager, may = body.get("approver"), body.get("manager"), SUPERVISING
        if stored.tags[entry] == "APPROVED":
            may = SUPERVISING if body["tier"] == "supervisor" else OUTSIDE
        if by is not None and roles.get(by) not in may:
            yield Fault("approvals", f"entry {entry} was approved by {by}, who may not")
        elsewhere = "issued_at" in body and body["issued_at"] != body["station"]
        if by is None and (elsewhere or body.get("with_code") is False):
            yield Fault("approvals", f"entry {entry} took a supervisor, and there was none")
        if manager is not None and roles.get(manager) not in OUTSIDE:
            yield Fault("approvals", f"entry {entry} was approved by {manager}, who may not")
        if body.get("writer") is not None and body["writer"] in (by, manager):
            yield Fault("approvals", f"entry {entry} was approved by whoever did it")
