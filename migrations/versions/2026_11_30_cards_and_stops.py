"""Who entered a promotion and went back to a card, what an acceptance compared; stopped sales.

Revision: 2026_11_30_cards_and_stops
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_30_cards_and_stops"
down_revision = "2026_11_29_without_code"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("sale_stop",)
SETTINGS = ("copies-alone", "hold-seconds", "idle-minutes", "void-percent")
# Columns that facts of cards get, and what each refers to.
COLUMNS = (
    ("card_acceptance", "against", "card"),
    ("card_term", "manager", "staff"),
)


def upgrade() -> None:
    """Go forward: of cards that are there, none is a promotion."""
    # A table to which others refer cannot be made anew on SQLite: no reference to the person.
    op.add_column("card", sa.Column("second", sa.String(40), nullable=True))
    for table, column, other in COLUMNS:
        _unguard(table)
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column(column, RowId, nullable=True))
            batch.create_foreign_key(op.f(f"fk_{table}_{column}"), other, [column], ["id"])
        _guard(table)
    _settings((*SETTINGS, "card-notice-minutes"))
    op.create_table(
        "sale_stop",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("series", sa.String(40), nullable=True),
        sa.Column("schedule", sa.String(40), nullable=True),
        sa.Column("spots", sa.Integer(), nullable=True),
        sa.Column("stopped", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("manager", RowId, nullable=True),
        sa.Column("at", Utc, nullable=False),
        sa.CheckConstraint(
            "(series IS NULL) <> (schedule IS NULL)", name=op.f("ck_sale_stop_one_thing")
        ),
        sa.CheckConstraint(
            "spots IS NULL OR (schedule IS NOT NULL AND spots BETWEEN 1 AND 80)",
            name=op.f("ck_sale_stop_spots"),
        ),
        sa.CheckConstraint("stopped OR manager IS NOT NULL", name=op.f("ck_sale_stop_two_resume")),
        sa.CheckConstraint("manager <> staff", name=op.f("ck_sale_stop_two_people")),
        sa.ForeignKeyConstraint(["entry"], ["act.id"], name=op.f("fk_sale_stop_entry")),
        sa.ForeignKeyConstraint(["series"], ["series.code"], name=op.f("fk_sale_stop_series")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_sale_stop_staff")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f("fk_sale_stop_manager")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_sale_stop")),
    )
    for table in APPEND_ONLY:
        _guard(table)


def downgrade() -> None:
    """Go back: what was stopped is sold again."""
    op.drop_table("sale_stop")
    _settings(SETTINGS)
    for table, column, _ in reversed(COLUMNS):
        _unguard(table)
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(op.f(f"fk_{table}_{column}"), type_="foreignkey")
            batch.drop_column(column)
        _guard(table)
    op.drop_column("card", "second")


def _settings(names: tuple[str, ...]) -> None:
    """Have the house know other settings; what it cannot know now is let go."""
    _unguard("house_setting")
    listed = ", ".join(f"'{name}'" for name in names)
    op.execute(f"DELETE FROM house_setting WHERE name NOT IN ({listed})")  # noqa: S608  our names
    name = op.f("ck_house_setting_name")
    with op.batch_alter_table("house_setting") as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, f"name IN ({listed})")
    _guard("house_setting")


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
