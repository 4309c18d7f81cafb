"""Whether there is enough cash in a drawer for what goes out of it."""

from app.keno.drawer import CASH
from app.store.queries import drawers
from app.store.queries.people import Worker
from app.store.unit import Unit


def is_in_drawer(unit: Unit, who: Worker, cents: int) -> bool:
    """Whether a worker's drawer, which is held, has so much currency and coin."""
    inside = drawers.contents(unit.connection, who.drawer or 0)
    return cents <= sum(inside.get(kind, 0) for kind in CASH)
