"""Helpers of `test_access` that other tests use too."""

from app.audit.tags import Tag
from app.store.records.house import add_staff
from app.store.tables import Role
from tests.floor import Floor, secret_of


def somebody(floor: Floor, role: Role) -> str:
    """Somebody new in a role, by name."""
    name = f"New {role.value}"
    with floor.office.unit() as unit:
        add_staff(unit, name.upper(), name, role, floor.office.hasher.hash(secret_of(name)))
        added = {"staff": name.upper(), "change": "added", "role": role.value}
        floor.office.log(unit, Tag.STAFF, added)
        unit.commit()
    return name
