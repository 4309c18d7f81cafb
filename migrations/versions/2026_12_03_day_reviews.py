"""Lists that a manager signed before the close of a day are found without reading the log.

Revision: 2026_12_03_day_reviews
"""

from alembic import op
from sqlalchemy import text

revision = "2026_12_03_day_reviews"
down_revision = "2026_12_01_staff_changes"
branch_labels = None
depends_on = None

BEFORE = "'BACKUP', 'CLOCK', 'KEYS', 'PROCESS'"
AFTER = "'BACKUP', 'CLOCK', 'DAY-REVIEW', 'KEYS', 'PROCESS'"


def upgrade() -> None:
    """Go forward."""
    _index(AFTER)


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    _index(BEFORE)


def _index(tags: str) -> None:
    op.drop_index("ix_log_entry_watched", "log_entry")
    watched = text(f"tag IN ({tags})")
    op.create_index(
        "ix_log_entry_watched",
        "log_entry",
        ["tag", "id"],
        sqlite_where=watched,
        postgresql_where=watched,
    )
