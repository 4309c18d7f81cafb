"""Approvals: there where they must be, by somebody who may, of the very amount (15.6(b))."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.audit.books.house import House
from app.audit.books.looks import Look, Thing
from app.audit.books.patrons import PaidBefore
from app.audit.books.stretch import Stretch
from app.audit.faults import Fault
from app.keno.amounts import Amount
from app.store.queries.books.rows import StoredEntry, StoredPayout

SUPERVISING = {"supervisor", "keno-manager"}
OUTSIDE = {"outside-manager"}
ACCOUNTING = {"compliance"}  # until there is a role for it
NEW = ("added", "returned")
NEVER = ""  # before every moment as entries have them
RELEASING = {"outside-manager", "keno-manager"}
BACK = ("VOID", "CANCEL", "REFUND")
BY_TWO = ("RELEASED", "AMOUNT", "SETTING", "RETENTION", "HOLD-ENDED", "SALE-RESUMED")
APPROVED = (
    "VOID", "CANCEL", "REFUND", "PAID", "DRAWER-MOVE", "TAX-PAPER", "APPROVED", "CARD-IN-FORCE",
)  # fmt: skip


def approvals() -> list[Look]:
    """From an amount on a supervisor approved, from another a manager; neither was the writer."""
    roles, paid = Roles(), Approvals()
    return [
        Look(Thing.ENTRY, roles.check),
        Look(Thing.CONTACT, paid.before.add),
        Look(Thing.PAYOUT, paid.check),
    ]


class Approvals:
    """Payments, each with those to the same patron before it."""

    def __init__(self) -> None:
        self.before = PaidBefore()

    def _together(self, payout: StoredPayout, counts_cents: int) -> int:
        """Return what an approval was about: the payment, and those that count with it."""
        before = self.before.take(payout.entry)
        if payout.cents < counts_cents:
            return payout.cents
        return payout.cents + sum(each.cents for each in before if each.cents >= counts_cents)

    def check(self, payout: StoredPayout, stretch: Stretch) -> Iterator[Fault]:
        """A payment was approved by whom it needed, of the very amount, before it was made."""
        amounts = amounts_of(stretch.house, payout)
        cents = self._together(payout, amounts[Amount.ADDED_UP])
        body = stretch.body(payout.entry)
        if how_shown(body) == "claim":  # which two pay it is looked at with the roles
            return
        is_large = cents >= amounts[Amount.APPROVAL]
        yield from _check_paper(payout, stretch, is_large=is_large)
        needed = {
            "supervisor": (Amount.APPROVAL, body.get("approver")),
            "manager": (Amount.SECOND_TIER, body.get("manager")),
        }
        for tier, (amount, by) in needed.items():
            if cents >= amounts[amount] and by is None:
                yield Fault("approvals", f"ticket {payout.ticket} was paid without a {tier}")
            yield from _check_given(stretch, payout, tier, by)


def _check_paper(payout: StoredPayout, stretch: Stretch, *, is_large: bool) -> Iterator[Fault]:
    """What was shown, when it was copied, and whether it was lost may take one more."""
    number, body = payout.ticket, stretch.body(payout.entry)
    how, manager = how_shown(body), body.get("manager")
    if manager is None and stretch.house.is_held(number, payout.entry):
        yield Fault("approvals", f"ticket {number} was held, and paid without a manager")
    if manager is None and (how == "identity" or (how == "digits" and is_large)):
        told = f"ticket {number} was paid without its whole code, and without a manager"
        yield Fault("approvals", told)
    late = stretch.late_copies.get(number)
    if manager is None and late is not None and late < payout.entry:
        told = f"ticket {number} was copied behind its draw, and paid without a manager"
        yield Fault("approvals", told)
    losses = stretch.lost.get(number, ())
    if body.get("approver") is None and any(each.entry < payout.entry for each in losses):
        yield Fault(
            "approvals", f"ticket {number} was reported lost, and paid without a supervisor"
        )


def how_shown(body: Mapping[str, Any]) -> str:
    """Return what was shown for a payment; entries from before say no more than that it was all."""
    return str((body.get("shown") or {"how": "code"})["how"])


def _check_given(
    stretch: Stretch, payout: StoredPayout, tier: str, by: str | None
) -> Iterator[Fault]:
    if by is not None and not _is_given(stretch, payout, tier, by):
        told = f"what {by} approved of ticket {payout.ticket} is not there"
        yield Fault("approvals", told)


def _is_given(stretch: Stretch, payout: StoredPayout, tier: str, by: str) -> bool:
    return any(
        (each.tier, each.staff_code, each.cents) == (tier, by, payout.cents)
        and each.entry <= payout.entry
        for each in stretch.approvals.get(payout.ticket, ())
    )


def amounts_of(house: House, payout: StoredPayout) -> Mapping[Amount, int]:
    """Return the amounts of the day on which a ticket was paid."""
    return house.amounts_on(payout.paid_at.astimezone(house.calendar.zone).date())


class Roles:
    """Whoever approved had the role for it and was not disabled then, as the log told it."""

    def __init__(self) -> None:
        self._added: dict[str, str] = {}  # the role that each was added with
        self._roles: dict[str, str] = {}  # of those who are not disabled
        self._named: dict[str, str] = {}  # until when somebody approves in an emergency
        self._waits: dict[str, str] = {}  # until when those who are new approve nothing

    def check(self, entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
        """Note who was added as what; and look at who approved."""
        body = entry.body
        if entry.tag == "STAFF":
            self._change(body)
        if entry.tag in BY_TWO:
            yield from self._check_two(entry)
        if entry.tag not in APPROVED:
            return
        by, manager, may = body.get("approver"), body.get("manager"), SUPERVISING
        if entry.tag == "APPROVED":
            may = SUPERVISING if body["tier"] == "supervisor" else OUTSIDE
        if entry.tag == "PAID" and how_shown(body) == "claim":
            may = ACCOUNTING
            yield from self._check_claim(entry)
        if by is not None and self._roles.get(by) not in may and not self._is_named(entry, by):
            yield Fault("approvals", f"entry {entry.id} was approved by {by}, who may not")
        yield from self._check_new(entry, by, manager)
        elsewhere = "issued_at" in body and body["issued_at"] != body["station"]
        if by is None and (elsewhere or body.get("with_code") is False):
            yield Fault("approvals", f"entry {entry.id} took a supervisor, and there was none")
        yield from _check_back(entry, stretch)
        if manager is not None and self._roles.get(manager) not in OUTSIDE:
            yield Fault("approvals", f"entry {entry.id} was approved by {manager}, who may not")
        if body.get("writer") is not None and body["writer"] in (by, manager):
            yield Fault("approvals", f"entry {entry.id} was approved by whoever did it")

    def _check_claim(self, entry: StoredEntry) -> Iterator[Fault]:
        """A lost ticket is paid by somebody from outside keno."""
        writer = entry.body["writer"]
        if self._roles.get(writer) not in OUTSIDE:
            yield Fault("approvals", f"entry {entry.id} was done by {writer}, who may not")

    def _is_named(self, entry: StoredEntry, by: str) -> bool:
        """Whether somebody was named to approve in an emergency, and the entry says so."""
        at = entry.body.get("time") or entry.body.get("voided_at") or NEVER
        is_marked = entry.tag != "APPROVED" and bool(entry.body.get("emergency"))
        return is_marked and by in self._roles and at <= self._named.get(by, NEVER)

    def _check_new(self, entry: StoredEntry, *approvers: str | None) -> Iterator[Fault]:
        """Nobody approved for whom it was too early."""
        at = entry.body.get("time") or entry.body.get("voided_at") or NEVER
        for each in approvers:
            if each is not None and at < self._waits.get(each, NEVER):
                yield Fault("approvals", f"entry {entry.id} was approved by {each}, who was new")

    def _change(self, body: Mapping[str, Any]) -> None:
        who = body["staff"]
        if body.get("kind") in NEW:
            self._waits[who] = body["until"]
        if body.get("kind") == "emergency":
            self._named[who] = body["until"]
        if body["change"] == "added":
            self._added[who] = self._roles[who] = body["role"]
        elif body["change"] == "disabled":
            self._roles.pop(who, None)
        elif body["change"] == "enabled" and who in self._added:
            self._roles[who] = self._added[who]

    def _check_two(self, entry: StoredEntry) -> Iterator[Fault]:
        """What takes a supervisor and a manager was the word of two, each of whom might."""
        supervisor, manager = (_code(entry.body[tier]) for tier in ("supervisor", "manager"))
        if supervisor == manager:
            yield Fault("approvals", f"entry {entry.id} took two, and was the word of one")
        elif self._roles.get(supervisor) not in SUPERVISING:
            yield Fault("approvals", f"entry {entry.id} was approved by {supervisor}, who may not")
        elif self._roles.get(manager) not in (RELEASING if entry.tag == "RELEASED" else OUTSIDE):
            yield Fault("approvals", f"entry {entry.id} was approved by {manager}, who may not")


def _check_back(entry: StoredEntry, stretch: Stretch) -> Iterator[Fault]:
    """What goes back for a ticket that is held takes a manager."""
    backs = entry.tag in BACK and stretch.house.is_held(entry.body["ticket"], entry.id)
    if backs and entry.body.get("manager") is None:
        told = f"entry {entry.id} gave back a ticket that was held, without a manager"
        yield Fault("approvals", told)


def _code(who: Any) -> str:  # noqa: ANN401  some entries name people with their role
    return str(who["staff"] if isinstance(who, dict) else who)
