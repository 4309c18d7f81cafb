"""Tries are counted by the name that was typed, by who asks for an approval, and by ticket.

Counts pass: whoever is locked when the schema goes forward or back is not any more.

Revision: 2026_11_29_tries
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId, Utc

revision = "2026_11_29_tries"
down_revision = "2026_11_29_own_answers"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.drop_table("station_bucket")
    op.drop_table("station_tries")
    op.create_table(
        "name_tries",
        sa.Column("name", sa.LargeBinary(length=32), nullable=False),
        sa.Column("station", sa.String(length=40), nullable=False),
        sa.Column("failed_tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", Utc, nullable=True),
        sa.Column("tried_at", Utc, nullable=False),
        sa.CheckConstraint("failed_tries >= 0", name=op.f("ck_name_tries_failed_tries")),
        sa.ForeignKeyConstraint(["station"], ["station.code"], name=op.f("fk_name_tries_station")),
        sa.PrimaryKeyConstraint("name", "station", name=op.f("pk_name_tries")),
    )
    op.create_index(op.f("ix_name_tries_tried_at"), "name_tries", ["tried_at"])
    op.create_table(
        "try_bucket",
        sa.Column("bucket", sa.LargeBinary(length=32), nullable=False),
        sa.Column("full_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("bucket", name=op.f("pk_try_bucket")),
    )
    op.create_index(op.f("ix_try_bucket_full_at_ms"), "try_bucket", ["full_at_ms"])


def downgrade() -> None:
    """Go back: every station has all of its tries."""
    op.drop_table("try_bucket")
    op.drop_table("name_tries")
    op.create_table(
        "station_tries",
        sa.Column("staff", RowId, nullable=False),
        sa.Column("station", sa.String(length=40), nullable=False),
        sa.Column("failed_tries", sa.Integer(), nullable=False),
        sa.Column("locked_until", Utc, nullable=True),
        sa.CheckConstraint("failed_tries >= 0", name=op.f("ck_station_tries_failed_tries")),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_station_tries_staff")),
        sa.ForeignKeyConstraint(
            ["station"], ["station.code"], name=op.f("fk_station_tries_station")
        ),
        sa.PrimaryKeyConstraint("staff", "station", name=op.f("pk_station_tries")),
    )
    op.create_table(
        "station_bucket",
        sa.Column("station", sa.String(length=40), nullable=False),
        sa.Column("full_at_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["station"], ["station.code"], name=op.f("fk_station_bucket_station")
        ),
        sa.PrimaryKeyConstraint("station", name=op.f("pk_station_bucket")),
    )
