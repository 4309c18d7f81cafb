"""Settings of the house, how printers were last, papers of both widths, pages that sign out.

Revision: 2026_11_17_settings
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_17_settings"
down_revision = "2026_11_17_printers"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("house_setting",)
SETTINGS = ("copies-alone", "hold-seconds", "idle-minutes")
AMOUNTS = ("approval", "second-tier", "tax-paper", "currency-report", "added-up")
STATES = ("queued", "sending", "confirmed", "sent", "unknown", "failed", "not-printed")
MORE_STATES = (*STATES[:-1], "aside", STATES[-1])
# Columns of the house that nobody could change: what they said is what is so at first.
BEFORE = {"hold_sales_seconds": "600", "reprints_alone": "1"}


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("house") as batch:
        for column in BEFORE:
            batch.drop_column(column)
    listed = ", ".join(f"'{setting}'" for setting in SETTINGS)
    op.create_table(
        "house_setting",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("manager", RowId, nullable=False),
        sa.CheckConstraint(f"name IN ({listed})", name=op.f("ck_house_setting_name")),
        sa.CheckConstraint("value >= 0", name=op.f("ck_house_setting_value")),
        sa.CheckConstraint("manager <> staff", name=op.f("ck_house_setting_two_people")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_house_setting_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_house_setting_staff")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f("fk_house_setting_manager")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_house_setting")),
    )
    op.create_table(
        "printer_condition",
        sa.Column("printer", RowId, autoincrement=False, nullable=False),
        sa.Column("near_end", sa.Boolean(), nullable=False),
        sa.Column("why", sa.String(100), nullable=True),
        sa.Column("since", Utc, nullable=False),
        sa.ForeignKeyConstraint(
            ["printer"], ["printer.id"], name=op.f("fk_printer_condition_printer")
        ),
        sa.PrimaryKeyConstraint("printer", name=op.f("pk_printer_condition")),
    )
    for table in APPEND_ONLY:
        _guard(table)
    op.add_column("sign_in", sa.Column("idle_minutes", sa.Integer(), nullable=True))
    op.add_column("sign_in", sa.Column("seen_at", Utc, nullable=True))
    _amounts((*AMOUNTS, "confirm", "confirm-large"))
    _key("entry", "roll")
    for table in ("queued_paper", "paper_event"):
        _states(table, MORE_STATES)


def downgrade() -> None:
    """Go back: of a paper that was made for two widths one stays."""
    _amounts(AMOUNTS)
    for table in ("queued_paper", "paper_event"):
        _states(table, STATES)
    _unguard("printed_paper")
    op.execute(
        "DELETE FROM printed_paper WHERE EXISTS (SELECT 1 FROM printed_paper AS other "
        "WHERE other.entry = printed_paper.entry AND other.roll < printed_paper.roll)"
    )
    _guard("printed_paper")
    _key("entry")
    with op.batch_alter_table("sign_in") as batch:
        batch.drop_column("seen_at")
        batch.drop_column("idle_minutes")
    op.drop_table("printer_condition")
    op.drop_table("house_setting")
    with op.batch_alter_table("house") as batch:
        for column, default in BEFORE.items():
            batch.add_column(
                sa.Column(column, sa.Integer(), server_default=default, nullable=False)
            )


def _key(*columns: str) -> None:
    """Have the papers that were made known by other columns."""
    _unguard("printed_paper")
    name = op.f("pk_printed_paper")
    with op.batch_alter_table("printed_paper") as batch:
        batch.drop_constraint(name, type_="primary")
        batch.create_primary_key(name, list(columns))
    _guard("printed_paper")


def _states(table: str, states: tuple[str, ...]) -> None:
    """Have a table know other states."""
    _choices(table, "state", states, guarded=table == "paper_event")


def _amounts(names: tuple[str, ...]) -> None:
    """Have the house know other amounts."""
    _choices("house_amount", "name", names, guarded=True)


def _choices(table: str, column: str, choices: tuple[str, ...], *, guarded: bool) -> None:
    """Have a column hold one of other choices; rows with what it cannot hold now are let go."""
    if guarded:
        _unguard(table)
    listed = ", ".join(f"'{choice}'" for choice in choices)
    op.execute(f"DELETE FROM {table} WHERE {column} NOT IN ({listed})")  # noqa: S608  our own names
    name = op.f(f"ck_{table}_{column}")
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"{column} IN ({listed})")
    if guarded:
        _guard(table)


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
