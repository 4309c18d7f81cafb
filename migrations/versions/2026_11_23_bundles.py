"""Bundles are asked for like reports.

Revision: 2026_11_23_bundles
"""

from alembic import op

revision = "2026_11_23_bundles"
down_revision = "2026_11_22_whole_partitions"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    _allow("'pdf', 'csv', 'json', 'zip'")


def downgrade() -> None:
    """Go back; the server refuses it where bundles were asked for."""
    _allow("'pdf', 'csv', 'json'")


def _allow(formats: str) -> None:
    with op.batch_alter_table("report_job") as batch:
        batch.drop_constraint(op.f("ck_report_job_format"), type_="check")
        batch.create_check_constraint(op.f("ck_report_job_format"), f"format IN ({formats})")
