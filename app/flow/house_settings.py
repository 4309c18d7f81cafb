"""Numbers that a house settles for itself, from now on: copies, holds, how long a page stays open.

A supervisor and a manager outside keno set them together, as they set amounts.

Write order: there is one commit. *Crash before: nothing was set. Crash after: it is.*
"""

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import still_acting
from app.flow.actor import Actor
from app.flow.house_amounts import check_two_sides
from app.flow.office import Office
from app.flow.permissions import Permission
from app.flow.refusals import No, say_no
from app.keno.house_settings import BOUNDS, Setting, is_within
from app.store.queries import house
from app.store.tables import HouseSetting


def change_setting(
    office: Office, supervisor: Actor, manager: Actor, setting: Setting, value: int
) -> None:
    """Settle a number, from now on.

    Refuses: whoever may not; two who are not one of keno and one outside of it; a number that is
    out of bounds.
    """
    check_two_sides(supervisor, manager)
    if not is_within(setting, value):
        bounds = BOUNDS[setting]
        raise say_no(No.SETTING_BOUNDS, name=setting, least=bounds.least, most=bounds.most)
    with office.unit() as unit:
        still_acting(unit, supervisor, manager, what=Permission.AMOUNT_SET)
        before = house.setting(unit.connection, setting)
        row = {
            "name": setting.value,
            "value": value,
            "staff": supervisor.staff,
            "manager": manager.staff,
        }
        body = {
            "name": setting.value,
            "before": before,
            "after": value,
            "supervisor": supervisor.code,
            "manager": manager.code,
            "at": supervisor.place,
            "time": time_text(unit.now()),
        }
        office.log_with(unit, Tag.SETTING, body, [(HouseSetting, row)])
        unit.commit()
