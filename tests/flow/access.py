"""Helpers of `test_access` that other tests use too."""

from typing import Literal

from argon2 import PasswordHasher

from app.audit.tags import Tag
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.permissions import Permission
from app.store.records.house import add_staff
from app.store.tables import Role
from tests.floor import ADA, Floor, secret_of


def somebody(floor: Floor, role: Role) -> str:
    """Somebody new in a role, by name."""
    name = f"New {role.value}"
    with floor.office.unit() as unit:
        add_staff(unit, name.upper(), name, role, floor.office.hasher.hash(secret_of(name)))
        added = {"staff": name.upper(), "change": "added", "role": role.value}
        floor.office.log(unit, Tag.STAFF, added)
        unit.commit()
    return name


def admin(floor: Floor) -> Actor:
    return at_console(floor.office, ADA, secret_of(ADA), Permission.STAFF_MANAGE)


class CountingHasher(PasswordHasher):
    """A hasher that keeps what it was asked to compare with."""

    def __init__(self) -> None:
        super().__init__(1, 8, 1)
        self.compared: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002
        self.compared.append(str(hash))
        return super().verify(hash, password)
