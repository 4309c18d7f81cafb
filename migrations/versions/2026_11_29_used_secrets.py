"""The last few secrets of a person are stored, as digests, so that none of them comes back.

Revision: 2026_11_29_used_secrets
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import Json

revision = "2026_11_29_used_secrets"
down_revision = "2026_11_29_tries"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward: of those before, nothing is known."""
    op.add_column("staff", sa.Column("past_secrets", Json, nullable=True))


def downgrade() -> None:
    """Go back."""
    op.drop_column("staff", "past_secrets")
