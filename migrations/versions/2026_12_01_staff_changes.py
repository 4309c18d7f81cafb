"""Two people add a person, give them a password or enable them: a fact, with how long they wait.

Revision: 2026_12_01_staff_changes
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_12_01_staff_changes"
down_revision = "2026_11_30_logged_printers"
branch_labels = None
depends_on = None

APPEND_ONLY = ("staff_change",)


def upgrade() -> None:
    """Go forward: nobody who is here already has to wait."""
    op.create_table(
        "staff_change",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("change", sa.String(length=40), nullable=False),
        sa.Column("first", RowId, nullable=False),
        sa.Column("second", RowId, nullable=False),
        sa.Column("changed_at", Utc(), nullable=False),
        sa.Column("until", Utc(), nullable=False),
        sa.CheckConstraint(
            "change IN ('added', 're-keyed', 'enabled', 'returned', 'standby', 'off-standby', 'emergency')",
            name=op.f("ck_staff_change_change"),
        ),
        sa.CheckConstraint("first <> second", name=op.f("ck_staff_change_two_people")),
        sa.CheckConstraint(
            "staff <> first AND staff <> second", name=op.f("ck_staff_change_of_another")
        ),
        sa.ForeignKeyConstraint(["entry"], ["act.id"], name=op.f("fk_staff_change_entry")),
        *(
            sa.ForeignKeyConstraint([who], ["staff.id"], name=op.f(f"fk_staff_change_{who}"))
            for who in ("staff", "first", "second")
        ),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_staff_change")),
    )
    op.create_index("ix_staff_change_staff", "staff_change", ["staff", "entry"])
    op.create_index("ix_staff_change_until", "staff_change", ["until"])
    for table in APPEND_ONLY:
        _guard(table)


def downgrade() -> None:
    """Go back: one administrator does it alone again."""
    op.drop_table("staff_change")


# Each migration has this for itself: what it does must not change with what a later one needs.
def _guard(table: str) -> None:
    """Have the database refuse every change of a table but adding."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()"
        )
        return
    for act in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} BEGIN "
            f"SELECT RAISE(ABORT, 'facts are only ever added: {table}'); END"
        )
