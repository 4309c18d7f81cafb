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
RELEASING = {"outside-manager", "keno-manager"}
BACK = ("VOID", "CANCEL", "REFUND")
BY_TWO = ("RELEASED", "AMOUNT", "SETTING", "RETENTION", "HOLD-ENDED")
APPROVED = ("VOID", "CANCEL", "REFUND", "PAID", "DRAWER-MOVE", "TAX-PAPER", "APPROVED")


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

    def check(self, payout: StoredPayout, stretch: Stretch) -> Iterator[Fault]:
        """A payment was approved by whom it needed, of the very amount, before it was made."""
        amounts = amounts_of(stretch.house, payout)
        cents, before = payout.cents, self.before.take(payout.entry)
        if cents >= amounts[Amount.ADDED_UP]:
            cents += sum(each.cents for each in before if each.cents >= amounts[Amount.ADDED_UP])
        body = stretch.body(payout.entry)
        needed = {
            "supervisor": (Amount.APPROVAL, body.get("approver")),
            "manager": (Amount.SECOND_TIER, body.get("manager")),
        }
        if stretch.house.is_held(payout.ticket, payout.entry) and body.get("manager") is None:
            yield Fault("approvals", f"ticket {payout.ticket} was held, and paid without a manager")
        for tier, (amount, by) in needed.items():
            if cents >= amounts[amount] and by is None:
                yield Fault("approvals", f"ticket {payout.ticket} was paid without a {tier}")
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
        if by is not None and self._roles.get(by) not in may:
            yield Fault("approvals", f"entry {entry.id} was approved by {by}, who may not")
        elsewhere = "issued_at" in body and body["issued_at"] != body["station"]
        if by is None and (elsewhere or body.get("with_code") is False):
            yield Fault("approvals", f"entry {entry.id} took a supervisor, and there was none")
        backs = entry.tag in BACK and stretch.house.is_held(body["ticket"], entry.id)
        if backs and manager is None:
            told = f"entry {entry.id} gave back a ticket that was held, without a manager"
            yield Fault("approvals", told)
        if manager is not None and self._roles.get(manager) not in OUTSIDE:
            yield Fault("approvals", f"entry {entry.id} was approved by {manager}, who may not")
        if body.get("writer") is not None and body["writer"] in (by, manager):
            yield Fault("approvals", f"entry {entry.id} was approved by whoever did it")

    def _change(self, body: Mapping[str, Any]) -> None:
        who = body["staff"]
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


def _code(who: Any) -> str:  # noqa: ANN401  some entries name people with their role
    return str(who["staff"] if isinstance(who, dict) else who)
