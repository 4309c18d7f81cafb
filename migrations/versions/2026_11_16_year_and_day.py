"""Gaming days that were closed, and wins that expired.

Revision: 2026_11_16_year_and_day
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Cents, Json, RowId, Utc

revision = "2026_11_16_year_and_day"
down_revision = "2026_11_16_writers_pay"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("day_close", "expiry")
# What an account can be, before and after.
ACCOUNTS = (
    "drawer", "bank", "coupons", "prepaid", "write", "wins", "wins-payable", "checks", "over-short",
)  # fmt: skip
MORE_ACCOUNTS = (
    "drawer", "bank", "coupons", "prepaid", "write", "wins", "wins-payable", "checks", "expired",
    "over-short",
)  # fmt: skip


def upgrade() -> None:
    """Go forward."""
    _create_tables()
    for table in APPEND_ONLY:
        _guard(table)
    _check_again("posting", "account", MORE_ACCOUNTS)


def downgrade() -> None:
    """Go back: what the older schema cannot hold goes with its tables."""
    _check_again("posting", "account", ACCOUNTS)
    for table in reversed(APPEND_ONLY):
        op.drop_table(table)


# Each migration has these for itself: what it does must not change with what a later one needs.
def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"


def _guard(table: str) -> None:
    """Have the database refuse every change of a table but adding."""
    if _is_postgresql():
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


def _unguard(table: str) -> None:
    if _is_postgresql():
        op.execute(f"DROP TRIGGER {table}_only_added ON {table}")
        return
    for act in ("update", "delete"):
        op.execute(f"DROP TRIGGER {table}_no_{act}")


def _check_again(table: str, column: str, choices: tuple[str, ...]) -> None:
    """Exchange the check of what a column can hold; rows that it cannot hold are let go."""
    listed = ", ".join(f"'{choice}'" for choice in choices)
    _unguard(table)
    op.execute(f"DELETE FROM {table} WHERE {column} NOT IN ({listed})")  # noqa: S608  our own names
    name = op.f(f"ck_{table}_{column}")
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"{column} IN ({listed})")
    _guard(table)


def _create_tables() -> None:
    op.create_table(
        "day_close",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("figures", Json, nullable=False),
        sa.Column("drawers", Json, nullable=False),
        sa.Column("frozen", Json, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("closed_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_day_close_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_day_close_staff")),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_day_close")),
        sa.UniqueConstraint("entry", name=op.f("uq_day_close_entry")),
    )
    op.create_table(
        "expiry",
        sa.Column("ticket", RowId, autoincrement=False, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.Column("expired_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("cents > 0", name=op.f("ck_expiry_cents")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_expiry_entry")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_expiry_ticket")),
        sa.PrimaryKeyConstraint("ticket", name=op.f("pk_expiry")),
    )
