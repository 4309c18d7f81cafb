"""A secret that somebody else gave is told from one of a person's own.

Revision: 2026_11_24_own_secrets
"""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_24_own_secrets"
down_revision = "2026_11_23_bundles"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward: who knew which secret so far, nobody can say, and everybody goes on with theirs."""
    op.add_column(
        "staff", sa.Column("secret_given", sa.Boolean(), server_default=sa.false(), nullable=False)
    )


def downgrade() -> None:
    """Go back: a secret that was given opens everything again."""
    op.drop_column("staff", "secret_given")
