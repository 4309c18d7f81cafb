"""Who may approve now: not oneself, not disabled, not new, not just given a password.

One administrator could otherwise make up a supervisor and a manager, and pay with them. So people
are added, given a password or enabled again by two people of two sides (`app.flow.staffing`), and:

- a new person approves nothing for 24 hours;
- a person who was given a password, or was enabled again, approves for 24 hours no act of either of
  those two, no payment without a code, nothing from the second amount on, and decides nothing about
  cards, people and printers.

In an emergency a person from the standby list has a supervisor's word for 12 hours, below the
second amount (`app.flow.emergency`); each entry of an act that they approved says so.

Those who were founded with the house wait for nothing: its ceremony saw them together.

Every approval passes two gates here: `check_permission`, where a person shows who they are, and
`check_approver`, in the transaction of the act (X-approver-new).
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from app.flow.permissions import APPROVING, FOR, Permission
from app.flow.refusals import No, say_no
from app.keno.refusals import Refused
from app.moments import moment_words
from app.store.queries import Reading, house, people
from app.store.queries.people import StaffChangeRow
from app.store.records.money import hold_person
from app.store.tables import Change
from app.store.unit import Unit

WAITS = timedelta(hours=24)
NEW = (Change.ADDED, Change.RETURNED)
WAITING = (*NEW, Change.RE_KEYED, Change.ENABLED)
# What a person who has a password from another, or was enabled again, does not decide for a day.
NOT_FOR_RE_KEYED = frozenset(
    {
        Permission.CARD_BRING,
        Permission.CARD_ACCEPT,
        Permission.CARD_PROMOTION_ENTER,
        Permission.CARD_PROMOTION_JOIN,
        Permission.LOST_TICKET_PAY,
        Permission.LOST_TICKET_ACCOUNT,
        Permission.PRINTER_MANAGE,
        Permission.PRINTER_MIND,
        Permission.STAFF_MANAGE,
        Permission.STAFF_CONFIRM,
        Permission.EMERGENCY_NAME,
        Permission.EMERGENCY_CONFIRM,
    }
)
WHY = {
    Permission.CARD_BRING: "rate cards",
    Permission.CARD_ACCEPT: "rate cards",
    Permission.CARD_PROMOTION_ENTER: "rate cards",
    Permission.CARD_PROMOTION_JOIN: "rate cards",
    Permission.LOST_TICKET_PAY: "payments without a code",
    Permission.LOST_TICKET_ACCOUNT: "payments without a code",
    Permission.PRINTER_MANAGE: "printers",
    Permission.PRINTER_MIND: "printers",
    Permission.STAFF_MANAGE: "people",
    Permission.STAFF_CONFIRM: "people",
    Permission.EMERGENCY_NAME: "people",
    Permission.EMERGENCY_CONFIRM: "people",
}


def check_permission(unit: Unit, staff: int, name: str, permission: Permission) -> None:
    """Check that a person does not have to wait before they approve anything of this kind.

    Refuses: a new person; a person who was given a password or enabled again, for cards, people and
    printers.
    """
    if permission in APPROVING:
        check_waits(unit, staff, name, permission)


def check_waits(unit: Unit, staff: int, name: str, permission: Permission) -> None:
    """Check the same of an act for which only a part of the permission has to wait.

    Refuses: as `check_permission`.
    """
    for change in waiting(unit, staff):
        _check_new(unit, change, name)
        if permission in NOT_FOR_RE_KEYED:
            raise _re_keyed(unit, change, name, WHY[permission])


def check_approver(  # noqa: PLR0913  who approves whose act, and what is special about it
    unit: Unit,
    staff: int,
    name: str,
    doer: int,
    what: Permission = Permission.APPROVE,
    *,
    is_large: bool = False,
    without_code: bool = False,
) -> None:
    """Hold a person who approves another's act until it is done, and check that they still may.

    Args:
        unit: the unit of work of the act.
        staff: who approves.
        name: their name.
        doer: whose act it is.
        what: as what they approve.
        is_large: the act is of the second amount or more.
        without_code: a payment whose code nobody has shown.

    Refuses: the doer's own approval; a person who is disabled by now; a person who was given a
    password or enabled again, for what `app.flow.approvers` says; an emergency approver from the
    second amount on, or whose time is over.
    """
    if staff == doer:
        raise say_no(No.APPROVER_SAME)
    if not hold_person(unit, staff):
        raise say_no(No.STAFF_DISABLED, name=name)
    for change in waiting(unit, staff):
        if doer in (change.first, change.second):
            raise _re_keyed(unit, change, name, "acts of those two")
        if without_code:
            raise _re_keyed(unit, change, name, "payments without a code")
        if is_large:
            raise _re_keyed(unit, change, name, "so large an amount")
    role = people.role_of(unit.connection, staff)
    if what is Permission.APPROVE and role not in FOR[what]:
        if not is_named(unit, staff):
            raise say_no(No.NOT_PERMITTED, role=role)
        if is_large:
            raise say_no(No.EMERGENCY_LARGE, name=name)
        unit.in_emergency.add(name)  # every entry of this act says so


def check_together(
    unit: Unit, actors: Iterable[tuple[int, str]], what: Permission | None = None
) -> None:
    """Check who acts, and that of several none was given a password by another of them.

    Args:
        unit: the unit of work of the act.
        actors: who acts, by id and name.
        what: as what they approve or decide, if they do.

    Refuses: as `check_permission`; one who was given a password by another, for 24 hours.
    """
    several = list(actors)
    if what is not None:
        for staff, name in several:
            check_permission(unit, staff, name, what)
    for staff, name in several if len(several) > 1 else ():
        for change in waiting(unit, staff):
            if {change.first, change.second} & {each for each, _ in several}:
                _check_new(unit, change, name)
                raise _re_keyed(unit, change, name, "acts of those two")


def waiting(unit: Unit, staff: int) -> list[StaffChangeRow]:
    """Return what was done with a person for which they still have to wait."""
    changes = people.changes_since(unit.connection, unit.now(), staff)
    return [each for each in changes if each.change in WAITING]


def is_named(unit: Unit, staff: int) -> bool:
    """Whether a person was named emergency approver, and still is."""
    changes = people.changes_since(unit.connection, unit.now(), staff)
    return any(each.change is Change.EMERGENCY for each in changes)


def _check_new(unit: Unit, change: StaffChangeRow, name: str) -> None:
    if change.change in NEW:
        until = _words(unit.connection, change.until)
        raise say_no(No.APPROVER_NEW, name=name, until=until)


def _re_keyed(unit: Unit, change: StaffChangeRow, name: str, what: str) -> Refused:
    until = _words(unit.connection, change.until)
    return say_no(No.APPROVER_RE_KEYED, name=name, until=until, what=what)


def _words(connection: Reading, at: datetime) -> str:
    here = house.house(connection)
    return moment_words(at, here.time_zone) if here is not None else ""
