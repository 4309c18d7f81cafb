"""Helpers of `test_access` that other tests use too."""

from datetime import timedelta
from typing import Literal

from argon2 import PasswordHasher

from app.audit.tags import Tag
from app.clock import time_text
from app.flow.access import at_console
from app.flow.actor import Actor
from app.flow.permissions import Permission
from app.store.queries import people
from app.store.records.house import add_staff
from app.store.tables import Role, StaffChange
from tests.floor import ADA, SAM, Floor, secret_of


def somebody(floor: Floor, role: Role, name: str = "", code: str = "") -> str:
    """Somebody in a role who came two days ago, by name."""
    name = name or f"New {role.value}"
    code = code or name.upper()
    hashed = floor.office.hasher.hash(secret_of(name))
    with floor.office.unit() as unit:
        staff = add_staff(unit, code, name, role, hashed)
        two = [people.person_named(unit.connection, each) for each in (ADA, SAM)]
        came = unit.now() - timedelta(days=2)
        until = came + timedelta(days=1)
        row = {
            "staff": staff,
            "change": "added",
            "first": two[0].id if two[0] else 0,
            "second": two[1].id if two[1] else 0,
            "changed_at": came,
            "until": until,
        }
        body = {"staff": code, "change": "added", "role": role.value, "kind": "added"}
        by = {"by": "ADA", "second": "SAM"}
        times = {"until": time_text(until), "time": time_text(came)}
        floor.office.log_with(unit, Tag.STAFF, {**body, **by, **times}, [(StaffChange, row)])
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
