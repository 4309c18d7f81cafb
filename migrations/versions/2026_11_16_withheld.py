"""A held game keeps the time at which it was to close; a jump of the clock is taken once.

Revision: 2026_11_16_withheld
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Utc

revision = "2026_11_16_withheld"
down_revision = "2026_11_16_wins"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column("game", sa.Column("held_until", Utc, nullable=True))
    op.add_column("lease", sa.Column("clock_since", Utc, nullable=True))


def downgrade() -> None:
    """Go back."""
    op.drop_column("lease", "clock_since")
    op.drop_column("game", "held_until")
