"""Restored houses that went on: numbers they left out, tickets they hold; drawers are numbered.

Revision: 2026_11_19_going_on
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_19_going_on"
down_revision = "2026_11_18_the_books"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("resumption", "hold_end")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "resumption",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("last_number", RowId, nullable=False),
        sa.Column("left_out", RowId, nullable=False),
        sa.CheckConstraint("last_number >= 0", name=op.f("ck_resumption_last_number")),
        sa.CheckConstraint("left_out > 0", name=op.f("ck_resumption_left_out")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_resumption_entry")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_resumption")),
    )
    op.create_table(
        "hold_end",
        sa.Column("resumption", RowId, autoincrement=False, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("manager", RowId, nullable=False),
        sa.Column("ended_at", Utc, nullable=False),
        sa.CheckConstraint("manager <> staff", name=op.f("ck_hold_end_two_people")),
        sa.ForeignKeyConstraint(
            ["resumption"], ["resumption.entry"], name=op.f("fk_hold_end_resumption")
        ),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_hold_end_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_hold_end_staff")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f("fk_hold_end_manager")),
        sa.PrimaryKeyConstraint("resumption", name=op.f("pk_hold_end")),
    )
    for table in APPEND_ONLY:
        _guard(table)
    # Drawers get their numbers as tickets do: the entry of an opening names its drawer.
    op.execute("INSERT INTO counter SELECT 'drawer', coalesce(max(id), 0) FROM drawer")
    if _is_postgresql():
        op.execute("ALTER TABLE drawer ALTER COLUMN id DROP IDENTITY")


def downgrade() -> None:
    """Go back, unless a house went on: what it holds would be paid again."""
    for table in APPEND_ONLY:
        if op.get_bind().execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first():  # noqa: S608  our own
            raise RuntimeError(f"rows of {table} stand nowhere else; the schema is not taken back")
    if _is_postgresql():
        op.execute("ALTER TABLE drawer ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY")
        op.execute(
            "SELECT setval(pg_get_serial_sequence('drawer', 'id'), value + 1, false) "
            "FROM counter WHERE name = 'drawer'"
        )
    op.execute("DELETE FROM counter WHERE name = 'drawer'")
    for table in reversed(APPEND_ONLY):
        op.drop_table(table)


# Each migration has these for itself: what it does must not change with what a later one needs.
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


def _is_postgresql() -> bool:
    return op.get_context().dialect.name == "postgresql"
