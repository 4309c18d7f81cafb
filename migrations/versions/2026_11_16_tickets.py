"""The house, its people, cards, games, tickets, money, log and paper.

Revision: 2026_11_16_tickets
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Cents, Json, RowId, Utc

revision = "2026_11_16_tickets"
down_revision = None
branch_labels = None
depends_on = None

# Facts: the database itself refuses to change or delete them.
APPEND_ONLY = (
    "asked",
    "card",
    "card_acceptance",
    "card_term",
    "drawer_count",
    "log_checkpoint",
    "log_entry",
    "log_node",
    "log_position",
    "posting",
    "print_job",
    "tender",
    "ticket",
    "void",
)
TABLES = (
    "counter",
    "house",
    "location",
    "log_checkpoint",
    "log_entry",
    "log_head",
    "log_node",
    "series",
    "staff",
    "card",
    "location_series",
    "log_pending",
    "log_position",
    "station",
    "asked",
    "card_acceptance",
    "card_term",
    "drawer",
    "game",
    "print_job",
    "sign_in",
    "drawer_count",
    "posting",
    "ticket",
    "coupon",
    "tender",
    "void",
)


def upgrade() -> None:
    """Go forward."""
    if _is_postgresql():
        op.execute(
            "CREATE FUNCTION keno_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION 'facts are only ever added: %', TG_TABLE_NAME; END $$"
        )
        op.execute(
            "CREATE FUNCTION keno_locked_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "RAISE EXCEPTION 'a locked game never opens again'; END $$"
        )
    _create_tables()
    for table in APPEND_ONLY:
        _guard(table)
    _guard_games()
    op.execute("INSERT INTO counter (name, value) VALUES ('ticket', 0)")


def downgrade() -> None:
    """Go back."""
    for table in reversed(TABLES):
        op.drop_table(table)
    if _is_postgresql():
        op.execute("DROP FUNCTION keno_refuse()")
        op.execute("DROP FUNCTION keno_locked_stays()")


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


def _guard_games() -> None:
    """Have the database refuse to open a game again, or to forget one."""
    reopened = "WHEN (NEW.state = 'open' AND OLD.state <> 'open')"
    if _is_postgresql():
        op.execute(
            f"CREATE TRIGGER game_locked_stays BEFORE UPDATE ON game FOR EACH ROW {reopened} "
            "EXECUTE FUNCTION keno_locked_stays()"
        )
        op.execute(
            "CREATE TRIGGER game_stays BEFORE DELETE OR TRUNCATE ON game "
            "FOR EACH STATEMENT EXECUTE FUNCTION keno_refuse()"
        )
        return
    op.execute(
        f"CREATE TRIGGER game_locked_stays BEFORE UPDATE ON game FOR EACH ROW {reopened} BEGIN "
        "SELECT RAISE(ABORT, 'a locked game never opens again'); END"
    )
    op.execute(
        "CREATE TRIGGER game_stays BEFORE DELETE ON game BEGIN "
        "SELECT RAISE(ABORT, 'facts are only ever added: game'); END"
    )


def _create_tables() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", RowId, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counter"),
    )
    op.create_table(
        "house",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("jurisdiction", sa.String(length=100), nullable=False),
        sa.Column("log_origin", sa.String(length=100), nullable=False),
        sa.Column("time_zone", sa.String(length=100), nullable=False),
        sa.Column("day_starts_minutes", sa.Integer(), nullable=False),
        sa.Column("demonstration", sa.Boolean(), nullable=False),
        sa.Column("founded_at", Utc(), nullable=False),
        sa.CheckConstraint(
            "day_starts_minutes BETWEEN 0 AND 1439", name=op.f("ck_house_day_starts")
        ),
        sa.CheckConstraint("id = 1", name=op.f("ck_house_one")),
        sa.PrimaryKeyConstraint("id", name="pk_house"),
    )
    op.create_table(
        "location",
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.CheckConstraint("kind IN ('booth', 'satellite')", name=op.f("ck_location_kind")),
        sa.PrimaryKeyConstraint("code", name="pk_location"),
    )
    op.create_table(
        "log_checkpoint",
        sa.Column("size", RowId, autoincrement=False, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("signed_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("size", name="pk_log_checkpoint"),
    )
    op.create_table(
        "log_entry",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("tag", sa.String(length=40), nullable=False),
        sa.Column("salt", sa.LargeBinary(length=32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("leaf", sa.LargeBinary(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_log_entry"),
    )
    op.create_table(
        "log_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("size", RowId, nullable=False),
        sa.Column("root", sa.LargeBinary(length=32), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_log_head_one")),
        sa.CheckConstraint("size >= 0", name=op.f("ck_log_head_size")),
        sa.PrimaryKeyConstraint("id", name="pk_log_head"),
    )
    op.create_table(
        "log_node",
        sa.Column("level", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", RowId, autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.CheckConstraint("level >= 1", name=op.f("ck_log_node_level")),
        sa.PrimaryKeyConstraint("level", "place", name="pk_log_node"),
    )
    op.create_table(
        "series",
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("first_game", RowId, nullable=False),
        sa.CheckConstraint("first_game >= 1", name=op.f("ck_series_first_game")),
        sa.PrimaryKeyConstraint("code", name="pk_series"),
    )
    op.create_table(
        "staff",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=40), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("failed_tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", Utc(), nullable=True),
        sa.Column("disabled_at", Utc(), nullable=True),
        sa.CheckConstraint(
            "role IN ('writer', 'supervisor', 'keno-manager', 'outside-manager', 'inspector', 'regulator', 'administrator')",
            name=op.f("ck_staff_role"),
        ),
        sa.CheckConstraint("failed_tries >= 0", name=op.f("ck_staff_failed_tries")),
        sa.PrimaryKeyConstraint("id", name="pk_staff"),
        sa.UniqueConstraint("code", name="uq_staff_code"),
        sa.UniqueConstraint("name", name="uq_staff_name"),
    )
    op.create_table(
        "card",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("brought_at", Utc(), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_card_entry"),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_card_staff"),
        sa.PrimaryKeyConstraint("id", name="pk_card"),
        sa.UniqueConstraint("entry", name="uq_card_entry"),
        sa.UniqueConstraint("hash", name="uq_card_hash"),
    )
    op.create_table(
        "location_series",
        sa.Column("location", sa.String(length=40), nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["location"], ["location.code"], name="fk_location_series_location"
        ),
        sa.ForeignKeyConstraint(["series"], ["series.code"], name="fk_location_series_series"),
        sa.PrimaryKeyConstraint("location", "series", name="pk_location_series"),
    )
    op.create_table(
        "log_pending",
        sa.Column("entry", RowId, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_log_pending_entry"),
        sa.PrimaryKeyConstraint("entry", name="pk_log_pending"),
    )
    op.create_table(
        "log_position",
        sa.Column("position", RowId, autoincrement=False, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.Column("leaf", sa.LargeBinary(length=32), nullable=False),
        sa.CheckConstraint("position >= 0", name=op.f("ck_log_position_position")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_log_position_entry"),
        sa.PrimaryKeyConstraint("position", name="pk_log_position"),
        sa.UniqueConstraint("entry", name="uq_log_position_entry"),
    )
    op.create_table(
        "station",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("location", sa.String(length=40), nullable=False),
        sa.Column("enrolment", sa.LargeBinary(length=32), nullable=True),
        sa.Column("token", sa.LargeBinary(length=32), nullable=True),
        sa.Column("enrolled_at", Utc(), nullable=True),
        sa.Column("disabled_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["location"], ["location.code"], name="fk_station_location"),
        sa.PrimaryKeyConstraint("id", name="pk_station"),
        sa.UniqueConstraint("code", name="uq_station_code"),
        sa.UniqueConstraint("token", name="uq_station_token"),
    )
    op.create_table(
        "asked",
        sa.Column("station", RowId, nullable=False),
        sa.Column("request", sa.String(length=40), nullable=False),
        sa.Column("content", sa.LargeBinary(length=32), nullable=False),
        sa.Column("answer", Json(), nullable=False),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name="fk_asked_station"),
        sa.PrimaryKeyConstraint("station", "request", name="pk_asked"),
    )
    op.create_table(
        "card_acceptance",
        sa.Column("card", RowId, nullable=False),
        sa.Column("consent", sa.String(length=40), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("accepted_at", Utc(), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "consent IN ('supervisor', 'manager')", name=op.f("ck_card_acceptance_consent")
        ),
        sa.ForeignKeyConstraint(["card"], ["card.id"], name="fk_card_acceptance_card"),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_card_acceptance_entry"),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_card_acceptance_staff"),
        sa.PrimaryKeyConstraint("card", "consent", name="pk_card_acceptance"),
        sa.UniqueConstraint("entry", name="uq_card_acceptance_entry"),
    )
    op.create_table(
        "card_term",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("card", RowId, nullable=False),
        sa.Column("published_at", Utc(), nullable=False),
        sa.Column("effective_at", Utc(), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "published_at <= effective_at", name=op.f("ck_card_term_published_before")
        ),
        sa.ForeignKeyConstraint(["card"], ["card.id"], name="fk_card_term_card"),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_card_term_entry"),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_card_term_staff"),
        sa.PrimaryKeyConstraint("id", name="pk_card_term"),
        sa.UniqueConstraint("entry", name="uq_card_term_entry"),
    )
    op.create_index("ix_card_term_effective_at", "card_term", ["effective_at"], unique=False)
    op.create_table(
        "drawer",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("opened_at", Utc(), nullable=False),
        sa.Column("closed_at", Utc(), nullable=True),
        sa.Column("entry", RowId, nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_drawer_entry"),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_drawer_staff"),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name="fk_drawer_station"),
        sa.PrimaryKeyConstraint("id", name="pk_drawer"),
        sa.UniqueConstraint("entry", name="uq_drawer_entry"),
    )
    op.create_index(
        "uq_drawer_one_open_staff",
        "drawer",
        ["staff"],
        unique=True,
        sqlite_where=sa.text("closed_at IS NULL"),
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.create_index(
        "uq_drawer_one_open_station",
        "drawer",
        ["station"],
        unique=True,
        sqlite_where=sa.text("closed_at IS NULL"),
        postgresql_where=sa.text("closed_at IS NULL"),
    )
    op.create_table(
        "game",
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("number", RowId, autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=40), nullable=False),
        sa.Column("card", RowId, nullable=False),
        sa.Column("opened_at", Utc(), nullable=False),
        sa.Column("closes_at", Utc(), nullable=True),
        sa.Column("locked_at", Utc(), nullable=True),
        sa.Column("tickets", sa.Integer(), nullable=True),
        sa.Column("handle_cents", Cents(), nullable=True),
        sa.Column("lock_entry", RowId, nullable=True),
        sa.CheckConstraint(
            "(state = 'open') = (handle_cents IS NULL)", name=op.f("ck_game_handle")
        ),
        sa.CheckConstraint(
            "(state = 'open') = (locked_at IS NULL)", name=op.f("ck_game_locked_at")
        ),
        sa.CheckConstraint("(state = 'open') = (tickets IS NULL)", name=op.f("ck_game_tickets")),
        sa.CheckConstraint(
            "state IN ('open', 'locked', 'drawn', 'settled', 'certified', 'void', 'frozen')",
            name=op.f("ck_game_state"),
        ),
        sa.CheckConstraint("number >= 1", name=op.f("ck_game_number")),
        sa.CheckConstraint(
            "(state = 'open') = (lock_entry IS NULL)", name=op.f("ck_game_lock_entry")
        ),
        sa.ForeignKeyConstraint(["card"], ["card.id"], name="fk_game_card"),
        sa.ForeignKeyConstraint(["lock_entry"], ["log_entry.id"], name="fk_game_lock_entry"),
        sa.ForeignKeyConstraint(["series"], ["series.code"], name="fk_game_series"),
        sa.PrimaryKeyConstraint("series", "number", name="pk_game"),
        sa.UniqueConstraint("lock_entry", name="uq_game_lock_entry"),
    )
    op.create_index(
        "uq_game_one_open",
        "game",
        ["series"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "print_job",
        sa.Column("id", RowId, sa.Identity(always=True), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("slip", sa.String(length=40), nullable=False),
        sa.Column("payload", Json(), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("slip IN ('ticket', 'void')", name=op.f("ck_print_job_slip")),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_print_job_entry"),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name="fk_print_job_station"),
        sa.PrimaryKeyConstraint("id", name="pk_print_job"),
        sa.UniqueConstraint("entry", name="uq_print_job_entry"),
    )
    op.create_table(
        "sign_in",
        sa.Column("token", sa.LargeBinary(length=32), nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("since", Utc(), nullable=False),
        sa.Column("until", Utc(), nullable=False),
        sa.Column("ended_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_sign_in_staff"),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name="fk_sign_in_station"),
        sa.PrimaryKeyConstraint("token", name="pk_sign_in"),
    )
    op.create_index("ix_sign_in_staff", "sign_in", ["staff"], unique=False)
    op.create_table(
        "drawer_count",
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("closing", sa.Boolean(), nullable=False),
        sa.Column("counted", Json(), nullable=False),
        sa.Column("cents", Cents(), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint("cents >= 0", name=op.f("ck_drawer_count_cents")),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name="fk_drawer_count_drawer"),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_drawer_count_entry"),
        sa.PrimaryKeyConstraint("drawer", "closing", name="pk_drawer_count"),
        sa.UniqueConstraint("entry", name="uq_drawer_count_entry"),
    )
    op.create_table(
        "posting",
        sa.Column("entry", RowId, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("drawer", RowId, nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=True),
        sa.Column("cents", Cents(), nullable=False),
        sa.CheckConstraint(
            "(account = 'drawer') = (drawer IS NOT NULL)", name=op.f("ck_posting_drawer")
        ),
        sa.CheckConstraint(
            "(account = 'drawer') = (kind IS NOT NULL)", name=op.f("ck_posting_drawer_kind")
        ),
        sa.CheckConstraint(
            "account IN ('drawer', 'bank', 'coupons', 'prepaid', 'write', 'over-short')",
            name=op.f("ck_posting_account"),
        ),
        sa.CheckConstraint(
            "kind IN ('currency', 'coin', 'chips', 'coupon', 'tokens')",
            name=op.f("ck_posting_kind"),
        ),
        sa.CheckConstraint("cents <> 0", name=op.f("ck_posting_cents")),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name="fk_posting_drawer"),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_posting_entry"),
        sa.PrimaryKeyConstraint("entry", "place", name="pk_posting"),
    )
    op.create_index("ix_posting_drawer", "posting", ["drawer"], unique=False)
    op.create_table(
        "ticket",
        sa.Column("number", RowId, autoincrement=False, nullable=False),
        sa.Column("series", sa.String(length=40), nullable=False),
        sa.Column("first_game", RowId, nullable=False),
        sa.Column("last_game", RowId, nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("source", sa.String(length=40), nullable=False),
        sa.Column("replay_of", RowId, nullable=True),
        sa.Column("play", Json(), nullable=False),
        sa.Column("card", RowId, nullable=False),
        sa.Column("price_per_game_cents", Cents(), nullable=False),
        sa.Column("price_cents", Cents(), nullable=False),
        sa.Column("tendered_cents", Cents(), nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("sold_at", Utc(), nullable=False),
        sa.Column("code_key", sa.Integer(), nullable=False),
        sa.Column("request", sa.String(length=40), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "(source = 'ticket') = (replay_of IS NOT NULL)", name=op.f("ck_ticket_replay_of")
        ),
        sa.CheckConstraint(
            "source IN ('request', 'quick-pick', 'ticket')", name=op.f("ck_ticket_source")
        ),
        sa.CheckConstraint(
            "type IN ('straight', 'split', 'way', 'combination', 'king')",
            name=op.f("ck_ticket_type"),
        ),
        sa.CheckConstraint(
            "games >= 1 AND last_game = first_game + games - 1", name=op.f("ck_ticket_games")
        ),
        sa.CheckConstraint("number >= 1", name=op.f("ck_ticket_number")),
        sa.CheckConstraint(
            "price_cents = price_per_game_cents * games", name=op.f("ck_ticket_price")
        ),
        sa.CheckConstraint("price_per_game_cents > 0", name=op.f("ck_ticket_price_per_game")),
        sa.CheckConstraint("tendered_cents >= price_cents", name=op.f("ck_ticket_tendered")),
        sa.ForeignKeyConstraint(["card"], ["card.id"], name="fk_ticket_card"),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name="fk_ticket_drawer"),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_ticket_entry"),
        sa.ForeignKeyConstraint(["replay_of"], ["ticket.number"], name="fk_ticket_replay_of"),
        sa.ForeignKeyConstraint(
            ["series", "first_game"],
            ["game.series", "game.number"],
            name="fk_ticket_series_first_game",
        ),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_ticket_staff"),
        sa.ForeignKeyConstraint(
            ["station", "request"],
            ["asked.station", "asked.request"],
            name="fk_ticket_station_request",
        ),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name="fk_ticket_station"),
        sa.PrimaryKeyConstraint("number", name="pk_ticket"),
        sa.UniqueConstraint("entry", name="uq_ticket_entry"),
    )
    op.create_index("ix_ticket_series_last_game", "ticket", ["series", "last_game"], unique=False)
    op.create_table(
        "coupon",
        sa.Column("serial", sa.String(length=40), nullable=False),
        sa.Column("ticket", RowId, nullable=True),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name="fk_coupon_ticket"),
        sa.PrimaryKeyConstraint("serial", name="pk_coupon"),
    )
    op.create_table(
        "tender",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("cents", Cents(), nullable=False),
        sa.Column("serial", sa.String(length=40), nullable=True),
        sa.CheckConstraint(
            "(kind = 'coupon') = (serial IS NOT NULL)", name=op.f("ck_tender_serial")
        ),
        sa.CheckConstraint(
            "kind IN ('currency', 'coin', 'chips', 'coupon', 'tokens')", name=op.f("ck_tender_kind")
        ),
        sa.CheckConstraint("cents > 0", name=op.f("ck_tender_cents")),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name="fk_tender_ticket"),
        sa.PrimaryKeyConstraint("ticket", "place", name="pk_tender"),
    )
    op.create_table(
        "void",
        sa.Column("ticket", RowId, nullable=False),
        sa.Column("station", RowId, nullable=False),
        sa.Column("staff", RowId, nullable=False),
        sa.Column("drawer", RowId, nullable=False),
        sa.Column("approver", RowId, nullable=True),
        sa.Column("with_code", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("voided_at", Utc(), nullable=False),
        sa.Column("request", sa.String(length=40), nullable=False),
        sa.Column("entry", RowId, nullable=False),
        sa.CheckConstraint(
            "approver IS NULL OR approver <> staff", name=op.f("ck_void_two_people")
        ),
        sa.CheckConstraint("with_code OR approver IS NOT NULL", name=op.f("ck_void_approved")),
        sa.ForeignKeyConstraint(["approver"], ["staff.id"], name="fk_void_approver"),
        sa.ForeignKeyConstraint(["drawer"], ["drawer.id"], name="fk_void_drawer"),
        sa.ForeignKeyConstraint(["entry"], ["log_entry.id"], name="fk_void_entry"),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name="fk_void_staff"),
        sa.ForeignKeyConstraint(
            ["station", "request"],
            ["asked.station", "asked.request"],
            name="fk_void_station_request",
        ),
        sa.ForeignKeyConstraint(["station"], ["station.id"], name="fk_void_station"),
        sa.ForeignKeyConstraint(["ticket"], ["ticket.number"], name="fk_void_ticket"),
        sa.PrimaryKeyConstraint("ticket", name="pk_void"),
        sa.UniqueConstraint("entry", name="uq_void_entry"),
    )
    op.create_index("ix_void_voided_at", "void", ["voided_at"], unique=False)
