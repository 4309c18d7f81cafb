"""Whoever owns the tables archives in place, without a lock on what is sold into.

PostgreSQL only. Whoever owns a table could always lift its guard; now they need not, which would
keep every sale of that partition waiting, and they never replace it, which readers with an older
view of the database would see as empty. The running house owns nothing (X-retention).

Revision: 2026_11_21_archiving_in_place
"""

from alembic import op

revision = "2026_11_21_archiving_in_place"
down_revision = "2026_11_20_partitions"
branch_labels = None
depends_on = None

REFUSE = "RAISE EXCEPTION 'facts are only ever added: %', TG_TABLE_NAME;"
BUT_FOR_THE_OWNER = (
    "IF current_setting('keno.archiving', true) = 'on' AND TG_OP <> 'TRUNCATE' AND "
    "TG_TABLE_NAME IN ('log_entry', 'printed_paper', 'paper_event', 'feed_event') AND "
    "(SELECT pg_has_role(session_user, relowner, 'USAGE') FROM pg_class WHERE oid = TG_RELID) "
    "THEN RETURN NULL; END IF;"
)


def upgrade() -> None:
    """Go forward."""
    _refuse_with(f"{BUT_FOR_THE_OWNER} {REFUSE}")


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    _refuse_with(REFUSE)


def _refuse_with(body: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            "CREATE OR REPLACE FUNCTION keno_refuse() RETURNS trigger LANGUAGE plpgsql "
            f"SET search_path = pg_catalog, pg_temp AS $$ BEGIN {body} END $$"
        )
