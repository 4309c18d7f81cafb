"""For how long a new rate card, or a looser amount, is published before it takes effect (8.3)."""

from datetime import timedelta

from app.flow.office import Office
from app.keno.house_settings import Setting
from app.store.queries import house
from app.store.unit import Unit

# A demonstration house has no day to wait.
DEMONSTRATION_NOTICE = timedelta(minutes=2)


def change_notice(office: Office, unit: Unit) -> timedelta:
    """Return how long a change waits that is for the patron or against the house."""
    if office.house.demonstration:
        return DEMONSTRATION_NOTICE
    return timedelta(minutes=house.setting(unit.connection, Setting.CARD_NOTICE_MINUTES))
