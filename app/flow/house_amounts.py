"""Amounts that a house sets for itself, from a day on: stricter than the rule, never looser.

A supervisor and a manager outside keno set them together, as they put rate cards into force.

Write order: there is one commit. *Crash before: nothing was set. Crash after: it is.*
"""

from datetime import datetime, time
from zoneinfo import ZoneInfo

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import permit, still_acting
from app.flow.actor import Actor
from app.flow.change_notice import change_notice
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.amounts import Dated, amounts_on, is_loose
from app.keno.money import LARGEST, dollars
from app.store.queries import payments
from app.store.tables import HouseAmount, Role


def set_amount(office: Office, supervisor: Actor, manager: Actor, dated: Dated) -> None:
    """Set an amount from a day on.

    Refuses: whoever may not; two who are not one of keno and one outside of it; a day that has
    begun; an amount that is looser than the rule, or than now before its notice is over.
    """
    check_two_sides(supervisor, manager)
    if not 1 <= dated.cents <= LARGEST or is_loose(dated):
        shown = dollars(dated.cents) if abs(dated.cents) <= LARGEST else "So much"
        raise say_no(No.AMOUNT_LOOSE, cents=shown)
    with office.unit() as unit:
        still_acting(unit, supervisor, manager, what=Permission.AMOUNT_SET)
        now = unit.now()
        if dated.from_day <= now.astimezone(ZoneInfo(office.house.time_zone)).date():
            raise say_no(No.AMOUNT_PAST, day=dated.from_day.isoformat())
        before = amounts_on(dated.from_day, payments.house_amounts(unit.connection))
        begins = datetime.combine(dated.from_day, time.min, ZoneInfo(office.house.time_zone))
        earliest = now + change_notice(office, unit)
        if dated.cents > before[dated.name] and begins < earliest:
            raise say_no(No.AMOUNT_SOON, earliest=office.moment(earliest))
        row = {
            "name": dated.name.value,
            "from_day": dated.from_day,
            "cents": dated.cents,
            "staff": supervisor.staff,
            "manager": manager.staff,
        }
        body = {
            "name": dated.name.value,
            "from_day": dated.from_day.isoformat(),
            "before_cents": before[dated.name],
            "after_cents": dated.cents,
            "supervisor": supervisor.code,
            "manager": manager.code,
            "at": supervisor.place,
            "time": time_text(now),
        }
        office.log_with(unit, Tag.AMOUNT, body, [(HouseAmount, row)])
        unit.commit()


def check_two_sides(supervisor: Actor, manager: Actor) -> None:
    """Check that one of keno and one outside of it settle something together.

    Refuses: whoever may not; two of the same side.
    """
    for actor in (supervisor, manager):
        permit(actor.role, Permission.AMOUNT_SET)
    if manager.role is not Role.OUTSIDE_MANAGER or supervisor.role is Role.OUTSIDE_MANAGER:
        raise say_no(No.TWO_SIDES)
