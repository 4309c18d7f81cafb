"""Restored databases, what they lack, how long records are kept, and archives.

Revision: 2026_11_18_keeping
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_18_keeping"
down_revision = "2026_11_17_the_reports"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = (
    "restoration", "restoration_end", "lost_act", "log_origin", "retention", "archive",
)  # fmt: skip
KINDS = ("tickets", "drawers", "tax-papers", "paper", "access", "running")
ENDS = ("complete", "refilled", "new-origin")
# What may happen while entries are missing: people sign in to see it, and it is put right.
MEANWHILE = ("SIGN-IN", "SIGN-OUT", "ENROL", "REFUSED", "CALLER", "PROCESS", "BACKUP")
INCOMPLETE = (
    "EXISTS (SELECT 1 FROM restoration WHERE NOT EXISTS "
    "(SELECT 1 FROM restoration_end WHERE restoration_end.restoration = restoration.id))"
)


def upgrade() -> None:
    """Go forward."""
    _create_tables()
    for table in APPEND_ONLY:
        _guard(table)
    op.add_column("log_entry", sa.Column("archived", RowId, nullable=True))
    _guard_incomplete()


def downgrade() -> None:
    """Go back, unless that would lose what was restored, lost or archived."""
    for table in APPEND_ONLY:
        if op.get_bind().execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first():  # noqa: S608  our own
            raise RuntimeError(f"rows of {table} stand nowhere else; the schema is not taken back")
    if _is_postgresql():
        op.execute("DROP TRIGGER log_entry_complete ON log_entry")
        op.execute("DROP FUNCTION keno_complete()")
    else:
        op.execute("DROP TRIGGER log_entry_complete")
    # Not by batch: that makes the table anew, and every fact refers to it.
    op.execute("ALTER TABLE log_entry DROP COLUMN archived")
    for table in reversed(APPEND_ONLY):
        op.drop_table(table)


def _guard_incomplete() -> None:
    """Have the database refuse acts while the log lacks entries that were cosigned."""
    tags = ", ".join(f"'{tag}'" for tag in MEANWHILE)
    if _is_postgresql():
        op.execute(
            "CREATE FUNCTION keno_complete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF NEW.tag NOT IN ({tags}) AND {INCOMPLETE} THEN "
            "RAISE EXCEPTION 'entries of the log are missing'; END IF; RETURN NEW; END $$"
        )
        op.execute(
            "CREATE TRIGGER log_entry_complete BEFORE INSERT ON log_entry "
            "FOR EACH ROW EXECUTE FUNCTION keno_complete()"
        )
        return
    op.execute(
        "CREATE TRIGGER log_entry_complete BEFORE INSERT ON log_entry FOR EACH ROW "
        f"WHEN (NEW.tag NOT IN ({tags}) AND {INCOMPLETE}) BEGIN "
        "SELECT RAISE(ABORT, 'entries of the log are missing'); END"
    )


def _create_tables() -> None:
    op.create_table(
        "restoration",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("size", RowId, nullable=False),
        sa.Column("known", sa.Text(), nullable=True),
        sa.Column("noticed_at", Utc, nullable=False),
        sa.CheckConstraint("size >= 0", name=op.f("ck_restoration_size")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_restoration")),
    )
    op.create_table(
        "restoration_end",
        sa.Column("restoration", RowId, autoincrement=False, nullable=False),
        sa.Column("how", sa.String(40), nullable=False),
        sa.Column("ended_at", Utc, nullable=False),
        sa.CheckConstraint(f"how IN ({_listed(ENDS)})", name=op.f("ck_restoration_end_how")),
        sa.ForeignKeyConstraint(
            ["restoration"], ["restoration.id"], name=op.f("fk_restoration_end_restoration")
        ),
        sa.PrimaryKeyConstraint("restoration", name=op.f("pk_restoration_end")),
    )
    op.create_table(
        "lost_act",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_lost_act_entry")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_lost_act")),
    )
    op.create_table(
        "log_origin",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("origin", sa.String(100), nullable=False),
        sa.Column("size", RowId, nullable=False),
        sa.CheckConstraint("size >= 0", name=op.f("ck_log_origin_size")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_log_origin_entry")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_log_origin")),
        sa.UniqueConstraint("origin", name=op.f("uq_log_origin_origin")),
    )
    op.create_table(
        "retention",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("days", sa.Integer(), nullable=False),
        *_two_people("retention"),
        sa.CheckConstraint(f"kind IN ({_listed(KINDS)})", name=op.f("ck_retention_kind")),
        sa.CheckConstraint("days >= 366", name=op.f("ck_retention_days")),
    )
    op.create_table(
        "archive",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("before", sa.Date(), nullable=False),
        sa.Column("entries", RowId, nullable=False),
        sa.Column("file", sa.LargeBinary(32), nullable=False),
        *_two_people("archive"),
        sa.Column("archived_at", Utc, nullable=False),
        sa.CheckConstraint("entries >= 0", name=op.f("ck_archive_entries")),
        sa.UniqueConstraint("file", name=op.f("uq_archive_file")),
    )


def _two_people(table: str) -> list[sa.schema.SchemaItem]:
    """Return what says, in a table, which two did something together, and their entry."""
    return [
        sa.Column("staff", RowId, nullable=False),
        sa.Column("manager", RowId, nullable=False),
        sa.CheckConstraint("manager <> staff", name=op.f(f"ck_{table}_two_people")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f(f"fk_{table}_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f(f"fk_{table}_staff")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f(f"fk_{table}_manager")),
        sa.PrimaryKeyConstraint("entry", name=op.f(f"pk_{table}")),
    ]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


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
