"""No two printers are at one address: their papers would come out mixed.

Revision: 2026_11_22_addresses
"""

import sqlalchemy as sa
from alembic import op

from app.store.schema import Unfit

revision = "2026_11_22_addresses"
down_revision = "2026_11_21_archiving_in_place"
branch_labels = None
depends_on = None

SHARED = "SELECT address FROM printer GROUP BY address HAVING count(*) > 1 ORDER BY address"


def upgrade() -> None:
    """Go forward, unless two printers are at one address: which of them is meant, nobody here knows."""
    shared = op.get_bind().execute(sa.text(SHARED)).scalars().all()
    if shared:
        raise Unfit(
            f"more than one printer is at {', '.join(shared)}: have all stations print on one of "
            "them, and the others be elsewhere (keno printer set, of the older version)"
        )
    with op.batch_alter_table("printer") as batch:
        batch.create_unique_constraint(op.f("uq_printer_address"), ["address"])


def downgrade() -> None:
    """Go back: nothing is lost by it."""
    with op.batch_alter_table("printer") as batch:
        batch.drop_constraint(op.f("uq_printer_address"), type_="unique")
