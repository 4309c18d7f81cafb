"""From locked to payable: overrides, statements, outcomes, wins, certification, refunds, the caller.

Revision: 2026_11_16_wins
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Cents, Json, RowId, Utc

revision = "2026_11_16_wins"
down_revision = "2026_11_16_tickets"
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = (
    "attempt",
    "cancellation",
    "certification",
    "cosigned",
    "feed_event",
    "lock_statement",
    "outcome",
    "override",
    "refund",
    "release",
    "settlement",
    "share",
    "void_statement",
    "win",
)
TABLES = (
    "station_tries",
    "book_head",
    "feed_event",
    "lease",
    "live_ticket",
    "cosigned",
    "attempt",
    "lock_statement",
    "outcome",
    "override",
    "void_statement",
    "cancellation",
    "refund",
    "settlement",
    "share",
    "win",
    "certification",
    "release",
)
# What an account and a slip can be, before and after.
ACCOUNTS = ("drawer", "bank", "coupons", "prepaid", "write", "over-short")
MORE_ACCOUNTS = (
    "drawer",
    "bank",
    "coupons",
    "prepaid",
    "write",
    "wins",
    "wins-payable",
    "over-short",
)
SLIPS = ("ticket", "void")
MORE_SLIPS = ("ticket", "void", "refund", "aggregate")


def upgrade() -> None:
    """Go forward."""
    _create_tables()
    for table in APPEND_ONLY:
        _guard(table)
    op.add_column(
        "house",
        sa.Column("hold_sales_seconds", sa.Integer(), server_default="600", nullable=False),
    )
    op.add_column("series", sa.Column("interval_seconds", sa.Integer(), nullable=True))
    for name, default in (("opens_minutes", "0"), ("closes_minutes", "1440")):
        op.add_column(
            "series", sa.Column(name, sa.Integer(), server_default=default, nullable=False)
        )
    op.add_column("game", sa.Column("gaming_day", sa.String(length=40), nullable=True))
    op.add_column("game", sa.Column("held_why", sa.Text(), nullable=True))
    _check_again("posting", "account", MORE_ACCOUNTS)
    _check_again("print_job", "slip", MORE_SLIPS)


def downgrade() -> None:
    """Go back: what the older schema cannot hold goes with its tables."""
    _check_again("posting", "account", ACCOUNTS)
    _check_again("print_job", "slip", SLIPS)
    for column in ("held_why", "gaming_day"):
        op.drop_column("game", column)
    for column in ("closes_minutes", "opens_minutes", "interval_seconds"):
        op.drop_column("series", column)
    op.drop_column("house", "hold_sales_seconds")
    for table in reversed(TABLES):
        op.drop_table(table)


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
        "station_tries",
        sa.Column("staff", RowId, nullable=False),
        sa.Column("station", sa.String(length=40), nullable=False),
        sa.Column("failed_tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", Utc, nullable=True),
        sa.CheckConstraint("failed_tries >= 0", name=op.f("ck_station_tries_failed_tries")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_station_tries_staff")),
        sa.ForeignKeyConstraint(
            ["station"], ["station.code"], name=op.f("fk_station_tries_station")
        ),
        sa.PrimaryKeyConstraint("staff", "station", name=op.f("pk_station_tries")),
    )
    op.create_table(
        "book_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("size", RowId, nullable=False),
        sa.Column("frontier", Json, nullable=False),
        sa.Column("locks", Json, nullable=False),
        sa.Column("faults", Json, nullable=False),
        sa.Column("cards", Json, nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_book_head_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_book_head")),
    )
    op.create_table(
        "feed_event",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, nullable=False),
        sa.Column("facts", Json, nullable=False),
        sa.Column("happened_at", Utc, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_event")),
    )
    op.create_index("ix_feed_event_series_game", "feed_event", ["series", "game"])
    op.create_table(
        "lease",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("holder", sa.String(length=100), nullable=False),
        sa.Column("fence", RowId, nullable=False),
        sa.Column("until", Utc, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
    )
    op.create_table(
        "live_ticket",
        sa.Column("number", RowId, autoincrement=False, nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("first_game", RowId, nullable=False),
        sa.Column("last_game", RowId, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_live_ticket")),
    )
    op.create_index(op.f("ix_live_ticket_series"), "live_ticket", ["series"], unique=False)
    op.create_table(
        "cosigned",
        sa.Column("size", RowId, autoincrement=False, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["size"], ["log_checkpoint.size"], name=op.f("fk_cosigned_size")),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_cosigned")),
    )
    op.create_table(
        "attempt",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, nullable=False),
        sa.Column("begun_at", Utc, nullable=False),
        sa.ForeignKeyConstraint(
            ["series", "game"], ["game.series", "game.number"], name=op.f("fk_attempt_series_game")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    op.create_table(
        "lock_statement",
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, autoincrement=False, nullable=False),
        sa.Column("request", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["series", "game"],
            ["game.series", "game.number"],
            name=op.f("fk_lock_statement_series_game"),
        ),
        sa.PrimaryKeyConstraint("series", "game", name=op.f("pk_lock_statement")),
    )
    op.create_table(
        "outcome",
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, autoincrement=False, nullable=False),
        sa.Column("numbers", Json, nullable=True),
        sa.Column("document", Json, nullable=False),
        sa.Column("record", sa.LargeBinary(length=32), nullable=False),
        sa.Column("ended_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_outcome_entry")),
        sa.ForeignKeyConstraint(
            ["series", "game"], ["game.series", "game.number"], name=op.f("fk_outcome_series_game")
        ),
        sa.PrimaryKeyConstraint("series", "game", name=op.f("pk_outcome")),
        sa.UniqueConstraint("entry", name=op.f("uq_outcome_entry")),
    )
    op.create_table(
        "override",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, nullable=False),
        sa.Column("closed_before", Utc, nullable=True),
        sa.Column("closes_now", Utc, nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_override_entry")),
        sa.ForeignKeyConstraint(
            ["series", "game"], ["game.series", "game.number"], name=op.f("fk_override_series_game")
        ),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_override_staff")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_override")),
        sa.UniqueConstraint("entry", name=op.f("uq_override_entry")),
    )
    op.create_table(
        "void_statement",
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, autoincrement=False, nullable=False),
        sa.Column("statement", Json, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_void_statement_entry")),
        sa.ForeignKeyConstraint(
            ["series", "game"],
            ["game.series", "game.number"],
            name=op.f("fk_void_statement_series_game"),
        ),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_void_statement_staff")),
        sa.PrimaryKeyConstraint("series", "game", name=op.f("pk_void_statement")),
        sa.UniqueConstraint("entry", name=op.f("uq_void_statement_entry")),
    )
    op.create_table(
        "cancellation",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("first_cancelled", RowId, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.Column("back", Json, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("approver", RowId, nullable=True),
        sa.Column("with_code", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("cancelled_at", Utc, nullable=False),
        sa.Column("request", sa.String(length=40), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "approver IS NULL OR approver <> staff", name=op.f("ck_cancellation_two_people")
        ),
        sa.CheckConstraint("cents > 0", name=op.f("ck_cancellation_cents")),
        sa.CheckConstraint(
            "with_code OR approver IS NOT NULL", name=op.f("ck_cancellation_approved")
        ),
        sa.ForeignKeyConstraint(["approver"], ["staff.id"], name=op.f("fk_cancellation_approver")),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name=op.f("fk_cancellation_drawer")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_cancellation_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_cancellation_staff")),
        sa.ForeignKeyConstraint(
            ["station", "request"],
            ["asked.station", "asked.request"],
            name=op.f("fk_cancellation_station_request"),
        ),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_cancellation_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_cancellation_ticket")),
        sa.PrimaryKeyConstraint("ticket", name=op.f("pk_cancellation")),
        sa.UniqueConstraint("entry", name=op.f("uq_cancellation_entry")),
    )
    op.create_table(
        "refund",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("game", RowId, autoincrement=False, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.Column("back", Json, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("approver", RowId, nullable=True),
        sa.Column("with_code", sa.Boolean(), nullable=False),
        sa.Column("refunded_at", Utc, nullable=False),
        sa.Column("request", sa.String(length=40), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "approver IS NULL OR approver <> staff", name=op.f("ck_refund_two_people")
        ),
        sa.CheckConstraint("cents > 0", name=op.f("ck_refund_cents")),
        sa.CheckConstraint("with_code OR approver IS NOT NULL", name=op.f("ck_refund_approved")),
        sa.ForeignKeyConstraint(["approver"], ["staff.id"], name=op.f("fk_refund_approver")),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name=op.f("fk_refund_drawer")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_refund_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_refund_staff")),
        sa.ForeignKeyConstraint(
            ["station", "request"],
            ["asked.station", "asked.request"],
            name=op.f("fk_refund_station_request"),
        ),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_refund_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_refund_ticket")),
        sa.PrimaryKeyConstraint("ticket", "game", name=op.f("pk_refund")),
    )
    op.create_table(
        "settlement",
        sa.Column("attempt", RowId, nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("game", RowId, nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("tickets", sa.Integer(), nullable=False),
        sa.Column("handle_cents", Cents, nullable=False),
        sa.Column("winners", sa.Integer(), nullable=False),
        sa.Column("win_cents", Cents, nullable=False),
        sa.Column("paid_cents", Cents, nullable=False),
        sa.Column("limit_cents", Cents, nullable=True),
        sa.Column("in_full_below_cents", Cents, nullable=False),
        sa.Column("wins_digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("settled_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("paid_cents <= win_cents", name=op.f("ck_settlement_paid")),
        sa.ForeignKeyConstraint(["attempt"], ["attempt.id"], name=op.f("fk_settlement_attempt")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_settlement_entry")),
        sa.ForeignKeyConstraint(
            ["series", "game"],
            ["game.series", "game.number"],
            name=op.f("fk_settlement_series_game"),
        ),
        sa.PrimaryKeyConstraint("attempt", name=op.f("pk_settlement")),
        sa.UniqueConstraint("entry", name=op.f("uq_settlement_entry")),
        sa.UniqueConstraint("series", "game", "run", name=op.f("uq_settlement_series_game_run")),
    )
    op.create_table(
        "share",
        sa.Column("attempt", RowId, nullable=False),
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.ForeignKeyConstraint(["attempt"], ["attempt.id"], name=op.f("fk_share_attempt")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_share_ticket")),
        sa.PrimaryKeyConstraint("attempt", "ticket", name=op.f("pk_share")),
    )
    op.create_table(
        "win",
        sa.Column("attempt", RowId, nullable=False),
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("uncut_cents", Cents, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.CheckConstraint("cents > 0 AND cents <= uncut_cents", name=op.f("ck_win_cents")),
        sa.ForeignKeyConstraint(["attempt"], ["attempt.id"], name=op.f("fk_win_attempt")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_win_ticket")),
        sa.PrimaryKeyConstraint("attempt", "ticket", name=op.f("pk_win")),
    )
    op.create_table(
        "certification",
        sa.Column("attempt", RowId, nullable=False),
        sa.Column("verdict", sa.String(length=40), nullable=False),
        sa.Column("tickets", sa.Integer(), nullable=False),
        sa.Column("handle_cents", Cents, nullable=False),
        sa.Column("winners", sa.Integer(), nullable=False),
        sa.Column("differences", Json, nullable=False),
        sa.Column("certified_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "verdict IN ('certified', 'frozen')", name=op.f("ck_certification_verdict")
        ),
        sa.ForeignKeyConstraint(
            ["attempt"], ["settlement.attempt"], name=op.f("fk_certification_attempt")
        ),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_certification_entry")),
        sa.PrimaryKeyConstraint("attempt", name=op.f("pk_certification")),
        sa.UniqueConstraint("entry", name=op.f("uq_certification_entry")),
    )
    op.create_table(
        "release",
        sa.Column("attempt", RowId, nullable=False),
        sa.Column("supervisor", RowId, nullable=False),
        sa.Column("manager", RowId, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("released_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("supervisor <> manager", name=op.f("ck_release_two_people")),
        sa.ForeignKeyConstraint(
            ["attempt"], ["certification.attempt"], name=op.f("fk_release_attempt")
        ),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_release_entry")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f("fk_release_manager")),
        sa.ForeignKeyConstraint(["supervisor"], ["staff.id"], name=op.f("fk_release_supervisor")),
        sa.PrimaryKeyConstraint("attempt", name=op.f("pk_release")),
        sa.UniqueConstraint("entry", name=op.f("uq_release_entry")),
    )
