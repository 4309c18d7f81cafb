"""Processes that ended are found without reading the log, however busy the house is.

Revision: 2026_11_28_ended_processes
"""

from alembic import op
from sqlalchemy import text

revision = "2026_11_28_ended_processes"
down_revision = "2026_11_27_watching_roles"
branch_labels = None
depends_on = None

BEFORE = "tag IN ('BACKUP', 'CLOCK', 'KEYS')"
WATCHED = "tag IN ('BACKUP', 'CLOCK', 'KEYS', 'PROCESS')"


def upgrade() -> None:
    """Go forward."""
    _index(WATCHED)


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    _index(BEFORE)


def _index(which: str) -> None:
    """Make the index anew; on PostgreSQL that of each partition too."""
    name, where = "ix_log_entry_watched", text(which)
    op.drop_index(name, "log_entry")
    op.create_index(name, "log_entry", ["tag", "id"], sqlite_where=where, postgresql_where=where)
