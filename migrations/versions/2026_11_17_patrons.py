"""A patron's acts are looked for by the gaming day, at a station or by player card.

Revision: 2026_11_17_patrons
"""

from alembic import op

revision = "2026_11_17_patrons"
down_revision = "2026_11_16_year_and_day"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.drop_index("ix_contact_act_station_contact", "contact_act")
    op.drop_index("ix_contact_act_gaming_day", "contact_act")
    op.create_index("ix_contact_act_contact", "contact_act", ["gaming_day", "station", "contact"])
    op.create_index("ix_contact_act_player_card", "contact_act", ["gaming_day", "player_card"])


def downgrade() -> None:
    """Go back."""
    op.drop_index("ix_contact_act_player_card", "contact_act")
    op.drop_index("ix_contact_act_contact", "contact_act")
    op.create_index("ix_contact_act_gaming_day", "contact_act", ["gaming_day"])
    op.create_index("ix_contact_act_station_contact", "contact_act", ["station", "contact"])
