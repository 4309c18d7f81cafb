"""The roles of surveillance, cage and compliance.

Revision: 2026_11_27_watching_roles
"""

import sqlalchemy as sa
from alembic import op

from app.store.schema import Unfit

revision = "2026_11_27_watching_roles"
down_revision = "2026_11_26_station_bucket"
branch_labels = None
depends_on = None

BEFORE = (
    "writer",
    "supervisor",
    "keno-manager",
    "outside-manager",
    "inspector",
    "regulator",
    "administrator",
)
NEW = ("surveillance", "cage", "compliance")
IN_A_NEW_ROLE = (
    "SELECT code FROM staff WHERE role IN ('surveillance', 'cage', 'compliance') ORDER BY code"
)


def upgrade() -> None:
    """Go forward: no one has one of the new roles yet."""
    _roles(BEFORE, (*BEFORE, *NEW))


def downgrade() -> None:
    """Go back, unless people have one of the roles: facts name them, so they cannot be removed."""
    people = op.get_bind().execute(sa.text(IN_A_NEW_ROLE)).scalars().all()
    if people:
        raise Unfit(f"the older version does not know the roles of {', '.join(people)}")
    _roles((*BEFORE, *NEW), BEFORE)


def _roles(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    before, after = (
        "role IN (" + ", ".join(f"'{role}'" for role in each) + ")" for each in (old, new)
    )
    if op.get_context().dialect.name == "postgresql":
        name = op.f("ck_staff_role")
        op.drop_constraint(name, "staff", type_="check")
        op.create_check_constraint(name, "staff", after)
        return
    # SQLite changes a constraint by copying the table, and cannot drop one that others refer to. So
    # the text of the constraint is changed in the schema itself: no row depends on it.
    bind = op.get_bind()
    version = bind.execute(sa.text("PRAGMA schema_version")).scalar_one()
    bind.execute(sa.text("PRAGMA writable_schema = ON"))
    changed = bind.execute(
        sa.text(
            "UPDATE sqlite_master SET sql = replace(sql, :before, :after)"
            " WHERE type = 'table' AND name = 'staff' AND instr(sql, :before) > 0"
        ),
        {"before": before, "after": after},
    )
    if changed.rowcount != 1:
        raise Unfit("the table staff has another check of its roles than this software gave it")
    bind.execute(sa.text(f"PRAGMA schema_version = {version + 1}"))
    bind.execute(sa.text("PRAGMA writable_schema = RESET"))
