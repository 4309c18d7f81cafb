"""Tries at a station are counted in the database: for all web processes of all machines together.

Revision: 2026_11_26_station_bucket
"""

import sqlalchemy as sa
from alembic import op

revision = "2026_11_26_station_bucket"
down_revision = "2026_11_25_room_in_time"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward: every station has all of its tries."""
    op.create_table(
        "station_bucket",
        sa.Column("station", sa.String(length=40), nullable=False),
        sa.Column("full_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["station"], ["station.code"], name=op.f("fk_station_bucket_station")
        ),
        sa.PrimaryKeyConstraint("station", name=op.f("pk_station_bucket")),
    )


def downgrade() -> None:
    """Go back: each process counts for itself again."""
    op.drop_table("station_bucket")
