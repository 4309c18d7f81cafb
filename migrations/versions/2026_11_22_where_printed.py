"""Which printer a paper is being sent to, and on which printer and width of paper it was printed.

What was being sent before is asked about by whoever has the station's printer now, as it was until
now; of what was printed before it is not known.

Revision: 2026_11_22_where_printed
"""

import sqlalchemy as sa
from alembic import op

from app.store.columns import RowId

revision = "2026_11_22_where_printed"
down_revision = "2026_11_22_addresses"
branch_labels = None
depends_on = None

EVENT = ("printer", "roll")


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("queued_paper") as batch:
        batch.add_column(sa.Column("printer", RowId, nullable=True))
        batch.create_foreign_key(op.f("fk_queued_paper_printer"), "printer", ["printer"], ["id"])
    op.execute(
        "UPDATE queued_paper SET printer = (SELECT printer FROM station_printer "
        "WHERE station_printer.station = queued_paper.station) WHERE state = 'sending'"
    )
    for name in EVENT:
        op.add_column("paper_event", sa.Column(name, sa.String(40), nullable=True))


def downgrade() -> None:
    """Go back: on which printers papers were printed goes with the columns."""
    for name in reversed(EVENT):
        op.drop_column("paper_event", name)
    with op.batch_alter_table("queued_paper") as batch:
        batch.drop_constraint(op.f("fk_queued_paper_printer"), type_="foreignkey")
        batch.drop_column("printer")
