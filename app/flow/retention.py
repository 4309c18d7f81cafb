"""How long records are kept at hand: settled by two people, never below the rule (X-retention).

Write order: there is one commit. *Crash before: nothing was settled. Crash after: it is.*
"""

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.house_amounts import check_two_sides
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.retention import CENTURY, PERIODS, RecordKind, is_allowed
from app.store.queries import keeping
from app.store.tables import Retention


def set_retention(
    office: Office, supervisor: Actor, manager: Actor, kind: RecordKind, days: int
) -> None:
    """Settle for how many days a kind of record is kept at hand, from now on.

    Refuses: whoever may not; two who are not one of keno and one outside of it; less than the rule.
    """
    check_two_sides(supervisor, manager)
    for actor in (supervisor, manager):
        permit(actor.role, Permission.HOUSE_KEEP)
    if not is_allowed(kind, days):
        least = PERIODS[kind].least
        raise say_no(No.RETENTION_SHORT, kind=kind.value, least=least, most=CENTURY)
    with office.unit() as unit:
        still_acting(unit, supervisor, manager, what=Permission.HOUSE_KEEP)
        before = keeping.retention(unit.connection, kind)
        row = {
            "kind": kind.value,
            "days": days,
            "staff": supervisor.staff,
            "manager": manager.staff,
        }
        body = {
            "kind": kind.value,
            "before": before,
            "after": days,
            "supervisor": supervisor.code,
            "manager": manager.code,
            "at": supervisor.place,
            "time": time_text(unit.now()),
        }
        office.log_with(unit, Tag.RETENTION, body, [(Retention, row)])
        unit.commit()
