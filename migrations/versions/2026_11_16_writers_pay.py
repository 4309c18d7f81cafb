"""From payable to paid: payouts, approvals, tax papers, contacts, expiry, drawers, days.

Revision: 2026_11_16_writers_pay
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Cents, Json, RowId, Utc

revision = "2026_11_16_writers_pay"
down_revision = "2026_11_16_withheld"
branch_labels = None
depends_on = None

# All of them are facts: the database itself refuses to change or delete them.
APPEND_ONLY = (
    "house_amount",
    "drawer_move",
    "approval",
    "contact_act",
    "payout",
    "presentation",
    "tax_paper",
)
# What an account and a slip can be, before and after.
ACCOUNTS = ("drawer", "bank", "coupons", "prepaid", "write", "wins", "wins-payable", "over-short")
MORE_ACCOUNTS = (
    "drawer", "bank", "coupons", "prepaid", "write", "wins", "wins-payable", "checks",
    "over-short",
)  # fmt: skip
SLIPS = ("ticket", "void", "refund", "aggregate")
MORE_SLIPS = (*SLIPS, "payout", "movement", "count")
# In which state of a drawer there is only one at a station, before and after.
OPEN = "closed_at IS NULL"
IN_USE = "closed_at IS NULL AND suspended_at IS NULL"


def upgrade() -> None:
    """Go forward."""
    _create_tables()
    for table in APPEND_ONLY:
        _guard(table)
    op.add_column("ticket", sa.Column("prints_expiry", Utc, nullable=True))
    op.add_column("drawer", sa.Column("suspended_at", Utc, nullable=True))
    _one_at_a_station(IN_USE)
    _unguard("drawer_count")
    with op.batch_alter_table("drawer_count") as batch:
        for who in ("staff", "verifier"):
            batch.add_column(sa.Column(who, RowId, nullable=True))
            batch.create_foreign_key(op.f(f"fk_drawer_count_{who}"), "staff", [who], ["id"])
        batch.create_check_constraint(op.f("ck_drawer_count_two_people"), "verifier <> staff")
    _guard("drawer_count")
    _check_again("posting", "account", MORE_ACCOUNTS)
    _check_again("print_job", "slip", MORE_SLIPS)


def downgrade() -> None:
    """Go back: what the older schema cannot hold goes with its tables."""
    _check_again("print_job", "slip", SLIPS)
    _check_again("posting", "account", ACCOUNTS)
    _unguard("drawer_count")
    with op.batch_alter_table("drawer_count") as batch:
        batch.drop_constraint(op.f("ck_drawer_count_two_people"), type_="check")
        for who in ("verifier", "staff"):
            batch.drop_constraint(op.f(f"fk_drawer_count_{who}"), type_="foreignkey")
            batch.drop_column(who)
    _guard("drawer_count")
    op.execute("UPDATE drawer SET closed_at = suspended_at WHERE suspended_at IS NOT NULL")
    _one_at_a_station(OPEN)
    op.drop_column("drawer", "suspended_at")
    op.drop_column("ticket", "prints_expiry")
    for table in reversed(APPEND_ONLY):
        op.drop_table(table)


def _one_at_a_station(where: str) -> None:
    """Exchange the index that lets only one drawer be open at a station."""
    op.drop_index("uq_drawer_one_open_station", table_name="drawer")
    op.create_index(
        "uq_drawer_one_open_station",
        "drawer",
        ["station"],
        unique=True,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


# Each migration has these for itself: what it does must not change with what a later one needs.
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
        "house_amount",
        sa.Column("entry", RowId, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("from_day", sa.Date(), nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("manager", RowId, nullable=False),
        sa.CheckConstraint(
            "name IN ('approval', 'second-tier', 'tax-paper', 'currency-report', 'added-up')",
            name=op.f("ck_house_amount_name"),
        ),
        sa.CheckConstraint("cents > 0", name=op.f("ck_house_amount_cents")),
        sa.CheckConstraint("manager <> staff", name=op.f("ck_house_amount_two_people")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_house_amount_entry")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f("fk_house_amount_manager")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_house_amount_staff")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_house_amount")),
    )
    op.create_table(
        "drawer_move",
        sa.Column("entry", RowId, nullable=False),
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("act", sa.String(length=40), nullable=False),
        sa.Column("amounts", Json, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("approver", RowId, nullable=True),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("moved_at", Utc, nullable=False),
        sa.CheckConstraint(
            "act IN ('use', 'fill', 'bleed', 'suspend', 'resume', 'move', 'close', 'explain')",
            name=op.f("ck_drawer_move_act"),
        ),
        sa.CheckConstraint("approver <> staff", name=op.f("ck_drawer_move_two_people")),
        sa.ForeignKeyConstraint(["approver"], ["staff.id"], name=op.f("fk_drawer_move_approver")),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name=op.f("fk_drawer_move_drawer")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_drawer_move_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_drawer_move_staff")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_drawer_move_station")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_drawer_move")),
    )
    op.create_index(op.f("ix_drawer_move_drawer"), "drawer_move", ["drawer"])

    op.create_table(
        "approval",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("tier", sa.String(length=40), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.Column("seen", Json, nullable=False),
        sa.Column("given_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("tier IN ('supervisor', 'manager')", name=op.f("ck_approval_tier")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_approval_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_approval_staff")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_approval_ticket")),
        sa.PrimaryKeyConstraint("tier", "entry", name=op.f("pk_approval")),
    )
    op.create_index(op.f("ix_approval_ticket"), "approval", ["ticket"])
    op.create_table(
        "contact_act",
        sa.Column("entry", RowId, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("contact", sa.String(length=40), nullable=False),
        sa.Column("player_card", sa.String(length=40), nullable=True),
        sa.Column("gaming_day", sa.Date(), nullable=False),
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("in_cents", Cents, nullable=False),
        sa.Column("out_cents", Cents, nullable=False),
        sa.Column("cash_in_cents", Cents, nullable=False),
        sa.Column("cash_out_cents", Cents, nullable=False),
        sa.CheckConstraint("in_cents >= 0 AND out_cents >= 0", name=op.f("ck_contact_act_cents")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_contact_act_entry")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_contact_act_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_contact_act_ticket")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_contact_act")),
    )
    op.create_index(op.f("ix_contact_act_gaming_day"), "contact_act", ["gaming_day"])
    op.create_index(op.f("ix_contact_act_station_contact"), "contact_act", ["station", "contact"])

    op.create_table(
        "payout",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("cents", Cents, nullable=False),
        sa.Column("paid_by", sa.String(length=40), nullable=False),
        sa.Column("check_number", sa.String(length=40), nullable=True),
        sa.Column("payee", sa.LargeBinary(), nullable=True),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("approver", RowId, nullable=True),
        sa.Column("manager", RowId, nullable=True),
        sa.Column("with_code", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("paid_at", Utc, nullable=False),
        sa.Column("request", sa.String(length=40), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "(paid_by = 'check') = (check_number IS NOT NULL)", name=op.f("ck_payout_check_number")
        ),
        sa.CheckConstraint(
            "(paid_by = 'check') = (payee IS NOT NULL)", name=op.f("ck_payout_payee")
        ),
        sa.CheckConstraint("paid_by IN ('cash', 'check')", name=op.f("ck_payout_paid_by")),
        sa.CheckConstraint(
            "approver IS NULL OR approver <> staff", name=op.f("ck_payout_two_people")
        ),
        sa.CheckConstraint("cents > 0", name=op.f("ck_payout_cents")),
        sa.CheckConstraint(
            "manager IS NULL OR manager <> staff", name=op.f("ck_payout_two_people_more")
        ),
        sa.CheckConstraint(
            "with_code OR (approver IS NOT NULL AND reason IS NOT NULL)",
            name=op.f("ck_payout_approved"),
        ),
        sa.ForeignKeyConstraint(["approver"], ["staff.id"], name=op.f("fk_payout_approver")),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name=op.f("fk_payout_drawer")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_payout_entry")),
        sa.ForeignKeyConstraint(["manager"], ["staff.id"], name=op.f("fk_payout_manager")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_payout_staff")),
        sa.ForeignKeyConstraint(
            ["station", "request"],
            ["asked.station", "asked.request"],
            name=op.f("fk_payout_station_request"),
        ),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_payout_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_payout_ticket")),
        sa.PrimaryKeyConstraint("ticket", name=op.f("pk_payout")),
        sa.UniqueConstraint("check_number", name=op.f("uq_payout_check_number")),
        sa.UniqueConstraint("entry", name=op.f("uq_payout_entry")),
    )
    op.create_index(op.f("ix_payout_drawer"), "payout", ["drawer"])

    op.create_table(
        "presentation",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("why", sa.String(length=40), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("presented_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_presentation_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_presentation_staff")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_presentation_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_presentation_ticket")),
        sa.PrimaryKeyConstraint("ticket", name=op.f("pk_presentation")),
        sa.UniqueConstraint("entry", name=op.f("uq_presentation_entry")),
    )
    op.create_table(
        "tax_paper",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("game", RowId, autoincrement=False, nullable=False),
        sa.Column("win_cents", Cents, nullable=False),
        sa.Column("wager_cents", Cents, nullable=False),
        sa.Column("due_at_cents", Cents, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("salted", sa.LargeBinary(length=32), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("done_at", Utc, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name=op.f("fk_tax_paper_entry")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_tax_paper_staff")),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name=op.f("fk_tax_paper_station")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name=op.f("fk_tax_paper_ticket")),
        sa.PrimaryKeyConstraint("entry", name=op.f("pk_tax_paper")),
    )
    op.create_index(op.f("ix_tax_paper_ticket"), "tax_paper", ["ticket"])
