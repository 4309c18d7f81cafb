"""The books as they were worked out; what went back and what expired is found by its entry.

Revision: 2026_11_18_the_books
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_18_the_books"
down_revision = "2026_11_18_keeping"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("books_run",)
# Whoever works out the books reads everything by stretches of the log.
BY_ENTRY = ("refund", "expiry")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "books_run",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("gaming_day", sa.String(40), nullable=False),
        sa.Column("size", RowId, nullable=False),
        sa.Column("root", sa.LargeBinary(32), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("began_at", Utc, nullable=False),
        sa.CheckConstraint("size >= 0", name=op.f("ck_books_run_size")),
        sa.CheckConstraint("faults >= 0", name=op.f("ck_books_run_faults")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_books_run_entry")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_books_run")),
    )
    for table in APPEND_ONLY:
        _guard(table)
    for table in BY_ENTRY:
        op.create_index(op.f(f"ix_{table}_entry"), table, ["entry"])


def downgrade() -> None:
    """Go back: that the books were worked out stands in the log alone."""
    for table in BY_ENTRY:
        op.drop_index(op.f(f"ix_{table}_entry"), table)
    op.drop_table("books_run")


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
