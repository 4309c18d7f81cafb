"""Printers, the queue of what is to be printed, and what became of it.

Revision: 2026_11_17_printers
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_17_printers"
down_revision = "2026_11_17_patrons"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = ("printed_paper", "paper_event", "reprint")
# What a slip can be, before and after.
SLIPS = ("ticket", "void", "refund", "aggregate", "payout", "movement", "count")
MORE_SLIPS = (*SLIPS, "shift", "draw", "test")
STATES = ("queued", "sending", "confirmed", "sent", "unknown", "failed", "not-printed")
ROLLS = ("80mm", "58mm")


def upgrade() -> None:
    """Go forward: what was to be printed before is not queued, for there was no printer."""
    _check_again("print_job", "slip", MORE_SLIPS)
    with op.batch_alter_table("house") as batch:
        batch.add_column(
            sa.Column("reprints_alone", sa.Integer(), server_default="1", nullable=False)
        )
    _create_printers()
    _create_papers()
    _create_reprint()
    for table in APPEND_ONLY:
        _guard(table)


def downgrade() -> None:
    """Go back: what the older schema cannot hold goes with its tables."""
    for table in ("reprint", "paper_event", "printed_paper", "queued_paper"):
        op.drop_table(table)
    op.drop_table("station_printer")
    op.drop_table("printer")
    with op.batch_alter_table("house") as batch:
        batch.drop_column("reprints_alone")
    _check_again("print_job", "slip", SLIPS)


def _create_printers() -> None:
    op.create_table(
        "printer",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("address", sa.String(100), nullable=False),
        sa.Column("roll", sa.String(40), nullable=False),
        sa.CheckConstraint(_one_of("roll", ROLLS), name=op.f("ck_printer_roll")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_printer")),
        sa.UniqueConstraint("code", name=op.f("uq_printer_code")),
    )
    op.create_table(
        "station_printer",
        sa.Column("station", RowId, autoincrement=False, nullable=False),
        sa.Column("printer", RowId, nullable=False),
        sa.ForeignKeyConstraint(
            ["printer"], ["printer.id"], name=op.f("fk_station_printer_printer")
        ),
        sa.ForeignKeyConstraint(
            ["station"], ["station.id"], name=op.f("fk_station_printer_station")
        ),
        sa.PrimaryKeyConstraint("station", name=op.f("pk_station_printer")),
    )
    op.create_index("ix_station_printer_printer", "station_printer", ["printer"])


def _create_papers() -> None:
    op.create_table(
        "queued_paper",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("copy", RowId, autoincrement=False, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("state", sa.String(40), server_default="queued", nullable=False),
        sa.Column("why", sa.String(100), nullable=True),
        sa.CheckConstraint(_one_of("state", STATES), name=op.f("ck_queued_paper_state")),
        sa.CheckConstraint("copy >= 0", name=op.f("ck_queued_paper_copy")),
        sa.ForeignKeyConstraint(["entry"], ["print_job.entry"], name=op.f("fk_queued_paper_entry")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_queued_paper_station")),
        sa.PrimaryKeyConstraint("entry", "copy", name=op.f("pk_queued_paper")),
    )
    op.create_index("ix_queued_paper_station", "queued_paper", ["station", "entry", "copy"])
    op.create_table(
        "printed_paper",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.Column("roll", sa.String(40), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("made_at", Utc, nullable=False),
        sa.CheckConstraint(_one_of("roll", ROLLS), name=op.f("ck_printed_paper_roll")),
        sa.ForeignKeyConstraint(
            ["entry"], ["print_job.entry"], name=op.f("fk_printed_paper_entry")
        ),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_printed_paper")),
    )
    op.create_table(
        "paper_event",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.Column("copy", RowId, nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("why", sa.String(100), nullable=True),
        sa.Column("kicked", sa.Boolean(), nullable=False),
        sa.Column("happened_at", Utc, nullable=False),
        sa.CheckConstraint(_one_of("state", STATES), name=op.f("ck_paper_event_state")),
        sa.ForeignKeyConstraint(["entry"], ["print_job.entry"], name=op.f("fk_paper_event_entry")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper_event")),
    )
    op.create_index("ix_paper_event_entry", "paper_event", ["entry"])


def _create_reprint() -> None:
    op.create_table(
        "reprint",
        sa.Column("job", RowId, autoincrement=False, nullable=False),
        sa.Column("copy", RowId, autoincrement=False, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("approver", RowId, nullable=True),
        sa.Column("asked_at", Utc, nullable=False),
        sa.Column("request", sa.String(40), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("copy >= 1", name=op.f("ck_reprint_copy")),
        sa.CheckConstraint(
            "approver IS NULL OR approver <> staff", name=op.f("ck_reprint_two_people")
        ),
        sa.ForeignKeyConstraint(["approver"], ["staff.id"], name=op.f("fk_reprint_approver")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_reprint_entry")),
        sa.ForeignKeyConstraint(["job"], ["print_job.entry"], name=op.f("fk_reprint_job")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_reprint_staff")),
        sa.ForeignKeyConstraint(
            ["station", "request"],
            ["asked.station", "asked.request"],
            name=op.f("fk_reprint_station_request"),
        ),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_reprint_station")),
        sa.PrimaryKeyConstraint("job", "copy", name=op.f("pk_reprint")),
        sa.UniqueConstraint("entry", name=op.f("uq_reprint_entry")),
    )


# Each migration has these for itself: what it does must not change with what a later one needs.
def _one_of(column: str, choices: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{choice}'" for choice in choices)
    return f"{column} IN ({listed})"


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


def _check_again(table: str, column: str, choices: tuple[str, ...]) -> None:
    """Exchange the check of what a column can hold; rows that it cannot hold are let go."""
    _unguard(table)
    listed = ", ".join(f"'{choice}'" for choice in choices)
    op.execute(f"DELETE FROM {table} WHERE {column} NOT IN ({listed})")  # noqa: S608  our own names
    name = op.f(f"ck_{table}_{column}")
    with op.batch_alter_table(table) as batch:
        batch.drop_constraint(name, type_="check")
        batch.create_check_constraint(name, _one_of(column, choices))
    _guard(table)
