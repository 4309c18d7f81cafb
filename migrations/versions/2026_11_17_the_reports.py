"""Reports: what they are found by, what is unclaimed by day, which ones a house chose, their jobs.

Revision: 2026_11_17_the_reports
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Json, RowId, Utc

revision = "2026_11_17_the_reports"
down_revision = "2026_11_17_settings"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("report_choice",)
SETTINGS = ("copies-alone", "hold-seconds", "idle-minutes")
FORMATS = "format IN ('pdf', 'csv', 'json')"
STATES = "state IN ('queued', 'running', 'done', 'stopped', 'failed')"
# What stays true until it is said otherwise; few of the entries of a log.
STANDING = (
    "HOUSE", "STATION", "STAFF", "CARD", "CARD-ACCEPTED", "CARD-IN-FORCE", "SERIES", "AMOUNT",
    "SETTING", "PRINTER", "DAY-CLOSE",
)  # fmt: skip


def upgrade() -> None:
    """Go forward."""
    op.create_index("ix_game_gaming_day", "game", ["gaming_day"])
    op.create_index("ix_log_checkpoint_signed_at", "log_checkpoint", ["signed_at"])
    listed = sa.text("tag IN (" + ", ".join(f"'{tag}'" for tag in STANDING) + ")")
    op.create_index(
        "ix_log_entry_standing",
        "log_entry",
        ["tag", "id"],
        sqlite_where=listed,
        postgresql_where=listed,
    )
    op.add_column("day_close", sa.Column("unclaimed", Json, server_default="{}", nullable=False))
    _settings((*SETTINGS, "void-percent"))
    op.create_table(
        "report_choice",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("report", sa.String(40), nullable=False),
        sa.Column("format", sa.String(40), nullable=False),
        sa.Column("chosen", sa.Boolean(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.CheckConstraint(FORMATS, name=op.f("ck_report_choice_format")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_report_choice_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_report_choice_staff")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_report_choice")),
    )
    op.create_table(
        "report_job",
        sa.Column("job", sa.String(40), nullable=False),
        sa.Column("report", sa.String(40), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("format", sa.String(40), nullable=False),
        sa.Column("staff", RowId, nullable=True),
        sa.Column("asked_at", Utc, nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(100), nullable=True),
        sa.Column("why", sa.String(100), nullable=True),
        sa.Column("ended_at", Utc, nullable=True),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(FORMATS, name=op.f("ck_report_job_format")),
        sa.CheckConstraint(STATES, name=op.f("ck_report_job_state")),
        sa.CheckConstraint("first_day <= last_day", name=op.f("ck_report_job_days")),
        sa.CheckConstraint(
            "(state = 'done') = (digest IS NOT NULL)", name=op.f("ck_report_job_digest")
        ),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_report_job_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_report_job_staff")),
        sa.UniqueConstraint("entry", name=op.f("uq_report_job_entry")),
        sa.PrimaryKeyConstraint("job", name=op.f("pk_report_job")),
    )
    op.create_index("ix_report_job_state", "report_job", ["state", "entry"])
    op.create_index("ix_report_job_last_day", "report_job", ["last_day", "entry"])
    for table in APPEND_ONLY:
        _guard(table)


def downgrade() -> None:
    """Go back."""
    op.drop_table("report_job")
    op.drop_table("report_choice")
    _settings(SETTINGS)
    _unguard("day_close")
    with op.batch_alter_table("day_close") as batch:
        batch.drop_column("unclaimed")
    _guard("day_close")
    op.drop_index("ix_log_entry_standing", "log_entry")
    op.drop_index("ix_log_checkpoint_signed_at", "log_checkpoint")
    op.drop_index("ix_game_gaming_day", "game")


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
