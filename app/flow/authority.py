"""On what authority money goes back over a ticket: the paper in hand, or a supervisor.

Void, refund and payment need the validation code, which only the paper has; without it, and where
the stage has a reason of its own, a supervisor approves by their own name and secret, at the
writer's station, and is never the writer.
"""

from collections.abc import Callable, Mapping
from functools import partial
from zoneinfo import ZoneInfo

from app.flow.access import Approval, approver
from app.flow.approvers import check_approver
from app.flow.asking import Answer, Asking, answer_once, answered_before, who_asks
from app.flow.code_tries import check_code
from app.flow.codes import part_of_code
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.amounts import Amount, amounts_on
from app.store.queries import paper, payments
from app.store.queries.people import Person, Worker
from app.store.queries.tickets import TicketRow
from app.store.unit import Unit

Approved = Mapping[Permission, Person]
"""Who approved an act, by what they were asked to approve it for."""

HELD = "held: lost entries"  # as acts over such a ticket say it in the log
NO_CODE = "the ticket's code is missing"
NOT_ALL = "not all of the ticket's code can be read"
WHY_HELD = "entries of the log were lost, and it may be settled already"

Act = Callable[[Approved, Unit, Worker], Answer]
"""What is done, approved by whom, within a unit of work, for a worker."""


def answer_approved(
    office: Office,
    asked: Asking,
    worker: Callable[[Unit], Worker],
    approvals: Mapping[Permission, Approval | None],
    act: Act,
) -> Answer:
    """Do once what is asked, on the approvals that there are; return the answer.

    What is done already is answered without asking the supervisor again. And only someone at work
    asks: or anyone could try supervisors' secrets, and lock them out.
    """
    given = {permission: each for permission, each in approvals.items() if each is not None}
    if given:
        before = answered_before(office, asked, worker)
        if before is not None:
            return before
    approved = {}
    for permission, approval in given.items():
        who = who_asks(office, worker)
        approved[permission] = approver(office, approval, who.station_code, permission, who.code)
    return answer_once(office, asked, worker, partial(act, approved))


def check_authority(  # noqa: PLR0913, PLR0917  who asks, over which ticket, and on what authority
    office: Office,
    unit: Unit,
    who: Worker,
    ticket: TicketRow,
    code: str | None,
    approved_by: Person | None,
    why_not_alone: str | None = None,
    *,
    in_part: bool = False,
) -> None:
    """Check the code of a ticket, and that a supervisor approved where one must.

    Args:
        office: the office.
        unit: the unit of work.
        who: the writer who asks.
        ticket: over which ticket.
        code: what was scanned or typed, if anything was.
        approved_by: the supervisor who approved, if any did.
        why_not_alone: what a supervisor must approve even if the code is right.
        in_part: whether a part of the code will do, with a supervisor.

    Refuses: a wrong code, whoever approves; any code, if too many were wrong and no supervisor
    approved; as `check_approver`; what must be approved and is not.
    """
    if code is not None:
        alone = approved_by is None
        check_code(office, unit, who, ticket, code, alone=alone, in_part=in_part)
    if approved_by is not None:
        large = second_amount(office, unit)
        check_approver(
            unit,
            approved_by.id,
            approved_by.name,
            who.staff,
            is_large=ticket.price_cents >= large,
            without_code=code is None,
        )
        return
    why = NO_CODE if code is None else why_not_alone
    if in_part and part_of_code(code) is not None:
        why = NOT_ALL
    if why is not None:
        raise say_no(No.APPROVAL_NEEDED, why=why)


def second_amount(office: Office, unit: Unit) -> int:
    """Return from how many cents on an act is of the second amount, today."""
    day = unit.now().astimezone(ZoneInfo(office.house.time_zone)).date()
    return amounts_on(day, payments.house_amounts(unit.connection))[Amount.SECOND_TIER]


def why_copied(unit: Unit, ticket: TicketRow) -> str | None:
    """Return why a supervisor is needed: there is a copy of the ticket; none if there is not.

    Or a writer who keeps a copy could take back what the patron paid, with the code from it. A
    payment says so for itself, among all else that it needs.
    """
    copied = paper.ticket_was_reprinted(unit.connection, ticket.number)
    return "there is a copy of the ticket" if copied else None


def check_held(unit: Unit, who: Worker, approved: Approved, *, held: bool) -> dict[str, object]:
    """Check that a manager approved money over a ticket that is held; return what the log says.

    A payment says so for itself, among all else that it needs.

    Refuses: where no manager outside keno approved, or they were disabled meanwhile.
    """
    if not held:
        return {}
    manager = approved.get(Permission.APPROVE_LARGE)
    if manager is None:
        raise say_no(No.MANAGER_NEEDED, why=WHY_HELD)
    check_approver(unit, manager.id, manager.name, who.staff, Permission.APPROVE_LARGE)
    return {"held": HELD, "manager": manager.code}
