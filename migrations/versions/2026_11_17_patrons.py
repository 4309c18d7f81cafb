"""Patrons: their acts by gaming day, which wins stand on a tax paper, and when closed days ended.

Revision: 2026_11_17_patrons
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Cents, RowId, Utc

revision = "2026_11_17_patrons"
down_revision = "2026_11_16_year_and_day"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("reported_win",)


def upgrade() -> None:
    """Go forward: a paper stands for the ticket that it was filled in for."""
    op.drop_index("ix_contact_act_station_contact", "contact_act")
    op.drop_index("ix_contact_act_gaming_day", "contact_act")
    op.create_index("ix_contact_act_contact", "contact_act", ["gaming_day", "station", "contact"])
    op.create_index("ix_contact_act_player_card", "contact_act", ["gaming_day", "player_card"])
    _create_reported_win()
    op.execute(
        "INSERT INTO reported_win (ticket, game, win_cents, wager_cents, entry) "
        "SELECT ticket, game, sum(win_cents), sum(wager_cents), min(entry) FROM tax_paper "
        "GROUP BY ticket, game"
    )
    for table in APPEND_ONLY:
        _guard(table)
    # A day that was closed before this had ended by then.
    _unguard("day_close")
    op.add_column("day_close", sa.Column("ends_at", Utc, nullable=True))
    op.execute("UPDATE day_close SET ends_at = closed_at")
    with op.batch_alter_table("day_close") as batch:
        batch.alter_column("ends_at", existing_type=Utc, nullable=False)
    _guard("day_close")


def downgrade() -> None:
    """Go back."""
    _unguard("day_close")
    with op.batch_alter_table("day_close") as batch:
        batch.drop_column("ends_at")
    _guard("day_close")
    op.drop_table("reported_win")
    op.drop_index("ix_contact_act_player_card", "contact_act")
    op.drop_index("ix_contact_act_contact", "contact_act")
    op.create_index("ix_contact_act_gaming_day", "contact_act", ["gaming_day"])
    op.create_index("ix_contact_act_station_contact", "contact_act", ["station", "contact"])


def _create_reported_win() -> None:
    op.create_table(
        "reported_win",
        sa.Column("ticket", RowId, autoincrement=False, nullable=False),
        sa.Column("game", RowId, autoincrement=False, nullable=False),
        sa.Column("win_cents", Cents, nullable=False),
        sa.Column("wager_cents", Cents, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "win_cents > 0 AND wager_cents >= 0", name=op.f("ck_reported_win_cents")
        ),
        sa.ForeignKeyConstraint(["entry"], ["tax_paper.entry"], name=op.f("fk_reported_win_entry")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_reported_win_ticket")),
        sa.PrimaryKeyConstraint("ticket", "game", name=op.f("pk_reported_win")),
    )
    op.create_index("ix_reported_win_entry", "reported_win", ["entry"])


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
