"""Payments without the whole code: what was shown, who looked wins up, tickets that were lost.

Revision: 2026_11_29_without_code
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_29_without_code"
down_revision = "2026_11_29_used_secrets"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("look_up", "lost_ticket", "shown_in_part")


def upgrade() -> None:
    """Go forward: a lost ticket is paid at no window, and so out of no drawer."""
    _create_look_up()
    _create_lost_ticket()
    _unguard("payout")
    with op.batch_alter_table("payout") as batch:
        batch.alter_column("drawer", existing_type=RowId, nullable=True)
        batch.create_check_constraint(
            op.f("ck_payout_drawer"), "drawer IS NOT NULL OR paid_by = 'check'"
        )
    _guard("payout")
    _create_shown_in_part()
    op.create_table(
        "code_tries",
        sa.Column("ticket", RowId, autoincrement=False, nullable=False),
        sa.Column("full_at", Utc, nullable=False),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_code_tries_ticket")),
        sa.PrimaryKeyConstraint("ticket", name=op.f("pk_code_tries")),
    )
    for table in APPEND_ONLY:
        _guard(table)


def downgrade() -> None:
    """Go back: payments of lost tickets, which had no drawer, are let go."""
    op.drop_table("code_tries")
    op.drop_table("shown_in_part")
    _unguard("payout")
    op.execute("DELETE FROM payout WHERE drawer IS NULL")
    with op.batch_alter_table("payout") as batch:
        batch.drop_constraint(op.f("ck_payout_drawer"), type_="check")
        batch.alter_column("drawer", existing_type=RowId, nullable=False)
    _guard("payout")
    op.drop_table("lost_ticket")
    op.drop_table("look_up")


def _create_look_up() -> None:
    op.create_table(
        "look_up",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("first", RowId, nullable=False),
        sa.Column("last", RowId, nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("looked_at", Utc, nullable=False),
        sa.CheckConstraint("first <= last AND wins >= 0", name=op.f("ck_look_up_numbers")),
        sa.ForeignKeyConstraint(["entry"], ["act.id"], name=op.f("fk_look_up_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_look_up_staff")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_look_up_station")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_look_up")),
    )
    op.create_index("ix_look_up_staff_last", "look_up", ["staff", "last"])


def _create_lost_ticket() -> None:
    op.create_table(
        "lost_ticket",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("salted", sa.LargeBinary(length=32), nullable=False),
        sa.Column("bought", sa.Text(), nullable=False),
        sa.Column("surveillance", sa.Text(), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("claimed_at", Utc, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["act.id"], name=op.f("fk_lost_ticket_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_lost_ticket_staff")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_lost_ticket_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_lost_ticket_ticket")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_lost_ticket")),
    )
    op.create_index("ix_lost_ticket_ticket", "lost_ticket", ["ticket"])


def _create_shown_in_part() -> None:
    name = "shown_in_part"
    op.create_table(
        name,
        sa.Column("ticket", RowId, autoincrement=False, nullable=False),
        sa.Column("how", sa.String(length=40), nullable=False),
        sa.Column("places", sa.String(length=40), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("salted", sa.LargeBinary(length=32), nullable=True),
        sa.Column("claim", RowId, nullable=True),
        sa.Column("procedure", sa.Text(), nullable=True),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("how IN ('digits', 'identity', 'claim')", name=op.f(f"ck_{name}_how")),
        sa.CheckConstraint(
            "(how = 'digits') = (places IS NOT NULL)", name=op.f(f"ck_{name}_places")
        ),
        sa.CheckConstraint(
            "(how = 'identity') = (sealed IS NOT NULL) AND (sealed IS NULL) = (salted IS NULL)",
            name=op.f(f"ck_{name}_identity"),
        ),
        sa.CheckConstraint("(how = 'claim') = (claim IS NOT NULL)", name=op.f(f"ck_{name}_claim")),
        sa.CheckConstraint("procedure IS NULL OR how = 'claim'", name=op.f(f"ck_{name}_procedure")),
        sa.ForeignKeyConstraint(["claim"], ["lost_ticket.entry"], name=op.f(f"fk_{name}_claim")),
        sa.ForeignKeyConstraint(["entry"], ["act.id"], name=op.f(f"fk_{name}_entry")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f(f"fk_{name}_ticket")),
        sa.PrimaryKeyConstraint("ticket", name=op.f(f"pk_{name}")),
        sa.UniqueConstraint("entry", name=op.f(f"uq_{name}_entry")),
    )


# Each migration has these for itself: what it does must not change with what a later one needs.
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


def _unguard(table: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(f"DROP TRIGGER {table}_only_added ON {table}")
        return
    for act in ("update", "delete"):
        op.execute(f"DROP TRIGGER {table}_no_{act}")
