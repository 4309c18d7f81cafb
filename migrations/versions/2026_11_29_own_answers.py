"""The stored answer of a request belongs to the person who made it.

Answers from before have no person: anyone at the station may ask for them again, as until now.

Revision: 2026_11_29_own_answers
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId

revision = "2026_11_29_own_answers"
down_revision = "2026_11_28_ended_processes"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column("asked", sa.Column("staff", RowId, nullable=True))


def downgrade() -> None:
    """Go back: answers are the station's again."""
    op.drop_column("asked", "staff")
