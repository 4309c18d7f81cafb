"""On what authority money goes back: each check by itself, whoever else would stop the act."""

import pytest

from app.flow.access import at_work
from app.flow.authority import HELD, check_held
from app.flow.permissions import Permission
from app.store.queries import people
from tests.floor import MAX, WANDA, Floor
from tests.looking import refuses


@pytest.mark.rule("X-recovery", "X-access")
def test_the_manager_over_a_held_ticket_is_never_the_writer(floor: Floor) -> None:
    """No role writes tickets and manages from outside keno today; the check does not rely on it."""
    wanda = floor.writing()
    with floor.office.unit() as unit:
        who = at_work(wanda, Permission.TICKET_VOID)(unit)
        herself, max_ = (people.person_named(unit.connection, name) for name in (WANDA, MAX))
        assert herself is not None
        assert max_ is not None
        with refuses("approval.same_person"):
            check_held(unit, who, {Permission.APPROVE_LARGE: herself}, held=True)
        with refuses("approval.manager_needed"):
            check_held(unit, who, {Permission.APPROVE: max_}, held=True)
        said = check_held(unit, who, {Permission.APPROVE_LARGE: max_}, held=True)
        assert said == {"held": HELD, "manager": "MAX"}
        assert check_held(unit, who, {}, held=False) == {}
