"""Backups, jumps of the clock and how the keys stand are found without reading the log.

Revision: 2026_11_19_watched
"""

from alembic import op
from sqlalchemy import text

revision = "2026_11_19_watched"
down_revision = "2026_11_19_going_on"
branch_labels = None
depends_on = None

WATCHED = text("tag IN ('BACKUP', 'CLOCK', 'KEYS')")


def upgrade() -> None:
    """Go forward."""
    op.create_index(
        "ix_log_entry_watched",
        "log_entry",
        ["tag", "id"],
        sqlite_where=WATCHED,
        postgresql_where=WATCHED,
    )


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    op.drop_index("ix_log_entry_watched", "log_entry")
