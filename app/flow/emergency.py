"""No supervisor is there: two people name one from the standby list, for 12 hours (X-approver-new).

A manager outside keno and one of surveillance, cage or compliance, each by their own name and
secret, name a person whom an administrator and a supervisor or manager have put on the list before.
The person then has a supervisor's word at the stations, below the second amount. It rings at once,
and each entry of an act that they approved says so ("emergency").

Write order: there is one commit in each act. *Crash before: nothing is changed.*
"""

from datetime import timedelta

from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.approvers import check_waits
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.flow.staffing import check_two, note_change
from app.keno.refusals import quoted
from app.store.queries import people
from app.store.queries.people import Person
from app.store.tables import Change, Role
from app.store.unit import Unit

LASTS = timedelta(hours=12)
LISTED_FOR = timedelta(days=365)  # then the two say again who is on the list
OUTSIDE = (Role.OUTSIDE_MANAGER, Role.SURVEILLANCE, Role.CAGE, Role.COMPLIANCE)


def set_standby(
    office: Office, actor: Actor, second: Actor | None, name: str, *, listed: bool
) -> None:
    """Put a person on the standby list, or take them off it.

    Refuses: as `staffing.check_two`; nobody of that name; a person of keno.
    """
    permit(actor.role, Permission.STAFF_MANAGE)
    with office.unit() as unit:
        person = _named(unit, name)
        if person.role not in OUTSIDE:
            raise say_no(No.NOT_OUTSIDE)
        two = check_two(unit, actor, second, person)
        change = Change.STANDBY if listed else Change.OFF_STANDBY
        what = {"change": "put on standby" if listed else "taken off standby"}
        lasts = LISTED_FOR if listed else timedelta(0)
        note_change(office, unit, two, (person.id, person.code), change, {**what}, lasts)
        unit.commit()


def name_approver(office: Office, manager: Actor, second: Actor | None, name: str) -> None:
    """Have a person from the standby list approve as a supervisor for 12 hours.

    Refuses: a caller who is no manager outside keno, or is alone; a person who is one of the two,
    is disabled, is not on the list, or is new or has a password from another.
    """
    permit(manager.role, Permission.EMERGENCY_NAME)
    if second is None:
        raise say_no(No.EMERGENCY_TWO)
    permit(second.role, Permission.EMERGENCY_CONFIRM)
    with office.unit() as unit:
        person = _named(unit, name)
        still_acting(unit, manager, second, person=person.id)
        if person.id in (manager.staff, second.staff):
            raise say_no(No.EMERGENCY_TWO)
        held = _named(unit, name)
        if held.disabled:
            raise say_no(No.STAFF_DISABLED, name=held.name)
        if not people.is_on_standby(unit.connection, held.id, unit.now()):
            raise say_no(No.NOT_ON_STANDBY, name=held.name)
        for each, code in ((manager.staff, manager.code), (second.staff, second.code)):
            check_waits(unit, each, code, Permission.EMERGENCY_NAME)
        check_waits(unit, held.id, held.name, Permission.EMERGENCY_NAME)
        what: dict[str, object] = {"change": "named emergency approver"}
        whom = (held.id, held.code)
        note_change(office, unit, (manager, second), whom, Change.EMERGENCY, what, LASTS)
        unit.commit()


def _named(unit: Unit, name: str) -> Person:
    person = people.person_named(unit.connection, name)
    if person is None:
        raise say_no(No.NO_SUCH_STAFF, name=quoted(name))
    return person
